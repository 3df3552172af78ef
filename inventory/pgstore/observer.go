package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/inventory"
)

// Observer is told how the store works, for metrics. Its methods are called in
// the middle of holds: they return at once, panic never, and may be called at the
// same time.
type Observer interface {
	// Batch: that many holds were decided together, in one statement that took
	// that long. It waits for no day: one that is locked is passed over.
	Batch(holds int, took time.Duration)

	// LockWait: a step of a buyer that is decided by itself (a hold, a change, money
	// for a booking) asked for the lock of its places, and had it after that long.
	LockWait(took time.Duration)

	// Expired: that many overdue holds were moved to EXPIRED and their places given
	// back, and the transaction that did so has ended well.
	Expired(by ExpiredBy, holds int)
}

// ExpiredBy says who expired a hold.
type ExpiredBy string

// Who expires holds.
const (
	ExpiredBySweep   ExpiredBy = "sweep"
	ExpiredByReclaim ExpiredBy = "reclaim" // somebody who wants the place, in the same transaction
)

// Option changes a store that New makes.
type Option func(*Store)

// WithObserver has o told how the store works.
func WithObserver(o Observer) Option { return func(s *Store) { s.observer = o } }

// unobserved is the observer of a store that has none.
type unobserved struct{}

func (unobserved) Batch(int, time.Duration) {}
func (unobserved) LockWait(time.Duration)   {}
func (unobserved) Expired(ExpiredBy, int)   {}

// Waiting is how many holds wait in this process at this moment: for the next
// batch, for a look at a day that seems sold out, or for their turn.
func (s *Store) Waiting() int {
	return s.batches.holds.waiting() + s.batches.patient.waiting() + s.looks.asked.waiting() + s.lanes.waiting()
}

// countedTx notices what is worth telling of a transaction.
type countedTx struct {
	pgx.Tx
	store     *Store
	patient   bool // a job's: its waits are nobody's
	reclaimed int  // told only once the transaction has ended well
}

// Exec runs a statement. One that locks places is timed, and one that expires
// what a range runs into is counted.
func (c *countedTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if c.patient || !locksPlaces[sql] {
		tag, err := c.Tx.Exec(ctx, sql, args...)
		if sql == sqlExpireRangesInTheWay {
			c.reclaimed += int(tag.RowsAffected())
		}
		return tag, err
	}
	began := c.store.stopwatch.Now()
	tag, err := c.Tx.Exec(ctx, sql, args...)
	c.store.observer.LockWait(c.store.stopwatch.Now().Sub(began))
	return tag, err
}

// locksPlaces are the statements in which a step of a buyer waits for others that
// want the same places.
var locksPlaces = map[string]bool{
	sqlDayLock: true, sqlSeatsLock: true,
	sqlClaimLock[inventory.ClaimPool]: true, sqlClaimLock[inventory.ClaimSeats]: true, sqlClaimLock[inventory.ClaimRange]: true,
}

// reclaimed notes that tx expired overdue holds for somebody who wants their
// places.
func reclaimed(tx pgx.Tx, holds int) {
	if c, ok := tx.(*countedTx); ok {
		c.reclaimed += holds
	}
}
