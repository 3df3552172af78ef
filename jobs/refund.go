package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"holdfast/inventory"
)

const (
	refundBatch = 50

	// refundCalls bounds how many calls one run has open, so that a provider that
	// hangs costs a few goroutines and not all of them.
	refundCalls = 8

	// refundCallLimit ends one call. No answer is not a failure: the refund stays
	// and is sent again later with the same key.
	refundCallLimit = 10 * time.Second

	// refundNoteLimit bounds writing down what a call brought, which happens even
	// if the run has been told to stop.
	refundNoteLimit = 5 * time.Second
)

type refundStore interface {
	DecideOverdueZombies(ctx context.Context, limit int) (int, error)
	ClaimRefunds(ctx context.Context, limit int) ([]inventory.RefundTask, error)
	RefundAnswered(ctx context.Context, id inventory.RefundID, r inventory.ProviderRefund) (inventory.Refund, error)
	RefundUnanswered(ctx context.Context, id inventory.RefundID, cause string) error
}

// RefundProvider is the part of a payment provider that gives money back. The
// refund's id is the idempotency key; an error means that the outcome is not
// known.
type RefundProvider interface {
	Refund(ctx context.Context, task inventory.RefundTask) (inventory.ProviderRefund, error)
}

// Refund sends the refunds that are due to their providers.
type Refund struct {
	store     refundStore
	providers map[string]RefundProvider
	log       *slog.Logger
}

// NewRefund returns the refund job; providers are keyed by the name that
// payments carry.
func NewRefund(store refundStore, providers map[string]RefundProvider, log *slog.Logger) *Refund {
	return &Refund{store, providers, log}
}

// Name is "refund".
func (*Refund) Name() inventory.JobName { return inventory.JobRefund }

// refundTally counts the outcomes of one run; calls add to it in parallel.
type refundTally struct{ done, pending, failed, unanswered, unwritten atomic.Int64 }

// Run first decides zombies whose time for a decision is over, then claims due
// refunds and sends them, a few at a time and outside any transaction. One
// refund that fails, hangs or panics does not hold up the others. Done counts
// refunds that the provider answered.
func (j *Refund) Run(ctx context.Context) (Result, error) {
	decided, err := j.store.DecideOverdueZombies(ctx, refundBatch)
	if err != nil {
		return Result{Detail: words(count{decided, "zombies past their deadline"})}, err
	}
	tasks, err := j.store.ClaimRefunds(ctx, refundBatch)
	if err != nil {
		return Result{Detail: words(count{decided, "zombies past their deadline"})}, err
	}

	var tally refundTally
	var calls errgroup.Group
	calls.SetLimit(refundCalls)
	for _, task := range tasks {
		calls.Go(func() error { return j.send(ctx, task, &tally) })
	}
	err = calls.Wait()

	done, pending, failed := int(tally.done.Load()), int(tally.pending.Load()), int(tally.failed.Load())
	res := Result{
		Done: done + pending + failed,
		Detail: words(count{decided, "zombies past their deadline"}, count{done, "refunds done"},
			count{pending, "pending at the provider"}, count{failed, "failed"},
			count{int(tally.unanswered.Load()), "without an answer"}),
	}
	if n := tally.unwritten.Load(); n > 0 {
		return res, fmt.Errorf("%d answers could not be written down, the first: %w", n, err)
	}
	return res, nil
}

// send makes one call and writes down what came of it. Its error means that
// this could not be written; the lease of the claim brings the refund back.
func (j *Refund) send(ctx context.Context, task inventory.RefundTask, tally *refundTally) error {
	id := task.Refund.ID
	answer, err := j.call(ctx, task)

	// The run may have been told to stop during the call: what is known is kept.
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), refundNoteLimit,
		errors.New("refund.note took over "+refundNoteLimit.String()))
	defer cancel()
	if err != nil {
		tally.unanswered.Add(1)
		j.log.LogAttrs(ctx, slog.LevelWarn, "a refund has no answer and is sent again later",
			slog.String("refund_id", id.String()), slog.Int("tries", task.Refund.Tries), slog.Any("error", err))
		err = j.store.RefundUnanswered(ctx, id, err.Error())
	} else {
		tally.count(answer.State)
		_, err = j.store.RefundAnswered(ctx, id, answer)
	}
	if err != nil {
		tally.unwritten.Add(1)
		return fmt.Errorf("refund %s: %w", id, err)
	}
	return nil
}

func (t *refundTally) count(s inventory.RefundState) {
	switch s {
	case inventory.RefundSucceeded:
		t.done.Add(1)
	case inventory.RefundFailed:
		t.failed.Add(1)
	case inventory.RefundRequested, inventory.RefundPending:
		t.pending.Add(1)
	}
}

// call asks the provider, with a limit, and turns a panic into an error so that
// it belongs to this refund only.
func (j *Refund) call(ctx context.Context, task inventory.RefundTask) (answer inventory.ProviderRefund, err error) {
	defer func() {
		if p := recover(); p != nil {
			j.log.LogAttrs(ctx, slog.LevelError, "a refund call panicked",
				slog.String("refund_id", task.Refund.ID.String()), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	provider, ok := j.providers[task.Refund.Provider]
	if !ok {
		return answer, fmt.Errorf("provider %q is not configured here", task.Refund.Provider)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, refundCallLimit,
		errors.New("refund.call took over "+refundCallLimit.String()))
	defer cancel()
	answer, err = provider.Refund(ctx, task)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = fmt.Errorf("%w (%w)", cause, err)
	}
	return answer, err
}
