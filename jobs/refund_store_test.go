package jobs_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment/simulated"
	"holdfast/jobs"
	"holdfast/migrations/pgtest"
)

const refundsPath = "/v1/refunds"

// Case B22: refund is pressed ten times in two consoles, the provider makes it
// and never answers, the daemon is killed during the call. The next daemon
// finds one refund, under one key, and the place went back once.
func TestRefund_B22_pressedTwiceAndRetried(t *testing.T) {
	t.Parallel()
	m := openMarket(t, 500*time.Millisecond)
	b, p := m.paid(t, "u-1", 2)
	consoles := []interface {
		RefundPayment(ctx context.Context, id inventory.PaymentID, version int, amount inventory.Minor, actor inventory.Actor, reason string) (inventory.Refund, error)
	}{m.DB.Store(t, 4), m.DB.Store(t, 4)}
	var presses sync.WaitGroup
	var made atomic.Int64
	for i := range 10 {
		presses.Go(func() {
			_, err := consoles[i%2].RefundPayment(t.Context(), p.ID, 0, 0, mira, "the show is cancelled")
			if err == nil {
				made.Add(1)
			} else if !errors.Is(err, inventory.ErrNotAllowed) {
				t.Errorf("press %d: %v", i, err)
			}
		})
	}
	presses.Wait()
	rows := m.refundsOf(t, p.ID)
	if made.Load() != 1 || len(rows) != 1 {
		t.Fatalf("%d presses made %d refunds, want 1", made.Load(), len(rows))
	}

	m.behave(rows[0].ID.String(), simulated.Behaviour{Mode: simulated.ModeTimeoutAfterEffect})
	first := &mortal{Store: m.DB.Store(t, 4), dies: afterCall}
	if _, err := jobs.NewRefund(first, m.providers(), quiet()).Run(t.Context()); !errors.Is(err, errKilled) {
		t.Fatalf("the first daemon = %v, want it killed", err)
	}
	if got := m.refundsOf(t, p.ID)[0]; got.State != inventory.RefundRequested || got.SentAt.IsZero() {
		t.Fatalf("after the kill the refund is %s, sent at %v", got.State, got.SentAt)
	}
	m.provider = m.client(t, patience)
	until(t, "the provider has let go of the first call", func() bool {
		run(t, m.refunds(m.DB.Store(t, 4).At(m.Now(t).Add(time.Minute))))
		return m.refundsOf(t, p.ID)[0].State == inventory.RefundSucceeded
	})
	m.carry(t, m.Store, append(m.post.take(), m.post.take()...)...)

	ledger := m.sim.Ledger()
	if len(ledger.Refunds) != 1 || ledger.Refunds[0].AmountMinor != p.Captured.Minor {
		t.Errorf("refunds at the provider: %+v, want one of %s", ledger.Refunds, p.Captured)
	}
	for _, c := range m.calls(http.MethodPost, refundsPath) {
		if c.Key != rows[0].ID.String() {
			t.Errorf("a call carried the key %q, want the refund's id", c.Key)
		}
	}
	if after := m.booking(t, b.ID); after.State != inventory.StateCancelled || after.Payments[0].Standing != inventory.StandingRefunded || m.Taken(t) != 0 {
		t.Errorf("booking %s, payment %s, taken %d", after.State, after.Payments[0].Standing, m.Taken(t))
	}
}

// Case B24: accepted is not done, and a failure is work again.
func TestRefund_B24_acceptedThenFails(t *testing.T) {
	t.Parallel()
	m := openMarket(t, patience)
	_, p := m.paid(t, "u-1", 1)
	first, err := m.Store.RefundPayment(t.Context(), p.ID, 0, 0, mira, "the show is cancelled")
	if err != nil {
		t.Fatal(err)
	}
	m.behave(first.ID.String(), simulated.Behaviour{Mode: simulated.ModePending})
	run(t, m.refunds(m.Store))
	if got := m.refundsOf(t, p.ID)[0]; got.State != inventory.RefundPending || !got.DoneAt.IsZero() {
		t.Fatalf("accepted by the provider it is %s, done at %v; want PENDING", got.State, got.DoneAt)
	}
	if got := m.payment(t, p); got.Standing != inventory.StandingRefunding {
		t.Errorf("standing = %s, want refunding", got.Standing)
	}
	m.carry(t, m.Store, m.post.take()...)

	if _, err := m.sim.SettleRefund(m.sim.Ledger().Refunds[0].ID, simulated.StateFailed); err != nil {
		t.Fatal(err)
	}
	failure := m.post.take()
	m.carry(t, m.Store, failure...)
	got := m.refundsOf(t, p.ID)[0]
	if got.State != inventory.RefundFailed || got.LastError != "insufficient balance" {
		t.Fatalf("refund %s because of %q, want FAILED with the provider's reason", got.State, got.LastError)
	}
	if z, err := m.Store.Zombie(t.Context(), p.ID); err != nil || z.Payment.Standing != inventory.StandingZombie {
		t.Errorf("back at the desk: %+v, %v", z.Payment, err)
	}

	second, err := m.Store.RetryRefund(t.Context(), first.ID, mira)
	if err != nil || second.ID == first.ID || second.Amount != first.Amount {
		t.Fatalf("retry = %+v, %v; want a new row of the same amount", second, err)
	}
	run(t, m.refunds(m.Store))
	m.carry(t, m.Store, m.post.take()...)
	// The failure of the first arrives again, and by another event too.
	m.carry(t, m.Store, failure...)
	failure[0].event.ID += "-again"
	m.carry(t, m.Store, failure...)
	if got := m.payment(t, p); got.Standing != inventory.StandingRefunded {
		t.Errorf("standing = %s, want refunded", got.Standing)
	}
	states := map[simulated.State]int{}
	keys := map[string]bool{}
	for _, r := range m.sim.Ledger().Refunds {
		states[r.State]++
		keys[r.Key] = true
	}
	if states[simulated.StateSucceeded] != 1 || states[simulated.StateFailed] != 1 || len(keys) != 2 {
		t.Errorf("at the provider: %v under %d keys, want one failed and one succeeded under a key each", states, len(keys))
	}
	if n := m.count(t, `select count(*) from journal where cause = 'refund_succeeded'`); n != 1 {
		t.Errorf("%d messages of success, want 1", n)
	}
}

// A provider forgets keys. Past that sending again is a second refund, so its
// refunds are listed first.
func TestRefund_pastTheKeyLifetime(t *testing.T) {
	t.Parallel()
	later := keyLifetime + time.Minute
	setup := func(t *testing.T, amount inventory.Minor, mode simulated.Mode) (market, inventory.Payment) {
		t.Helper()
		m := openMarket(t, 200*time.Millisecond)
		_, p := m.paid(t, "u-1", 2)
		r, err := m.Store.RefundPayment(t.Context(), p.ID, 0, amount, mira, "the show is cancelled")
		if err != nil {
			t.Fatal(err)
		}
		m.behave(r.ID.String(), simulated.Behaviour{Mode: mode})
		run(t, m.refunds(m.Store))
		m.post.take() // and its callbacks are lost
		m.simClock.Advance(later)
		m.provider = m.client(t, patience)
		return m, p
	}
	onlyOne := func(t *testing.T, m market, p inventory.Payment, amount inventory.Minor) {
		t.Helper()
		made := m.sim.Ledger().Refunds
		if len(made) != 1 || made[0].AmountMinor != amount {
			t.Errorf("refunds at the provider: %+v, want one of %d", made, amount)
		}
		if got := m.refundsOf(t, p.ID); len(got) != 1 || got[0].State != inventory.RefundSucceeded || got[0].ProviderRefund != made[0].ID {
			t.Errorf("refunds here: %+v", got)
		}
	}

	t.Run("wasMade", func(t *testing.T) {
		t.Parallel()
		// A part, so that the provider itself would not refuse to refund twice.
		m, p := setup(t, 2000, simulated.ModeTimeoutAfterEffect)
		run(t, m.refunds(m.After(t, later)))
		onlyOne(t, m, p, 2000)
		if n := len(m.calls(http.MethodPost, refundsPath)); n != 1 {
			t.Errorf("sent %d times, want once", n)
		}
	})
	t.Run("wasNotMade", func(t *testing.T) {
		t.Parallel()
		m, p := setup(t, 0, simulated.ModeTimeoutBeforeEffect)
		m.behave(m.refundsOf(t, p.ID)[0].ID.String(), simulated.Behaviour{})
		run(t, m.refunds(m.After(t, later)))
		onlyOne(t, m, p, p.Captured.Minor)
	})
	t.Run("pendingIsAskedAboutAndNeverSentAgain", func(t *testing.T) {
		t.Parallel()
		m, p := setup(t, 2000, simulated.ModePending)
		for i := range 3 {
			run(t, m.refunds(m.After(t, later+time.Duration(i)*2*time.Hour)))
		}
		if got := m.refundsOf(t, p.ID)[0]; got.State != inventory.RefundPending {
			t.Fatalf("refund is %s while the provider has not finished", got.State)
		}
		if _, err := m.sim.SettleRefund(m.sim.Ledger().Refunds[0].ID, simulated.StateSucceeded); err != nil {
			t.Fatal(err)
		}
		run(t, m.refunds(m.After(t, later+10*time.Hour)))
		onlyOne(t, m, p, 2000)
		if n := len(m.calls(http.MethodPost, refundsPath)); n != 1 {
			t.Errorf("sent %d times, want once", n)
		}
	})
}

// Somebody gives the money back in the provider's dashboard while our own
// refund is on its way: the provider refuses ours, the desk hears why, and the
// money has gone back once.
func TestRefund_madeElsewhereMeanwhile(t *testing.T) {
	t.Parallel()
	m := openMarket(t, patience)
	b, p := m.paid(t, "u-1", 2)
	if _, err := m.Store.RefundPayment(t.Context(), p.ID, 0, 0, mira, "the show is cancelled"); err != nil {
		t.Fatal(err)
	}
	if _, err := m.sim.RefundElsewhere(p.ProviderPayment, 0, "desk-7", simulated.StateSucceeded); err != nil {
		t.Fatal(err)
	}
	elsewhere := m.post.take()
	for _, l := range elsewhere {
		if _, err := m.Store.StoreEvent(t.Context(), l.event); err != nil {
			t.Fatal(err)
		}
		_ = m.Store.ApplyEvent(t.Context(), l.event.Provider, l.event.ID) // nothing is left while ours is open: kept and tried again
	}
	run(t, m.refunds(m.Store))
	run(t, m.reconcile(m.After(t, time.Minute)))
	rows := m.refundsOf(t, p.ID)
	if len(rows) != 2 || !rows[0].External || rows[0].State != inventory.RefundSucceeded || rows[1].State != inventory.RefundFailed || rows[1].LastError != "refund_exceeds_payment" {
		t.Errorf("refunds = %+v", rows)
	}
	if after := m.booking(t, b.ID); after.State != inventory.StateCancelled || after.Payments[0].Standing != inventory.StandingRefunded {
		t.Errorf("booking %s, payment %s", after.State, after.Payments[0].Standing)
	}
	if made := m.sim.Ledger().Refunds; len(made) != 1 {
		t.Errorf("%d refunds at the provider, want 1", len(made))
	}
}

// While the bank has the money nothing is sent: it could pay twice. Once the
// dispute is won what was asked for is sent.
func TestRefund_disputeHoldsItBack(t *testing.T) {
	t.Parallel()
	m := openMarket(t, patience)
	_, p := m.paid(t, "u-1", 1)
	if _, err := m.Store.RefundPayment(t.Context(), p.ID, 0, 0, mira, "the show is cancelled"); err != nil {
		t.Fatal(err)
	}
	dispute := func(to simulated.DisputeState) {
		t.Helper()
		if _, err := m.sim.Dispute(p.ProviderPayment, to); err != nil {
			t.Fatal(err)
		}
		m.carry(t, m.Store, m.post.take()...)
	}
	dispute(simulated.DisputeOpened)
	run(t, m.refunds(m.After(t, time.Hour)))
	if n := len(m.calls(http.MethodPost, refundsPath)); n != 0 {
		t.Errorf("%d refunds were sent while the bank has the money", n)
	}
	dispute(simulated.DisputeWon)
	run(t, m.refunds(m.After(t, time.Hour)))
	if got := m.payment(t, p); got.Standing != inventory.StandingRefunded {
		t.Errorf("standing = %s, want refunded", got.Standing)
	}
}

// A deadline that passes without a decision gives the money back.
func TestRefund_nobodyDecided(t *testing.T) {
	t.Parallel()
	m := openMarket(t, patience, pgtest.Late(inventory.LateAsk))
	hold := m.Hold(t, "u-1", 1)
	later := m.After(t, 11*time.Minute)
	if _, err := later.SweepHolds(t.Context(), 500); err != nil {
		t.Fatal(err)
	}
	m.charge(t, hold)
	m.carry(t, later, m.post.take()...)
	if res := run(t, m.refunds(m.After(t, 24*time.Hour))); res.Detail != "" {
		t.Errorf("before the deadline: %q", res.Detail)
	}
	if res := run(t, m.refunds(m.After(t, 25*time.Hour))); res.Detail != "1 zombies past their deadline, 1 refunds done" {
		t.Errorf("after the deadline: %q", res.Detail)
	}
}

func (m market) payment(t *testing.T, p inventory.Payment) inventory.Payment {
	t.Helper()
	for _, one := range m.booking(t, p.BookingID).Payments {
		if one.ID == p.ID {
			return one
		}
	}
	t.Fatalf("booking %s has no payment %s", p.BookingID, p.ID)
	return p
}

func (m market) count(t *testing.T, sql string, args ...any) (n int) {
	t.Helper()
	if err := m.DB.Pool.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
