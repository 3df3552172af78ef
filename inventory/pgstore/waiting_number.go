package pgstore

import (
	"context"
	"time"

	"holdfast/inventory"
)

const (
	numberLanes = 4
	numberMost  = 4096 // numbers drawn together
	numberQueue = 8192 // buyers who wait for one in a lane at most
	// drawLimit is how long one draw may take. It lies below what a caller waits for.
	drawLimit = 1200 * time.Millisecond
)

// newNumbers draws numbers of waiting rooms, told by their ids, for the buyers
// of one process together. A draw takes as many numbers as buyers wait for, so
// that none is left over and nobody is more out of order than one draw takes.
func newNumbers(s *Store) *coalescer[int64, int64] {
	return &coalescer[int64, int64]{
		lanes: make([]coalescerLane[int64, int64], numberLanes), most: numberMost, queue: numberQueue, log: s.log,
		decide: s.drawForAll, failed: inventory.ErrBusy,
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
	for room, waiting := range ofRoom {
		ctx, cancel := context.WithTimeout(context.Background(), drawLimit)
		first, err := s.drawNumbers(ctx, room, len(waiting))
		cancel()
		for i, q := range waiting {
			q.answer, q.err = first+int64(i), err
		}
	}
}
