package daemon

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"holdfast/inventory"
)

// newRegistry is where everything is counted that this process exports.
func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), buildInfo())
	return r
}

// buildInfo is 1; its labels say what runs.
func buildInfo() prometheus.Collector {
	labels := prometheus.Labels{"version": "(devel)", "revision": "", "go": runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			labels["version"] = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				labels["revision"] = s.Value
			}
		}
	}
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "holdfast_build_info", Help: "Always 1; the labels say what this daemon was built from.", ConstLabels: labels,
	})
	g.Set(1)
	return g
}

// jobMetrics counts runs of jobs. Their label is name: Prometheus has a job of its
// own.
type jobMetrics struct {
	runs    *prometheus.CounterVec
	done    *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newJobMetrics(r prometheus.Registerer) *jobMetrics {
	m := &jobMetrics{
		runs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_job_runs_total", Help: "Runs of jobs that ended in this daemon, by outcome: ok or failed.",
		}, []string{"name", "outcome"}),
		done: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_job_done_total", Help: "What jobs did: holds expired, days made, refunds answered, events applied, violations found.",
		}, []string{"name"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_job_run_seconds", Help: "How long a run of a job took.",
			Buckets: []float64{.005, .02, .05, .1, .5, 1, 5, 15, 60},
		}, []string{"name"}),
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
