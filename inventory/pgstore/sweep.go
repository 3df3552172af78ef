package pgstore

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// sweepWaited is how many locked days one call waits for, one after the other.
const sweepWaited = 5

// SweepHolds moves at most about limit overdue holds of each kind to EXPIRED
// and gives their places back, each in the transaction that expires it. Any
// number of sweeps share the work: days that somebody else keeps locked are
// skipped, and then waited for one by one with a bound, so that a hot day is
// never starved. A call is many short transactions; More says that another
// one may find something to do.
func (s *Store) SweepHolds(ctx context.Context, limit int) (res inventory.SweepResult, err error) {
	defer func() { s.observer.Expired(ExpiredBySweep, res.Expired) }()
	res, err = s.sweepPlaces(ctx, limit)
	if err != nil {
		return res, err
	}
	most := min(limit, sweepTogether)
	for _, sweep := range []func(context.Context, int) (inventory.SweepResult, error){s.sweepSeats, s.sweepRanges} {
		one, err := sweep(ctx, most)
		if err != nil {
			return res, err
		}
		res.Expired, res.Events, res.Resources = res.Expired+one.Expired, res.Events+one.Events, res.Resources+one.Resources
		res.More = res.More || one.Expired >= most
	}
	return res, nil
}

// sweepPlaces sweeps pool days: first those that are free, then, with a bound,
// those that somebody kept locked.
func (s *Store) sweepPlaces(ctx context.Context, limit int) (res inventory.SweepResult, err error) {
	due, err := s.overdueHolds(ctx, limit)
	if err != nil || len(due) == 0 {
		return res, err
	}
	expired, busy, err := s.expireFree(ctx, due)
	all := make([]dayKey, len(due))
	for i, h := range due {
		all[i] = h.day
	}
	res.Expired = expired
	if expired > 0 {
		res.Days = len(distinct(all)) - len(busy)
	}
	for i, d := range busy {
		if err != nil {
			return res, err
		}
		if i >= sweepWaited || res.Expired >= limit {
			res.Skipped += len(busy) - i
			break
		}
		var one inventory.SweepResult
		one, err = s.sweepDay(ctx, d, min(limit-res.Expired, sweepTogether))
		if errors.Is(err, inventory.ErrBusy) {
			res.Skipped, err = res.Skipped+1, nil
		}
		res.Expired, res.Days = res.Expired+one.Expired, res.Days+one.Days
	}
	res.More = len(due) >= limit || res.Skipped > 0 || len(busy) > 0
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
