package dialog

import (
	"fmt"
	"maps"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
	"holdfast/tui/widget"
)

// FormSpec describes a dialog of input fields.
type FormSpec struct {
	Title  string
	Intro  []string
	Inputs []widget.Input
	Submit string // label of the button
	Reads  bool   // submitting changes nothing, so it is possible while offline

	// Check says what is wrong with the values, by input; "" as the name is for
	// what belongs to none. It runs before every submit, and must not do I/O.
	// It may be nil.
	Check func(values map[string]string) map[string]string
	// Then makes the message for the screen from values that Check let through.
	Then func(values map[string]string) tea.Msg
}

// Form asks for values. Enter goes from field to field and at the last to the
// buttons, where the focus is on Cancel; ctrl+s submits from anywhere. What was
// typed stays until the database has taken it or the person cancels.
type Form struct {
	spec    FormSpec
	form    widget.Form
	button  int // 0: in the fields, 1: Cancel, 2: submit
	sent    time.Time
	problem string
}

// NewForm returns a form with the focus on its first field.
func NewForm(s FormSpec) *Form { return &Form{spec: s, form: widget.NewForm(s.Inputs...)} }

// Typing reports that a field has the focus.
func (f *Form) Typing() bool { return f.sent.IsZero() && f.button == 0 }

// Keys is the footer of a form.
func (f *Form) Keys() keys.Table {
	return keys.Table{
		{Verb: "focus", Keys: []string{"tab"}, Help: "next", Priority: 50},
		{Verb: "submit", Keys: []string{"ctrl+s"}, Help: f.spec.Submit, Priority: 60},
		{Verb: keys.Back, Keys: []string{"esc"}, Help: "cancel", Priority: 70},
	}
}

// Key edits, moves, submits or cancels.
func (f *Form) Key(k tea.KeyMsg, at Moment) Reply {
	if !f.sent.IsZero() {
		return Reply{Close: k.Type == tea.KeyEsc}
	}
	switch k.Type {
	case tea.KeyEsc:
		return Reply{Close: true}
	case tea.KeyCtrlS:
		return f.submit(at)
	case tea.KeyTab, tea.KeyDown:
		f.move(false)
	case tea.KeyShiftTab, tea.KeyUp:
		f.move(true)
	case tea.KeyEnter:
		switch f.button {
		case 0:
			f.move(false)
		case 1:
			return Reply{Close: true}
		default:
			return f.submit(at)
		}
	case tea.KeyLeft, tea.KeyRight:
		if f.button > 0 {
			f.button = 3 - f.button
			break
		}
		f.form.Key(k)
	default:
		if f.button == 0 {
			f.form.Key(k)
		}
	}
	return Reply{}
}

// move goes round: the fields, Cancel, submit, and to the first field again.
func (f *Form) move(back bool) {
	const last = 2
	switch {
	case f.button == 0:
		if f.form.Next(back) {
			f.button = 1
			if back {
				f.button = last
			}
		}
	case back:
		if f.button--; f.button == 0 && len(f.form.Inputs) > 0 {
			f.form.FocusOn(f.form.Inputs[len(f.form.Inputs)-1].Name)
		}
	default:
		if f.button = (f.button + 1) % (last + 1); f.button == 0 && len(f.form.Inputs) > 0 {
			f.form.FocusOn(f.form.Inputs[0].Name)
		}
	}
}

func (f *Form) submit(at Moment) Reply {
	if at.NoSave != "" && !f.spec.Reads {
		f.problem = at.NoSave
		return Reply{}
	}
	f.problem = ""
	if f.spec.Check != nil {
		if wrong := f.spec.Check(f.form.Values()); len(wrong) > 0 {
			f.refuse(wrong)
			return Reply{}
		}
	}
	f.sent = at.Now
	return Reply{Msg: f.spec.Then(f.form.Values())}
}

// refuse marks the fields that are wrong and goes to the first of them.
func (f *Form) refuse(wrong map[string]string) {
	rest := f.form.Problems(wrong)
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		f.problem = rest[name]
	}
	f.button = 0
}

// Settle closes the form when the database took the values; otherwise the values
// stay, with what was wrong, to be corrected or cancelled.
func (f *Form) Settle(o Outcome) bool {
	if o.OK {
		return true
	}
	f.sent = time.Time{}
	f.problem = o.Text
	f.form.Problems(o.Problems)
	f.button = 0
	return false
}

// Size asks for the height that the fields need.
func (f *Form) Size(w, h int) (int, int) {
	w = min(w, confirmWidth)
	const frame, tail, room = 2, 3, 2 // room for problems, so that the box does not jump
	return w, min(h, len(f.intro(w-6))+len(f.form.Inputs)+frame+tail+room)
}

func (f *Form) intro(width int) []line {
	return append(wrapAll(f.spec.Intro, width, theme.Text), line{})
}

// Draw draws the fields and the buttons; on a low screen the introduction goes
// first, then the fields far from the focus.
func (f *Form) Draw(c canvas.Canvas, at Moment) {
	in := c.Border(theme.Dialog, f.spec.Title, theme.Dialog)
	area := in.Bounds().Inset(2, 0)
	bottom, area := area.Bottom(min(2, area.H))
	intro := f.intro(area.W)
	top, area := area.Top(min(len(intro), max(0, area.H-f.form.Height())))
	unmoved := 0
	drawScrolled(in.Sub(top), intro, &unmoved)
	f.form.Draw(in.Sub(area), f.Typing())

	cv := in.Sub(bottom)
	w, _ := cv.Size()
	dead := ""
	switch {
	case !f.sent.IsZero():
		dead = "sent"
		cv.Fit(0, 0, w, theme.Warn, fmt.Sprintf("sent, no answer yet (%s); it cannot be done twice", widget.Age(at.Now.Sub(f.sent))))
	case f.problem != "":
		cv.Fit(0, 0, w, theme.Bad, "! "+f.problem)
	case at.NoSave != "" && !f.spec.Reads:
		dead = at.NoSave
		cv.Fit(0, 0, w, theme.Warn, at.NoSave)
	}
	drawButtons(cv, bottom.H-1, []button{{label: "Cancel"}, {label: f.spec.Submit, dead: dead}}, f.button-1)
}
