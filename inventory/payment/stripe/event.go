package stripe

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	stripego "github.com/stripe/stripe-go/v82"

	"holdfast/inventory"
)

// ParseEvent verifies body, which must be the bytes as received, and says what
// it means. It fails with signature.ErrNotAuthentic for what Stripe did not
// sign, and with inventory.FieldError for what it signed but we cannot read. An
// event of a type that does not concern us comes back without a Kind; one that
// must not be applied, such as one of test mode in live mode, with a Problem.
func (p *Provider) ParseEvent(h http.Header, body []byte) (inventory.ProviderEvent, error) {
	if err := p.verifier.verify(h, body); err != nil {
		return inventory.ProviderEvent{}, fmt.Errorf("event of %s: %w", Name, err)
	}
	event, err := p.read(body)
	if err != nil {
		return event, fmt.Errorf("event of %s: %w", Name, err)
	}
	return event, nil
}

func (p *Provider) read(body []byte) (inventory.ProviderEvent, error) {
	var e envelope
	if err := decode(body, &e); err != nil {
		return inventory.ProviderEvent{}, err
	}
	event := inventory.ProviderEvent{Provider: Name, ID: e.ID, Live: e.Livemode, Body: body}
	if err := inventory.CheckText("id", e.ID, 255); err != nil {
		return event, err
	}
	if err := translate(e, &event); err != nil || event.Kind == "" {
		return event, err
	}
	switch {
	case e.Livemode != p.live:
		event.Problem = fmt.Sprintf("it is of %s mode, and %s mode is configured", mode(e.Livemode), mode(p.live))
	case e.Account != "":
		event.Problem = "it is of a connected account, not of ours"
	}
	return event, nil
}

// translate fills in what the event is about, by its type.
func translate(e envelope, event *inventory.ProviderEvent) error {
	switch e.Type {
	case stripego.EventTypePaymentIntentSucceeded:
		return fromIntent(e, event, inventory.EventPaymentSucceeded)
	case stripego.EventTypePaymentIntentPaymentFailed:
		return fromIntent(e, event, inventory.EventPaymentFailed)
	case stripego.EventTypePaymentIntentProcessing:
		return fromIntent(e, event, inventory.EventPaymentProcessing)
	case stripego.EventTypePaymentIntentCanceled:
		return fromIntent(e, event, inventory.EventPaymentCancelled)
	case stripego.EventTypeRefundCreated, stripego.EventTypeRefundUpdated, stripego.EventTypeRefundFailed,
		stripego.EventTypeChargeRefundUpdated: // the older name of the same
		return fromRefund(e, event)
	case stripego.EventTypeChargeRefunded:
		return fromCharge(e, event)
	case stripego.EventTypeChargeDisputeCreated, stripego.EventTypeChargeDisputeUpdated, stripego.EventTypeChargeDisputeClosed,
		stripego.EventTypeChargeDisputeFundsWithdrawn, stripego.EventTypeChargeDisputeFundsReinstated:
		return fromDispute(e, event)
	default:
		return nil
	}
}

func fromIntent(e envelope, event *inventory.ProviderEvent, kind inventory.EventKind) error {
	var o intentObject
	if err := e.object(&o); err != nil {
		return err
	}
	amount := o.Amount
	if kind == inventory.EventPaymentSucceeded {
		amount = o.AmountReceived
		if amount <= 0 {
			return inventory.Invalid("data.object.amount_received", "must be above 0")
		}
	}
	if kind == inventory.EventPaymentFailed {
		event.Reason = cut(cmp.Or(o.LastError.DeclineCode, o.LastError.Code))
	}
	event.Kind, event.ProviderPayment, event.Reference = kind, o.ID, reference(o.Metadata)
	return errors.Join(checkID("data.object.id", o.ID), worth(event, amount, o.Currency))
}

// fromRefund goes by the refund's own state: refund.updated may say anything.
func fromRefund(e envelope, event *inventory.ProviderEvent) error {
	var o refundObject
	if err := e.object(&o); err != nil {
		return err
	}
	return describeRefund(o, event)
}

func describeRefund(o refundObject, event *inventory.ProviderEvent) error {
	if o.PaymentIntent == "" {
		return nil // of a charge without a PaymentIntent, which was never ours
	}
	state, ok := refundState(o.Status)
	if !ok {
		event.Problem = fmt.Sprintf("%q is not a state of a refund that we know", cut(string(o.Status)))
		state = inventory.RefundPending
	}
	switch state {
	case inventory.RefundSucceeded:
		event.Kind = inventory.EventRefundSucceeded
	case inventory.RefundFailed:
		event.Kind, event.Reason = inventory.EventRefundFailed, refundReason(o.Status, o.FailureReason)
	case inventory.RefundPending, inventory.RefundRequested:
		event.Kind = inventory.EventRefundPending
	}
	event.ProviderPayment, event.ProviderRefund, event.Reference = o.PaymentIntent, o.ID, reference(o.Metadata)
	return errors.Join(checkID("data.object.id", o.ID), checkID("data.object.payment_intent", o.PaymentIntent),
		worth(event, o.Amount, o.Currency))
}

// fromCharge reads charge.refunded. What our own call caused is told by
// refund.created with all that is needed. What somebody else did is a refund if
// the charge lists them, as it does in old API versions, newest first; else only
// its amount is known.
func fromCharge(e envelope, event *inventory.ProviderEvent) error {
	if _, ours := bornAt(e.Request.IdempotencyKey); ours { // the dashboard's keys are UUIDs too, but random ones
		return nil
	}
	var o, before chargeObject
	if err := e.object(&o); err != nil {
		return err
	}
	if e.Data.Previous.Kind() == '{' {
		if err := decodeAt("data.previous_attributes.", e.Data.Previous, &before); err != nil {
			return err
		}
	}
	switch {
	case o.PaymentIntent == "":
		return nil
	case len(o.Refunds.Data) > 0:
		newest := o.Refunds.Data[0]
		newest.PaymentIntent = o.PaymentIntent
		return describeRefund(newest, event)
	}
	event.Kind, event.ProviderPayment = inventory.EventRefundSucceeded, o.PaymentIntent
	event.Problem = "it does not say which refund this was: subscribe the endpoint to refund.created, refund.updated and refund.failed"
	return errors.Join(checkID("data.object.payment_intent", o.PaymentIntent),
		worth(event, o.AmountRefunded-before.AmountRefunded, o.Currency))
}

// fromDispute goes by the dispute's own state, as do refunds.
func fromDispute(e envelope, event *inventory.ProviderEvent) error {
	var o disputeObject
	if err := e.object(&o); err != nil || o.PaymentIntent == "" {
		return err
	}
	switch o.Status {
	case stripego.DisputeStatusNeedsResponse, stripego.DisputeStatusUnderReview,
		stripego.DisputeStatusWarningNeedsResponse, stripego.DisputeStatusWarningUnderReview:
		event.Kind = inventory.EventDisputeOpened
	case stripego.DisputeStatusWon, stripego.DisputeStatusWarningClosed: // an inquiry that came to nothing
		event.Kind = inventory.EventDisputeWon
	case stripego.DisputeStatusLost, stripego.DisputeStatusPrevented: // either way the payer has the money back
		event.Kind = inventory.EventDisputeLost
	default:
		event.Kind = inventory.EventDisputeOpened
		event.Problem = fmt.Sprintf("%q is not a state of a dispute that we know", cut(string(o.Status)))
	}
	event.ProviderPayment, event.Reason = o.PaymentIntent, cut(o.Reason)
	return errors.Join(checkID("data.object.payment_intent", o.PaymentIntent), worth(event, o.Amount, o.Currency))
}

// worth sets the amount. One that is a number and not expressible here is a
// Problem rather than an error: the event is kept, and somebody looks.
func worth(event *inventory.ProviderEvent, amount int64, currency string) error {
	if amount < 0 {
		return inventory.Invalid("data.object.amount", "must not be negative")
	}
	m, err := money(amount, currency)
	if len(inventory.FieldErrors(err)) > 0 {
		return err
	}
	if err != nil {
		event.Problem = err.Error()
	}
	event.Amount = m
	return nil
}

func checkID(field, id string) error { return inventory.CheckText(field, id, 255) }
