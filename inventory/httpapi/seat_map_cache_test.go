package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
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

func (emptyHalls) SeatMapMark(context.Context, inventory.EventID) (inventory.SeatMapMark, error) {
	return inventory.SeatMapMark{Text: "as before"}, nil
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
	clock.Advance(seatMapMemory)
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

// A hall in which nothing has changed is not read again, and says how recently
// it was looked at; one that has changed is.
func TestSeatMaps_unchangedIsNotReadAgain(t *testing.T) {
	t.Parallel()
	clock := timezone.NewManualClock(time.Date(2027, time.June, 1, 17, 0, 0, 0, time.UTC))
	hall := &countedHall{clock: clock, mark: "1"}
	c := newSeatMaps(hall, clock, prometheus.NewCounter(prometheus.CounterOpts{Name: "built"}))
	id := inventory.NewEventID()
	var last *seatMap
	for i, tc := range []struct {
		mark  string
		reads int
	}{{"1", 1}, {"1", 1}, {"1", 1}, {"2", 2}, {"2", 2}} {
		hall.mark = tc.mark
		m, err := c.get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if want := clock.Now().Format(instantForm); !bytes.Contains(m.plain, []byte(want)) {
			t.Errorf("look %d: %.60s is not as of %s", i, m.plain, want)
		}
		if hall.reads != tc.reads || m == last {
			t.Errorf("look %d: read %d times, want %d", i, hall.reads, tc.reads)
		}
		if unzipped := unzip(t, m.compressed()); !bytes.Equal(unzipped, m.plain) {
			t.Errorf("look %d: compressed it is %.60s", i, unzipped)
		}
		last = m
		clock.Advance(seatMapLife)
	}
}

// countedHall counts how often its seats are read.
type countedHall struct {
	events
	clock timezone.Clock
	mark  string
	reads int
}

func (h *countedHall) SeatMap(_ context.Context, id inventory.EventID) (inventory.SeatMap, error) {
	h.reads++
	return inventory.SeatMap{Event: inventory.Event{ID: id}, Seats: make([]inventory.Seat, 3), AsOf: h.clock.Now()}, nil
}

func (h *countedHall) SeatMapMark(context.Context, inventory.EventID) (inventory.SeatMapMark, error) {
	return inventory.SeatMapMark{Text: h.mark, AsOf: h.clock.Now()}, nil
}

func unzip(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}
