package daemon

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/inventory"
)

// Names of what a pulse is made of. What is not registered is simply not told.
const (
	metricHolds    = "holdfast_holds_total"
	metricSeconds  = "holdfast_hold_seconds"
	metricBatch    = "holdfast_hold_batch_size"
	metricLockWait = "holdfast_hold_lock_wait_seconds"
	metricQueue    = "holdfast_hold_queue_length"
)

// reading is the counters of sales at one moment.
type reading struct {
	outcomes                 map[string]float64
	seconds, batch, lockWait buckets
	queue                    float64
}

// readSales takes a reading.
func readSales(from prometheus.Gatherer) (reading, error) {
	r := reading{outcomes: map[string]float64{}}
	families, err := from.Gather()
	if err != nil {
		return r, err
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var into *buckets
			switch f.GetName() {
			case metricHolds:
				for _, l := range m.GetLabel() {
					r.outcomes[l.GetValue()] += m.GetCounter().GetValue()
				}
			case metricQueue:
				r.queue += m.GetGauge().GetValue()
			case metricSeconds:
				into = &r.seconds
			case metricBatch:
				into = &r.batch
			case metricLockWait:
				into = &r.lockWait
			}
			if h := m.GetHistogram(); into != nil && h != nil {
				into.count, into.sum = float64(h.GetSampleCount()), h.GetSampleSum()
				for _, b := range h.GetBucket() {
					into.below = append(into.below, bucket{b.GetUpperBound(), float64(b.GetCumulativeCount())})
				}
			}
		}
	}
	return r, nil
}

// buckets is a histogram: how many observations were at most so large, by rising
// bounds, how many there were in all, and their sum.
type buckets struct {
	below      []bucket
	count, sum float64
}

type bucket struct{ bound, count float64 }

// since is what was observed after an earlier reading of the same histogram.
func (b buckets) since(earlier buckets) buckets {
	if len(earlier.below) != len(b.below) {
		return b // it was not there yet
	}
	d := buckets{below: slices.Clone(b.below), count: b.count - earlier.count, sum: b.sum - earlier.sum}
	for i := range d.below {
		d.below[i].count -= earlier.below[i].count
	}
	return d
}

// quantile is the value that the share q of the observations does not exceed, as
// well as buckets can tell: within one, observations are taken to lie evenly.
// Beyond the last bound nothing is known, so that bound is the answer. It is 0 if
// nothing was observed.
func (b buckets) quantile(q float64) float64 {
	if b.count <= 0 || len(b.below) == 0 {
		return 0
	}
	rank := min(max(q, 0), 1) * b.count
	from := bucket{}
	for _, to := range b.below {
		if math.IsInf(to.bound, 1) {
			break
		}
		if to.count >= rank && to.count > from.count {
			return from.bound + (to.bound-from.bound)*max(0, rank-from.count)/(to.count-from.count)
		}
		from = to
	}
	return from.bound
}

// mean is the mean of the observations, 0 if there was none.
func (b buckets) mean() float64 {
	if b.count <= 0 {
		return 0
	}
	return max(0, b.sum/b.count)
}

// largest is a bound that no observation exceeded; beyond the last bound it is
// that one, and 0 if nothing was observed.
func (b buckets) largest() float64 {
	if b.count <= 0 {
		return 0
	}
	last := 0.0
	for _, to := range b.below {
		if math.IsInf(to.bound, 1) {
			break
		}
		if last = to.bound; to.count >= b.count {
			break
		}
	}
	return last
}

// pulseOf says what happened between two readings.
func pulseOf(before, now reading, span time.Duration) inventory.Pulse {
	p := inventory.Pulse{Span: span, Refused: map[string]int{}, Queue: whole(now.queue)}
	for _, outcome := range slices.Sorted(maps.Keys(now.outcomes)) {
		n := whole(now.outcomes[outcome] - before.outcomes[outcome])
		switch {
		case n == 0, outcome == "replayed": // an answer that was given before
		case outcome == "placed":
			p.Placed = n
		default:
			p.Refused[outcome] = n
		}
	}
	seconds, batch, wait := now.seconds.since(before.seconds), now.batch.since(before.batch), now.lockWait.since(before.lockWait)
	p.P50, p.P95, p.P99 = inSeconds(seconds.quantile(.5)), inSeconds(seconds.quantile(.95)), inSeconds(seconds.quantile(.99))
	p.BatchMean, p.BatchMax = batch.mean(), whole(batch.largest())
	p.LockWait = inSeconds(wait.quantile(.95))
	return p
}

func whole(x float64) int { return int(min(max(x, 0), math.MaxInt32)) }

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
