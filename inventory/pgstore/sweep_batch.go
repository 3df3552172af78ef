package pgstore

import (
	"context"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"holdfast/inventory"
)

const (
	sweepTogether = 500 // holds that one transaction expires at most
	sweepWorkers  = 2   // transactions of one call at a time, each with other days
)

// dayKey names a pool day inside one statement's arguments.
type dayKey struct {
	pool int64
	day  string
}

// worker says which worker has the day, so that two of them never want the same.
func (d dayKey) worker() int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(d.day))                           // a hash takes everything
	return int((h.Sum32() + uint32(d.pool)) % sweepWorkers) //nolint:gosec // any bits of the number will do
}

// overdueHold is where a hold past its end was seen, and the day that it is on.
type overdueHold struct {
	row string
	day dayKey
}

// overdueHolds lists the overdue holds of places that ended first.
func (s *Store) overdueHolds(ctx context.Context, limit int) ([]overdueHold, error) {
	var due []overdueHold
	err := s.read(ctx, "find overdue holds", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlOverdueHolds, pgx.StrictNamedArgs{"now": s.now, "limit": limit})
		var err error
		due, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (h overdueHold, err error) {
			return h, row.Scan(&h.row, &h.day.pool, &h.day.day)
		})
		return err
	})
	return due, err
}

// expireFree expires those of the holds whose days nobody keeps locked, in
// short transactions, none of which begins once until is over: between two,
// whoever waits for a day gets it. It returns how many it expired, the days that
// gave places back, and those that it passed over.
func (s *Store) expireFree(ctx, until context.Context, due []overdueHold) (expired int, given, busy []dayKey, err error) {
	parts := [][]overdueHold{due}
	if len(due) > sweepTogether {
		parts = make([][]overdueHold, sweepWorkers)
		for _, h := range due {
			w := h.day.worker()
			parts[w] = append(parts[w], h)
		}
	}
	var mu sync.Mutex
	workers, ctx := errgroup.WithContext(ctx)
	for _, part := range parts {
		workers.Go(func() error {
			for batch := range slices.Chunk(part, sweepTogether) {
				if until.Err() != nil {
					return nil
				}
				n, back, passed, err := s.sweepBatch(ctx, batch)
				if err != nil {
					return err
				}
				mu.Lock()
				expired, given, busy = expired+n, append(given, back...), append(busy, passed...)
				mu.Unlock()
			}
			return nil
		})
	}
	err = workers.Wait()
	return expired, distinct(given), distinct(busy), err
}

func (s *Store) sweepBatch(ctx context.Context, batch []overdueHold) (expired int, given, busy []dayKey, err error) {
	rows, of := make([]string, len(batch)), make([]dayKey, len(batch))
	for i, h := range batch {
		rows[i], of[i] = h.row, h.day
	}
	pools, days := splitKeys(distinct(of))
	err = s.inTx(ctx, "sweep holds", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		var givenPools, busyPools []int64
		var givenDays, busyDays []string
		err := tx.QueryRow(ctx, sqlSweepBatch, pgx.StrictNamedArgs{
			"seen": rows, "pools": pools, "days": days, "actor": inventory.Job(string(inventory.JobSweep)).String(), "now": s.now,
		}).Scan(&expired, &givenPools, &givenDays, &busyPools, &busyDays)
		given, busy = joinKeys(givenPools, givenDays), joinKeys(busyPools, busyDays)
		return err
	})
	return expired, given, busy, err
}

func joinKeys(pools []int64, days []string) []dayKey {
	keys := make([]dayKey, len(pools))
	for i, pool := range pools {
		keys[i] = dayKey{pool, days[i]}
	}
	return keys
}

func splitKeys(keys []dayKey) (pools []int64, days []string) {
	pools, days = make([]int64, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		pools[i], days[i] = k.pool, k.day
	}
	return pools, days
}

// distinct is each of the keys once, in the order in which they came first.
func distinct(keys []dayKey) []dayKey {
	had := make(map[dayKey]bool, len(keys))
	var out []dayKey
	for _, k := range keys {
		if !had[k] {
			had[k] = true
			out = append(out, k)
		}
	}
	return out
}
