package migrations

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

// Reasons to refuse a database. The texts around them say what to do.
var (
	// ErrServerTooOld is a PostgreSQL before version 15.
	ErrServerTooOld = errors.New("PostgreSQL is too old")
	// ErrNoBtreeGist is a database where the extension is missing and cannot be
	// installed by this login.
	ErrNoBtreeGist = errors.New("extension btree_gist is missing")
	// ErrSchemaNewer is a database that a newer holdfast has migrated.
	ErrSchemaNewer = errors.New("the database's schema is newer than this program")
	// ErrSchemaBehind is a database with pending migrations.
	ErrSchemaBehind = errors.New("the database's schema is older than this program")
)

const minServerVersion = 150000

// preflight looks at everything that would make migrations fail half-way, and
// changes nothing. It tells whether there is anything to do.
func preflight(ctx context.Context, config *pgx.ConnConfig, sources fs.FS) (todo bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := checkServer(ctx, conn); err != nil {
		return false, err
	}
	found, err := readStatus(ctx, conn, sources)
	if err != nil {
		return false, err
	}
	if err := found.refuseNewer(); err != nil {
		return false, err
	}
	if len(found.pending()) == 0 {
		return false, nil
	}
	return true, checkBtreeGist(ctx, conn)
}

const sqlServerVersion = `-- migrate.serverVersion
SELECT current_setting('server_version_num')::int,
       current_setting('server_version')`

func checkServer(ctx context.Context, conn *pgx.Conn) error {
	var (
		number int
		name   string
	)
	if err := conn.QueryRow(ctx, sqlServerVersion).Scan(&number, &name); err != nil {
		return fmt.Errorf("ask for the server's version: %w", err)
	}
	return judgeServer(number, name)
}

func judgeServer(number int, name string) error {
	if number < minServerVersion {
		return fmt.Errorf("%w: it is %s, holdfast needs 15 or newer", ErrServerTooOld, name)
	}
	return nil
}

// btreeGist is what decides whether the extension is there or can be made so.
type btreeGist struct {
	Installed bool
	Available bool // its files are on the server's machine
	Allowed   bool // this login may install it
	Database  string
	Login     string
	Major     int
}

// An extension that is marked as trusted needs no superuser, only CREATE on the
// database (PostgreSQL 13 and newer).
const sqlBtreeGist = `-- migrate.btreeGist
SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'btree_gist') AS installed,
       EXISTS (SELECT FROM pg_available_extensions WHERE name = 'btree_gist') AS available,
       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
         OR (has_database_privilege(current_database(), 'CREATE')
             AND EXISTS (SELECT FROM pg_available_extension_versions
                          WHERE name = 'btree_gist' AND trusted)) AS allowed,
       current_database()::text AS database,
       current_user::text AS login,
       current_setting('server_version_num')::int / 10000 AS major`

func checkBtreeGist(ctx context.Context, conn *pgx.Conn) error {
	rows, _ := conn.Query(ctx, sqlBtreeGist) // the error comes with the rows
	ext, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[btreeGist])
	if err != nil {
		return fmt.Errorf("look for btree_gist: %w", err)
	}
	return ext.judge()
}

// judge says what somebody has to do who may not know this database.
func (b btreeGist) judge() error {
	command := fmt.Sprintf("in database %s, as a superuser:\n  CREATE EXTENSION btree_gist;", b.Database)
	switch {
	case b.Installed:
		return nil
	case !b.Available:
		return fmt.Errorf("%w and not available on the server; nothing was changed.\n"+
			"Install PostgreSQL's contrib modules there (Debian: apt-get install postgresql-%d; Red Hat: postgresql%d-contrib), then, %s",
			ErrNoBtreeGist, b.Major, b.Major, command)
	case !b.Allowed:
		return fmt.Errorf("%w and login %s may not install it; nothing was changed.\nAsk the database's administrator to run, %s",
			ErrNoBtreeGist, b.Login, command)
	}
	return nil
}
