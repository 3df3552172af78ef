package app

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/ui"
)

// envelope is an answer on its way back to the page that asked.
type envelope struct {
	page int
	msg  tea.Msg
}

// due is a timer of a page that has run out.
type due struct {
	page int
	msg  tea.Msg
}

// run wraps a page's command so that its answer finds the page, a panic in it
// ends the program in order, and it is counted while it runs.
func (a *App) run(page int, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	a.running.Add(1)
	return func() (out tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				a.running.Add(-1)
				out = crash{where: "command", value: r, stack: debug.Stack()}
			}
		}()
		msg := cmd()
		batch, ok := msg.(tea.BatchMsg)
		if !ok {
			return envelope{page, msg}
		}
		wrapped := make(tea.BatchMsg, 0, len(batch))
		for _, c := range batch {
			if c != nil {
				wrapped = append(wrapped, a.run(page, c))
			}
		}
		a.running.Add(-1)
		return wrapped
	}
}

// receive handles a request of a page, or gives the page its answer. What comes
// for a page that is gone is dropped.
func (a *App) receive(id int, msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case nil:
		return nil
	case ui.Answer:
		a.noteAnswer(m.Err)
		a.task.ended(m.Name)
		return a.receive(id, m.Msg)
	case ui.Task:
		a.task.began(m, a.session.Clock.Now())
		return a.run(id, m.Cmd)
	case ui.Later:
		return a.cfg.After(m.After, due{id, m.Msg})
	case ui.Say:
		a.task.say(m.Text, m.Bad, a.session.Now())
	case ui.Fail:
		return a.fail(m.Doing, m.Err)
	case ui.Settle:
		a.settle(id, m)
	case ui.Open:
		if a.byID(id) != nil {
			a.dialogs.Push(m.Dialog, id, a.session.Clock.Now())
		}
	case ui.Badge:
		a.badges[m.Screen] = m.Text
	case ui.Focus:
		a.session.Venue = m.Venue
		return a.toAll(ui.VenueChanged(m))
	case ui.Push, ui.Goto, ui.Pop:
		return a.navigate(id, m)
	case pulsed:
		return a.onPulse(m)
	default:
		if p := a.byID(id); p != nil {
			return a.to(p, msg)
		}
	}
	return nil
}

// navigate follows a page only while it is in front: a page that has been left
// must not pull the reader away from where they are now.
func (a *App) navigate(id int, msg tea.Msg) tea.Cmd {
	if p := a.front(); p == nil || p.id != id {
		return nil
	}
	switch m := msg.(type) {
	case ui.Push:
		return a.push(m.Route)
	case ui.Goto:
		return a.goTo(m.Route)
	case ui.Pop:
		return a.pop()
	}
	return nil
}

// settle tells a dialog, or else the task line, what became of an action. A
// good outcome goes to both.
func (a *App) settle(id int, m ui.Settle) {
	closed, taken := a.dialogs.Settle(id, m.Outcome)
	if closed || !taken {
		a.task.say(m.Outcome.Text, !m.Outcome.OK, a.session.Now())
	}
}

// fail shows that something did not work, unless it was only given up because
// its page was left.
func (a *App) fail(doing string, err error) tea.Cmd {
	if err == nil || errors.Is(err, ui.ErrLeft) {
		return nil
	}
	a.cfg.Log.LogAttrs(context.Background(), slog.LevelWarn, "console action failed",
		slog.String("doing", doing), slog.String("error", err.Error()))
	a.task.failed(doing, a.cfg.Explain(err), err, a.session.Now())
	return nil
}
