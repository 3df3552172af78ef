package simulated_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment"
	"holdfast/inventory/payment/simulated"
)

func TestServer_Modes(t *testing.T) {
	t.Parallel()

	t.Run("succeed", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		p := b.create(t)
		if p.State != inventory.PaymentSucceeded || p.Amount != price || p.ClientSecret == "" || p.URL == "" {
			t.Errorf("Create = %+v", p)
		}
		e := b.shop.wait(t, 1)[0]
		if e.Kind != inventory.EventPaymentSucceeded || e.ProviderPayment != p.ID || e.Reference != p.Reference || e.Amount != price || e.Live {
			t.Errorf("event = %+v", e)
		}
	})

	t.Run("decline", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"mode":"decline"}`)
		if p := b.create(t); p.State != inventory.PaymentFailed {
			t.Errorf("state = %s, want FAILED", p.State)
		}
		if e := b.shop.wait(t, 1)[0]; e.Kind != inventory.EventPaymentFailed {
			t.Errorf("event = %s", e.Kind)
		}
	})

	t.Run("pendingIsSettledLater", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"mode":"pending"}`)
		p := b.create(t)
		if p.State != inventory.PaymentPending {
			t.Errorf("state = %s, want PENDING", p.State)
		}
		b.shop.wait(t, 1)
		if status, answer := b.post(t, "/control/settle", "", `{"payment":"`+p.ID+`","outcome":"succeeded"}`); status != http.StatusOK {
			t.Fatalf("settle = %d %v", status, answer)
		}
		kinds := map[inventory.EventKind]int{}
		for _, e := range b.shop.wait(t, 1) {
			kinds[e.Kind]++
		}
		if kinds[inventory.EventPaymentProcessing] != 1 || kinds[inventory.EventPaymentSucceeded] != 1 {
			t.Errorf("events = %v", kinds)
		}
		if got, err := b.provider.Get(t.Context(), p.ID); err != nil || got.State != inventory.PaymentSucceeded {
			t.Errorf("Get = %+v, %v", got, err)
		}
		if status, _ := b.post(t, "/control/settle", "", `{"payment":"`+p.ID+`","outcome":"failed"}`); status != http.StatusConflict {
			t.Errorf("settling what is captured = %d, want 409", status)
		}
	})

	t.Run("timeoutAfterEffectPaysAndTheKeyAnswersLater", func(t *testing.T) {
		t.Parallel()
		b := setupFor(t, 300*time.Millisecond)
		a := attempt()
		b.control(t, `{"mode":"timeout_after_effect","reference":"`+a.ID.String()+`"}`)
		_, err := b.provider.Create(t.Context(), a)
		wantUnknown(t, "Create", err)
		if !strings.Contains(err.Error(), "took over 300ms") {
			t.Errorf("the error does not name the deadline: %v", err)
		}
		b.shop.wait(t, 1)
		found, err := b.provider.FindByReference(t.Context(), a.ID.String())
		if err != nil || len(found) != 1 || found[0].State != inventory.PaymentSucceeded {
			t.Fatalf("FindByReference = %+v, %v, want the captured payment", found, err)
		}
		b.eventually(t, "the key is free again", func() bool {
			again, err := b.provider.Create(t.Context(), a)
			return err == nil && again.ID == found[0].ID
		})
		if n := len(b.server.Ledger().Payments); n != 1 {
			t.Errorf("%d payments, want 1", n)
		}
	})

	t.Run("timeoutBeforeEffectDoesNothing", func(t *testing.T) {
		t.Parallel()
		b := setupFor(t, 300*time.Millisecond)
		a := attempt()
		b.control(t, `{"mode":"timeout_before_effect","calls":1}`)
		_, err := b.provider.Create(t.Context(), a)
		wantUnknown(t, "Create", err)
		if found, err := b.provider.FindByReference(t.Context(), a.ID.String()); err != nil || len(found) != 0 {
			t.Errorf("FindByReference = %+v, %v, want none", found, err)
		}
		if _, err := b.provider.Create(t.Context(), a); err != nil {
			t.Errorf("the call after it: %v", err)
		}
		calls := b.server.Ledger().Calls
		if calls[0].Answer != 0 || calls[0].Key != a.ProviderKey || calls[len(calls)-1].Answer != http.StatusCreated {
			t.Errorf("calls = %+v", calls)
		}
	})

	t.Run("error500DoesNothing", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"mode":"error500"}`)
		_, err := b.provider.Create(t.Context(), attempt())
		wantUnknown(t, "Create", err)
		_, err = b.provider.FindByReference(t.Context(), "x")
		wantUnknown(t, "FindByReference", err)
		if l := b.server.Ledger(); len(l.Payments) != 0 || l.Calls[0].Answer != http.StatusInternalServerError {
			t.Errorf("ledger = %+v", l)
		}
	})

	t.Run("slowAnswersInTheEnd", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"mode":"slow","delayMs":400}`)
		began := time.Now()
		if p := b.create(t); p.State != inventory.PaymentSucceeded || time.Since(began) < 300*time.Millisecond {
			t.Errorf("Create = %s after %s", p.State, time.Since(began))
		}
	})

	t.Run("slowerThanTheDeadlineIsUnknown", func(t *testing.T) {
		t.Parallel()
		b := setupFor(t, 200*time.Millisecond)
		b.control(t, `{"mode":"slow","delayMs":60000}`)
		_, err := b.provider.Create(t.Context(), attempt())
		wantUnknown(t, "Create", err)
		_, err = b.provider.Get(t.Context(), b.server.Ledger().Payments[0].ID)
		wantUnknown(t, "Get", err)
	})

	t.Run("delayedAnswer", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"mode":"succeed","delayMs":250}`)
		began := time.Now()
		b.create(t)
		if d := time.Since(began); d < 250*time.Millisecond {
			t.Errorf("answered after %s", d)
		}
	})
}

func TestServer_Webhooks(t *testing.T) {
	t.Parallel()

	t.Run("beforeTheAnswer", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"webhookBeforeAnswer":true,"webhookTimes":3}`)
		b.create(t)
		if n := b.shop.count(); n != 3 {
			t.Errorf("%d webhooks arrived before the answer, want 3", n)
		}
	})

	t.Run("late", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"webhookDelayMs":300}`)
		began := time.Now()
		b.create(t)
		b.shop.wait(t, 1)
		if d := time.Since(began); d < 300*time.Millisecond {
			t.Errorf("arrived after %s", d)
		}
	})

	t.Run("twentyAtOnceAreOneEvent", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"webhookTimes":20}`)
		b.create(t)
		ids := map[string]bool{}
		for _, e := range b.shop.wait(t, 20) {
			ids[e.ID] = true
		}
		if len(ids) != 1 {
			t.Errorf("%d event ids, want 1", len(ids))
		}
	})

	t.Run("lostAndDeliveredByHand", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"webhookTimes":0}`)
		b.create(t)
		events := b.server.Ledger().Events
		if len(events) != 1 || len(events[0].Deliveries) != 0 {
			t.Fatalf("events = %+v", events)
		}
		status, answer := b.post(t, "/control/deliver", "", `{"event":"`+events[0].ID+`","times":2}`)
		if status != http.StatusOK || len(answer["statuses"].([]any)) != 2 || b.shop.count() != 2 {
			t.Errorf("deliver = %d %v, %d arrived", status, answer, b.shop.count())
		}
		if got := b.server.Ledger().Events[0].Deliveries; len(got) != 2 || got[0].Status != http.StatusNoContent {
			t.Errorf("deliveries = %+v", got)
		}
		if status, _ := b.post(t, "/control/deliver", "", `{"event":"evt_none"}`); status != http.StatusNotFound {
			t.Errorf("unknown event = %d", status)
		}
	})

	t.Run("refusedIsTriedAgain", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.shop.refuse = 2
		b.create(t)
		b.shop.wait(t, 1)
		b.eventually(t, "three deliveries", func() bool { return len(b.server.Ledger().Events[0].Deliveries) == 3 })
	})

	t.Run("signedAnewAtEachDelivery", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.create(t)
		b.shop.wait(t, 1)
		b.clock.Advance(time.Hour)
		if _, err := b.server.Deliver(b.server.Ledger().Events[0].ID, 1); err != nil {
			t.Fatal(err)
		}
		b.shop.wait(t, 1)
	})
}

func TestServer_Keys(t *testing.T) {
	t.Parallel()
	const body = `{"reference":"r-1","amountMinor":2500,"currency":"EUR"}`

	t.Run("sameKeySameAnswer", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		status, first := b.post(t, "/v1/payments", "k-1", body)
		_, second := b.post(t, "/v1/payments", "k-1", body)
		if status != http.StatusCreated || first["id"] != second["id"] || len(b.server.Ledger().Payments) != 1 {
			t.Errorf("%d: %v, then %v", status, first, second)
		}
	})

	t.Run("atOnceIsOnePayment", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"delayMs":100}`)
		var wg sync.WaitGroup
		a := attempt()
		for range 20 {
			wg.Go(func() {
				if _, err := b.provider.Create(t.Context(), a); err != nil && !payment.Unknown(err) {
					t.Errorf("Create = %v", err)
				}
			})
		}
		wg.Wait()
		if n := len(b.server.Ledger().Payments); n != 1 {
			t.Errorf("%d payments, want 1", n)
		}
	})

	t.Run("otherBodyIsRefused", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.post(t, "/v1/payments", "k-1", body)
		status, answer := b.post(t, "/v1/payments", "k-1", strings.Replace(body, "2500", "2600", 1))
		if status != http.StatusUnprocessableEntity || answer["code"] != "idempotency_error" {
			t.Errorf("= %d %v", status, answer)
		}
	})

	t.Run("missing", func(t *testing.T) {
		t.Parallel()
		if status, _ := setup(t).post(t, "/v1/payments", "", body); status != http.StatusBadRequest {
			t.Errorf("= %d, want 400", status)
		}
	})

	t.Run("pastItsLifeItPaysTwice", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.control(t, `{"keyLifetimeMs":60000}`)
		a := attempt()
		for range 2 {
			if _, err := b.provider.Create(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(b.server.Ledger().Payments); n != 1 {
			t.Errorf("%d payments within the key's life, want 1", n)
		}
		b.clock.Advance(time.Minute)
		if _, err := b.provider.Create(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		found, err := b.provider.FindByReference(t.Context(), a.ID.String())
		if err != nil || len(found) != 2 {
			t.Errorf("FindByReference = %d payments, %v, want 2", len(found), err)
		}
	})

	t.Run("aBadRequestIsNotRemembered", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		task := refundOf(inventory.ProviderPayment{ID: "pay_none", Amount: price}, 2500)
		if _, err := b.provider.Refund(t.Context(), task); !errors.Is(err, inventory.ErrNotFound) {
			t.Errorf("Refund = %v, want ErrNotFound", err)
		}
		task.ProviderPayment = b.create(t).ID
		if _, err := b.provider.Refund(t.Context(), task); err != nil {
			t.Errorf("Refund = %v", err)
		}
	})
}

func TestServer_Control_refuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for body, field := range map[string]string{
		`{"mode":"explode"}`:                  "mode",
		`{"delayMs":-1}`:                      "delayMs",
		`{"delayMs":"5"}`:                     "delayMs",
		`{"webhookTimes":1001}`:               "webhookTimes",
		`{"unknown":1}`:                       "unknown",
		`{"mode":"succeed","mode":"decline"}`: "mode",
		`{} {}`:                               "body",
	} {
		status, answer := b.post(t, "/control", "", body)
		if message, _ := answer["message"].(string); status != http.StatusBadRequest || !strings.HasPrefix(message, field+":") {
			t.Errorf("%s = %d %v, want 400 naming %s", body, status, answer, field)
		}
	}
	if p := b.create(t); p.State != inventory.PaymentSucceeded {
		t.Errorf("a refused control had an effect: %s", p.State)
	}
}

func TestServer_SetBehaviour_scope(t *testing.T) {
	t.Parallel()
	b := setup(t)
	special := attempt()
	b.server.SetBehaviour(special.ID.String(), 0, simulated.Behaviour{Mode: simulated.ModePending})
	b.server.SetBehaviour("", 2, simulated.Behaviour{Mode: simulated.ModeDecline})
	if p, err := b.provider.Create(t.Context(), special); err != nil || p.State != inventory.PaymentPending {
		t.Errorf("by reference: %s, %v", p.State, err)
	}
	for i, want := range []inventory.PaymentState{inventory.PaymentFailed, inventory.PaymentFailed, inventory.PaymentSucceeded} {
		if p := b.create(t); p.State != want {
			t.Errorf("call %d = %s, want %s", i+1, p.State, want)
		}
	}
}

// eventually waits for a state of the other side that nothing announces.
func (b bundle) eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !is() {
		select {
		case <-deadline:
			t.Fatalf("waited too long for: %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
