package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// A crowd before a sold-out day is told so without PostgreSQL having to decide
// each time; who was answered before gets that answer again, and who has a hold
// is told of it.
func TestPlaceHold_soldOutIsNotAllThereIsToSay(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(2, 0), pgtest.PerBuyer(1))
	first := s.Request("u-first", 2)
	b, _, err := s.Store.PlaceHold(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	other := s.Request("u-first", 1)
	other.IdempotencyKey = "another"
	race(t, 120, func(i int) error {
		switch i % 4 {
		case 0:
			again, replayed, err := s.Store.PlaceHold(t.Context(), first)
			if err != nil || !replayed || again.ID != b.ID {
				t.Errorf("the same key again: %v, replayed %v, %v", again.ID, replayed, err)
			}
			return err
		case 1:
			_, _, err := s.Store.PlaceHold(t.Context(), other)
			if !errors.Is(err, inventory.ErrHoldExists) {
				t.Errorf("who has a hold: %v, want ErrHoldExists", err)
			}
			return err
		}
		_, _, err := s.Store.PlaceHold(t.Context(), s.Request(fmt.Sprint("u-", i), 1))
		if !errors.Is(err, inventory.ErrSoldOut) {
			t.Errorf("who is too late: %v, want ErrSoldOut", err)
		}
		return err
	}, inventory.ErrHoldExists, inventory.ErrSoldOut)
}

// A place that comes back while a crowd keeps asking is sold, and sold once.
func TestPlaceHold_placeThatComesBackIsSoldSoon(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1, 0), pgtest.PerBuyer(0))
	b := s.Hold(t, "u-first", 1)
	elsewhere := s.DB.Store(t, 2) // another process
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	var given atomic.Pointer[time.Time]
	var sold, asked atomic.Int64
	var took time.Duration
	race(t, 8, func(i int) error {
		for n := 0; ctx.Err() == nil && sold.Load() == 0; n++ {
			_, _, err := s.Store.PlaceHold(t.Context(), s.Request(fmt.Sprint("u-", i, "-", n), 1))
			switch {
			case err == nil:
				if at := given.Load(); at == nil {
					t.Error("sold before it came back")
				} else {
					took = time.Since(*at)
				}
				sold.Add(1)
			case !errors.Is(err, inventory.ErrSoldOut) && !errors.Is(err, inventory.ErrBusy):
				return err
			}
			if asked.Add(1) == 40 {
				now := time.Now()
				given.Store(&now)
				if _, err := elsewhere.ReleaseHold(t.Context(), b.ID, 0, inventory.Staff("test"), "changed her mind"); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if sold.Load() != 1 {
		t.Errorf("%d sold, want one", sold.Load())
	}
	t.Logf("sold %v after it came back", took) // how long at most is TestHints' affair
}
