package pgstore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// The experiments that the teaching documents report, repeated here. Their
// figures are invariants, not speeds.

var soak = flag.Duration("soak", 6*time.Second, "how long the sale of 300 holds a second runs")

// 20 connections, 8 seconds, 5,000 buyers at random, 1,000 places.
func TestExperiment_C11_thousandPlaces(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1000, 0))
	stores := []*pgstore.Store{s.DB.Store(t, 10), s.DB.Store(t, 10)}          // two processes
	least, most := time.Now().Add(8*time.Second), time.Now().Add(time.Minute) // on a busy machine until it is sold out
	var soldOut atomic.Bool
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			for now := time.Now(); now.Before(least) || !soldOut.Load() && now.Before(most); now = time.Now() {
				_, _, err := stores[i%2].PlaceHold(t.Context(), s.Request(fmt.Sprintf("u-%d", rand.IntN(5000)), 1))
				switch {
				case errors.Is(err, inventory.ErrSoldOut):
					soldOut.Store(true)
				case err != nil && !errors.Is(err, inventory.ErrHoldExists) && !errors.Is(err, inventory.ErrBusy):
					t.Errorf("PlaceHold = %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	if got := s.Taken(t); got != 1000 {
		t.Errorf("taken = %d, want 1000", got)
	}
	var live, buyers int
	err := s.DB.Pool.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT buyer) FROM booking WHERE state = 'HELD'`).Scan(&live, &buyers)
	if err != nil || live != 1000 || buyers != 1000 {
		t.Errorf("%d live holds of %d buyers, %v; want 1000 and 1000", live, buyers, err)
	}
	s.DB.AssertNoDeadlocks(t)
}

// 1,000 holds that live 4 s, 4 sweeps and 8 senders of callbacks, 9 s.
func TestExperiment_C12_sweepAgainstCallbacks(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1000, 0), pgtest.PerBuyer(0), pgtest.HoldTTL(4*time.Second), pgtest.Late(inventory.LateAsk))
	var mu sync.Mutex
	var holds []inventory.Booking
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 125 {
				b := s.Hold(t, fmt.Sprintf("u-%d-%d", i, j), 1)
				mu.Lock()
				holds = append(holds, b)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
	defer cancel()
	for range 4 {
		sweeper := s.DB.Store(t, 2)
		wg.Go(func() {
			for ctx.Err() == nil {
				if err := pgtest.Again(func() error { _, err := sweeper.SweepHolds(t.Context(), 50); return err }); err != nil {
					t.Errorf("SweepHolds = %v", err)
					return
				}
			}
		})
	}
	for range 8 {
		wg.Go(func() {
			for ctx.Err() == nil {
				b := holds[rand.IntN(len(holds))]
				pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_"+b.ID.String()))
			}
		})
	}
	wg.Wait()
	for { // what is left is past its end by now
		res, err := s.After(t, time.Minute).SweepHolds(t.Context(), 500)
		if err != nil {
			t.Fatal(err)
		}
		if res.Expired == 0 {
			break
		}
	}
	var confirmed, expired, both int
	err := s.DB.Pool.QueryRow(t.Context(), `
		SELECT count(*) FILTER (WHERE state = 'CONFIRMED'), count(*) FILTER (WHERE state = 'EXPIRED'),
		       (SELECT count(*) FROM (SELECT booking_id FROM journal GROUP BY booking_id
		         HAVING bool_or(to_state = 'CONFIRMED') AND bool_or(to_state = 'EXPIRED')) x)
		  FROM booking`).Scan(&confirmed, &expired, &both)
	if err != nil {
		t.Fatal(err)
	}
	if confirmed+expired != 1000 || s.Taken(t) != confirmed || both != 0 {
		t.Errorf("confirmed %d + expired %d = %d, taken %d, both %d; want 1000, taken = confirmed, both 0",
			confirmed, expired, confirmed+expired, s.Taken(t), both)
	}
	if confirmed == 0 || expired == 0 {
		t.Errorf("confirmed %d, expired %d: the race was not run", confirmed, expired)
	}
	s.DB.AssertNoDeadlocks(t)
}

// One expired booking with a captured payment, 8 connections, 800 revives.
func TestExperiment_C13_eightHundredRevives(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	z, later := lateZombie(t, s, "u-1", 3)
	before := s.Taken(t)
	var won atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				err := pgtest.Again(func() error {
					_, err := later.ReviveZombie(t.Context(), z.Payment.ID, 0, mira, "phoned")
					return err
				})
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, inventory.ErrNotAllowed):
					t.Errorf("ReviveZombie = %v", err)
				}
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || s.Taken(t)-before != 3 {
		t.Errorf("%d revives succeeded, taken rose by %d; want 1 and 3", won.Load(), s.Taken(t)-before)
	}
	journal, err := s.Store.Journal(t.Context(), z.Booking.ID)
	revives := 0
	for _, j := range journal {
		if j.Cause == inventory.CauseRevived {
			revives++
		}
	}
	if err != nil || revives != 1 {
		t.Errorf("%d journal rows for the revive, %v; want 1", revives, err)
	}
}

// The story: An holds at 20:00:01, is swept at 20:10:05, Binh takes the freed
// place at 20:10:20, An's payment arrives at 20:11:00.
func TestExperiment_C14_anAndBinh(t *testing.T) {
	t.Parallel()
	story := func(t *testing.T, capacity int) (pgtest.Shop, *pgstore.Store, inventory.PaymentID) {
		t.Helper()
		s := pgtest.OpenShop(t, pgtest.Capacity(capacity, 0))
		start := s.Now(t)
		at := func(minutes, seconds int) *pgstore.Store {
			return s.Store.At(start.Add(time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second))
		}
		an, _, err := at(0, 1).PlaceHold(t.Context(), s.Request("an", 1))
		if err != nil {
			t.Fatal(err)
		}
		if res, err := at(10, 5).SweepHolds(t.Context(), 500); err != nil || res.Expired != 1 {
			t.Fatalf("sweep at 20:10:05 = %+v, %v", res, err)
		}
		if _, _, err := at(10, 20).PlaceHold(t.Context(), s.Request("binh", 1)); err != nil {
			t.Fatal(err)
		}
		late := at(11, 0)
		pgtest.Deliver(t, late, pgtest.Captured(an, "pay_an"))
		p := booking(t, s, an.ID).Payments[0]
		if p.Standing != inventory.StandingZombie || p.ZombieKind != inventory.ZombieLate {
			t.Fatalf("An's payment = %+v, want a late zombie", p)
		}
		return s, late, p.ID
	}
	t.Run("noRoomReviveIsRefusedAndRefundWorks", func(t *testing.T) {
		t.Parallel()
		s, late, id := story(t, 1)
		if _, err := late.ReviveZombie(t.Context(), id, 0, mira, "phoned"); !errors.Is(err, inventory.ErrSoldOut) {
			t.Errorf("revive = %v, want ErrSoldOut", err)
		}
		if _, err := late.RefundPayment(t.Context(), id, 0, 0, mira, "no room"); err != nil {
			t.Errorf("refund = %v", err)
		}
		if got := s.Taken(t); got != 1 {
			t.Errorf("taken = %d, want Binh's 1", got)
		}
	})
	t.Run("withRoomReviveWorksOnce", func(t *testing.T) {
		t.Parallel()
		s, late, id := story(t, 2)
		b, err := late.ReviveZombie(t.Context(), id, 0, mira, "phoned")
		if err != nil || b.State != inventory.StateConfirmed || s.Taken(t) != 2 {
			t.Errorf("revive = %s, %v; taken %d", b.State, err, s.Taken(t))
		}
		if _, err := late.ReviveZombie(t.Context(), id, 0, mira, "phoned"); !errors.Is(err, inventory.ErrNotAllowed) {
			t.Errorf("again = %v, want ErrNotAllowed", err)
		}
	})
}

// 300 holds a second over 30 days beside a running sweep: no double booking,
// and nobody waits for a place that is there. The flag -soak=60s runs it as
// long as the requirement says.
func TestExperiment_A9_threeHundredHoldsASecond(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(40, 2), pgtest.HoldTTL(3*time.Second), func(_ *inventory.Venue, p *inventory.Pool) { p.HorizonDays = 40 })
	ctx, cancel := context.WithTimeout(t.Context(), *soak)
	defer cancel()
	var wg sync.WaitGroup
	sweeper := s.DB.Store(t, 4)
	var expired atomic.Int64
	wg.Go(func() {
		for ctx.Err() == nil {
			res, err := sweeper.SweepHolds(t.Context(), 500)
			if err != nil {
				t.Errorf("SweepHolds = %v", err)
				return
			}
			expired.Add(int64(res.Expired))
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	})
	requests := make(chan int, 600)
	var arrived, gone atomic.Int64
	wg.Go(func() { // the arrivals: 300 a second, whether the store keeps up or not
		defer close(requests)
		tick := time.NewTicker(time.Second / 300)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				arrived.Add(1)
				select {
				case requests <- i:
				default: // 600 wait already: this buyer goes away
					gone.Add(1)
				}
			}
		}
	})
	var placed, refused atomic.Int64
	for range 16 {
		wg.Go(func() {
			for i := range requests {
				r := s.Request(fmt.Sprintf("u-%d", i), 1+i%3)
				r.Day = s.Day.Add(periodOfDays(i % 30))
				var b inventory.Booking
				err := pgtest.Again(func() (err error) { b, _, err = s.Store.PlaceHold(t.Context(), r); return err })
				switch {
				case errors.Is(err, inventory.ErrSoldOut):
					refused.Add(1)
				case err != nil:
					t.Errorf("PlaceHold = %v", err)
				default:
					placed.Add(1)
					if i%4 == 0 {
						pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_"+b.ID.String()))
					}
				}
			}
		})
	}
	wg.Wait()
	if placed.Load() == 0 || expired.Load() == 0 {
		t.Errorf("placed %d, expired %d: nothing was tried", placed.Load(), expired.Load())
	}
	// Beside all other tests the machine itself may be too slow for a moment; alone
	// and for the whole minute nobody goes away.
	if most := arrived.Load() / 4; gone.Load() > most || *soak >= time.Minute && gone.Load() > 0 {
		t.Errorf("the store does not keep up: %d of %d buyers went away", gone.Load(), arrived.Load())
	}
	t.Logf("%s: placed %d, refused %d, expired %d; %d of %d went away", *soak, placed.Load(), refused.Load(), expired.Load(), gone.Load(), arrived.Load())
	s.DB.AssertNoDeadlocks(t)
}

// Experiment of DESIGN.md 4.3: the same buyers against a sweep and against
// edits, on few days, in every order. No deadlock in the server's log.
func TestLockOrder_noDeadlocks(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(6, 0), pgtest.HoldTTL(time.Second), pgtest.Late(inventory.LateRevive))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for w := range 10 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				r := s.Request(fmt.Sprintf("u-%d", rand.IntN(12)), 1)
				r.Day = r.Day.Add(periodOfDays(rand.IntN(2)))
				b, _, err := s.Store.PlaceHold(t.Context(), r)
				if err != nil {
					if !errors.Is(err, inventory.ErrSoldOut) && !errors.Is(err, inventory.ErrHoldExists) &&
						!errors.Is(err, inventory.ErrLimitPerBuyer) {
						t.Errorf("PlaceHold = %v", err)
					}
					if _, err := s.Store.SweepHolds(t.Context(), 20); err != nil {
						t.Errorf("SweepHolds = %v", err)
					}
					continue
				}
				switch (w + i) % 4 {
				case 0:
					pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_"+b.ID.String()))
					_, _ = s.Store.CancelBooking(t.Context(), b.ID, mira, "test", true)
				case 1:
					_, _ = s.Store.ReleaseHold(t.Context(), b.ID, 0, mira, "")
					pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_"+b.ID.String()))
				case 2:
					_, p, err := s.Store.StartPayment(t.Context(), inventory.PayRequest{BookingID: b.ID, Provider: "simulated", Actor: mira})
					if err == nil {
						_, _, _ = s.Store.PaymentAnswered(t.Context(), p.ID, inventory.ProviderPayment{ID: "sim_" + p.ID.String(), State: inventory.PaymentFailed, Amount: b.Amount})
					}
				}
			}
		})
	}
	wg.Wait()
	s.DB.AssertNoDeadlocks(t)
}
