package pgstore_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// race runs fn n times at once, released together, and returns how many
// succeeded. Any error but lost fails the test.
func race(t *testing.T, n int, fn func(i int) error, lost ...error) int {
	t.Helper()
	var won atomic.Int64
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			err := fn(i)
			if !isOne(inventory.ErrBusy, lost) && errors.Is(err, inventory.ErrBusy) {
				err = pgtest.Again(func() error { return fn(i) })
			}
			switch {
			case err == nil:
				won.Add(1)
			case !isOne(err, lost):
				t.Errorf("attempt %d: %v", i, err)
			}
		})
	}
	close(start)
	wg.Wait()
	return int(won.Load())
}

func isOne(err error, of []error) bool {
	for _, o := range of {
		if errors.Is(err, o) {
			return true
		}
	}
	return false
}

// countRows counts the rows of a table whose name is a constant of the test.
func countRows(t *testing.T, s pgtest.Shop, table string) int {
	t.Helper()
	var n int
	err := s.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+pgx.Identifier{table}.Sanitize()).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// assertNoTrace checks that a refused buyer left nothing behind.
func assertNoTrace(t *testing.T, s pgtest.Shop, buyer string) {
	t.Helper()
	var bookings int
	err := s.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM booking WHERE buyer = $1", buyer).Scan(&bookings)
	if err != nil || bookings != 0 {
		t.Errorf("a refused hold left %d bookings, %v", bookings, err)
	}
	if keys, all := countRows(t, s, "idempotency"), countRows(t, s, "booking"); keys > all {
		t.Errorf("a refused hold left its key: %d keys, %d bookings", keys, all)
	}
	if journal, all := countRows(t, s, "journal"), countRows(t, s, "booking"); journal > all {
		t.Errorf("a refused hold left a journal row")
	}
}

// holdOf returns the id of a buyer's only hold.
func holdOf(t *testing.T, s pgtest.Shop, buyer string) inventory.BookingID {
	t.Helper()
	list, err := s.Store.Bookings(t.Context(), inventory.BookingFilter{Buyer: buyer})
	if err != nil || len(list.Bookings) != 1 {
		t.Fatalf("holds of %s = %v, %v", buyer, list.Bookings, err)
	}
	return list.Bookings[0].ID
}

// anyProvider names the providers of the tests.
var anyProvider = []string{"simulated"}

type dateOf = date.Date

func periodOfDays(n int) date.PeriodOfDays { return date.PeriodOfDays(n) }
