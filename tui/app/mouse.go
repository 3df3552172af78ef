package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// mouse turns the wheel into moves, clicks on tabs into screens, and gives other
// clicks to the screen in front. A dialog takes no clicks: nothing harmful is
// one click away.
func (a *App) mouse(m tea.MouseMsg) tea.Cmd {
	p := a.front()
	if p == nil || a.areas.tooSmall || !a.dialogs.Empty() || m.Action != tea.MouseActionPress {
		return nil
	}
	switch m.Button {
	case tea.MouseButtonWheelUp:
		return a.wheel(p, keys.Up)
	case tea.MouseButtonWheelDown:
		return a.wheel(p, keys.Down)
	case tea.MouseButtonLeft:
	default:
		return nil
	}
	switch {
	case a.areas.tabs.Contains(m.X, m.Y):
		if i, ok := a.tabRow().At(m.X, a.areas.tabs.W); ok {
			return a.show(i)
		}
	case a.areas.body.Contains(m.X, m.Y):
		return a.to(p, ui.Click{X: m.X - a.areas.body.X, Y: m.Y - a.areas.body.Y})
	}
	return nil
}

func (a *App) wheel(p *page, v keys.Verb) tea.Cmd {
	if b, ok := a.keysOf(p).Find(v); ok && b.Disabled == "" {
		return a.to(p, ui.Do{Verb: v})
	}
	return nil
}
