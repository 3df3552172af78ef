package app

import (
	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/dialog"
)

// Dialog returns the dialog in front, and nil when there is none.
func (a *App) Dialog() dialog.Dialog { return a.dialogs.Front() }

// TickMsg is the message that lets a second pass. Programs get it from their
// timers; whoever drives an App by hand sends it.
func TickMsg() tea.Msg { return tick{} }
