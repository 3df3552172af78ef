package jobs

import (
	"context"
	"errors"
	"log/slog"

	"holdfast/inventory"
)

const (
	reconcileBatch   = 200
	reconcileBatches = 10
)

type reconcileStore interface {
	ApplyPendingEvents(ctx context.Context, limit int) (int, error)
	doubtStore
}

// Reconcile brings our state in line with what providers know: it applies the
// callbacks that were stored and answered but not applied, because the process
// died in between or the booking was locked, and asks about payments whose
// outcome is in doubt.
type Reconcile struct {
	store  reconcileStore
	doubts doubts
}

// NewReconcile returns the reconcile job over store; providers are keyed by the
// name that payments carry.
func NewReconcile(store reconcileStore, providers map[string]Provider, log *slog.Logger) *Reconcile {
	return &Reconcile{store, doubts{store, providers, log}}
}

// Name is "reconcile".
func (*Reconcile) Name() inventory.JobName { return inventory.JobReconcile }

// Run applies stored events, and then asks providers. A stored event that
// cannot be applied does not keep a question from being asked. Done counts
// events applied and payments decided.
func (j *Reconcile) Run(ctx context.Context) (Result, error) {
	applied, applyErr := batches(ctx, reconcileBatches, reconcileBatch, j.store.ApplyPendingEvents)
	tally, askErr := j.doubts.resolve(ctx)
	captured, ended, givenUp := int(tally.captured.Load()), int(tally.ended.Load()), int(tally.givenUp.Load())
	return Result{
		Done: applied + captured + ended,
		Detail: words(count{applied, "stored events applied"},
			count{captured, "payments found captured"}, count{ended, "found ended without money"},
			count{int(tally.open.Load()), "still open at the provider"},
			count{int(tally.unanswered.Load()), "without an answer"}, count{givenUp, "given up"}),
	}, errors.Join(applyErr, askErr)
}
