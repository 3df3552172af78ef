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

// party is the seats of the booking that has the seat under the cursor, and
// what it is known by: a booking that gets, loses or sees a change of any seat
// is another key, so that what is remembered of it is never of another time.
type party struct {
	seats []inventory.Seat
	key   seatKey
}

type seatKey struct {
	booking inventory.BookingID
	seats   uint64 // of the identities and versions of its seats
}

// meet finds the party of the seat under the cursor. It looks at every seat, so
// that it is done once for a reading and a place, not when drawing.
func (m *Model) meet() {
	m.party = party{}
	s, ok := m.under()
	if !ok || !taken(s) {
		return
	}
	m.party.seats = m.hall.of(s.BookingID)
	m.party.key.booking = s.BookingID
	const prime = 1_099_511_628_211
	for _, o := range m.party.seats {
		m.party.key.seats = (m.party.key.seats*prime+uint64(o.ID))*prime + uint64(o.Version)
	}
}

// rested comes when the cursor has not moved for a while.
type rested struct{ of seatKey }

// aboutSeat is what is known of the bookings of seats, asked once for each
// version of their seats.
type aboutSeat struct {
	query ui.Query[answer]
	of    seatKey // what query asks for
	known map[seatKey]known
	then  func(known) tea.Cmd // what waits for the answer; nil: nothing
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

// ask reads the booking under the cursor unless it is known.
func (m *Model) ask() tea.Cmd {
	k := m.party.key
	if (k == seatKey{}) || m.about.knows(k) {
		return nil
	}
	if _, running := m.about.query.Running(); running && m.about.of == k {
		return nil
	}
	return m.read(k)
}

func (m *Model) read(k seatKey) tea.Cmd {
	store := m.store
	m.about.query.Forget()
	m.about.of, m.about.then = k, nil
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
	k := m.party.key
	if (k == seatKey{}) || m.zoomed || !m.about.query.Due(now, renewAfter) {
		return nil
	}
	if known, ok := m.about.known[k]; ok && now.Sub(known.readAt) < renewAfter {
		return nil
	}
	return m.read(k)
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
	k := known{m.about.query.Value(), m.about.query.ReadAt()}
	m.about.known[m.about.of] = k
	if then == nil || m.party.key != m.about.of {
		return nil // nobody waits, the cursor has gone on, or seats have changed hands
	}
	return then(k)
}

// withBooking reads the booking under the cursor afresh and goes on with then:
// what is decided on is not what was remembered.
func (m *Model) withBooking(then func(known) tea.Cmd) tea.Cmd {
	cmd := m.read(m.party.key)
	m.about.then = then
	return cmd
}
