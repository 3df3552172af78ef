package seats_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/tui/app"
	"holdfast/tui/screen/seats"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// house is a store in memory that answers as the real one does.
type house struct {
	now      func() time.Time
	events   []inventory.Event
	seats    []inventory.Seat // of every event the same
	bookings map[inventory.BookingID]inventory.Booking
	journal  map[inventory.BookingID][]inventory.JournalEntry
	err      error  // of reads
	writeErr error  // of writes, after everything else was checked
	onWrite  func() // what happens before a write is judged
	lost     bool   // writes are done, their answers are lost

	writes []string
	asked  int // how often a booking was read
	keys   map[string]inventory.BookingID
}

var mira = inventory.Staff("mira")

// start is where the clock of tuitest stands.
var start = time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)

func eventID(n int) inventory.EventID {
	return inventory.EventID{UUID: uuid.MustParse(fmt.Sprintf("01990000-0000-7000-9000-0000%08x", n))}
}

func bookingID(n int) inventory.BookingID {
	return inventory.BookingID{UUID: uuid.MustParse(fmt.Sprintf("01990000-0000-7000-8000-0000%08x", n))}
}

func eur(minor inventory.Minor) inventory.Money {
	return inventory.Money{Minor: minor, Currency: "EUR"}
}

func event(n int, name string, at time.Time) inventory.Event {
	return inventory.Event{
		ID: eventID(n), Ref: inventory.EventRef{Venue: "harbour", Event: fmt.Sprintf("e-%d", n)}, Name: name, Zone: "Europe/Berlin",
		StartsAt: at, SalesUntil: at, HoldTTL: 5 * time.Minute, Currency: "EUR", Version: 1,
	}
}

func open(t testing.TB, h *house) *tuitest.Console {
	t.Helper()
	return tuitest.Open(t, options(h))
}

// openModel is open for tests that look behind the picture.
func openModel(t testing.TB, h *house) (*tuitest.Console, *seats.Model) {
	t.Helper()
	var m *seats.Model
	o := options(h)
	o.Screen = func(env *ui.Env) ui.Screen {
		h.now = env.Now
		m = seats.New(env, h, mira)
		return m
	}
	return tuitest.Open(t, o), m
}

func options(h *house) tuitest.Options {
	return tuitest.Options{
		Tabs: []app.Tab{{Title: "Seats", Route: ui.Route{Screen: seats.Name}}},
		Screen: func(env *ui.Env) ui.Screen {
			h.now = env.Now
			return seats.New(env, h, mira)
		},
		Config: func(c *app.Config) {
			c.Offline = func(err error) bool { return errors.Is(err, inventory.ErrUnavailable) }
			c.Explain = inventory.Message
		},
	}
}

// empty is a hall of one gala: stalls with two aisles, a small balcony. Every
// seat is free.
func empty() *house {
	h := &house{
		events:   []inventory.Event{event(1, "Gala", time.Date(2026, 12, 4, 18, 30, 0, 0, time.UTC))},
		bookings: map[inventory.BookingID]inventory.Booking{}, journal: map[inventory.BookingID][]inventory.JournalEntry{},
		keys: map[string]inventory.BookingID{},
	}
	for _, r := range "ABCDEFGHIJKL" {
		for n := 1; n <= 30; n++ {
			if n != 8 && n != 23 {
				h.add("PARKETT", string(r), n, "2", 12000)
			}
		}
	}
	for r := 1; r <= 3; r++ {
		for n := 1; n <= 8+2*r; n++ {
			h.add("BALKON", fmt.Sprint(r), n, "3", 6500)
		}
	}
	return h
}

func (h *house) add(section, row string, n int, category string, price inventory.Minor) {
	h.seats = append(h.seats, inventory.Seat{
		ID: inventory.SeatID(len(h.seats) + 1), Section: section, Row: row, Number: n, Category: category,
		Price: eur(price), State: inventory.SeatAvailable, Version: 1,
	})
}

// gala is the hall on a busy evening, with what the tests look for: F-12 and
// F-13 held by u-1029, C-06 and C-07 booked by u-2077, B-04 being paid.
func gala() *house {
	h := empty()
	for i := range h.seats {
		switch x := (i*7 + i*i/3) % 11; {
		case h.seats[i].Row == "F" || h.seats[i].Row == "G": // kept for the tests
		case x < 6:
			h.give(1000+i/2, fmt.Sprintf("p-%d", 1000+i/2), inventory.StateConfirmed, 0, h.seats[i].ID)
		case x == 7:
			h.give(5000+i, fmt.Sprintf("p-%d", 5000+i), inventory.StateHeld, 4*time.Minute, h.seats[i].ID)
		case x == 9 && i%4 == 0:
			h.seats[i].State, h.seats[i].KillReason = inventory.SeatKilled, "behind a pillar"
		}
	}
	h.seats[3].NeedsRepair = true
	h.give(0x90fa, "u-1029", inventory.StateHeld, 134*time.Second, h.id("F", 12), h.id("F", 13))
	h.give(0x7a02, "u-2077", inventory.StateConfirmed, 0, h.id("G", 6), h.id("G", 7))
	h.give(0x9140, "u-7718", inventory.StatePaymentPending, time.Minute, h.id("G", 20))
	h.kill(h.id("F", 25), "camera")
	return h
}

// id is a seat of the stalls.
func (h *house) id(row string, n int) inventory.SeatID { return h.find(row, n).ID }

func (h *house) find(row string, n int) *inventory.Seat {
	for i := range h.seats {
		if h.seats[i].Row == row && h.seats[i].Number == n {
			return &h.seats[i]
		}
	}
	panic(fmt.Sprintf("the hall has no %s-%d", row, n))
}

func (h *house) at(id inventory.SeatID) *inventory.Seat {
	for i := range h.seats {
		if h.seats[i].ID == id {
			return &h.seats[i]
		}
	}
	return nil
}

func (h *house) kill(id inventory.SeatID, why string) {
	s := h.at(id)
	s.State, s.KillReason = inventory.SeatKilled, why
	s.Version++
}

// give makes a booking of seats; it replaces what they had.
func (h *house) give(n int, buyer string, state inventory.BookingState, left time.Duration, ids ...inventory.SeatID) inventory.BookingID {
	id := bookingID(n)
	b, there := h.bookings[id]
	if !there {
		b = inventory.Booking{
			ID: id, Kind: inventory.ClaimSeats, Name: "Gala", EventID: eventID(1), Buyer: buyer, State: state, Version: 1,
			CreatedAt: start.Add(-3 * time.Minute), UpdatedAt: start.Add(-3 * time.Minute), Amount: eur(0),
		}
		if state.Hold() {
			b.ExpiresAt = start.Add(left)
		}
		h.journal[id] = []inventory.JournalEntry{{BookingID: id, Seq: 1, From: inventory.StateNone, To: state, Cause: inventory.CauseHold, Actor: "client:shop", At: b.CreatedAt}}
	}
	for _, seat := range ids {
		s := h.at(seat)
		s.State, s.BookingID, s.KillReason, s.NeedsRepair = inventory.SeatHeld, id, "", false
		if state == inventory.StateConfirmed {
			s.State = inventory.SeatBooked
		}
		s.Version++
		b.Amount.Minor += s.Price.Minor
		b.Seats = append(b.Seats, *s)
	}
	h.bookings[id] = b
	return id
}

// drop ends a booking and frees its seats.
func (h *house) drop(id inventory.BookingID) {
	b := h.bookings[id]
	b.State = inventory.StateExpired
	b.Version++
	h.bookings[id] = b
	for i := range h.seats {
		if h.seats[i].BookingID == id {
			h.seats[i].State, h.seats[i].BookingID = inventory.SeatAvailable, inventory.BookingID{}
			h.seats[i].Version++
		}
	}
}

func (h *house) Events(_ context.Context, f inventory.EventFilter) ([]inventory.Event, error) {
	if h.err != nil {
		return nil, h.err
	}
	var out []inventory.Event
	for _, e := range h.events {
		if f.Venue == e.Ref.Venue && !e.StartsAt.Before(f.From) {
			e.Seats = h.counts()
			out = append(out, e)
		}
	}
	return out, nil
}

func (h *house) counts() (c inventory.SeatCounts) {
	for _, s := range h.seats {
		switch s.State {
		case inventory.SeatAvailable:
			c.Available++
		case inventory.SeatHeld:
			c.Held++
		case inventory.SeatBooked:
			c.Booked++
		case inventory.SeatKilled:
			c.Killed++
		}
	}
	return c
}

func (h *house) SeatMap(_ context.Context, id inventory.EventID) (inventory.SeatMap, error) {
	if h.err != nil {
		return inventory.SeatMap{}, h.err
	}
	for _, e := range h.events {
		if e.ID == id {
			e.Seats = h.counts()
			return inventory.SeatMap{Event: e, Seats: slices.Clone(h.seats), AsOf: h.now()}, nil
		}
	}
	return inventory.SeatMap{}, inventory.ErrNotFound
}

func (h *house) Booking(_ context.Context, id inventory.BookingID) (inventory.Booking, error) {
	h.asked++
	b, ok := h.bookings[id]
	switch {
	case h.err != nil:
		return b, h.err
	case !ok:
		return b, inventory.ErrNotFound
	}
	return b, nil
}

func (h *house) Bookings(_ context.Context, f inventory.BookingFilter) (inventory.BookingList, error) {
	l := inventory.BookingList{AsOf: h.now()}
	for _, b := range h.bookings {
		if slices.Contains(f.States, b.State) && strings.Contains(b.Buyer, f.Search) {
			l.Bookings = append(l.Bookings, b)
		}
	}
	return l, h.err
}

func (h *house) Journal(_ context.Context, id inventory.BookingID) ([]inventory.JournalEntry, error) {
	return h.journal[id], h.err
}

// judge lets a write happen unless a seat of it is not in the state it must be in.
func (h *house) judge(what string, ids []inventory.SeatID, state inventory.SeatState) error {
	if h.onWrite != nil {
		h.onWrite()
	}
	h.writes = append(h.writes, what)
	var taken inventory.SeatTakenError
	for _, id := range ids {
		if s := h.at(id); s == nil || s.State != state {
			taken.Seats = append(taken.Seats, id)
		}
	}
	if len(taken.Seats) > 0 {
		return &taken
	}
	return h.writeErr
}

// answered is the answer of a write that was done.
func (h *house) answered() error {
	if h.lost {
		return errors.Join(errors.New("commit"), inventory.ErrUnknownOutcome)
	}
	return nil
}

func (h *house) short(ids []inventory.SeatID) string {
	var out []string
	for _, id := range ids {
		out = append(out, h.at(id).Short())
	}
	return strings.Join(out, ",")
}

func (h *house) HoldSeats(_ context.Context, r inventory.SeatHoldRequest) (inventory.Booking, bool, error) {
	if err := r.Validate(); err != nil {
		return inventory.Booking{}, false, err
	}
	what := fmt.Sprintf("hold %s for %q", h.short(r.Seats), r.Buyer)
	if r.Comp {
		what = fmt.Sprintf("comp %s for %q %q", h.short(r.Seats), r.Buyer, r.Reason)
	}
	if id, ok := h.keys[r.IdempotencyKey]; ok {
		return h.bookings[id], true, nil
	}
	if err := h.judge(what, r.Seats, inventory.SeatAvailable); err != nil {
		return inventory.Booking{}, false, err
	}
	state, n := inventory.StateHeld, 0xb000+len(h.bookings)
	if r.Comp {
		state = inventory.StateConfirmed
	}
	id := h.give(n, r.Buyer, state, h.now().Add(5*time.Minute).Sub(start), r.Seats...)
	b := h.bookings[id]
	b.IdempotencyKey = r.IdempotencyKey
	h.bookings[id], h.keys[r.IdempotencyKey] = b, id
	return b, false, h.answered()
}

func (h *house) KillSeats(_ context.Context, _ inventory.Actor, _ inventory.EventID, ids []inventory.SeatID, reason string) ([]inventory.Seat, error) {
	if err := h.judge(fmt.Sprintf("kill %s %q", h.short(ids), reason), ids, inventory.SeatAvailable); err != nil {
		return nil, err
	}
	for _, id := range ids {
		h.kill(id, reason)
	}
	return nil, h.answered()
}

func (h *house) UnkillSeats(_ context.Context, _ inventory.Actor, _ inventory.EventID, ids []inventory.SeatID, reason string) ([]inventory.Seat, error) {
	err := h.judge(fmt.Sprintf("unkill %s %q", h.short(ids), reason), ids, inventory.SeatKilled)
	if errors.Is(err, inventory.ErrSeatTaken) {
		err = inventory.ErrNotAllowed
	}
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		s := h.at(id)
		s.State, s.KillReason = inventory.SeatAvailable, ""
		s.Version++
	}
	return nil, h.answered()
}

func (h *house) MoveBooking(_ context.Context, r inventory.MoveRequest) (inventory.Booking, error) {
	b := h.bookings[r.ID]
	if h.onWrite != nil {
		h.onWrite()
	}
	if now := h.bookings[r.ID]; now.Version != r.Version {
		return now, &inventory.StaleError{Object: "booking", Seen: r.Version, Current: now.Version}
	}
	var fresh []inventory.SeatID
	for _, id := range r.Seats {
		if h.at(id).BookingID != r.ID {
			fresh = append(fresh, id)
		}
	}
	onWrite := h.onWrite
	h.onWrite = nil
	err := h.judge(fmt.Sprintf("move %s to %s v%d keep=%t %q", r.ID.Short(), h.short(r.Seats), r.Version, r.KeepAmount, r.Reason), fresh, inventory.SeatAvailable)
	h.onWrite = onWrite
	if err != nil {
		return b, err
	}
	was, amount := b.State, b.Amount
	h.drop(r.ID)
	b.Version, b.Seats, b.Amount = r.Version+1, nil, eur(0)
	h.bookings[r.ID] = b
	h.give(0, "", was, 0) // nothing; the booking is there already
	id := r.ID
	for _, seat := range r.Seats {
		s := h.at(seat)
		s.State, s.BookingID = inventory.SeatHeld, id
		if was == inventory.StateConfirmed {
			s.State = inventory.SeatBooked
		}
		s.Version++
		b.Amount.Minor += s.Price.Minor
		b.Seats = append(b.Seats, *s)
	}
	if r.KeepAmount {
		b.Amount = amount
	}
	h.bookings[id] = b
	h.journal[id] = append(h.journal[id], inventory.JournalEntry{BookingID: id, Seq: b.Version, From: was, To: was, Cause: "moved", Actor: r.Actor.String(), At: h.now(), Reason: r.Reason})
	return b, h.answered()
}
