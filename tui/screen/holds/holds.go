// Package holds is the screen of the holds that run now: who has which places,
// for how long still, and what to do about one. It can also show the bookings
// that are holds no longer, so that a buyer who calls late is found.
package holds

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

// Name is the screen's name in routes and badges.
const Name = "holds"

const (
	pollEvery = 2 * time.Second
	readLimit = 3 * time.Second
	// maxRows is how many bookings one answer holds; the filter narrows the rest.
	maxRows = 500
	// restBefore is how long the cursor must rest on a row before its story is
	// read, so that scrolling asks nothing.
	restBefore = 150 * time.Millisecond
)

// reader is what the screen looks at.
type reader interface {
	Bookings(ctx context.Context, f inventory.BookingFilter) (inventory.BookingList, error)
	Booking(ctx context.Context, id inventory.BookingID) (inventory.Booking, error)
	Journal(ctx context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error)
	Venue(ctx context.Context, slug string) (inventory.Venue, error)
}

// writer is what the screen can do to a hold.
type writer interface {
	ExtendHold(ctx context.Context, id inventory.BookingID, version int, by time.Duration, actor inventory.Actor, reason string) (inventory.Booking, error)
	ReleaseHold(ctx context.Context, id inventory.BookingID, version int, actor inventory.Actor, reason string) (inventory.Booking, error)
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

	list  ui.Query[answer]
	table widget.Table[inventory.Booking, inventory.BookingID]
	left  string // what became of the record that the cursor was on
	width int
	high  int

	back   inventory.BookingID // where the cursor belongs when the list comes back
	ended  bool                // bookings that are holds no longer are shown too
	search string              // the filter that is applied
	field  widget.Field
	typing bool

	story   ui.Query[story]
	storyOf drawn // the booking and version that story was asked for
	opening bool  // enter was pressed before the story had come

	saving map[inventory.BookingID]bool
}

// answer is one reading of the list.
type answer struct {
	inventory.BookingList
	last *inventory.Booking // the newest booking of all, read when there are no holds
}

// drawn is a booking as it was on screen.
type drawn struct {
	id      inventory.BookingID
	version int
}

// rested comes when the cursor has not moved for a while.
type rested struct{ of drawn }

// New returns the holds of the venue in focus. It is called by the console's
// ui.Builder for routes with Name; store is a *pgstore.Store, and actor is who
// the journal and the audit name for what is done here.
func New(env *ui.Env, store store, actor inventory.Actor) *Model {
	m := &Model{env: env, store: store, actor: actor, saving: map[inventory.BookingID]bool{}}
	m.table = widget.NewTable(func(b inventory.Booking) inventory.BookingID { return b.ID })
	m.table.Flag = m.flag
	return m
}

// Init asks for the list.
func (m *Model) Init() tea.Cmd { return m.load() }

// SetSize takes the screen's size.
func (m *Model) SetSize(w, h int) {
	m.width, m.high = w, h
	m.setColumns()
	m.table.SetHeight(m.layout().list.H)
}

// Update takes one message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if m.list.Take(msg) {
		return tea.Batch(m.listed(), ui.Report("read the holds", m.list.Err()))
	}
	if m.story.Take(msg) {
		return m.told()
	}
	switch msg := msg.(type) {
	case ui.Tick:
		if m.list.Due(msg.Now, pollEvery) {
			return m.load()
		}
	case ui.Shown, ui.Refresh:
		return m.load()
	case ui.VenueChanged:
		cmd := m.askAnew()
		m.back = inventory.BookingID{}
		return cmd
	case ui.Do:
		return m.do(msg.Verb)
	case ui.Click:
		if row, ok := m.table.RowAt(msg.Y - m.layout().list.Y); ok && msg.X < m.layout().list.W {
			m.table.Select(row.ID)
			return m.moved()
		}
	case tea.KeyMsg:
		if m.typing {
			m.field.Key(msg)
		}
	case rested:
		if row, ok := m.table.Selected(); ok && msg.of == drawnOf(row) {
			return m.ask(row)
		}
	case extendChosen:
		return m.extend(msg)
	case releaseChosen:
		return m.release(msg)
	case done:
		return m.done(msg)
	}
	return nil
}

func (m *Model) filter() inventory.BookingFilter {
	f := inventory.BookingFilter{Venue: m.env.Venue().Slug, Search: m.search, Limit: maxRows}
	if m.ended {
		f.States, f.Order = slices.Clone(inventory.BookingStates), inventory.OrderByNewest
	} else {
		f.Order = inventory.OrderByExpiry
	}
	return f
}

func (m *Model) load() tea.Cmd {
	f, store := m.filter(), m.store
	return m.list.Ask(m.env, "holds.list", readLimit, func(ctx context.Context) (answer, error) {
		l, err := store.Bookings(ctx, f)
		if err != nil || len(l.Bookings) > 0 || f.Search != "" {
			return answer{BookingList: l}, err
		}
		newest := inventory.BookingFilter{Venue: f.Venue, States: inventory.BookingStates, Order: inventory.OrderByNewest, Limit: 1}
		before, err := store.Bookings(ctx, newest)
		if err != nil || len(before.Bookings) == 0 {
			return answer{BookingList: l}, err
		}
		return answer{l, &before.Bookings[0]}, nil
	})
}

// askAnew asks after the question has become another one: the old answer says
// nothing about it, and no verb may reach a row that is not on screen.
func (m *Model) askAnew() tea.Cmd {
	if row, ok := m.table.Selected(); ok {
		m.back = row.ID
	}
	m.table.SetRows(nil)
	m.list.Forget()
	m.left = ""
	return m.load()
}

// listed takes over a new list. The cursor stays on its record; when that has
// left the list, the pane says so, since the cursor is now on another one.
func (m *Model) listed() tea.Cmd {
	if m.list.Err() != nil {
		return nil
	}
	before, had := m.table.Selected()
	gone := m.table.SetRows(m.list.Value().Bookings)
	m.setColumns()
	if gone && had {
		m.left = ".." + before.ID.Short() + " has left the list; this is the next one"
	}
	if m.table.Select(m.back) {
		m.back = inventory.BookingID{}
	}
	row, ok := m.table.Selected()
	if !ok {
		return nil
	}
	return m.ask(row)
}

// moved follows the cursor: the story of its row is read once it rests.
func (m *Model) moved() tea.Cmd {
	m.left = ""
	row, ok := m.table.Selected()
	if !ok || m.storyOf == drawnOf(row) {
		return nil
	}
	return ui.Ask(ui.Later{After: restBefore, Msg: rested{drawnOf(row)}})
}

// ask reads the story of a row unless that very version has been read.
func (m *Model) ask(row inventory.Booking) tea.Cmd {
	_, running := m.story.Running()
	if m.storyOf == drawnOf(row) && (running || m.story.Err() == nil) {
		return nil
	}
	m.story.Forget()
	m.storyOf = drawnOf(row)
	id, venue, store := row.ID, venueOf(row), m.store
	return m.story.Ask(m.env, "holds.story", readLimit, func(ctx context.Context) (story, error) {
		return readStory(ctx, store, id, venue)
	})
}

// told opens the story if somebody waits for it.
func (m *Model) told() tea.Cmd {
	if !m.opening {
		return nil
	}
	m.opening = false
	if err := m.story.Err(); err != nil {
		return ui.Report("read the hold", err)
	}
	return m.open()
}

func (m *Model) do(v keys.Verb) tea.Cmd {
	if m.table.Do(v) {
		return m.moved()
	}
	switch v {
	case keys.Filter:
		m.typing, m.field = true, widget.NewField(m.search, "buyer, pool, or the end of an id")
	case apply:
		m.typing = false
		return m.searchFor(m.field.Value())
	case keys.Back:
		if m.typing {
			m.typing = false
			return nil
		}
		return m.searchFor("")
	case showEnded:
		m.ended = !m.ended
		return m.askAnew()
	case keys.Open:
		return m.open()
	case keys.Edit:
		return m.askExtend()
	case keys.Release:
		return m.askRelease()
	default: // Keys binds no other
	}
	return nil
}

func (m *Model) searchFor(text string) tea.Cmd {
	if text == m.search {
		return nil
	}
	m.search = text
	return m.askAnew()
}

func drawnOf(b inventory.Booking) drawn { return drawn{b.ID, b.Version} }
