package pgstore

import (
	"context"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"holdfast/inventory"
)

const (
	laneCount = 64
	laneWidth = 2 // holds of one lane inside PostgreSQL at once: one decides while the next looks
	laneWait  = 1500 * time.Millisecond
)

// lanes let the holds of one process that want the same thing wait for each
// other here, in order of arrival, instead of in PostgreSQL's lock queue with a
// connection each: a hot day neither starves the other days of connections nor
// runs into lock timeouts of its own making. PostgreSQL still decides.
type lanes struct {
	seed maphash.Seed
	lane [laneCount]lane
}

type lane struct {
	turns chan struct{}
	queue atomic.Int32 // who waits for a turn

	mu      sync.Mutex
	moment  uint64       // counts what happens in the lane: an order, not a time
	refused refusedClaim // the latest
}

// refusedClaim is a claim that PostgreSQL refused whoever asks.
type refusedClaim struct {
	claim string
	asked uint64 // the moment before the transaction began
	err   error
}

func newLanes() *lanes {
	l := &lanes{seed: maphash.MakeSeed()}
	for i := range l.lane {
		l.lane[i].turns = make(chan struct{}, laneWidth)
	}
	return l
}

// waiting is how many wait for a turn.
func (l *lanes) waiting() int {
	n := 0
	for i := range l.lane {
		n += int(l.lane[i].queue.Load())
	}
	return n
}

// of returns the lane of those who want what key names.
func (l *lanes) of(key string) *lane { return &l.lane[maphash.String(l.seed, key)%laneCount] }

// enter waits for a turn and returns what gives it back. It fails with ErrBusy
// when the wait is longer than anybody should be kept.
func (l *lane) enter(ctx context.Context) (leave func(), err error) {
	wait, cancel := context.WithTimeout(ctx, laneWait)
	defer cancel()
	l.queue.Add(1)
	defer l.queue.Add(-1)
	select {
	case l.turns <- struct{}{}:
		return func() { <-l.turns }, nil
	case <-wait.Done():
		return nil, fmt.Errorf("no turn within %s: %w", laneWait, inventory.ErrBusy)
	}
}

// now is the next moment of the lane.
func (l *lane) now() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.moment++
	return l.moment
}

// note keeps a refusal for those who wait for the same claim.
func (l *lane) note(claim string, asked uint64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = refusedClaim{claim, asked, err}
}

// refusedSince returns the refusal of the same claim that was asked for after
// arrived: somebody who waited all that time would have got no other answer.
func (l *lane) refusedSince(claim string, arrived uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused.claim != claim || l.refused.asked < arrived {
		return nil
	}
	return l.refused.err
}
