package seats

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/ui"
)

// renewAfter is how old the booking in the pane may become while the cursor
// rests on it: a hold that is extended does not change its seat.
const renewAfter = 5 * time.Second

// maxKnown bounds what is remembered of the seats that the cursor has visited.
const maxKnown = 200

// seatKey is a booking as one version of a seat knows it.
type seatKey struct {
	booking inventory.BookingID
	version int
}

func keyOf(s inventory.Seat) seatKey { return seatKey{s.BookingID, s.Version} }

// rested comes when the cursor has not moved for a while.
type rested struct{ of seatKey }

// aboutSeat is what is known of the bookings of seats, asked once for each
// version of a seat.
type aboutSeat struct {
	query ui.Query[answer]
	of    seatKey // what query asks for
	known map[seatKey]known
	then  func() tea.Cmd // what waits for the answer; nil: nothing
}

// answer is a booking with its journal, which only the story needs.
type answer struct {
	booking inventory.Booking
	journal []inventory.JournalEntry
}

type known struct {
	answer
	readAt time.Time
}

func (a *aboutSeat) forget() {
	a.query.Forget()
	a.of, a.known, a.then = seatKey{}, map[seatKey]known{}, nil
}

func (a *aboutSeat) knows(k seatKey) bool {
	_, ok := a.known[k]
	return ok
}

// ask reads the booking of a seat unless that very version has been read.
func (m *Model) ask(s inventory.Seat) tea.Cmd {
	if !taken(s) || m.about.knows(keyOf(s)) {
		return nil
	}
	if _, running := m.about.query.Running(); running && m.about.of == keyOf(s) {
		return nil
	}
	return m.read(keyOf(s))
}

func (m *Model) read(k seatKey) tea.Cmd {
	store := m.store
	m.about.query.Forget()
	m.about.of = k
	return m.about.query.Ask(m.env, "seats.booking", readLimit, func(ctx context.Context) (answer, error) {
		b, err := store.Booking(ctx, k.booking)
		if err != nil {
			return answer{}, err
		}
		entries, err := store.Journal(ctx, k.booking)
		return answer{b, entries}, err
	})
}

// renew reads the booking under a resting cursor again when it has become old.
func (m *Model) renew(now time.Time) tea.Cmd {
	s, ok := m.under()
	if !ok || !taken(s) || m.zoomed || !m.about.query.Due(now, renewAfter) {
		return nil
	}
	if k, ok := m.about.known[keyOf(s)]; ok && now.Sub(k.readAt) < renewAfter {
		return nil
	}
	return m.read(keyOf(s))
}

// told remembers the answer and goes on with what waited for it.
func (m *Model) told() tea.Cmd {
	then := m.about.then
	m.about.then = nil
	if err := m.about.query.Err(); err != nil {
		if then == nil {
			return nil // the pane says it
		}
		return ui.Report("read the booking", err)
	}
	if len(m.about.known) >= maxKnown {
		clear(m.about.known)
	}
	m.about.known[m.about.of] = known{m.about.query.Value(), m.about.query.ReadAt()}
	if then == nil {
		return nil
	}
	return then()
}

// withBooking goes on with then once the booking of the seat has been read.
func (m *Model) withBooking(s inventory.Seat, then func(known) tea.Cmd) tea.Cmd {
	if k, ok := m.about.known[keyOf(s)]; ok {
		return then(k)
	}
	key := keyOf(s)
	cmd := m.ask(s)
	m.about.then = func() tea.Cmd {
		k, ok := m.about.known[key]
		if here, there := m.under(); !ok || !there || keyOf(here) != key {
			return nil // the cursor has gone on, or the seat has changed hands
		}
		return then(k)
	}
	return cmd
}
