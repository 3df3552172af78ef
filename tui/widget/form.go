package widget

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// Input is one line of a form: a text field, or a choice when Choices is set.
type Input struct {
	Name    string // how the screen asks for the value
	Label   string
	Note    string // how the value is meant, right of the field
	Choices []string
	Field   Field
	Problem string // what is wrong with the value; shown below it in words

	choice int
}

// TextInput returns a text line.
func TextInput(name, label, value, hint string) Input {
	return Input{Name: name, Label: label, Field: NewField(value, hint)}
}

// NumberInput returns a text line that takes no letters.
func NumberInput(name, label, value, hint string) Input {
	in := TextInput(name, label, value, hint)
	in.Field.Number = true
	return in
}

// ChoiceInput returns a line with one of several words, drawn as "(x) open ( ) closed".
func ChoiceInput(name, label, value string, choices ...string) Input {
	in := Input{Name: name, Label: label, Choices: choices}
	in.set(value)
	return in
}

// Value returns the text or the chosen word.
func (in *Input) Value() string {
	if len(in.Choices) == 0 {
		return in.Field.Value()
	}
	return in.Choices[in.choice]
}

func (in *Input) set(value string) {
	if len(in.Choices) == 0 {
		in.Field.Set(value)
		return
	}
	for i, c := range in.Choices {
		if c == value {
			in.choice = i
		}
	}
}

// Form is a column of inputs, one of which has the focus.
type Form struct {
	Inputs []Input
	focus  int
}

// NewForm returns a form with the focus on its first input.
func NewForm(inputs ...Input) Form { return Form{Inputs: inputs} }

// Value returns the value of the named input, and "" if there is none.
func (f *Form) Value(name string) string {
	for i := range f.Inputs {
		if f.Inputs[i].Name == name {
			return f.Inputs[i].Value()
		}
	}
	return ""
}

// Values returns all values by name.
func (f *Form) Values() map[string]string {
	out := make(map[string]string, len(f.Inputs))
	for i := range f.Inputs {
		out[f.Inputs[i].Name] = f.Inputs[i].Value()
	}
	return out
}

// Set gives the named input a value.
func (f *Form) Set(name, value string) {
	for i := range f.Inputs {
		if f.Inputs[i].Name == name {
			f.Inputs[i].set(value)
		}
	}
}

// Problems marks the named inputs as wrong and clears all others; the focus
// goes to the first wrong one. It returns the problems that belong to no input.
func (f *Form) Problems(byName map[string]string) map[string]string {
	rest := map[string]string{}
	for name, p := range byName {
		rest[name] = p
	}
	first := -1
	for i := range f.Inputs {
		p := byName[f.Inputs[i].Name]
		f.Inputs[i].Problem = p
		delete(rest, f.Inputs[i].Name)
		if p != "" && first < 0 {
			first = i
		}
	}
	if first >= 0 {
		f.focus = first
	}
	return rest
}

// Focus returns the name of the input with the focus.
func (f *Form) Focus() string {
	if f.focus >= len(f.Inputs) {
		return ""
	}
	return f.Inputs[f.focus].Name
}

// FocusOn moves the focus to the named input.
func (f *Form) FocusOn(name string) {
	for i := range f.Inputs {
		if f.Inputs[i].Name == name {
			f.focus = i
		}
	}
}

// Next moves the focus by one, forwards or back, and reports whether it left
// the form (the caller then focuses what lies beyond; the form wraps round).
func (f *Form) Next(back bool) (left bool) {
	n := len(f.Inputs)
	if n == 0 {
		return true
	}
	if back {
		f.focus--
	} else {
		f.focus++
	}
	left = f.focus < 0 || f.focus >= n
	f.focus = (f.focus + n) % n
	return left
}

// Key edits the focused input or moves the focus, and reports whether a value
// changed. Enter and esc are the caller's.
func (f *Form) Key(k tea.KeyMsg) (changed bool) {
	switch k.Type {
	case tea.KeyTab, tea.KeyDown:
		f.Next(false)
		return false
	case tea.KeyShiftTab, tea.KeyUp:
		f.Next(true)
		return false
	case tea.KeyEnter, tea.KeyEsc:
		return false
	default: // for the input
	}
	if f.focus >= len(f.Inputs) {
		return false
	}
	in := &f.Inputs[f.focus]
	if len(in.Choices) == 0 {
		if changed = in.Field.Key(k); changed {
			in.Problem = ""
		}
		return changed
	}
	n := len(in.Choices)
	switch k.Type {
	case tea.KeyLeft:
		in.choice = (in.choice + n - 1) % n
	case tea.KeyRight, tea.KeySpace:
		in.choice = (in.choice + 1) % n
	default:
		return false
	}
	in.Problem = ""
	return true
}

// Height returns the rows that Draw needs.
func (f *Form) Height() int {
	h := len(f.Inputs)
	for i := range f.Inputs {
		if f.Inputs[i].Problem != "" {
			h++
		}
	}
	return h
}

// Draw draws the inputs from the top of c; active says that the form, and not
// something beside it, has the focus. When c is too low, the inputs round the
// focused one are drawn.
func (f *Form) Draw(c canvas.Canvas, active bool) {
	w, h := c.Size()
	label := 0
	for i := range f.Inputs {
		label = max(label, canvas.Width(f.Inputs[i].Label))
	}
	label = min(label+2, w/3)
	y := min(0, h-f.rowOf(f.focus)-min(h, f.rowOf(f.focus+1)-f.rowOf(f.focus)))
	for i := range f.Inputs {
		in := &f.Inputs[i]
		on := active && i == f.focus
		if on {
			c.Text(0, y, theme.Accent, ">")
		}
		c.Fit(2, y, label, theme.Text, in.Label)
		f.drawValue(c.Sub(canvas.Rect{X: 2 + label, Y: y, W: w - 2 - label, H: 1}), in, on)
		if y++; in.Problem != "" {
			c.Text(2+label, y, theme.Bad, canvas.Cut("! "+in.Problem, w-2-label, c.Glyphs().Ellipsis))
			y++
		}
	}
}

func (f *Form) rowOf(i int) int {
	y := 0
	for j := range min(i, len(f.Inputs)) {
		if y++; f.Inputs[j].Problem != "" {
			y++
		}
	}
	return y
}

func (f *Form) drawValue(c canvas.Canvas, in *Input, on bool) {
	w, _ := c.Size()
	if len(in.Choices) > 0 {
		x := 0
		for i, word := range in.Choices {
			mark, st := "( ) ", theme.Text
			if i == in.choice {
				mark = "(x) "
				if on {
					st = theme.FieldOn
				}
			}
			x = c.Text(x, 0, st, mark+word) + 1
		}
		c.Text(x+1, 0, theme.Muted, in.Note)
		return
	}
	room := w
	if in.Note != "" {
		room = max(w-canvas.Width(in.Note)-2, w/2)
		c.Text(room+2, 0, theme.Muted, canvas.Cut(in.Note, w-room-2, c.Glyphs().Ellipsis))
	}
	in.Field.Draw(c.Sub(canvas.Rect{W: min(room, maxFieldCells), H: 1}), on)
}

// maxFieldCells keeps short values from sitting in fields as wide as a wall.
const maxFieldCells = 60
