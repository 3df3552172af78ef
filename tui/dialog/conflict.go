package dialog

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
)

// Three is one field at the three moments that matter in a conflict.
type Three struct {
	Field  string
	Base   string // when the person began
	Theirs string // as somebody else saved it meanwhile
	Yours  string // as the person wants it
}

// Clash reports that both changed the field, and to different values.
func (t Three) Clash() bool {
	return t.Theirs != t.Base && t.Yours != t.Base && t.Theirs != t.Yours
}

// ConflictSpec describes a save that came second. Nothing of it has been saved.
type ConflictSpec struct {
	Title  string   // empty: SOMEONE ELSE SAVED FIRST
	Intro  []string // what it is about, who saved, when; your input is kept
	Base   string   // heading: "at v9 (you saw)"
	Theirs string   // heading: "jan, v10"
	Who    string   // "jan", for the button
	Fields []Three
	Now    []string // what the numbers are now and would be with yours
	Then   func(Resolution) tea.Msg
}

// Way is how a person settled a conflict.
type Way string

// The ways. Every write that follows is conditional on the newest version, so a
// further change brings the dialog back.
const (
	KeepTheirs Way = "keep-theirs"
	PutMine    Way = "put-mine"
	EditAgain  Way = "edit-again"
)

// Resolution is the answer to a conflict. Values has the merged value of every
// field: where only one side changed it, that side's; where both did, the one
// that was chosen.
type Resolution struct {
	Way    Way
	Values map[string]string
}

// Conflict shows the three columns and asks. The focus is on the button that
// neither saves anything nor drops what was typed.
type Conflict struct {
	spec    ConflictSpec
	theirs  map[string]bool // clashing fields for which the other side was chosen
	clashes []int           // indices of the fields that clash
	at      int             // the clash in focus
	button  int
	scroll  int
}

// NewConflict returns a conflict dialog.
func NewConflict(s ConflictSpec) *Conflict {
	if s.Title == "" {
		s.Title = "SOMEONE ELSE SAVED FIRST"
	}
	c := &Conflict{spec: s, theirs: map[string]bool{}}
	for i, f := range s.Fields {
		if f.Clash() {
			c.clashes = append(c.clashes, i)
		}
	}
	return c
}

// Typing is always false: there is no field.
func (c *Conflict) Typing() bool { return false }

// Settle closes: what follows from the choice is a new question if need be.
func (c *Conflict) Settle(Outcome) bool { return true }

// Keys is the footer of a conflict.
func (c *Conflict) Keys() keys.Table {
	return keys.Table{
		{Verb: "choose", Keys: []string{"space"}, Help: "theirs or yours", Priority: 40},
		{Verb: keys.Up, Keys: []string{"up"}, Help: "field", Priority: 40},
		{Verb: "focus", Keys: []string{"tab"}, Help: "next button", Priority: 50},
		{Verb: "press", Keys: []string{"enter"}, Help: "press", Priority: 60},
		{Verb: keys.Back, Keys: []string{"esc"}, Help: "edit again", Priority: 70},
	}
}

func (c *Conflict) ways() []Way { return []Way{EditAgain, KeepTheirs, PutMine} }

// Key chooses for a clashing field, moves between the buttons, or answers. Esc
// goes back to editing: what was typed is never dropped by a slip.
func (c *Conflict) Key(k tea.KeyMsg, at Moment) Reply {
	n := len(c.ways())
	switch keys.Name(k) {
	case "esc":
		return c.answer(EditAgain)
	case "tab", "right":
		c.button = (c.button + 1) % n
	case "shift+tab", "left":
		c.button = (c.button + n - 1) % n
	case "down":
		c.at = min(c.at+1, max(0, len(c.clashes)-1))
	case "up":
		c.at = max(0, c.at-1)
	case "pgdown":
		c.scroll++
	case "pgup":
		c.scroll = max(0, c.scroll-1)
	case "space":
		if c.at < len(c.clashes) {
			f := c.spec.Fields[c.clashes[c.at]].Field
			c.theirs[f] = !c.theirs[f]
		}
	case "enter":
		way := c.ways()[c.button]
		if way == PutMine && at.NoSave != "" {
			return Reply{}
		}
		return c.answer(way)
	}
	return Reply{}
}

func (c *Conflict) answer(w Way) Reply {
	values := make(map[string]string, len(c.spec.Fields))
	for _, f := range c.spec.Fields {
		values[f.Field] = c.merged(f)
	}
	return Reply{Msg: c.spec.Then(Resolution{Way: w, Values: values}), Close: true}
}

func (c *Conflict) merged(f Three) string {
	switch {
	case f.Yours == f.Base, f.Clash() && c.theirs[f.Field]:
		return f.Theirs
	}
	return f.Yours
}

const conflictTail = 4 // the rule for choosing, the note, the buttons

// Size asks for the height that the table and the text need.
func (c *Conflict) Size(w, h int) (int, int) {
	w = min(w, confirmWidth+4)
	return w, min(h, len(c.intro(w-6))+len(c.spec.Fields)+1+len(c.now(w-6))+conflictTail+3)
}

func (c *Conflict) intro(width int) []line {
	return append(wrapAll(c.spec.Intro, width, theme.Text), line{})
}

func (c *Conflict) now(width int) []line {
	return append([]line{{}}, wrapAll(c.spec.Now, width, theme.Text)...)
}

// Draw draws the text, the three columns and the buttons.
func (c *Conflict) Draw(cv canvas.Canvas, at Moment) {
	in := cv.Border(theme.Dialog, c.spec.Title, theme.Dialog)
	area := in.Bounds().Inset(2, 0)
	bottom, area := area.Bottom(min(conflictTail-1, area.H))
	table := min(len(c.spec.Fields)+1, area.H)
	intro := c.intro(area.W)
	top, area := area.Top(min(len(intro), max(0, area.H-table)))
	unmoved := 0
	drawScrolled(in.Sub(top), intro, &unmoved)
	middle, rest := area.Top(table)
	c.drawTable(in.Sub(middle))
	drawScrolled(in.Sub(rest), c.now(rest.W), &c.scroll)

	foot := in.Sub(bottom)
	w, h := foot.Size()
	dead := at.NoSave
	note := "Checked again when you choose; a further change brings you back here."
	if dead != "" {
		note = dead
	}
	foot.Fit(0, h-2, w, theme.Muted, note)
	drawButtons(foot, h-1, []button{
		{label: "Edit again"}, {label: "Keep " + c.who()}, {label: "Put mine on top", dead: dead},
	}, c.button)
}

func (c *Conflict) who() string {
	if c.spec.Who == "" {
		return "theirs"
	}
	return c.spec.Who + "'s"
}

func (c *Conflict) drawTable(cv canvas.Canvas) {
	w, _ := cv.Size()
	label := min(14, w/4)
	col := max(1, (w-label-2-14)/3)
	x := func(i int) int { return 2 + label + i*col }
	for i, s := range []string{c.spec.Base, c.spec.Theirs, "yours"} {
		cv.Fit(x(i), 0, col-1, theme.Heading, s)
	}
	for i, f := range c.spec.Fields {
		y := i + 1
		if len(c.clashes) > 0 && c.clashes[c.at] == i {
			cv.Text(0, y, theme.Accent, ">")
		}
		cv.Fit(2, y, label-1, theme.Text, f.Field)
		cv.Fit(x(0), y, col-1, theme.Muted, f.Base)
		chosen := c.merged(f)
		cv.Fit(x(1), y, col-1, side(f.Theirs == chosen), star(f.Theirs, f.Theirs != f.Base))
		cv.Fit(x(2), y, col-1, side(f.Yours == chosen), star(f.Yours, f.Yours != f.Base))
		switch {
		case f.Clash() && c.theirs[f.Field]:
			cv.Text(x(3), y, theme.Bad, "CLASH: theirs")
		case f.Clash():
			cv.Text(x(3), y, theme.Bad, "CLASH: yours")
		case f.Theirs != f.Base || f.Yours != f.Base:
			cv.Text(x(3), y, theme.OK, "merged")
		}
	}
}

func side(chosen bool) canvas.Style {
	if chosen {
		return theme.Accent
	}
	return theme.Text
}

func star(s string, changed bool) string {
	if changed {
		return s + " *"
	}
	return s
}
