package pgstore_test

import (
	"context"
	"flag"
	"fmt"
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

// A pass costs what is overdue, not what is over: no scan of a table, whatever
// the statistics were when the plans were made.
func TestSweepHolds_costsWhatIsOverdue(t *testing.T) {
	t.Parallel()
	const days, overdue = 50, 1000
	finished := 5 * (*scale)
	if *scale >= 1_000_000 {
		finished = 10 * (*scale)
	}
	pass := func(finished int) (took time.Duration, scans int) {
		db, store := fillPast(t, pgtest.Past{Days: days, Overdue: overdue, Finished: finished})
		before := seqScans(t, db)
		start := time.Now()
		if res, err := store.SweepHolds(t.Context(), 20_000); err != nil || res.Expired != overdue {
			t.Errorf("with %d finished bookings: %+v, %v", finished, res, err)
		}
		took = time.Since(start)
		for range 20 {
			if res, err := store.SweepHolds(t.Context(), 20_000); err != nil || res.Expired != 0 {
				t.Errorf("with nothing overdue: %+v, %v", res, err)
			}
		}
		t.Logf("with %d finished bookings: %d expired in %s, a pass with nothing to do in %s", finished, overdue, took, (time.Since(start)-took)/20)
		return took, seqScans(t, db) - before
	}
	alone, _ := pass(0)
	beside, scans := pass(finished)
	if scans > 0 {
		t.Errorf("%d scans of the whole of booking or journal", scans)
	}
	t.Logf("ratio %.2f", beside.Seconds()/alone.Seconds())
}

// seqScans counts the scans of the tables that only grow.
func seqScans(t *testing.T, db *pgtest.Database) int {
	t.Helper()
	var n int
	conn, err := pgx.Connect(t.Context(), db.URL) // its own snapshot of the statistics
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	// Other sessions tell what they did when they are idle for a second, or end.
	db.Pool.Reset()
	if err := conn.QueryRow(t.Context(), `SELECT coalesce(sum(seq_scan), 0)::int FROM pg_stat_user_tables WHERE relname IN ('booking', 'journal')`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
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
