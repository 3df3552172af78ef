package daemon

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/timezone"
)

func histogramOf(bounds []float64, counts ...float64) buckets {
	b := buckets{}
	for i, bound := range bounds {
		b.count += counts[i]
		b.sum += counts[i] * bound
		b.below = append(b.below, bucket{bound, b.count})
	}
	for _, beyond := range counts[len(bounds):] {
		b.count += beyond
	}
	return b
}

func TestBuckets_quantile(t *testing.T) {
	t.Parallel()
	bounds := []float64{1, 2, 4}
	for name, tc := range map[string]struct {
		b    buckets
		q    float64
		want float64
	}{
		"nothing":          {buckets{}, .5, 0},
		"noBuckets":        {buckets{count: 3}, .5, 0},
		"middleOfOne":      {histogramOf(bounds, 0, 10, 0), .5, 1.5},
		"all":              {histogramOf(bounds, 0, 10, 0), 1, 2},
		"none":             {histogramOf(bounds, 0, 10, 0), 0, 1},
		"firstFromZero":    {histogramOf(bounds, 10, 0, 0), .5, .5},
		"acrossAnEmptyOne": {histogramOf(bounds, 50, 0, 50), .75, 3},
		"beyondTheLast":    {histogramOf(bounds, 1, 0, 0, 9), .99, 4},
		"allBeyond":        {histogramOf(bounds, 0, 0, 0, 5), .5, 4},
		"moreThanAll":      {histogramOf(bounds, 10, 0, 0), 7, 1},
	} {
		if got := tc.b.quantile(tc.q); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// Whatever the buckets: a quantile rises with the share and lies within them.
func TestBuckets_quantileRises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(rt, "buckets")
		bounds, counts := make([]float64, n), make([]float64, n+1)
		top := 0.0
		for i := range bounds {
			top += rapid.Float64Range(0.001, 10).Draw(rt, "step")
			bounds[i] = top
		}
		for i := range counts {
			counts[i] = float64(rapid.IntRange(0, 100).Draw(rt, "count"))
		}
		b := histogramOf(bounds, counts...)
		last := 0.0
		for _, q := range []float64{0, .1, .5, .9, .95, .99, 1} {
			got := b.quantile(q)
			if got < last-1e-9 || got < 0 || got > top+1e-9 || math.IsNaN(got) {
				rt.Fatalf("quantile(%v) = %v after %v, the last bound is %v: %+v", q, got, last, top, b)
			}
			last = got
		}
		if last > b.largest()+1e-9 {
			rt.Fatalf("the largest is %v, below the quantile %v", b.largest(), last)
		}
	})
}

func TestPulseOf_isWhatHappenedBetween(t *testing.T) {
	t.Parallel()
	bounds := []float64{.001, .002, .004}
	before := reading{
		outcomes: map[string]float64{"placed": 100, "SOLD_OUT": 7, "replayed": 1},
		seconds:  histogramOf(bounds, 100, 0, 0), batch: histogramOf([]float64{1, 2, 4}, 10, 0, 0), queue: 9,
	}
	now := reading{
		outcomes: map[string]float64{"placed": 160, "SOLD_OUT": 7, "replayed": 5, "BUSY": 2},
		seconds:  histogramOf(bounds, 100, 62, 0), batch: histogramOf([]float64{1, 2, 4}, 10, 30, 0), queue: 3,
		lockWait: histogramOf(bounds, 0, 0, 20),
	}
	p := pulseOf(before, now, 2*time.Second)
	if p.Placed != 60 || len(p.Refused) != 1 || p.Refused["BUSY"] != 2 || p.Queue != 3 || p.Span != 2*time.Second {
		t.Errorf("counts: %+v", p)
	}
	if p.P50 != 1500*time.Microsecond || p.P99 != 1990*time.Microsecond {
		t.Errorf("p50 %s, p99 %s: the old ones count, too", p.P50, p.P99)
	}
	if p.BatchMean != 2 || p.BatchMax != 2 || p.LockWait != 3900*time.Microsecond {
		t.Errorf("batch %v max %d, lock wait %s", p.BatchMean, p.BatchMax, p.LockWait)
	}
	if nothing := pulseOf(now, now, time.Second); nothing.Answers() != 0 || nothing.P99 != 0 || nothing.BatchMax != 0 || nothing.LockWait != 0 {
		t.Errorf("nothing happened, and it says %+v", nothing)
	}
}

func TestReadSales(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	if r, err := readSales(registry); err != nil || len(r.outcomes) != 0 || r.seconds.count != 0 {
		t.Errorf("without metrics: %+v, %v", r, err)
	}
	holds := prometheus.NewCounterVec(prometheus.CounterOpts{Name: metricHolds}, []string{"outcome"})
	seconds := prometheus.NewHistogram(prometheus.HistogramOpts{Name: metricSeconds, Buckets: []float64{.1, .2}})
	queue := prometheus.NewGauge(prometheus.GaugeOpts{Name: metricQueue})
	registry.MustRegister(holds, seconds, queue)
	holds.WithLabelValues("placed").Add(3)
	holds.WithLabelValues("SOLD_OUT").Inc()
	queue.Set(5)
	for range 4 {
		seconds.Observe(.15)
	}
	r, err := readSales(registry)
	if err != nil || r.outcomes["placed"] != 3 || r.outcomes["SOLD_OUT"] != 1 || r.queue != 5 || r.seconds.count != 4 {
		t.Errorf("reading = %+v, %v", r, err)
	}
	if got := r.seconds.quantile(.5); math.Abs(got-.15) > 1e-9 {
		t.Errorf("half within %v, want 0.15", got)
	}
}

// A daemon writes while it sells, says once that it has stopped, and then only
// every 30 s that it is there.
func TestPulser_idleWritesSeldom(t *testing.T) {
	t.Parallel()
	clock := timezone.NewManualClock(time.Date(2026, 12, 4, 12, 0, 0, 0, time.UTC))
	now := reading{outcomes: map[string]float64{}}
	var wrote []inventory.Pulse
	p := pulser{
		instance: "box", clock: clock, log: slog.New(slog.DiscardHandler),
		read: func() (reading, error) {
			return reading{outcomes: map[string]float64{"placed": now.outcomes["placed"]}}, nil
		},
		write: func(_ context.Context, p inventory.Pulse) error { wrote = append(wrote, p); return nil },
	}
	beat := func(placed float64) int {
		clock.Advance(pulseEvery)
		now.outcomes["placed"] += placed
		p.beat(t.Context())
		return len(wrote)
	}
	for i, step := range []struct {
		placed float64
		wrote  int
	}{{0, 1}, {0, 1}, {0, 1}, {10, 2}, {20, 3}, {0, 4}, {0, 4}} {
		if n := beat(step.placed); n != step.wrote {
			t.Errorf("step %d: %d written, want %d", i, n, step.wrote)
		}
	}
	for range 14 {
		beat(0)
	}
	if len(wrote) != 5 {
		t.Errorf("half a minute later %d are written, want 5", len(wrote))
	}
	// What is told is of the two seconds before, not of all the time that was idle.
	if got := wrote[1]; got.Placed != 10 || got.Span != pulseEvery || got.Instance != "box" {
		t.Errorf("the first busy one is %+v", got)
	}
}

// A database that is away stops nothing, is logged once, and nothing is lost.
func TestPulser_databaseAway(t *testing.T) {
	t.Parallel()
	clock := timezone.NewManualClock(time.Date(2026, 12, 4, 12, 0, 0, 0, time.UTC))
	var log bytes.Buffer
	placed, away := 0.0, errors.New("away")
	var wrote []inventory.Pulse
	p := pulser{
		clock: clock, log: slog.New(slog.NewTextHandler(&log, nil)),
		read: func() (reading, error) { return reading{outcomes: map[string]float64{"placed": placed}}, nil },
		write: func(_ context.Context, p inventory.Pulse) error {
			if away == nil {
				wrote = append(wrote, p)
			}
			return away
		},
	}
	step := func() {
		p.beat(t.Context())
		clock.Advance(pulseEvery)
		placed += 5
	}
	away = nil
	step()
	away = errors.New("away")
	for range 3 {
		step()
	}
	away = nil
	step()
	if n := strings.Count(log.String(), "could not be written"); n != 1 {
		t.Errorf("logged %d times, want once:\n%s", n, &log)
	}
	if len(wrote) != 2 || wrote[1].Placed != 20 || wrote[1].Span != 8*time.Second {
		t.Errorf("written: %+v, want all 20 of 8 seconds", wrote)
	}
}
