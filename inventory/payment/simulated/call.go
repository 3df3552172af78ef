package simulated

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
	"holdfast/inventory/payment"
)

// call is one request to the provider's API.
type call struct {
	name   string // for errors
	method string
	path   string
	key    string // idempotency key, for what makes something
	body   any
}

// refusal is a definite no of the provider. It matches payment.ErrRefused.
type refusal struct {
	status int
	code   errorCode
}

func (r *refusal) Error() string {
	return fmt.Sprintf("%s: %d %q", payment.ErrRefused, r.status, string(r.code))
}

func (r *refusal) Is(target error) bool { return target == payment.ErrRefused }

func refusalOf(err error) (*refusal, bool) { return errors.AsType[*refusal](err) }

// call sends c within the call's own deadline and decodes the answer. It does
// not try again: whoever decides that has the key and the patience.
func (p *Provider) call(ctx context.Context, c call, into any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.timeout, fmt.Errorf("%s took over %s", c.name, p.timeout))
	defer cancel()
	status, body, err := p.exchange(ctx, c)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // says what was late, where the transport only says that something was
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", c.name, payment.ErrNoAnswer, err)
	}
	if err := judge(status, body); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if err := decodeTolerant(body, into); err != nil {
		return fmt.Errorf("%s: %w: %w", c.name, payment.ErrWrongAnswer, err)
	}
	return nil
}

func (p *Provider) exchange(ctx context.Context, c call) (status int, body []byte, err error) {
	var sent io.Reader
	if c.body != nil {
		data, err := json.Marshal(c.body)
		if err != nil {
			return 0, nil, err
		}
		sent = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, c.method, p.base+c.path, sent)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "holdfast")
	if sent != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set(headerKey, c.key)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}

// judge tells what an answer means: nil for one to decode, not found, a
// definite refusal, or no usable answer. Only a 4xx with a code of the provider
// is definite; one without may come from anything that stands in between.
func judge(status int, body []byte) error {
	if status >= 200 && status < 300 {
		return nil
	}
	var e apiError
	if status < 400 || status >= 500 || decodeTolerant(body, &e) != nil || e.Code == "" {
		return fmt.Errorf("%w: status %d", payment.ErrNoAnswer, status)
	}
	switch {
	case e.Code == codeNotFound:
		return inventory.ErrNotFound
	case e.Code == codeKeyInUse, status == http.StatusRequestTimeout, status == http.StatusTooManyRequests:
		return fmt.Errorf("%w: status %d", payment.ErrNoAnswer, status)
	}
	return &refusal{status, e.Code}
}

func (p Payment) amount() inventory.Money {
	return inventory.Money{Minor: p.AmountMinor, Currency: p.Currency}
}

// paymentStates translates the provider's words.
var paymentStates = map[State]inventory.PaymentState{
	StatePending: inventory.PaymentPending, StateSucceeded: inventory.PaymentSucceeded,
	StateFailed: inventory.PaymentFailed, StateCancelled: inventory.PaymentCancelled,
}

var refundStates = map[State]inventory.RefundState{
	StatePending: inventory.RefundPending, StateSucceeded: inventory.RefundSucceeded, StateFailed: inventory.RefundFailed,
}

// domain says p in our words; a state that we do not know is a wrong answer.
func (p Payment) domain() (inventory.ProviderPayment, error) {
	state, ok := paymentStates[p.State]
	if !ok || p.ID == "" {
		return inventory.ProviderPayment{}, fmt.Errorf("%w: payment %q in state %q", payment.ErrWrongAnswer, p.ID, p.State)
	}
	return inventory.ProviderPayment{
		ID: p.ID, Reference: p.Reference, Amount: p.amount(), State: state, ClientSecret: p.ClientSecret, URL: p.URL,
	}, nil
}

func (r Refund) domain() (inventory.ProviderRefund, error) {
	state, ok := refundStates[r.State]
	if !ok || r.ID == "" {
		return inventory.ProviderRefund{}, fmt.Errorf("%w: refund %q in state %q", payment.ErrWrongAnswer, r.ID, r.State)
	}
	return inventory.ProviderRefund{
		ID: r.ID, Payment: r.Payment, Reference: r.Reference, State: state, Reason: r.Reason,
		Amount: inventory.Money{Minor: r.AmountMinor, Currency: r.Currency},
	}, nil
}
