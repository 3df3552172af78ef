package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

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

// Two daemons that sell one day take turns with their batches, and each place is
// sold once.
func TestPlaceHold_twoDaemonsOneDay(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(250, 0), pgtest.PerBuyer(0))
	stores := []*pgstore.Store{s.Store, s.DB.Store(t, 4)}
	race(t, 300, func(i int) error {
		r := s.Request(fmt.Sprint("u-", i), 1)
		return pgtest.Again(func() error { // a busy machine
			_, _, err := stores[i%2].PlaceHold(t.Context(), r)
			return err
		})
	}, inventory.ErrSoldOut)
	if got := s.Taken(t); got != 250 {
		t.Errorf("taken = %d, want all", got)
	}
	s.DB.AssertNoDeadlocks(t)
}

// A key that somebody uses just now and does not let go of holds up its own hold
// alone: the others of the batch get their places.
func TestPlaceHold_keyInUseElsewhere(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(100, 0))
	tx, err := s.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	stuck := s.Request("u-stuck", 1)
	if _, err := tx.Exec(t.Context(), "INSERT INTO idempotency (client_id, key, fingerprint) VALUES ($1, $2, 'x')", stuck.Client.ID, stuck.IdempotencyKey); err != nil {
		t.Fatal(err)
	}
	race(t, 60, func(i int) error {
		if i == 7 {
			_, _, err := s.Store.PlaceHold(t.Context(), stuck)
			if err == nil {
				t.Error("a hold was placed under a key that is in use")
			}
			return err
		}
		err := pgtest.Again(func() error {
			_, _, err := s.Store.PlaceHold(t.Context(), s.Request(fmt.Sprint("u-", i), 1))
			return err
		})
		if err != nil {
			t.Errorf("hold %d: %v", i, err)
		}
		return err
	}, inventory.ErrBusy, inventory.ErrInProgress)
	if got := s.Taken(t); got != 59 {
		t.Errorf("taken = %d, want all but the one", got)
	}
}

// A lone hold and one among others are judged alike, whatever stands in the way.
func TestHoldOne_judgesAsABatchDoes(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(4, 0), pgtest.PerBuyer(2))
	seen := map[string]int{}
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	for n := range 300 {
		tx, err := s.DB.Pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range []string{
			pick("", "", "UPDATE pool_day SET stop_sell = true", "UPDATE pool_day SET sales_from = now() + interval '1 hour'", "UPDATE pool_day SET sales_until = now() - interval '1 hour'"),
			pick("", "", "UPDATE pool SET max_per_buyer = 0", "UPDATE pool SET max_per_buyer = 1"),
			pick("", madeBooking("u", "HELD", 1, "1 hour"), madeBooking("u", "CONFIRMED", 1, "1 hour"), madeBooking("u", "HELD", 1, "-1 hour")),
			pick("", madeBooking("v", "HELD", 3, "1 hour"), madeBooking("v", "CONFIRMED", 3, "1 hour"), madeBooking("v", "HELD", 3, "-1 hour")),
			pick("", "", "", "INSERT INTO idempotency (client_id, key, fingerprint) VALUES (7, 'k', 'x')"),
		} {
			if sql == "" {
				continue
			}
			if _, err := tx.Exec(t.Context(), strings.ReplaceAll(sql, "$day", s.Day.String())); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
		}
		pool, later, quantity := pick("main", "main", "main", "main", "main", "attic"), pick("0", "0", "0", "0", "0", "5000"), 1+rng.IntN(2)
		outcome := func(sql string) (got string) {
			if _, err := tx.Exec(t.Context(), "SAVEPOINT before"); err != nil {
				t.Fatal(err)
			}
			if err := tx.QueryRow(t.Context(), sql, uuid.New(), s.Pool.Ref.Venue, pool, s.Day.String(), later, quantity).Scan(&got); err != nil {
				t.Fatalf("%s: %v", sql, err)
			}
			if _, err := tx.Exec(t.Context(), "ROLLBACK TO before"); err != nil {
				t.Fatal(err)
			}
			return got
		}
		one := outcome(`SELECT outcome FROM hold_one($1, $2, $3, $4::text::date + $5::text::int, $6, 'u', 7, 'k', 'x', 'client:shop')`)
		many := outcome(`SELECT outcome FROM hold_batch(ARRAY[$1::uuid], ARRAY[$2::text], ARRAY[$3::text], ARRAY[$4::text::date + $5::text::int], ARRAY[$6::int],
			ARRAY['u'], ARRAY[7::bigint], ARRAY['k'], ARRAY['x'::bytea], ARRAY['client:shop'], false)`)
		if one != many {
			t.Fatalf("round %d: alone %s, in a batch %s", n, one, many)
		}
		seen[one]++
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, outcome := range []string{"PLACED", "ALONE", "NOT_FOUND", "NOT_ON_SALE", "STOP_SELL", "CUTOFF_PASSED", "SOLD_OUT", "HOLD_EXISTS", "LIMIT_PER_BUYER"} {
		if seen[outcome] == 0 {
			t.Errorf("no round ended in %s: %v", outcome, seen)
		}
	}
}

// madeBooking is SQL for a booking of $day for a buyer of client 7, counted.
func madeBooking(buyer, state string, quantity int, ends string) string {
	return fmt.Sprintf(`WITH d AS (UPDATE pool_day SET taken = taken + %[3]d WHERE day = '$day' RETURNING pool_id, day)
		INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, expires_at, amount_minor, currency, one_per_buyer, client_id, last_cause, last_actor, created_at, updated_at)
		SELECT gen_random_uuid(), 1, pool_id, day, %[3]d, '%[1]s', '%[2]s', clock_timestamp() + interval '%[4]s', 100, 'EUR', false, 7, 'hold', 'client:shop', now(), now() FROM d`, buyer, state, quantity, ends)
}
