package migrations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
)

// Migration is one step of the schema.
type Migration struct {
	Version   int64
	Name      string     // its file, "" if this program does not know it
	AppliedAt *time.Time // nil while it is pending
}

// status is all that the program knows or the database has, by version.
type status []Migration

// Status lists every migration that the program knows or the database has, in
// order. It only reads: a database that was never migrated stays untouched.
func Status(ctx context.Context, dsn string) ([]Migration, error) {
	s, err := connectAndRead(ctx, dsn, embedded)
	if err != nil {
		return nil, fmt.Errorf("migration status: %w", err)
	}
	return s, nil
}

// Check tells whether this program fits the database: nil if so, else
// ErrSchemaBehind or ErrSchemaNewer with a text that says what to do.
func Check(ctx context.Context, dsn string) error {
	s, err := connectAndRead(ctx, dsn, embedded)
	if err != nil {
		return fmt.Errorf("check the schema: %w", err)
	}
	return s.fit()
}

func connectAndRead(ctx context.Context, dsn string, sources fs.FS) (status, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return readStatus(ctx, conn, sources)
}

const sqlApplied = `-- migrate.applied
SELECT version_id, max(tstamp AT TIME ZONE 'UTC') -- Up sets the session's zone to UTC
  FROM goose_db_version
 WHERE is_applied
   AND version_id > 0 -- goose's own mark
 GROUP BY version_id`

func readStatus(ctx context.Context, conn *pgx.Conn, sources fs.FS) (status, error) {
	known, err := knownMigrations(sources)
	if err != nil {
		return nil, err
	}
	applied, err := appliedMigrations(ctx, conn)
	if err != nil {
		return nil, err
	}
	var out status
	for version, name := range known {
		m := Migration{Version: version, Name: name}
		if at, ok := applied[version]; ok {
			m.AppliedAt = &at
		}
		out = append(out, m)
	}
	for version, at := range applied {
		if _, ok := known[version]; !ok {
			out = append(out, Migration{Version: version, AppliedAt: &at})
		}
	}
	slices.SortFunc(out, func(a, b Migration) int { return cmp.Compare(a.Version, b.Version) })
	return out, nil
}

func knownMigrations(sources fs.FS) (map[int64]string, error) {
	files, err := fs.Glob(sources, "*.sql")
	if err != nil {
		return nil, err
	}
	known := make(map[int64]string, len(files))
	for _, name := range files {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		known[version] = name
	}
	return known, nil
}

func appliedMigrations(ctx context.Context, conn *pgx.Conn) (map[int64]time.Time, error) {
	rows, _ := conn.Query(ctx, sqlApplied) // the error comes with the rows
	applied := map[int64]time.Time{}
	var (
		version int64
		at      time.Time
	)
	_, err := pgx.ForEachRow(rows, []any{&version, &at}, func() error {
		applied[version] = at.UTC()
		return nil
	})
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == undefinedTable {
		return applied, nil // never migrated
	}
	if err != nil {
		return nil, fmt.Errorf("read the applied migrations: %w", err)
	}
	return applied, nil
}

const undefinedTable = "42P01"

// fit tells whether exactly the known migrations are applied.
func (s status) fit() error {
	if err := s.refuseNewer(); err != nil {
		return err
	}
	if pending := s.pending(); len(pending) > 0 {
		return fmt.Errorf("%w: run `holdfast migrate up` (pending: %s)", ErrSchemaBehind, strings.Join(pending, ", "))
	}
	return nil
}

func (s status) pending() []string {
	var names []string
	for _, m := range s {
		if m.AppliedAt == nil {
			names = append(names, m.Name)
		}
	}
	return names
}

func (s status) refuseNewer() error {
	for _, m := range s {
		if m.Name == "" {
			return fmt.Errorf("%w: it has migration %05d, which this holdfast does not know; use a newer holdfast",
				ErrSchemaNewer, m.Version)
		}
	}
	return nil
}
