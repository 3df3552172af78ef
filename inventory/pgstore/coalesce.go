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

// coalescer puts together what callers of one process ask at the same time:
// those who arrive while a batch is under way form the next one, so that a busy
// moment costs one statement for many callers and an idle one waits for nobody.
// There is no timer. What has the same lane is answered in the order in which it
// came.
type coalescer[Q, A any] struct {
	lanes []coalescerLane[Q, A]
	most  int           // asked together
	queue int           // that wait in a lane at most
	needs time.Duration // what a caller must have left to be taken into a batch
	log   *slog.Logger

	// decide sets the answer or the error of each. It has a limit of its own,
	// below what a caller waits for.
	decide func([]*question[Q, A])
}

type coalescerLane[Q, A any] struct {
	mu      sync.Mutex
	waiting []*question[Q, A]
	running bool
}

// question is one caller's on its way through a batch.
type question[Q, A any] struct {
	ask    Q
	answer A
	err    error
	done   chan struct{} // closed when answer and err are set
}

// do asks together with those who wait beside it. Besides the errors of decide
// it returns ErrBusy, and then nothing was asked: too many wait already, or no
// batch began while there was time for one. After a panic of decide it returns
// ErrUnknownOutcome.
func (c *coalescer[Q, A]) do(ctx context.Context, lane uint64, ask Q) (A, error) {
	q := &question[Q, A]{ask: ask, done: make(chan struct{})}
	l := &c.lanes[lane%uint64(len(c.lanes))]
	if !l.add(c, q) { // a batch is many callers': none of them may end it
		return q.answer, fmt.Errorf("%d wait already: %w", c.queue, inventory.ErrBusy)
	}
	patience := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		patience, cancel = context.WithDeadline(ctx, deadline.Add(-c.needs))
		defer cancel()
	}
	select {
	case <-q.done:
		return q.answer, q.err
	case <-patience.Done():
	}
	if l.leave(q) {
		return q.answer, fmt.Errorf("no turn in time: %w", inventory.ErrBusy)
	}
	<-q.done // under way, and decide is bounded: what became of it is worth waiting for
	return q.answer, q.err
}

// waiting is how many are in no batch yet.
func (c *coalescer[Q, A]) waiting() int {
	n := 0
	for i := range c.lanes {
		c.lanes[i].mu.Lock()
		n += len(c.lanes[i].waiting)
		c.lanes[i].mu.Unlock()
	}
	return n
}

// add lets a question wait for the next batch, and starts one if none is under
// way. It refuses where more wait than could be answered in time.
func (l *coalescerLane[Q, A]) add(c *coalescer[Q, A], q *question[Q, A]) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= c.queue {
		return false
	}
	l.waiting = append(l.waiting, q)
	if !l.running {
		l.running = true
		go l.run(c)
	}
	return true
}

// leave takes back a question that no batch has taken in yet.
func (l *coalescerLane[Q, A]) leave(q *question[Q, A]) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, w := range l.waiting {
		if w == q {
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// run decides batch after batch until nobody waits.
func (l *coalescerLane[Q, A]) run(c *coalescer[Q, A]) {
	for {
		batch := l.next(c.most)
		if batch == nil {
			return
		}
		c.answerAll(batch)
	}
}

// next takes those in who have waited longest; nil ends the run.
func (l *coalescerLane[Q, A]) next(most int) []*question[Q, A] {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.waiting), most)
	if n == 0 {
		l.running, l.waiting = false, nil
		return nil
	}
	batch := l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	return batch
}

func (c *coalescer[Q, A]) answerAll(batch []*question[Q, A]) {
	panicked := true
	defer func() {
		if r := recover(); r != nil {
			c.log.Error("a batch panicked", slog.Any("panic", r), slog.String("stack", string(debug.Stack())))
		}
		for _, q := range batch { // nobody must wait for ever
			if panicked {
				q.err = inventory.ErrUnknownOutcome
			}
			close(q.done)
		}
	}()
	c.decide(batch)
	panicked = false
}
