package app

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/dialog"
)

// The answers of the frame's own dialogs.
type (
	quitChosen struct{}
	popChosen  struct{}
)

// own handles the answers of the dialogs that the frame itself opened.
func (a *App) own(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case quitChosen:
		return tea.Quit
	case popChosen:
		return a.pop()
	case paletteChosen:
		return a.palette(m)
	}
	return nil
}

// back goes up one level. Only with quit, and only from the top, it leaves the
// program; with a draft open it asks first.
func (a *App) back(quit bool) tea.Cmd {
	if len(a.tabs[a.current].pages) > 1 {
		if d := a.front().screen.Status().Draft; d != "" {
			a.ask("LEAVE THIS PAGE", d, "Leave", popChosen{})
			return nil
		}
		return a.pop()
	}
	if !quit {
		return nil
	}
	if d := a.drafts(); d != "" {
		a.ask("LEAVE THE CONSOLE", d, "Leave", quitChosen{})
		return nil
	}
	return a.leave()
}

// leave ends the program; while a save is under way only when asked twice.
func (a *App) leave() tea.Cmd {
	if n := len(a.task.saves); n > 0 && !a.task.warned {
		a.task.warned = true
		a.dialogs.Push(dialog.NewMessage("STILL SAVING", []string{
			a.task.saves[0].doing + " has no answer yet.",
			"Press ctrl+c again to leave without knowing how it ended.",
		}, nil), 0, time.Time{})
		return nil
	}
	return tea.Quit
}

// drafts lists what would be lost by leaving.
func (a *App) drafts() string {
	var all []string
	for _, t := range a.tabs {
		for _, p := range t.pages {
			if d := p.screen.Status().Draft; d != "" {
				all = append(all, t.Title+": "+d)
			}
		}
	}
	return strings.Join(all, "; ")
}

func (a *App) ask(title, draft, label string, then tea.Msg) {
	a.dialogs.Push(dialog.NewConfirm(dialog.Spec{
		Title:   title,
		Intro:   []string{"Not saved: " + draft + ".", "Leaving drops it. Nothing in the database changes."},
		Actions: []dialog.Action{{Name: "leave", Label: label, Reads: true}},
		Instant: true,
		Then:    func(dialog.Choice) tea.Msg { return then },
	}), 0, a.session.Clock.Now())
}

// showLastError opens everything that is known about the last error.
func (a *App) showLastError() {
	t := &a.task
	if t.lastErr == nil {
		t.say("there was no error", false, a.session.Now())
		return
	}
	details := []string{t.lastErr.Error()}
	if a.cfg.Details != nil {
		details = a.cfg.Details(t.lastErr)
	}
	details = append([]string{"at " + t.lastAt.UTC().Format(time.RFC3339)}, details...)
	a.dialogs.Push(dialog.NewMessage("COULD NOT "+strings.ToUpper(t.lastDoing),
		[]string{a.cfg.Explain(t.lastErr)}, details), 0, time.Time{})
}
