// Package pgtest gives every test a PostgreSQL database of its own, and looks at
// it once more when the test is over: a test that oversells fails even if it
// forgot to look.
//
// A test binary that uses it needs one line:
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
// All databases of a binary live in one private server (package localdb), which
// is started when the first test asks and stopped after the last.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/migrations/localdb"
)

// defaultConns is enough for a test's own goroutines to wait for each other in
// PostgreSQL and not in the pool.
const defaultConns = 16

// closeLimit bounds the end of a test; a connection that is never given back
// would make it wait for ever.
const closeLimit = 5 * time.Second

// Main is for TestMain. It never returns if the process is the private server's
// supervisor, which is this binary executed again.
func Main(m *testing.M) {
	if supervisor, exit := localdb.Reexec(); supervisor {
		os.Exit(exit)
	}
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Database is one test's own database with the current schema.
type Database struct {
	Pool *pgxpool.Pool
	URL  string // for programs under test; holds a password, but to nothing of value
	Name string
}

// Option changes what a test's database is checked for.
type Option func(*options)

type options struct {
	allowViolations bool
}

// AllowViolations is for tests that break an invariant on purpose.
func AllowViolations() Option { return func(o *options) { o.allowViolations = true } }

// DB makes a database with the schema and no rows. When the test is over,
// violated invariants fail it, and the database goes. It fails the test if there
// is no PostgreSQL on this machine; it never skips.
func DB(t testing.TB, opts ...Option) *Database {
	t.Helper()
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	db := create(t, fromTemplate)
	if !o.allowViolations {
		t.Cleanup(func() { checkInvariants(t, db) }) // runs before the database goes
	}
	return db
}

// EmptyDB makes a database without a schema, for tests of migrations.
func EmptyDB(t testing.TB) *Database {
	t.Helper()
	return create(t, empty)
}

// NewPool is a further pool on the database, for tests that need the limits of
// one process each. It is closed with the test.
func (db *Database) NewPool(t testing.TB, maxConns int32) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = maxConns
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatalf("open a pool on %s: %v", db.Name, err)
	}
	t.Cleanup(func() { closePool(t, pool) })
	return pool
}

func create(t testing.TB, kind databaseKind) *Database {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), createLimit)
	defer cancel()
	name, url, err := shared.create(ctx, kind)
	if err != nil {
		t.Fatalf("make a test database: %v", err)
	}
	t.Cleanup(func() { drop(t, name) })
	db := &Database{URL: url, Name: name}
	db.Pool = db.NewPool(t, defaultConns)
	return db
}

func drop(t testing.TB, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	if err := shared.drop(ctx, name); err != nil {
		t.Errorf("remove the test database: %v", err)
	}
}

func closePool(t testing.TB, pool *pgxpool.Pool) {
	t.Helper()
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(closeLimit):
		t.Errorf("%d connections of a pool were never given back", pool.Stat().AcquiredConns())
	}
}

// Violation is a row of the view that holdfast check prints.
type Violation struct {
	Invariant string
	Object    string
	Detail    string
}

const sqlViolations = `-- pgtest.violations
SELECT invariant, object, detail
  FROM violation
 ORDER BY invariant, object`

// Violations reads what holdfast check would print, on a connection of its own,
// so that it works with an exhausted or closed pool.
func (db *Database) Violations(ctx context.Context) ([]Violation, error) {
	cfg, err := pgx.ParseConfig(db.URL)
	if err != nil {
		return nil, err
	}
	cfg.RuntimeParams["jit"] = "off" // compiling the view takes seconds, running it none
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	rows, _ := conn.Query(ctx, sqlViolations) // the error comes with the rows
	return pgx.CollectRows(rows, pgx.RowToStructByName[Violation])
}

func checkInvariants(t testing.TB, db *Database) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	violations, err := db.Violations(ctx)
	if err != nil {
		t.Errorf("check the invariants: %v", err)
	}
	for _, v := range violations {
		t.Errorf("violation: %s  %s  %s", v.Invariant, v.Object, v.Detail)
	}
}

func withDatabase(serverURL, name string) (string, error) {
	u, err := url.Parse(serverURL)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}
