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
func (s *Store) SweepHolds(ctx context.Context, limit int) (inventory.SweepResult, error) {
	return s.SweepHoldsUntil(ctx, ctx, limit)
}

// SweepHoldsUntil is SweepHolds, and begins no further transaction once until is
// over; the one under way ends as it would have.
func (s *Store) SweepHoldsUntil(ctx, until context.Context, limit int) (res inventory.SweepResult, err error) {
	defer func() { s.observer.Expired(ExpiredBySweep, res.Expired) }()
	res, err = s.sweepPlaces(ctx, until, limit)
	if err != nil {
		return res, err
	}
	most := min(limit, sweepTogether)
	for _, sweep := range []func(context.Context, int) (inventory.SweepResult, error){s.sweepSeats, s.sweepRanges} {
		if until.Err() != nil {
			res.More = true
			return res, ctx.Err()
		}
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
func (s *Store) sweepPlaces(ctx, until context.Context, limit int) (res inventory.SweepResult, err error) {
	due, err := s.overdueHolds(ctx, limit)
	if err != nil || len(due) == 0 {
		return res, err
	}
	expired, given, busy, err := s.expireFree(ctx, until, due)
	res.Expired, res.Days = expired, len(given)
	if err != nil {
		return res, err
	}
	res.More = len(due) >= limit || len(busy) > 0 || until.Err() != nil
	for i, d := range busy {
		if i >= sweepWaited || res.Expired >= limit || until.Err() != nil {
			res.Skipped += len(busy) - i
			break
		}
		one, err := s.sweepDay(ctx, d, min(limit-res.Expired, sweepTogether))
		switch {
		case errors.Is(err, inventory.ErrBusy):
			res.Skipped++
		case err != nil:
			return res, err
		case one.Expired > 0:
			res.Expired, given = res.Expired+one.Expired, append(given, d)
		}
	}
	res.Days = len(distinct(given))
	return res, nil
}

// sweepDay waits for one day, up to the lock limit, and sweeps it.
func (s *Store) sweepDay(ctx context.Context, d dayKey, limit int) (inventory.SweepResult, error) {
	var res inventory.SweepResult
	err := s.inTx(ctx, "sweep a busy day", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlDayLock, pgx.StrictNamedArgs{"pool": d.pool, "day": d.day}); err != nil {
			return err
		}
		var err error
		res, err = s.expireDays(ctx, tx, []int64{d.pool}, []string{d.day}, "", limit)
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

// expireOverdue is expireDays for somebody who wants the places.
func (s *Store) expireOverdue(ctx context.Context, tx pgx.Tx, pools []int64, days []string, buyer string, limit int) (inventory.SweepResult, error) {
	res, err := s.expireDays(ctx, tx, pools, days, buyer, limit)
	reclaimed(tx, res.Expired)
	return res, err
}

// expireDays expires at most limit overdue holds of days that this transaction
// has locked and gives their places back, in one statement. buyer "" means every
// buyer.
func (s *Store) expireDays(ctx context.Context, tx pgx.Tx, pools []int64, days []string, buyer string, limit int) (inventory.SweepResult, error) {
	var res inventory.SweepResult
	err := tx.QueryRow(ctx, sqlExpireOverdue, pgx.StrictNamedArgs{
		"pools": pools, "days": days, "buyer": textOrNull(buyer), "limit": limit,
		"actor": inventory.Job(string(inventory.JobSweep)).String(), "now": s.now,
	}).Scan(&res.Expired, &res.Days)
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
