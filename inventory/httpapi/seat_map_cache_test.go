package httpapi

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/inventory"
	"holdfast/timezone"
)

// emptyHalls has every event, each with as many seats as it is told to.
type emptyHalls struct {
	events
	seats int
}

func (h emptyHalls) SeatMap(_ context.Context, id inventory.EventID) (inventory.SeatMap, error) {
	return inventory.SeatMap{Event: inventory.Event{ID: id}, Seats: make([]inventory.Seat, h.seats)}, nil
}

// Maps of so many events are kept and no more, and none that is too old to be
// served.
func TestSeatMaps_areBounded(t *testing.T) {
	t.Parallel()
	clock := timezone.NewManualClock(time.Date(2027, time.June, 1, 17, 0, 0, 0, time.UTC))
	c := newSeatMaps(emptyHalls{seats: 1}, clock, prometheus.NewCounter(prometheus.CounterOpts{Name: "built"}))
	ask := func(id inventory.EventID) {
		t.Helper()
		if _, err := c.get(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Millisecond)
	}
	first := inventory.NewEventID()
	ask(first)
	for range maxSeatMaps {
		ask(inventory.NewEventID())
	}
	if len(c.known) != maxSeatMaps || c.known[first] != nil {
		t.Errorf("%d maps are kept, want %d without the oldest", len(c.known), maxSeatMaps)
	}
	sum := 0
	for _, m := range c.known {
		sum += m.size()
	}
	if sum != c.bytes {
		t.Errorf("%d bytes are counted, want %d", c.bytes, sum)
	}
	clock.Advance(time.Second)
	ask(first)
	if len(c.known) != 1 {
		t.Errorf("%d maps are kept, want the one that is young", len(c.known))
	}
}

// Large halls are kept only as far as there is room, but the one that was just
// read always is.
func TestSeatMaps_areBoundedInBytes(t *testing.T) {
	t.Parallel()
	clock := timezone.NewManualClock(time.Date(2027, time.June, 1, 17, 0, 0, 0, time.UTC))
	c := newSeatMaps(nil, clock, nil)
	ids := []inventory.EventID{inventory.NewEventID(), inventory.NewEventID(), inventory.NewEventID()}
	for i, id := range ids {
		c.keep(id, &seatMap{readAt: clock.Now(), plain: make([]byte, maxSeatMapBytes/2)})
		clock.Advance(time.Millisecond)
		if want := min(i+1, 2); len(c.known) != want || c.known[id] == nil {
			t.Errorf("after %d: %d maps are kept, want %d with the last", i+1, len(c.known), want)
		}
	}
	c.keep(ids[0], &seatMap{readAt: clock.Now(), plain: make([]byte, maxSeatMapBytes+1)})
	if len(c.known) != 1 || c.known[ids[0]] == nil || c.bytes != maxSeatMapBytes+1 {
		t.Errorf("%d maps, %d bytes: want the one that fills it all", len(c.known), c.bytes)
	}
}
