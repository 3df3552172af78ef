package migrations

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// lockKey is any number that no other use of this database has.
const lockKey = 0x686f6c64 // "hold"

const sqlLock = `-- migrate.lock
SELECT pg_advisory_xact_lock($1)`

// The lock waits for another migration as long as the context lets it, and its
// transaction is idle while the migrations run on a connection of their own.
const sqlLockSettings = `-- migrate.lockSettings
SELECT set_config('lock_timeout', '0', true),
       set_config('statement_timeout', '0', true),
       set_config('idle_in_transaction_session_timeout', '0', true)`

// unlockTimeout bounds the goodbye; a lost connection frees the lock as well.
const unlockTimeout = 2 * time.Second

// lock makes migrations of one database wait for each other. It is a lock of a
// transaction and not of a session, as goose's own is, because a pooler in
// transaction mode would hand a session lock to somebody else.
func lock(ctx context.Context, config *pgx.ConnConfig) (unlock func(), err error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	unlock = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTimeout)
		defer cancel()
		_ = conn.Close(ctx)
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		unlock()
		return nil, err
	}
	if _, err := tx.Exec(ctx, sqlLockSettings); err != nil {
		unlock()
		return nil, err
	}
	if _, err := tx.Exec(ctx, sqlLock, lockKey); err != nil {
		unlock()
		return nil, fmt.Errorf("wait for another migration: %w", err)
	}
	return unlock, nil
}
