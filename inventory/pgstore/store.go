// Package pgstore is the only SQL of the running program. Every rule that
// counts places or money is decided here by PostgreSQL: exported methods own
// their transaction, unexported functions take it and compose.
//
// Every write ends in one of three answers: done (nil), not done (any other
// error), or unknown (inventory.ErrUnknownOutcome: ask again with the same
// idempotency key).
package pgstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/inventory"
	"holdfast/timezone"
)

// Limits, in the order lock < statement < context. A context that ends in the
// middle of a statement costs the connection, so it comes last.
const (
	acquireTimeout  = 750 * time.Millisecond
	commitTimeout   = 10 * time.Second
	rollbackTimeout = 2 * time.Second
	maxAttempts     = 3

	// The limits are set with BEGIN, for this transaction only: a pooler may
	// hand the session to somebody else afterwards.
	beginWrite = "begin; set local lock_timeout = '500ms'; set local statement_timeout = '1200ms'"
	beginJob   = "begin; set local lock_timeout = '2s'; set local statement_timeout = '15s'; set local jit = off" // compiling costs more than running, here and below
	beginRead  = "begin isolation level repeatable read read only; set local statement_timeout = '15s'; set local jit = off"
)

// Store answers for one database. It is safe for concurrent use.
type Store struct {
	pool      *pgxpool.Pool
	log       *slog.Logger
	lanes     *lanes
	batches   *batches
	looks     *looks
	hints     *hints
	stopwatch timezone.Clock // for how long things take; PostgreSQL's clock decides
	numbers   *coalescer[int64, int64]
	now       *time.Time // nil: PostgreSQL's clock; set by At for tests

	observer Observer
}

// New returns a store on pool. The pool stays the caller's to close.
func New(pool *pgxpool.Pool, log *slog.Logger, options ...Option) *Store {
	s := &Store{pool: pool, log: log, lanes: newLanes(), hints: newHints(), stopwatch: timezone.SystemClock{}, observer: unobserved{}}
	s.batches, s.looks = newBatches(s), newLooks(s)
	s.numbers = newNumbers(s)
	for _, set := range options {
		set(s)
	}
	return s
}

// At returns a store whose statements judge time as if it were now, instead
// of asking PostgreSQL's clock. For tests and rehearsals.
func (s *Store) At(now time.Time) *Store {
	at := *s
	at.now = &now
	return &at
}

// inTx runs fn in a transaction: the only way in for writes. A serialization
// failure or a deadlock runs the whole of fn again, at most three times. The
// commit is called on a context that the caller's hang-up cannot cancel, since
// cancelling it would turn done into unknown.
func (s *Store) inTx(ctx context.Context, op, begin string, fn func(context.Context, pgx.Tx) error) error {
	if begin != beginRead {
		defer s.hints.forget() // places may have come back: whoever sells through this store sees it at once
	}
	return s.inTxThatTakes(ctx, op, begin, fn)
}

// inTxThatTakes is inTx for what gives no place back.
func (s *Store) inTxThatTakes(ctx context.Context, op, begin string, fn func(context.Context, pgx.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := s.tryTx(ctx, begin, fn)
		if attempt < maxAttempts && again(err) {
			pause := time.Duration(rand.Int64N(int64(10*time.Millisecond) << attempt))
			select {
			case <-time.After(pause):
				continue
			case <-ctx.Done():
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", op, s.translate(err))
		}
		return nil
	}
}

func (s *Store) tryTx(ctx context.Context, begin string, fn func(context.Context, pgx.Tx) error) error {
	conn, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	detached := context.WithoutCancel(ctx)
	defer func() {
		// ctx may be over already; rolling back with it would cost the connection.
		rollback, cancel := context.WithTimeout(detached, rollbackTimeout)
		defer cancel()
		_ = tx.Rollback(rollback) // nothing to do after a commit
	}()
	counted := &countedTx{Tx: tx, store: s, patient: begin == beginJob}
	if err := fn(ctx, counted); err != nil {
		return err
	}
	commit, cancel := context.WithTimeout(detached, commitTimeout)
	defer cancel()
	if err := tx.Commit(commit); err != nil {
		if _, refused := errors.AsType[*pgconn.PgError](err); refused || errors.Is(err, pgx.ErrTxCommitRollback) {
			return fmt.Errorf("commit: %w", err) // the server said no: nothing was done
		}
		return fmt.Errorf("commit: %w: %w", inventory.ErrUnknownOutcome, err)
	}
	if counted.reclaimed > 0 {
		s.observer.Expired(ExpiredByReclaim, counted.reclaimed)
	}
	return nil
}

// acquire bounds the wait for a connection: pgxpool itself waits as long as
// the context lives.
func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(wait)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("no free connection within %s: %w", acquireTimeout, inventory.ErrBusy)
	}
	return conn, err
}

// read runs fn on one snapshot, read only.
func (s *Store) read(ctx context.Context, op string, fn func(context.Context, pgx.Tx) error) error {
	return s.inTx(ctx, op, beginRead, fn)
}

// acting names who acts, for the audit triggers of this transaction.
func acting(ctx context.Context, tx pgx.Tx, actor inventory.Actor, reason string) error {
	_, err := tx.Exec(ctx, sqlActing, pgx.StrictNamedArgs{"actor": actor.String(), "reason": reason})
	return err
}

const sqlActing = `-- store.acting
SELECT set_config('holdfast.actor', @actor, true), -- true: until the end of this transaction
       set_config('holdfast.reason', @reason, true)`

// Ping asks the database for a sign of life.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.DatabaseNow(ctx)
	return err
}

// DatabaseNow is PostgreSQL's clock: the one that decides.
func (s *Store) DatabaseNow(ctx context.Context) (time.Time, error) {
	var now time.Time
	err := s.read(ctx, "ask the database's clock", func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sqlNow, pgx.StrictNamedArgs{"now": s.now}).Scan(&now)
	})
	return now, err
}

const sqlNow = `-- store.now
SELECT coalesce(@now::timestamptz, statement_timestamp())`
