package tuitest

import (
	"sync"
	"time"
)

// Start is the moment at which the clocks of tests stand: Friday 2026-12-04,
// 12:38:07 in Berlin.
var start = time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)

// Clock is a clock that only a test moves.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at 2026-12-04T11:38:07Z.
func NewClock() *Clock { return &Clock{now: start} }

// Now returns where the clock stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
