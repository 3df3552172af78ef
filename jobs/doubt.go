package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"

	"holdfast/inventory"
)

const (
	// doubtBatch is two rounds of calls: a provider that hangs costs a run no more
	// than that, since a batch without a single answer is the last.
	doubtBatch   = 2 * providerCalls
	doubtBatches = 20

	// notThereTries is how often a provider must say that it has no payment with
	// our reference before that is believed. The questions are a growing time
	// apart by PostgreSQL's clock, the first comes after doubt_until: from the
	// first to the third it is 45 s at least, several times as long as a call of
	// ours can last.
	notThereTries = 3
)

type doubtStore interface {
	ClaimDoubtful(ctx context.Context, providers []string, limit int) ([]inventory.DoubtfulPayment, error)
	PaymentAnswered(ctx context.Context, id inventory.PaymentID, p inventory.ProviderPayment) (inventory.Booking, inventory.Payment, error)
	PaymentUnanswered(ctx context.Context, id inventory.PaymentID, cause string) error
	GiveUpDoubt(ctx context.Context, id inventory.PaymentID) (inventory.Booking, error)
}

type paymentProvider interface {
	// Get says how a payment stands, by the provider's id.
	Get(ctx context.Context, id string) (inventory.ProviderPayment, error)
	// FindByReference returns every payment with our reference or an error: a part
	// must not pass for the whole. There are several if a key was used past its
	// life, and none if the provider never heard of it.
	FindByReference(ctx context.Context, reference string) ([]inventory.ProviderPayment, error)
	// Cancel ends a payment that is open and returns how it stands then, which may
	// be captured.
	Cancel(ctx context.Context, id string) (inventory.ProviderPayment, error)
}

// doubts asks providers about payments whose outcome is not known.
type doubts struct {
	store     doubtStore
	providers map[string]Provider
	log       *slog.Logger
}

// doubtTally counts what one run found out; questions add to it in parallel.
type doubtTally struct{ captured, ended, open, unanswered, givenUp, unwritten atomic.Int64 }

// resolve claims doubtful payments and asks about them, a few at a time and
// outside any transaction. A question that is slow, fails or panics does not
// hold up the others. The error says that answers could not be written down;
// the claim's backoff brings those payments back.
func (d doubts) resolve(ctx context.Context) (*doubtTally, error) {
	var tally doubtTally
	var failed error
	for range doubtBatches {
		due, err := d.store.ClaimDoubtful(ctx, names(d.providers), doubtBatch)
		if err != nil {
			return &tally, errors.Join(failed, err)
		}
		silent := tally.unanswered.Load()
		err = forEach(due, func(one inventory.DoubtfulPayment) string { return one.Payment.Provider },
			func(one inventory.DoubtfulPayment) error { return d.settle(ctx, one, &tally) })
		failed = cmp.Or(failed, err)
		allSilent := tally.unanswered.Load()-silent == int64(len(due))
		if len(due) < doubtBatch || allSilent || ctx.Err() != nil {
			break
		}
	}
	if n := tally.unwritten.Load(); n > 0 {
		return &tally, fmt.Errorf("%d answers could not be written down, the first: %w", n, failed)
	}
	return &tally, nil
}

// settle asks about one payment and writes down what came of it. No answer is
// not a failure: the payment stays in doubt, and only when the venue's cap is
// passed does its booking let the place go. Its error means that what is known
// could not be written.
func (d doubts) settle(ctx context.Context, doubt inventory.DoubtfulPayment, tally *doubtTally) error {
	answers, askErr := d.ask(ctx, doubt)

	ctx, cancel := noting(ctx, "doubt.note")
	defer cancel()
	p, err := d.write(ctx, doubt.Payment, answers)
	switch {
	case err != nil:
	case p.State == inventory.PaymentSucceeded:
		tally.captured.Add(1)
	case p.State == inventory.PaymentFailed, p.State == inventory.PaymentCancelled:
		tally.ended.Add(1)
	default:
		err = d.keepWaiting(ctx, doubt, askErr, tally)
	}
	if err != nil {
		tally.unwritten.Add(1)
		return fmt.Errorf("payment %s: %w", doubt.Payment.ID, err)
	}
	return nil
}

// write applies answers, each like a callback that says the same, and returns
// the payment as it stands then. Money that does not fit its booking confirms
// nothing: the store makes it a zombie.
func (d doubts) write(ctx context.Context, p inventory.Payment, answers []inventory.ProviderPayment) (inventory.Payment, error) {
	for _, answer := range answers {
		var err error
		if _, p, err = d.store.PaymentAnswered(ctx, p.ID, answer); err != nil {
			return p, err
		}
		if answer.State == inventory.PaymentSucceeded && answer.Amount != p.Amount {
			d.log.LogAttrs(ctx, slog.LevelWarn, "a provider captured money that does not fit its booking",
				slog.String("payment", p.ID.String()), slog.String("booking", p.BookingID.String()),
				slog.String("captured", answer.Amount.String()), slog.String("expected", p.Amount.String()))
		}
	}
	return p, nil
}

// keepWaiting notes why a payment is still in doubt, and gives its booking up
// if it has waited as long as its venue allows.
func (d doubts) keepWaiting(ctx context.Context, doubt inventory.DoubtfulPayment, askErr error, tally *doubtTally) error {
	id := doubt.Payment.ID
	if askErr == nil {
		tally.open.Add(1)
	} else {
		tally.unanswered.Add(1)
		d.log.LogAttrs(ctx, slog.LevelWarn, "a payment is still in doubt and is asked about again later",
			slog.String("payment", id.String()), slog.Int("tries", doubt.Payment.AskTries), slog.Any("error", askErr))
		if err := d.store.PaymentUnanswered(ctx, id, askErr.Error()); err != nil {
			return err
		}
	}
	if !doubt.PastCap {
		return nil
	}
	_, err := d.store.GiveUpDoubt(ctx, id)
	switch {
	case errors.Is(err, inventory.ErrNotAllowed): // staff have raised the cap since it was claimed
		return nil
	case err != nil:
		return err
	}
	tally.givenUp.Add(1)
	return nil
}

// ask returns what the provider says now, captured payments first, so that an
// end of one never releases a place that another has paid for. With an error it
// returns what is known all the same.
func (d doubts) ask(ctx context.Context, doubt inventory.DoubtfulPayment) ([]inventory.ProviderPayment, error) {
	provider, ok := d.providers[doubt.Payment.Provider]
	if !ok {
		return nil, fmt.Errorf("provider %q is not configured here", doubt.Payment.Provider)
	}
	found, err := d.find(ctx, provider, doubt.Payment)
	if err != nil {
		return nil, err
	}
	if !doubt.Held { // the buyer is late: what is open must not be captured later
		err = d.cancelOpen(ctx, provider, found)
	}
	slices.SortStableFunc(found, func(a, b inventory.ProviderPayment) int { return cmp.Compare(rank(a.State), rank(b.State)) })
	return found, err
}

func rank(s inventory.PaymentState) int {
	switch s {
	case inventory.PaymentSucceeded:
		return 0
	case inventory.PaymentCreated, inventory.PaymentPending:
		return 1
	case inventory.PaymentFailed, inventory.PaymentCancelled:
	}
	return 2
}

// find asks for a payment by the provider's id, or by our reference if we never
// heard one.
//
// A provider that surely has no such payment is taken for one that cancelled
// it. That is safe for three reasons. No call of ours is under way any more, as
// notThereTries tells. None starts later: a payment that ended is not sent
// again. And if money did turn up under our reference it would still find its
// row, and be late money with an owner.
func (d doubts) find(ctx context.Context, provider Provider, p inventory.Payment) ([]inventory.ProviderPayment, error) {
	if p.ProviderPayment != "" {
		one, err := call(ctx, d.log, "payment.get", func(ctx context.Context) (inventory.ProviderPayment, error) {
			return provider.Get(ctx, p.ProviderPayment)
		})
		if err != nil {
			return nil, err // not found included: it had told us of it
		}
		return []inventory.ProviderPayment{one}, fits(one, p)
	}
	found, err := call(ctx, d.log, "payment.find", func(ctx context.Context) ([]inventory.ProviderPayment, error) {
		return provider.FindByReference(ctx, p.ID.String())
	})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0 && p.AskTries < notThereTries:
		return nil, fmt.Errorf("the provider has no such payment; it is asked %d times before that is believed", notThereTries)
	case len(found) == 0:
		return []inventory.ProviderPayment{{Reference: p.ID.String(), State: inventory.PaymentCancelled}}, nil
	}
	for _, one := range found {
		if err := fits(one, p); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// fits refuses an answer about something else. Only a payment that we made
// ourselves carries the reference that we gave it.
func fits(answer inventory.ProviderPayment, p inventory.Payment) error {
	wrongID := p.ProviderPayment != "" && answer.ID != p.ProviderPayment
	wrongReference := p.ProviderKey != "" && answer.Reference != p.ID.String()
	if wrongID || wrongReference {
		return fmt.Errorf("the provider answered about payment %q with reference %q", answer.ID, answer.Reference)
	}
	return nil
}

// cancelOpen replaces each open payment by what the provider says after it was
// told to cancel it. The first call without an answer leaves its payment open.
func (d doubts) cancelOpen(ctx context.Context, provider Provider, found []inventory.ProviderPayment) error {
	var failed error
	for i, one := range found {
		if one.State != inventory.PaymentPending && one.State != inventory.PaymentCreated {
			continue
		}
		after, err := call(ctx, d.log, "payment.cancel", func(ctx context.Context) (inventory.ProviderPayment, error) {
			return provider.Cancel(ctx, one.ID)
		})
		switch {
		case err != nil:
			failed = cmp.Or(failed, err)
		case after.ID != one.ID:
			failed = cmp.Or(failed, fmt.Errorf("the provider was told to cancel payment %q and answered about %q", one.ID, after.ID))
		default:
			found[i] = after
		}
	}
	return failed
}
