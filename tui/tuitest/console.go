// Package tuitest runs screens in a real console without a terminal: keys go in
// by name, commands run in order and at once, the clock stands still unless the
// test moves it, and the picture is compared as text.
package tuitest

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/app"
	"holdfast/tui/canvas"
	"holdfast/tui/dialog"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
)

// Options are what a test may want to be different.
type Options struct {
	Width, Height int      // 80x24 when zero
	Venue         ui.Venue // Harbour Hall in Europe/Berlin when empty
	ReadOnly      string
	ASCII         bool
	Tabs          []app.Tab                   // one tab "Screen" when empty
	Build         ui.Builder                  // for tests with several screens
	Screen        func(env *ui.Env) ui.Screen // for tests with one
	Config        func(*app.Config)           // last word on anything else
}

// Console is a console under test.
type Console struct {
	Clock *Clock
	Quit  bool      // the console has ended
	Timed []tea.Msg // what timers would have brought; send it with Drive when it is time

	t       testing.TB
	app     *app.App
	queue   []tea.Cmd
	held    bool
	strokes int
	w, h    int
	front   dialog.Dialog
}

// Open starts a console with the given screen, answers and all.
func Open(tb testing.TB, o Options) *Console {
	tb.Helper()
	c := prepare(tb, o)
	c.start()
	return c
}

// OpenHeld starts a console whose commands wait until Release, for frames of
// what is shown while the database has not answered.
func OpenHeld(tb testing.TB, o Options) *Console {
	tb.Helper()
	c := prepare(tb, o)
	c.held = true
	c.start()
	return c
}

func prepare(tb testing.TB, o Options) *Console {
	tb.Helper()
	c := &Console{Clock: NewClock(), t: tb, w: o.Width, h: o.Height}
	if c.w == 0 && c.h == 0 {
		c.w, c.h = 80, 24
	}
	th, err := theme.New(theme.Default, canvas.Plain, o.ASCII)
	if err != nil {
		tb.Fatalf("theme: %v", err)
	}
	if o.Venue.Slug == "" {
		o.Venue = Venue(tb)
	}
	if o.Build == nil {
		o.Build = func(env *ui.Env, _ ui.Route) (ui.Screen, error) { return o.Screen(env), nil }
	}
	if len(o.Tabs) == 0 {
		o.Tabs = []app.Tab{{Title: "Screen", Route: ui.Route{Screen: "screen"}}}
	}
	cfg := app.Config{
		Tabs: o.Tabs, Build: o.Build, Clock: c.Clock, Theme: th, Venue: o.Venue,
		Env: "test", Role: "manager:mira", ReadOnly: o.ReadOnly, ReportDir: tb.TempDir(),
		After: func(_ time.Duration, m tea.Msg) tea.Cmd {
			c.Timed = append(c.Timed, m)
			return nil
		},
	}
	if o.Config != nil {
		o.Config(&cfg)
	}
	c.app = app.New(tb.Context(), cfg)
	tb.Cleanup(c.app.Close)
	return c
}

// Venue is the venue of tests: Harbour Hall in Berlin.
func Venue(t testing.TB) ui.Venue {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatalf("zone of the test venue: %v", err)
	}
	return ui.Venue{Slug: "harbour", Name: "Harbour Hall", Zone: zone}
}

func (c *Console) start() {
	c.t.Helper()
	c.add(c.app.Init())
	c.Resize(c.w, c.h)
}

// Resize gives the terminal another size.
func (c *Console) Resize(w, h int) {
	c.t.Helper()
	c.w, c.h = w, h
	c.update(tea.WindowSizeMsg{Width: w, Height: h})
}

// Press presses keys by name: "a", "R", "enter", "esc", "tab", "shift+tab",
// "up", "pgdown", "space", "ctrl+s". Between keys a little time passes, and a
// person reads a dialog before answering it.
func (c *Console) Press(names ...string) {
	c.t.Helper()
	for _, n := range names {
		if d := c.app.Dialog(); d != c.front {
			c.front = d
			c.Clock.Advance(dialog.Grace)
		}
		c.Clock.Advance(50 * time.Millisecond)
		c.strokes++
		c.update(Key(n))
	}
}

// Type types text, one key a character.
func (c *Console) Type(text string) {
	c.t.Helper()
	for _, r := range text {
		n := string(r)
		if r == ' ' {
			n = "space"
		}
		c.Press(n)
	}
}

// Paste pastes text as a terminal with bracketed paste does.
func (c *Console) Paste(text string) {
	c.t.Helper()
	c.update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
}

// Keystrokes is how many keys were pressed so far.
func (c *Console) Keystrokes() int { return c.strokes }

// Drive gives messages to the program as if they came from its loop: sizes,
// ticks, what a timer brought.
func (c *Console) Drive(msgs ...tea.Msg) {
	c.t.Helper()
	for _, m := range msgs {
		c.update(m)
	}
}

// Tick lets a second pass.
func (c *Console) Tick() {
	c.t.Helper()
	c.Clock.Advance(time.Second)
	c.update(app.TickMsg())
}

// Hold makes commands wait until Release.
func (c *Console) Hold() { c.held = true }

// Release runs what has waited.
func (c *Console) Release() {
	c.t.Helper()
	c.held = false
	c.drain()
}

// Shows fails the test unless all texts are on screen.
func (c *Console) Shows(texts ...string) {
	c.t.Helper()
	view := c.View()
	for _, s := range texts {
		if !strings.Contains(view, s) {
			c.t.Errorf("the screen does not show %q:\n%s", s, view)
		}
	}
}

// Hides fails the test if one of the texts is on screen.
func (c *Console) Hides(texts ...string) {
	c.t.Helper()
	view := c.View()
	for _, s := range texts {
		if strings.Contains(view, s) {
			c.t.Errorf("the screen shows %q:\n%s", s, view)
		}
	}
}

// View returns the picture and fails the test if it is not exactly as large as
// the screen or holds a control character.
func (c *Console) View() string {
	c.t.Helper()
	view := c.app.View()
	Exact(c.t, view, c.w, c.h)
	return view
}

func (c *Console) update(msg tea.Msg) {
	c.t.Helper()
	_, cmd := c.app.Update(msg)
	c.add(cmd)
	c.drain()
}

func (c *Console) add(cmd tea.Cmd) {
	if cmd != nil {
		c.queue = append(c.queue, cmd)
	}
}

// Running is how many commands wait for Release.
func (c *Console) Running() int { return c.app.Running() }

// maxCommands ends a test whose screen goes round in circles.
const maxCommands = 1000

func (c *Console) drain() {
	c.t.Helper()
	for n := 0; len(c.queue) > 0 && !c.held; n++ {
		if n > maxCommands {
			c.t.Fatal("the screen keeps producing commands")
		}
		c.Step()
	}
	if n := c.app.Running(); n != 0 && !c.held && !c.Quit {
		c.t.Errorf("nothing is left to do, yet %d commands count as running", n)
	}
}

// Step runs the command that has waited longest; what follows from it waits.
func (c *Console) Step() {
	c.t.Helper()
	if len(c.queue) == 0 {
		c.t.Fatal("no command waits")
	}
	cmd := c.queue[0]
	c.queue = c.queue[1:]
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, b := range msg {
			c.add(b)
		}
	case tea.QuitMsg:
		c.Quit = true
	default:
		_, next := c.app.Update(msg)
		c.add(next)
	}
}
