package simulated_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
)

func TestServer_refundElsewhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.create(t)
	b.shop.wait(t, 1)
	status, made := b.post(t, "/control/refund", "", `{"payment":"`+p.ID+`","amountMinor":1000,"reference":"desk-7"}`)
	if status != http.StatusOK || made["state"] != "succeeded" || made["reference"] != "desk-7" {
		t.Fatalf("refund elsewhere = %d %v", status, made)
	}
	b.shop.wait(t, 1)
	e := b.shop.last()
	if e.Kind != inventory.EventRefundSucceeded || e.ProviderPayment != p.ID || e.ProviderRefund != made["id"] || e.Reference != "desk-7" || e.Amount.Minor != 1000 {
		t.Errorf("event = %+v", e)
	}
	listed, err := b.provider.ListRefunds(t.Context(), p.ID)
	if err != nil || len(listed) != 1 || listed[0].Reference != "desk-7" {
		t.Errorf("ListRefunds = %+v, %v", listed, err)
	}
	if status, answer := b.post(t, "/control/refund", "", `{"payment":"`+p.ID+`","amountMinor":1501}`); status != http.StatusConflict {
		t.Errorf("more than is left = %d %v, want 409", status, answer)
	}
	if status, answer := b.post(t, "/control/refund", "", `{"payment":"`+p.ID+`","outcome":"pending"}`); status != http.StatusOK || answer["amountMinor"] != 1500.0 || answer["state"] != "pending" {
		t.Errorf("all that is left = %d %v", status, answer)
	}
	if status, answer := b.post(t, "/control/refund", "", `{"payment":"pay_none"}`); status != http.StatusNotFound {
		t.Errorf("unknown payment = %d %v, want 404", status, answer)
	}
}

func TestServer_dispute(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.create(t)
	b.shop.wait(t, 1)
	dispute := func(outcome string) int {
		status, _ := b.post(t, "/control/dispute", "", `{"payment":"`+p.ID+`","outcome":"`+outcome+`"}`)
		return status
	}
	if status := dispute("won"); status != http.StatusConflict {
		t.Errorf("won before it was opened = %d, want 409", status)
	}
	if status := dispute("opened"); status != http.StatusOK {
		t.Fatalf("opened = %d", status)
	}
	b.shop.wait(t, 1)
	if e := b.shop.last(); e.Kind != inventory.EventDisputeOpened || e.ProviderPayment != p.ID {
		t.Errorf("event = %+v", e)
	}
	refund := func() inventory.ProviderRefund {
		got, err := b.provider.Refund(t.Context(), refundOf(p, 2500))
		if err != nil {
			t.Fatalf("Refund = %v", err)
		}
		return got
	}
	if got := refund(); got.State != inventory.RefundFailed || got.Reason != "payment_disputed" {
		t.Errorf("refund of a disputed payment = %+v, want a failure", got)
	}
	if status := dispute("won"); status != http.StatusOK {
		t.Errorf("won = %d", status)
	}
	if got := refund(); got.State != inventory.RefundSucceeded {
		t.Errorf("refund after the dispute was won = %+v", got)
	}
}

func TestParseEvent_reasonOfAFailure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.control(t, `{"mode":"decline"}`)
	b.create(t)
	b.shop.wait(t, 1)
	if e := b.shop.last(); e.Kind != inventory.EventPaymentFailed || e.Reason != "card declined" {
		t.Errorf("event = %+v, want the provider's reason", e)
	}
}

// An authentic event of the other mode is kept and never applied.
func TestParseEvent_otherMode(t *testing.T) {
	t.Parallel()
	secret, err := signature.NewSecret("test-secret-A")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		event, configured bool
		problem           string
	}{
		"testOnTest": {false, false, ""},
		"liveOnLive": {true, true, ""},
		"liveOnTest": {true, false, "it is of live mode, and test mode is configured"},
		"testOnLive": {false, true, "it is of test mode, and live mode is configured"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, simulated.ProviderConfig{BaseURL: "http://127.0.0.1:1", Live: c.configured})
			body := `{"type":"payment.succeeded","id":"evt_1","created":1,"live":false,"data":{"payment":"pay_1","reference":"r","amountMinor":2500,"currency":"EUR"}}`
			if c.event {
				body = strings.Replace(body, `"live":false`, `"live":true`, 1)
			}
			h := http.Header{}
			if err := signature.NewSigner(secret).Sign(h, "msg_1", time.Now(), []byte(body)); err != nil {
				t.Fatal(err)
			}
			if e, err := p.ParseEvent(h, []byte(body)); err != nil || e.Problem != c.problem || e.Live != c.event {
				t.Errorf("ParseEvent = %+v, %v, want problem %q", e, err, c.problem)
			}
		})
	}
}

// A refund whose key the provider has forgotten is refused as too large, since
// it was made already: the answer is that refund, not a failure.
func TestProvider_refusedEchoOfAForgottenKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.create(t)
	b.control(t, `{"mode":"succeed","keyLifetimeMs":60000}`)
	task := refundOf(p, 2500)
	first, err := b.provider.Refund(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(time.Hour)
	again, err := b.provider.Refund(t.Context(), task)
	if err != nil || again.ID != first.ID || again.State != inventory.RefundSucceeded {
		t.Errorf("Refund past the key's life = %+v, %v; want the one that was made", again, err)
	}
}
