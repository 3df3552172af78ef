package pgstore

import (
	"context"
	"time"
)

const (
	numberLanes = 1    // so that draws have one connection at most
	numberMost  = 4096 // numbers drawn together
	numberQueue = 8192 // buyers who wait for one at most
	// drawLimit is how long the draws of one batch may take. It lies below what a caller waits for.
	drawLimit = 1200 * time.Millisecond
)

// newNumbers draws numbers of waiting rooms, told by their ids, for the buyers
// of one process together. A draw takes as many numbers as buyers wait for, so
// that none is left over and nobody is more out of order than one draw takes.
func newNumbers(s *Store) *coalescer[int64, int64] {
	return &coalescer[int64, int64]{
		lanes: make([]coalescerLane[int64, int64], numberLanes), most: numberMost, queue: numberQueue, needs: drawLimit, log: s.log,
		decide: s.drawForAll,
	}
}

// NextNumber gives a buyer the next number of a room. After an error the number
// may be lost, and nobody else gets it.
func (s *Store) NextNumber(ctx context.Context, room int64) (int64, error) {
	return s.numbers.do(ctx, uint64(room), room) //nolint:gosec // any lane will do
}

// drawForAll gives those who wait their numbers, in the order in which they came.
func (s *Store) drawForAll(batch []*question[int64, int64]) {
	ofRoom := map[int64][]*question[int64, int64]{}
	for _, q := range batch {
		ofRoom[q.ask] = append(ofRoom[q.ask], q)
	}
	ctx, cancel := context.WithTimeout(context.Background(), drawLimit)
	defer cancel()
	for room, waiting := range ofRoom { // one after the other: no draw waits with another line in hand
		first, err := s.drawNumbers(ctx, room, len(waiting))
		for i, q := range waiting {
			q.answer, q.err = first+int64(i), err
		}
	}
}
