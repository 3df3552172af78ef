package simulated

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment"
	"holdfast/inventory/payment/signature"
	"holdfast/timezone"
)

// DefaultCallTimeout bounds each call to the provider. It leaves room for two
// database steps inside the 15 seconds that a whole answer of ours may take.
const DefaultCallTimeout = 8 * time.Second

// ProviderConfig is what a Provider needs.
type ProviderConfig struct {
	BaseURL     string             // address of the simulator, such as http://127.0.0.1:8090; required
	Secrets     []signature.Secret // any of them verifies an event; at least one
	Live        bool               // the mode that events must be of; the simulator's are of test mode
	Clock       timezone.Clock     // nil = the machine's
	CallTimeout time.Duration      // 0 = DefaultCallTimeout
	KeyLifetime time.Duration      // how long the provider remembers our keys; 0 = DefaultKeyLifetime
	Limits      payment.Limits
}

// Provider calls the simulated provider. A call that got no usable answer ends
// in an error for which payment.Unknown is true: what the provider did is then
// not known, and it is never reported as a failure.
type Provider struct {
	base        string
	client      *http.Client
	verifier    *signature.Verifier
	timeout     time.Duration
	keyLifetime time.Duration
	live        bool
}

// NewProvider returns a Provider, or an error that says what in cfg is wrong.
// It does not call the provider.
func NewProvider(cfg ProviderConfig) (*Provider, error) {
	if err := checkURL(cfg.BaseURL); err != nil {
		return nil, fmt.Errorf("provider address: %w", err)
	}
	if cfg.Clock == nil {
		cfg.Clock = timezone.SystemClock{}
	}
	if cfg.CallTimeout == 0 {
		cfg.CallTimeout = DefaultCallTimeout
	}
	if cfg.KeyLifetime == 0 {
		cfg.KeyLifetime = DefaultKeyLifetime
	}
	verifier, err := signature.NewVerifier(cfg.Clock, cfg.Secrets...)
	if err != nil {
		return nil, fmt.Errorf("simulated provider: %w", err)
	}
	return &Provider{
		base: strings.TrimRight(cfg.BaseURL, "/"), client: payment.NewHTTPClient(cfg.Limits), verifier: verifier,
		timeout: cfg.CallTimeout, keyLifetime: cfg.KeyLifetime, live: cfg.Live,
	}, nil
}

// Name is how the daemon and the database know this provider.
func (p *Provider) Name() string { return Name }

// KeyLifetime is how long the provider remembers an idempotency key. After
// that the same key pays, or refunds, a second time: list first.
func (p *Provider) KeyLifetime() time.Duration { return p.keyLifetime }

// Create asks for the money of one attempt: reference is our payment id, and
// the attempt's key makes it safe to repeat within KeyLifetime. A decline is an
// answer, not an error.
func (p *Provider) Create(ctx context.Context, attempt inventory.Payment) (inventory.ProviderPayment, error) {
	return p.Charge(ctx, attempt.ProviderKey, attempt.ID.String(), attempt.Amount)
}

// Charge takes money as a shop does that passes a booking id as the reference.
func (p *Provider) Charge(ctx context.Context, key, reference string, amount inventory.Money) (inventory.ProviderPayment, error) {
	var got Payment
	asked := newPayment{Reference: reference, AmountMinor: amount.Minor, Currency: amount.Currency}
	err := p.call(ctx, call{name: "create payment", method: http.MethodPost, path: pathPayments, key: key, body: asked}, &got)
	if err != nil {
		return inventory.ProviderPayment{}, err
	}
	if got.Reference != reference || got.AmountMinor != amount.Minor || got.Currency != amount.Currency {
		return inventory.ProviderPayment{}, fmt.Errorf("create payment %s of %s: %w: it has %s and reference %q",
			reference, amount, payment.ErrWrongAnswer, got.amount(), got.Reference)
	}
	return got.domain()
}

// Get asks how a payment stands, by the provider's id; inventory.ErrNotFound if
// the provider has no such payment.
func (p *Provider) Get(ctx context.Context, id string) (inventory.ProviderPayment, error) {
	return p.payment(ctx, call{name: "get payment", method: http.MethodGet, path: pathPayments + "/" + url.PathEscape(id)}, id)
}

// FindByReference lists the payments that carry our reference, oldest first:
// none if the provider never heard of it, and more than one if a key was used
// past its life.
func (p *Provider) FindByReference(ctx context.Context, reference string) ([]inventory.ProviderPayment, error) {
	var got paymentList
	query := url.Values{"reference": {reference}}.Encode()
	err := p.call(ctx, call{name: "find payments", method: http.MethodGet, path: pathPayments + "?" + query}, &got)
	if err != nil {
		return nil, err
	}
	found := make([]inventory.ProviderPayment, 0, len(got.Payments))
	for _, one := range got.Payments {
		if one.Reference != reference {
			return nil, fmt.Errorf("find payments for %s: %w: one is for %q", reference, payment.ErrWrongAnswer, one.Reference)
		}
		known, err := one.domain()
		if err != nil {
			return nil, err
		}
		found = append(found, known)
	}
	return found, nil
}

// Cancel ends a payment that is still open and returns how it stands now. If
// the money was captured meanwhile that is what it returns, without an error.
func (p *Provider) Cancel(ctx context.Context, id string) (inventory.ProviderPayment, error) {
	got, err := p.payment(ctx, call{
		name: "cancel payment", method: http.MethodPost, path: pathPayments + "/" + url.PathEscape(id) + "/cancel",
	}, id)
	if refusal, ok := refusalOf(err); ok && refusal.code == codeNotCancellable {
		return p.Get(ctx, id)
	}
	return got, err
}

// payment makes a call about the payment id.
func (p *Provider) payment(ctx context.Context, c call, id string) (inventory.ProviderPayment, error) {
	var got Payment
	if err := p.call(ctx, c, &got); err != nil {
		return inventory.ProviderPayment{}, err
	}
	if got.ID != id {
		return inventory.ProviderPayment{}, fmt.Errorf("%s %s: %w: it is about %q", c.name, id, payment.ErrWrongAnswer, got.ID)
	}
	return got.domain()
}

// Refund sends a refund under its own key, which is its id, and is safe to
// repeat within KeyLifetime; past it, ListRefunds first. A definite refusal for
// want of money to give back is a failed refund with its reason, not an error.
func (p *Provider) Refund(ctx context.Context, task inventory.RefundTask) (inventory.ProviderRefund, error) {
	id, amount := task.Refund.ID.String(), task.Refund.Amount
	var got Refund
	asked := newRefund{Payment: task.ProviderPayment, Reference: id, AmountMinor: amount.Minor}
	err := p.call(ctx, call{name: "refund", method: http.MethodPost, path: pathRefunds, key: id, body: asked}, &got)
	if refusal, ok := refusalOf(err); ok && finalForRefund[refusal.code] {
		return p.refused(ctx, task, string(refusal.code))
	}
	if err != nil {
		return inventory.ProviderRefund{}, err
	}
	if got.Reference != id || got.Payment != task.ProviderPayment || got.AmountMinor != amount.Minor || got.Currency != amount.Currency {
		return inventory.ProviderRefund{}, fmt.Errorf("refund %s: %w: it is %d %s of payment %q for %q",
			id, payment.ErrWrongAnswer, got.AmountMinor, got.Currency, got.Payment, got.Reference)
	}
	return got.domain()
}

// finalForRefund are the refusals after which the same refund can never succeed.
var finalForRefund = map[errorCode]bool{codeNotRefundable: true, codeRefundTooLarge: true, codeDisputed: true}

// refused finds out why: the refusal may be the echo of this very refund, made
// by an earlier try whose key the provider has forgotten since.
func (p *Provider) refused(ctx context.Context, task inventory.RefundTask, reason string) (inventory.ProviderRefund, error) {
	made, err := p.ListRefunds(ctx, task.ProviderPayment)
	if err != nil {
		return inventory.ProviderRefund{}, fmt.Errorf("refund was refused (%s), was it made before: %w", reason, err)
	}
	for _, one := range made {
		if one.Reference == task.Refund.ID.String() {
			return one, nil
		}
	}
	return inventory.ProviderRefund{
		Payment: task.ProviderPayment, Reference: task.Refund.ID.String(), Amount: task.Refund.Amount,
		State: inventory.RefundFailed, Reason: reason,
	}, nil
}

// ListRefunds lists what was given back of a payment, oldest first, also what
// somebody else gave back in the provider's own pages.
func (p *Provider) ListRefunds(ctx context.Context, providerPayment string) ([]inventory.ProviderRefund, error) {
	var got refundList
	query := url.Values{"payment": {providerPayment}}.Encode()
	err := p.call(ctx, call{name: "list refunds", method: http.MethodGet, path: pathRefunds + "?" + query}, &got)
	if err != nil {
		return nil, err
	}
	found := make([]inventory.ProviderRefund, 0, len(got.Refunds))
	for _, one := range got.Refunds {
		known, err := one.domain()
		if err != nil {
			return nil, err
		}
		found = append(found, known)
	}
	return found, nil
}
