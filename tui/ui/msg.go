package ui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/dialog"
	"holdfast/tui/keys"
)

// Do asks a screen for a verb of its Keys, however it was chosen: by key, by
// palette, by mouse. Verbs that are not possible now never arrive.
type Do struct{ Verb keys.Verb }

// Tick comes once a second to the screen in front, unless nobody is looking or
// the console is paused. Now is the database's clock.
type Tick struct{ Now time.Time }

// Shown comes when the screen is in front again. What it had asked before it
// left was cancelled, so it asks anew.
type Shown struct{}

// Hidden comes when the screen is no longer in front.
type Hidden struct{}

// Refresh asks a screen for fresh numbers now.
type Refresh struct{}

// VenueChanged comes to all screens when another venue is in focus.
type VenueChanged struct{ Venue Venue }

// Click is a click on a cell of the screen, in the screen's own coordinates.
type Click struct{ X, Y int }

// The requests below are what screens ask of the app. Each is a message; the
// function of the same purpose returns the command that sends it.

// Push opens a page on top of the screen.
type Push struct{ Route Route }

// Goto shows the page of a route in its own place: the tab that has it, or on
// top of the present screen when no tab has.
type Goto struct{ Route Route }

// Pop leaves the page that was pushed.
type Pop struct{}

// Open lays a dialog over the screen. Its answer comes back to the screen that
// opened it, as the message that the dialog's Then made.
type Open struct{ Dialog dialog.Dialog }

// Settle tells the screen's front dialog what became of the chosen action. When
// no dialog waits, the outcome goes to the task line.
type Settle struct{ Outcome dialog.Outcome }

// Say puts one sentence on the task line, where it stays until the next.
type Say struct {
	Text string
	Bad  bool
}

// Fail reports that something did not work. The task line shows it in plain
// words; the last-error key shows all of it.
type Fail struct {
	Doing string // "load the holds"
	Err   error
}

// Focus puts another venue into the header and tells every screen.
type Focus struct{ Venue Venue }

// Badge sets the few characters beside a screen's name in row 2, as "3!".
type Badge struct{ Screen, Text string }

// Later sends a message to the screen after a while. Tests see the request and
// send the message themselves when they want it.
type Later struct {
	After time.Duration
	Msg   tea.Msg
}

// Ask returns the command that makes a request of this package.
func Ask(request tea.Msg) tea.Cmd { return func() tea.Msg { return request } }

// OpenDialog asks for a dialog.
func OpenDialog(d dialog.Dialog) tea.Cmd { return Ask(Open{d}) }

// SettleDialog tells the outcome of a dialog's action.
func SettleDialog(o dialog.Outcome) tea.Cmd { return Ask(Settle{o}) }

// Report says that doing failed with err; it is nil when err is nil.
func Report(doing string, err error) tea.Cmd {
	if err == nil {
		return nil
	}
	return Ask(Fail{doing, err})
}
