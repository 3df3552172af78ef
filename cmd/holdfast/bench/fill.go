package bench

import (
	"context"
	_ "embed"
	"fmt"
	"time"
)

// Overdue holds, as if nobody had swept for an hour; each with its journal, and
// counted. Without triggers, which would take minutes.
//
//go:embed fill_overdue.sql
var fillOverdue string

// Bookings that are over for good, with their journal.
//
//go:embed fill_history.sql
var fillHistory string

const fillLimit = 30 * time.Minute

// fill runs one of these statements for n bookings, spread over the days of the
// pools of spread.
func (b *bench) fill(ctx context.Context, sql string, n int) error {
	ctx, cancel := context.WithTimeout(ctx, fillLimit)
	defer cancel()
	tx, err := b.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica; SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
		return fmt.Errorf("filling needs a superuser: %w", err)
	}
	if _, err := tx.Exec(ctx, sql, n, b.today.String(), spreadDays); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	// What autovacuum would have done since.
	_, err = b.pool.Exec(ctx, "VACUUM (ANALYZE) booking, journal, pool_day")
	return err
}
