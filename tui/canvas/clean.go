package canvas

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxMarks is how many combining marks one base character keeps. Two are
// enough for every living orthography's names on a screen; two hundred are an
// attack on the lines above and below.
const maxMarks = 2

// Clean makes foreign text safe to show: on a screen, in a table of the
// command line, in a log line. Names come from the public, so everything that
// a terminal could obey, or that could make a reader see something else than
// what is stored, is made visible or taken out:
//
//   - bytes that are not UTF-8 become U+FFFD;
//   - control characters (C0, DEL, C1) become visible: ESC is "␛", U+009B is
//     "⟨U+009B⟩";
//   - bidirectional controls, line and paragraph separators, tag characters and
//     every other format character become visible: "⟨U+202E⟩";
//   - zero-width characters, joiners and variation selectors are removed, since
//     terminals disagree about the width of what they join;
//   - of the combining marks on one character the first two are kept, and marks
//     without a character are removed.
//
// The answer contains no control character at all, so it is one line, and
// Clean(Clean(s)) == Clean(s). Clean never fails and does not allocate for
// plain ASCII.
func Clean(s string) string {
	start := harmless(s)
	if start == len(s) {
		return s
	}

	var b strings.Builder
	b.Grow(len(s) + 8)
	b.WriteString(s[:start])
	marks, base := 0, start > 0
	for i := start; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case ordinary(r):
			b.WriteRune(r)
			marks, base = 0, true
		case removed(r):
		case unicode.In(r, unicode.Mn, unicode.Me):
			if base && marks < maxMarks {
				b.WriteRune(r)
				marks++
			}
		default:
			if base = true; unsafeRune(r) {
				writeVisible(&b, r)
			} else {
				b.WriteRune(r) // an invalid byte was decoded as U+FFFD
			}
			marks = 0
		}
	}
	return b.String()
}

// harmless returns the length of the beginning of s that Clean leaves alone at a
// glance.
func harmless(s string) int {
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if !ordinary(r) {
			return i
		}
		i += size
	}
	return len(s)
}

// ordinary reports the characters that nearly all text consists of, which stand
// alone: they are safe, have a width, and never join an ordinary neighbour.
func ordinary(r rune) bool {
	switch {
	case r >= 0x20 && r <= 0x7e: // ASCII
		return true
	case r < 0xa1:
		return false
	case r <= 0x2ff: // Latin, but for the soft hyphen
		return r != 0xad
	case r >= 0x370 && r <= 0x482: // Greek, Cyrillic
		return true
	case r >= 0x2500 && r <= 0x257f: // the lines of frames
		return true
	case r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa: // kana
		return true
	case r >= 0x4e00 && r <= 0x9fff: // Han
		return true
	case r >= 0xac00 && r <= 0xd7a3: // Hangul syllables
		return true
	}
	return false
}

// plain reports that s consists of printable ASCII only.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// removed reports characters without a shape of their own that only change how
// their neighbours are joined or measured.
func removed(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r == 0x00AD, r == 0x034F, r == 0x2060, r == 0xFEFF: // soft hyphen, grapheme joiner, word joiner, BOM
		return true
	case r >= 0x200B && r <= 0x200D: // zero-width space, non-joiner, joiner
		return true
	case unicode.Is(unicode.Variation_Selector, r):
		return true
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return !tag(r)
	}
	return false
}

// unsafeRune reports characters that must not reach a terminal as they are.
func unsafeRune(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || tag(r) ||
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// tag reports the invisible twins of ASCII that can hide whole sentences.
func tag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

func writeVisible(b *strings.Builder, r rune) {
	switch {
	case r < 0x20:
		b.WriteRune(0x2400 + r) // the control pictures are in the order of the controls
	case r == 0x7f:
		b.WriteRune('␡')
	default:
		fmt.Fprintf(b, "⟨U+%04X⟩", r)
	}
}

// Width is the number of cells that s takes, by the one ruler of the console.
// It is meant for cleaned text.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Cut cleans s and shortens it to at most width cells, never inside a
// character; what was cut is told by tail, which is part of the width. A tail
// that does not fit is left out.
func Cut(s string, width int, tail string) string {
	if width <= 0 {
		return ""
	}
	s = Clean(bound(s, width))
	if Width(s) <= width {
		return s
	}
	room := width - Width(tail)
	if room < 0 {
		room, tail = width, ""
	}
	used, end := 0, 0
	for char, w := range Characters(s) {
		if used+w > room {
			return s[:end] + tail
		}
		used += w
		end += len(char)
	}
	return s
}

// Characters goes through what a reader would call the characters of cleaned
// text, each with its width in cells.
func Characters(s string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for s != "" {
			char, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
			if !yield(char, w) {
				return
			}
			s = s[len(char):]
		}
	}
}

// bound drops what cannot be seen in width cells anyway, so that a name of a
// megabyte costs no more than a long one.
func bound(s string, width int) string {
	const bytesPerCell = 64 // a base character, two marks and much that Clean removes
	limit := (width + 1) * bytesPerCell
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
