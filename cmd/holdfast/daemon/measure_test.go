package daemon

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

// value is what a metric without labels says; ok is false if it is not there.
func value(t *testing.T, r *prometheus.Registry, name string) (v float64, ok bool) {
	t.Helper()
	all, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue(), true
		}
	}
	return 0, false
}

// The vitals are read every five seconds however often they are asked for, and
// what was read before is not told once the database is away.
func TestVitals_neverStale(t *testing.T) {
	t.Parallel()
	clock := timezone.NewManualClock(time.Date(2027, time.June, 1, 10, 0, 0, 0, time.UTC))
	registry, reads, away := prometheus.NewRegistry(), 0, error(nil)
	watchVitals(registry, func(context.Context) (pgstore.Vitals, error) {
		reads++
		return pgstore.Vitals{At: clock.Now(), Overdue: 7, OverdueSince: clock.Now().Add(-time.Minute)}, away
	}, clock, slog.New(slog.DiscardHandler))
	expect := func(what string, wantReads int, up float64, told bool, age float64) {
		t.Helper()
		got, _ := value(t, registry, "holdfast_up")
		lag, there := value(t, registry, "holdfast_sweep_lag_seconds")
		old, _ := value(t, registry, "holdfast_vitals_age_seconds")
		if reads != wantReads || got != up || there != told || told && lag != 60 || old != age {
			t.Errorf("%s: %d reads, up %v, lag %v told %v, age %v", what, reads, got, lag, there, old)
		}
	}
	expect("at first", 1, 1, true, 0)
	clock.Advance(4 * time.Second)
	expect("4 s later", 1, 1, true, 4)
	away = inventory.ErrUnavailable
	clock.Advance(time.Second)
	expect("away", 2, 0, false, 5)
	clock.Advance(4 * time.Second)
	expect("still away", 2, 0, false, 9)
	away = nil
	clock.Advance(time.Second)
	expect("back", 3, 1, true, 0)
	clock.Set(clock.Now().Add(-time.Hour))
	expect("a clock that was put back", 4, 1, true, 0)
}

type doubleProvider struct {
	Provider
	state inventory.PaymentState
	err   error
}

func (doubleProvider) Name() string { return "double" }

func (p doubleProvider) Create(context.Context, inventory.Payment) (inventory.ProviderPayment, error) {
	if p.state == "" && p.err == nil {
		panic("boom")
	}
	return inventory.ProviderPayment{State: p.state}, p.err
}

// A call is counted by what came of it, and what came of it is not changed.
func TestMeasured_outcomes(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for name, c := range map[string]struct {
		provider doubleProvider
		want     string
	}{
		"ok":       {doubleProvider{state: inventory.PaymentSucceeded}, "ok"},
		"declined": {doubleProvider{state: inventory.PaymentFailed}, "declined"},
		"away":     {doubleProvider{err: away}, "no_answer"},
		"panics":   {doubleProvider{}, "no_answer"},
	} {
		registry := prometheus.NewRegistry()
		p := measured(registry, []Provider{c.provider}, timezone.SystemClock{})[0]
		var got inventory.ProviderPayment
		var err error
		func() {
			defer func() { _ = recover() }()
			got, err = p.Create(t.Context(), inventory.Payment{})
		}()
		if got.State != c.provider.state || !errors.Is(err, c.provider.err) || p.Name() != "double" {
			t.Errorf("%s: Create = %v, %v", name, got, err)
		}
		series, gatherErr := registry.Gather()
		if gatherErr != nil || len(series) != 1 || len(series[0].GetMetric()) != 1 {
			t.Fatalf("%s: %v, %v", name, series, gatherErr)
		}
		labels := map[string]string{}
		for _, l := range series[0].GetMetric()[0].GetLabel() {
			labels[l.GetName()] = l.GetValue()
		}
		if labels["outcome"] != c.want || labels["operation"] != "create" || labels["provider"] != "double" {
			t.Errorf("%s: counted as %v", name, labels)
		}
	}
}

func TestStoreMetrics_countsBatchesAndLockWaits(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	m := newStoreMetrics(registry)
	m.Batch(3, 4*time.Millisecond)
	m.Batch(5, 2*time.Millisecond)
	m.Batch(1, -time.Hour) // a clock that was put back
	m.LockWait(time.Millisecond)
	m.LockWait(-time.Hour)
	m.Expired(pgstore.ExpiredByReclaim, 2)
	all, _ := registry.Gather()
	for _, f := range all {
		h := f.GetMetric()[0].GetHistogram()
		switch f.GetName() {
		case "holdfast_holds_expired_total": // in the order of its label
			if reclaimed, swept := f.GetMetric()[0].GetCounter().GetValue(), f.GetMetric()[1].GetCounter().GetValue(); reclaimed != 2 || swept != 0 {
				t.Errorf("expired: %v by reclaim, %v by the sweep", reclaimed, swept)
			}
		case "holdfast_hold_batch_size":
			if h.GetSampleCount() != 3 || h.GetSampleSum() != 9 {
				t.Errorf("batch size: %v", h)
			}
		case "holdfast_hold_lock_wait_seconds":
			if h.GetSampleCount() != 2 || h.GetSampleSum() != 0.001 {
				t.Errorf("lock wait: %v", h)
			}
		case "holdfast_hold_batch_seconds":
			if h.GetSampleCount() != 3 || h.GetSampleSum() != 0.006 {
				t.Errorf("batch time: %v", h)
			}
		}
	}
}
