package theme

import "holdfast/tui/canvas"

// The palette colours by their usual names; what they really look like is the
// terminal user's choice.
var (
	red     = canvas.Palette(1)
	green   = canvas.Palette(2)
	yellow  = canvas.Palette(3)
	magenta = canvas.Palette(5)
	cyan    = canvas.Palette(6)
)

// looksOf returns the looks of a theme. Each token that carries a meaning has
// an attribute beside its colour wherever colour alone would tell it.
func looksOf(name string) (canvas.Looks, bool) {
	switch name {
	case Default:
		return plain16(), true
	case "dark":
		return dark(), true
	case "light":
		return light(), true
	case "contrast":
		return contrast(), true
	case "mono":
		return mono(), true
	}
	return nil, false
}

// mono is the base of all themes: it tells everything apart by attributes.
func mono() canvas.Looks {
	l := make(canvas.Looks, tokens)
	attrs := map[canvas.Style]canvas.Attr{
		Muted: canvas.Faint, Heading: canvas.Bold, Accent: canvas.Bold, Warn: canvas.Underline,
		Bad: canvas.Bold | canvas.Underline, Rule: canvas.Faint, Selected: canvas.Reverse, Marked: canvas.Bold,
		Header: canvas.Bold, Prod: canvas.Bold | canvas.Reverse, TabOn: canvas.Bold | canvas.Reverse, Key: canvas.Bold,
		Field: canvas.Underline, FieldOn: canvas.Underline | canvas.Bold, Cursor: canvas.Reverse,
		ButtonOn: canvas.Reverse, Dead: canvas.Faint, Dialog: canvas.Bold, Tint5: canvas.Bold,
	}
	for st, a := range attrs {
		l[st].Attr = a
	}
	return l
}

// plain16 adds palette colours to foregrounds only, so that it is right on a
// light terminal as on a dark one.
func plain16() canvas.Looks {
	l := mono()
	for st, fg := range map[canvas.Style]canvas.Colour{
		Accent: cyan, OK: green, Warn: yellow, Bad: red, Quote: magenta, Prod: red, Key: cyan,
		FieldOn: cyan, Dialog: cyan, Tint1: green, Tint2: green, Tint3: yellow, Tint4: yellow, Tint5: red,
	} {
		l[st].FG = fg
	}
	l[Warn].Attr, l[Bad].Attr, l[OK].Attr = 0, canvas.Bold, 0
	return l
}

// paint is a theme with its own background: every look gets it, so that no cell
// shows the terminal's.
func paint(l canvas.Looks, fg, bg canvas.Colour, fgs map[canvas.Style]canvas.Colour) canvas.Looks {
	for i := range l {
		l[i].FG, l[i].BG = fg, bg
	}
	for st, c := range fgs {
		l[st].FG = c
	}
	return l
}

func dark() canvas.Looks {
	c := canvas.RGB
	muted := c(0x9a, 0xa0, 0xa6)
	l := paint(mono(), c(0xe4, 0xe4, 0xe4), c(0x16, 0x18, 0x1c), map[canvas.Style]canvas.Colour{
		Muted: muted, Rule: muted, Dead: muted, Accent: c(0x7f, 0xc8, 0xf8), OK: c(0x8c, 0xd8, 0x8c),
		Warn: c(0xf0, 0xc6, 0x74), Bad: c(0xff, 0x8a, 0x80), Quote: c(0xd0, 0xb0, 0xf0), Prod: c(0xff, 0x8a, 0x80),
		Key: c(0x7f, 0xc8, 0xf8), FieldOn: c(0x7f, 0xc8, 0xf8), Dialog: c(0x7f, 0xc8, 0xf8),
		Tint1: c(0x70, 0x78, 0x80), Tint2: c(0x8c, 0xa4, 0xa0), Tint3: c(0xb0, 0xb8, 0x90), Tint4: c(0xd8, 0xc8, 0x80), Tint5: c(0xff, 0xe0, 0xc0),
	})
	unfaint(l)
	return l
}

func light() canvas.Looks {
	c := canvas.RGB
	muted := c(0x5a, 0x5f, 0x66)
	l := paint(mono(), c(0x1c, 0x1c, 0x1c), c(0xfa, 0xfa, 0xf7), map[canvas.Style]canvas.Colour{
		Muted: muted, Rule: muted, Dead: muted, Accent: c(0x00, 0x56, 0x90), OK: c(0x1b, 0x6b, 0x1b),
		Warn: c(0x7a, 0x52, 0x00), Bad: c(0xa3, 0x15, 0x0a), Quote: c(0x5e, 0x35, 0x91), Prod: c(0xa3, 0x15, 0x0a),
		Key: c(0x00, 0x56, 0x90), FieldOn: c(0x00, 0x56, 0x90), Dialog: c(0x00, 0x56, 0x90),
		Tint1: c(0x90, 0x98, 0xa0), Tint2: c(0x70, 0x88, 0x84), Tint3: c(0x70, 0x70, 0x38), Tint4: c(0x70, 0x50, 0x10), Tint5: c(0x58, 0x10, 0x00),
	})
	unfaint(l)
	return l
}

// contrast keeps every text at 7:1 or better against its background; a test
// measures it.
func contrast() canvas.Looks {
	c := canvas.RGB
	l := paint(mono(), c(0xff, 0xff, 0xff), c(0, 0, 0), map[canvas.Style]canvas.Colour{
		Accent: c(0x6c, 0xd8, 0xff), OK: c(0x7c, 0xff, 0x7c), Warn: c(0xff, 0xe0, 0x40), Bad: c(0xff, 0xa0, 0x98),
		Quote: c(0xe8, 0xc8, 0xff), Prod: c(0xff, 0xa0, 0x98), Key: c(0x6c, 0xd8, 0xff), FieldOn: c(0x6c, 0xd8, 0xff),
		Dialog: c(0x6c, 0xd8, 0xff),
	})
	unfaint(l)
	return l
}

// unfaint drops the attribute that terminals render as they like where a
// colour of known contrast stands in for it.
func unfaint(l canvas.Looks) {
	for i := range l {
		l[i].Attr &^= canvas.Faint
	}
}
