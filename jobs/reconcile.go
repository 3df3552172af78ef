package jobs

import (
	"context"

	"holdfast/inventory"
)

const (
	reconcileBatch   = 200
	reconcileBatches = 10
)

type reconcileStore interface {
	ApplyPendingEvents(ctx context.Context, limit int) (int, error)
}

// Reconcile brings our state in line with what providers have said: it applies
// the callbacks that were stored and answered but not applied, because the
// process died in between or the booking was locked.
type Reconcile struct{ store reconcileStore }

// NewReconcile returns the reconcile job over store.
func NewReconcile(store reconcileStore) *Reconcile { return &Reconcile{store} }

// Name is "reconcile".
func (*Reconcile) Name() inventory.JobName { return inventory.JobReconcile }

// Run applies stored events. Done counts events.
func (j *Reconcile) Run(ctx context.Context) (Result, error) {
	applied, err := batches(ctx, reconcileBatches, reconcileBatch, j.store.ApplyPendingEvents)
	return Result{Done: applied, Detail: words(count{applied, "stored events applied"})}, err
}
