package jobs

import (
	"context"
	"time"

	"holdfast/inventory"
)

// One run of the sweep begins no transaction after sweepRun, so that an order to
// stop or to pause is never far away; a backlog larger than that takes several
// runs, one right behind the other. A batch is many transactions, between which
// buyers get their turn.
const (
	sweepBatch   = 20_000 // holds of each kind
	sweepBatches = 20
	sweepRun     = 4 * time.Second
)

type sweepStore interface {
	SweepHoldsUntil(ctx, until context.Context, limit int) (inventory.SweepResult, error)
}

// Sweep moves holds past their end to EXPIRED and gives their places back.
type Sweep struct{ store sweepStore }

// NewSweep returns the sweep over store.
func NewSweep(store sweepStore) *Sweep { return &Sweep{store} }

// Name is "sweep".
func (*Sweep) Name() inventory.JobName { return inventory.JobSweep }

// Run sweeps batch after batch until nothing overdue is left, nothing moves any
// more because others keep the days locked, or its time is up: then More is
// set. Done counts holds.
func (j *Sweep) Run(ctx context.Context) (Result, error) {
	var sum inventory.SweepResult
	var err error
	gotOn := false
	bound, cancel := context.WithTimeout(ctx, sweepRun)
	defer cancel()
	for range sweepBatches {
		var batch inventory.SweepResult
		batch, err = j.store.SweepHoldsUntil(ctx, bound, sweepBatch)
		sum.Expired += batch.Expired
		sum.Days += batch.Days
		sum.Events += batch.Events
		sum.Resources += batch.Resources
		sum.Skipped = batch.Skipped // the same days are met again in each batch
		sum.More = batch.More
		gotOn = batch.Expired > 0
		if err != nil || !batch.More || !gotOn || bound.Err() != nil {
			break
		}
	}
	left := 0
	if sum.More {
		left = 1
	}
	return Result{
		Done: sum.Expired,
		Detail: words(count{sum.Expired, "holds expired"}, count{sum.Days, "pool days touched"},
			count{sum.Events, "events with seats back on sale"}, count{sum.Resources, "resources with time back on sale"},
			count{sum.Skipped, "pool days locked by others"}, count{left, "further run needed"}),
		More: sum.More && gotOn && err == nil,
	}, err
}
