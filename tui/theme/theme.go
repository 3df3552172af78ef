// Package theme gives the console's style tokens their looks. A theme is a
// value that is passed along; there is no current theme anywhere.
package theme

import (
	"fmt"
	"slices"

	"holdfast/tui/canvas"
)

// The tokens: what a piece of text means, not what it looks like. Whoever draws
// names one of these and never a colour.
const (
	Text     canvas.Style = iota // the terminal's own
	Muted                        // there, but not what the eye should find first
	Heading                      // titles of panes and columns
	Accent                       // the thing in focus
	OK                           // went well, has room
	Warn                         // needs a look: due soon, stale, draft
	Bad                          // needs a person: oversold, failed, offline
	Quote                        // text that came from the public, never a state
	Rule                         // lines and borders
	Selected                     // the row with the cursor
	Marked                       // rows taken along for the next verb
	Header                       // row 1
	Prod                         // the word that marks production
	Tab                          // a screen's name in row 2
	TabOn                        // the one on screen
	Key                          // a key in footer and help
	Field                        // an input field
	FieldOn                      // the input field with the cursor
	Cursor                       // the cursor in it
	Button                       // a button
	ButtonOn                     // the button with the focus
	Dead                         // a verb or button that is not possible now
	Dialog                       // the frame of a dialog
	Tint1                        // five steps of load, readable in grey
	Tint2
	Tint3
	Tint4
	Tint5
	tokens
)

// Theme is everything that decides how a picture looks on one terminal.
type Theme struct {
	Name    string
	Looks   canvas.Looks
	Glyphs  canvas.Glyphs
	Profile canvas.Profile // what is used of the terminal

	terminal canvas.Profile // what the terminal has
	ascii    bool
}

// Default is the theme that is right on any background without asking: it uses
// the terminal's own text and background and its 16 palette colours.
const Default = "plain-16"

// Names lists the themes in the order in which the T key goes through them.
func Names() []string { return []string{Default, "dark", "light", "contrast", "mono"} }

// New returns the named theme for a terminal of the given profile; "" and
// "auto" mean Default. It fails on an unknown name. The mono theme never uses
// colour; the others fall back to bold, underline and reverse by themselves
// when the profile has none.
func New(name string, p canvas.Profile, ascii bool) (Theme, error) {
	if name == "" || name == "auto" {
		name = Default
	}
	looks, ok := looksOf(name)
	if !ok {
		return Theme{}, fmt.Errorf("theme %q: unknown, choose one of %v", name, Names())
	}
	t := Theme{Name: name, Looks: looks, Glyphs: canvas.GlyphSet(ascii), Profile: p, terminal: p, ascii: ascii}
	if name == "mono" {
		t.Profile = min(p, canvas.Mono)
	}
	return t, nil
}

// Next returns the theme after t for the same terminal.
func (t Theme) Next() Theme {
	names := Names()
	next, err := New(names[(slices.Index(names, t.Name)+1)%len(names)], t.terminal, t.ascii)
	if err != nil { // not of Names
		return t
	}
	return next
}
