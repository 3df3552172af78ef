// Package cockpit is the screen for the evening of an on-sale: how fast it goes
// and whether buyers get answers, what is left of what, who waits outside, and
// the three things that a person may want to do about it.
package cockpit

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// Name is the screen's name in routes.
const Name = "on-sale"

const (
	pollEvery = 2 * time.Second
	readLimit = 3 * time.Second
	// lookBack is how much of the past is read, and so the most that the line of
	// the pace can show.
	lookBack = 10 * time.Minute
	maxRows  = 20
)

// reader is what the screen looks at.
type reader interface {
	Pulses(ctx context.Context, last time.Duration) (inventory.PulseList, error)
	Selling(ctx context.Context, venue string, limit int) (inventory.SellingList, error)
	WaitingRooms(ctx context.Context) ([]inventory.WaitingRoom, error)
	Venue(ctx context.Context, slug string) (inventory.Venue, error)
	Event(ctx context.Context, ref inventory.EventRef) (inventory.Event, error)
	ChangeSets(ctx context.Context, ref inventory.PoolRef, limit int) ([]inventory.ChangeSet, error)
	PlanDays(ctx context.Context, ref inventory.PoolRef, days []date.Date, edit inventory.DayEdit) (inventory.DayPlan, error)
}

// writer is what the screen can do. All of it decides against the version that
// was drawn, but ExtendHolds, which is about whatever holds there are.
type writer interface {
	SaveDays(ctx context.Context, actor inventory.Actor, plan inventory.DayPlan, reason string) (inventory.ChangeSet, error)
	UndoDays(ctx context.Context, actor inventory.Actor, change int64, reason string) (inventory.ChangeSet, error)
	EditEvent(ctx context.Context, actor inventory.Actor, ref inventory.EventRef, version int, edit inventory.EventEdit, reason string) (inventory.Event, error)
	SetWaitingRoom(ctx context.Context, c inventory.WaitingRoomChange, actor inventory.Actor) (inventory.WaitingRoom, error)
	ExtendHolds(ctx context.Context, scope inventory.HoldScope, by time.Duration, actor inventory.Actor, reason string) (inventory.ExtendedHolds, error)
}

type store interface {
	reader
	writer
}

// Model is the screen. Make one with New.
type Model struct {
	env   *ui.Env
	store store
	actor inventory.Actor

	now    ui.Query[answer]
	let    admitted // how fast rooms let buyers in
	table  widget.Table[inventory.Selling, key]
	left   string // what became of the row that the cursor was on
	width  int
	high   int
	saving string // what is being changed and has no answer yet; empty: nothing
	last   edit   // what u would put back; zero: nothing
}

// answer is one reading of everything on screen.
type answer struct {
	pulses  inventory.PulseList
	selling inventory.SellingList
	rooms   []inventory.WaitingRoom // of the venue
	longest time.Duration           // how long a hold may live there
}

// key is the identity of a row.
type key struct{ kind, ref, day string }

func keyOf(s inventory.Selling) key { return key{string(s.Kind), s.Ref(), s.Day.String()} }

// New returns the cockpit of the venue in focus. It is called by the console's
// ui.Builder for routes with Name; store is a *pgstore.Store, and actor is who
// the journal and the audit name for what is done here.
func New(env *ui.Env, store store, actor inventory.Actor) *Model {
	m := &Model{env: env, store: store, actor: actor}
	m.table = widget.NewTable(keyOf)
	m.table.Flag = m.flag
	return m
}

// Init asks for the numbers.
func (m *Model) Init() tea.Cmd { return m.load() }

// SetSize takes the screen's size.
func (m *Model) SetSize(w, h int) {
	m.width, m.high = w, h
	m.arrange()
}

// Update takes one message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if m.now.Take(msg) {
		m.taken()
		return ui.Report("read how the sales go", m.now.Err())
	}
	switch msg := msg.(type) {
	case ui.Tick:
		if m.now.Due(msg.Now, pollEvery) {
			return m.load()
		}
	case ui.Shown, ui.Refresh:
		return m.load()
	case ui.VenueChanged:
		m.table.SetRows(nil)
		m.now.Forget()
		m.let, m.left, m.last = admitted{}, "", edit{}
		return m.load()
	case ui.Do:
		return m.do(msg.Verb)
	case ui.Click:
		if row, ok := m.table.RowAt(msg.Y - m.layout().table.Y); ok && m.layout().table.Contains(msg.X, msg.Y) {
			m.table.Select(keyOf(row))
			m.left = ""
		}
	}
	return m.answered(msg)
}

// answered takes what dialogs and saves of this screen have to say.
func (m *Model) answered(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case stopChosen:
		return m.stop(msg)
	case stopped:
		return m.stopped(msg)
	case extendChosen:
		return m.extend(msg)
	case extended:
		return m.extended(msg)
	case rateChosen:
		return m.setRate(msg)
	case rateSet:
		return m.rateSet(msg)
	case backChosen:
		return m.putBack(msg)
	case back:
		return m.back(msg)
	}
	return nil
}

func (m *Model) load() tea.Cmd {
	store, venue, longest := m.store, m.env.Venue().Slug, m.now.Value().longest
	return m.now.Ask(m.env, "on-sale.read", readLimit, func(ctx context.Context) (a answer, err error) {
		if a.pulses, err = store.Pulses(ctx, lookBack); err != nil {
			return a, err
		}
		if venue == "" {
			return a, nil
		}
		if a.selling, err = store.Selling(ctx, venue, maxRows); err != nil {
			return a, err
		}
		rooms, err := store.WaitingRooms(ctx)
		if err != nil {
			return a, err
		}
		for _, r := range rooms {
			if r.Venue == venue {
				a.rooms = append(a.rooms, r)
			}
		}
		if a.longest = longest; longest == 0 { // read once a visit: it is hardly ever changed
			v, err := store.Venue(ctx, venue)
			a.longest = v.HoldMaxLife
			return a, err
		}
		return a, nil
	})
}

// taken takes over new numbers. The cursor stays on its row; when that has left
// the list, the pane says so, since the cursor is now on another one.
func (m *Model) taken() {
	if m.now.Err() != nil {
		return
	}
	a := m.now.Value()
	m.let.see(a.rooms, a.pulses.AsOf)
	before, had := m.table.Selected()
	if gone := m.table.SetRows(a.selling.Rows); gone && had {
		m.left = before.Name + " of " + before.Day.String() + " has left the list; this is the next one"
	}
	m.arrange()
}

// selected is the row under the cursor and its waiting room, if it has one.
func (m *Model) selected() (row inventory.Selling, room inventory.WaitingRoom, ok bool) {
	row, ok = m.table.Selected()
	if !ok {
		return row, room, false
	}
	room, _ = m.roomOf(row)
	return row, room, true
}

func (m *Model) roomOf(row inventory.Selling) (inventory.WaitingRoom, bool) {
	for _, r := range m.now.Value().rooms {
		if r.Kind == row.Kind && r.Ref() == row.Ref() {
			return r, true
		}
	}
	return inventory.WaitingRoom{}, false
}

var _ ui.Screen = (*Model)(nil)
