package canvas

import (
	"strconv"
	"strings"
)

// Attr is a set of attributes that work without any colour.
type Attr uint8

// The attributes.
const (
	Bold Attr = 1 << iota
	Faint
	Underline
	Reverse
)

// Colour is one colour of a style. The zero value is the terminal's own.
type Colour struct {
	kind    colourKind
	r, g, b uint8
}

type colourKind uint8

const (
	own colourKind = iota
	palette
	indexed
	direct
)

// Palette is one of the terminal's 16 colours, which its user has chosen to be
// readable on the user's own background.
func Palette(n uint8) Colour { return Colour{kind: palette, r: n & 15} }

// Indexed is one of the 256 fixed colours; terminals with fewer show their own.
func Indexed(n uint8) Colour { return Colour{kind: indexed, r: n} }

// RGB is a colour for terminals that can show any; others show their own.
func RGB(r, g, b uint8) Colour { return Colour{kind: direct, r: r, g: g, b: b} }

// Channels returns the red, green and blue of a direct colour, and false for
// colours that the terminal decides.
func (c Colour) Channels() (r, g, b uint8, known bool) {
	return c.r, c.g, c.b, c.kind == direct
}

// Look is what one style number looks like.
type Look struct {
	FG, BG Colour
	Attr   Attr
}

// Looks gives each style number its look; numbers beyond its end look like
// style 0.
type Looks []Look

// Profile is what a terminal can show.
type Profile uint8

// The profiles, from poorest to richest.
const (
	Plain     Profile = iota // text only, no escape sequence at all
	Mono                     // bold, underline and reverse, no colour (NO_COLOR)
	ANSI16                   // the 16 palette colours
	ANSI256                  // and 256 fixed ones
	TrueColor                // any
)

// ProfileOf decides from the environment what the terminal can show. It never
// asks the terminal: some do not answer.
func ProfileOf(getenv func(string) string) Profile {
	term := getenv("TERM")
	switch {
	case term == "" || term == "dumb":
		return Plain
	case getenv("NO_COLOR") != "", getenv("CLICOLOR") == "0", strings.HasPrefix(term, "vt1"), strings.HasPrefix(term, "vt2"):
		return Mono
	case getenv("COLORTERM") == "truecolor", getenv("COLORTERM") == "24bit", strings.HasSuffix(term, "-direct"):
		return TrueColor
	case strings.Contains(term, "256color"), getenv("COLORTERM") != "":
		return ANSI256
	}
	return ANSI16
}

// sgr returns the sequence that switches from any style to this one.
func (l Look) sgr(extra Attr, p Profile) string {
	if p == Plain {
		return ""
	}
	var b strings.Builder
	b.WriteString("\x1b[0")
	attr := l.Attr | extra
	if l.Attr&extra&Reverse != 0 {
		attr |= Bold // reverse laid over reverse must still be told from its neighbours
	}
	for _, a := range [...]struct {
		bit  Attr
		code string
	}{{Bold, ";1"}, {Faint, ";2"}, {Underline, ";4"}, {Reverse, ";7"}} {
		if attr&a.bit != 0 {
			b.WriteString(a.code)
		}
	}
	l.FG.sgr(&b, p, 30)
	l.BG.sgr(&b, p, 40)
	b.WriteByte('m')
	return b.String()
}

// sgr appends the colour with base 30 for the foreground, 40 for the background.
func (c Colour) sgr(b *strings.Builder, p Profile, base int) {
	num := func(n int) { b.WriteByte(';'); b.WriteString(strconv.Itoa(n)) }
	switch {
	case c.kind == palette && p >= ANSI16 && c.r < 8:
		num(base + int(c.r))
	case c.kind == palette && p >= ANSI16:
		num(base + 60 + int(c.r) - 8)
	case c.kind == indexed && p >= ANSI256:
		num(base + 8)
		num(5)
		num(int(c.r))
	case c.kind == direct && p == TrueColor:
		num(base + 8)
		num(2)
		num(int(c.r))
		num(int(c.g))
		num(int(c.b))
	}
}
