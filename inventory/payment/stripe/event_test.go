package stripe_test

import (
	"errors"
	"strings"
	"testing"

	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/stripe"
	"holdfast/timezone"
)

const (
	ourPayment = "01987c1e-7d00-7000-8000-0000000000aa"
	ourRefund  = "01987c1e-7d00-7000-8000-0000000000ef"
	theirs     = "pi_3R0aXyB7WZ01zgkW1mZlT0Qe"
)

func eur(minor inventory.Minor) inventory.Money {
	return inventory.Money{Minor: minor, Currency: "EUR"}
}

func parse(t *testing.T, p *stripe.Provider, body string) (inventory.ProviderEvent, error) {
	t.Helper()
	e, err := p.ParseEvent(signed(now, body, testSecret), []byte(body))
	if errors.Is(err, signature.ErrNotAuthentic) {
		t.Fatalf("ParseEvent = %v", err)
	}
	if err == nil && string(e.Body) != body {
		t.Errorf("the body was not kept as received")
	}
	e.Body = nil
	return e, err
}

func TestProvider_ParseEvent_recorded(t *testing.T) {
	t.Parallel()
	p := open(t, nil).provider(t)
	succeeded := recorded(t, "payment_intent.succeeded")
	failed := recorded(t, "payment_intent.payment_failed")
	refundFailed := recorded(t, "refund.failed")
	dashboard := recorded(t, "refund.created.dashboard")
	dispute := recorded(t, "charge.dispute.created")
	swap := func(body, old, replacement string) string {
		if !strings.Contains(body, old) {
			t.Fatalf("%q is not in the body", old)
		}
		return strings.ReplaceAll(body, old, replacement)
	}
	because := func(e inventory.ProviderEvent, reason string) inventory.ProviderEvent {
		e.Reason = reason
		return e
	}
	about := func(id string, kind inventory.EventKind, amount inventory.Money) inventory.ProviderEvent {
		return inventory.ProviderEvent{Provider: "stripe", ID: id, Kind: kind, ProviderPayment: theirs, Reference: ourPayment, Amount: amount}
	}
	refundEvent := func(kind inventory.EventKind) inventory.ProviderEvent {
		e := about("evt_3R0aXyB7WZ01zgkW1Tj5Lw9d", kind, eur(1000))
		e.ProviderRefund, e.Reference = "re_3R0aXyB7WZ01zgkW1bQ0xw4T", ourRefund
		return e
	}
	external := about("evt_3R0aXyB7WZ01zgkW1Cw6Hq8e", inventory.EventRefundSucceeded, eur(700))
	external.ProviderRefund, external.Reference = "re_3R0aXyB7WZ01zgkW1Zp9dK2u", ""
	disputed := func(kind inventory.EventKind) inventory.ProviderEvent {
		e := about("evt_1R2cCyB7WZ01zgkWhDs4Fb6m", kind, eur(2500))
		e.Reference, e.Reason = "", "fraudulent"
		return e
	}
	unmatched := about("evt_3R0aXyB7WZ01zgkW1Qk7Vb2s", inventory.EventPaymentSucceeded, eur(2500))
	unmatched.Reference = ""

	for name, c := range map[string]struct {
		body string
		want inventory.ProviderEvent
	}{
		"succeeded":         {succeeded, about("evt_3R0aXyB7WZ01zgkW1Qk7Vb2s", inventory.EventPaymentSucceeded, eur(2500))},
		"capturedOneCent":   {swap(succeeded, `"amount_received": 2500`, `"amount_received": 1`), about("evt_3R0aXyB7WZ01zgkW1Qk7Vb2s", inventory.EventPaymentSucceeded, eur(1))},
		"otherCurrency":     {swap(succeeded, `"eur"`, `"jpy"`), about("evt_3R0aXyB7WZ01zgkW1Qk7Vb2s", inventory.EventPaymentSucceeded, inventory.Money{Minor: 2500, Currency: "JPY"})},
		"withoutMetadata":   {swap(succeeded, "holdfast_reference", "order"), unmatched},
		"referenceWithEsc":  {swap(succeeded, ourPayment, `\u001b]52;c;`), unmatched},
		"paymentFailed":     {failed, because(about("evt_3R0aXyB7WZ01zgkW1NfRt1Yh", inventory.EventPaymentFailed, eur(2500)), "insufficient_funds")},
		"processing":        {swap(failed, "payment_intent.payment_failed", "payment_intent.processing"), about("evt_3R0aXyB7WZ01zgkW1NfRt1Yh", inventory.EventPaymentProcessing, eur(2500))},
		"canceled":          {swap(failed, "payment_intent.payment_failed", "payment_intent.canceled"), about("evt_3R0aXyB7WZ01zgkW1NfRt1Yh", inventory.EventPaymentCancelled, eur(2500))},
		"refundFailed":      {refundFailed, because(refundEvent(inventory.EventRefundFailed), "lost_or_stolen_card")},
		"refundCanceled":    {swap(refundFailed, `"failed"`, `"canceled"`), because(refundEvent(inventory.EventRefundFailed), "canceled at Stripe")},
		"refundUpdated":     {swap(swap(refundFailed, `"failed"`, `"succeeded"`), "refund.failed", "refund.updated"), refundEvent(inventory.EventRefundSucceeded)},
		"reasonWithNUL":     {swap(refundFailed, "lost_or_stolen_card", `a\u0000b`), because(refundEvent(inventory.EventRefundFailed), "a\uFFFDb")},
		"refundPending":     {swap(refundFailed, `"failed"`, `"pending"`), refundEvent(inventory.EventRefundPending)},
		"refundNeedsBuyer":  {swap(refundFailed, `"failed"`, `"requires_action"`), refundEvent(inventory.EventRefundPending)},
		"refundByOldName":   {swap(refundFailed, `"type": "refund.failed"`, `"type": "charge.refund.updated"`), because(refundEvent(inventory.EventRefundFailed), "lost_or_stolen_card")},
		"refundInDashboard": {dashboard, external},
		"disputeOpened":     {dispute, disputed(inventory.EventDisputeOpened)},
		"disputeReviewed":   {swap(dispute, "needs_response", "under_review"), disputed(inventory.EventDisputeOpened)},
		"inquiry":           {swap(dispute, "needs_response", "warning_needs_response"), disputed(inventory.EventDisputeOpened)},
		"inquiryClosed":     {swap(dispute, "needs_response", "warning_closed"), disputed(inventory.EventDisputeWon)},
		"disputeWon":        {swap(swap(dispute, "needs_response", "won"), "dispute.created", "dispute.closed"), disputed(inventory.EventDisputeWon)},
		"disputeLost":       {swap(swap(dispute, "needs_response", "lost"), "dispute.created", "dispute.closed"), disputed(inventory.EventDisputeLost)},
		"disputePrevented":  {swap(dispute, "needs_response", "prevented"), disputed(inventory.EventDisputeLost)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(t, p, c.body)
			c.want.Body = nil
			if err != nil || !same(got, c.want) {
				t.Errorf("ParseEvent =\n%+v, %v; want\n%+v", got, err, c.want)
			}
		})
	}
}

func same(a, b inventory.ProviderEvent) bool {
	return a.Provider == b.Provider && a.ID == b.ID && a.Kind == b.Kind && a.Live == b.Live && a.ProviderPayment == b.ProviderPayment &&
		a.ProviderRefund == b.ProviderRefund && a.Reason == b.Reason && a.Reference == b.Reference && a.Amount == b.Amount && a.Problem == b.Problem
}

func TestProvider_ParseEvent_chargeRefunded(t *testing.T) {
	t.Parallel()
	p := open(t, nil).provider(t)
	body := recorded(t, "charge.refunded")

	t.Run("elsewhereIsKeptWithItsAmount", func(t *testing.T) {
		t.Parallel()
		e, err := parse(t, p, body)
		if err != nil || e.Kind != inventory.EventRefundSucceeded || e.Amount != eur(700) || e.ProviderPayment != theirs ||
			e.Reference != "" || e.ProviderRefund != "" || !strings.Contains(e.Problem, "refund.created") {
			t.Errorf("ParseEvent = %+v, %v", e, err)
		}
	})
	t.Run("ourOwnCallIsToldByRefundCreated", func(t *testing.T) {
		t.Parallel()
		own := strings.ReplaceAll(body, "2f1e0a4e-9a0c-4b7e-8f6d-1f2e3d4c5b6a", inventory.NewRefundID().String())
		if e, err := parse(t, p, own); err != nil || e.Kind != "" || e.ID == "" {
			t.Errorf("ParseEvent = %+v, %v; want an event that is none of our business", e, err)
		}
	})
	t.Run("oldVersionsListTheRefund", func(t *testing.T) {
		t.Parallel()
		old := strings.Replace(body, `"refunded": false,`, `"refunded": false, "refunds": {"data": [
			{"id": "re_new", "amount": 700, "currency": "eur", "status": "pending", "metadata": {}},
			{"id": "re_old", "amount": 1000, "currency": "eur", "status": "succeeded", "metadata": {}}]},`, 1)
		e, err := parse(t, p, old)
		if err != nil || e.Kind != inventory.EventRefundPending || e.ProviderRefund != "re_new" || e.Amount != eur(700) ||
			e.ProviderPayment != theirs || e.Problem != "" {
			t.Errorf("ParseEvent = %+v, %v", e, err)
		}
	})
	t.Run("requestIsABareIDInOldVersions", func(t *testing.T) {
		t.Parallel()
		old := strings.Replace(body, `{"id": "req_dashboard", "idempotency_key": "2f1e0a4e-9a0c-4b7e-8f6d-1f2e3d4c5b6a"}`, `"req_dashboard"`, 1)
		if e, err := parse(t, p, old); err != nil || e.Kind == "" {
			t.Errorf("ParseEvent = %+v, %v", e, err)
		}
	})
}

func TestProvider_ParseEvent_problems(t *testing.T) {
	t.Parallel()
	body := recorded(t, "payment_intent.succeeded")
	test := open(t, nil).provider(t)
	live := provider(t, stripe.ProviderConfig{
		Key: apiKey(t, "rk_live_4eC39HqLyjWDarjtT1zdp7dc"), Live: true, Secrets: []stripe.Secret{secret(t, testSecret)},
		Clock: timezone.FixedClock(now),
	})
	for name, c := range map[string]struct {
		provider *stripe.Provider
		body     string
		problem  string
	}{
		"testOnLive": {live, body, "it is of test mode, and live mode is configured"},
		"liveOnTest": {test, strings.ReplaceAll(body, `"livemode": false`, `"livemode": true`), "it is of live mode, and test mode is configured"},
		"connected":  {test, strings.Replace(body, `"object": "event"`, `"object": "event", "account": "acct_1"`, 1), "it is of a connected account, not of ours"},
		"notOurUnit": {test, strings.Replace(body, `"eur"`, `"isk"`, 1), ""},
		"fraction":   {test, strings.NewReplacer(`"eur"`, `"isk"`, `2500`, `2550`).Replace(body), "2550 ISK: has a fraction that Stripe and ISO 4217 do not share"},
		"newState": {
			test, strings.NewReplacer(`"failed"`, `"melted\u001b"`, `refund.failed`, `refund.updated`).Replace(recorded(t, "refund.failed")),
			`"melted\x1b" is not a state of a refund that we know`,
		},
		"newDispute": {
			test, strings.Replace(recorded(t, "charge.dispute.created"), "needs_response", "melted", 1),
			`"melted" is not a state of a dispute that we know`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := parse(t, c.provider, c.body)
			if err != nil || e.Problem != c.problem || e.Kind == "" || e.ProviderPayment != theirs {
				t.Errorf("ParseEvent = %+v, %v; want it kept with problem %q", e, err, c.problem)
			}
		})
	}
}

func TestProvider_ParseEvent_unreadable(t *testing.T) {
	t.Parallel()
	p := open(t, nil).provider(t)
	body := recorded(t, "payment_intent.succeeded")
	for name, c := range map[string]struct{ old, replacement, field string }{
		"noEventID":         {`"id": "evt_3R0aXyB7WZ01zgkW1Qk7Vb2s",`, ``, "id"},
		"controlInEventID":  {"evt_3R0aXyB7WZ01zgkW1Qk7Vb2s", `evt\u001b`, "id"},
		"noObject":          {`"object": {`, `"thing": {`, "data.object"},
		"amountIsText":      {`"amount_received": 2500`, `"amount_received": "2500"`, "data.object.amount_received"},
		"amountIsAFraction": {`"amount_received": 2500`, `"amount_received": 2500.5`, "data.object.amount_received"},
		"nothingReceived":   {`"amount_received": 2500`, `"amount_received": 0`, "data.object.amount_received"},
		"negative":          {`"amount_received": 2500`, `"amount_received": -2500`, "data.object.amount_received"},
		"doubledAmount":     {`"amount_received": 2500`, `"amount_received": 1, "amount_received": 2500`, "data.object.amount_received"},
		"otherCase":         {`"amount_received": 2500`, `"Amount_Received": 2500`, "data.object.amount_received"},
		"noCurrency":        {`"currency": "eur",`, ``, "currency"},
		"noPaymentID":       {`"id": "pi_3R0aXyB7WZ01zgkW1mZlT0Qe",`, ``, "data.object.id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(body, c.old, c.replacement, 1)
			if changed == body {
				t.Fatal("nothing was changed")
			}
			_, err := parse(t, p, changed)
			fields := inventory.FieldErrors(err)
			if len(fields) == 0 || fields[0].Field != c.field {
				t.Errorf("ParseEvent = %v, want a FieldError for %s", err, c.field)
			}
		})
	}
}

func TestProvider_ParseEvent_noneOfOurBusiness(t *testing.T) {
	t.Parallel()
	p := open(t, nil).provider(t)
	succeeded, refund := recorded(t, "payment_intent.succeeded"), recorded(t, "refund.failed")
	for name, body := range map[string]string{
		"otherType":            strings.Replace(succeeded, "payment_intent.succeeded", "invoice.paid", 1),
		"intentCreated":        strings.Replace(succeeded, "payment_intent.succeeded", "payment_intent.created", 1),
		"thinEvent":            `{"id":"evt_1","object":"v2.core.event","type":"v1.billing.meter.error_report_triggered","livemode":false,"related_object":null}`,
		"refundWithoutIntent":  strings.Replace(refund, `"pi_3R0aXyB7WZ01zgkW1mZlT0Qe"`, "null", 1),
		"otherTypeOtherMode":   `{"id":"evt_1","type":"customer.created","livemode":true}`,
		"disputeWithoutIntent": strings.Replace(recorded(t, "charge.dispute.created"), `"pi_3R0aXyB7WZ01zgkW1mZlT0Qe"`, "null", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, err := parse(t, p, body); err != nil || e.Kind != "" || e.Problem != "" || e.ID == "" {
				t.Errorf("ParseEvent = %+v, %v; want an event without a kind", e, err)
			}
		})
	}
}
