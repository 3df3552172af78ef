package dialog

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
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
	ReadAt  time.Time     // when the numbers above were read by the database's clock; zero: not shown
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
	switch k.Type {
	case tea.KeyEsc:
		return Reply{Close: true}
	case tea.KeyTab, tea.KeyDown:
		c.move(1)
	case tea.KeyShiftTab, tea.KeyUp:
		c.move(-1)
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
	}
	return Reply{}
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
	case c.spec.MaxAge > 0 && at.Now.Sub(c.spec.ReadAt) > c.spec.MaxAge:
		return "the numbers are older than " + c.spec.MaxAge.String() + "; close and open again"
	case c.spec.Type != "" && c.typed.Value() != c.spec.Type:
		return "not yet"
	case c.spec.Reasons && c.reason.Value() == "":
		return "a reason is needed"
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
		c.spec.Intro = append([]string{"! " + o.Text}, o.Lines...)
		return false
	}
	c.result = &o
	return false
}

// Keys is the footer of a confirmation.
func (c *Confirm) Keys() keys.Table {
	return keys.Table{
		{Verb: "focus", Keys: []string{"tab"}, Help: "next", Priority: 50},
		{Verb: "choose", Keys: []string{"enter"}, Help: "press", Priority: 60},
		{Verb: keys.Back, Keys: []string{"esc"}, Help: "close", Priority: 70},
	}
}

// confirmWidth is the width of a dialog where there is room.
const confirmWidth = 76

// Size asks for the height that the text needs.
func (c *Confirm) Size(w, h int) (int, int) {
	w = min(w, confirmWidth)
	return w, min(h, len(c.lines(w-6))+len(c.fields())+c.tail()+4)
}

// tail is the rows below the text: why a button is dead, the buttons.
func (c *Confirm) tail() int { return 3 }

// Draw draws text, fields and buttons; text that does not fit scrolls.
func (c *Confirm) Draw(cv canvas.Canvas, at Moment) {
	in := cv.Border(theme.Dialog, c.spec.Title, theme.Dialog)
	area := in.Bounds().Inset(2, 0)
	bottom, area := area.Bottom(min(c.tail(), area.H))
	fields, area := area.Bottom(min(len(c.fields()), area.H))
	if area.H > 4 {
		_, area = area.Top(1)
	}
	drawScrolled(in.Sub(area), c.lines(area.W), &c.scroll)
	c.drawFields(in.Sub(fields))
	c.drawBottom(in.Sub(bottom), at)
}

func (c *Confirm) drawFields(cv canvas.Canvas) {
	w, _ := cv.Size()
	for i, f := range c.fields() {
		label := "Type " + c.spec.Type + " to go on"
		if f == &c.reason {
			label = c.spec.Reason
		}
		if i == c.focus {
			cv.Text(0, i, theme.Accent, ">")
		}
		x := cv.Text(2, i, theme.Text, canvas.Cut(label, w/2, cv.Glyphs().Ellipsis)) + 2
		f.Draw(cv.Sub(canvas.Rect{X: x, Y: i, W: w - x, H: 1}), i == c.focus)
	}
}

func (c *Confirm) drawBottom(cv canvas.Canvas, at Moment) {
	w, h := cv.Size()
	note := func(st canvas.Style, s string) {
		cv.Text(2, h-2, st, canvas.Cut(s, w-2, cv.Glyphs().Ellipsis))
	}
	switch {
	case c.result != nil:
		drawButtons(cv, h-1, []button{{label: "Close"}}, 0)
		return
	case !c.sent.IsZero():
		note(theme.Warn, fmt.Sprintf("sent, no answer yet (%s); it cannot be done twice", widget.Age(at.Now.Sub(c.sent))))
		drawButtons(cv, h-1, c.buttons(at, "sent"), -1)
		return
	}
	if i := c.focus - c.cancelStop() - 1; i >= 0 {
		if why := c.dead(i, at); why != "" {
			note(theme.Warn, c.spec.Actions[i].Label+": "+why)
		}
	} else if at.NoSave != "" {
		note(theme.Warn, at.NoSave)
	}
	drawButtons(cv, h-1, c.buttons(at, ""), c.focus-c.cancelStop())
}

func (c *Confirm) buttons(at Moment, allDead string) []button {
	out := []button{{label: "Cancel", dead: allDead}}
	for i, a := range c.spec.Actions {
		b := button{label: a.Label, dead: c.dead(i, at)}
		if allDead != "" {
			b.dead = allDead
		}
		out = append(out, b)
	}
	return out
}

// line is one line of a dialog's text.
type line struct {
	style canvas.Style
	text  string
	label string
	col   int // where text begins after a label
}

func (c *Confirm) lines(width int) []line {
	var out []line
	add := func(st canvas.Style, paragraphs ...string) {
		for _, p := range paragraphs {
			for _, s := range widget.Wrap(p, width) {
				out = append(out, line{style: st, text: s})
			}
		}
	}
	if c.result != nil {
		add(theme.Bad, c.result.Text)
		add(theme.Text, c.result.Lines...)
		return out
	}
	add(theme.Text, c.spec.Intro...)
	if len(c.spec.Facts) > 0 {
		out = append(out, line{})
	}
	out = append(out, factLines(c.spec.Facts, width)...)
	if !c.spec.ReadAt.IsZero() {
		out = append(out, line{})
		add(theme.Muted, "Seen at "+c.spec.ReadAt.UTC().Format("15:04:05Z")+". Checked again in the database.")
	}
	return append(out, line{})
}

func factLines(facts []Fact, width int) []line {
	col := 0
	for _, f := range facts {
		col = max(col, canvas.Width(canvas.Clean(f.Label)))
	}
	col = min(col+2, width/2)
	var out []line
	for _, f := range facts {
		for i, s := range widget.Wrap(f.Text, width-col) {
			l := line{text: s, col: col}
			if i == 0 {
				l.label = f.Label
			}
			out = append(out, l)
		}
	}
	return out
}

// drawScrolled draws the lines from the scroll position and says when there are more.
func drawScrolled(c canvas.Canvas, lines []line, scroll *int) {
	w, h := c.Size()
	if h <= 0 {
		return
	}
	*scroll = max(0, min(*scroll, len(lines)-h))
	for y := 0; y < h && *scroll+y < len(lines); y++ {
		l := lines[*scroll+y]
		c.Fit(0, y, l.col, theme.Heading, l.label)
		c.Fit(l.col, y, w-l.col, l.style, l.text)
	}
	if *scroll+h < len(lines) {
		c.FitRight(0, h-1, w, theme.Muted, "more: pgdn")
	}
}
