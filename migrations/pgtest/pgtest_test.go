package pgtest_test

import (
	"testing"
	"time"

	"holdfast/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestDB(t *testing.T) {
	t.Parallel()
	for range 8 {
		t.Run("ownDatabase", func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			db := pgtest.DB(t)
			t.Log(time.Since(began))
			var name string
			if err := db.Pool.QueryRow(t.Context(), "SELECT current_database()").Scan(&name); err != nil || name != db.Name {
				t.Fatalf("current_database() = %q, %v, want %q", name, err, db.Name)
			}
			db.AssertNoDeadlocks(t)
		})
	}
}
