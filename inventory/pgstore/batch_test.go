package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// Many buyers of one day at once, some of them hopeless: each gets the answer
// that would have been given to nobody else, and no bad one spoils a good one.
func TestPlaceHold_togetherEachItsOwnAnswer(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(60, 0))
	closed := s.Day.Add(1)
	if _, err := s.DB.Pool.Exec(t.Context(), "UPDATE pool_day SET stop_sell = true WHERE day = $1", closed.String()); err != nil {
		t.Fatal(err)
	}
	kinds := []struct {
		name string
		ask  func(i int, r *inventory.HoldRequest)
		want error
	}{
		{"good", func(int, *inventory.HoldRequest) {}, nil},
		{"noSuchPool", func(_ int, r *inventory.HoldRequest) { r.Pool.Pool = "attic" }, inventory.ErrNotFound},
		{"noSuchDay", func(_ int, r *inventory.HoldRequest) { r.Day = s.Day.Add(3000) }, inventory.ErrNotOnSale},
		{"stopped", func(_ int, r *inventory.HoldRequest) { r.Day = closed }, inventory.ErrStopSell},
		{"tooMany", func(_ int, r *inventory.HoldRequest) { r.Quantity = 61 }, inventory.ErrSoldOut},
	}
	var wg sync.WaitGroup
	for i := range 150 {
		wg.Go(func() {
			kind := kinds[i%len(kinds)]
			r := s.Request(fmt.Sprint("u-", i), 1+i%2)
			kind.ask(i, &r)
			var b inventory.Booking
			var replayed bool
			err := pgtest.Again(func() (err error) { b, replayed, err = s.Store.PlaceHold(t.Context(), r); return err })
			switch {
			case !errors.Is(err, kind.want) || replayed:
				t.Errorf("%s: %v, want %v", kind.name, err, kind.want)
			case err == nil && (b.Buyer != r.Buyer || b.Quantity != r.Quantity || b.Amount.Minor != inventory.Minor(2500*r.Quantity) || b.Name != "Main floor"):
				t.Errorf("%s got the booking of somebody else: %+v", kind.name, b)
			}
			if err != nil {
				return
			}
			if got := booking(t, s, b.ID); got.Buyer != r.Buyer || !got.ExpiresAt.Equal(b.ExpiresAt) || got.IdempotencyKey != r.IdempotencyKey {
				t.Errorf("%s was told %+v and %+v is stored", kind.name, b, got)
			}
		})
	}
	wg.Wait()
	if got := s.Taken(t); got != 45 {
		t.Errorf("taken = %d, want 15 x 1 and 15 x 2", got)
	}
}

// Case B07 and B32 in one crowd: the same buyer and the same key many times at
// once give one booking, whoever decides.
func TestPlaceHold_togetherSameBuyerSameKey(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	stores := []*pgstore.Store{s.Store, s.DB.Store(t, 4)}
	same := s.Request("u-key", 1)
	var mu sync.Mutex
	ids := map[inventory.BookingID]bool{}
	race(t, 60, func(i int) error {
		r := same
		switch i % 3 {
		case 1:
			r = s.Request("u-double", 1)
			r.IdempotencyKey = fmt.Sprint("double-", i)
		case 2:
			r.Quantity = 2 // another request under the key
		}
		b, _, err := stores[i%2].PlaceHold(t.Context(), r)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			ids[b.ID] = true
		}
		return err
	}, inventory.ErrHoldExists, inventory.ErrIdempotencyConflict, inventory.ErrInProgress)
	if len(ids) != 2 || countRows(t, s, "booking") != 2 {
		t.Errorf("%d bookings, %d rows, want one for each buyer", len(ids), countRows(t, s, "booking"))
	}
}

// A day that somebody keeps locked does not hold up the others, whichever lane
// they share.
func TestPlaceHold_lockedDayIsPassedOver(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	tx, err := s.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), "SELECT FROM pool_day WHERE day = $1 FOR UPDATE", s.Day.String()); err != nil {
		t.Fatal(err)
	}
	race(t, 40, func(i int) error {
		r := s.Request(fmt.Sprint("u-", i), 1)
		r.Day = s.Day.Add(periodOfDays(i % 7))
		_, _, err := s.Store.PlaceHold(t.Context(), r)
		if locked := i%7 == 0; locked != errors.Is(err, inventory.ErrBusy) {
			t.Errorf("day %d: %v", i%7, err)
		}
		return err
	}, inventory.ErrBusy)
}

// Who hangs up while others are decided gets an answer all the same, and never
// a hold that nobody knows of.
func TestPlaceHold_hangingUp(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1000, 0))
	var mu sync.Mutex
	placed := 0
	race(t, 200, func(i int) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*200*time.Microsecond)
		defer cancel()
		_, _, err := s.Store.PlaceHold(ctx, s.Request(fmt.Sprint("u-", i), 1))
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			placed++
		}
		return err
	}, inventory.ErrBusy)
	if got := s.Taken(t); got != placed {
		t.Errorf("taken = %d, and %d were told so", got, placed)
	}
}
