package pgstore

import (
	"context"
	"fmt"
	"hash/maphash"
	"time"

	"holdfast/inventory"
)

const (
	laneCount = 64
	laneWidth = 2 // holds of one lane inside PostgreSQL at once: one decides while the next looks
	laneWait  = 1500 * time.Millisecond
)

// lanes let the holds of one process that want the same pool day wait for each
// other here, in order of arrival, instead of in PostgreSQL's lock queue with a
// connection each: a hot day neither starves the other days of connections nor
// runs into lock timeouts of its own making. PostgreSQL still decides.
type lanes struct {
	seed maphash.Seed
	lane [laneCount]chan struct{}
}

func newLanes() *lanes {
	l := &lanes{seed: maphash.MakeSeed()}
	for i := range l.lane {
		l.lane[i] = make(chan struct{}, laneWidth)
	}
	return l
}

// enter waits for a turn on key's lane and returns what gives it back. It fails
// with ErrBusy when the wait is longer than anybody should be kept.
func (l *lanes) enter(ctx context.Context, key string) (leave func(), err error) {
	lane := l.lane[maphash.String(l.seed, key)%laneCount]
	wait, cancel := context.WithTimeout(ctx, laneWait)
	defer cancel()
	select {
	case lane <- struct{}{}:
		return func() { <-lane }, nil
	case <-wait.Done():
		return nil, fmt.Errorf("no turn within %s: %w", laneWait, inventory.ErrBusy)
	}
}
