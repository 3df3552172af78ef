package stripe

import (
	"context"
	"fmt"
	"strings"

	stripego "github.com/stripe/stripe-go/v82"

	"holdfast/inventory"
	"holdfast/inventory/payment"
)

// Create makes the PaymentIntent of one attempt, for the buyer's browser to
// confirm: reference is our payment id, and the attempt's key makes it safe to
// repeat within KeyLifetime. An amount that Stripe cannot express is
// payment.ErrRefused, and nothing is sent.
func (p *Provider) Create(ctx context.Context, attempt inventory.Payment) (inventory.ProviderPayment, error) {
	const name = "create payment"
	amount, err := units(attempt.Amount)
	if err != nil {
		return inventory.ProviderPayment{}, fmt.Errorf("%s: %w: %w", name, payment.ErrRefused, err)
	}
	if attempt.ProviderKey == "" { // stripe-go would make one up, and the next try another
		return inventory.ProviderPayment{}, fmt.Errorf("%s: %w: it has no key", name, payment.ErrRefused)
	}
	// Everything here comes from columns that never change: a repetition must be
	// the same request.
	reference := attempt.ID.String()
	params := &stripego.PaymentIntentCreateParams{
		Amount:                  &amount,
		Currency:                stripego.String(lower(attempt.Amount.Currency)),
		AutomaticPaymentMethods: &stripego.PaymentIntentCreateAutomaticPaymentMethodsParams{Enabled: stripego.Bool(true)},
		Metadata:                map[string]string{MetadataReference: reference, metadataBooking: attempt.BookingID.String()},
	}
	params.SetIdempotencyKey(attempt.ProviderKey)

	var got *stripego.PaymentIntent
	err = p.call(ctx, name, func(ctx context.Context) (err error) {
		got, err = p.api.V1PaymentIntents.Create(ctx, params)
		return err
	})
	if err != nil {
		return inventory.ProviderPayment{}, err
	}
	known, err := p.payment(got)
	if err != nil {
		return inventory.ProviderPayment{}, fmt.Errorf("%s: %w", name, err)
	}
	if asked, err := money(got.Amount, string(got.Currency)); err != nil || asked != attempt.Amount || known.Reference != reference {
		return inventory.ProviderPayment{}, fmt.Errorf("%s %s of %s: %w: it is over %d %q for %q",
			name, reference, attempt.Amount, payment.ErrWrongAnswer, got.Amount, cut(string(got.Currency)), known.Reference)
	}
	return known, nil
}

// Get asks how a payment stands, by the provider's id; inventory.ErrNotFound if
// Stripe has no such PaymentIntent.
func (p *Provider) Get(ctx context.Context, id string) (inventory.ProviderPayment, error) {
	return p.about(ctx, "get payment", id, func(ctx context.Context) (*stripego.PaymentIntent, error) {
		return p.api.V1PaymentIntents.Retrieve(ctx, id, nil)
	})
}

// Cancel ends a payment that is still open and returns how it stands now. If
// the money was captured meanwhile, or the bank has it in hand and will not be
// stopped, that is what it returns, without an error.
func (p *Provider) Cancel(ctx context.Context, id string) (inventory.ProviderPayment, error) {
	got, err := p.about(ctx, "cancel payment", id, func(ctx context.Context) (*stripego.PaymentIntent, error) {
		// Cancelling twice is harmless, and a refusal under a fixed key would be
		// repeated for a day: stripe-go's random key is right.
		return p.api.V1PaymentIntents.Cancel(ctx, id, nil)
	})
	if r, ok := refusalOf(err); ok && r.code == stripego.ErrorCodePaymentIntentUnexpectedState {
		return p.Get(ctx, id)
	}
	return got, err
}

// about makes a call about the PaymentIntent id.
func (p *Provider) about(ctx context.Context, name, id string, ask func(context.Context) (*stripego.PaymentIntent, error)) (inventory.ProviderPayment, error) {
	if !strings.HasPrefix(id, intentPrefix) || !printable(id) { // an empty id would ask for the list of all
		return inventory.ProviderPayment{}, fmt.Errorf("%s %q: %w", name, cut(id), inventory.ErrNotFound)
	}
	var got *stripego.PaymentIntent
	err := p.call(ctx, name, func(ctx context.Context) (err error) {
		got, err = ask(ctx)
		return err
	})
	if err != nil {
		return inventory.ProviderPayment{}, err
	}
	if got.ID != id {
		return inventory.ProviderPayment{}, fmt.Errorf("%s %s: %w: it is about %q", name, id, payment.ErrWrongAnswer, cut(got.ID))
	}
	known, err := p.payment(got)
	if err != nil {
		return inventory.ProviderPayment{}, fmt.Errorf("%s %s: %w", name, id, err)
	}
	return known, nil
}

const intentPrefix = "pi_"

// paymentState translates Stripe's words; ok is false for one that is not known.
func paymentState(s stripego.PaymentIntentStatus) (state inventory.PaymentState, ok bool) {
	switch s {
	case stripego.PaymentIntentStatusSucceeded:
		return inventory.PaymentSucceeded, true
	case stripego.PaymentIntentStatusCanceled:
		return inventory.PaymentCancelled, true
	case stripego.PaymentIntentStatusProcessing, // at a bank, for days perhaps
		stripego.PaymentIntentStatusRequiresAction,
		stripego.PaymentIntentStatusRequiresCapture, // authorised, not captured
		stripego.PaymentIntentStatusRequiresConfirmation,
		stripego.PaymentIntentStatusRequiresPaymentMethod: // new, or declined and waiting for another card
		return inventory.PaymentPending, true
	}
	return "", false
}

// payment says a PaymentIntent in our words. The amount of one that succeeded is
// what was received, which may be less than what was asked for.
func (p *Provider) payment(got *stripego.PaymentIntent) (inventory.ProviderPayment, error) {
	state, ok := paymentState(got.Status)
	amount := got.Amount
	if state == inventory.PaymentSucceeded {
		amount = got.AmountReceived
	}
	worth, err := money(amount, string(got.Currency))
	switch {
	case !ok || !strings.HasPrefix(got.ID, intentPrefix) || !printable(got.ID+got.ClientSecret):
		return inventory.ProviderPayment{}, fmt.Errorf("%w: payment %q in state %q", payment.ErrWrongAnswer, cut(got.ID), cut(string(got.Status)))
	case got.Livemode != p.live:
		return inventory.ProviderPayment{}, fmt.Errorf("%w: payment %q is of %s mode, and %s mode is configured",
			payment.ErrWrongAnswer, cut(got.ID), mode(got.Livemode), mode(p.live))
	case err != nil:
		return inventory.ProviderPayment{}, fmt.Errorf("%w: payment %q: %w", payment.ErrWrongAnswer, cut(got.ID), err)
	}
	return inventory.ProviderPayment{
		ID: got.ID, Reference: reference(got.Metadata), Amount: worth, State: state, ClientSecret: got.ClientSecret,
	}, nil
}

// reference is ours out of metadata; "" for one that cannot be ours, which makes
// its money unmatched rather than lost.
func reference(metadata map[string]string) string {
	text := metadata[MetadataReference]
	if inventory.CheckText(MetadataReference, text, 255) != nil {
		return ""
	}
	return text
}
