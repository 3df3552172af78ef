package pgstore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

const (
	sweepDays   = 200 // days locked together by one batch
	sweepWaited = 5   // locked days waited for, one after the other, in one call
)

// SweepHolds moves at most about limit overdue holds of each kind to EXPIRED
// and gives their places back, in the same transaction. Any number of sweeps share the
// work: days that somebody else keeps locked are skipped, and then waited for
// one by one with a bound, so that a hot day is never starved.
func (s *Store) SweepHolds(ctx context.Context, limit int) (inventory.SweepResult, error) {
	var res inventory.SweepResult
	var skipped []dayKey
	err := s.inTx(ctx, "sweep holds", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		res, skipped = inventory.SweepResult{}, nil
		due, err := s.overdueDays(ctx, tx)
		if err != nil || len(due) == 0 {
			return err
		}
		pools, days := splitKeys(due)
		rows, _ := tx.Query(ctx, sqlDaysLockFree, pgx.StrictNamedArgs{"pools": pools, "days": days})
		free, err := pgx.CollectRows(rows, scanDayKey)
		if err != nil {
			return err
		}
		skipped = without(due, free)
		pools, days = splitKeys(free)
		res, err = s.expireOverdue(ctx, tx, pools, days, "", limit)
		return err
	})
	if err != nil {
		return res, err
	}
	for i, d := range skipped {
		if i >= sweepWaited || res.Expired >= limit {
			res.Skipped += len(skipped) - i
			break
		}
		one, err := s.sweepDay(ctx, d, limit-res.Expired)
		switch {
		case errors.Is(err, inventory.ErrBusy):
			res.Skipped++
		case err != nil:
			return res, err
		default:
			res.Expired, res.Days = res.Expired+one.Expired, res.Days+one.Days
		}
	}
	res.More = res.Expired >= limit || res.Skipped > 0
	for _, sweep := range []func(context.Context, int) (inventory.SweepResult, error){s.sweepSeats, s.sweepRanges} {
		one, err := sweep(ctx, limit)
		if err != nil {
			return res, err
		}
		res.Expired, res.Events, res.Resources = res.Expired+one.Expired, res.Events+one.Events, res.Resources+one.Resources
		res.More = res.More || one.Expired >= limit
	}
	return res, nil
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

// sweepDay waits for one day, up to the lock limit, and sweeps it.
func (s *Store) sweepDay(ctx context.Context, d dayKey, limit int) (inventory.SweepResult, error) {
	var res inventory.SweepResult
	err := s.inTx(ctx, "sweep a busy day", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlDayLock, pgx.StrictNamedArgs{"pool": d.pool, "day": d.day}); err != nil {
			return err
		}
		var err error
		res, err = s.expireOverdue(ctx, tx, []int64{d.pool}, []string{d.day}, "", limit)
		return err
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
	return res, err
}

// dayKey names a pool day inside one statement's arguments.
type dayKey struct {
	pool int64
	day  string
}

func (s *Store) overdueDays(ctx context.Context, tx pgx.Tx) ([]dayKey, error) {
	rows, _ := tx.Query(ctx, sqlOverdueDays, pgx.StrictNamedArgs{"now": s.now, "limit": sweepDays})
	return pgx.CollectRows(rows, scanDayKey)
}

func scanDayKey(row pgx.CollectableRow) (d dayKey, err error) {
	return d, row.Scan(&d.pool, &d.day)
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
