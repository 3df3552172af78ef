package pgtest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"holdfast/migrations"
	"holdfast/migrations/localdb"
)

// createLimit covers the start of the server too, on a busy machine.
const createLimit = 2 * time.Minute

const stopLimit = 30 * time.Second

// maxConnections leaves room for many parallel tests with pools of their own.
const maxConnections = "300"

// templateName is the migrated database that tests' databases are copies of.
const templateName = "holdfast_template"

type databaseKind int

const (
	fromTemplate databaseKind = iota
	empty
)

// shared is the one server of a test binary. It is a package variable because
// nothing else lasts from the first test that asks to the end of Main.
var shared server

type server struct {
	mu    sync.Mutex
	local *localdb.Server
	admin *pgxpool.Pool
	err   error // why it could not start: the next test need not try again
	count int
}

// get starts the server for the first caller.
func (s *server) get(ctx context.Context) (*pgxpool.Pool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.admin == nil && s.err == nil {
		s.err = s.start(ctx)
	}
	return s.admin, s.err
}

func (s *server) start(ctx context.Context) error {
	local, err := localdb.Start(ctx, localdb.Options{
		Kind:    localdb.Temporary,
		Dir:     dataParent(),
		NoFsync: true, // what a crash of the machine would lose, nobody wants
		Settings: map[string]string{
			"max_connections":    maxConnections,
			"synchronous_commit": "off",
			"autovacuum":         "off",
			"log_lock_waits":     "on",
			"log_checkpoints":    "off",
		},
	})
	if err != nil {
		return err
	}
	s.local = local
	if err := s.makeTemplate(ctx); err != nil {
		return err
	}
	config, err := pgxpool.ParseConfig(local.URL())
	if err != nil {
		return err
	}
	config.MaxConns = 4
	s.admin, err = pgxpool.NewWithConfig(ctx, config)
	return err
}

const sqlCreateTemplate = `-- pgtest.createTemplate
CREATE DATABASE ` + templateName

func (s *server) makeTemplate(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.local.URL())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, sqlCreateTemplate); err != nil {
		return fmt.Errorf("make the template database: %w", err)
	}
	url, err := withDatabase(s.local.URL(), templateName)
	if err != nil {
		return err
	}
	if _, err := migrations.Up(ctx, url); err != nil {
		return fmt.Errorf("make the template database: %w", err)
	}
	return nil
}

// create makes a database and gives its name and address.
func (s *server) create(ctx context.Context, kind databaseKind) (name, url string, err error) {
	admin, err := s.get(ctx)
	if err != nil {
		return "", "", err
	}
	s.mu.Lock()
	s.count++
	name = fmt.Sprintf("test_%d", s.count)
	s.mu.Unlock()

	template := templateName
	if kind == empty {
		template = "template1"
	}
	// Names cannot be parameters; both are ours and plain. Copying files is
	// faster than logging their pages, where no page has to be safe.
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template+" STRATEGY FILE_COPY"); err != nil {
		return "", "", err
	}
	url, err = withDatabase(s.local.URL(), name)
	return name, url, err
}

func (s *server) drop(ctx context.Context, name string) error {
	_, err := s.admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
	return err
}

func (s *server) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.admin != nil {
		s.admin.Close()
	}
	if s.local == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	return s.local.Close(ctx)
}

// ServerLog is all that the server has logged so far, for all tests.
func ServerLog(t testing.TB) string {
	t.Helper()
	if _, err := shared.get(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(shared.local.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// LogLines are the lines that the server has logged about this database.
func (db *Database) LogLines(t testing.TB) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(ServerLog(t)) {
		if strings.Contains(line, "] "+db.Name+" ") { // log_line_prefix: time, process, database
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return lines
}

// AssertNoDeadlocks fails the test if PostgreSQL had to end a deadlock in this
// database. A deadlock is logged before its victim gets the error.
func (db *Database) AssertNoDeadlocks(t testing.TB) {
	t.Helper()
	for _, line := range db.LogLines(t) {
		if strings.Contains(line, "deadlock detected") {
			t.Errorf("in the server's log: %s", line)
		}
	}
}
