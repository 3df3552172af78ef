package simulated

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"holdfast/inventory"
)

// knownEvents is what ParseEvent passes on.
var knownEvents = map[inventory.EventKind]bool{
	inventory.EventPaymentSucceeded: true, inventory.EventPaymentFailed: true,
	inventory.EventPaymentProcessing: true, inventory.EventPaymentCancelled: true,
	inventory.EventRefundSucceeded: true, inventory.EventRefundFailed: true, inventory.EventRefundPending: true,
	inventory.EventDisputeOpened: true, inventory.EventDisputeWon: true, inventory.EventDisputeLost: true,
}

// ParseEvent verifies body, which must be the bytes as received, and says what
// it means. It fails with signature.ErrNotAuthentic for what the provider did
// not sign, and with inventory.FieldError for what it signed but we cannot
// read. An event of a type that does not concern us comes back without a Kind.
// One of the other mode than ours comes with a Problem. Members that we do not
// know are ignored: the provider may add some any day.
func (p *Provider) ParseEvent(h http.Header, body []byte) (inventory.ProviderEvent, error) {
	if err := p.verifier.Verify(h, body); err != nil {
		return inventory.ProviderEvent{}, fmt.Errorf("event of %s: %w", Name, err)
	}
	var e eventBody
	if err := decodeTolerant(body, &e); err != nil {
		return inventory.ProviderEvent{}, fmt.Errorf("event of %s: %w", Name, err)
	}
	event := inventory.ProviderEvent{
		Provider: Name, ID: e.ID, Live: e.Live,
		ProviderPayment: e.Data.Payment, ProviderRefund: e.Data.Refund, Reference: e.Data.Reference,
		Amount: inventory.Money{Minor: e.Data.AmountMinor, Currency: e.Data.Currency},
		Reason: e.Data.Reason, Body: body,
	}
	if !knownEvents[e.Type] {
		return event, inventory.CheckText("id", e.ID, 255)
	}
	event.Kind = e.Type
	if e.Live != p.live {
		event.Problem = fmt.Sprintf("it is of %s mode, and %s mode is configured", modeName(e.Live), modeName(p.live))
	}
	return event, e.validate()
}

func modeName(live bool) string {
	if live {
		return "live"
	}
	return "test"
}

func (e eventBody) validate() error {
	_, err := inventory.ParseCurrency(string(e.Data.Currency))
	errs := []error{
		inventory.CheckText("id", e.ID, 255),
		inventory.CheckText("data.payment", e.Data.Payment, 255),
		err,
	}
	if e.Data.Reference != "" { // without one the money is unmatched, which the desk must see
		errs = append(errs, inventory.CheckText("data.reference", e.Data.Reference, 255))
	}
	if e.Data.AmountMinor < 0 {
		errs = append(errs, inventory.Invalid("data.amountMinor", "must not be negative"))
	}
	if strings.HasPrefix(string(e.Type), "refund.") {
		errs = append(errs, inventory.CheckText("data.refund", e.Data.Refund, 255))
	}
	return errors.Join(errs...)
}
