package pgstore

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"holdfast/inventory"
)

const (
	numberQueue = 4096 // buyers who wait for a number of one room at most
	// drawLimit is how long one draw may take. It lies below what a caller waits for.
	drawLimit = 1200 * time.Millisecond
)

// numbers draws numbers of waiting rooms for the buyers of one process
// together: those who come while a draw is under way share the next one. A draw
// takes as many numbers as buyers wait for, so that none is left over and
// nobody is more out of order than one draw takes. There is no timer.
type numbers struct {
	mu    sync.Mutex
	rooms map[int64][]*waitingNumber // there: a draw is under way
}

// waitingNumber is one buyer who waits for a number.
type waitingNumber struct {
	done   chan struct{} // closed when number and err are set
	number int64
	err    error
}

func newNumbers() *numbers { return &numbers{rooms: map[int64][]*waitingNumber{}} }

// NextNumber gives a buyer the next number of a room. After an error the number
// may be lost, and nobody else gets it.
func (s *Store) NextNumber(ctx context.Context, room int64) (int64, error) {
	w := &waitingNumber{done: make(chan struct{})}
	if !s.numbers.add(s, room, w) { //nolint:contextcheck // a draw is many callers': none of them may end it
		return 0, fmt.Errorf("%d buyers wait for a number already: %w", numberQueue, inventory.ErrBusy)
	}
	select {
	case <-w.done:
		return w.number, w.err
	case <-ctx.Done():
		return 0, fmt.Errorf("no number in time: %w", inventory.ErrBusy)
	}
}

func (q *numbers) add(s *Store, room int64, w *waitingNumber) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting, running := q.rooms[room]
	if len(waiting) >= numberQueue {
		return false
	}
	q.rooms[room] = append(waiting, w)
	if !running {
		go q.run(s, room)
	}
	return true
}

// run draws until nobody waits for a number of the room.
func (q *numbers) run(s *Store, room int64) {
	for {
		q.mu.Lock()
		waiting := q.rooms[room]
		if len(waiting) == 0 {
			delete(q.rooms, room)
			q.mu.Unlock()
			return
		}
		q.rooms[room] = nil
		q.mu.Unlock()
		draw(s, room, waiting)
	}
}

// draw gives all who wait their numbers, in the order in which they came.
func draw(s *Store, room int64, waiting []*waitingNumber) {
	ctx, cancel := context.WithTimeout(context.Background(), drawLimit)
	defer cancel()
	first, err := int64(0), error(inventory.ErrBusy)
	defer func() {
		if r := recover(); r != nil { // a buyer must not wait for ever
			s.log.Error("a draw of numbers panicked", slog.Any("panic", r), slog.String("stack", string(debug.Stack())))
		}
		for i, w := range waiting {
			w.number, w.err = first+int64(i), err
			close(w.done)
		}
	}()
	first, err = s.drawNumbers(ctx, room, len(waiting))
}
