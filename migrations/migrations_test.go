package migrations_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/migrations"
	"holdfast/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// sample is a schema of one table a step; steps named in broken do not work, but
// only after they have made their table.
func sample(steps int, broken ...int) fstest.MapFS {
	sources := fstest.MapFS{}
	for i := 1; i <= steps; i++ {
		sql := fmt.Sprintf("-- +goose Up\nCREATE TABLE step_%d (id int);\n", i)
		if slices.Contains(broken, i) {
			sql += "INSERT INTO no_such_table VALUES (1);\n"
		}
		sources[fmt.Sprintf("%05d_step.sql", i)] = &fstest.MapFile{Data: []byte(sql)}
	}
	return sources
}

// tables lists what migrations have made.
func tables(t *testing.T, db *pgtest.Database) []string {
	t.Helper()
	rows, _ := db.Pool.Query(t.Context(), "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1")
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func execute(t *testing.T, db *pgtest.Database, sql string) {
	t.Helper()
	if _, err := db.Pool.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func TestUp(t *testing.T) {
	t.Parallel()
	db := pgtest.EmptyDB(t)
	ctx := t.Context()

	status, err := migrations.Status(ctx, db.URL)
	if err != nil || len(status) == 0 {
		t.Fatalf("Status = %v, %v, want every migration", status, err)
	}
	var pending []string
	for _, m := range status {
		if m.AppliedAt != nil {
			t.Errorf("%s was applied at %v before Up", m.Name, m.AppliedAt)
		}
		pending = append(pending, m.Name)
	}
	if err := migrations.Check(ctx, db.URL); !errors.Is(err, migrations.ErrSchemaBehind) {
		t.Errorf("Check = %v, want ErrSchemaBehind", err)
	}
	if left := tables(t, db); len(left) > 0 {
		t.Errorf("asking has made %v", left)
	}

	applied, err := migrations.Up(ctx, db.URL)
	if err != nil || !slices.Equal(applied, pending) {
		t.Fatalf("Up = %v, %v, want %v", applied, err, pending)
	}
	if err := migrations.Check(ctx, db.URL); err != nil {
		t.Errorf("Check after Up = %v", err)
	}
	if applied, err = migrations.Up(ctx, db.URL); err != nil || len(applied) > 0 {
		t.Errorf("second Up = %v, %v, want nothing to do", applied, err)
	}
}

func TestStatus_timesAreInstantsInAnyZone(t *testing.T) {
	t.Parallel()
	db := pgtest.EmptyDB(t)
	execute(t, db, "ALTER DATABASE "+db.Name+" SET timezone = 'Asia/Tokyo'")
	if _, err := migrations.Up(t.Context(), db.URL); err != nil {
		t.Fatal(err)
	}
	status, err := migrations.Status(t.Context(), db.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range status {
		if m.AppliedAt == nil || time.Since(*m.AppliedAt).Abs() > time.Minute {
			t.Errorf("%s applied at %v, want now", m.Name, m.AppliedAt)
		}
	}
}

// B48 (c): a migration that fails leaves nothing of itself, and the next run
// goes on from there.
func TestUp_B48c_failsHalfWayThenCompletes(t *testing.T) {
	t.Parallel()
	db := pgtest.EmptyDB(t)
	applied, err := migrations.UpFrom(t.Context(), db.URL, sample(5, 3))
	if err == nil || !strings.Contains(err.Error(), "00003_step.sql") || !strings.Contains(err.Error(), "no_such_table") {
		t.Errorf("Up = %v, want it to name the file and the problem", err)
	}
	if want := []string{"00001_step.sql", "00002_step.sql"}; !slices.Equal(applied, want) {
		t.Errorf("applied %v, want %v", applied, want)
	}
	if got, want := tables(t, db), []string{"goose_db_version", "step_1", "step_2"}; !slices.Equal(got, want) {
		t.Errorf("tables %v, want %v", got, want)
	}

	applied, err = migrations.UpFrom(t.Context(), db.URL, sample(5))
	if want := []string{"00003_step.sql", "00004_step.sql", "00005_step.sql"}; err != nil || !slices.Equal(applied, want) {
		t.Errorf("Up after mending = %v, %v, want %v", applied, err, want)
	}
}

// B48 (d): of several at once one works, and the others find it done.
func TestUp_B48d_severalAtOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.EmptyDB(t)
	results := make([][]string, 6)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			applied, err := migrations.Up(t.Context(), db.URL)
			if err != nil {
				t.Errorf("Up = %v", err)
			}
			results[i] = applied
		})
	}
	wg.Wait()
	var worked int
	for _, applied := range results {
		if len(applied) > 0 {
			worked++
		}
	}
	if worked != 1 {
		t.Errorf("%d of them have migrated, want 1: %v", worked, results)
	}
	if err := migrations.Check(t.Context(), db.URL); err != nil {
		t.Error(err)
	}
}

func TestUp_B48d_waitsOnlyAsLongAsItsContext(t *testing.T) {
	t.Parallel()
	db := pgtest.EmptyDB(t)
	tx, err := db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", migrations.LockKey); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := migrations.Up(ctx, db.URL); err == nil || !strings.Contains(err.Error(), "wait for another migration") {
		t.Errorf("Up = %v, want it to say that it waited for another one", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.Up(t.Context(), db.URL); err != nil {
		t.Error(err)
	}
}

// F21: a migration must not queue live traffic up behind itself.
func TestUp_F21_tableInUse(t *testing.T) {
	t.Parallel()
	db := pgtest.EmptyDB(t)
	sources := sample(1)
	if _, err := migrations.UpFrom(t.Context(), db.URL, sources); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE step_1 IN ACCESS SHARE MODE"); err != nil {
		t.Fatal(err)
	}
	sources["00002_column.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nALTER TABLE step_1 ADD COLUMN name text;\n")}
	_, err = migrations.UpFrom(t.Context(), db.URL, sources)
	if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "55P03" {
		t.Errorf("Up = %v, want lock_not_available", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.UpFrom(t.Context(), db.URL, sources); err != nil {
		t.Errorf("Up when the table is free: %v", err)
	}
}

// F31: a schema that is newer than the program.
func TestUp_F31_newerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	db := pgtest.EmptyDB(t)
	if _, err := migrations.UpFrom(t.Context(), db.URL, sample(3)); err != nil {
		t.Fatal(err)
	}
	older := sample(2)
	if _, err := migrations.UpFrom(t.Context(), db.URL, older); !errors.Is(err, migrations.ErrSchemaNewer) ||
		!strings.Contains(err.Error(), "00003") {
		t.Errorf("Up = %v, want ErrSchemaNewer that names 00003", err)
	}
	if err := migrations.CheckFrom(t.Context(), db.URL, older); !errors.Is(err, migrations.ErrSchemaNewer) {
		t.Errorf("Check = %v, want ErrSchemaNewer", err)
	}
}

func TestUp_oldServerIsRefused(t *testing.T) {
	t.Parallel()
	for number, want := range map[int]error{140012: migrations.ErrServerTooOld, 150000: nil, 180003: nil} {
		if err := migrations.JudgeServer(number, "x"); !errors.Is(err, want) {
			t.Errorf("server %d: %v, want %v", number, err, want)
		}
	}
}

func TestUp_serverNotThere(t *testing.T) {
	t.Parallel()
	if _, err := migrations.Up(t.Context(), "postgres://localhost:1/none?sslmode=disable"); err == nil {
		t.Error("Up = nil without a server")
	}
}
