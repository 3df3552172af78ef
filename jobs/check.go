package jobs

import (
	"context"
	"fmt"
	"log/slog"

	"holdfast/inventory"
)

// checkShown bounds how many violations one run writes to the log; all are
// counted.
const checkShown = 20

type checkStore interface {
	Check(ctx context.Context) ([]inventory.Violation, error)
}

// Check looks whether every invariant holds.
type Check struct {
	store checkStore
	log   *slog.Logger
}

// NewCheck returns the check over store; violations go to log one by one.
func NewCheck(store checkStore, log *slog.Logger) *Check { return &Check{store, log} }

// Name is "check".
func (*Check) Name() inventory.JobName { return inventory.JobCheck }

// Run reads one snapshot. A violation makes the run a failed one, so that it
// shows wherever failed runs show. Done counts violations.
func (j *Check) Run(ctx context.Context) (Result, error) {
	found, err := j.store.Check(ctx)
	if err != nil || len(found) == 0 {
		return Result{}, err
	}
	for _, v := range found[:min(len(found), checkShown)] {
		j.log.LogAttrs(ctx, slog.LevelError, "an invariant is violated",
			slog.String("invariant", v.Invariant), slog.String("object", v.Object), slog.String("detail", v.Detail))
	}
	res := Result{Done: len(found), Detail: words(count{len(found), "violations"})}
	return res, fmt.Errorf("%d violations, the first: %s %s %s",
		len(found), found[0].Invariant, found[0].Object, found[0].Detail)
}
