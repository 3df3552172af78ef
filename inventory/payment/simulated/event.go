package simulated

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
)

// eventBody is the body of a webhook (CONTRACT.md 4).
type eventBody struct {
	Type    inventory.EventKind `json:"type"`
	ID      string              `json:"id"`
	Created int64               `json:"created"` // seconds since 1970
	Live    bool                `json:"live"`
	Data    eventData           `json:"data"`
}

type eventData struct {
	Payment     string             `json:"payment"`
	Refund      string             `json:"refund,omitzero"`
	Reference   string             `json:"reference"`
	AmountMinor inventory.Minor    `json:"amountMinor"`
	Currency    inventory.Currency `json:"currency"`
	Reason      string             `json:"reason,omitzero"` // of a failure
}

// paymentEvents names the event that says a payment got there.
var paymentEvents = map[State]inventory.EventKind{
	StatePending:   inventory.EventPaymentProcessing,
	StateSucceeded: inventory.EventPaymentSucceeded,
	StateFailed:    inventory.EventPaymentFailed,
	StateCancelled: inventory.EventPaymentCancelled,
}

// refundEvents names the event that says a refund got there.
var refundEvents = map[State]inventory.EventKind{
	StatePending:   inventory.EventRefundPending,
	StateSucceeded: inventory.EventRefundSucceeded,
	StateFailed:    inventory.EventRefundFailed,
}

func paymentEvent(p Payment, now time.Time) (*Event, error) {
	return newEvent(paymentEvents[p.State], now, eventData{
		Payment: p.ID, Reference: p.Reference, AmountMinor: p.AmountMinor, Currency: p.Currency, Reason: p.Reason,
	})
}

// disputeEvents names the event that says a dispute got there.
var disputeEvents = map[DisputeState]inventory.EventKind{
	DisputeOpened: inventory.EventDisputeOpened,
	DisputeWon:    inventory.EventDisputeWon,
	DisputeLost:   inventory.EventDisputeLost,
}

func disputeEvent(p Payment, now time.Time) (*Event, error) {
	return newEvent(disputeEvents[p.Dispute], now, eventData{
		Payment: p.ID, Reference: p.Reference, AmountMinor: p.AmountMinor, Currency: p.Currency,
	})
}

func refundEvent(r Refund, now time.Time) (*Event, error) {
	return newEvent(refundEvents[r.State], now, eventData{
		Payment: r.Payment, Refund: r.ID, Reference: r.Reference,
		AmountMinor: r.AmountMinor, Currency: r.Currency, Reason: r.Reason,
	})
}

// newEvent writes the body once, so that every delivery carries the same bytes.
func newEvent(kind inventory.EventKind, now time.Time, data eventData) (*Event, error) {
	id := newID("evt")
	body, err := json.Marshal(eventBody{Type: kind, ID: id, Created: now.Unix(), Data: data})
	if err != nil {
		return nil, fmt.Errorf("write event %s: %w", kind, err)
	}
	return &Event{ID: id, Type: string(kind), Payment: data.Payment, Refund: data.Refund, body: body}, nil
}
