// Package app is the console's frame and its only tea.Model: it routes keys and
// answers to screens, keeps the stack of dialogs, knows how the database stands,
// and draws what is round every screen. It knows the contract in tui/ui and no
// screen.
package app

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/tui/dialog"
	"holdfast/tui/keys"
	"holdfast/tui/theme"
	"holdfast/tui/ui"
)

// Tab is one screen that has a number key.
type Tab struct {
	Title string
	Route ui.Route
}

// Pulse is the answer to the one question that the console asks all the time.
type Pulse struct {
	Now    time.Time         // the database's clock
	Badges map[string]string // by Route.Screen: what waits there, as "3!"
}

// Config is what the console is made from. Build, Clock and at least one tab
// are required.
type Config struct {
	Tabs     []Tab
	Build    ui.Builder
	Clock    ui.Clock
	Theme    theme.Theme
	Venue    ui.Venue
	Env      string // "demo", "PROD"
	Prod     bool   // marks Env so that it cannot be overlooked
	Role     string // "manager:mira"
	ReadOnly string // why this session may not change data; empty: it may

	// Pulse asks the database for its clock and what needs a person; nil means
	// that the database is never asked by the frame and counts as live.
	Pulse func(context.Context) (Pulse, error)
	// Hints runs in the background and calls changed when the database says that
	// something changed. A hint that is lost costs nothing but a poll; nil: none.
	Hints func(ctx context.Context, changed func())
	// Offline reports that an error means the database cannot be reached, not
	// that it refused; nil means none does.
	Offline func(error) bool
	// Explain says an error in one line of plain words; nil means Error().
	Explain func(error) string
	// Details says everything about an error, a line each; nil means Error().
	Details func(error) []string
	// Keys gives verbs other keys than their own; nil: none.
	Keys map[keys.Verb][]string
	// After makes the timers; nil means real ones. Tests pass their own.
	After func(time.Duration, tea.Msg) tea.Cmd
	// Log gets what a person at the screen does not need to see; nil: nobody.
	Log *slog.Logger
	// Mouse lets clicks and the wheel through, which takes text selection away
	// from the terminal.
	Mouse bool
	// ReportDir is where the report of a panic is written; empty: the directory
	// for temporary files.
	ReportDir string
}

// App is the console. Make one with New; it is a tea.Model.
type App struct {
	cfg     Config
	session *ui.Session
	env     *ui.Env // the frame's own
	theme   theme.Theme

	width, height int
	areas         areas
	focused       bool // the terminal says that somebody may be looking
	paused        bool

	tabs    []place
	current int
	nextID  int

	dialogs dialog.Stack
	badges  map[string]string
	task    taskLine
	burst   burst
	ticking bool
	hinted  bool // a hint waits to be followed

	running atomic.Int64 // commands under way
	frame   string       // the last good picture
	crash   *crash
	stop    func()        // ends the program from outside the event loop
	send    func(tea.Msg) // gives it a message from there
}

// place is a tab with the pages opened on it, the front one last.
type place struct {
	Tab
	pages []*page
}

// New returns a console that ends when ctx does.
func New(ctx context.Context, cfg Config) *App {
	if cfg.After == nil {
		cfg.After = func(d time.Duration, m tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return m })
		}
	}
	if cfg.Explain == nil {
		cfg.Explain = error.Error
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	a := &App{
		cfg: cfg, theme: cfg.Theme, session: ui.NewSession(ctx, cfg.Clock),
		focused: true, badges: map[string]string{}, stop: func() {}, send: func(tea.Msg) {},
	}
	a.env = a.session.NewEnv()
	a.session.Venue, a.session.ReadOnly = cfg.Venue, cfg.ReadOnly
	if cfg.Pulse == nil {
		a.session.Link = ui.Link{State: ui.Live, LastOK: cfg.Clock.Now()}
	}
	for _, t := range cfg.Tabs {
		a.tabs = append(a.tabs, place{Tab: t})
	}
	a.areas = layout(0, 0)
	return a
}

// Close cancels everything that still runs. It is safe to call at any time.
func (a *App) Close() { a.session.End() }

// Running is how many commands are under way, timers not counted. At zero, and
// with no message in the queue, the picture is final: tests wait for that
// instead of sleeping.
func (a *App) Running() int { return int(a.running.Load()) }

// Init opens the first screen and starts the pulse and the clock.
func (a *App) Init() tea.Cmd {
	return tea.Batch(a.show(0), a.askPulse(), a.startTick())
}

// Update is the one place where anything changes. The order is: size, leave,
// answers and timers, the front dialog, global keys, the screen in front.
func (a *App) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	defer func() {
		if r := recover(); r != nil {
			cmd = a.crashed("update", r)
		}
	}()
	return a, a.update(msg)
}

func (a *App) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return a.resize(msg.Width, msg.Height)
	case tea.KeyMsg:
		return a.key(msg)
	case tea.MouseMsg:
		return a.mouse(msg)
	case tea.FocusMsg:
		a.focused = true
		return tea.Batch(a.toFront(ui.Refresh{}), a.startTick())
	case tea.BlurMsg:
		a.focused = false
	case envelope:
		defer a.running.Add(-1) // after what follows from it has been counted
		return a.receive(msg.page, msg.msg)
	case crash:
		return a.crashed(msg.where, msg)
	case tick:
		return a.onTick()
	case pulseDue:
		return a.askPulse()
	case hint:
		return a.onHint()
	case hintDue:
		a.hinted = false
		return a.toFront(ui.Refresh{})
	case due:
		return a.receive(msg.page, msg.msg)
	}
	return nil
}

func (a *App) resize(w, h int) tea.Cmd {
	a.width, a.height = max(0, w), max(0, h)
	a.areas = layout(a.width, a.height)
	if p := a.front(); p != nil {
		p.resize(a.areas.body)
	}
	return nil
}

// noSave says why verbs that write are refused at the moment.
func (a *App) noSave() string {
	if why := a.session.NoSave(); why != "" {
		return why
	}
	if _, old := a.age(); old {
		return "the numbers are stale: saving is off until they are fresh"
	}
	return ""
}

// globals is the keyboard that works everywhere while no text is typed.
func (a *App) globals() keys.Table {
	t := keys.Global().Remap(a.cfg.Keys)
	for i, b := range t {
		if b.Verb == keys.Zone && a.session.UTC {
			t[i].Help = "venue time"
		}
	}
	return t
}

// keysOf is the keyboard of a page.
func (a *App) keysOf(p *page) keys.Table { return p.screen.Keys().Remap(a.cfg.Keys) }

// moment is what dialogs may know.
func (a *App) moment() dialog.Moment {
	return dialog.Moment{Now: a.session.Clock.Now(), Database: a.session.Now(), NoSave: a.noSave()}
}

var _ tea.Model = (*App)(nil)
