// Package calendar is the screen of a pool's days: a month of load at a glance,
// the day under the cursor in full, and the editor for one day or many, which
// shows what would change before anything is saved.
package calendar

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// reader is what the calendar shows.
type reader interface {
	Venues(ctx context.Context) ([]inventory.Venue, error)
	Pools(ctx context.Context, venue string) ([]inventory.Pool, error)
	Days(ctx context.Context, ref inventory.PoolRef, r inventory.DayRange) ([]inventory.PoolDay, error)
	ChangeSets(ctx context.Context, ref inventory.PoolRef, limit int) ([]inventory.ChangeSet, error)
}

// editor plans, saves and takes back edits of days. All three decide against
// the versions that they are given.
type editor interface {
	PlanDays(ctx context.Context, ref inventory.PoolRef, days []date.Date, edit inventory.DayEdit) (inventory.DayPlan, error)
	SaveDays(ctx context.Context, actor inventory.Actor, plan inventory.DayPlan, reason string) (inventory.ChangeSet, error)
	UndoDays(ctx context.Context, actor inventory.Actor, change int64, reason string) (inventory.ChangeSet, error)
}

type store interface {
	reader
	editor
}

// Model is the calendar screen. Make one with New.
type Model struct {
	env   *ui.Env
	store store
	actor inventory.Actor

	dir  ui.Query[directory]
	days ui.Query[[]inventory.PoolDay]
	sets ui.Query[[]inventory.ChangeSet]
	year ui.Query[[]inventory.PoolDay]

	pool    inventory.PoolRef            // the pool on screen; zero: none
	visited map[string]inventory.PoolRef // the pool that was on screen last, by venue
	zone    timezone.Zone                // of the pool's venue; zero while it is not known
	shown   date.Date                    // the first day of the month that byDay and changes are about
	byDay   map[date.Date]inventory.PoolDay
	changes map[date.Date]timezone.ClockChange
	failed  string // what could not be read, so that it is reported once

	month   widget.Month
	ranging bool // a range of marks has begun
	measure measure
	detail  bool // the day is shown in full in place of the month
	find    *finder
	found   finding // what the last find marked

	draft   *draft // an edit that is not saved; it outlives the view of it
	editing bool   // the editor has the keyboard
	undo    *undoing
	latest  inventory.ChangeSet // the last edit that this screen saved

	hidden  bool          // another screen is in front
	waiting dialog.Dialog // to be opened when this one is again

	width, height int
}

// New returns the calendar of the first pool of the venue in focus, with the
// cursor on today. Edits are saved in the name of actor. The store is asked in
// commands only; *pgstore.Store is one.
func New(env *ui.Env, store store, actor inventory.Actor) *Model {
	m := &Model{env: env, store: store, actor: actor, visited: map[string]inventory.PoolRef{}}
	m.month = widget.NewMonth(m.today())
	m.turn()
	return m
}

// Init asks for the venues and pools; the days follow.
func (m *Model) Init() tea.Cmd { return m.loadDirectory() }

// Update takes one message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if cmd, taken := m.take(msg); taken {
		return cmd
	}
	switch msg := msg.(type) {
	case ui.Tick:
		return m.poll(msg.Now)
	case ui.Shown:
		m.hidden = false
		return tea.Batch(m.load(), m.openWaiting())
	case ui.Hidden:
		m.hide()
	case ui.Refresh:
		return m.load()
	case ui.VenueChanged:
		return tea.Batch(m.choosePool(), m.loadDirectory())
	case ui.Do:
		return m.do(msg.Verb)
	case ui.Click:
		return m.click(msg.X, msg.Y)
	case tea.KeyMsg:
		return m.typed(msg)
	}
	return m.answered(msg)
}

// answered takes what dialogs and saves of this screen have to say.
func (m *Model) answered(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case poolPicked:
		return m.picked(msg.ref)
	case checkDue:
		return m.checkWhenStill(msg.input)
	case saveChosen:
		return m.save(msg)
	case saved:
		return m.saved(msg)
	case conflictSettled:
		return m.settleConflict(msg)
	case movedSettled:
		return m.settleMoved(msg)
	case undoChosen:
		return m.putBack(msg)
	case undone:
		return m.undone(msg)
	case draftDropped:
		return m.closeDraft("the draft was dropped; nothing was saved")
	}
	return nil
}

// hide gives up what only a person in front of this screen wants.
func (m *Model) hide() {
	m.hidden = true
	if m.undo != nil && !m.undo.sent {
		m.undo = nil
	}
}

// open opens a dialog about an answer that may come while another screen is in
// front; then it waits until this one is shown.
func (m *Model) open(d dialog.Dialog) tea.Cmd {
	if m.hidden {
		m.waiting = d
		return ui.Ask(ui.Say{Text: "Calendar: nothing was saved, somebody else was first; look there", Bad: true})
	}
	return ui.OpenDialog(d)
}

func (m *Model) openWaiting() tea.Cmd {
	d := m.waiting
	if d == nil {
		return nil
	}
	m.waiting = nil
	return ui.OpenDialog(d)
}

// SetSize remembers the size; what stands where is worked out by Draw.
func (m *Model) SetSize(width, height int) { m.width, m.height = width, height }

// Status says how the screen stands.
func (m *Model) Status() ui.Status {
	s := ui.Status{
		Title: "Calendar",
		About: []string{
			"How full each day of a pool is, and how many may be taken: capacity, plus overbook for those who never come.",
			"A hold takes places for some minutes; taken is holds and confirmed bookings together. Oversold means that more are taken than may be: the day sells nothing until it is below.",
			"Mark days, press e, and see what would change before you save it; u puts your last edit back.",
		},
		Typing: m.find != nil || m.editing,
		ReadAt: m.days.ReadAt(),
	}
	if m.draft != nil && m.draft.touched() {
		s.Draft = "an edit of " + m.draft.extent()
	}
	return s
}

// today is the date at the pool's venue. Until its zone has been read, the
// calendar on the wall of the venue in focus stands in for it.
func (m *Model) today() date.Date {
	if !m.zone.IsZero() {
		return timezone.DayOf(m.env.Now(), m.zone)
	}
	zone := m.env.Venue().Zone
	if zone == nil {
		zone = time.UTC
	}
	return date.New(m.env.Now().In(zone).Date())
}

// poolOnScreen is what is known of the pool on screen.
func (m *Model) poolOnScreen() (inventory.Pool, bool) { return m.dir.Value().pool(m.pool) }

// layout is where everything is now.
func (m *Model) layout() areas {
	_, weeks := monthWeeks(m.month.Cursor())
	return layout(m.width, m.height, weeks)
}

// stale reports that the numbers on screen are from before: they are marked,
// and nothing can be saved by them.
func (m *Model) stale() bool {
	if !m.days.Ready() {
		return false
	}
	state := m.env.Link().State
	return state == ui.Stale || state == ui.Offline || m.env.Now().Sub(m.days.ReadAt()) > staleAfter
}

var _ ui.Screen = (*Model)(nil)
