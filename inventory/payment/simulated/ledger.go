package simulated

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"slices"
	"time"

	"holdfast/inventory"
)

// maxCalls bounds the calls that the ledger remembers; the oldest go first.
const maxCalls = 100_000

// Ledger is what the provider knows: the other side's truth in every test.
type Ledger struct {
	Payments []Payment `json:"payments"` // oldest first
	Refunds  []Refund  `json:"refunds"`
	Calls    []Call    `json:"calls"`
	Events   []Event   `json:"events"`
}

// Call is one request to the provider's API.
type Call struct {
	At     time.Time `json:"at"`
	Method string    `json:"method"`
	Path   string    `json:"path"`
	Key    string    `json:"key"`
	Answer int       `json:"answer"` // status, 0 if there was none, or is none yet
}

// Event is something that happened at the provider and the attempts to tell
// the shop about it.
type Event struct {
	ID         string     `json:"id"`
	Type       string     `json:"type"`
	Payment    string     `json:"payment"`
	Refund     string     `json:"refund,omitzero"`
	Deliveries []Delivery `json:"deliveries"`

	body []byte
}

// Delivery is one attempt to deliver an event.
type Delivery struct {
	At     time.Time `json:"at"`
	Status int       `json:"status"` // 0 if nobody answered
}

// books holds the ledger while the server runs. The caller holds the lock.
type books struct {
	payments map[string]*Payment
	refunds  map[string]*Refund
	events   map[string]*Event
	order    struct{ payments, refunds, events []string }
	byRef    map[string][]string // payments by reference
	ofPay    map[string][]string // refunds by payment
	calls    []*Call
}

func newBooks() *books {
	return &books{
		payments: map[string]*Payment{}, refunds: map[string]*Refund{}, events: map[string]*Event{},
		byRef: map[string][]string{}, ofPay: map[string][]string{},
	}
}

func (b *books) addPayment(asked newPayment, state State) *Payment {
	p := &Payment{
		ID: newID("pay"), Reference: asked.Reference, AmountMinor: asked.AmountMinor,
		Currency: asked.Currency, State: state, ClientSecret: newID("secret"),
	}
	if state == StateFailed {
		p.Reason = reasonDeclined
	}
	p.URL = "https://pay.example/" + p.ID
	b.payments[p.ID] = p
	b.order.payments = append(b.order.payments, p.ID)
	b.byRef[p.Reference] = append(b.byRef[p.Reference], p.ID)
	return p
}

// payment finds a payment by its id or, if it is the only one, by reference.
func (b *books) payment(idOrReference string) (*Payment, bool) {
	if p, ok := b.payments[idOrReference]; ok {
		return p, true
	}
	if ids := b.byRef[idOrReference]; len(ids) == 1 {
		return b.payments[ids[0]], true
	}
	return nil, false
}

func (b *books) paymentsFor(reference string) []Payment {
	found := []Payment{}
	for _, id := range b.byRef[reference] {
		found = append(found, *b.payments[id])
	}
	return found
}

// refundable is what is left to give back of p. Pending refunds count.
func (b *books) refundable(p *Payment) inventory.Minor {
	left := p.AmountMinor
	for _, id := range b.ofPay[p.ID] {
		if r := b.refunds[id]; r.State != StateFailed {
			left -= r.AmountMinor
		}
	}
	return left
}

func (b *books) addRefund(p *Payment, asked newRefund, key string, state State) *Refund {
	r := &Refund{
		ID: newID("rf"), Payment: p.ID, Reference: asked.Reference, AmountMinor: asked.AmountMinor,
		Currency: p.Currency, State: state, Key: key,
	}
	if state == StateFailed {
		r.Reason = reasonNoBalance
	}
	b.refunds[r.ID] = r
	b.order.refunds = append(b.order.refunds, r.ID)
	b.ofPay[p.ID] = append(b.ofPay[p.ID], r.ID)
	return r
}

func (b *books) refundsOf(payment string) []Refund {
	found := []Refund{}
	for _, id := range b.ofPay[payment] {
		found = append(found, *b.refunds[id])
	}
	return found
}

func (b *books) addEvent(e *Event) {
	b.events[e.ID] = e
	b.order.events = append(b.order.events, e.ID)
}

func (b *books) addCall(c *Call) {
	if len(b.calls) >= maxCalls {
		b.calls = slices.Delete(b.calls, 0, maxCalls/10)
	}
	b.calls = append(b.calls, c)
}

func (b *books) snapshot() Ledger {
	l := Ledger{Payments: []Payment{}, Refunds: []Refund{}, Calls: []Call{}, Events: []Event{}}
	for _, c := range b.calls {
		l.Calls = append(l.Calls, *c)
	}
	for _, id := range b.order.payments {
		l.Payments = append(l.Payments, *b.payments[id])
	}
	for _, id := range b.order.refunds {
		l.Refunds = append(l.Refunds, *b.refunds[id])
	}
	for _, id := range b.order.events {
		e := *b.events[id]
		e.Deliveries = append([]Delivery{}, e.Deliveries...)
		slices.SortStableFunc(e.Deliveries, func(a, b Delivery) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
		l.Events = append(l.Events, e)
	}
	return l
}

// newID returns an id such as pay_9f86d081884c7d659a2feaa0.
func newID(kind string) string {
	var random [12]byte
	_, _ = rand.Read(random[:]) // never fails; the program ends if the system has no randomness
	return kind + "_" + hex.EncodeToString(random[:])
}

// noAnswer is what a call's record shows when nothing was answered.
const noAnswer = 0

// recorder notes the status that a handler answers with, before it is sent.
type recorder struct {
	http.ResponseWriter
	note func(status int)
}

func (r *recorder) WriteHeader(status int) {
	r.note(status)
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
