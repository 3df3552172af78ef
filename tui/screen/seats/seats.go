// Package seats is the hall of one event: every seat with its letter, read out
// in words under the cursor, and what staff do with seats: hold, give, take off
// sale, move.
package seats

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// Name is the screen's name in routes and badges.
const Name = "seats"

const (
	pollSeats = time.Second
	// pollLarge is for halls of which a reading is work for the database.
	pollLarge  = 2 * time.Second
	large      = 2000 // seats
	pollEvents = 2 * time.Second
	readLimit  = 3 * time.Second
	maxEvents  = 200
	// lookBack keeps an event on the list while it goes on.
	lookBack = 12 * time.Hour
	// restBefore is how long the cursor must rest on a seat before its booking
	// is read, so that walking asks nothing.
	restBefore = 150 * time.Millisecond
)

// reader is what the screen looks at.
type reader interface {
	Events(ctx context.Context, f inventory.EventFilter) ([]inventory.Event, error)
	SeatMap(ctx context.Context, id inventory.EventID) (inventory.SeatMap, error)
	Booking(ctx context.Context, id inventory.BookingID) (inventory.Booking, error)
	Bookings(ctx context.Context, f inventory.BookingFilter) (inventory.BookingList, error)
	Journal(ctx context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error)
}

// writer is what the screen can do to seats.
type writer interface {
	HoldSeats(ctx context.Context, r inventory.SeatHoldRequest) (b inventory.Booking, replayed bool, err error)
	KillSeats(ctx context.Context, actor inventory.Actor, event inventory.EventID, seats []inventory.SeatID, reason string) ([]inventory.Seat, error)
	UnkillSeats(ctx context.Context, actor inventory.Actor, event inventory.EventID, seats []inventory.SeatID, reason string) ([]inventory.Seat, error)
	MoveBooking(ctx context.Context, r inventory.MoveRequest) (inventory.Booking, error)
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

	events ui.Query[[]inventory.Event]
	list   widget.Table[inventory.Event, inventory.EventID]
	event  inventory.EventID // whose hall is shown; zero: the list of events
	listed bool              // somebody asked for the list: it stays though there is one event

	seatMap ui.Query[inventory.SeatMap]
	hall    *hall
	cursor  inventory.SeatID
	wantX   int                         // the cell that walking up and down keeps to
	visited map[string]inventory.SeatID // where the cursor was in each section
	marks   map[inventory.SeatID]inventory.SeatState
	anchor  inventory.SeatID // where a range begins; 0: none
	left    string           // what became of marks, of the cursor's seat, of a move

	zoomed bool // out to blocks
	blocks widget.Table[block, blockKey]

	party   party
	about   aboutSeat
	moving  *moving
	finding finding

	width, high int
	top, shift  int // the first row and the first column on screen
	saving      int // changes without an answer
}

// New returns the halls of the venue in focus. It is called by the console's
// ui.Builder for routes with Name; store is a *pgstore.Store, and actor is who
// the journal and the audit name for what is done here.
func New(env *ui.Env, store store, actor inventory.Actor) *Model {
	m := &Model{env: env, store: store, actor: actor}
	m.list = widget.NewTable(func(e inventory.Event) inventory.EventID { return e.ID })
	m.blocks = widget.NewTable(func(b block) blockKey { return b.key })
	m.forget()
	return m
}

// forget drops the event that was shown and all that belongs to it.
func (m *Model) forget() {
	m.event, m.hall, m.cursor, m.wantX, m.anchor, m.left = inventory.EventID{}, nil, 0, 0, 0, ""
	m.visited, m.marks = map[string]inventory.SeatID{}, map[inventory.SeatID]inventory.SeatState{}
	m.zoomed, m.moving, m.party, m.top, m.shift = false, nil, party{}, 0, 0
	m.seatMap.Forget()
	m.blocks.SetRows(nil)
	m.about.forget()
	m.finding.stop()
}

// Init asks for the events.
func (m *Model) Init() tea.Cmd { return m.loadEvents() }

// SetSize takes the screen's size.
func (m *Model) SetSize(w, h int) {
	m.width, m.high = w, h
	m.list.Columns = m.eventColumns()
	m.list.SetHeight(m.layout().body.H)
	m.blocks.Columns = m.blockColumns()
	m.blocks.SetHeight(m.layout().body.H)
	m.follow()
}

// Update takes one message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch {
	case m.events.Take(msg):
		return tea.Batch(m.eventsRead(), ui.Report("read the events", m.events.Err()))
	case m.seatMap.Take(msg):
		return tea.Batch(m.seatsRead(), ui.Report("read the seats", m.seatMap.Err()))
	case m.about.query.Take(msg):
		return m.told()
	case m.finding.people.Take(msg):
		return m.peopleFound()
	}
	switch msg := msg.(type) {
	case ui.Tick:
		return m.tick(msg.Now)
	case ui.Shown, ui.Refresh:
		return m.loadAll()
	case ui.VenueChanged:
		m.forget()
		m.events.Forget()
		m.list.SetRows(nil)
		m.listed = false
		return m.loadEvents()
	case ui.Do:
		return m.do(msg.Verb)
	case ui.Click:
		return m.click(msg)
	case tea.KeyMsg:
		if m.finding.typing {
			m.finding.field.Key(msg)
		}
	case rested:
		if msg.of == m.party.key {
			return m.ask()
		}
	}
	return m.answer(msg)
}

// answer takes what dialogs were answered and what the database said to it.
func (m *Model) answer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case bookChosen:
		return m.book(msg)
	case bestWanted:
		return m.markBest(msg)
	case offChosen:
		return m.setOff(msg)
	case moveChosen:
		return m.move(msg)
	case booked:
		return m.booked(msg)
	case offSet:
		return m.offSet(msg)
	case seatMoved:
		return m.seatMoved(msg)
	}
	return nil
}

func (m *Model) do(v keys.Verb) tea.Cmd {
	switch {
	case m.finding.typing:
		return m.doFind(v)
	case m.event == inventory.EventID{}:
		return m.doList(v)
	case v == otherEvent:
		m.forget()
		m.listed = true
		return m.loadEvents()
	case v == keys.Filter:
		m.finding.begin()
		return nil
	case v == keys.Back:
		return m.back()
	case m.zoomed && m.blocks.Do(v):
		return m.intoBlock()
	case v == zoom:
		return m.zoom()
	case v == keys.Open && m.zoomed:
		return m.zoom()
	case m.walkTo(v), m.markWith(v):
		m.toBlock()
		return m.moved()
	}
	return m.openFor(v)
}

// openFor opens the dialog of a verb.
func (m *Model) openFor(v keys.Verb) tea.Cmd {
	switch v {
	case keys.Open:
		if m.moving != nil {
			return m.askMove()
		}
		return m.open()
	case bookFor:
		return m.askBook()
	case bestSeats:
		return m.askBest()
	case offSale:
		return m.askOff()
	case moveSeat:
		return m.beginMove()
	default: // Keys binds no other
	}
	return nil
}

// back leaves what was entered last: a move, a range, the marks, the zoom.
func (m *Model) back() tea.Cmd {
	switch {
	case m.moving != nil:
		m.moving = nil
	case m.anchor != 0:
		m.anchor = 0
	case len(m.marks) > 0:
		clear(m.marks)
	case m.zoomed:
		return m.zoom()
	}
	m.left = ""
	return nil
}

// under is the seat under the cursor.
func (m *Model) under() (inventory.Seat, bool) { return m.hall.seat(m.cursor) }

// click puts the cursor on what was clicked.
func (m *Model) click(at ui.Click) tea.Cmd {
	body := m.layout().body
	if !body.Contains(at.X, at.Y) {
		return nil
	}
	switch {
	case m.event == inventory.EventID{}:
		if e, ok := m.list.RowAt(at.Y - body.Y); ok {
			m.list.Select(e.ID)
		}
		return nil
	case m.zoomed:
		if b, ok := m.blocks.RowAt(at.Y - body.Y); ok {
			m.blocks.Select(b.key)
			return m.intoBlock()
		}
		return nil
	}
	if id, ok := m.seatAt(at.X-body.X, at.Y-body.Y); ok {
		m.put(m.hall.place[id], true)
		return m.moved()
	}
	return nil
}
