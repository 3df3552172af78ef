package daemon

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/inventory"
)

// jobMetrics counts runs of jobs.
type jobMetrics struct {
	runs    *prometheus.CounterVec
	done    *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newJobMetrics(r prometheus.Registerer) *jobMetrics {
	m := &jobMetrics{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_job_runs_total", Help: "Runs of jobs that ended, by outcome: ok or failed.",
		}, []string{"job", "outcome"}),
		done: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_job_done_total", Help: "What jobs did: holds expired, days made, refunds answered, events applied, violations found.",
		}, []string{"job"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_job_run_seconds", Help: "How long a run took.",
			Buckets: []float64{.005, .02, .05, .1, .5, 1, 5, 15, 60},
		}, []string{"job"}),
	}
	r.MustRegister(m.runs, m.done, m.seconds)
	return m
}

// JobRan implements jobs.Observer.
func (m *jobMetrics) JobRan(job inventory.JobName, took time.Duration, done int, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.runs.WithLabelValues(string(job), outcome).Inc()
	m.done.WithLabelValues(string(job)).Add(float64(done))
	m.seconds.WithLabelValues(string(job)).Observe(took.Seconds())
}
