package jobs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment/simulated"
	"holdfast/inventory/pgstore"
	"holdfast/jobs"
)

// stopPoint is where a daemon is killed: everything that it would do from there
// on does not happen.
type stopPoint string

const (
	afterClaim stopPoint = "afterTheClaim"    // committed, and the provider was not called
	afterCall  stopPoint = "afterTheCall"     // the provider did it, and nothing is written down
	afterNote  stopPoint = "afterTheNote"     // all is written down, and the run is not recorded
	never      stopPoint = "runsToTheEnd"     // for comparison
	duringNote stopPoint = "whileItIsNoted"   // the note's transaction does not commit
	duringCall stopPoint = "duringTheCall"    // the provider did it and its answer is cut off
	beforeCall stopPoint = "beforeTheCallGot" // the call was cut off before the provider saw it
)

// mortal is a store that belongs to a daemon that dies at one point.
type mortal struct {
	*pgstore.Store
	dies stopPoint
}

func (m *mortal) note(done func() error) error {
	switch m.dies {
	case afterClaim, afterCall, duringCall, beforeCall, duringNote:
		return errKilled
	case afterNote, never:
	}
	if err := done(); err != nil {
		return err
	}
	if m.dies == afterNote {
		return errKilled
	}
	return nil
}

func (m *mortal) PaymentAnswered(ctx context.Context, id inventory.PaymentID, a inventory.ProviderPayment) (b inventory.Booking, p inventory.Payment, err error) {
	err = m.note(func() error {
		b, p, err = m.Store.PaymentAnswered(ctx, id, a)
		return err
	})
	return b, p, err
}

func (m *mortal) PaymentUnanswered(ctx context.Context, id inventory.PaymentID, cause string) error {
	return m.note(func() error { return m.Store.PaymentUnanswered(ctx, id, cause) })
}

func (m *mortal) RefundAnswered(ctx context.Context, id inventory.RefundID, a inventory.ProviderRefund) (r inventory.Refund, err error) {
	err = m.note(func() error {
		r, err = m.Store.RefundAnswered(ctx, id, a)
		return err
	})
	return r, err
}

func (m *mortal) RefundUnanswered(ctx context.Context, id inventory.RefundID, cause string) error {
	return m.note(func() error { return m.Store.RefundUnanswered(ctx, id, cause) })
}

// mortalProvider is the same daemon's line to the provider.
type mortalProvider struct {
	*simulated.Provider
	dies stopPoint
}

func (p mortalProvider) Get(ctx context.Context, id string) (inventory.ProviderPayment, error) {
	return through(p.dies, func() (inventory.ProviderPayment, error) { return p.Provider.Get(ctx, id) })
}

func (p mortalProvider) FindByReference(ctx context.Context, reference string) ([]inventory.ProviderPayment, error) {
	return through(p.dies, func() ([]inventory.ProviderPayment, error) { return p.Provider.FindByReference(ctx, reference) })
}

func (p mortalProvider) Refund(ctx context.Context, task inventory.RefundTask) (inventory.ProviderRefund, error) {
	return through(p.dies, func() (inventory.ProviderRefund, error) { return p.Provider.Refund(ctx, task) })
}

func through[A any](dies stopPoint, do func() (A, error)) (A, error) {
	var none A
	if dies == afterClaim || dies == beforeCall {
		return none, errKilled
	}
	answer, err := do()
	if dies == duringCall {
		return none, errKilled
	}
	return answer, err
}

// Row F1: a daemon is killed at each point between claim, call and commit.
// After the next daemon's run there is one refund, one confirmation, and no
// invariant is broken.
func TestKill_eachStopPoint(t *testing.T) {
	t.Parallel()
	for _, point := range []stopPoint{never, afterClaim, beforeCall, duringCall, afterCall, duringNote, afterNote} {
		t.Run(string(point), func(t *testing.T) {
			t.Parallel()
			m := openMarket(t, patience)
			_, paid := m.paid(t, "u-1", 2)
			inDoubt, _ := m.pay(t, "u-2", 1, simulated.Behaviour{})
			if _, err := m.Store.RefundPayment(t.Context(), paid.ID, 0, 0, mira, "the show is cancelled"); err != nil {
				t.Fatal(err)
			}
			at := m.Now(t).Add(16 * time.Minute)
			dying := &mortal{Store: m.DB.Store(t, 4).At(at), dies: point}
			providers := map[string]jobs.Provider{simulated.Name: mortalProvider{m.provider, point}}
			for _, job := range []jobs.Job{jobs.NewReconcile(dying, providers, quiet()), jobs.NewRefund(dying, providers, quiet())} {
				_, err := job.Run(t.Context())
				if killed := errors.Is(err, errKilled); killed != (point != never) {
					t.Fatalf("%s = %v", job.Name(), err)
				}
			}
			next := m.DB.Store(t, 4).At(at.Add(time.Minute)) // past every lease
			run(t, m.reconcile(next))
			run(t, m.refunds(next))
			m.carry(t, next, m.post.take()...)

			after := m.booking(t, inDoubt.ID)
			if after.State != inventory.StateConfirmed || after.Version != 3 {
				t.Errorf("the payment in doubt: booking %s v%d, want CONFIRMED v3", after.State, after.Version)
			}
			if got := m.payment(t, paid); got.Standing != inventory.StandingRefunded {
				t.Errorf("the refund: payment %s, want refunded", got.Standing)
			}
			if made := m.sim.Ledger().Refunds; len(made) != 1 {
				t.Errorf("%d refunds at the provider, want 1", len(made))
			}
			if n := m.count(t, `select count(*) from journal where topic in ('booking.confirmed', 'refund.succeeded')`); n != 3 {
				t.Errorf("%d messages, want two confirmations and one refund", n)
			}
		})
	}
}
