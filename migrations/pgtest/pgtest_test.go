package pgtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"holdfast/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// record is a test that may fail without failing the one around it.
type record struct {
	testing.TB
	mu       sync.Mutex
	problems []string
	cleanups []func()
}

func (r *record) Helper() {}

func (r *record) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *record) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// end runs the cleanups as the end of a test does, and gives all problems.
func (r *record) end() string {
	for len(r.cleanups) > 0 {
		last := len(r.cleanups) - 1
		f := r.cleanups[last]
		r.cleanups = r.cleanups[:last]
		f()
	}
	return strings.Join(r.problems, "\n")
}

const seedViolation = `INSERT INTO journal (booking_id, seq, from_state, to_state, cause, actor, at)
VALUES (gen_random_uuid(), 1, 'NONE', 'EXPIRED', 'test', 'test', now())`

func TestDB_eachHasItsOwn(t *testing.T) {
	t.Parallel()
	for range 8 {
		t.Run("one", func(t *testing.T) {
			t.Parallel()
			db := pgtest.DB(t)
			var name string
			var venues int
			if err := db.Pool.QueryRow(t.Context(), "SELECT current_database(), (SELECT count(*) FROM venue)").Scan(&name, &venues); err != nil {
				t.Fatal(err)
			}
			if name != db.Name || venues != 0 {
				t.Errorf("in database %q with %d venues, want %q with none", name, venues, db.Name)
			}
			if _, err := db.Pool.Exec(t.Context(), "INSERT INTO venue (slug, name, zone, currency) VALUES ('only-here', 'x', 'UTC', 'EUR')"); err != nil {
				t.Error(err)
			}
			db.AssertNoDeadlocks(t)
		})
	}
}

func TestDB_violationFailsTheTest(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		opts []pgtest.Option
		want string
	}{
		"asARule":   {want: "violation: I6_edge"},
		"onPurpose": {opts: []pgtest.Option{pgtest.AllowViolations()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &record{TB: t}
			db := pgtest.DB(r, tc.opts...)
			if _, err := db.Pool.Exec(t.Context(), seedViolation); err != nil {
				t.Fatal(err)
			}
			if problems := r.end(); !strings.Contains(problems, tc.want) || tc.want == "" && problems != "" {
				t.Errorf("the test ends with %q, want %q", problems, tc.want)
			}
		})
	}
}

func TestDB_missingViewFailsTheTest(t *testing.T) {
	t.Parallel()
	r := &record{TB: t}
	db := pgtest.DB(r)
	if _, err := db.Pool.Exec(t.Context(), "DROP VIEW violation"); err != nil {
		t.Fatal(err)
	}
	if problems := r.end(); !strings.Contains(problems, "check the invariants") {
		t.Errorf("the test ends with %q, want it to miss the view", problems)
	}
}

func TestDB_isGoneWithItsTest(t *testing.T) {
	t.Parallel()
	r := &record{TB: t}
	gone := pgtest.DB(r)
	idle, err := pgx.Connect(t.Context(), gone.URL) // a session that a test forgot
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close(t.Context())
	if problems := r.end(); problems != "" {
		t.Fatal(problems)
	}
	other := pgtest.EmptyDB(t)
	var left bool
	if err := other.Pool.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", gone.Name).Scan(&left); err != nil || left {
		t.Errorf("database %s is left: %t, %v", gone.Name, left, err)
	}
}

func TestDB_leakedConnectionFailsTheTest(t *testing.T) {
	t.Parallel()
	r := &record{TB: t}
	db := pgtest.DB(r)
	leaked, err := db.NewPool(r, 2).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leaked.Release()
	if problems := r.end(); !strings.Contains(problems, "1 connections of a pool were never given back") {
		t.Errorf("the test ends with %q, want the leak", problems)
	}
}

func TestDatabase_AssertNoDeadlocks(t *testing.T) {
	t.Parallel()
	db, other := pgtest.DB(t), pgtest.DB(t)
	deadlock(t, db)
	r := &record{TB: t}
	db.AssertNoDeadlocks(r)
	if problems := r.end(); !strings.Contains(problems, "deadlock detected") {
		t.Errorf("it says %q, want the deadlock", problems)
	}
	other.AssertNoDeadlocks(t)
}

// deadlock makes two transactions wait for each other.
func deadlock(t *testing.T, db *pgtest.Database) {
	t.Helper()
	begin := func(first int) pgx.Tx {
		tx, err := db.Pool.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", first); err != nil {
			t.Fatal(err)
		}
		return tx
	}
	a, b := begin(1), begin(2)
	ended := make(chan error, 2)
	for second, tx := range map[int]pgx.Tx{2: a, 1: b} {
		go func() {
			_, err := tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", second)
			_ = tx.Rollback(t.Context())
			ended <- err
		}()
	}
	if x, y := <-ended, <-ended; (x == nil) == (y == nil) {
		t.Fatalf("transactions ended with %v and %v, want one victim", x, y)
	}
}

// runAgain executes this test binary for some of its tests, with a directory of
// its own for temporary files.
func runAgain(t *testing.T, tests string, env ...string) (output, tmp string, err error) {
	t.Helper()
	tmp, mkErr := os.MkdirTemp("", "pgtest-again-") //nolint:usetesting // the server's account cannot enter t.TempDir
	if mkErr != nil {
		t.Fatal(mkErr)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	if err := os.Chmod(tmp, 0o777|os.ModeSticky); err != nil { // as /tmp is
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run", tests)
	cmd.Env = append(append(os.Environ(), "TMPDIR="+tmp), env...)
	out, err := cmd.CombinedOutput()
	return string(out), tmp, err
}

func TestMain_leavesNothing(t *testing.T) {
	t.Parallel()
	out, tmp, err := runAgain(t, "TestDB_eachHasItsOwn$")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestMain_withoutPostgreSQLFailsAndSaysWhy(t *testing.T) {
	t.Parallel()
	out, _, err := runAgain(t, "TestDB_eachHasItsOwn$", "PG_BINDIR=/nowhere")
	if err == nil {
		t.Fatal("the tests passed")
	}
	for _, want := range []string{"--- FAIL", "/nowhere does not hold a usable PostgreSQL", "apt-get install postgresql"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "--- SKIP") {
		t.Errorf("a test was skipped:\n%s", out)
	}
}
