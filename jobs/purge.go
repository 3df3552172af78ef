package jobs

import (
	"context"
	"errors"
	"time"

	"holdfast/inventory"
)

const (
	purgeBatch = 1000            // rows of one transaction
	purgeShare = 5 * time.Second // of one run, for each kind of row
)

type purgeStore interface {
	PurgeKeys(ctx context.Context, age time.Duration, limit int) (int, error)
	EmptyCallbacks(ctx context.Context, age time.Duration, limit int) (int, error)
	PurgeJobRuns(ctx context.Context, age time.Duration, limit int) (int, error)
	ForgetPasses(ctx context.Context, limit int) (int, error)
	ArchiveBookings(ctx context.Context, age time.Duration, limit int) (archived, looked int, err error)
}

// Retention says how long is kept what nobody needs any more, in elapsed time.
type Retention struct {
	Keys      time.Duration // idempotency keys; clients may repeat a request as long
	Callbacks time.Duration // bodies of callbacks that were applied; their rows stay
	Runs      time.Duration // runs of jobs
	Archive   time.Duration // bookings that came to nothing, before they go to the archive; 0: they stay
}

// The least that may be chosen. Clients are promised that a key is known for
// 72 hours.
const (
	MinKeys      = 72 * time.Hour
	MinCallbacks = 7 * 24 * time.Hour
	MinRuns      = 24 * time.Hour
	MinArchive   = 30 * 24 * time.Hour
)

// DefaultRetention keeps keys for 7 days, bodies of callbacks for 90, runs for
// 14, and bookings that came to nothing for 400.
func DefaultRetention() Retention {
	return Retention{Keys: 7 * 24 * time.Hour, Callbacks: 90 * 24 * time.Hour, Runs: 14 * 24 * time.Hour, Archive: 400 * 24 * time.Hour}
}

// Validate reports every age that is too small.
func (r Retention) Validate() error {
	var errs []error
	least := func(field string, age, least time.Duration) {
		if age < least {
			errs = append(errs, inventory.Invalid(field, "must be at least %s", least))
		}
	}
	least("retention-keys", r.Keys, MinKeys)
	least("retention-callbacks", r.Callbacks, MinCallbacks)
	least("retention-runs", r.Runs, MinRuns)
	if r.Archive != 0 {
		least("archive-after", r.Archive, max(MinArchive, r.Keys))
	}
	return errors.Join(errs...)
}

// Purge forgets what is over, and moves bookings that came to nothing long ago
// to the archive.
type Purge struct {
	store purgeStore
	keep  Retention
}

// NewPurge returns the purge over store.
func NewPurge(store purgeStore, keep Retention) *Purge { return &Purge{store, keep} }

// Name is "purge".
func (*Purge) Name() inventory.JobName { return inventory.JobPurge }

// Run does each kind of row batch after batch, until nothing is left or its
// share of the run is used up. One kind that fails does not stop the others.
// Done counts rows.
func (j *Purge) Run(ctx context.Context) (Result, error) {
	var res Result
	var errs []error
	var counts []count
	add := func(what string, n int, err error) {
		res.Done += n
		counts = append(counts, count{n, what})
		errs = append(errs, err)
	}
	for _, kind := range []struct {
		what  string
		age   time.Duration
		purge func(context.Context, time.Duration, int) (int, error)
	}{
		{"idempotency keys forgotten", j.keep.Keys, j.store.PurgeKeys},
		{"callbacks emptied", j.keep.Callbacks, j.store.EmptyCallbacks},
		{"job runs forgotten", j.keep.Runs, j.store.PurgeJobRuns},
		{"passes forgotten", 0, func(ctx context.Context, _ time.Duration, limit int) (int, error) {
			return j.store.ForgetPasses(ctx, limit)
		}},
	} {
		n, err := share(ctx, func(ctx context.Context) (n int, more bool, err error) {
			n, err = kind.purge(ctx, kind.age, purgeBatch)
			return n, n >= purgeBatch, err
		})
		add(kind.what, n, err)
	}
	if j.keep.Archive > 0 {
		n, err := share(ctx, func(ctx context.Context) (n int, more bool, err error) {
			n, looked, err := j.store.ArchiveBookings(ctx, j.keep.Archive, purgeBatch)
			return n, looked > 0, err
		})
		add("bookings moved to the archive", n, err)
	}
	res.Detail = words(counts...)
	return res, errors.Join(errs...)
}

// share calls step for as long as there is more, it does not fail, and the share
// of the run lasts.
func share(ctx context.Context, step func(context.Context) (n int, more bool, err error)) (int, error) {
	bound, cancel := context.WithTimeout(ctx, purgeShare)
	defer cancel()
	sum := 0
	for {
		n, more, err := step(ctx)
		sum += n
		if err != nil || !more || bound.Err() != nil {
			return sum, err
		}
	}
}
