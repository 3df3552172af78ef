package daemon

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/inventory"
	"holdfast/timezone"
)

// measured makes providers whose calls are timed, each under its name.
func measured(r prometheus.Registerer, providers []Provider, clock timezone.Clock) []Provider {
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "holdfast_provider_call_seconds",
		Help:    "Calls to payment providers by operation and outcome: ok, declined, or no_answer, which leaves open what happened.",
		Buckets: []float64{.01, .03, .1, .2, .3, .5, .75, 1, 1.5, 2, 3, 5, 10},
	}, []string{"provider", "operation", "outcome"})
	r.MustRegister(seconds)
	all := make([]Provider, len(providers))
	for i, p := range providers {
		all[i] = measuredProvider{p, seconds.MustCurryWith(prometheus.Labels{"provider": p.Name()}), clock}
	}
	return all
}

// measuredProvider is a provider that is watched; what it says is not changed.
type measuredProvider struct {
	Provider
	seconds prometheus.ObserverVec
	clock   timezone.Clock
}

// Create implements httpapi.Provider.
func (m measuredProvider) Create(ctx context.Context, attempt inventory.Payment) (p inventory.ProviderPayment, err error) {
	defer m.time("create", &err, func() bool { return p.State == inventory.PaymentFailed })()
	return m.Provider.Create(ctx, attempt)
}

// Get implements jobs.Provider.
func (m measuredProvider) Get(ctx context.Context, id string) (_ inventory.ProviderPayment, err error) {
	defer m.time("get", &err, never)()
	return m.Provider.Get(ctx, id)
}

// FindByReference implements jobs.Provider.
func (m measuredProvider) FindByReference(ctx context.Context, reference string) (_ []inventory.ProviderPayment, err error) {
	defer m.time("find", &err, never)()
	return m.Provider.FindByReference(ctx, reference)
}

// Cancel implements jobs.Provider.
func (m measuredProvider) Cancel(ctx context.Context, id string) (_ inventory.ProviderPayment, err error) {
	defer m.time("cancel", &err, never)()
	return m.Provider.Cancel(ctx, id)
}

// Refund implements jobs.Provider.
func (m measuredProvider) Refund(ctx context.Context, task inventory.RefundTask) (r inventory.ProviderRefund, err error) {
	defer m.time("refund", &err, func() bool { return r.State == inventory.RefundFailed })()
	return m.Provider.Refund(ctx, task)
}

// ListRefunds implements jobs.Provider.
func (m measuredProvider) ListRefunds(ctx context.Context, providerPayment string) (_ []inventory.ProviderRefund, err error) {
	defer m.time("list_refunds", &err, never)()
	return m.Provider.ListRefunds(ctx, providerPayment)
}

func never() bool { return false }

// errDidNotReturn stands in for the error of a call until it comes back.
var errDidNotReturn = errors.New("the call did not return")

// time begins a call; what it returns ends it, also after a panic.
func (m measuredProvider) time(operation string, err *error, declined func() bool) (done func()) {
	began := m.clock.Now()
	*err = errDidNotReturn
	return func() {
		outcome := "ok"
		switch {
		case *err != nil:
			outcome = "no_answer"
		case declined():
			outcome = "declined"
		}
		m.seconds.With(prometheus.Labels{"operation": operation, "outcome": outcome}).Observe(max(0, m.clock.Now().Sub(began).Seconds()))
	}
}
