package ui_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/keys"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func session(t *testing.T) (*ui.Session, *tuitest.Clock) {
	t.Helper()
	clock := tuitest.NewClock()
	s := ui.NewSession(t.Context(), clock)
	t.Cleanup(s.End)
	return s, clock
}

type asked struct {
	n   int
	err error
}

func toAsked(n int, err error) tea.Msg { return asked{n, err} }

// answer runs a command and returns what the screen would get.
func answer(t *testing.T, cmd tea.Cmd) tea.Msg {
	t.Helper()
	msg := cmd()
	if task, ok := msg.(ui.Task); ok {
		msg = task.Cmd()
	}
	a, ok := msg.(ui.Answer)
	if !ok {
		t.Fatalf("the command brought %T, want an answer", msg)
	}
	return a.Msg
}

func TestRun(t *testing.T) {
	t.Parallel()

	wait := func(ctx context.Context) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	t.Run("answers", func(t *testing.T) {
		t.Parallel()
		s, _ := session(t)
		got := answer(t, ui.Run(s.NewEnv(), "holds.list", time.Minute, func(context.Context) (int, error) { return 7, nil }, toAsked))
		if got != (asked{7, nil}) {
			t.Errorf("got %v, want 7", got)
		}
	})
	t.Run("limitIsToldByName", func(t *testing.T) {
		t.Parallel()
		s, _ := session(t)
		got := answer(t, ui.Run(s.NewEnv(), "holds.list", time.Millisecond, wait, toAsked)).(asked)
		if !errors.Is(got.err, context.DeadlineExceeded) || !strings.Contains(got.err.Error(), "holds.list: no answer within 1ms") {
			t.Errorf("got %v, want the name and the limit", got.err)
		}
	})
	t.Run("leavingTheScreenEndsReads", func(t *testing.T) {
		t.Parallel()
		s, _ := session(t)
		env := s.NewEnv()
		cmd := ui.Run(env, "holds.list", time.Minute, wait, toAsked)
		env.Leave()
		if got := answer(t, cmd).(asked); !errors.Is(got.err, ui.ErrLeft) {
			t.Errorf("got %v, want ErrLeft", got.err)
		}
		env.Enter()
		if got := answer(t, ui.Run(env, "holds.list", time.Minute, func(ctx context.Context) (int, error) { return 1, ctx.Err() }, toAsked)); got != (asked{1, nil}) {
			t.Errorf("after coming back got %v, want 1", got)
		}
	})
	t.Run("leavingTheScreenDoesNotEndSaves", func(t *testing.T) {
		t.Parallel()
		s, _ := session(t)
		env := s.NewEnv()
		cmd := ui.Save(env, "day.apply", "saving", time.Minute, func(ctx context.Context) (int, error) { return 1, ctx.Err() }, toAsked)
		env.Leave()
		if got := answer(t, cmd); got != (asked{1, nil}) {
			t.Errorf("got %v, want 1", got)
		}
	})
	t.Run("theEndOfTheProgramEndsSaves", func(t *testing.T) {
		t.Parallel()
		s, _ := session(t)
		cmd := ui.Save(s.NewEnv(), "day.apply", "saving", time.Minute, wait, toAsked)
		s.End()
		if got := answer(t, cmd).(asked); !errors.Is(got.err, context.Canceled) {
			t.Errorf("got %v, want Canceled", got.err)
		}
	})
}

func TestQuery_LateAnswersAreDropped(t *testing.T) {
	t.Parallel()

	s, _ := session(t)
	env := s.NewEnv()
	var q ui.Query[string]
	ask := func(v string) tea.Cmd {
		return q.Ask(env, "x", time.Minute, func(context.Context) (string, error) { return v, nil })
	}
	first, second := ask("old"), ask("new")
	if !q.Take(answer(t, second)) || q.Value() != "new" {
		t.Fatalf("the answer was not taken: %q", q.Value())
	}
	if q.Take(answer(t, first)) || q.Value() != "new" {
		t.Errorf("a late answer replaced a newer one: %q", q.Value())
	}
}

func TestQuery_OfAnother(t *testing.T) {
	t.Parallel()

	s, _ := session(t)
	var mine, yours ui.Query[string]
	cmd := yours.Ask(s.NewEnv(), "x", time.Minute, func(context.Context) (string, error) { return "yours", nil })
	mine.Ask(s.NewEnv(), "x", time.Minute, nil)
	if mine.Take(answer(t, cmd)) || mine.Take(ui.Shown{}) {
		t.Error("a query took what was not its answer")
	}
}

func TestQuery_KeepsTheOldAnswerThroughAFailure(t *testing.T) {
	t.Parallel()

	s, clock := session(t)
	env := s.NewEnv()
	var q ui.Query[int]
	if q.Ready() {
		t.Error("a query is ready before the first answer")
	}
	q.Take(answer(t, q.Ask(env, "x", time.Minute, func(context.Context) (int, error) { return 1, nil })))
	at := q.ReadAt()
	clock.Advance(3 * time.Second)
	if !q.Due(env.Now(), 2*time.Second) {
		t.Error("after three seconds a query of every two is not due")
	}
	down := errors.New("down")
	cmd := q.Ask(env, "x", time.Minute, func(context.Context) (int, error) { return 0, down })
	if q.Due(env.Now().Add(time.Hour), 2*time.Second) {
		t.Error("a query is due while it is under way")
	}
	q.Take(answer(t, cmd))
	if q.Value() != 1 || q.ReadAt() != at || !errors.Is(q.Err(), down) {
		t.Errorf("after a failure: %d read %v, %v", q.Value(), q.ReadAt(), q.Err())
	}
	q.Forget()
	if q.Ready() || q.Value() != 0 || q.Take(answer(t, cmd)) {
		t.Error("a forgotten query still knows its answer, or takes it late")
	}
}

func TestQuery_LeavingTheScreenIsNoFailure(t *testing.T) {
	t.Parallel()

	s, _ := session(t)
	env := s.NewEnv()
	var q ui.Query[int]
	cmd := q.Ask(env, "x", time.Minute, func(ctx context.Context) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	})
	env.Leave()
	if q.Take(answer(t, cmd)) || q.Err() != nil {
		t.Errorf("leaving became the failure %v", q.Err())
	}
	if _, running := q.Running(); running {
		t.Error("the query still waits")
	}
}

func TestSession_NoSave(t *testing.T) {
	t.Parallel()

	s, _ := session(t)
	for state, can := range map[ui.LinkState]bool{ui.Waiting: false, ui.Live: true, ui.Stale: false, ui.Offline: false} {
		s.Link.State = state
		if (s.NoSave() == "") != can {
			t.Errorf("in state %d saving is refused with %q", state, s.NoSave())
		}
	}
	s.Link.State, s.ReadOnly = ui.Live, "role: front desk"
	if s.NoSave() != "role: front desk" {
		t.Errorf("a read-only session refuses with %q", s.NoSave())
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()

	look, write := keys.Standard(keys.Filter), keys.Standard(keys.Revive)
	for _, tc := range []struct {
		name   string
		b      keys.Binding
		noSave string
		want   string
	}{
		{"possible", write, "", ""},
		{"lookingWhileStale", look, "stale", ""},
		{"writingWhileStale", write, "stale", "stale"},
		{"itsOwnReasonFirst", write.If(false, "no room"), "stale", "no room"},
	} {
		if got := ui.Refusal(tc.b, tc.noSave); got != tc.want {
			t.Errorf("%s: refused with %q, want %q", tc.name, got, tc.want)
		}
	}
}
