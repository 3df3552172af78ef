package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/theme"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

const (
	pulseEvery = 2 * time.Second
	pulseLimit = 2 * time.Second
	// staleAfter is two missed polls and a little.
	staleAfter = 6 * time.Second
	// hintPause gathers the hints of a busy moment into one read.
	hintPause = 250 * time.Millisecond
)

type (
	tick     struct{}
	pulseDue struct{}
	hint     struct{}
	hintDue  struct{}
	pulsed   struct {
		Pulse
		err         error
		asked, came time.Time
	}
)

// askPulse asks the database how it is.
func (a *App) askPulse() tea.Cmd {
	if a.cfg.Pulse == nil {
		return nil
	}
	clock, ask := a.session.Clock, a.cfg.Pulse
	asked := clock.Now()
	return a.run(0, ui.Run(a.env, "pulse", pulseLimit, ask, func(p Pulse, err error) tea.Msg {
		return pulsed{p, err, asked, clock.Now()}
	}))
}

// onPulse takes over the database's clock and schedules the next pulse only now
// that this one is over, so that a slow database is not asked faster than it
// answers.
func (a *App) onPulse(p pulsed) tea.Cmd {
	if p.err == nil {
		middle := p.asked.Add(p.came.Sub(p.asked) / 2)
		a.session.Offset = p.Now.Sub(middle)
		for screen, text := range p.Badges {
			a.badges[screen] = text
		}
	}
	return a.cfg.After(pulseEvery, pulseDue{})
}

// onHint has the screen in front read again soon, if somebody may be looking.
func (a *App) onHint() tea.Cmd {
	if a.hinted || a.paused || !a.focused {
		return nil
	}
	a.hinted = true
	return a.cfg.After(hintPause, hintDue{})
}

// noteAnswer keeps the state of the connection from every answer that comes.
func (a *App) noteAnswer(err error) {
	now := a.session.Clock.Now()
	link := &a.session.Link
	switch {
	case err == nil, a.refused(err):
		if link.State != ui.Live {
			*link = ui.Link{State: ui.Live, Since: now}
		}
		link.LastOK = now
	case a.cfg.Offline != nil && a.cfg.Offline(err):
		if link.State != ui.Offline {
			link.State, link.Since, link.Tries = ui.Offline, now, 0
		}
		link.Tries++
		link.Cause = a.cfg.Explain(err)
	}
}

// refused reports that the database answered, if only with a no.
func (a *App) refused(err error) bool {
	return !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, ui.ErrLeft) && (a.cfg.Offline == nil || !a.cfg.Offline(err))
}

// startTick starts the one clock of the console unless it runs.
func (a *App) startTick() tea.Cmd {
	if a.ticking {
		return nil
	}
	a.ticking = true
	return a.nextTick()
}

// nextTick is due when the database's second changes.
func (a *App) nextTick() tea.Cmd {
	now := a.session.Now()
	return a.cfg.After(now.Truncate(time.Second).Add(time.Second).Sub(now), tick{})
}

// onTick lets a second pass: for the connection always, for the screen only
// while somebody may be looking.
func (a *App) onTick() tea.Cmd {
	link, now := &a.session.Link, a.session.Clock.Now()
	if a.cfg.Pulse != nil && link.State == ui.Live && now.Sub(link.LastOK) > staleAfter {
		link.State, link.Since = ui.Stale, link.LastOK
	}
	if !a.focused {
		a.ticking = false
		return nil
	}
	var cmd tea.Cmd
	if !a.paused {
		cmd = a.toFront(ui.Tick{Now: a.session.Now()})
	}
	return tea.Batch(cmd, a.nextTick())
}

// age is how old the numbers on screen are, and whether that is too old.
func (a *App) age() (age time.Duration, old bool) {
	p := a.front()
	if p == nil {
		return 0, false
	}
	if readAt := p.screen.Status().ReadAt; !readAt.IsZero() {
		age = max(0, a.session.Now().Sub(readAt))
		return age, age > staleAfter
	}
	return max(0, a.session.Clock.Now().Sub(a.session.Link.LastOK)), false
}

// freshness is the end of row 1.
func (a *App) freshness() widget.Cell {
	link, now := a.session.Link, a.session.Clock.Now()
	age, old := a.age()
	switch {
	case link.State == ui.Waiting:
		return widget.Cell{Text: "WAITING", Style: theme.Warn}
	case link.State == ui.Offline:
		return widget.Cell{Text: fmt.Sprintf("OFFLINE %s", widget.Age(now.Sub(link.Since))), Style: theme.Bad}
	case a.paused:
		return widget.Cell{Text: "PAUSED " + widget.Age(age), Style: theme.Warn}
	case link.State == ui.Stale, old:
		return widget.Cell{Text: "STALE " + widget.Age(max(age, now.Sub(link.LastOK))), Style: theme.Warn}
	}
	return widget.Cell{Text: "LIVE " + widget.Age(age), Style: theme.OK}
}
