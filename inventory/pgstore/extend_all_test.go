package pgstore_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

func dayOf(s pgtest.Shop) inventory.HoldScope {
	return inventory.HoldScope{Pool: s.Pool.Ref, Day: s.Day}
}

func TestExtendHolds_aDay(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1000, 0), pgtest.HoldTTL(10*time.Minute))
	var held []inventory.Booking
	for i := range 5 {
		held = append(held, s.Hold(t, fmt.Sprintf("u-%d", i), 2))
	}
	paid := s.Hold(t, "u-paid", 1)
	pgtest.Deliver(t, s.Store, pgtest.Captured(paid, "pay_1"))
	elsewhere := s.Request("u-other", 1)
	elsewhere.Day = s.Day.Add(1)
	other, _, err := s.Store.PlaceHold(t.Context(), elsewhere)
	if err != nil {
		t.Fatal(err)
	}

	done, err := s.Store.ExtendHolds(t.Context(), dayOf(s), 5*time.Minute, mira, "the provider is slow")
	if want := (inventory.ExtendedHolds{Extended: 5}); err != nil || done != want {
		t.Fatalf("ExtendHolds = %+v, %v, want %+v", done, err, want)
	}
	for _, b := range held {
		after, err := s.Store.Booking(t.Context(), b.ID)
		if err != nil || !after.ExpiresAt.Equal(b.ExpiresAt.Add(5*time.Minute)) || after.Version != 2 {
			t.Errorf("a hold ends at %s v%d, %v, want 5 minutes after %s", after.ExpiresAt, after.Version, err, b.ExpiresAt)
		}
	}
	if after, err := s.Store.Booking(t.Context(), other.ID); err != nil || after.Version != 1 {
		t.Errorf("a hold of another day is at v%d, %v", after.Version, err)
	}
	journal, err := s.Store.Journal(t.Context(), held[0].ID)
	if err != nil || len(journal) != 2 || journal[1].Cause != inventory.CauseExtended || journal[1].Reason != "the provider is slow" || journal[1].Actor != mira.String() {
		t.Errorf("journal = %+v, %v", journal, err)
	}
}

// R14: never past the longest life of a hold; what can only get a part gets it,
// and what has it all is left alone.
func TestExtendHolds_R14_totalLifeIsCapped(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.HoldTTL(10*time.Minute)) // an hour at most
	b := s.Hold(t, "u-1", 1)
	var sum inventory.ExtendedHolds
	for i, want := range []inventory.ExtendedHolds{{Extended: 1}, {Extended: 1, Shortened: 1}, {AtLimit: 1}} {
		done, err := s.Store.ExtendHolds(t.Context(), dayOf(s), 30*time.Minute, mira, "")
		if err != nil || done != want {
			t.Errorf("call %d: %+v, %v, want %+v", i+1, done, err, want)
		}
		sum = sum.Add(done)
	}
	after, err := s.Store.Booking(t.Context(), b.ID)
	if err != nil || !after.ExpiresAt.Equal(b.CreatedAt.Add(time.Hour)) || after.Version != 3 {
		t.Errorf("it ends at %s v%d, %v, want the hour at v3", after.ExpiresAt, after.Version, err)
	}
}

// A hold whose time is over and that no sweep has met gets time from now on, as
// a single one does; one that was swept does not come back.
func TestExtendHolds_overdue(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.HoldTTL(10*time.Minute))
	b := s.Hold(t, "u-1", 1)
	now := s.Now(t).Add(12 * time.Minute)
	done, err := s.Store.At(now).ExtendHolds(t.Context(), dayOf(s), 5*time.Minute, mira, "")
	if err != nil || done.Extended != 1 {
		t.Fatalf("ExtendHolds = %+v, %v", done, err)
	}
	after, err := s.Store.Booking(t.Context(), b.ID)
	if err != nil || !after.ExpiresAt.Equal(now.Add(5*time.Minute)) {
		t.Errorf("it ends at %s, %v, want 5 minutes after %s", after.ExpiresAt, err, now)
	}
	later := s.After(t, 40*time.Minute)
	if _, err := later.SweepHolds(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	if done, err := later.ExtendHolds(t.Context(), dayOf(s), 5*time.Minute, mira, ""); err != nil || done != (inventory.ExtendedHolds{}) {
		t.Errorf("after the sweep: %+v, %v, want nothing", done, err)
	}
}

func TestExtendHolds_anEvent(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	b := h.HoldSeats(t, "u-1", "A-01", "A-02")
	scope := inventory.HoldScope{Event: h.Event.Ref}
	done, err := h.Store.ExtendHolds(t.Context(), scope, time.Minute, mira, "")
	if err != nil || done.Extended != 1 {
		t.Fatalf("ExtendHolds = %+v, %v", done, err)
	}
	after, err := h.Store.Booking(t.Context(), b.ID)
	if err != nil || !after.ExpiresAt.Equal(b.ExpiresAt.Add(time.Minute)) {
		t.Errorf("it ends at %s, %v", after.ExpiresAt, err)
	}
	if state := h.SeatState(t, "A-01"); state != inventory.SeatHeld {
		t.Errorf("its seat is %s", state)
	}
}

func TestExtendHolds_refused(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ok := dayOf(s)
	far, none := ok, ok
	far.Day = s.Day.Add(500)
	none.Pool.Pool = "nothing"
	for name, tc := range map[string]struct {
		scope inventory.HoldScope
		by    time.Duration
		code  string
	}{
		"tooShort":   {scope: ok, by: time.Second, code: "INVALID"},
		"tooLong":    {scope: ok, by: 31 * time.Minute, code: "INVALID"},
		"noScope":    {by: 5 * time.Minute, code: "INVALID"},
		"noSuchDay":  {scope: far, by: 5 * time.Minute, code: "NOT_FOUND"},
		"noSuchPool": {scope: none, by: 5 * time.Minute, code: "NOT_FOUND"},
		"noSuchEvent": {
			scope: inventory.HoldScope{Event: inventory.EventRef{Venue: "harbour", Event: "gala"}}, by: 5 * time.Minute, code: "NOT_FOUND",
		},
	} {
		if done, err := s.Store.ExtendHolds(t.Context(), tc.scope, tc.by, mira, ""); inventory.Code(err) != tc.code || done != (inventory.ExtendedHolds{}) {
			t.Errorf("%s: %+v, %v, want %s", name, done, err, tc.code)
		}
	}
}

// A hold that somebody keeps locked is left alone, and said so; the others get
// their time without waiting for it.
func TestExtendHolds_waitsForNobody(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	locked, free := s.Hold(t, "u-1", 1), s.Hold(t, "u-2", 1)
	tx, err := s.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), "SELECT FROM booking WHERE id = $1 FOR UPDATE", locked.ID); err != nil {
		t.Fatal(err)
	}
	done, err := s.Store.ExtendHolds(t.Context(), dayOf(s), 5*time.Minute, mira, "")
	if want := (inventory.ExtendedHolds{Extended: 1, Busy: 1}); err != nil || done != want {
		t.Errorf("ExtendHolds = %+v, %v, want %+v", done, err, want)
	}
	if after, err := s.Store.Booking(t.Context(), free.ID); err != nil || after.Version != 2 {
		t.Errorf("the free one is at v%d, %v", after.Version, err)
	}
}

// Extending, sweeping, paying, releasing and new holds at the same time: every
// hold is extended at most once a call, nobody's place is lost or doubled, and
// no two of them wait for each other.
func TestExtendHolds_besideEverything(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(2000, 0), pgtest.PerBuyer(0), pgtest.HoldTTL(10*time.Minute))
	const holds = 250 // more than one transaction
	all := make([]inventory.Booking, holds)
	for i := range all {
		all[i] = s.Hold(t, fmt.Sprintf("u-%d", i), 1)
	}
	later := s.After(t, 11*time.Minute) // all of them are overdue for the sweep
	var crowd sync.WaitGroup
	var mu sync.Mutex
	var sum inventory.ExtendedHolds
	for range 2 {
		crowd.Go(func() {
			done, err := s.Store.ExtendHolds(t.Context(), dayOf(s), 5*time.Minute, mira, "")
			if err != nil {
				t.Errorf("ExtendHolds = %v", err)
			}
			mu.Lock()
			sum = sum.Add(done)
			mu.Unlock()
		})
	}
	crowd.Go(func() {
		for range 4 {
			if _, err := later.SweepHolds(t.Context(), 50); err != nil {
				t.Errorf("SweepHolds = %v", err)
			}
		}
	})
	crowd.Go(func() {
		for _, b := range all[:20] {
			pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_"+b.ID.Short()))
		}
	})
	crowd.Go(func() {
		for _, b := range all[40:60] {
			if _, err := s.Store.ReleaseHold(t.Context(), b.ID, 0, mira, ""); err != nil && !errors.Is(err, inventory.ErrHoldExpired) && !errors.Is(err, inventory.ErrBusy) {
				t.Errorf("ReleaseHold = %v", err)
			}
		}
	})
	crowd.Go(func() {
		for i := range 20 {
			s.Hold(t, fmt.Sprintf("new-%d", i), 1)
		}
	})
	crowd.Wait()
	if sum.Extended == 0 || sum.Busy > 40 {
		t.Errorf("both calls together: %+v", sum)
	}
	var twice, extended int
	err := s.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE n > 2), coalesce(sum(n), 0)
		  FROM (SELECT count(*) AS n FROM journal WHERE cause = 'extended' GROUP BY booking_id) x`).Scan(&twice, &extended)
	if err != nil || twice != 0 || extended != sum.Extended {
		t.Errorf("%d holds were extended more than twice, %d times in all (%v), want 0 and %d", twice, extended, err, sum.Extended)
	}
	s.DB.AssertNoDeadlocks(t)
}
