package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"holdfast/inventory"
)

// metrics is what the listener counts. Labels take few values: routes, not
// addresses; codes, not texts.
type metrics struct {
	requests  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	holds     *prometheus.CounterVec
	moves     *prometheus.CounterVec
	seatMaps  prometheus.Counter
	callbacks *prometheus.CounterVec
	panics    prometheus.Counter
}

// newMetrics registers on r; it fails if another API did so before.
func newMetrics(r prometheus.Registerer, a *API) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_http_requests_total", Help: "Requests answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_http_request_seconds", Help: "Time from a request's headers to the end of its answer, by route.",
			Buckets: []float64{.002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 15},
		}, []string{"route"}),
		holds: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_holds_total", Help: "Answers to holds that asked the store: placed, replayed, or the code of the refusal.",
		}, []string{"outcome"}),
		moves: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_moves_total", Help: "Answers to changes of bookings that asked the store: moved, or the code of the refusal.",
		}, []string{"outcome"}),
		seatMaps: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_seat_maps_built_total", Help: "Seat maps that were read from the database; all other answers came from these.",
		}),
		callbacks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_callbacks_total", Help: "Callbacks of payment providers: stored, repeated, refused or not_stored.",
		}, []string{"provider", "outcome"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_http_panics_total", Help: "Handlers that panicked.",
		}),
	}
	inFlight := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_http_requests_in_flight", Help: "Requests of clients that are being served.",
	}, func() float64 { return float64(len(a.requests)) })
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.holds, m.moves, m.seatMaps, m.callbacks, m.panics, inFlight} {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("httpapi: register metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) observe(rt route, method string, status int, took time.Duration) {
	if rt.method == "" && method != http.MethodGet && method != http.MethodPost {
		method = "OTHER" // a caller can make up methods
	}
	m.requests.WithLabelValues(rt.path, method, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(rt.path).Observe(took.Seconds())
}

func (m *metrics) hold(err error, replayed bool) {
	outcome := inventory.Code(err)
	switch {
	case err == nil && replayed:
		outcome = "replayed"
	case err == nil:
		outcome = "placed"
	}
	m.holds.WithLabelValues(outcome).Inc()
}

func (m *metrics) move(err error) {
	outcome := "moved"
	if err != nil {
		outcome = inventory.Code(err)
	}
	m.moves.WithLabelValues(outcome).Inc()
}

// MetricsHandler serves /metrics, for a listener of its own that the outside
// does not reach.
func (a *API) MetricsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.registry, promhttp.HandlerOpts{}))
	return mux
}
