package dialog

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/keys"
	"holdfast/tui/widget"
)

// Fact is one line of a confirmation: what happens, what cannot happen, what if
// the world has moved.
type Fact struct{ Label, Text string }

// Action is one thing that a confirmation can set off.
type Action struct {
	Name  string // comes back in Choice.Action
	Label string // on the button
	Dead  string // why it cannot be chosen at all; shown
	Reads bool   // changes nothing in the database, so it is possible while offline
}

// Spec describes a confirmation. Cancel is always there, always first, and has
// the focus; actions stand in the order safest first.
type Spec struct {
	Title   string
	Intro   []string // what it is about
	Facts   []Fact
	ReadAt  time.Time     // when the numbers above were read, in the zone to show it in; zero: not shown
	MaxAge  time.Duration // older numbers disable the actions (bulk money: 30 s); zero: any age
	Reason  string        // label of a text field for the log; empty: no field
	Reasons bool          // the reason must not be empty
	Type    string        // what must be typed to go on: a count, a venue's code; empty: nothing
	Actions []Action
	Instant bool // nothing is awaited: the dialog closes with the choice
	Then    func(Choice) tea.Msg
}

// Choice is the answer to a confirmation. Cancelling answers nothing.
type Choice struct {
	Action string
	Reason string
}

// Confirm asks before an action. It lets itself be answered once: after that
// the buttons are dead until the database's answer is shown.
type Confirm struct {
	spec   Spec
	reason widget.Field
	typed  widget.Field
	focus  int // index into stops
	scroll int
	sent   time.Time
	asked  Choice
	result *Outcome
	last   []string // why the try before did not do it
	lost   bool     // text was typed while no field had the focus
}

// NewConfirm returns a confirmation with the focus on Cancel.
func NewConfirm(s Spec) *Confirm {
	c := &Confirm{spec: s, reason: widget.NewField("", ""), typed: widget.NewField("", "")}
	c.focus = c.cancelStop()
	return c
}

// The stops of the focus are the fields, then Cancel, then the actions.
func (c *Confirm) fields() []*widget.Field {
	var f []*widget.Field
	if c.spec.Reason != "" {
		f = append(f, &c.reason)
	}
	if c.spec.Type != "" {
		f = append(f, &c.typed)
	}
	return f
}

func (c *Confirm) cancelStop() int { return len(c.fields()) }
func (c *Confirm) stops() int      { return c.cancelStop() + 1 + len(c.spec.Actions) }

// Typing reports that a field has the focus.
func (c *Confirm) Typing() bool {
	return c.sent.IsZero() && c.result == nil && c.focus < c.cancelStop()
}

// Key moves the focus, edits a field, or chooses.
func (c *Confirm) Key(k tea.KeyMsg, at Moment) Reply {
	if c.result != nil || !c.sent.IsZero() {
		// The answer is on its way or here; the window may be closed, the action
		// cannot be asked for again.
		return Reply{Close: k.Type == tea.KeyEsc || c.result != nil && k.Type == tea.KeyEnter}
	}
	c.lost = false
	switch k.Type {
	case tea.KeyEsc:
		return Reply{Close: true}
	case tea.KeyTab, tea.KeyDown:
		c.move(1)
	case tea.KeyShiftTab:
		c.move(-1)
	case tea.KeyUp:
		c.toField()
	case tea.KeyPgDown:
		c.scroll++
	case tea.KeyPgUp:
		c.scroll = max(0, c.scroll-1)
	case tea.KeyEnter:
		return c.enter(at)
	default:
		if c.Typing() {
			c.fields()[c.focus].Key(k)
			break
		}
		if k.Type == tea.KeyRight {
			c.move(1)
		}
		if k.Type == tea.KeyLeft {
			c.move(-1)
		}
		c.lost = keys.Printable(k)
	}
	return Reply{}
}

// toField moves from the buttons up to the field that waits for text, and else to
// the last one.
func (c *Confirm) toField() {
	if i := c.waiting(); i >= 0 {
		c.focus = i
		return
	}
	c.move(-1)
}

// waiting is the first empty field while a button has the focus, and -1 when none
// waits. The focus begins on Cancel, so that a fresh dialog cannot be answered by
// a slip; who wants to type must be told where.
func (c *Confirm) waiting() int {
	if c.focus < c.cancelStop() {
		return -1
	}
	optional := !c.spec.Reasons && c.spec.Type != "" && c.typed.Value() == "" // what must be typed comes first
	return slices.IndexFunc(c.fields(), func(f *widget.Field) bool {
		return f.Value() == "" && (f != &c.reason || !optional)
	})
}

// wanted is what is to be typed into field i.
func (c *Confirm) wanted(i int) string {
	if c.fields()[i] == &c.typed {
		return c.spec.Type
	}
	name, _, _ := strings.Cut(c.spec.Reason, " (") // "Reason (may be empty)"
	return name
}

func (c *Confirm) move(by int) { c.focus = (c.focus + by + c.stops()) % c.stops() }

func (c *Confirm) enter(at Moment) Reply {
	i := c.focus - c.cancelStop() - 1
	switch {
	case i < -1: // in a field: go on to what comes next
		c.move(1)
		return Reply{}
	case i == -1:
		return Reply{Close: true}
	case c.dead(i, at) != "":
		return Reply{}
	}
	c.asked = Choice{Action: c.spec.Actions[i].Name, Reason: c.reason.Value()}
	c.sent = at.Now
	return Reply{Msg: c.spec.Then(c.asked), Close: c.spec.Instant}
}

// dead says why action i cannot be chosen now.
func (c *Confirm) dead(i int, at Moment) string {
	switch {
	case c.spec.Actions[i].Dead != "":
		return c.spec.Actions[i].Dead
	case at.NoSave != "" && !c.spec.Actions[i].Reads:
		return at.NoSave
	case c.spec.MaxAge > 0 && at.Database.Sub(c.spec.ReadAt) > c.spec.MaxAge:
		return "the numbers are older than " + c.spec.MaxAge.String() + "; close and open again"
	case c.spec.Type != "" && c.typed.Value() != c.spec.Type:
		return "not yet"
	case c.spec.Reasons && c.reason.Value() == "":
		return "a reason is needed; up, then type it"
	}
	return ""
}

// Settle shows the outcome. Success closes the dialog, since the task line says
// it; anything else stays until it has been read.
func (c *Confirm) Settle(o Outcome) bool {
	if o.OK {
		return true
	}
	if o.Again {
		c.sent = time.Time{}
		c.focus = c.cancelStop()
		c.last = append([]string{"! " + o.Text}, o.Lines...)
		return false
	}
	c.result = &o
	return false
}

// Keys is the footer of a confirmation; it names the field that waits for text.
func (c *Confirm) Keys() keys.Table {
	t := keys.Table{
		{Verb: "focus", Keys: []string{"tab"}, Help: "next", Priority: 62},
		{Verb: "choose", Keys: []string{"enter"}, Help: "press", Priority: 60},
		{Verb: keys.Back, Keys: []string{"esc"}, Help: "close", Priority: 70},
	}
	if i := c.waiting(); i >= 0 && c.sent.IsZero() && c.result == nil {
		t = append(keys.Table{{Verb: "type", Keys: []string{"up"}, Help: "type " + c.wanted(i), Priority: 65}}, t...)
	}
	return t
}
