// Package ui is the contract between the console and its screens: what a screen
// is, what it may ask of the program, and the one way to the outside world. It
// is apart from tui/app so that screens can import it and the app can import
// neither them nor the database.
package ui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/canvas"
	"holdfast/tui/keys"
)

// Screen is one page of the console. The app calls all methods from one
// goroutine; none of them may block, do I/O or read the wall clock.
type Screen interface {
	// Init is called once, before the first SetSize, and returns the first
	// questions to the database.
	Init() tea.Cmd

	// Update takes one message and returns what is to be done. A screen sees
	// its own answers, the messages of this package (Do, Tick, Shown, Hidden,
	// Refresh, VenueChanged, Click), and, only while Status().Typing, raw
	// tea.KeyMsg.
	Update(msg tea.Msg) tea.Cmd

	// SetSize is called before the first Draw and when the size changes. Sizes
	// can be as small as 40x6.
	SetSize(width, height int)

	// Draw draws the screen into c, which is exactly as large as SetSize said.
	// It is pure and cheap: it is called after every message.
	Draw(c canvas.Canvas)

	// Keys is the keyboard of the screen in its present state. A binding that is
	// not possible now says why (Disabled); the app shows the reason instead of
	// delivering the verb.
	Keys() keys.Table

	// Status says how the screen stands.
	Status() Status
}

// Status is what the app needs to know of the screen in front.
type Status struct {
	Title  string    // for the help page and, on a page opened by another, row 2
	About  []string  // what the screen is for, in up to three sentences, and its words
	Typing bool      // a text field has the focus: printable keys go to Update as they are
	Draft  string    // what would be lost by leaving ("2 days edited"); empty: nothing
	ReadAt time.Time // when the numbers on screen were read; zero: no numbers yet
}

// Route names a page: a kind of screen and, if it is about one thing, which.
type Route struct {
	Screen string // "holds", "booking"
	ID     string // which one; opaque to the app
}

// Builder makes the screen of a route. It is the one function that knows all
// screens and the stores behind them; it belongs to whoever starts the program.
// It fails when the route names no screen.
type Builder func(env *Env, r Route) (Screen, error)

// Venue is what the console needs to know of the venue in focus.
type Venue struct {
	Slug string
	Name string
	Zone *time.Location
}
