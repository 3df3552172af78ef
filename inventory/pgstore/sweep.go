package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

const (
	sweepSample  = 2000 // overdue holds looked at to find the days of a call
	sweepGroup   = 64   // days that one transaction goes through at most
	sweepWorkers = 2    // transactions of one call at a time; each locks other days
	sweepWaited  = 5    // locked days waited for, one after the other, in one call

	// sweepSpan is how long one transaction keeps the days that it has locked,
	// and so about the longest that a buyer waits for one of them. The portion
	// under way (500 holds) is brought to its end.
	sweepSpan = 80 * time.Millisecond
)

// SweepHolds moves at most about limit overdue holds of each kind to EXPIRED
// and gives their places back, each in the transaction that expires it. Any
// number of sweeps share the work: days that somebody else keeps locked are
// skipped, and then waited for one by one with a bound, so that a hot day is
// never starved. A call is many short transactions; More says that another
// one would find something to do.
func (s *Store) SweepHolds(ctx context.Context, limit int) (res inventory.SweepResult, err error) {
	defer func() { s.observer.Expired(ExpiredBySweep, res.Expired) }()
	res, err = s.sweepPlaces(ctx, limit)
	if err != nil {
		return res, err
	}
	for _, sweep := range []func(context.Context, int) (inventory.SweepResult, error){s.sweepSeats, s.sweepRanges} {
		one, err := sweep(ctx, min(limit, sweepTogether))
		if err != nil {
			return res, err
		}
		res.Expired, res.Events, res.Resources = res.Expired+one.Expired, res.Events+one.Events, res.Resources+one.Resources
		res.More = res.More || one.Expired >= min(limit, sweepTogether)
	}
	return res, nil
}

// sweepTogether is how many holds of seats or of ranges one transaction expires.
const sweepTogether = 500

// sweepPlaces sweeps pool days: first those that are free, then, with a bound,
// those that somebody kept locked.
func (s *Store) sweepPlaces(ctx context.Context, limit int) (inventory.SweepResult, error) {
	var due []dayKey
	var all bool
	err := s.read(ctx, "find overdue holds", func(ctx context.Context, tx pgx.Tx) error {
		var err error
		due, all, err = s.overdueDays(ctx, tx)
		return err
	})
	if err != nil || len(due) == 0 {
		return inventory.SweepResult{}, err
	}
	q := &sweepQueue{days: due, left: limit}
	err = s.sweepFree(ctx, q)
	res := inventory.SweepResult{Expired: limit - q.left, Days: q.touched}
	for i, d := range q.locked {
		if err != nil {
			return res, err
		}
		if i >= sweepWaited || res.Expired >= limit {
			res.Skipped += len(q.locked) - i
			break
		}
		var one inventory.SweepResult
		one, err = s.sweepDay(ctx, d, limit-res.Expired)
		if errors.Is(err, inventory.ErrBusy) {
			res.Skipped, err = res.Skipped+1, nil
		}
		res.Expired, res.Days = res.Expired+one.Expired, res.Days+one.Days
	}
	res.More = !all || len(q.days) > 0 || res.Expired >= limit || res.Skipped > 0
	return res, err
}

// sweepDay waits for one day, up to the lock limit, and sweeps it.
func (s *Store) sweepDay(ctx context.Context, d dayKey, limit int) (inventory.SweepResult, error) {
	var res inventory.SweepResult
	err := s.inTx(ctx, "sweep a busy day", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlDayLock, pgx.StrictNamedArgs{"pool": d.pool, "day": d.day}); err != nil {
			return err
		}
		done, err := s.sweepDays(ctx, tx, []dayKey{d}, min(limit, sweepTogether))
		res = inventory.SweepResult{Expired: done.expired, Days: done.touched}
		return err
	})
	return res, err
}

// sweepSeats expires overdue holds of seats.
func (s *Store) sweepSeats(ctx context.Context, limit int) (inventory.SweepResult, error) {
	var res inventory.SweepResult
	err := s.inTx(ctx, "sweep seats", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		res, err = s.expireOverdueSeats(ctx, tx, nil, limit)
		return err
	})
	return res, err
}

// expireOverdueSeats expires overdue holds of seats, of all bookings or only of
// some, and locks their seats first where this transaction has not.
func (s *Store) expireOverdueSeats(ctx context.Context, tx pgx.Tx, of []inventory.BookingID, limit int) (inventory.SweepResult, error) {
	var res inventory.SweepResult
	err := tx.QueryRow(ctx, sqlExpireOverdueSeats, pgx.StrictNamedArgs{
		"bookings": of, "limit": limit, "actor": inventory.Job(string(inventory.JobSweep)).String(), "now": s.now,
	}).Scan(&res.Expired, &res.Events)
	if len(of) > 0 {
		reclaimed(tx, res.Expired)
	}
	return res, err
}

// sweepRanges expires overdue holds of resources.
func (s *Store) sweepRanges(ctx context.Context, limit int) (inventory.SweepResult, error) {
	var res inventory.SweepResult
	err := s.inTx(ctx, "sweep ranges", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sqlExpireOverdueRanges, pgx.StrictNamedArgs{
			"limit": limit, "actor": inventory.Job(string(inventory.JobSweep)).String(), "now": s.now,
		}).Scan(&res.Expired, &res.Resources)
	})
	return res, err
}

// expireOverdue expires at most limit overdue holds of days that this
// transaction has locked and gives their places back, in one statement.
// buyer "" means every buyer.
func (s *Store) expireOverdue(ctx context.Context, tx pgx.Tx, pools []int64, days []string, buyer string, limit int) (inventory.SweepResult, error) {
	var res inventory.SweepResult
	err := tx.QueryRow(ctx, sqlExpireOverdue, pgx.StrictNamedArgs{
		"pools": pools, "days": days, "buyer": textOrNull(buyer), "limit": limit,
		"actor": inventory.Job(string(inventory.JobSweep)).String(), "now": s.now,
	}).Scan(&res.Expired, &res.Days)
	reclaimed(tx, res.Expired)
	return res, err
}

// dayKey names a pool day inside one statement's arguments.
type dayKey struct {
	pool int64
	day  string
}

// overdueDays lists days with overdue holds, those that wait longest first. all
// is false where there may be more than it found.
func (s *Store) overdueDays(ctx context.Context, tx pgx.Tx) (due []dayKey, all bool, err error) {
	var seen int
	rows, _ := tx.Query(ctx, sqlOverdueDays, pgx.StrictNamedArgs{"now": s.now, "limit": sweepSample})
	due, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d dayKey, err error) {
		return d, row.Scan(&d.pool, &d.day, &seen)
	})
	return due, seen < sweepSample, err
}

func splitKeys(keys []dayKey) (pools []int64, days []string) {
	pools, days = make([]int64, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		pools[i], days[i] = k.pool, k.day
	}
	return pools, days
}

// without is all but some, in the order of all.
func without[T comparable](all, some []T) []T {
	have := make(map[T]bool, len(some))
	for _, k := range some {
		have[k] = true
	}
	var rest []T
	for _, k := range all {
		if !have[k] {
			rest = append(rest, k)
		}
	}
	return rest
}
