package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

func TestSweepHolds_leavesWhatIsNotOverdue(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	s.Hold(t, "u-1", 1)
	if res, err := s.After(t, 9*time.Minute).SweepHolds(t.Context(), 500); err != nil || res.Expired != 0 {
		t.Errorf("before the end: %+v, %v", res, err)
	}
	if res, err := s.After(t, 11*time.Minute).SweepHolds(t.Context(), 500); err != nil || res.Expired != 1 {
		t.Errorf("after the end: %+v, %v", res, err)
	}
}

// Case B14: a release gives back exactly what the hold took, once.
func TestSweepHolds_B14_givesBackTheQuantity(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	for i, quantity := range []int{1, 4, 3} {
		s.Hold(t, fmt.Sprintf("u-%d", i), quantity)
	}
	later := s.After(t, 11*time.Minute)
	for pass, want := range []int{3, 0} {
		res, err := later.SweepHolds(t.Context(), 500)
		if err != nil || res.Expired != want {
			t.Errorf("pass %d: %+v, %v, want %d expired", pass+1, res, err, want)
		}
		if got := s.Taken(t); got != 0 {
			t.Errorf("pass %d: taken = %d, want 0", pass+1, got)
		}
	}
	b := s.Hold(t, "u-4", 4)
	pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_4"))
	if _, err := s.Store.CancelBooking(t.Context(), b.ID, inventory.Staff("mira"), "ill", true); err != nil {
		t.Fatal(err)
	}
	if got := s.Taken(t); got != 0 {
		t.Errorf("after the refund: taken = %d, want 0", got)
	}
}

func TestSweepHolds_batchIsBounded(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(100, 0))
	for i := range 25 {
		s.Hold(t, fmt.Sprintf("u-%d", i), 1)
	}
	later := s.After(t, 11*time.Minute)
	for _, want := range []int{10, 10, 5} {
		res, err := later.SweepHolds(t.Context(), 10)
		if err != nil || res.Expired != want || res.More != (want == 10) {
			t.Errorf("sweep = %+v, %v, want %d", res, err, want)
		}
	}
}

func TestSweepHolds_paymentPendingKeepsItsPlace(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b := s.Hold(t, "u-1", 1)
	if _, _, err := s.Store.StartPayment(t.Context(), inventory.PayRequest{BookingID: b.ID, Provider: "simulated", Actor: inventory.Staff("test")}); err != nil {
		t.Fatal(err)
	}
	if res, err := s.After(t, time.Hour).SweepHolds(t.Context(), 500); err != nil || res.Expired != 0 {
		t.Errorf("sweep = %+v, %v: a payment in doubt must keep its place", res, err)
	}
}

// A day that a long transaction keeps locked is skipped without waiting for
// the others, then waited for with a bound, and swept once it is free.
func TestSweepHolds_lockedDayDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	s.Hold(t, "u-1", 1)
	free := s.Request("u-1", 1)
	free.Day = free.Day.Add(1)
	if _, _, err := s.Store.PlaceHold(t.Context(), free); err != nil {
		t.Fatal(err)
	}
	tx, err := s.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM pool_day WHERE day = $1::date FOR UPDATE", s.Day.String()); err != nil {
		t.Fatal(err)
	}
	later := s.After(t, 11*time.Minute)
	res, err := later.SweepHolds(t.Context(), 500)
	if err != nil || res.Expired != 1 || res.Skipped != 1 || !res.More {
		t.Errorf("with one day locked: %+v, %v, want 1 expired, 1 skipped, more", res, err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res, err := later.SweepHolds(t.Context(), 500); err != nil || res.Expired != 1 {
		t.Errorf("once it is free: %+v, %v", res, err)
	}
}

func TestSweepHolds_stopsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	s.Hold(t, "u-1", 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.After(t, time.Hour).SweepHolds(ctx, 500); err == nil {
		t.Error("a sweep with a dead context reported success")
	}
	if got := s.Taken(t); got != 1 {
		t.Errorf("taken = %d: a stopped sweep left half a batch", got)
	}
}

// Case R6: with a dead sweep an overdue hold does not block the last place.
func TestPlaceHold_R6_reclaimsOverdueHoldsOfAFullDay(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(2, 0))
	s.Hold(t, "u-1", 2)
	later := s.After(t, 11*time.Minute)
	b, _, err := later.PlaceHold(t.Context(), s.Request("u-2", 2))
	if err != nil {
		t.Fatalf("PlaceHold on a day full of overdue holds: %v", err)
	}
	if b.Quantity != 2 || s.Taken(t) != 2 {
		t.Errorf("quantity %d, taken %d", b.Quantity, s.Taken(t))
	}
	if _, _, err := later.PlaceHold(t.Context(), s.Request("u-3", 1)); !errors.Is(err, inventory.ErrSoldOut) {
		t.Errorf("the next buyer: %v, want ErrSoldOut", err)
	}
}

// Case R11: expired holds stay findable.
func TestBookings_R11_expiredHoldsStayFindable(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b := s.Hold(t, "u-late", 1)
	if _, err := s.After(t, 11*time.Minute).SweepHolds(t.Context(), 500); err != nil {
		t.Fatal(err)
	}
	list, err := s.Store.Bookings(t.Context(), inventory.BookingFilter{
		Search: "LATE", States: []inventory.BookingState{inventory.StateExpired}, Order: inventory.OrderByNewest,
	})
	if err != nil || len(list.Bookings) != 1 || list.Bookings[0].ID != b.ID {
		t.Errorf("search = %+v, %v", list.Bookings, err)
	}
	id, err := s.Store.FindBooking(t.Context(), b.ID.Short())
	if err != nil || id != b.ID {
		t.Errorf("FindBooking(%s) = %v, %v", b.ID.Short(), id, err)
	}
}

// Case R14: how long one buyer can keep extending.
func TestExtendHold_R14_totalLifeIsCapped(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	b := s.Hold(t, "u-1", 1)
	mira := inventory.Staff("mira")
	var err error
	for range 10 {
		if _, err = s.Store.ExtendHold(t.Context(), b.ID, 0, 10*time.Minute, mira, ""); err != nil {
			break
		}
	}
	if !errors.Is(err, inventory.ErrLimitOfHold) {
		t.Errorf("ExtendHold = %v, want ErrLimitOfHold after an hour in all", err)
	}
	after, err := s.Store.Booking(t.Context(), b.ID)
	if err != nil {
		t.Fatal(err)
	}
	if life := after.ExpiresAt.Sub(after.CreatedAt); life > time.Hour {
		t.Errorf("it lives %s, the venue allows 1h", life)
	}
}

func TestReleaseHold_statesTellThemselvesApart(t *testing.T) {
	t.Parallel()
	mira := inventory.Staff("mira")
	t.Run("twiceIsOnce", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 2)
		for range 2 {
			got, err := s.Store.ReleaseHold(t.Context(), b.ID, 0, mira, "")
			if err != nil || got.State != inventory.StateCancelled || got.Version != 2 {
				t.Errorf("ReleaseHold = %+v, %v", got, err)
			}
		}
		if got := s.Taken(t); got != 0 {
			t.Errorf("taken = %d, want 0", got)
		}
	})
	t.Run("expired", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 2)
		later := s.After(t, 11*time.Minute)
		if _, err := later.SweepHolds(t.Context(), 500); err != nil {
			t.Fatal(err)
		}
		if _, err := later.ReleaseHold(t.Context(), b.ID, 0, mira, ""); !errors.Is(err, inventory.ErrHoldExpired) {
			t.Errorf("ReleaseHold = %v, want ErrHoldExpired", err)
		}
	})
	t.Run("confirmed", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		b := s.Hold(t, "u-1", 2)
		pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
		if _, err := s.Store.ReleaseHold(t.Context(), b.ID, 0, mira, ""); !errors.Is(err, inventory.ErrNotAllowed) {
			t.Errorf("ReleaseHold = %v, want ErrNotAllowed", err)
		}
	})
}
