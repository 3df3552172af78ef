package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"holdfast/inventory"
)

// outboxRow is one message as fakeOutbox keeps it.
type outboxRow struct {
	message           inventory.OutboxMessage
	delivered, parked bool
	tries             int
	due               time.Time
	cause             string
	wait              time.Duration
}

// fakeOutbox is a relayStore in memory, with the rules of the real one: heads
// of line, leases, a delay that grows, parking.
type fakeOutbox struct {
	parkAfter  int
	wholeLines bool // claim all that waits for a booking at once
	down       error

	mu       sync.Mutex
	rows     []*outboxRow
	claims   []int // limit of each claim
	unnoted  int   // notes on a context that had ended
	repeated int   // notes about rows that were done
}

// newOutbox returns lines bookings with as many messages each, oldest first.
func newOutbox(lines, each int) *fakeOutbox {
	o := &fakeOutbox{parkAfter: 5}
	for range lines {
		id := inventory.NewBookingID()
		for seq := range each {
			o.rows = append(o.rows, &outboxRow{message: inventory.OutboxMessage{BookingID: id, Seq: seq + 1, Topic: inventory.TopicConfirmed}})
		}
	}
	return o
}

func (o *fakeOutbox) ClaimOutbox(_ context.Context, limit int, lease time.Duration) ([]inventory.OutboxMessage, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.claims = append(o.claims, limit)
	if o.down != nil {
		return nil, o.down
	}
	now := time.Now()
	behind := map[inventory.BookingID]bool{}
	var out []inventory.OutboxMessage
	for _, r := range o.rows {
		id := r.message.BookingID
		if r.delivered || r.parked || behind[id] || len(out) == limit {
			continue
		}
		if r.due.After(now) {
			behind[id] = true
			continue
		}
		behind[id] = !o.wholeLines
		r.due = now.Add(lease)
		m := r.message
		m.Attempt = r.tries + 1
		out = append(out, m)
	}
	return out, nil
}

func (o *fakeOutbox) OutboxDelivered(ctx context.Context, id inventory.BookingID, seq int) error {
	return o.note(ctx, id, seq, func(r *outboxRow) { r.delivered = true })
}

func (o *fakeOutbox) OutboxFailed(ctx context.Context, id inventory.BookingID, seq int, cause string, retryAfter time.Duration) error {
	return o.note(ctx, id, seq, func(r *outboxRow) {
		r.tries++
		r.cause, r.wait = cause, retryAfter
		r.parked = r.tries >= o.parkAfter
		r.due = time.Now().Add(max(retryAfter, time.Duration(r.tries)*time.Second))
	})
}

func (o *fakeOutbox) note(ctx context.Context, id inventory.BookingID, seq int, change func(*outboxRow)) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if ctx.Err() != nil {
		o.unnoted++
		return ctx.Err()
	}
	for _, r := range o.rows {
		if r.message.BookingID == id && r.message.Seq == seq {
			if r.delivered || r.parked {
				o.repeated++
			}
			change(r)
			return nil
		}
	}
	return inventory.ErrNotFound
}

// lease returns how long m is still kept from other relays.
func (o *fakeOutbox) lease(m inventory.OutboxMessage) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.rows {
		if r.message.ID() == m.ID() {
			return time.Until(r.due)
		}
	}
	return 0
}

// sum returns how many rows are in which state, and all tries that were counted.
func (o *fakeOutbox) sum() (delivered, parked, open, tries int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.rows {
		tries += r.tries
		switch {
		case r.delivered:
			delivered++
		case r.parked:
			parked++
		default:
			open++
		}
	}
	return delivered, parked, open, tries
}

// fakeSink answers what the test says, and remembers what overlapped.
type fakeSink struct {
	answer func(ctx context.Context, m inventory.OutboxMessage) error

	mu      sync.Mutex
	calls   int
	now     map[inventory.BookingID]int
	most    int // most deliveries at once
	overlap int // deliveries while another of the same booking was under way
	taken   map[inventory.BookingID][]int
}

func newSink(answer func(context.Context, inventory.OutboxMessage) error) *fakeSink {
	return &fakeSink{answer: answer, now: map[inventory.BookingID]int{}, taken: map[inventory.BookingID][]int{}}
}

func (s *fakeSink) Deliver(ctx context.Context, m inventory.OutboxMessage) error {
	s.mu.Lock()
	s.calls++
	if s.now[m.BookingID] > 0 {
		s.overlap++
	}
	s.now[m.BookingID]++
	total := 0
	for _, n := range s.now {
		total += n
	}
	s.most = max(s.most, total)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.now[m.BookingID]--
	}()
	err := s.answer(ctx, m)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken[m.BookingID] = append(s.taken[m.BookingID], m.Seq)
	}
	return err
}

// outOfOrder returns the first booking whose first sightings are not 1, 2, ... n.
func (s *fakeSink) outOfOrder(each int) string {
	for id, seqs := range s.taken {
		next := 1
		for _, seq := range seqs {
			if seq > next {
				return fmt.Sprintf("booking %s got %v", id, seqs)
			}
			if seq == next {
				next++
			}
		}
		if next != each+1 {
			return fmt.Sprintf("booking %s got %v of %d", id, seqs, each)
		}
	}
	return ""
}

func takes(context.Context, inventory.OutboxMessage) error { return nil }

// downError is an error that speaks of the sink, as those of the sinks do.
type downError struct{ after time.Duration }

func (downError) Error() string               { return "connection refused" }
func (downError) SinkDown() bool              { return true }
func (e downError) RetryAfter() time.Duration { return e.after }

func isDown(context.Context, inventory.OutboxMessage) error {
	return fmt.Errorf("deliver: %w", downError{})
}

func TestRelay_Run_inOrderAndBounded(t *testing.T) {
	t.Parallel()
	for name, wholeLines := range map[string]bool{"headsOfLine": false, "wholeLinesAtOnce": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				outbox := newOutbox(40, 6)
				outbox.wholeLines = wholeLines
				sink := newSink(func(context.Context, inventory.OutboxMessage) error { time.Sleep(time.Millisecond); return nil })
				got, err := NewRelay(outbox, sink, quiet()).Run(t.Context())
				if want := (Result{Done: 240, Detail: "240 messages delivered"}); got != want || err != nil {
					t.Errorf("Run = %+v, %v; want %+v", got, err, want)
				}
				if fault := sink.outOfOrder(6); fault != "" || sink.overlap != 0 || sink.calls != 240 {
					t.Errorf("%s, %d overlaps, %d calls; want each once, in order, one at a time", fault, sink.overlap, sink.calls)
				}
				if sink.most != relayCalls {
					t.Errorf("%d deliveries at once, want %d", sink.most, relayCalls)
				}
			})
		})
	}
	t.Run("nothingToDo", func(t *testing.T) {
		t.Parallel()
		if got, err := NewRelay(newOutbox(0, 0), newSink(takes), quiet()).Run(t.Context()); got != (Result{}) || err != nil {
			t.Errorf("Run = %+v, %v; want nothing", got, err)
		}
	})
	t.Run("onePassEnds", func(t *testing.T) {
		t.Parallel()
		outbox := newOutbox(3000, 1)
		got, err := NewRelay(outbox, newSink(takes), quiet()).Run(t.Context())
		if want := relayFirstClaim + (relayRounds-1)*relayClaim; got.Done != want || err != nil {
			t.Errorf("Run = %+v, %v; want %d of 3000", got, err, want)
		}
	})
}

// Two relays and a sink that fails one in five, in every way it can.
func TestRelay_Run_twoRelays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const lines, each = 150, 4
		outbox := newOutbox(lines, each)
		outbox.parkAfter = 1000
		var mu sync.Mutex
		random := rand.New(rand.NewPCG(1, 2))
		sink := newSink(func(ctx context.Context, m inventory.OutboxMessage) error {
			mu.Lock()
			roll, took := random.IntN(10), time.Duration(random.IntN(3000))*time.Millisecond
			mu.Unlock()
			time.Sleep(took)
			switch roll {
			case 0:
				return errors.New("the receiver answered 500")
			case 1:
				return isDown(ctx, m)
			}
			return nil
		})
		var relays sync.WaitGroup
		for range 2 {
			relays.Go(func() {
				for range 1000 {
					_, _ = NewRelay(outbox, sink, quiet()).Run(t.Context())
					if _, _, open, _ := outbox.sum(); open == 0 {
						return
					}
					time.Sleep(time.Second)
				}
			})
		}
		relays.Wait()
		if delivered, _, _, _ := outbox.sum(); delivered != lines*each {
			t.Fatalf("%d of %d delivered", delivered, lines*each)
		}
		if fault := sink.outOfOrder(each); fault != "" || sink.overlap != 0 || outbox.repeated != 0 {
			t.Errorf("%s, %d overlaps, %d notes about what was done", fault, sink.overlap, outbox.repeated)
		}
	})
}

// Case R4 and F29: a hundred messages that never get through do not stop the
// hundred and first, and end up parked with their reason.
func TestRelay_Run_R4_poisonAtTheHead(t *testing.T) {
	t.Parallel()
	const poison = 100
	for name, answer := range map[string]func(ctx context.Context, m inventory.OutboxMessage) error{
		"refused":  func(context.Context, inventory.OutboxMessage) error { return errors.New("the receiver answered 500") },
		"panicked": func(context.Context, inventory.OutboxMessage) error { panic("the receiver answered 500") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				outbox := newOutbox(poison+1, 2)
				bad := map[inventory.BookingID]bool{}
				for _, r := range outbox.rows[:2*poison] {
					bad[r.message.BookingID] = true
				}
				sink := newSink(func(ctx context.Context, m inventory.OutboxMessage) error {
					if bad[m.BookingID] && m.Seq == 1 {
						return answer(ctx, m)
					}
					return nil
				})
				relay := NewRelay(outbox, sink, quiet())
				got, err := relay.Run(t.Context())
				if want := (Result{Done: 2, Detail: "2 messages delivered, 100 failed"}); got != want || err != nil {
					t.Errorf("first pass: Run = %+v, %v; want %+v", got, err, want)
				}
				for range 20 {
					time.Sleep(time.Minute)
					if _, err := relay.Run(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				delivered, parked, open, tries := outbox.sum()
				if delivered != poison+2 || parked != poison || open != 0 || tries != poison*outbox.parkAfter {
					t.Errorf("%d delivered, %d parked, %d open, %d tries", delivered, parked, open, tries)
				}
				if cause := outbox.rows[0].cause; !strings.Contains(cause, "answered 500") {
					t.Errorf("parked with %q, want the reason", cause)
				}
			})
		})
	}
}

// Case R4: an outage of an hour parks nothing and is held against nothing.
func TestRelay_Run_R4_outage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		outbox := newOutbox(300, 1)
		sink := newSink(isDown)
		relay := NewRelay(outbox, sink, quiet())
		for range 360 {
			before := sink.calls
			got, err := relay.Run(t.Context())
			if err == nil || !strings.Contains(err.Error(), "the sink is down: deliver: connection refused") || got.Done != 0 {
				t.Fatalf("Run = %+v, %v; want a failed run that says why", got, err)
			}
			if calls := sink.calls - before; calls >= relayDown+relayCalls {
				t.Fatalf("%d calls in one pass, want it to end early", calls)
			}
			time.Sleep(10 * time.Second)
		}
		if _, parked, _, tries := outbox.sum(); parked != 0 || tries != 0 {
			t.Errorf("%d parked, %d tries counted; want none", parked, tries)
		}
		sink.answer = takes
		time.Sleep(relayLease)
		if got, err := relay.Run(t.Context()); got.Done != 300 || err != nil {
			t.Errorf("after the outage: Run = %+v, %v; want all 300", got, err)
		}
	})
}

func TestRelay_Run_sinkGoesDownInThePass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		outbox := newOutbox(300, 1)
		var mu sync.Mutex
		left := 50
		sink := newSink(func(ctx context.Context, m inventory.OutboxMessage) error {
			mu.Lock()
			left--
			up := left >= 0
			mu.Unlock()
			if up {
				return nil
			}
			return isDown(ctx, m)
		})
		got, err := NewRelay(outbox, sink, quiet()).Run(t.Context())
		_, parked, _, tries := outbox.sum()
		if got.Done != 50 || err == nil || parked != 0 || tries > relayCalls {
			t.Errorf("Run = %+v, %v; %d parked, %d tries counted; want 50 done, an error, and no more tries than were under way", got, err, parked, tries)
		}
	})
}

func TestRelay_Run_noAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines  int
		silent int // of them
		tries  int // counted in one pass
		fails  bool
	}{
		"aloneItSaysNothing":              {1, 1, 0, true},
		"allOfAFewSayNothing":             {relayDown - 1, relayDown - 1, 0, true},
		"oneAmongOthersIsHeldAgainstIt":   {20, 1, 1, false},
		"aFewAmongOthersAreHeldAgainstIt": {40, relayDown - 1, relayDown - 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				outbox := newOutbox(c.lines, 1)
				silent := map[inventory.BookingID]bool{}
				for _, r := range outbox.rows[c.lines-c.silent:] {
					silent[r.message.BookingID] = true
				}
				sink := newSink(func(_ context.Context, m inventory.OutboxMessage) error {
					if silent[m.BookingID] {
						return downError{after: 3 * time.Minute}
					}
					return nil
				})
				got, err := NewRelay(outbox, sink, quiet()).Run(t.Context())
				if _, _, _, tries := outbox.sum(); tries != c.tries || (err != nil) != c.fails || got.Done != c.lines-c.silent {
					t.Errorf("Run = %+v, %v; %d tries counted, want %d", got, err, tries, c.tries)
				}
				if last := outbox.rows[c.lines-1]; c.tries > 0 && last.wait != 3*time.Minute {
					t.Errorf("kept back for %s, want as long as the receiver asked", last.wait)
				}
			})
		})
	}
}

// No delivery, nor the note about it, outlasts its lease, however slow the sink
// is: another relay could by then have sent the message and the next one.
func TestRelay_Run_withinTheLease(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outbox     *fakeOutbox
		wholeLines bool
		takes      time.Duration
	}{
		"slow":             {newOutbox(300, 1), false, 15 * time.Second},
		"hanging":          {newOutbox(300, 1), false, time.Hour},
		"oneLineIsClaimed": {newOutbox(1, 100), true, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c.outbox.wholeLines = c.wholeLines
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				sink := newSink(func(ctx context.Context, m inventory.OutboxMessage) error {
					var err error
					select {
					case <-time.After(c.takes):
					case <-ctx.Done():
						err = downError{}
					}
					if left := c.outbox.lease(m); left < relayNoteLimit {
						t.Errorf("a delivery ended %s before its lease did", left)
					}
					return err
				})
				if _, err := NewRelay(c.outbox, sink, quiet()).Run(ctx); (err != nil) != (c.takes > relayCallLimit) {
					t.Errorf("Run = %v", err)
				}
				if sink.calls == 0 {
					t.Error("nothing was sent: the test shows nothing")
				}
			})
		})
	}
}

func TestRelay_Run_toldToStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		outbox := newOutbox(100, 1)
		ctx, cancel := context.WithCancel(t.Context())
		first := true
		var mu sync.Mutex
		sink := newSink(func(callCtx context.Context, m inventory.OutboxMessage) error {
			mu.Lock()
			mine := first
			first = false
			mu.Unlock()
			if mine { // this one is taken although the run ends during the call
				time.Sleep(time.Second) // until the others are under way
				cancel()
				return nil
			}
			<-callCtx.Done()
			return callCtx.Err()
		})
		got, _ := NewRelay(outbox, sink, quiet()).Run(ctx)
		delivered, _, _, tries := outbox.sum()
		if got.Done != 1 || delivered != 1 || tries != 0 || outbox.unnoted != 0 || sink.calls > relayCalls {
			t.Errorf("Run = %+v; %d written, %d tries counted, %d notes on a dead context, %d calls", got, delivered, tries, outbox.unnoted, sink.calls)
		}
	})
}

// brokenNotes cannot write that a message was delivered.
type brokenNotes struct{ *fakeOutbox }

func (brokenNotes) OutboxDelivered(context.Context, inventory.BookingID, int) error {
	return inventory.ErrBusy
}

func TestRelay_Run_storeFails(t *testing.T) {
	t.Parallel()
	t.Run("claim", func(t *testing.T) {
		t.Parallel()
		outbox := newOutbox(1, 1)
		outbox.down = inventory.ErrUnavailable
		if _, err := NewRelay(outbox, newSink(takes), quiet()).Run(t.Context()); !errors.Is(err, inventory.ErrUnavailable) {
			t.Errorf("Run = %v, want ErrUnavailable", err)
		}
	})
	t.Run("note", func(t *testing.T) {
		t.Parallel()
		outbox := newOutbox(1, 3)
		outbox.wholeLines = true
		sink := newSink(takes)
		got, err := NewRelay(brokenNotes{outbox}, sink, quiet()).Run(t.Context())
		if want := (Result{Done: 0, Detail: "1 not written down"}); got != want || !errors.Is(err, inventory.ErrBusy) || sink.calls != 1 {
			t.Errorf("Run = %+v, %v after %d calls; want %+v, and nothing after what could not be written", got, err, sink.calls, want)
		}
	})
}
