package jobs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
)

// fakePurges has rows of each kind that are over, and gives them up in batches.
type fakePurges struct {
	keys, callbacks, runs, passes int
	bookings, old                 int // those that may go, of so many looked at
	keysFail                      error
	ages                          []time.Duration
}

func (f *fakePurges) batch(rows *int, age time.Duration, limit int) (int, error) {
	n := min(*rows, limit)
	*rows -= n
	f.ages = append(f.ages, age)
	return n, nil
}

func (f *fakePurges) PurgeKeys(_ context.Context, age time.Duration, limit int) (int, error) {
	if f.keysFail != nil {
		return 0, f.keysFail
	}
	return f.batch(&f.keys, age, limit)
}

func (f *fakePurges) EmptyCallbacks(_ context.Context, age time.Duration, limit int) (int, error) {
	return f.batch(&f.callbacks, age, limit)
}

func (f *fakePurges) PurgeJobRuns(_ context.Context, age time.Duration, limit int) (int, error) {
	return f.batch(&f.runs, age, limit)
}

func (f *fakePurges) ForgetPasses(_ context.Context, limit int) (int, error) {
	n := min(f.passes, limit)
	f.passes -= n
	return n, nil
}

func (f *fakePurges) ArchiveBookings(_ context.Context, age time.Duration, limit int) (archived, looked int, err error) {
	looked, _ = f.batch(&f.old, age, limit)
	archived, _ = f.batch(&f.bookings, age, min(limit, looked))
	return archived, looked, nil
}

func TestPurge_Run(t *testing.T) {
	t.Parallel()
	keep := DefaultRetention()
	never := keep
	never.Archive = 0
	cases := map[string]struct {
		store fakePurges
		keep  Retention
		want  Result
		fails bool
	}{
		"nothingIsOver": {fakePurges{}, keep, Result{}, false},
		"batchAfterBatch": {
			fakePurges{keys: 2 * purgeBatch, callbacks: 3, runs: 1, passes: 1003},
			keep,
			Result{Done: 3007, Detail: "2000 idempotency keys forgotten, 3 callbacks emptied, 1 job runs forgotten, 1003 passes forgotten"},
			false,
		},
		// Most of what is old stays; the archive looks at it all the same.
		"theArchiveGoesOnWhereNothingMayGo": {fakePurges{old: 5 * purgeBatch, bookings: 4*purgeBatch + 2}, keep, Result{Done: 4002, Detail: "4002 bookings moved to the archive"}, false},
		"archiveNever":                      {fakePurges{old: 5, bookings: 5}, never, Result{}, false},
		"oneFailureDoesNotStopTheOthers":    {fakePurges{callbacks: 3, keysFail: inventory.ErrBusy}, keep, Result{Done: 3, Detail: "3 callbacks emptied"}, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := NewPurge(&c.store, c.keep).Run(t.Context())
			if got != c.want || errors.Is(err, inventory.ErrBusy) != c.fails {
				t.Errorf("Run = %+v, %v; want %+v", got, err, c.want)
			}
			for _, age := range c.store.ages {
				if age < MinRuns {
					t.Errorf("purged what is only %s old", age)
				}
			}
		})
	}
}

// A run is bounded in time, however much is over.
func TestPurge_shareIsBounded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	n, err := share(ctx, func(context.Context) (int, bool, error) {
		if steps++; steps == 3 {
			cancel()
		}
		return 10, true, nil
	})
	if n != 30 || err != nil || steps != 3 {
		t.Errorf("share = %d, %v after %d steps; want it to end with its context", n, err, steps)
	}
}

func TestRetention_Validate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Retention)
		fault  string // "" = accepted
	}{
		"theDefault":         {func(*Retention) {}, ""},
		"theLeast":           {func(r *Retention) { *r = Retention{MinKeys, MinCallbacks, MinRuns, MinArchive} }, ""},
		"noArchive":          {func(r *Retention) { r.Archive = 0 }, ""},
		"keysUnderThePledge": {func(r *Retention) { r.Keys = MinKeys - time.Second }, "retention-keys: must be at least 72h"},
		"callbacks":          {func(r *Retention) { r.Callbacks = 0 }, "retention-callbacks: must be at least 168h"},
		"runs":               {func(r *Retention) { r.Runs = time.Hour }, "retention-runs: must be at least 24h"},
		"archive":            {func(r *Retention) { r.Archive = time.Hour }, "archive-after: must be at least 720h"},
		"archiveBeforeKeys":  {func(r *Retention) { r.Keys, r.Archive = 2000*time.Hour, 1999*time.Hour }, "archive-after: must be at least 2000h"},
	} {
		keep := DefaultRetention()
		c.change(&keep)
		err := keep.Validate()
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s: Validate = %v, want %q", name, err, c.fault)
		}
	}
}
