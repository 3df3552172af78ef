package httpapi

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"holdfast/inventory"
	"holdfast/timezone"
)

const (
	// seatMapLife is how long a map that was read is served: it is never older
	// than that and the read itself.
	seatMapLife = 250 * time.Millisecond
	// seatMapMemory is how long one is kept behind that, for a hall in which
	// nothing has changed meanwhile.
	seatMapMemory   = 10 * time.Second
	maxSeatMaps     = 64
	maxSeatMapBytes = 64 << 20
)

// seatMaps spares the database the same map for everybody who looks at a hall.
// It decides nothing: whoever wants to know whose a seat is asks the store.
type seatMaps struct {
	events events
	clock  timezone.Clock
	built  prometheus.Counter
	asking singleflight.Group

	mu    sync.Mutex
	known map[inventory.EventID]*seatMap
	bytes int
}

func newSeatMaps(e events, clock timezone.Clock, built prometheus.Counter) *seatMaps {
	return &seatMaps{events: e, clock: clock, built: built, known: map[inventory.EventID]*seatMap{}}
}

// get returns the map of an event, built at most once per event at a time. A
// failure is told to those who wait for it, and not kept.
func (c *seatMaps) get(ctx context.Context, id inventory.EventID) (*seatMap, error) {
	if m := c.fresh(id); m != nil {
		return m, nil
	}
	answer, err, _ := c.asking.Do(id.String(), func() (any, error) {
		if m := c.fresh(id); m != nil { // built between the look and the question
			return m, nil
		}
		return c.build(ctx, id)
	})
	m, _ := answer.(*seatMap)
	return m, err
}

// fresh returns the kept map if it is young enough. A clock that was put back
// makes no map young again.
func (c *seatMaps) fresh(id inventory.EventID) *seatMap {
	c.mu.Lock()
	m := c.known[id]
	c.mu.Unlock()
	if m == nil || !m.fresh(c.clock.Now()) {
		return nil
	}
	return m
}

// build reads and writes a map. Its limit is its own, since the first to ask
// may hang up.
func (c *seatMaps) build(ctx context.Context, id inventory.EventID) (*seatMap, error) {
	ctx, cancel := limited(ctx, "seats.map", storeLimit)
	defer cancel()
	mark, err := c.events.SeatMapMark(ctx, id)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	m := c.known[id]
	c.mu.Unlock()
	if m != nil && m.remembered(c.clock.Now()) && m.mark == mark.Text {
		m = m.again(mark.AsOf, c.clock.Now())
	} else {
		seats, err := c.events.SeatMap(ctx, id) // not before the mark: what changes between them is seen next time
		if err != nil {
			return nil, err
		}
		if m, err = buildSeatMap(seats, c.clock.Now()); err != nil {
			return nil, err
		}
		m.mark = mark.Text
		c.built.Inc()
	}
	c.keep(id, m)
	return m, nil
}

// keep remembers m and forgets what is too old, then the oldest,
// until there is room.
func (c *seatMaps) keep(id inventory.EventID, m *seatMap) {
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(id)
	for other, kept := range c.known {
		if !kept.remembered(now) {
			c.forget(other)
		}
	}
	for len(c.known) > 0 && (len(c.known) >= maxSeatMaps || c.bytes+m.size() > maxSeatMapBytes) {
		var oldest inventory.EventID
		for other, kept := range c.known {
			if first, ok := c.known[oldest]; !ok || kept.readAt.Before(first.readAt) {
				oldest = other
			}
		}
		c.forget(oldest)
	}
	c.known[id] = m
	c.bytes += m.size()
}

func (c *seatMaps) forget(id inventory.EventID) {
	if m, ok := c.known[id]; ok {
		c.bytes -= m.size()
		delete(c.known, id)
	}
}
