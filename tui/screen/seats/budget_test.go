package seats_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/canvas"
	"holdfast/tui/ui"
)

// arena is a hall of 10,000 seats, half of them taken.
func arena() *house {
	h := empty()
	h.seats = nil
	for s := range 10 {
		for r := range 20 {
			for n := 1; n <= 50; n++ {
				h.add(fmt.Sprintf("BLOCK %d", s+1), fmt.Sprint(r+1), n, "2", 12000)
			}
		}
	}
	for i := range h.seats {
		if s := &h.seats[i]; i%2 == 0 {
			s.State, s.BookingID = inventory.SeatBooked, bookingID(i/4+1)
		}
	}
	h.give(1, "u-1", inventory.StateConfirmed, 0, h.seats[0].ID)
	return h
}

// best is the shortest of some runs: what the code costs, not what else the
// machine does.
func best(runs int, f func()) time.Duration {
	var all []time.Duration
	for range runs {
		at := time.Now()
		f()
		all = append(all, time.Since(at))
	}
	return slices.Min(all)
}

// A hall of 10,000 seats answers a key, with its frame, within 16 ms, and draws
// what is on screen only.
func TestBudget_TenThousandSeats(t *testing.T) { //nolint:paralleltest // allocations of other tests would be counted
	c, m := openModel(t, arena())
	c.Resize(160, 50)
	for _, k := range []string{"down", "right", "tab", "]", "pgdown", "space", "z", "z"} {
		if d := best(5, func() { c.Press(k); c.View() }); d > 16*time.Millisecond {
			t.Errorf("%q and its frame took %v, want at most 16ms", k, d)
		}
	}
	if d := best(5, func() { c.Tick(); c.Tick(); c.View() }); d > 100*time.Millisecond {
		t.Errorf("a reading of 10,000 seats and its frame took %v", d)
	}

	area := canvas.New(160, 46, canvas.GlyphSet(false))
	m.Draw(area)
	if n := testing.AllocsPerRun(20, func() { m.Draw(area) }); n > 300 {
		t.Errorf("drawing allocates %.0f times", n)
	}
}

// An idle second on a hall changes row 1 only, unless a hold is under the cursor.
func TestBudget_AnIdleSecondIsQuiet(t *testing.T) {
	t.Parallel()

	c := open(t, gala())
	before := c.View()
	c.Tick()
	c.Tick()
	_, a, _ := cut(before)
	_, b, _ := cut(c.View())
	if a != b {
		t.Errorf("an idle second changed the screen:\n%s\n%s", a, b)
	}
}

func cut(view string) (head, rest string, found bool) {
	for i := range view {
		if view[i] == '\n' {
			return view[:i], view[i:], true
		}
	}
	return view, "", false
}

// Walking asks nothing; a booking is read once for a version of its seats,
// and again when the cursor has rested on it for some seconds.
func TestBudget_BookingsAreReadOnce(t *testing.T) {
	t.Parallel()

	h := gala()
	c := open(t, h)
	goTo(c, "F-11")
	h.asked = 0
	c.Press("right", "right", "right", "left", "left")
	if h.asked != 0 {
		t.Errorf("walking asked %d times", h.asked)
	}
	rest(c)
	c.Shows("u-1029, hold ..000090fa with F-13")
	c.Press("right")
	rest(c)
	c.Shows("u-1029, hold ..000090fa with F-12")
	if h.asked != 1 {
		t.Errorf("asked %d times for one booking, want 1", h.asked)
	}
	b := h.bookings[bookingID(0x90fa)]
	b.ExpiresAt = b.ExpiresAt.Add(5 * time.Minute)
	h.bookings[b.ID] = b
	for range 6 {
		c.Tick()
	}
	c.Shows("until 12:45:21")
	if h.asked > 3 {
		t.Errorf("asked %d times within 6 seconds", h.asked)
	}
}

// Times are by the database's clock, and UTC when the reader has switched.
func TestSeats_TimesLeft(t *testing.T) {
	t.Parallel()

	h := gala()
	c := open(t, h)
	goTo(c, "F-12")
	c.Shows("until 12:40:21, 02:1")
	c.Press("Z")
	c.Shows("until 11:40:21", "18:30 +00:00")
	c.Press("Z")
	c.Clock.Advance(2 * time.Minute)
	c.Tick()
	c.Clock.Advance(20 * time.Second)
	c.Tick()
	c.Shows("DUE v2", "until 12:40:21: over,", "not swept yet, still counted")
	goTo(c, "G-20")
	c.Shows("PAYING v2", "a payment was asked for, its", "end unknown: the seat is kept")
	goTo(c, "G-06")
	c.Shows("BOOKED v2", "u-2077, booking ..00007a02 with G-07, EUR 240.00 (cat. 2), confirmed")
	goTo(c, "F-25")
	c.Shows("OFF SALE v2", "off sale: camera")
	goTo(c, "A-04")
	c.Shows("NEEDS REPAIR v", "Its state and its owner contradict each other")
}

// The story of a seat has everything about its booking.
func TestSeats_Story(t *testing.T) {
	t.Parallel()

	c := open(t, gala())
	goTo(c, "F-12")
	c.Press("enter")
	c.Shows("SEAT F-12  HELD", "u-1029", "PARKETT F-12, F-13")
	c.Frame("story")
	c.Press("esc", "down", "right", "enter")
	c.Shows("SEAT G-13  FREE")
}

// Another venue in focus is another list of events.
func TestSeats_OtherVenue(t *testing.T) {
	t.Parallel()

	c, m := openModel(t, gala())
	goTo(c, "F-15")
	c.Press("space")
	m.Update(ui.VenueChanged{})
	c.Shows("COMING EVENTS", "asking the database")
	if _, ok := m.Cursor(); ok || len(m.Marks()) > 0 {
		t.Error("something of the other venue's hall is still there")
	}
}

// What is remembered of a booking is forgotten when any of its seats changes,
// also one that is not under the cursor.
func TestSeats_ABookingThatGrowsIsReadAnew(t *testing.T) {
	t.Parallel()

	h := gala()
	c := open(t, h)
	goTo(c, "F-12")
	c.Shows("with F-13, EUR 240.00")
	h.give(0x90fa, "u-1029", inventory.StateHeld, 0, h.id("F", 14))
	c.Tick()
	c.Shows("with F-13, F-14, EUR 360.00")
}
