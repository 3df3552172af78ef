package jobs_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment/simulated"
	"holdfast/jobs"
	"holdfast/migrations/pgtest"
)

// Case B11: three payments in doubt, no callback arrives. The provider says
// captured, says cancelled, and hangs for 30 s. The first two are decided
// without waiting for the third, and no transaction is open while a call is.
func TestReconcile_B11_askedBeforeReleased(t *testing.T) {
	t.Parallel()
	const callTimeout = 4 * time.Second
	m := openMarket(t, callTimeout)
	b1, _ := m.pay(t, "u-1", 1, simulated.Behaviour{})
	b2, p2 := m.pay(t, "u-2", 2, simulated.Behaviour{Mode: simulated.ModePending})
	b3, p3 := m.pay(t, "u-3", 3, simulated.Behaviour{Mode: simulated.ModePending})
	if _, err := m.sim.Settle(p2.ID.String(), simulated.StateCancelled); err != nil {
		t.Fatal(err)
	}
	m.behave(p3.ID.String(), simulated.Behaviour{Mode: simulated.ModeSlow, Delay: 30 * time.Second})

	later := m.After(t, 16*time.Minute)
	if swept, err := later.SweepHolds(t.Context(), 500); err != nil || swept.Expired != 0 {
		t.Fatalf("the sweep expired %d, %v: payments in doubt are not its business", swept.Expired, err)
	}
	start := time.Now()
	ended := make(chan jobs.Result, 1)
	go func() {
		res, err := m.reconcile(later).Run(t.Context())
		if err != nil {
			t.Errorf("reconcile: %v", err)
		}
		ended <- res
	}()
	decided := func(id inventory.BookingID) bool { return m.State(t, id) != inventory.StatePaymentPending }
	until(t, "two are decided", func() bool { return decided(b1.ID) && decided(b2.ID) })
	if took := time.Since(start); took >= callTimeout {
		t.Errorf("the two were decided after %v: they waited for the third", took)
	}
	for range 20 { // the third call is open all the time
		if n := m.inTransaction(t); n != 0 {
			t.Errorf("%d sessions are in a transaction while a call to the provider is open", n)
		}
		time.Sleep(10 * time.Millisecond)
	}
	select {
	case <-ended:
		t.Error("the run ended before the call that hangs was cut off")
	default:
	}
	res := <-ended
	if res.Detail != "1 payments found captured, 1 found ended without money, 1 without an answer" {
		t.Errorf("detail = %q", res.Detail)
	}
	if s1, s2, s3 := m.State(t, b1.ID), m.State(t, b2.ID), m.State(t, b3.ID); s1 != inventory.StateConfirmed || s2 != inventory.StateExpired || s3 != inventory.StatePaymentPending {
		t.Errorf("states = %s, %s, %s; want CONFIRMED, EXPIRED, PAYMENT_PENDING", s1, s2, s3)
	}
	if taken := m.Taken(t); taken != 1+3 {
		t.Errorf("taken = %d, want 4: the second gave its 2 back", taken)
	}
	third := m.booking(t, b3.ID).Payments[0]
	if third.NextAskAt.Before(m.Now(t).Add(16*time.Minute)) || third.LastError == "" {
		t.Errorf("the third is asked next at %v, last error %q", third.NextAskAt, third.LastError)
	}
}

// inTransaction counts the sessions that are inside a transaction, whether a
// statement of it runs or not.
func (m market) inTransaction(t *testing.T) (n int) {
	t.Helper()
	err := m.DB.Pool.QueryRow(t.Context(), `select count(*) from pg_stat_activity
		where datname = current_database() and pid <> pg_backend_pid() and (xact_start is not null or state like 'idle in transaction%')`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A provider that does not know of a payment is asked three times before it is
// taken for cancelled; money that turns up afterwards has an owner all the same.
func TestReconcile_neverHeardOf(t *testing.T) {
	t.Parallel()
	m := openMarket(t, 100*time.Millisecond)
	b, p := m.pay(t, "u-1", 2, simulated.Behaviour{Mode: simulated.ModeTimeoutBeforeEffect})
	m.provider = m.client(t, patience)
	at := 16 * time.Minute
	for try := 1; try <= 3; try++ {
		if got := m.State(t, b.ID); got != inventory.StatePaymentPending {
			t.Fatalf("before question %d: %s", try, got)
		}
		run(t, m.reconcile(m.After(t, at)))
		at += 5 * time.Minute
	}
	after := m.booking(t, b.ID)
	if after.State != inventory.StateExpired || after.Payments[0].State != inventory.PaymentCancelled || m.Taken(t) != 0 {
		t.Errorf("booking %s, payment %s, taken %d; want EXPIRED, CANCELLED, 0", after.State, after.Payments[0].State, m.Taken(t))
	}
	m.behave(p.ID.String(), simulated.Behaviour{})
	if _, err := m.provider.Create(t.Context(), p); err != nil { // it was on its way for half an hour
		t.Fatal(err)
	}
	m.carry(t, m.After(t, at), m.post.take()...)
	if after = m.booking(t, b.ID); len(after.Payments) != 1 || after.Payments[0].Standing != inventory.StandingZombie || after.Payments[0].ZombieKind != inventory.ZombieLate {
		t.Errorf("payments = %+v, want one late zombie", after.Payments)
	}
}

// What is captured under our reference and does not fit confirms nothing.
func TestReconcile_moneyThatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]inventory.Money{
		"oneCent":       {Minor: 1, Currency: "EUR"},
		"otherCurrency": {Minor: 2500, Currency: "USD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := openMarket(t, patience)
			hold := m.Hold(t, "u-1", 1)
			b, p, err := m.Store.StartPayment(t.Context(), inventory.PayRequest{BookingID: hold.ID, Provider: simulated.Name, Actor: mira})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.provider.Charge(t.Context(), p.ProviderKey, p.ID.String(), other); err != nil {
				t.Fatal(err)
			}
			run(t, m.reconcile(m.After(t, 16*time.Minute)))
			after := m.booking(t, b.ID)
			if got := after.Payments[0]; after.State != inventory.StateExpired || got.ZombieKind != inventory.ZombieMismatch || got.Captured != other {
				t.Errorf("booking %s, payment %s %s of %s", after.State, got.Standing, got.ZombieKind, got.Captured)
			}
		})
	}
}

// A shop that takes the money itself may take its time as long as the hold
// lasts; once it is over its open payment is cancelled.
func TestReconcile_openPaymentOfALiveHold(t *testing.T) {
	t.Parallel()
	m := openMarket(t, patience, pgtest.HoldTTL(40*time.Minute))
	hold := m.Hold(t, "u-1", 1)
	m.behave(hold.ID.String(), simulated.Behaviour{Mode: simulated.ModePending})
	p := m.charge(t, hold)
	m.carry(t, m.Store, m.post.take()...)
	run(t, m.reconcile(m.After(t, 20*time.Minute)))
	if got := m.sim.Ledger().Payments[0].State; got != simulated.StatePending {
		t.Fatalf("the payment is %s: it was cancelled under the buyer's hands", got)
	}
	later := m.After(t, 41*time.Minute)
	if _, err := later.SweepHolds(t.Context(), 500); err != nil {
		t.Fatal(err)
	}
	run(t, m.reconcile(later))
	if got := m.sim.Ledger().Payments[0]; got.ID != p.ID || got.State != simulated.StateCancelled {
		t.Errorf("the payment of a hold that is over is %s, want cancelled", got.State)
	}
}

// settlesFirst captures every payment between the question and the cancelling.
type settlesFirst struct {
	*simulated.Provider
	sim *simulated.Server
}

func (s settlesFirst) Cancel(ctx context.Context, id string) (inventory.ProviderPayment, error) {
	if _, err := s.sim.Settle(id, simulated.StateSucceeded); err != nil {
		return inventory.ProviderPayment{}, err
	}
	return s.Provider.Cancel(ctx, id)
}

func TestReconcile_capturedWhileItWasCancelled(t *testing.T) {
	t.Parallel()
	m := openMarket(t, patience)
	b, _ := m.pay(t, "u-1", 1, simulated.Behaviour{Mode: simulated.ModePending})
	job := jobs.NewReconcile(m.After(t, 16*time.Minute), map[string]jobs.Provider{simulated.Name: settlesFirst{m.provider, m.sim}}, quiet())
	if res := run(t, job); res.Detail != "1 payments found captured" || m.State(t, b.ID) != inventory.StateConfirmed {
		t.Errorf("detail %q, booking %s, want CONFIRMED", res.Detail, m.State(t, b.ID))
	}
}

// Three daemons share the questions without any election: each payment is asked
// about once, and decided once.
func TestReconcile_threeDaemons(t *testing.T) {
	t.Parallel()
	const each = 12
	m := openMarket(t, patience, pgtest.Capacity(100, 0))
	var confirmed, released []inventory.BookingID
	for i := range each {
		b, _ := m.pay(t, "u-captured-"+string(rune('a'+i)), 1, simulated.Behaviour{})
		confirmed = append(confirmed, b.ID)
		b, _ = m.pay(t, "u-open-"+string(rune('a'+i)), 1, simulated.Behaviour{Mode: simulated.ModePending})
		released = append(released, b.ID)
	}
	at := m.Now(t).Add(16 * time.Minute)
	var daemons sync.WaitGroup
	for range 3 {
		job := m.reconcile(m.DB.Store(t, 4).At(at))
		daemons.Go(func() {
			for range 3 {
				if _, err := job.Run(t.Context()); err != nil {
					t.Errorf("reconcile: %v", err)
				}
			}
		})
	}
	daemons.Wait()
	for _, id := range confirmed {
		if got := m.booking(t, id); got.State != inventory.StateConfirmed || got.Version != 3 {
			t.Errorf("booking %s v%d, want CONFIRMED v3", got.State, got.Version)
		}
	}
	for _, id := range released {
		if got := m.booking(t, id); got.State != inventory.StateExpired || got.Version != 3 {
			t.Errorf("booking %s v%d, want EXPIRED v3", got.State, got.Version)
		}
	}
	if asked := len(m.calls(http.MethodGet, "/v1/payments")); asked != 2*each {
		t.Errorf("%d questions about %d payments", asked, 2*each)
	}
	m.DB.AssertNoDeadlocks(t)
}

// Case B16: the callback comes twenty times at two daemons while both ask the
// provider about the same payment.
func TestReconcile_B16_callbacksMeanwhile(t *testing.T) {
	t.Parallel()
	m := openMarket(t, patience)
	b, _ := m.pay(t, "u-1", 2, simulated.Behaviour{})
	letters := m.post.take()
	if len(letters) != 1 {
		t.Fatalf("%d callbacks, want 1", len(letters))
	}
	at := m.Now(t).Add(16 * time.Minute)
	var all sync.WaitGroup
	for range 2 {
		store := m.DB.Store(t, 8).At(at)
		all.Go(func() {
			again(t, "reconcile", func() error {
				_, err := m.reconcile(store).Run(t.Context())
				return err
			})
		})
		for range 10 {
			all.Go(func() { m.carry(t, store, letters...) })
		}
	}
	all.Wait()
	if got := m.booking(t, b.ID); got.State != inventory.StateConfirmed || got.Version != 3 || len(got.Payments) != 1 || m.Taken(t) != 2 {
		t.Errorf("booking %s v%d with %d payments, taken %d", got.State, got.Version, len(got.Payments), m.Taken(t))
	}
	if n := m.count(t, `select count(*) from journal where topic = 'booking.confirmed'`); n != 1 {
		t.Errorf("%d messages that it is confirmed, want 1", n)
	}
	if n := m.count(t, `select count(*) from webhook_event`); n != 1 {
		t.Errorf("%d events stored, want 1", n)
	}
}
