package pgstore_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

func TestPlaceHold_takesThePlaceForALimitedTime(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	before := s.Now(t)
	b := s.Hold(t, "u-1", 3)
	if b.State != inventory.StateHeld || b.Version != 1 || b.Amount != (inventory.Money{Minor: 7500, Currency: "EUR"}) {
		t.Errorf("booking = %+v, want HELD v1 for EUR 75.00", b)
	}
	if ttl := b.ExpiresAt.Sub(before); ttl < 10*time.Minute || ttl > 11*time.Minute {
		t.Errorf("it lives %s, want 10 minutes", ttl)
	}
	if got := s.Taken(t); got != 3 {
		t.Errorf("taken = %d, want 3", got)
	}
	journal, err := s.Store.Journal(t.Context(), b.ID)
	if err != nil || len(journal) != 1 || journal[0].To != inventory.StateHeld || journal[0].Actor != "client:test" {
		t.Errorf("journal = %+v, %v", journal, err)
	}
}

// Case B28: off by one at capacity + overbook_limit.
func TestPlaceHold_B28_limitIsExactAndAllOrNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		held      int
		quantity  int
		want      error
		wantTaken int
	}{
		{"elevenOfTwelveTakesOneMore", 11, 1, nil, 12},
		{"twelveOfTwelveRefusesOne", 12, 1, inventory.ErrSoldOut, 12},
		{"tenOfTwelveRefusesThreeWhole", 10, 3, inventory.ErrSoldOut, 10},
		{"tenOfTwelveTakesTwo", 10, 2, nil, 12},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := pgtest.OpenShop(t)
			s.Hold(t, "u-first", tt.held)
			b, _, err := s.Store.PlaceHold(t.Context(), s.Request("u-second", tt.quantity))
			if !errors.Is(err, tt.want) {
				t.Fatalf("PlaceHold = %v, want %v", err, tt.want)
			}
			if got := s.Taken(t); got != tt.wantTaken {
				t.Errorf("taken = %d, want %d", got, tt.wantTaken)
			}
			if tt.want != nil {
				assertNoTrace(t, s, "u-second")
			} else if b.Quantity != tt.quantity {
				t.Errorf("quantity = %d, want %d", b.Quantity, tt.quantity)
			}
		})
	}
	t.Run("nothingForSale", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t, pgtest.Capacity(0, 0))
		if _, _, err := s.Store.PlaceHold(t.Context(), s.Request("u-1", 1)); !errors.Is(err, inventory.ErrSoldOut) {
			t.Errorf("PlaceHold = %v, want ErrSoldOut", err)
		}
	})
	t.Run("oneExpiresAndExactlyOneCanBeHad", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		s.Hold(t, "u-first", 11)
		s.Hold(t, "u-one", 1)
		later := s.After(t, 11*time.Minute)
		if _, err := s.Store.ExtendHold(t.Context(), holdOf(t, s, "u-first"), 0, 20*time.Minute, inventory.Staff("mira"), ""); err != nil {
			t.Fatal(err)
		}
		if _, _, err := later.PlaceHold(t.Context(), s.Request("u-third", 1)); err != nil {
			t.Errorf("the freed place: %v", err)
		}
		if _, _, err := later.PlaceHold(t.Context(), s.Request("u-fourth", 1)); !errors.Is(err, inventory.ErrSoldOut) {
			t.Errorf("one more than freed: %v, want ErrSoldOut", err)
		}
	})
}

func TestPlaceHold_badInputNamesTheField(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	tests := []struct {
		name  string
		field string
		spoil func(*inventory.HoldRequest)
	}{
		{"quantityZero", "quantity", func(r *inventory.HoldRequest) { r.Quantity = 0 }},
		{"quantityNegative", "quantity", func(r *inventory.HoldRequest) { r.Quantity = -1 }},
		{"quantityPastInt32", "quantity", func(r *inventory.HoldRequest) { r.Quantity = 2147483648 }},
		{"buyerMissing", "buyer", func(r *inventory.HoldRequest) { r.Buyer = "" }},
		{"buyerWithBlanks", "buyer", func(r *inventory.HoldRequest) { r.Buyer = " u-001" }},
		{"buyerWithEscape", "buyer", func(r *inventory.HoldRequest) { r.Buyer = "u\x1b[2J" }},
		{"buyerWithBidi", "buyer", func(r *inventory.HoldRequest) { r.Buyer = "u\u202e1" }},
		{"buyerNotUTF8", "buyer", func(r *inventory.HoldRequest) { r.Buyer = "u\xff" }},
		{"keyTooLong", "Idempotency-Key", func(r *inventory.HoldRequest) { r.IdempotencyKey = strings.Repeat("k", 256) }},
		{"keyWithBlank", "Idempotency-Key", func(r *inventory.HoldRequest) { r.IdempotencyKey = "a b" }},
		{"compWithoutReason", "reason", func(r *inventory.HoldRequest) { r.Comp = true }},
	}
	for _, tt := range tests {
		r := s.Request("u-"+tt.name, 1)
		tt.spoil(&r)
		_, _, err := s.Store.PlaceHold(t.Context(), r)
		fields := inventory.FieldErrors(err)
		if len(fields) != 1 || fields[0].Field != tt.field {
			t.Errorf("%s: PlaceHold = %v, want one FieldError on %s", tt.name, err, tt.field)
		}
	}
	if got := countRows(t, s, "booking"); got != 0 {
		t.Errorf("%d bookings stored", got)
	}
}

func TestPlaceHold_admissionRefusals(t *testing.T) {
	t.Parallel()
	stop := true
	t.Run("stopSell", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		s.SetDay(t, inventory.DayEdit{StopSell: &stop})
		if _, _, err := s.Store.PlaceHold(t.Context(), s.Request("u-1", 1)); !errors.Is(err, inventory.ErrStopSell) {
			t.Errorf("PlaceHold = %v, want ErrStopSell", err)
		}
	})
	t.Run("noSuchDay", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		r := s.Request("u-1", 1)
		r.Day = r.Day.Add(100)
		if _, _, err := s.Store.PlaceHold(t.Context(), r); !errors.Is(err, inventory.ErrNotOnSale) {
			t.Errorf("PlaceHold = %v, want ErrNotOnSale", err)
		}
	})
	t.Run("localDayIsOver", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		if _, _, err := s.After(t, 30*24*time.Hour).PlaceHold(t.Context(), s.Request("u-1", 1)); !errors.Is(err, inventory.ErrCutoffPassed) {
			t.Errorf("PlaceHold = %v, want ErrCutoffPassed", err)
		}
	})
	t.Run("noSuchPool", func(t *testing.T) {
		t.Parallel()
		s := pgtest.OpenShop(t)
		r := s.Request("u-1", 1)
		r.Pool.Pool = "cellar"
		if _, _, err := s.Store.PlaceHold(t.Context(), r); !errors.Is(err, inventory.ErrNotFound) {
			t.Errorf("PlaceHold = %v, want ErrNotFound", err)
		}
	})
}

// Case B07: one live hold a buyer; again after expiry; never two.
func TestPlaceHold_B07_oneLiveHoldPerBuyer(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()

	var won, refused int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			r := s.Request("u-001", 1)
			err := pgtest.Again(func() error { _, _, err := s.Store.PlaceHold(ctx, r); return err })
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case errors.Is(err, inventory.ErrHoldExists):
				refused++
			default:
				t.Errorf("PlaceHold = %v", err)
			}
		})
	}
	wg.Wait()
	if won != 1 || refused != 19 {
		t.Fatalf("%d holds and %d refusals, want 1 and 19", won, refused)
	}

	otherDay := s.Request("u-001", 1)
	otherDay.Day = otherDay.Day.Add(1)
	if _, _, err := s.Store.PlaceHold(ctx, otherDay); err != nil {
		t.Errorf("another day: %v", err)
	}
	if _, _, err := s.Store.PlaceHold(ctx, s.Request("U-001", 1)); err != nil {
		t.Errorf("U-001 is another buyer: %v", err)
	}

	// After its end the buyer can hold again, whether the sweep has been there or not.
	later := s.After(t, 11*time.Minute)
	again, _, err := later.PlaceHold(ctx, s.Request("u-001", 1))
	if err != nil {
		t.Fatalf("again after expiry, unswept: %v", err)
	}
	pgtest.Deliver(t, later, pgtest.Captured(again, "pay_1"))
	if _, _, err := later.PlaceHold(ctx, s.Request("u-001", 1)); !errors.Is(err, inventory.ErrLimitPerBuyer) {
		t.Errorf("after confirming: %v, want ErrLimitPerBuyer", err)
	}
}

func TestPlaceHold_limitPerBuyerAboveOne(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.PerBuyer(3), pgtest.Capacity(100, 0))
	won := race(t, 30, func(int) error {
		_, _, err := s.Store.PlaceHold(t.Context(), s.Request("u-1", 1))
		return err
	}, inventory.ErrHoldExists)
	if won != 3 {
		t.Errorf("%d holds, want 3", won)
	}
}

// Case B32: a key belongs to one client and one request.
func TestPlaceHold_B32_idempotencyKey(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	r := s.Request("u-001", 1)
	r.IdempotencyKey = "k-1"
	first, replayed, err := s.Store.PlaceHold(ctx, r)
	if err != nil || replayed {
		t.Fatalf("first: %v, replayed %v", err, replayed)
	}
	if _, err := s.Store.ExtendHold(ctx, first.ID, 0, time.Minute, inventory.Staff("mira"), ""); err != nil {
		t.Fatal(err)
	}
	second, replayed, err := s.Store.PlaceHold(ctx, r)
	if err != nil || !replayed {
		t.Fatalf("second: %v, replayed %v", err, replayed)
	}
	if second.ID != first.ID || second.State != first.State || !second.ExpiresAt.Equal(first.ExpiresAt) || second.Version != first.Version {
		t.Errorf("replay = %+v\nfirst  = %+v", second, first)
	}
	other := r
	other.Quantity = 2
	if _, _, err := s.Store.PlaceHold(ctx, other); !errors.Is(err, inventory.ErrIdempotencyConflict) {
		t.Errorf("other body: %v, want ErrIdempotencyConflict", err)
	}
	if _, _, err := s.Store.StartPayment(ctx, inventory.PayRequest{BookingID: first.ID, IdempotencyKey: "k-1", Provider: "simulated"}); !errors.Is(err, inventory.ErrIdempotencyConflict) {
		t.Errorf("other path: %v, want ErrIdempotencyConflict", err)
	}
	otherShop, _, err := s.Store.AddClient(ctx, mira, "other", []string{inventory.ScopeHolds})
	if err != nil {
		t.Fatal(err)
	}
	stranger := r
	stranger.Client, stranger.Buyer = otherShop, "u-002"
	b, replayed, err := s.Store.PlaceHold(ctx, stranger)
	if err != nil || replayed || b.ID == first.ID {
		t.Errorf("another client's k-1: %v, replayed %v, same booking %v", err, replayed, b.ID == first.ID)
	}
	if got := s.Taken(t); got != 2 {
		t.Errorf("taken = %d, want 2", got)
	}
}

func TestPlaceHold_sameKeyAtOnceIsOneHold(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	r := s.Request("u-1", 1)
	var mu sync.Mutex
	ids := map[inventory.BookingID]int{}
	race(t, 20, func(int) error {
		b, _, err := s.Store.PlaceHold(t.Context(), r)
		if err == nil {
			mu.Lock()
			ids[b.ID]++
			mu.Unlock()
		}
		return err
	}, inventory.ErrInProgress)
	if len(ids) != 1 {
		t.Errorf("%d bookings for one key", len(ids))
	}
	if got := s.Taken(t); got != 1 {
		t.Errorf("taken = %d, want 1", got)
	}
}

func TestPlaceHold_refusedHoldFreesItsKey(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1, 0))
	first := s.Hold(t, "u-1", 1)
	r := s.Request("u-2", 1)
	if _, _, err := s.Store.PlaceHold(t.Context(), r); !errors.Is(err, inventory.ErrSoldOut) {
		t.Fatalf("PlaceHold = %v, want ErrSoldOut", err)
	}
	if _, err := s.Store.ReleaseHold(t.Context(), first.ID, 0, inventory.Staff("mira"), "u-1 phoned"); err != nil {
		t.Fatal(err)
	}
	if _, replayed, err := s.Store.PlaceHold(t.Context(), r); err != nil || replayed {
		t.Errorf("the same key once there is room: %v, replayed %v", err, replayed)
	}
}

func TestPlaceHold_compIsConfirmedWithItsReason(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	r := s.Request("press", 2)
	r.Comp, r.Reason, r.Actor = true, "press tickets", inventory.Staff("mira")
	b, _, err := s.Store.PlaceHold(t.Context(), r)
	if err != nil || b.State != inventory.StateConfirmed || !b.ExpiresAt.IsZero() {
		t.Fatalf("comp = %+v, %v", b, err)
	}
	audit, err := s.Store.Audit(t.Context(), inventory.AuditFilter{Subject: "booking " + b.ID.String()})
	if err != nil || len(audit) != 1 || audit[0].Reason != "press tickets" || audit[0].Actor != "staff:mira" {
		t.Errorf("audit = %+v, %v", audit, err)
	}
}

// Expiry is never before the TTL and is spread over the jitter.
func TestPlaceHold_jitterSpreadsTheEnds(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1000, 0), pgtest.PerBuyer(0), func(v *inventory.Venue, _ *inventory.Pool) {
		v.HoldTTL, v.HoldJitter = time.Minute, 30*time.Second
	})
	now := s.Now(t)
	store := s.Store.At(now)
	least, most := time.Hour, time.Duration(0)
	for range 60 {
		b, _, err := store.PlaceHold(t.Context(), s.Request("u-1", 1))
		if err != nil {
			t.Fatal(err)
		}
		least, most = min(least, b.ExpiresAt.Sub(now)), max(most, b.ExpiresAt.Sub(now))
	}
	if least < time.Minute || most > 90*time.Second || most-least < 15*time.Second {
		t.Errorf("60 holds of one instant live from %s to %s, want spread over 1m to 1m30s", least, most)
	}
}
