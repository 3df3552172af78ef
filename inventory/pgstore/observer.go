package pgstore

import (
	"time"

	"github.com/jackc/pgx/v5"
)

// Observer is told how the store works, for metrics. Its methods are called in
// the middle of holds: they return at once, panic never, and may be called at the
// same time.
type Observer interface {
	// Batch: that many holds were decided together, in one statement that took
	// that long, waiting for locks included. lockWait is negative if PostgreSQL did
	// not say how long it waited.
	Batch(holds int, took, lockWait time.Duration)

	// LockWait: a hold, move or revival that is decided by itself asked for the lock
	// of what it wants, and had it after that long.
	LockWait(took time.Duration)

	// Turn: a hold that is decided by itself waited that long in this process for
	// those before it that want the same.
	Turn(waited time.Duration)

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

func (unobserved) Batch(int, time.Duration, time.Duration) {}
func (unobserved) LockWait(time.Duration)                  {}
func (unobserved) Turn(time.Duration)                      {}
func (unobserved) Expired(ExpiredBy, int)                  {}

// countedTx counts what must only be told once its transaction has ended well.
type countedTx struct {
	pgx.Tx
	reclaimed int
}

// reclaimed notes that tx expired overdue holds for somebody who wants their
// places.
func reclaimed(tx pgx.Tx, holds int) {
	if c, ok := tx.(*countedTx); ok {
		c.reclaimed += holds
	}
}
