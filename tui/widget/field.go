package widget

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/theme"
)

// Field is one line of text that a person edits. The editing is bubbles'
// textinput; drawing is ours, so that width, cleaning and colours are the
// canvas's, and whole characters are deleted where textinput would leave a
// broken piece of a flag or a family.
type Field struct {
	Hint string // shown while the field is empty: an example, not a label
	// Number leaves letters out, typed or pasted: a count has none, and whoever
	// presses one meant a verb. Signs and points are taken, so that what is not a
	// whole number is still seen and said, not made into another one.
	Number bool

	in textinput.Model
}

// maxFieldRunes bounds what can be typed or pasted into one field.
const maxFieldRunes = 400

// NewField returns a field with the cursor at the end of value.
func NewField(value, hint string) Field {
	in := textinput.New()
	in.CharLimit = maxFieldRunes
	// Its own styles follow a guess of the background and its own clipboard
	// needs a desktop; we use neither.
	in.Prompt = ""
	in.TextStyle, in.PromptStyle, in.PlaceholderStyle = in.TextStyle.UnsetForeground(), in.PromptStyle.UnsetForeground(), in.PlaceholderStyle.UnsetForeground()
	in.KeyMap.Paste = key.NewBinding(key.WithDisabled())
	in.KeyMap.NextSuggestion = key.NewBinding(key.WithDisabled())
	in.KeyMap.PrevSuggestion = key.NewBinding(key.WithDisabled())
	_ = in.Focus() // the command would blink the cursor
	in.SetValue(value)
	in.CursorEnd()
	return Field{Hint: hint, in: in}
}

// Value returns the text.
func (f *Field) Value() string { return f.in.Value() }

// Set replaces the text and puts the cursor at its end.
func (f *Field) Set(s string) {
	f.in.SetValue(s)
	f.in.CursorEnd()
}

// Key edits the text and reports whether it changed. Characters that would be
// shown in visible form (controls, text direction, zero width) are not accepted,
// typed or pasted.
func (f *Field) Key(k tea.KeyMsg) bool {
	before := f.in.Value()
	switch {
	case k.Type == tea.KeyRunes || k.Type == tea.KeySpace:
		k.Runes = acceptable(k.Runes)
		if f.Number {
			k.Runes = slices.DeleteFunc(k.Runes, unicode.IsLetter)
		}
		if len(k.Runes) == 0 {
			return false
		}
		f.in, _ = f.in.Update(k)
	case k.Type == tea.KeyBackspace && !k.Alt:
		f.erase(-f.charBefore())
	case k.Type == tea.KeyDelete && !k.Alt:
		f.erase(f.charAfter())
	case k.Type == tea.KeyLeft && !k.Alt:
		f.in.SetCursor(f.in.Position() - f.charBefore())
	case k.Type == tea.KeyRight && !k.Alt:
		f.in.SetCursor(f.in.Position() + f.charAfter())
	default:
		f.in, _ = f.in.Update(k)
	}
	return f.in.Value() != before
}

func acceptable(runes []rune) []rune {
	out := make([]rune, 0, len(runes))
	for _, r := range runes {
		if r == '\n' || r == '\t' {
			r = ' '
		}
		if s := string(r); r != utf8.RuneError && (unicode.Is(unicode.M, r) || canvas.Clean(s) == s) {
			out = append(out, r)
		}
	}
	return out
}

// charBefore returns how many runes the character left of the cursor has.
func (f *Field) charBefore() int {
	last := ""
	for char := range canvas.Characters(string([]rune(f.in.Value())[:f.in.Position()])) {
		last = char
	}
	return utf8.RuneCountInString(last)
}

// charAfter returns how many runes the character right of the cursor has.
func (f *Field) charAfter() int {
	for char := range canvas.Characters(string([]rune(f.in.Value())[f.in.Position():])) {
		return utf8.RuneCountInString(char)
	}
	return 0
}

// erase removes n runes right of the cursor, or -n left of it.
func (f *Field) erase(n int) {
	runes, pos := []rune(f.in.Value()), f.in.Position()
	from, to := min(pos, pos+n), max(pos, pos+n)
	f.in.SetValue(string(append(append([]rune(nil), runes[:from]...), runes[to:]...)))
	f.in.SetCursor(from)
}

// Draw draws the field as "[ text  ]" into the first row of c, scrolled so that
// the cursor is visible; focused shows the cursor.
func (f *Field) Draw(c canvas.Canvas, focused bool) {
	w, _ := c.Size()
	if w < 5 {
		return
	}
	st := theme.Field
	if focused {
		st = theme.FieldOn
	}
	c.Text(0, 0, theme.Rule, "[")
	c.Text(w-1, 0, theme.Rule, "]")
	room := w - 4
	c.Fill(canvas.Rect{X: 2, W: room, H: 1}, st, " ")

	value := f.in.Value()
	if value == "" && !focused {
		c.Text(2, 0, theme.Muted, canvas.Cut(f.Hint, room, c.Glyphs().Ellipsis))
		return
	}
	before := canvas.Clean(string([]rune(value)[:f.in.Position()]))
	for canvas.Width(before) >= room && before != "" { // keep the cursor's own cell
		for char := range canvas.Characters(before) {
			before = before[len(char):]
			break
		}
	}
	box := c.Sub(canvas.Rect{X: 2, W: room, H: 1})
	x := box.Text(0, 0, st, before)
	after := string([]rune(value)[f.in.Position():])
	box.Text(x, 0, st, after)
	if focused {
		width := 1
		for _, cw := range canvas.Characters(canvas.Clean(after)) {
			width = max(1, cw)
			break
		}
		box.Restyle(canvas.Rect{X: x, W: width, H: 1}, theme.Cursor)
	}
}
