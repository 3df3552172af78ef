package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// What is over may be forgotten, or moved out of the way, in batches: each
// method does one, of at most limit rows in a transaction of its own, and
// returns how many rows it was. A full batch means that there may be more.

// PurgeKeys forgets idempotency keys first used longer ago than age. A key
// whose booking still has a place without being confirmed, or whose payment is
// not decided, is kept: the same request would be answered anew.
func (s *Store) PurgeKeys(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.purge(ctx, "purge idempotency keys", sqlPurgeKeys, age, limit)
}

// EmptyCallbacks empties the bodies of callbacks that arrived longer ago than
// age and were applied. Their rows stay: a provider may deliver one again.
func (s *Store) EmptyCallbacks(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.purge(ctx, "empty callbacks", sqlEmptyCallbacks, age, limit)
}

// PurgeJobRuns forgets runs of jobs that started longer ago than age, but
// never a job's last run nor its last success.
func (s *Store) PurgeJobRuns(ctx context.Context, age time.Duration, limit int) (int, error) {
	return s.purge(ctx, "purge job runs", sqlPurgeJobRuns, age, limit)
}

func (s *Store) purge(ctx context.Context, op, sql string, age time.Duration, limit int) (int, error) {
	var n int
	err := s.inTx(ctx, op, beginJob, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sql, pgx.StrictNamedArgs{"age": age.Microseconds(), "limit": limit, "now": s.now}).Scan(&n)
	})
	return n, err
}
