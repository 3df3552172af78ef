package dialog_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"

	"holdfast/tui/canvas"
	"holdfast/tui/dialog"
	"holdfast/tui/keys"
	"holdfast/tui/tuitest"
	"holdfast/tui/widget"
)

const owner = 7

var noon = time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)

// desk is a stack with one dialog on it and a person in front of it.
type desk struct {
	stack dialog.Stack
	now   time.Time
	save  string // why saving is off
	got   []tea.Msg
}

func open(d dialog.Dialog) *desk {
	k := &desk{now: noon}
	k.stack.Push(d, owner, k.now)
	k.now = k.now.Add(dialog.Grace)
	return k
}

func (k *desk) press(names ...string) {
	for _, n := range names {
		k.key(tuitest.Key(n))
	}
}

func (k *desk) key(m tea.KeyMsg) {
	if _, msg := k.stack.Key(m, k.at()); msg != nil {
		k.got = append(k.got, msg)
	}
}

func (k *desk) at() dialog.Moment { return dialog.Moment{Now: k.now, Database: k.now, NoSave: k.save} }

func (k *desk) view(t interface {
	Helper()
	Errorf(string, ...any)
}, w, h int,
) string {
	t.Helper()
	c := canvas.New(w, h, canvas.GlyphSet(true))
	k.stack.Draw(c, k.at())
	view := c.Render(nil, canvas.Plain)
	for _, line := range strings.Split(view, "\n") {
		if h > 0 && canvas.Width(line) != w {
			t.Errorf("a line is not %d wide: %q", w, line)
		}
	}
	return view
}

func confirm(change func(*dialog.Spec)) *dialog.Confirm {
	s := dialog.Spec{
		Title:  "REVIVE ONE BOOKING",
		Intro:  []string{"Gala, seats D-07 and D-08, for u-2077."},
		Facts:  []dialog.Fact{{"What happens", "D-07, D-08 free -> BOOKED"}, {"What cannot happen", "a second revive"}},
		ReadAt: noon, Reason: "Reason",
		Actions: []dialog.Action{{Name: "refund", Label: "Refund instead"}, {Name: "revive", Label: "Revive"}},
		Then:    func(c dialog.Choice) tea.Msg { return c },
	}
	if change != nil {
		change(&s)
	}
	return dialog.NewConfirm(s)
}

func TestConfirm_EnterOnAFreshDialogDoesNothing(t *testing.T) {
	t.Parallel()

	k := open(confirm(nil))
	k.press("enter")
	if len(k.got) != 0 || !k.stack.Empty() {
		t.Errorf("Enter answered %v; open %v", k.got, !k.stack.Empty())
	}
}

func TestConfirm_IgnoresKeysWhileFresh(t *testing.T) {
	t.Parallel()

	k := open(confirm(nil))
	k.now = noon.Add(dialog.Grace - time.Millisecond)
	k.press("tab", "tab", "enter", "esc")
	if len(k.got) != 0 || k.stack.Empty() {
		t.Errorf("typed ahead answered %v; open %v", k.got, !k.stack.Empty())
	}
	k.now = noon.Add(dialog.Grace)
	k.press("tab", "enter")
	if len(k.got) != 1 {
		t.Error("after the grace the dialog still ignores keys")
	}
}

func TestConfirm_OpeningKeyIsNotTheConfirmingKey(t *testing.T) {
	t.Parallel()

	k := open(confirm(nil))
	k.press("R", "R", "R", "M", "y")
	if len(k.got) != 0 || k.stack.Empty() {
		t.Errorf("letters answered %v", k.got)
	}
}

func TestConfirm_ReasonAndAction(t *testing.T) {
	t.Parallel()

	k := open(confirm(nil))
	k.press("shift+tab", "h", "i", "enter")
	k.view(t, 80, 22)
	k.press("tab", "tab", "enter")
	want := dialog.Choice{Action: "revive", Reason: "hi"}
	if len(k.got) != 1 || k.got[0] != want {
		t.Errorf("answered %v, want %v", k.got, want)
	}
}

func TestConfirm_ButtonIsDeadAfterTheFirstPress(t *testing.T) {
	t.Parallel()

	k := open(confirm(nil))
	k.press("tab", "enter", "enter", "enter", "tab", "enter", "space")
	if len(k.got) != 1 {
		t.Errorf("five presses answered %d times", len(k.got))
	}
	if view := k.view(t, 80, 22); !strings.Contains(view, "cannot be done twice") {
		t.Errorf("the dialog does not say that it waits:\n%s", view)
	}
}

func TestConfirm_ShowsTheAnswerOfTheDatabase(t *testing.T) {
	t.Parallel()

	t.Run("done", func(t *testing.T) {
		t.Parallel()
		k := open(confirm(nil))
		k.press("tab", "enter")
		if closed, taken := k.stack.Settle(owner, dialog.Outcome{OK: true}); !closed || !taken || !k.stack.Empty() {
			t.Error("a good answer does not close the dialog")
		}
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		k := open(confirm(nil))
		k.press("tab", "enter")
		k.stack.Settle(owner, dialog.Outcome{Text: "D-07 was taken at 12:38:10", Lines: []string{"Nothing changed."}})
		view := k.view(t, 80, 22)
		if !strings.Contains(view, "D-07 was taken") || !strings.Contains(view, "Nothing changed.") {
			t.Errorf("the refusal is not shown:\n%s", view)
		}
		k.press("tab", "tab")
		if len(k.got) != 1 {
			t.Error("a refused action could be asked for again")
		}
		k.press("enter")
		if !k.stack.Empty() {
			t.Error("Enter does not close what has been read")
		}
	})
	t.Run("again", func(t *testing.T) {
		t.Parallel()
		k := open(confirm(nil))
		k.press("tab", "enter")
		k.stack.Settle(owner, dialog.Outcome{Text: "the database is busy", Again: true})
		k.stack.Settle(owner, dialog.Outcome{Text: "the database is busy", Again: true})
		if n := strings.Count(k.view(t, 80, 22), "busy"); n != 1 {
			t.Errorf("the last answer is shown %d times", n)
		}
		k.press("enter")
		if len(k.got) != 1 || !k.stack.Empty() {
			t.Error("the focus is not on Cancel again")
		}
	})
	t.Run("ofSomebodyElse", func(t *testing.T) {
		t.Parallel()
		k := open(confirm(nil))
		if _, taken := k.stack.Settle(owner+1, dialog.Outcome{OK: true}); taken || k.stack.Empty() {
			t.Error("another screen's answer closed the dialog")
		}
	})
}

func TestConfirm_DeadActions(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name   string
		change func(*dialog.Spec)
		before []string
		save   string
		wait   time.Duration
		why    string
	}{
		{"typedNotYet", func(s *dialog.Spec) { s.Type, s.Reason = "37", "" }, []string{"shift+tab", "3", "tab"}, "", 0, "not yet"},
		{"numbersTooOld", func(s *dialog.Spec) { s.MaxAge = 30 * time.Second }, nil, "", 31 * time.Second, "older than 30s"},
		{"offline", nil, nil, "offline: saving is off", 0, "saving is off"},
		{"reasonMissing", func(s *dialog.Spec) { s.Reasons = true }, nil, "", 0, "a reason is needed"},
		{"neverPossible", func(s *dialog.Spec) { s.Actions[0].Dead = "no room" }, nil, "", 0, "no room"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			k := open(confirm(tc.change))
			k.press(tc.before...)
			k.save, k.now = tc.save, k.now.Add(tc.wait)
			k.press("tab", "enter")
			if len(k.got) != 0 {
				t.Errorf("a dead button answered %v", k.got)
			}
			if view := k.view(t, 80, 22); !strings.Contains(view, tc.why) {
				t.Errorf("the reason %q is not shown:\n%s", tc.why, view)
			}
		})
	}
}

func TestConfirm_TypedWordOpensTheButton(t *testing.T) {
	t.Parallel()

	k := open(confirm(func(s *dialog.Spec) { s.Type, s.Reason = "37", "" }))
	k.press("shift+tab", "3", "7", "tab", "tab", "enter")
	if len(k.got) != 1 {
		t.Error("the typed word does not open the button")
	}
}

func TestStack_PastedTextGoesIntoFieldsOnly(t *testing.T) {
	t.Parallel()

	k := open(confirm(nil))
	paste := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("from the clipboard"), Paste: true}
	k.key(paste)
	k.press("shift+tab")
	k.key(paste)
	k.press("tab", "tab", "enter")
	want := dialog.Choice{Action: "refund", Reason: "from the clipboard"}
	if len(k.got) != 1 || k.got[0] != want {
		t.Errorf("answered %v, want %v", k.got, want)
	}
}

type values map[string]string

func form() *dialog.Form {
	return dialog.NewForm(dialog.FormSpec{
		Title: "EDIT", Intro: []string{"Main floor"}, Submit: "Check",
		Inputs: []widget.Input{widget.TextInput("capacity", "Capacity", "", "=N"), widget.ChoiceInput("state", "State", "keep", "open", "keep")},
		Check: func(v map[string]string) map[string]string {
			if v["capacity"] == "10.5" {
				return map[string]string{"capacity": "is not a whole number"}
			}
			return nil
		},
		Then: func(v map[string]string) tea.Msg { return values(v) },
	})
}

func TestForm(t *testing.T) {
	t.Parallel()

	k := open(form())
	k.press("1", "0", ".", "5", "ctrl+s")
	if view := k.view(t, 80, 22); len(k.got) != 0 || !strings.Contains(view, "! is not a whole number") {
		t.Errorf("answered %v:\n%s", k.got, view)
	}
	k.press("backspace", "backspace", "enter", "left", "ctrl+s", "ctrl+s")
	if len(k.got) != 1 || k.got[0].(values)["capacity"] != "10" || k.got[0].(values)["state"] != "open" {
		t.Errorf("answered %v", k.got)
	}
	k.stack.Settle(owner, dialog.Outcome{Text: "refused", Problems: map[string]string{"capacity": "is below what is taken"}})
	if view := k.view(t, 80, 22); !strings.Contains(view, "below what is taken") || !strings.Contains(view, "10") {
		t.Errorf("what was typed or what was wrong is gone:\n%s", view)
	}
	k.press("2", "ctrl+s")
	if len(k.got) != 2 || k.got[1].(values)["capacity"] != "102" {
		t.Errorf("after a refusal answered %v", k.got)
	}
}

func TestForm_EnterGoesToCancelNotToSubmit(t *testing.T) {
	t.Parallel()

	k := open(form())
	k.press("enter", "enter", "enter")
	if len(k.got) != 0 || !k.stack.Empty() {
		t.Errorf("Enter all the way answered %v", k.got)
	}
	k = open(form())
	k.press("tab", "tab", "shift+tab", "left", "tab", "tab", "enter")
	if len(k.got) != 1 || k.got[0].(values)["state"] != "open" {
		t.Errorf("going back from Cancel does not reach the last field: %v", k.got)
	}
}

func TestForm_OfflineKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()

	k := open(form())
	k.press("7")
	k.save = "offline: saving is off"
	k.press("ctrl+s")
	if len(k.got) != 0 || !strings.Contains(k.view(t, 80, 22), "offline") {
		t.Error("an offline form was submitted, or does not say why not")
	}
	k.save = ""
	k.press("ctrl+s")
	if len(k.got) != 1 || k.got[0].(values)["capacity"] != "7" {
		t.Errorf("after coming back answered %v", k.got)
	}
}

func conflict() *dialog.Conflict {
	return dialog.NewConflict(dialog.ConflictSpec{
		Intro: []string{"Fri 2026-12-11, Main floor. You began at v9; jan saved v10 40 s ago.", "Nothing of yours has been saved. Your input is kept."},
		Base:  "at v9 (you saw)", Theirs: "jan, v10", Who: "jan",
		Fields: []dialog.Three{
			{"capacity", "120", "130", "140"}, {"overbook", "3", "3", "3"}, {"reason", "-", "stage", "-"}, {"stop_sell", "no", "no", "yes"},
		},
		Now:  []string{"Now: taken 126. With yours on v10: left 17."},
		Then: func(r dialog.Resolution) tea.Msg { return r },
	})
}

func TestConflict(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name string
		keys []string
		way  dialog.Way
		cap  string
	}{
		{"enterDropsNothing", []string{"enter"}, dialog.EditAgain, "140"},
		{"escDropsNothing", []string{"esc"}, dialog.EditAgain, "140"},
		{"keepTheirs", []string{"tab", "enter"}, dialog.KeepTheirs, "140"},
		{"putMine", []string{"tab", "tab", "enter"}, dialog.PutMine, "140"},
		{"oneFieldTheirs", []string{"space", "tab", "tab", "enter"}, dialog.PutMine, "130"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			k := open(conflict())
			k.press(tc.keys...)
			if len(k.got) != 1 {
				t.Fatalf("answered %v", k.got)
			}
			r := k.got[0].(dialog.Resolution)
			if r.Way != tc.way || r.Values["capacity"] != tc.cap {
				t.Errorf("answered %+v, want %s with %s", r, tc.way, tc.cap)
			}
			if r.Values["reason"] != "stage" || r.Values["stop_sell"] != "yes" || r.Values["overbook"] != "3" {
				t.Errorf("fields that do not clash were not merged: %v", r.Values)
			}
		})
	}
	t.Run("shown", func(t *testing.T) {
		t.Parallel()
		view := open(conflict()).view(t, 80, 22)
		for _, s := range []string{"SOMEONE ELSE SAVED FIRST", "jan, v10", "CLASH: yours", "merged", "Keep jan's", "140 *"} {
			if !strings.Contains(view, s) {
				t.Errorf("%q is not shown:\n%s", s, view)
			}
		}
	})
}

// Whatever is pressed on whatever screen: no panic, exact pictures, at most one
// answer until it is settled.
func TestDialogs_AnyKeysAtAnySize(t *testing.T) {
	t.Parallel()

	names := []string{"enter", "esc", "tab", "shift+tab", "up", "down", "left", "right", "space", "pgdown", "pgup", "home", "ctrl+s", "d", "q", "3", "7", "backspace"}
	rapid.Check(t, func(t *rapid.T) {
		makers := []func() dialog.Dialog{
			func() dialog.Dialog { return confirm(nil) },
			func() dialog.Dialog { return confirm(func(s *dialog.Spec) { s.Type, s.Reasons = "37", true }) },
			func() dialog.Dialog { return form() },
			func() dialog.Dialog { return conflict() },
			func() dialog.Dialog {
				return dialog.NewMessage("ERROR", []string{"日本 gone"}, []string{"40001", "x"})
			},
			func() dialog.Dialog {
				return dialog.NewList("HELP", []string{"what for"}, []dialog.Group{{"On this", []dialog.Fact{{"a b", "c d e f"}}}})
			},
			func() dialog.Dialog {
				return dialog.NewPick("GO", []dialog.Item{{Label: "a"}, {Label: "b", Dead: "no"}})
			},
		}
		d := rapid.SampledFrom(makers).Draw(t, "dialog")()
		_ = d.Keys().Remap(map[keys.Verb][]string{})
		k := open(d)
		for range rapid.IntRange(0, 25).Draw(t, "steps") {
			k.press(rapid.SampledFrom(names).Draw(t, "key"))
			k.view(t, rapid.IntRange(0, 100).Draw(t, "w"), rapid.IntRange(0, 30).Draw(t, "h"))
			if len(k.got) > 1 {
				t.Fatalf("answered twice: %v", k.got)
			}
		}
	})
}

func TestConfirm_SaysWhereToType(t *testing.T) {
	t.Parallel()

	hint := func(k *desk) string {
		b, _ := k.stack.Front().Keys().Find("type")
		return b.Label() + " " + b.Help
	}
	t.Run("reason", func(t *testing.T) {
		t.Parallel()
		k := open(confirm(func(s *dialog.Spec) { s.Reasons = true }))
		if got := hint(k); got != "up type Reason" {
			t.Errorf("the footer says %q, want up type Reason", got)
		}
		k.press("h")
		if view := k.view(t, 80, 22); !strings.Contains(view, "nothing was typed; up, then type Reason") || !strings.Contains(view, "> [ Cancel ]") {
			t.Errorf("a letter on Cancel is not answered:\n%s", view)
		}
		k.press("tab", "up", "h", "i")
		if view := k.view(t, 80, 22); strings.Contains(view, "nothing was typed") || !strings.Contains(view, "[ hi ") {
			t.Errorf("up from a button does not go to the field:\n%s", view)
		}
		k.press("tab", "tab", "tab", "enter")
		if want := (dialog.Choice{Action: "revive", Reason: "hi"}); len(k.got) != 1 || k.got[0] != want {
			t.Errorf("answered %v, want %v", k.got, want)
		}
	})
	t.Run("whatMustBeTypedComesFirst", func(t *testing.T) {
		t.Parallel()
		k := open(confirm(func(s *dialog.Spec) { s.Type = "37" }))
		if got := hint(k); got != "up type 37" {
			t.Errorf("the footer says %q, want up type 37", got)
		}
		k.press("up", "3", "7", "tab")
		if got := hint(k); got != "up type Reason" {
			t.Errorf("the footer says %q, want up type Reason", got)
		}
	})
	t.Run("nothingWithoutAField", func(t *testing.T) {
		t.Parallel()
		k := open(confirm(func(s *dialog.Spec) { s.Reason = "" }))
		k.press("h", "up")
		if got, view := hint(k), k.view(t, 80, 22); got != " " || strings.Contains(view, "nothing was typed") {
			t.Errorf("the footer says %q and the dialog:\n%s", got, view)
		}
	})
}
