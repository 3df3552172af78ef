package timezone

import (
	"sync"
	"time"
)

// Clock tells the time. Everything that needs the present takes one, so that a
// test decides what time it is.
type Clock interface {
	Now() time.Time
}

// SystemClock is the machine's clock, in UTC and therefore without Go's monotonic
// reading: if the machine's clock is put back, so is Now. It never decides
// expiry: PostgreSQL's clock does.
type SystemClock struct{}

// Now returns the present.
func (SystemClock) Now() time.Time { return time.Now().UTC() }

// FixedClock is a Clock that stands still.
type FixedClock time.Time

// Now returns the instant that the clock was made of.
func (c FixedClock) Now() time.Time { return time.Time(c).UTC() }

// ManualClock is a Clock that moves only when it is told to. The zero value
// stands at the zero time; it is safe for use by several goroutines.
type ManualClock struct {
	mu  sync.Mutex
	now time.Time
}

// NewManualClock returns a clock that stands at now.
func NewManualClock(now time.Time) *ManualClock {
	return &ManualClock{now: now.UTC()}
}

// Now returns the instant that the clock stands at.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set puts the clock to now, which may lie in its past.
func (c *ManualClock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now.UTC()
}

// Advance moves the clock by d and returns where it now stands.
func (c *ManualClock) Advance(d time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return c.now
}
