package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"holdfast/inventory"
)

const refundBatch = 50

type refundStore interface {
	DecideOverdueZombies(ctx context.Context, limit int) (int, error)
	ClaimRefunds(ctx context.Context, providers []string, limit int) ([]inventory.RefundTask, error)
	RefundAnswered(ctx context.Context, id inventory.RefundID, r inventory.ProviderRefund) (inventory.Refund, error)
	RefundUnanswered(ctx context.Context, id inventory.RefundID, cause string) error
}

type refundProvider interface {
	// Refund sends a refund under its own id, which is its idempotency key.
	Refund(ctx context.Context, task inventory.RefundTask) (inventory.ProviderRefund, error)
	// ListRefunds returns every refund of a payment, whoever made it, or an error: a
	// part must not pass for the whole.
	ListRefunds(ctx context.Context, providerPayment string) ([]inventory.ProviderRefund, error)
	// KeyLifetime is how long the provider surely knows an idempotency key. After
	// that the same key may refund a second time.
	KeyLifetime() time.Duration
}

// Refund sends the refunds that are due to their providers, and asks about
// those that a provider has not finished.
type Refund struct {
	store     refundStore
	providers map[string]Provider
	log       *slog.Logger
}

// NewRefund returns the refund job; providers are keyed by the name that
// payments carry.
func NewRefund(store refundStore, providers map[string]Provider, log *slog.Logger) *Refund {
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
	decided, undecided := j.store.DecideOverdueZombies(ctx, refundBatch) // its failure must not keep other refunds waiting
	tasks, err := j.store.ClaimRefunds(ctx, names(j.providers), refundBatch)
	if err != nil {
		return Result{Detail: words(count{decided, "zombies past their deadline"})}, errors.Join(undecided, err)
	}

	var tally refundTally
	err = forEach(tasks, func(t inventory.RefundTask) string { return t.Refund.Provider },
		func(t inventory.RefundTask) error { return j.send(ctx, t, &tally) })

	done, pending, failed := int(tally.done.Load()), int(tally.pending.Load()), int(tally.failed.Load())
	res := Result{
		Done: done + pending + failed,
		Detail: words(count{decided, "zombies past their deadline"}, count{done, "refunds done"},
			count{pending, "pending at the provider"}, count{failed, "failed"},
			count{int(tally.unanswered.Load()), "without an answer"}),
	}
	if n := tally.unwritten.Load(); n > 0 {
		return res, errors.Join(undecided, fmt.Errorf("%d answers could not be written down, the first: %w", n, err))
	}
	return res, undecided
}

// send gets the provider's word on one refund and writes it down. Its error
// means that this could not be written; the lease of the claim brings the
// refund back.
func (j *Refund) send(ctx context.Context, task inventory.RefundTask, tally *refundTally) error {
	id := task.Refund.ID
	answer, askErr := j.answer(ctx, task)

	ctx, cancel := noting(ctx, "refund.note")
	defer cancel()
	var err error
	if askErr == nil {
		_, err = j.store.RefundAnswered(ctx, id, answer)
		if len(inventory.FieldErrors(err)) > 0 { // the answer contradicts the refund: it decides nothing
			askErr, err = err, nil
		}
	}
	switch {
	case askErr != nil:
		tally.unanswered.Add(1)
		j.log.LogAttrs(ctx, slog.LevelWarn, "a refund has no answer and is sent again later",
			slog.String("refund", id.String()), slog.Int("tries", task.Refund.Tries), slog.Any("error", askErr))
		err = j.store.RefundUnanswered(ctx, id, askErr.Error())
	case err == nil:
		tally.count(answer.State)
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

// answer asks the provider about a refund that it may have made, and sends one
// that it surely has not. The key makes sending twice harmless only as long as
// the provider knows it.
func (j *Refund) answer(ctx context.Context, task inventory.RefundTask) (inventory.ProviderRefund, error) {
	provider, ok := j.providers[task.Refund.Provider]
	if !ok {
		return inventory.ProviderRefund{}, fmt.Errorf("provider %q is not configured here", task.Refund.Provider)
	}
	pending := task.Refund.State == inventory.RefundPending
	if pending || keyMayBeForgotten(task.Refund, provider.KeyLifetime()) {
		made, err := call(ctx, j.log, "refund.list", func(ctx context.Context) ([]inventory.ProviderRefund, error) {
			return provider.ListRefunds(ctx, task.ProviderPayment)
		})
		if err != nil {
			return inventory.ProviderRefund{}, err
		}
		if ours, found := pick(made, task.Refund); found {
			return ours, nil
		}
	}
	if pending { // sending it again would be answered from the key's memory, or pay twice
		return inventory.ProviderRefund{}, fmt.Errorf("the provider has accepted refund %q and does not list it", task.Refund.ProviderRefund)
	}
	return call(ctx, j.log, "refund.send", func(ctx context.Context) (inventory.ProviderRefund, error) {
		return provider.Refund(ctx, task)
	})
}

// keyMayBeForgotten reports whether a key that was first sent at SentAt could
// have ended its life. NextTryAt stands for the present, by PostgreSQL's clock
// like SentAt: it is a little later, so that the doubt falls on the safe side.
func keyMayBeForgotten(r inventory.Refund, lifetime time.Duration) bool {
	return r.Tries > 1 && r.NextTryAt.Sub(r.SentAt) >= lifetime
}

// pick finds a refund of ours among all that were made of its payment. Should
// there be several, one that gave money back counts.
func pick(made []inventory.ProviderRefund, r inventory.Refund) (ours inventory.ProviderRefund, found bool) {
	for _, one := range made {
		if one.Reference != r.ID.String() && (r.ProviderRefund == "" || one.ID != r.ProviderRefund) {
			continue
		}
		if !found || ours.State == inventory.RefundFailed {
			ours, found = one, true
		}
	}
	return ours, found
}
