package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/jobs"
	"holdfast/migrations/pgtest"
)

// manyMessages are 5,000 bookings with two messages each. They stand in the
// journal alone: the relay reads nothing else.
const manyMessages = `
INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, at, topic, data)
SELECT b.id, s.seq, s.from_state, s.to_state, s.cause, 'client:test', now(), journal_topic(s.from_state, s.to_state, s.cause), '{}'
  FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 5000)) b,
       (VALUES (1, 'NONE', 'HELD', 'hold'), (2, 'HELD', 'CONFIRMED', 'paid'), (3, 'CONFIRMED', 'CANCELLED', 'cancelled')) s (seq, from_state, to_state, cause)`

// flaky takes four deliveries in five and remembers what it was given, in order.
type flaky struct {
	mu    sync.Mutex
	taken map[inventory.BookingID][]int
	never map[inventory.BookingID]bool // nothing of these is ever taken
}

func (f *flaky) Deliver(_ context.Context, m inventory.OutboxMessage) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.never[m.BookingID] || m.Attempt < 3 && rand.IntN(5) == 0 { // the third time it is taken: a test does not wait for long backoffs
		return errors.New("422 no thanks")
	}
	f.taken[m.BookingID] = append(f.taken[m.BookingID], m.Seq)
	return nil
}

// complete counts bookings whose last message was taken.
func (f *flaky) complete() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, seqs := range f.taken {
		if seqs[len(seqs)-1] == 3 {
			n++
		}
	}
	return n
}

// 10,000 messages, two relays, a sink that fails one in five: every message is
// delivered at least once, and the first deliveries of a booking are in order.
// The first hundred bookings are poison, and nobody waits for them.
func TestRelay_tenThousandMessagesTwoRelays(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	if _, err := s.DB.Pool.Exec(ctx, manyMessages); err != nil {
		t.Fatal(err)
	}
	sink := &flaky{taken: map[inventory.BookingID][]int{}, never: map[inventory.BookingID]bool{}}
	head, err := s.Store.ClaimOutbox(ctx, 100, time.Microsecond)
	if err != nil || len(head) != 100 {
		t.Fatalf("the head of the line: %d, %v", len(head), err)
	}
	for _, m := range head {
		sink.never[m.BookingID] = true
	}

	deadline := time.Now().Add(2 * time.Minute)
	var wg sync.WaitGroup
	for range 2 {
		relay := jobs.NewRelay(s.DB.Store(t, 12), sink, slog.New(slog.DiscardHandler))
		wg.Go(func() {
			for time.Now().Before(deadline) && sink.complete() < 4900 {
				if _, err := relay.Run(ctx); err != nil {
					t.Errorf("relay: %v", err)
					return
				}
				time.Sleep(100 * time.Millisecond) // as the scheduler's interval, only shorter: what failed is due again after a second
			}
		})
	}
	wg.Wait()

	sink.mu.Lock()
	defer sink.mu.Unlock()
	if len(sink.taken) != 4900 {
		t.Errorf("messages of %d bookings were delivered, want 4900: all but the poison", len(sink.taken))
	}
	for id, seqs := range sink.taken {
		if last := seqs[len(seqs)-1]; seqs[0] != 2 || last != 3 {
			t.Errorf("booking %s: %v, want 2 and then 3", id.Short(), seqs)
		}
		for i := 1; i < len(seqs); i++ {
			if seqs[i] < seqs[i-1] {
				t.Errorf("booking %s: %v, first deliveries out of order", id.Short(), seqs)
			}
		}
	}
}
