package stripe

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	stripego "github.com/stripe/stripe-go/v82"

	"holdfast/inventory"
	"holdfast/inventory/payment"
)

// Refund sends a refund under its own key, which is its id, and is safe to
// repeat within KeyLifetime; past it, ListRefunds first. A definite refusal for
// want of money to give back is a failed refund with its reason, not an error.
func (p *Provider) Refund(ctx context.Context, task inventory.RefundTask) (inventory.ProviderRefund, error) {
	const name = "refund"
	id := task.Refund.ID.String()
	amount, err := units(task.Refund.Amount)
	if err != nil {
		return failedRefund(task, err.Error()), nil // nothing was sent, and nothing will ever come of it
	}
	// As in Create, nothing here may differ when it is repeated.
	params := &stripego.RefundCreateParams{
		PaymentIntent: stripego.String(task.ProviderPayment),
		Amount:        &amount,
		Metadata:      map[string]string{MetadataReference: id, metadataPayment: task.Refund.PaymentID.String()},
	}
	params.SetIdempotencyKey(id)

	var got *stripego.Refund
	err = p.call(ctx, name, func(ctx context.Context) (err error) {
		got, err = p.api.V1Refunds.Create(ctx, params)
		return err
	})
	if r, ok := refusalOf(err); ok && r.finalForRefund() {
		return p.refused(ctx, task, r)
	}
	if err != nil {
		return inventory.ProviderRefund{}, err
	}
	known, err := refund(got)
	if err != nil {
		return inventory.ProviderRefund{}, fmt.Errorf("%s %s: %w", name, id, err)
	}
	if known.Reference != id || known.Payment != task.ProviderPayment || known.Amount != task.Refund.Amount {
		return inventory.ProviderRefund{}, fmt.Errorf("%s %s: %w: it is %s of payment %q for %q",
			name, id, payment.ErrWrongAnswer, known.Amount, cut(known.Payment), known.Reference)
	}
	return known, nil
}

// refused finds out why: the refusal may be the echo of this very refund, made
// by an earlier try whose key Stripe has forgotten since.
func (p *Provider) refused(ctx context.Context, task inventory.RefundTask, r *refusal) (inventory.ProviderRefund, error) {
	made, err := p.ListRefunds(ctx, task.ProviderPayment)
	if err != nil {
		return inventory.ProviderRefund{}, fmt.Errorf("refund was refused (%q); was it made before: %w", r.reason(), err)
	}
	for _, one := range made {
		if one.Reference == task.Refund.ID.String() {
			return one, nil
		}
	}
	return failedRefund(task, r.reason()), nil
}

func failedRefund(task inventory.RefundTask, reason string) inventory.ProviderRefund {
	return inventory.ProviderRefund{
		Payment: task.ProviderPayment, Reference: task.Refund.ID.String(), Amount: task.Refund.Amount,
		State: inventory.RefundFailed, Reason: reason,
	}
}

// finalForRefund reports whether the same refund can never succeed. Anything
// else, such as a revoked key or a payment of the other mode, is for whoever
// runs this and keeps the refund waiting.
func (r *refusal) finalForRefund() bool {
	if r.status != http.StatusBadRequest && r.status != http.StatusPaymentRequired {
		return false
	}
	switch r.code {
	case "", // more than is left, by its message
		stripego.ErrorCodeAmountTooLarge,
		stripego.ErrorCodeAmountTooSmall,
		stripego.ErrorCodeBalanceInsufficient,
		stripego.ErrorCodeChargeAlreadyRefunded,
		stripego.ErrorCodeChargeDisputed,
		stripego.ErrorCodeChargeNotRefundable,
		stripego.ErrorCodeInsufficientFunds,
		stripego.ErrorCodeInvalidChargeAmount,
		stripego.ErrorCodePaymentIntentUnexpectedState, // not captured
		stripego.ErrorCodeRefundDisputedPayment:
		return true
	default:
		return false
	}
}

// ListRefunds lists what was given back of a payment, oldest first, also what
// somebody else gave back in Stripe's dashboard, which has no reference.
func (p *Provider) ListRefunds(ctx context.Context, providerPayment string) ([]inventory.ProviderRefund, error) {
	const name = "list refunds"
	if providerPayment == "" { // would list those of all payments
		return nil, fmt.Errorf("%s: %w", name, inventory.ErrNotFound)
	}
	var all []*stripego.Refund
	err := p.call(ctx, name, func(ctx context.Context) (err error) {
		all, err = collect[stripego.Refund](ctx, p.lists, "/v1/refunds", url.Values{"payment_intent": {providerPayment}})
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.Reverse(all) // Stripe's newest come first
	slices.SortStableFunc(all, func(a, b *stripego.Refund) int { return cmp.Compare(a.Created, b.Created) })
	found := make([]inventory.ProviderRefund, 0, len(all))
	for _, one := range all {
		known, err := refund(one)
		if err == nil && known.Payment != providerPayment {
			err = fmt.Errorf("%w: refund %q is of payment %q", payment.ErrWrongAnswer, known.ID, cut(known.Payment))
		}
		if err != nil {
			return nil, fmt.Errorf("%s of %s: %w", name, cut(providerPayment), err)
		}
		found = append(found, known)
	}
	return found, nil
}

// refundState translates Stripe's words; ok is false for one that is not known.
func refundState(s stripego.RefundStatus) (state inventory.RefundState, ok bool) {
	switch s {
	case stripego.RefundStatusSucceeded:
		return inventory.RefundSucceeded, true
	case stripego.RefundStatusPending, // waits for a bank, or for a balance
		stripego.RefundStatusRequiresAction: // waits for the buyer
		return inventory.RefundPending, true
	case stripego.RefundStatusFailed, stripego.RefundStatusCanceled:
		return inventory.RefundFailed, true
	}
	return "", false
}

// refundReason is why a refund failed.
func refundReason(status stripego.RefundStatus, failure string) string {
	switch {
	case status == stripego.RefundStatusCanceled:
		return "canceled at Stripe"
	case status != stripego.RefundStatusFailed:
		return ""
	case failure == "":
		return "Stripe gives no reason"
	}
	return cut(failure)
}

// refund says a refund of Stripe's in our words.
func refund(got *stripego.Refund) (inventory.ProviderRefund, error) {
	state, ok := refundState(got.Status)
	worth, err := money(got.Amount, string(got.Currency))
	switch {
	case !ok || got.ID == "" || !printable(got.ID):
		return inventory.ProviderRefund{}, fmt.Errorf("%w: refund %q in state %q", payment.ErrWrongAnswer, cut(got.ID), cut(string(got.Status)))
	case err != nil:
		return inventory.ProviderRefund{}, fmt.Errorf("%w: refund %q: %w", payment.ErrWrongAnswer, cut(got.ID), err)
	}
	known := inventory.ProviderRefund{
		ID: got.ID, Reference: reference(got.Metadata), Amount: worth, State: state,
		Reason: refundReason(got.Status, string(got.FailureReason)),
	}
	if got.PaymentIntent != nil {
		known.Payment = got.PaymentIntent.ID
	}
	return known, nil
}
