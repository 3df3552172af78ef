package pgstore_test

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

// watching is an observer that keeps what it is told.
type watching struct {
	mu      sync.Mutex
	holds   int // decided in batches
	locks   int
	expired map[pgstore.ExpiredBy]int
}

func (w *watching) Batch(holds int, _ time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holds += holds
}

func (w *watching) LockWait(time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.locks++
}

func (w *watching) Expired(by pgstore.ExpiredBy, holds int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expired[by] += holds
}

func (w *watching) said() (holds, locks, swept, reclaimed int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.holds, w.locks, w.expired[pgstore.ExpiredBySweep], w.expired[pgstore.ExpiredByReclaim]
}

func observed(t *testing.T, s pgtest.Shop) (*pgstore.Store, *watching) {
	t.Helper()
	w := &watching{expired: map[pgstore.ExpiredBy]int{}}
	return pgstore.New(s.DB.NewPool(t, 4), slog.New(slog.DiscardHandler), pgstore.WithObserver(w)), w
}

func TestObserver_batchesAndSweeps(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	store, w := observed(t, s)
	for _, buyer := range []string{"u-1", "u-2"} {
		if _, _, err := store.PlaceHold(t.Context(), s.Request(buyer, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if holds, locks, _, _ := w.said(); holds != 2 || locks != 0 || store.Waiting() != 0 {
		t.Errorf("%d holds in batches, %d locks, %d waiting", holds, locks, store.Waiting())
	}
	if _, err := store.At(s.Now(t).Add(11*time.Minute)).SweepHolds(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	if _, _, swept, reclaimed := w.said(); swept != 2 || reclaimed != 0 {
		t.Errorf("%d swept, %d reclaimed", swept, reclaimed)
	}
}

// A day that was waited for is swept like any other: its holds count once, and
// as the sweep's.
func TestObserver_sweepOfALockedDay(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	store, w := observed(t, s)
	s.Hold(t, "u-1", 1)
	later := store.At(s.Now(t).Add(11 * time.Minute))
	err := locking(t, s, `SELECT FROM pool_day FOR UPDATE`, func(unlock func() error) error {
		swept := make(chan error, 1)
		go func() {
			_, err := later.SweepHolds(t.Context(), 100)
			swept <- err
		}()
		return errors.Join(untilWaits(t, s), unlock(), <-swept)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, swept, reclaimed := w.said(); swept != 1 || reclaimed != 0 {
		t.Errorf("%d swept, %d reclaimed; want one swept", swept, reclaimed)
	}
}

// Only what was kept counts: a hold that reclaims and is refused all the same
// leaves no trace, here neither.
func TestObserver_reclaimThatIsRolledBackIsNotCounted(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(3, 0))
	store, w := observed(t, s)
	s.Hold(t, "u-1", 1)
	stays := s.Hold(t, "u-2", 2)
	if _, err := s.Store.ExtendHold(t.Context(), stays.ID, stays.Version, 20*time.Minute, inventory.Staff("test"), "waits"); err != nil {
		t.Fatal(err)
	}
	later := store.At(s.Now(t).Add(11 * time.Minute))
	if _, _, err := later.PlaceHold(t.Context(), s.Request("u-3", 2)); !errors.Is(err, inventory.ErrSoldOut) {
		t.Fatalf("two places where one comes back: %v", err)
	}
	if _, locks, swept, reclaimed := w.said(); locks == 0 || swept != 0 || reclaimed != 0 {
		t.Errorf("refused: %d locks, %d swept, %d reclaimed", locks, swept, reclaimed)
	}
	if _, _, err := later.PlaceHold(t.Context(), s.Request("u-3", 1)); err != nil {
		t.Fatal(err)
	}
	if _, _, _, reclaimed := w.said(); reclaimed != 1 {
		t.Errorf("placed: %d reclaimed", reclaimed)
	}
}

func TestObserver_seatsAndRangesAreReclaimed(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	hall := pgtest.HallIn(t, s, pgtest.Rows("PARKETT", "first", 6500, 4, "A"))
	studio := pgtest.StudioIn(t, s, nil)
	hall.HoldSeats(t, "u-1", "A-01", "A-02")
	studio.HoldRange(t, "u-1", "10:00", "12:00")
	store, w := observed(t, s)
	later := store.At(s.Now(t).Add(11 * time.Minute))
	if _, _, err := later.HoldSeats(t.Context(), hall.Ask(t, "u-2", "A-02")); err != nil {
		t.Fatal(err)
	}
	if _, locks, _, reclaimed := w.said(); locks == 0 || reclaimed != 1 {
		t.Errorf("seats: %d locks, %d reclaimed", locks, reclaimed)
	}
	if _, _, err := later.HoldRange(t.Context(), studio.Ask(t, "u-2", "11:00", "13:00")); err != nil {
		t.Fatal(err)
	}
	if _, _, swept, reclaimed := w.said(); swept != 0 || reclaimed != 2 {
		t.Errorf("ranges: %d swept, %d reclaimed in all", swept, reclaimed)
	}
}
