package keys_test

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"holdfast/tui/keys"
)

func rune1(r rune) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}} }

func TestTables_DoNotClash(t *testing.T) {
	t.Parallel()

	var standard keys.Table
	for _, v := range []keys.Verb{
		keys.Open, keys.Mark, keys.Range, keys.MarkAll, keys.Filter, keys.Sort, keys.Copy, keys.Export, keys.Edit,
		keys.PutBack, keys.Find, keys.Release, keys.Revive, keys.Refund, keys.RunNow,
	} {
		standard = append(standard, keys.Standard(v))
	}
	all := []keys.Table{keys.Global(), keys.Fallback(), keys.Move(), keys.Sideways(), keys.Months(), standard}
	for _, fault := range keys.Faults(all...) {
		t.Error(fault)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name string
		b    keys.Binding
		want string
	}{
		{"clash", keys.Binding{Verb: "mine", Keys: []string{"r"}, Help: "x"}, `key "r" is both "fresh" and "mine"`},
		{"ctrlI", keys.Binding{Verb: "mine", Keys: []string{"ctrl+i"}, Help: "x"}, "terminals send the same"},
		{"ctrlM", keys.Binding{Verb: "mine", Keys: []string{"ctrl+m"}, Help: "x"}, "terminals send the same"},
		{"harmOnSmallLetter", keys.Binding{Verb: "mine", Keys: []string{"d"}, Help: "x", Level: keys.Confirm}, "capital letter"},
		{"harmOnEnter", keys.Binding{Verb: "mine", Keys: []string{"enter"}, Help: "x", Level: keys.Typed}, "common key"},
		{"backspace", keys.Binding{Verb: "mine", Keys: []string{"backspace"}, Help: "x"}, "never a verb"},
		{"noHelp", keys.Binding{Verb: "mine", Keys: []string{"w"}}, "needs a verb, a key and a help text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			faults := keys.Faults(keys.Table{tc.b}, keys.Global())
			if tc.name == "clash" {
				faults = keys.Faults(keys.Global(), keys.Table{tc.b})
			}
			if len(faults) != 1 || !strings.Contains(faults[0], tc.want) {
				t.Errorf("Faults = %q, want one with %q", faults, tc.want)
			}
		})
	}
}

func TestTable_Match(t *testing.T) {
	t.Parallel()

	if b, ok := keys.Global().Match(rune1('?')); !ok || b.Verb != keys.Help {
		t.Errorf("? is %q, want help", b.Verb)
	}
	if b, ok := keys.Move().Match(tea.KeyMsg{Type: tea.KeyDown}); !ok || b.Verb != keys.Down {
		t.Errorf("the down arrow is %q, want down", b.Verb)
	}
	space := keys.Table{keys.Standard(keys.Mark)}
	if _, ok := space.Match(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}}); !ok {
		t.Error("the space bar is not the space key")
	}
	pasted := rune1('?')
	pasted.Paste = true
	if b, ok := keys.Global().Match(pasted); ok {
		t.Errorf("pasted text is %q, want no verb", b.Verb)
	}
}

func TestTable_Remap(t *testing.T) {
	t.Parallel()

	remapped := keys.Global().Remap(map[keys.Verb][]string{keys.Fresh: {"f5"}, "unknown": {"x"}})
	if _, ok := remapped.Match(rune1('r')); ok {
		t.Error("the old key still works")
	}
	if b, ok := remapped.Match(tea.KeyMsg{Type: tea.KeyF5}); !ok || b.Verb != keys.Fresh {
		t.Error("the new key does not work")
	}
	if b, _ := keys.Global().Find(keys.Fresh); !slices.Equal(b.Keys, []string{"r"}) {
		t.Error("remapping changed the original")
	}
}

func TestBinding_If(t *testing.T) {
	t.Parallel()

	b := keys.Standard(keys.Revive).If(true, "no").If(false, "no room").If(false, "later reason")
	if b.Disabled != "no room" {
		t.Errorf("Disabled = %q, want the first reason", b.Disabled)
	}
}

func TestFooter_AlwaysEndsWithTheHelpKey(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		width, rows := rapid.IntRange(6, 200).Draw(t, "width"), rapid.IntRange(1, 3).Draw(t, "rows")
		var own keys.Table
		for range rapid.IntRange(0, 20).Draw(t, "bindings") {
			own = append(own, keys.Binding{
				Verb: keys.Verb(rapid.StringMatching("[a-z]{1,8}").Draw(t, "verb")), Keys: []string{"x"},
				Help: rapid.StringMatching("[a-z]{1,12}").Draw(t, "help"), Priority: rapid.IntRange(0, 90).Draw(t, "priority"),
			})
		}
		lines := keys.Footer(width, rows, own, keys.Global())
		if len(lines) > rows {
			t.Fatalf("%d lines, want at most %d", len(lines), rows)
		}
		last := lines[len(lines)-1]
		if len(last) == 0 || last[len(last)-1].Verb != keys.Help {
			t.Fatalf("the last hint of %v is not the help key", lines)
		}
		for _, line := range lines {
			used := -2
			for _, h := range line {
				used += 2 + h.Width()
			}
			if used > width {
				t.Fatalf("a line takes %d of %d cells: %v", used, width, line)
			}
		}
	})
}

func TestFooter_DropsTheLeastImportantFirst(t *testing.T) {
	t.Parallel()

	own := keys.Table{
		{Verb: "rare", Keys: []string{"w"}, Help: "something rare", Priority: 1},
		{Verb: "often", Keys: []string{"e"}, Help: "edit", Priority: 90},
	}
	var verbs []keys.Verb
	for _, line := range keys.Footer(20, 1, own, keys.Global()) {
		for _, h := range line {
			verbs = append(verbs, h.Verb)
		}
	}
	if !slices.Contains(verbs, "often") || slices.Contains(verbs, "rare") {
		t.Errorf("in 20 cells the footer shows %v", verbs)
	}
}
