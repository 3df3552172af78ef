package jobs

import (
	"context"

	"holdfast/inventory"
)

// One run of the horizon makes at most horizonBatches*horizonBatch pool days:
// 25 new pools with two years each.
const (
	horizonBatch   = 1000
	horizonBatches = 20
)

type horizonStore interface {
	ExtendHorizon(ctx context.Context, limit int) (made int, err error)
}

// Horizon keeps the pool days of every pool made as far ahead as the pool says,
// by its venue's local date and from its weekly template.
type Horizon struct{ store horizonStore }

// NewHorizon returns the horizon over store.
func NewHorizon(store horizonStore) *Horizon { return &Horizon{store} }

// Name is "horizon".
func (*Horizon) Name() inventory.JobName { return inventory.JobHorizon }

// Run makes the missing days. Done counts days.
func (j *Horizon) Run(ctx context.Context) (Result, error) {
	made, err := batches(ctx, horizonBatches, horizonBatch, j.store.ExtendHorizon)
	return Result{Done: made, Detail: words(count{made, "pool days made"})}, err
}

// batches repeats step until a batch is not full or most were done, and adds up
// what it did.
func batches(ctx context.Context, most, limit int, step func(context.Context, int) (int, error)) (int, error) {
	sum := 0
	for range most {
		n, err := step(ctx, limit)
		sum += n
		if err != nil || n < limit {
			return sum, err
		}
	}
	return sum, nil
}
