package pgstore_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// Case B01 (b): many buyers, one seat, the same millisecond, two daemons.
func TestHoldSeats_B01_thousandForOneSeat(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	stores := []*pgstore.Store{h.Store, h.DB.Store(t, 8)}
	won := race(t, 1000, func(i int) error {
		_, _, err := stores[i%2].HoldSeats(t.Context(), h.Ask(t, fmt.Sprint("u-", i), "A-01"))
		return err
	}, inventory.ErrSeatTaken)
	if won != 1 || h.SeatState(t, "A-01") != inventory.SeatHeld {
		t.Errorf("%d buyers hold one seat", won)
	}
}

// The same three seats asked for in opposite orders: one winner a round, no
// deadlock, nobody waits for long.
func TestHoldSeats_oppositeOrders(t *testing.T) {
	t.Parallel()
	const clients, rounds = 40, 50
	h := pgtest.OpenHall(t)
	stores := []*pgstore.Store{h.Store, h.DB.Store(t, 8)}
	var slowest []time.Duration
	for round := range rounds {
		took, winners := make([]time.Duration, clients), make([]inventory.Booking, clients)
		won := race(t, clients, func(i int) (err error) {
			r := h.Ask(t, fmt.Sprintf("u-%d-%d", round, i), "A-01", "A-02", "A-03")
			if i%2 == 1 {
				slices.Reverse(r.Seats)
			}
			began := time.Now()
			winners[i], _, err = stores[i/2%2].HoldSeats(t.Context(), r)
			took[i] = time.Since(began)
			return err
		}, inventory.ErrSeatTaken)
		if won != 1 {
			t.Errorf("round %d: %d hold the same seats", round, won)
		}
		for _, b := range winners {
			if b.ID == (inventory.BookingID{}) {
				continue
			}
			if _, err := h.Store.ReleaseHold(t.Context(), b.ID, 0, inventory.Staff("test"), ""); err != nil {
				t.Fatal(err)
			}
		}
		slowest = append(slowest, took...)
	}
	slices.Sort(slowest)
	if p99 := slowest[len(slowest)*99/100]; p99 > 2*time.Second {
		t.Errorf("p99 of an answer is %v", p99)
	}
	h.DB.AssertNoDeadlocks(t)
}

// Holds of seats that overlap in part, releases, moves, swaps, payments and
// sweeps all at once, in any order: seats stay with one owner, and nothing
// deadlocks. The invariant check at the end of the test is the judge.
func TestSeats_everythingAtOnce(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	late := h.After(t, 6*time.Minute)
	stores := []*pgstore.Store{h.Store, h.DB.Store(t, 8)}
	race(t, 24, func(i int) error {
		rng := rand.New(rand.NewPCG(1, uint64(i)))
		store := stores[i%2]
		var mine []inventory.Booking
		for step := range 25 {
			err := anyStep(t, h, rng, store, late, fmt.Sprintf("u-%d-%d", i, step), &mine)
			if err != nil && !expected(err) {
				return err
			}
		}
		return nil
	})
	h.DB.AssertNoDeadlocks(t)
}

func expected(err error) bool {
	for _, ok := range []error{
		inventory.ErrSeatTaken, inventory.ErrSoldOut, inventory.ErrHoldExpired, inventory.ErrNotAllowed, inventory.ErrStale, inventory.ErrPriceChanges,
		inventory.ErrBusy, // locks that are waited for too long are told as such
	} {
		if errors.Is(err, ok) {
			return true
		}
	}
	return false
}

func anyStep(t *testing.T, h pgtest.Hall, rng *rand.Rand, store, late *pgstore.Store, buyer string, mine *[]inventory.Booking) error {
	t.Helper()
	pick := func() []inventory.SeatID {
		first, n := rng.IntN(len(h.Seats)-3), 1+rng.IntN(3)
		ids := []inventory.SeatID{}
		for _, s := range h.Seats[first : first+n] {
			ids = append(ids, s.ID)
		}
		return ids
	}
	one := func() inventory.Booking { return (*mine)[rng.IntN(len(*mine))] }
	switch what := rng.IntN(8); {
	case what < 3 || len(*mine) == 0:
		r := inventory.SeatHoldRequest{Event: h.Event.ID, Buyer: buyer, Actor: inventory.Staff("test"), Seats: pick()}
		if rng.IntN(4) == 0 {
			r.Seats, r.Best = nil, 2
		}
		b, _, err := store.HoldSeats(t.Context(), r)
		if err == nil {
			*mine = append(*mine, b)
		}
		return err
	case what == 3:
		_, err := store.ReleaseHold(t.Context(), one().ID, 0, inventory.Staff("test"), "")
		return err
	case what == 4:
		_, err := store.MoveBooking(t.Context(), inventory.MoveRequest{ID: one().ID, Seats: pick(), Actor: inventory.Staff("test"), Reason: "moved"})
		return err
	case what == 5 && len(*mine) > 1:
		a, b := one(), one()
		if a.ID == b.ID {
			return nil
		}
		_, _, err := store.SwapSeats(t.Context(), a.ID, b.ID, inventory.Staff("test"), "swapped")
		return err
	case what == 6:
		b := one()
		e := pgtest.Captured(b, "pay_"+b.ID.String())
		if _, err := store.StoreEvent(t.Context(), e); err != nil {
			return err
		}
		return store.ApplyEvent(t.Context(), e.Provider, e.ID)
	}
	_, err := late.SweepHolds(t.Context(), 10)
	return err
}
