package pgstore_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// With -args -scale=1000000 the tests of the sweep run at the size that the
// requirements name: as many overdue holds over 1,000 days, and ten times as
// many finished bookings beside them.
var scale = flag.Int("scale", 4000, "how many overdue holds the sweep is tested with")

// fillPast fills a database and returns a store on it.
func fillPast(t *testing.T, past pgtest.Past) (*pgtest.Database, *pgstore.Store) {
	t.Helper()
	db := pgtest.DB(t)
	conn, err := pgx.Connect(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	past.Venue, past.Pool = "harbour", "main"
	if err := past.Fill(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	return db, db.Store(t, 8)
}

func TestSweepHolds_manyDays(t *testing.T) {
	t.Parallel()
	db, store := fillPast(t, pgtest.Past{Days: 300, Overdue: *scale})
	start := time.Now()
	sum := inventory.SweepResult{More: true}
	for sum.More {
		res, err := store.SweepHolds(t.Context(), 20_000)
		if err != nil || res.Expired == 0 && res.More {
			t.Fatalf("after %d: %+v, %v", sum.Expired, res, err)
		}
		sum.Expired, sum.More = sum.Expired+res.Expired, res.More
	}
	took := time.Since(start)
	var taken, held int
	if err := db.Pool.QueryRow(t.Context(), `SELECT sum(taken), (SELECT count(*) FROM booking WHERE state = 'HELD') FROM pool_day`).Scan(&taken, &held); err != nil {
		t.Fatal(err)
	}
	if sum.Expired != *scale || taken != 0 || held != 0 {
		t.Errorf("expired %d of %d; %d places are still taken, %d held", sum.Expired, *scale, taken, held)
	}
	t.Logf("%d holds over 300 days in %s: %.0f/s", sum.Expired, took, float64(sum.Expired)/took.Seconds())
}

// However many sweeps there are, each hold expires once.
func TestSweepHolds_severalAtOnce(t *testing.T) {
	t.Parallel()
	const holds = 1500
	db, store := fillPast(t, pgtest.Past{Days: 20, Overdue: holds})
	var wg sync.WaitGroup
	var mu sync.Mutex
	sum := 0
	for _, s := range []*pgstore.Store{store, db.Store(t, 4), db.Store(t, 4)} {
		wg.Go(func() {
			for {
				res, err := s.SweepHolds(t.Context(), 200)
				if err != nil {
					t.Errorf("SweepHolds = %+v, %v", res, err)
					return
				}
				mu.Lock()
				sum += res.Expired
				mu.Unlock()
				if !res.More {
					return
				}
			}
		})
	}
	wg.Wait()
	if sum != holds {
		t.Errorf("expired %d in all, want %d", sum, holds)
	}
	db.AssertNoDeadlocks(t)
}

// A pass costs what is overdue, not what is over: what is due is found by an
// index alone, also where statistics know nothing of it. (sweep_batch forbids
// scans of a table itself.)
func TestSweepHolds_costsWhatIsOverdue(t *testing.T) {
	t.Parallel()
	db, store := fillPast(t, pgtest.Past{Days: 50, Overdue: 500, Finished: 2 * (*scale)})
	rows, _ := db.Pool.Query(t.Context(), "EXPLAIN "+sqlConstants(t)["sqlOverdueHolds"], pgx.StrictNamedArgs{"now": nil, "limit": 20_000})
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Join(plan, "\n"); strings.Contains(lines, "Seq Scan") || !strings.Contains(lines, "booking_held") {
		t.Errorf("not by the index of what is held:\n%s", lines)
	}
	for _, want := range []int{500, 0} {
		if res, err := store.SweepHolds(t.Context(), 20_000); err != nil || res.Expired != want {
			t.Errorf("SweepHolds = %+v, %v; want %d expired", res, err, want)
		}
	}
}

// Where a hold was seen, another may lie by the time it is expired. One of a day
// that was not locked first is left, or two sweeps could wait for each other.
func TestSweepBatch_leavesDaysItDidNotLock(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	s.Hold(t, "u-1", 1)
	other := s.Request("u-2", 1)
	other.Day = other.Day.Add(1)
	left, _, err := s.Store.PlaceHold(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	var expired int
	err = s.DB.Pool.QueryRow(t.Context(), `SELECT s.expired
		  FROM sweep_batch((SELECT array_agg(ctid) FROM booking), (SELECT array_agg(id) FROM pool), $1::text[]::date[], 'job:sweep', now() + interval '11 minutes') s`,
		[]string{s.Day.String()}).Scan(&expired)
	if err != nil || expired != 1 || s.State(t, left.ID) != inventory.StateHeld {
		t.Errorf("%d expired, %v; the hold of the other day is %s", expired, err, s.State(t, left.ID))
	}
}

// Days are those that gave places back, each once, however many transactions
// that took; days without an overdue hold are none of them.
func TestSweepHolds_countsDaysOnce(t *testing.T) {
	t.Parallel()
	_, store := fillPast(t, pgtest.Past{Days: 3, Overdue: 3 * 400})
	if res, err := store.SweepHolds(t.Context(), 2000); err != nil || res.Expired != 1200 || res.Days != 3 {
		t.Errorf("%+v, %v; want 1200 expired of 3 days", res, err)
	}
}

// Nothing begins once its time is up; the caller learns that there is more.
func TestSweepHoldsUntil_itsTimeIsUp(t *testing.T) {
	t.Parallel()
	_, store := fillPast(t, pgtest.Past{Days: 3, Overdue: 30})
	until, cancel := context.WithCancel(t.Context())
	cancel()
	if res, err := store.SweepHoldsUntil(t.Context(), until, 100); err != nil || res.Expired != 0 || !res.More {
		t.Errorf("after its time: %+v, %v", res, err)
	}
	if res, err := store.SweepHoldsUntil(t.Context(), t.Context(), 100); err != nil || res.Expired != 30 || res.More {
		t.Errorf("with time: %+v, %v", res, err)
	}
}

// RELIABILITY: holds made in the same second do not end in the same second, and
// none ends before its time.
func TestHolds_C8_endSpreadOverTheJitter(t *testing.T) {
	t.Parallel()
	const ttl, jitter, workers = time.Second, time.Second, 32 // the jitter is never longer than the hold
	holds := min(*scale/4, 10_000)
	s := pgtest.OpenShop(t, pgtest.Capacity(holds, 0), func(v *inventory.Venue, _ *inventory.Pool) { v.HoldTTL, v.HoldJitter = ttl, jitter })
	lives := make(chan time.Duration, holds)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < holds; i += workers {
				b := s.Hold(t, fmt.Sprintf("u-%d", i), 1)
				lives <- b.ExpiresAt.Sub(b.CreatedAt)
			}
		})
	}
	wg.Wait()
	close(lives)
	var slots [10]int
	shortest, longest := jitter+ttl, time.Duration(0)
	for life := range lives {
		shortest, longest = min(shortest, life), max(longest, life)
		if life < ttl || life > ttl+jitter {
			t.Fatalf("a hold of %s lives %s, jitter is %s", ttl, life, jitter)
		}
		slots[min(9, int((life-ttl)*10/jitter))]++
	}
	if spread := longest - shortest; spread < jitter*95/100 {
		t.Errorf("%d holds end within %s, jitter is %s", holds, spread, jitter)
	}
	for i, n := range slots {
		if n < holds/10/2 || n > holds/10*2 {
			t.Errorf("tenth %d of the jitter has %d of %d holds: %v", i, n, holds, slots)
		}
	}
}
