package widget_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"holdfast/tui/canvas"
	"holdfast/tui/tuitest"
	"holdfast/tui/widget"
)

func press(f interface{ Key(tea.KeyMsg) bool }, names ...string) {
	for _, n := range names {
		f.Key(tuitest.Key(n))
	}
}

func TestField_Key(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, value string
		keys        []string
		want        string
	}{
		{"typing", "ab", []string{"c"}, "abc"},
		{"insideTheText", "ac", []string{"left", "b"}, "abc"},
		{"home", "bc", []string{"home", "a"}, "abc"},
		{"backspaceTakesAWholeFlag", "x🇩🇪", []string{"backspace"}, "x"},
		{"backspaceTakesAWholeAccent", "Cafe\u0301", []string{"backspace"}, "Caf"},
		{"deleteTakesAWholeFlag", "🇩🇪x", []string{"home", "delete"}, "x"},
		{"leftGoesOverAWholeFlag", "a🇩🇪", []string{"left", "b"}, "ab🇩🇪"},
		{"backspaceAtTheBeginning", "a", []string{"home", "backspace"}, "a"},
		{"deleteAtTheEnd", "a", []string{"delete"}, "a"},
		{"deleteToTheBeginning", "abc", []string{"ctrl+u", "x"}, "x"},
		{"clipboardOfTheDesktopIsNotAsked", "a", []string{"ctrl+v"}, "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := widget.NewField(tc.value, "")
			press(&f, tc.keys...)
			if got := f.Value(); got != tc.want {
				t.Errorf("the field holds %q, want %q", got, tc.want)
			}
		})
	}
}

func TestField_Key_RefusesWhatCannotBeShown(t *testing.T) {
	t.Parallel()

	f := widget.NewField("", "")
	f.Key(tea.KeyMsg{Type: tea.KeyRunes, Paste: true, Runes: []rune("a\x1b]52;c\x07\u202eb\u200b\nc\ufeffe\u0301")})
	if got, want := f.Value(), "a]52;cb ce\u0301"; got != want {
		t.Errorf("pasting gave %q, want %q", got, want)
	}
}

func TestField_Draw(t *testing.T) {
	t.Parallel()

	f := widget.NewField("winter layout", "why")
	if got, want := drawn(12, 1, func(c canvas.Canvas) { f.Draw(c, true) }), "[  layout  ]"; got != want {
		t.Errorf("the end is shown as %q, want %q", got, want)
	}
	f.Set("")
	if got, want := drawn(12, 1, func(c canvas.Canvas) { f.Draw(c, false) }), "[ why      ]"; got != want {
		t.Errorf("an empty field is %q, want its hint %q", got, want)
	}
}

func TestField_AnyKeysAtAnySize(t *testing.T) {
	t.Parallel()

	names := []string{"left", "right", "home", "end", "backspace", "delete", "ctrl+u", "ctrl+k", "ctrl+w", "up", "esc", "enter", "ctrl+n"}
	rapid.Check(t, func(t *rapid.T) {
		f := widget.NewField(rapid.String().Draw(t, "value"), "hint")
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "text") {
				f.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(rapid.String().Draw(t, "typed"))})
			} else {
				f.Key(tuitest.Key(rapid.SampledFrom(names).Draw(t, "key")))
			}
			w := rapid.IntRange(0, 30).Draw(t, "w")
			got := drawn(w, 1, func(c canvas.Canvas) { f.Draw(c, true) })
			if canvas.Width(got) != w {
				t.Fatalf("%q is not %d cells wide", got, w)
			}
		}
	})
}

func newForm() widget.Form {
	return widget.NewForm(
		widget.TextInput("capacity", "Capacity", "", "=N set"),
		widget.TextInput("overbook", "Overbook", "3", ""),
		widget.ChoiceInput("state", "State", "keep", "open", "closed", "keep"),
	)
}

func TestForm(t *testing.T) {
	t.Parallel()

	f := newForm()
	press(&f, "1", "4", "0", "tab", "backspace", "5", "down", "right")
	if got := f.Values(); got["capacity"] != "140" || got["overbook"] != "5" || got["state"] != "open" {
		t.Errorf("the form holds %v", got)
	}
	press(&f, "left", "space", "tab")
	if f.Focus() != "capacity" {
		t.Errorf("after the last input the focus is on %q, want the first", f.Focus())
	}
	rest := f.Problems(map[string]string{"overbook": "is not a number", "version": "is old"})
	if f.Focus() != "overbook" || rest["version"] != "is old" || len(rest) != 1 {
		t.Errorf("problems: focus %q, rest %v", f.Focus(), rest)
	}
	if got := drawn(50, f.Height(), func(c canvas.Canvas) { f.Draw(c, true) }); !strings.Contains(got, "! is not a number") || !strings.Contains(got, ">") {
		t.Errorf("the problem or the focus is not shown:\n%s", got)
	}
	press(&f, "9")
	if strings.Contains(drawn(50, 5, func(c canvas.Canvas) { f.Draw(c, true) }), "not a number") {
		t.Error("the problem stays while the value is being corrected")
	}
}

func TestForm_FocusIsVisibleHoweverLowTheScreen(t *testing.T) {
	t.Parallel()

	for h := 1; h < 5; h++ {
		f := newForm()
		for range f.Inputs {
			if got := drawn(40, h, func(c canvas.Canvas) { f.Draw(c, true) }); !strings.Contains(got, ">") {
				t.Errorf("in %d rows the focused %s is not visible:\n%s", h, f.Focus(), got)
			}
			f.Next(false)
		}
	}
}

func TestPicker(t *testing.T) {
	t.Parallel()

	zones := []string{"Europe/Berlin", "Europe/Busingen", "America/New_York", "Asia/Kolkata"}
	p := widget.NewPicker(zones, func(s string) string { return s }, func(s string, _ int) (label, remark widget.Cell) {
		return widget.Cell{Text: s}, widget.Cell{Text: "+01:00"}
	})
	for _, k := range []string{"e", "u", "space", "B", "down"} {
		p.Key(tuitest.Key(k))
	}
	if got, ok := p.Selected(); !ok || got != "Europe/Busingen" {
		t.Errorf("picked %q, want Europe/Busingen", got)
	}
	p.SetSearch("nothing like it")
	for _, k := range []string{"down", "up", "pgdown"} {
		p.Key(tuitest.Key(k))
	}
	if got, ok := p.Selected(); ok {
		t.Errorf("picked %q where nothing matches", got)
	}
	for h := range 5 {
		drawn(20, h, func(c canvas.Canvas) { p.Draw(c, true) })
	}
}

func TestField_NumberTakesNoLetters(t *testing.T) {
	t.Parallel()

	f := widget.NewField("", "")
	f.Number = true
	press(&f, "1", "4", "0", "u")
	if got := f.Value(); got != "140" {
		t.Errorf("typed 140u, the field has %q, want 140", got)
	}
	f.Key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("5 places"), Paste: true})
	if got := f.Value(); got != "1405 " {
		t.Errorf("pasted 5 places, the field has %q, want 1405", got)
	}
	f.Set("")
	press(&f, "+", "1", "0", ".", "5")
	if got := f.Value(); got != "+10.5" {
		t.Errorf("the field has %q, want +10.5: what is wrong must be seen, not made into another number", got)
	}
}
