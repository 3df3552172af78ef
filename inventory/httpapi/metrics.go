package httpapi

import (
	"context"
	"fmt"
	"log/slog"
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
	hold      prometheus.Histogram
	pay       prometheus.Histogram
	confirm   prometheus.Histogram
	moves     *prometheus.CounterVec
	seatMaps  prometheus.Counter
	callbacks *prometheus.CounterVec
	panics    prometheus.Counter
}

// Buckets in seconds, fine where a percentile is read: a decision of the database
// takes milliseconds, and an answer two seconds at most; a provider takes longer.
var (
	decisionBuckets = []float64{.001, .002, .003, .004, .006, .008, .01, .015, .02, .03, .04, .05, .06, .08, .1, .15, .2, .3, .5, .75, 1, 1.5, 2}
	waitBuckets     = []float64{.005, .01, .02, .05, .1, .2, .3, .5, .75, 1, 1.5, 2, 3, 5, 10, 15}
)

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
		hold: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "holdfast_hold_seconds", Help: "Time until the store had decided about a hold, refusals included.", Buckets: decisionBuckets,
		}),
		pay: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "holdfast_pay_seconds", Help: "Time from a request to pay to its answer, the provider's call included.", Buckets: waitBuckets,
		}),
		confirm: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "holdfast_confirm_seconds", Help: "Time from an authentic callback about captured money until it was stored and applied.", Buckets: decisionBuckets,
		}),
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
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.holds, m.hold, m.pay, m.confirm, m.moves, m.seatMaps, m.callbacks, m.panics, inFlight} {
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

// timed asks the store for a hold and counts its answer.
func timed[R any](ctx context.Context, a *API,
	place func(context.Context, R) (inventory.Booking, bool, error), asked R,
) (inventory.Booking, bool, error) {
	began := a.clock.Now()
	b, replayed, err := place(ctx, asked)
	a.metrics.hold.Observe(a.since(began))
	a.metrics.held(err, replayed)
	if err == nil && a.log.Enabled(ctx, slog.LevelDebug) {
		a.log.LogAttrs(ctx, slog.LevelDebug, "a hold was placed", slog.String("booking", b.ID.String()), slog.Bool("replayed", replayed))
	}
	return b, replayed, err
}

// since is how long ago that was, in seconds; a clock that is put back makes it 0.
func (a *API) since(began time.Time) float64 { return max(0, a.clock.Now().Sub(began).Seconds()) }

func (m *metrics) held(err error, replayed bool) {
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
	mux.Handle("GET /metrics", promhttp.HandlerFor(a.gatherer, promhttp.HandlerOpts{}))
	return mux
}
