// Package migrations holds the database schema and brings databases up to it.
package migrations

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed *.sql
var embedded embed.FS

// lockTimeout bounds how long a migration's statement waits for a table that
// live traffic uses; while it waits, that traffic queues up behind it.
const lockTimeout = "5s"

// Up applies all pending migrations, each in a transaction of its own, and gives
// the names of those applied; after an error, of those applied before it. Any
// number of processes may call it at once: one works, the others wait for it.
//
// It refuses, before any change, a server that is too old (ErrServerTooOld), a
// schema that is newer than this program (ErrSchemaNewer), and a database that
// lacks btree_gist and where the login may not install it (ErrNoBtreeGist).
// dsn should lead to the server itself and belong to the schema's owner.
func Up(ctx context.Context, dsn string) (applied []string, err error) {
	return up(ctx, dsn, embedded)
}

func up(ctx context.Context, dsn string, sources fs.FS) (applied []string, err error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	config.RuntimeParams["application_name"] = "holdfast migrate"
	config.RuntimeParams["lock_timeout"] = lockTimeout
	config.RuntimeParams["timezone"] = "UTC" // goose keeps its times without a zone

	applied, err = applyPending(ctx, config, sources)
	if err != nil {
		return applied, fmt.Errorf("migrate: %w", err)
	}
	return applied, nil
}

func applyPending(ctx context.Context, config *pgx.ConnConfig, sources fs.FS) (applied []string, err error) {
	// First without the lock: most callers find nothing to do.
	if todo, err := preflight(ctx, config, sources); err != nil || !todo {
		return nil, err
	}
	unlock, err := lock(ctx, config)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if todo, err := preflight(ctx, config, sources); err != nil || !todo {
		return nil, err
	}

	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, sources,
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, err
	}
	results, err := provider.Up(ctx)
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		return names(partial.Applied), fmt.Errorf("%s: %w%s",
			path.Base(partial.Failed.Source.Path), partial.Err, where(partial.Err))
	}
	return names(results), err
}

func names(results []*goose.MigrationResult) []string {
	var out []string
	for _, r := range results {
		out = append(out, path.Base(r.Source.Path))
	}
	return out
}

// where adds what PostgreSQL says about the place of an error in SQL that the
// reader may have to mend.
func where(err error) string {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return ""
	}
	var out string
	for _, part := range []string{pg.Detail, pg.Where, pg.Hint} {
		if part != "" {
			out += "\n  " + part
		}
	}
	if pg.Position > 0 {
		out += fmt.Sprintf("\n  at character %d of its statement", pg.Position)
	}
	return out
}
