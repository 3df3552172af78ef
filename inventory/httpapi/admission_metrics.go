package httpapi

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// admissionMetrics counts what waiting rooms do at this listener.
type admissionMetrics struct {
	joined, passes, turnedAway prometheus.Counter
	limited                    *prometheus.CounterVec
}

func newAdmissionMetrics(r prometheus.Registerer) (*admissionMetrics, error) {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	m := &admissionMetrics{
		joined:     counter("holdfast_waiting_numbers_total", "Numbers of waiting rooms given out."),
		passes:     counter("holdfast_waiting_passes_total", "Passes that buyers came for after their number was let in."),
		turnedAway: counter("holdfast_waiting_turned_away_total", "Holds turned away because the buyer had no pass."),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_rate_limited_total", Help: "Requests beyond a rate limit: of the client, the buyer or the address.",
		}, []string{"by"}),
	}
	for _, c := range []prometheus.Collector{m.joined, m.passes, m.turnedAway, m.limited} {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("httpapi: register metrics: %w", err)
		}
	}
	return m, nil
}
