package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/inventory/payment/simulated"
	"holdfast/migrations/pgtest"
)

func TestPay(t *testing.T) {
	t.Parallel()
	state := func(r reply) string { s, _ := r.body["state"].(string); return s }
	attempt := func(r reply) map[string]any { p, _ := r.body["payment"].(map[string]any); return p }

	t.Run("succeeds", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.hold(t, "u-1", 2)
		r := b.pay(t, id, "p-1")
		p := attempt(r)
		if r.status != http.StatusOK || state(r) != "CONFIRMED" || p["state"] != "SUCCEEDED" || p["provider"] != "simulated" || p["clientSecret"] == "" || p["url"] == "" {
			t.Errorf("pay = %d %s", r.status, r.text)
		}
		l := b.sim.Ledger()
		if len(l.Payments) != 1 || l.Payments[0].Reference != p["id"] || l.Payments[0].AmountMinor != 5000 {
			t.Errorf("provider's ledger = %+v, want our payment id as reference", l.Payments)
		}
		if again := b.pay(t, id, "p-1"); again.status != http.StatusOK || attempt(again)["id"] != p["id"] || len(b.sim.Ledger().Payments) != 1 {
			t.Errorf("the same key again = %d %s", again.status, again.text)
		}
		if other := b.pay(t, id, "p-2"); other.status != http.StatusConflict || other.code() != "NOT_ALLOWED" {
			t.Errorf("paying what is paid = %d %s", other.status, other.text)
		}
	})

	t.Run("declineEndsTheAttemptNotTheBooking", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.hold(t, "u-1", 1)
		b.sim.SetBehaviour("", 1, simulated.Behaviour{Mode: simulated.ModeDecline})
		r := b.pay(t, id, "p-1")
		if r.status != http.StatusOK || state(r) != "HELD" || attempt(r)["state"] != "FAILED" {
			t.Errorf("pay = %d %s", r.status, r.text)
		}
		if r := b.pay(t, id, "p-2"); r.status != http.StatusOK || state(r) != "CONFIRMED" {
			t.Errorf("the second attempt = %d %s", r.status, r.text)
		}
	})

	t.Run("pendingIsSettledByTheCallback", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.hold(t, "u-1", 1)
		b.sim.SetBehaviour("", 0, simulated.Behaviour{Mode: simulated.ModePending})
		r := b.pay(t, id, "p-1")
		if r.status != http.StatusAccepted || state(r) != "PAYMENT_PENDING" || attempt(r)["state"] != "PENDING" {
			t.Fatalf("pay = %d %s", r.status, r.text)
		}
		if _, err := b.sim.Settle(attempt(r)["id"].(string), simulated.StateSucceeded); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the booking is confirmed", func() bool { return b.State(t, id) == inventory.StateConfirmed })
	})

	t.Run("callbackBeforeTheAnswer", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.hold(t, "u-1", 1)
		b.sim.SetBehaviour("", 0, simulated.Behaviour{Mode: simulated.ModeSucceed, WebhookBeforeAnswer: true, WebhookTimes: 5})
		if r := b.pay(t, id, "p-1"); r.status != http.StatusOK || state(r) != "CONFIRMED" {
			t.Errorf("pay = %d %s", r.status, r.text)
		}
		if n := b.count(t, `select count(*) from journal where topic = 'booking.confirmed'`); n != 1 {
			t.Errorf("%d confirmations, want 1", n)
		}
	})

	t.Run("noAnswerIsNotAFailure", func(t *testing.T) {
		t.Parallel()
		for _, mode := range []simulated.Mode{simulated.ModeTimeoutBeforeEffect, simulated.ModeError500, simulated.ModeSlow} {
			t.Run(string(mode), func(t *testing.T) {
				t.Parallel()
				b := setupFor(t, 300*time.Millisecond)
				id := b.hold(t, "u-1", 1)
				b.sim.SetBehaviour("", 1, simulated.Behaviour{Mode: mode, Delay: time.Minute * 5, NoWebhook: true})
				if mode == simulated.ModeError500 {
					b.sim.SetBehaviour("", 0, simulated.Behaviour{Mode: mode})
				}
				r := b.pay(t, id, "p-1")
				if r.status != http.StatusAccepted || state(r) != "PAYMENT_PENDING" || attempt(r)["state"] != "CREATED" {
					t.Errorf("pay = %d %s, want 202 and nothing decided", r.status, r.text)
				}
				if s := b.State(t, id); s != inventory.StatePaymentPending {
					t.Errorf("state = %s, want PAYMENT_PENDING", s)
				}
			})
		}
	})

	t.Run("effectWithoutAnswerIsConfirmedByTheCallback", func(t *testing.T) {
		t.Parallel()
		b := setupFor(t, 300*time.Millisecond)
		id := b.hold(t, "u-1", 1)
		b.sim.SetBehaviour("", 0, simulated.Behaviour{Mode: simulated.ModeTimeoutAfterEffect, WebhookDelay: 500 * time.Millisecond})
		if r := b.pay(t, id, "p-1"); r.status != http.StatusAccepted || state(r) != "PAYMENT_PENDING" {
			t.Errorf("pay = %d %s", r.status, r.text)
		}
		eventually(t, "the booking is confirmed", func() bool { return b.State(t, id) == inventory.StateConfirmed })
		if n := len(b.sim.Ledger().Payments); n != 1 {
			t.Errorf("%d payments at the provider, want 1", n)
		}
	})

	t.Run("askedAgainWithTheSameKeyAfterNoAnswer", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.hold(t, "u-1", 1)
		b.sim.SetBehaviour("", 1, simulated.Behaviour{Mode: simulated.ModeError500})
		first := b.pay(t, id, "p-1")
		second := b.pay(t, id, "p-1")
		if first.status != http.StatusAccepted || second.status != http.StatusOK || attempt(first)["id"] != attempt(second)["id"] {
			t.Errorf("pay = %d %s, then %d %s", first.status, first.text, second.status, second.text)
		}
		calls := b.sim.Ledger().Calls
		if len(calls) != 2 || calls[0].Key != calls[1].Key || calls[0].Key == "" {
			t.Errorf("calls = %+v, want two with one key", calls)
		}
	})

	t.Run("pressedTenTimesAtOnceIsOnePayment", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.hold(t, "u-1", 1)
		b.sim.SetBehaviour("", 0, simulated.Behaviour{Mode: simulated.ModeSucceed, Delay: 100 * time.Millisecond})
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				key := uuid.NewString()
				r := b.daemons[i%2].send(t, http.MethodPost, "/bookings/"+id.String()+"/pay", "", "Idempotency-Key", key)
				for try := 0; r.code() == "BUSY" && try < 20; try++ { // a busy machine: press again, as buyers do
					r = b.daemons[i%2].send(t, http.MethodPost, "/bookings/"+id.String()+"/pay", "", "Idempotency-Key", key)
				}
				if r.status >= 500 {
					t.Errorf("pay = %d %s", r.status, r.text)
				}
			})
		}
		wg.Wait()
		if l := b.sim.Ledger(); len(l.Payments) != 1 {
			t.Errorf("%d payments at the provider, want 1", len(l.Payments))
		}
		eventually(t, "the booking is confirmed", func() bool { return b.State(t, id) == inventory.StateConfirmed })
	})

	t.Run("nothingToPay", func(t *testing.T) {
		t.Parallel()
		b := setup(t, pgtest.Price(0))
		r := b.pay(t, b.hold(t, "u-1", 1), "p-1")
		if r.status != http.StatusOK || state(r) != "CONFIRMED" || attempt(r) != nil || len(b.sim.Ledger().Calls) != 0 {
			t.Errorf("pay = %d %s", r.status, r.text)
		}
	})

	t.Run("tooLate", func(t *testing.T) {
		t.Parallel()
		b := setup(t, pgtest.HoldTTL(time.Minute))
		id := b.hold(t, "u-1", 1)
		if _, err := b.After(t, time.Hour).SweepHolds(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		if r := b.pay(t, id, "p-1"); r.status != http.StatusConflict || r.code() != "HOLD_EXPIRED" || len(b.sim.Ledger().Calls) != 0 {
			t.Errorf("pay = %d %s", r.status, r.text)
		}
	})

	t.Run("badRequests", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		path := "/bookings/" + b.hold(t, "u-1", 1).String() + "/pay"
		for name, c := range map[string]struct {
			body    string
			headers []string
			status  int
		}{
			"noKey":        {"", nil, 400},
			"unknownField": {`{"amount":1}`, []string{"Idempotency-Key", "p"}, 422},
			"methodIsText": {`{"method":"card"}`, []string{"Idempotency-Key", "p"}, 422},
			"notJSON":      {`card`, []string{"Idempotency-Key", "p"}, 422},
		} {
			if r := b.daemons[0].send(t, http.MethodPost, path, c.body, c.headers...); r.status != c.status {
				t.Errorf("%s = %d %s, want %d", name, r.status, r.text, c.status)
			}
		}
		missing := "/bookings/" + inventory.NewBookingID().String() + "/pay"
		if r := b.daemons[0].send(t, http.MethodPost, missing, "", "Idempotency-Key", "p"); r.status != http.StatusNotFound {
			t.Errorf("unknown booking = %d %s", r.status, r.text)
		}
		if n := len(b.sim.Ledger().Calls); n != 0 {
			t.Errorf("the provider was called %d times", n)
		}
		if r := b.daemons[0].send(t, http.MethodPost, path, `{"method":{"kind":"card"}}`, "Idempotency-Key", "p"); r.status != http.StatusOK {
			t.Errorf("with a method = %d %s", r.status, r.text)
		}
	})
}

// While the provider keeps us waiting no transaction is open, holds go on, and
// a buyer who gives up does not lose what was paid.
func TestPay_F8_slowProvider(t *testing.T) {
	t.Parallel()
	b := setupFor(t, 4*time.Second, pgtest.PerBuyer(0))
	id := b.hold(t, "u-1", 1)
	b.sim.SetBehaviour("", 0, simulated.Behaviour{Mode: simulated.ModeSucceed, Delay: 1500 * time.Millisecond, NoWebhook: true})
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan struct{})
	go func() {
		defer close(gaveUp)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.daemons[0].url+"/bookings/"+id.String()+"/pay", nil)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Idempotency-Key", "p-1")
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
			t.Errorf("answered %s before it was given up", resp.Status)
		}
	}()
	eventually(t, "the provider is asked", func() bool { return len(b.sim.Ledger().Payments) == 1 })
	// The count of open transactions is that of this test's database only.
	if n := b.count(t, `select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`); n != 0 {
		t.Errorf("%d transactions are open while the provider thinks", n)
	}
	began := time.Now()
	b.hold(t, "u-2", 1)
	if took := time.Since(began); took > time.Second {
		t.Errorf("a hold took %s meanwhile", took)
	}
	cancel()
	<-gaveUp
	eventually(t, "the booking is confirmed", func() bool { return b.State(t, id) == inventory.StateConfirmed })
}

func TestPay_withoutAProvider(t *testing.T) {
	t.Parallel()
	d := &double{}
	l := noProvider(t, d)
	for _, path := range []string{"/bookings/" + inventory.NewBookingID().String() + "/pay", "/payments/webhook", "/payments/webhook/simulated"} {
		if r := l.send(t, http.MethodPost, path, "", "Idempotency-Key", "p"); r.status != http.StatusNotFound {
			t.Errorf("POST %s = %d %s, want 404", path, r.status, r.text)
		}
	}
	if strings.Contains(l.send(t, http.MethodGet, "/healthz", "").text, "error") || d.calls.Load() != 0 {
		t.Error("something was asked of the store")
	}
}
