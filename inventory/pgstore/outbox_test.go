package pgstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

func TestOutbox_headsOfLineOnly(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	z, later := lateZombie(t, s, "u-1", 1) // expired, then payment.late
	first, err := later.ClaimOutbox(ctx, 10, time.Minute)
	if err != nil || len(first) != 1 || first[0].Topic != inventory.TopicExpired || first[0].Seq != 2 {
		t.Fatalf("first claim = %+v, %v; want booking.expired alone", first, err)
	}
	if again, err := later.ClaimOutbox(ctx, 10, time.Minute); err != nil || len(again) != 0 {
		t.Errorf("second relay got %+v, %v while the head is leased", again, err)
	}
	if err := later.OutboxDelivered(ctx, z.Booking.ID, 2); err != nil {
		t.Fatal(err)
	}
	next, err := later.ClaimOutbox(ctx, 10, time.Minute)
	if err != nil || len(next) != 1 || next[0].Topic != inventory.TopicPaymentLate {
		t.Fatalf("after delivery = %+v, %v; want payment.late", next, err)
	}
	// The relay died: the lease ends and the message comes again.
	if again, err := s.After(t, 15*time.Minute).ClaimOutbox(ctx, 10, time.Minute); err != nil || len(again) != 1 {
		t.Errorf("after the lease: %+v, %v", again, err)
	}
}

// Case R4: poison at the head does not stop the others; the failures of one
// message park it, and the booking's next one goes on.
func TestOutbox_R4_poisonIsParked(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(200, 0))
	ctx := t.Context()
	for i := range 101 {
		b := s.Hold(t, fmt.Sprintf("u-%d", i), 1)
		if _, err := s.Store.ReleaseHold(ctx, b.ID, 0, mira, ""); err != nil {
			t.Fatal(err)
		}
	}
	batch, err := s.Store.ClaimOutbox(ctx, 100, time.Minute)
	if err != nil || len(batch) != 100 {
		t.Fatalf("claimed %d, %v", len(batch), err)
	}
	for _, m := range batch {
		if err := s.Store.OutboxFailed(ctx, m.BookingID, m.Seq, "422 no thanks", 0); err != nil {
			t.Fatal(err)
		}
	}
	rest, err := s.Store.ClaimOutbox(ctx, 100, time.Minute)
	if err != nil || len(rest) != 1 {
		t.Errorf("behind 100 poison rows: %d, %v; want the 101st", len(rest), err)
	}
	poison := batch[0]
	for range 11 {
		if err := s.Store.OutboxFailed(ctx, poison.BookingID, poison.Seq, "422 no thanks", 0); err != nil {
			t.Fatal(err)
		}
	}
	parked, err := s.Store.Outbox(ctx, inventory.OutboxFilter{Parked: true})
	if err != nil || len(parked) != 1 || parked[0].LastError != "422 no thanks" {
		t.Fatalf("parked = %+v, %v", parked, err)
	}
	if err := s.Store.RetryMessage(ctx, mira, poison.BookingID, poison.Seq); err != nil {
		t.Fatal(err)
	}
	status, err := s.Store.OutboxStatus(ctx)
	if err != nil || status.Parked != 0 || status.Open != 101 {
		t.Errorf("status = %+v, %v", status, err)
	}
}

// Two relays, a sink that fails one in five: every message at least once, the
// first sightings of a booking in the order of seq.
func TestOutbox_twoRelaysKeepOrder(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1000, 0))
	ctx := t.Context()
	for i := range 150 {
		b := s.Hold(t, fmt.Sprintf("u-%d", i), 1)
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, fmt.Sprintf("pay_%d", i)))
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, fmt.Sprintf("pay_%d_again", i))) // payment.late (duplicate)
		if _, err := s.Store.CancelBooking(ctx, b.ID, mira, "show cancelled", true); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	seen := map[inventory.BookingID][]int{}
	deadline, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for range 2 {
		store := s.DB.Store(t, 4)
		wg.Go(func() {
			at := s.Now(t)
			for deadline.Err() == nil {
				at = at.Add(time.Minute) // so that what failed is due again
				batch, err := store.At(at).ClaimOutbox(ctx, 40, 30*time.Second)
				if err != nil {
					t.Errorf("ClaimOutbox = %v", err)
					return
				}
				if len(batch) == 0 {
					if status, err := store.OutboxStatus(ctx); err != nil || status.Open == 0 {
						return
					}
				}
				for _, m := range batch {
					if rand.IntN(5) == 0 {
						err = store.At(at).OutboxFailed(ctx, m.BookingID, m.Seq, "503", 0)
					} else {
						mu.Lock()
						seen[m.BookingID] = append(seen[m.BookingID], m.Seq)
						mu.Unlock()
						err = store.OutboxDelivered(ctx, m.BookingID, m.Seq)
					}
					if err != nil {
						t.Errorf("mark = %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	if len(seen) != 150 {
		t.Fatalf("messages of %d bookings, want 150", len(seen))
	}
	for id, seqs := range seen {
		highest, first := 0, []int{}
		for _, seq := range seqs {
			if seq > highest {
				highest, first = seq, append(first, seq)
			}
		}
		if fmt.Sprint(first) != "[2 3 4]" {
			t.Errorf("booking %s: first sightings %v of %v, want confirmed, late, cancelled in order", id.Short(), first, seqs)
		}
	}
}
