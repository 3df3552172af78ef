package daemon

import (
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"holdfast/inventory/pgstore"
)

// storeMetrics counts how the stores of this process work. It is their observer.
type storeMetrics struct {
	batch        prometheus.Histogram
	batchSeconds prometheus.Histogram
	lockWait     prometheus.Histogram
	expired      *prometheus.CounterVec
}

// stepBuckets are seconds of one step at the database, which ends with its lock
// or statement limit at the latest.
var stepBuckets = []float64{.0005, .001, .002, .004, .008, .015, .03, .06, .1, .2, .3, .5, .8, 1.2}

func newStoreMetrics(r prometheus.Registerer) *storeMetrics {
	m := &storeMetrics{
		batch: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "holdfast_hold_batch_size", Help: "Holds that were decided together in one statement.",
			Buckets: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256},
		}),
		batchSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "holdfast_hold_batch_seconds", Help: "How long such a statement took, with the wait for a connection.", Buckets: stepBuckets,
		}),
		lockWait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "holdfast_hold_lock_wait_seconds", Help: "Time until holds, changes and confirmations had the lock of their places.", Buckets: stepBuckets,
		}),
		expired: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_holds_expired_total", Help: "Overdue holds whose places were given back: by the sweep, or by reclaim, for somebody who wanted them.",
		}, []string{"by"}),
	}
	for _, by := range []pgstore.ExpiredBy{pgstore.ExpiredBySweep, pgstore.ExpiredByReclaim} {
		m.expired.WithLabelValues(string(by)) // shown as 0 from the start
	}
	r.MustRegister(m.batch, m.batchSeconds, m.lockWait, m.expired)
	return m
}

// Batch implements pgstore.Observer.
func (m *storeMetrics) Batch(holds int, took time.Duration) {
	m.batch.Observe(float64(holds))
	m.batchSeconds.Observe(max(0, took.Seconds()))
}

// LockWait implements pgstore.Observer.
func (m *storeMetrics) LockWait(took time.Duration) { m.lockWait.Observe(max(0, took.Seconds())) }

// Expired implements pgstore.Observer.
func (m *storeMetrics) Expired(by pgstore.ExpiredBy, holds int) {
	m.expired.WithLabelValues(string(by)).Add(float64(holds))
}

// watchQueue exports how many holds wait in store.
func watchQueue(r prometheus.Registerer, store *pgstore.Store) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_hold_queue_length", Help: "Holds that wait in this daemon for the next batch or for their turn.",
	}, func() float64 { return float64(store.Waiting()) }))
}

// connections exports how much a pool of connections is used. It is collected,
// not counted: pgx counts by itself.
type connections struct {
	pools map[string]*pgxpool.Pool // by what they are used for

	open, most, acquired, waits, waited, gaveUp *prometheus.Desc
}

func watchConnections(r prometheus.Registerer, pools map[string]*pgxpool.Pool) {
	desc := func(name, help string, more ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"use"}, more...), nil)
	}
	r.MustRegister(&connections{
		pools:    pools,
		open:     desc("holdfast_db_connections", "Connections to PostgreSQL, by what for (holds or jobs) and state: acquired, idle or constructing.", "state"),
		most:     desc("holdfast_db_connections_max", "How many connections there may be."),
		acquired: desc("holdfast_db_acquires_total", "Connections that were handed out."),
		waits:    desc("holdfast_db_waits_total", "Times that a connection was waited for, since all were in use."),
		waited:   desc("holdfast_db_wait_seconds_total", "Time spent on those waits."),
		gaveUp:   desc("holdfast_db_gave_up_total", "Waits for a connection that ended without one."),
	})
}

// Describe implements prometheus.Collector.
func (c *connections) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.open, c.most, c.acquired, c.waits, c.waited, c.gaveUp} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (c *connections) Collect(to chan<- prometheus.Metric) {
	for use, pool := range c.pools {
		stat := pool.Stat()
		send := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, more ...string) {
			to <- prometheus.MustNewConstMetric(d, kind, value, append([]string{use}, more...)...)
		}
		send(c.open, prometheus.GaugeValue, float64(stat.AcquiredConns()), "acquired")
		send(c.open, prometheus.GaugeValue, float64(stat.IdleConns()), "idle")
		send(c.open, prometheus.GaugeValue, float64(stat.ConstructingConns()), "constructing")
		send(c.most, prometheus.GaugeValue, float64(stat.MaxConns()))
		send(c.acquired, prometheus.CounterValue, float64(stat.AcquireCount()))
		send(c.waits, prometheus.CounterValue, float64(stat.EmptyAcquireCount()))
		send(c.waited, prometheus.CounterValue, stat.EmptyAcquireWaitTime().Seconds())
		send(c.gaveUp, prometheus.CounterValue, float64(stat.CanceledAcquireCount()))
	}
}
