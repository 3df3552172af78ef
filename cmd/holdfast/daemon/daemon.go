// Package daemon is one running daemon: the scheduler and the listener on one
// database, with a connection pool for holds and one for everything that a
// flood of holds must not starve. Any number of daemons may share a database.
package daemon

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"holdfast/inventory/httpapi"
	"holdfast/inventory/pgstore"
	"holdfast/jobs"
	"holdfast/timezone"
)

// closeLimit bounds waiting for connections that somebody still uses after
// everything has ended.
const closeLimit = 3 * time.Second

// Provider is a payment provider as the daemon uses it: the listener takes its
// payments and callbacks, the refund job gives money back.
type Provider interface {
	httpapi.Provider
	jobs.Provider
}

// Config is what a daemon is made from.
type Config struct {
	DSN                 string // required; its schema must fit
	HoldConns, JobConns int    // required: the sizes of the two pools

	Listener  net.Listener    // required
	TLS       *tls.Config     // nil: plain HTTP
	Metrics   net.Listener    // nil: no metrics
	Limits    httpapi.Limits  // zero: none
	NoAuth    bool            // everybody is let in; for loopback only
	Providers []Provider      // the first is the default
	Sink      jobs.OutboxSink // where the journal is published; nil: it waits
	Keep      jobs.Retention  // how long what is over is kept; zero: the default

	Instance string                                // names this daemon in job_run
	Tune     func([]jobs.Schedule) []jobs.Schedule // changes the standard schedules; nil leaves them
	Clock    timezone.Clock
	Log      *slog.Logger
}

// Run serves until ctx ends, then drains: readiness goes red, nothing new is
// accepted, requests get 10 s and jobs 10 s to end, the pools are closed last.
// It returns nil after a clean end, always within 25 s of the order to stop. If
// one part fails the others are stopped, too. The listeners are closed in any
// case.
func Run(ctx context.Context, cfg Config) error {
	defer closeListeners(cfg)
	holds, err := pgstore.Connect(ctx, cfg.DSN, pgstore.PoolConfig{MaxConns: cfg.HoldConns, AppName: "holdfast holds"})
	if err != nil {
		return err
	}
	defer closePool(ctx, holds, cfg.Log)
	work, err := pgstore.Connect(ctx, cfg.DSN, pgstore.PoolConfig{MaxConns: cfg.JobConns, AppName: "holdfast jobs"})
	if err != nil {
		return err
	}
	defer closePool(ctx, work, cfg.Log)

	registry, sales := newRegistry(), prometheus.NewRegistry() // sales: what the pulse reads, which must cost nothing
	observer := newStoreMetrics(sales)
	store := pgstore.New(work, cfg.Log, pgstore.WithObserver(observer))
	selling := pgstore.New(holds, cfg.Log, pgstore.WithObserver(observer))
	watchQueue(sales, selling)
	watchConnections(registry, map[string]*pgxpool.Pool{"holds": holds, "jobs": work})
	watchVitals(registry, store.Vitals, cfg.Clock, cfg.Log)
	cfg.Providers = measured(registry, cfg.Providers, cfg.Clock)
	api, err := newAPI(cfg, selling, store, sales, prometheus.Gatherers{sales, registry})
	if err != nil {
		return err
	}
	beat := pulser{
		instance: cfg.Instance, read: func() (reading, error) { return readSales(sales) }, write: store.WritePulse,
		clock: cfg.Clock, log: cfg.Log,
	}
	return serve(ctx, cfg, api, newScheduler(cfg, store, registry), beat.run)
}

func newAPI(cfg Config, holds, inbox *pgstore.Store, registry *prometheus.Registry, shown prometheus.Gatherer) (*httpapi.API, error) {
	providers := make([]httpapi.Provider, len(cfg.Providers))
	for i, p := range cfg.Providers {
		providers[i] = p
	}
	return httpapi.New(httpapi.Config{
		Store: holds, Inbox: inbox, Rooms: inbox, Limits: cfg.Limits, Providers: providers, Registry: registry, Gatherer: shown,
		Clock: cfg.Clock, Log: cfg.Log, InsecureNoAuth: cfg.NoAuth,
	})
}

func newScheduler(cfg Config, store *pgstore.Store, registry *prometheus.Registry) *jobs.Scheduler {
	providers := make(map[string]jobs.Provider, len(cfg.Providers))
	for _, p := range cfg.Providers {
		providers[p.Name()] = p
	}
	keep := cfg.Keep
	if keep == (jobs.Retention{}) {
		keep = jobs.DefaultRetention()
	}
	schedules := jobs.Standard(store, providers, cfg.Sink, keep, cfg.Log)
	if cfg.Tune != nil {
		schedules = cfg.Tune(schedules)
	}
	runner := jobs.NewRunner(store, cfg.Instance, cfg.Clock, cfg.Log, newJobMetrics(registry))
	return jobs.NewScheduler(runner, schedules, cfg.Clock, cfg.Log)
}

func serve(ctx context.Context, cfg Config, api *httpapi.API, scheduler *jobs.Scheduler, pulse func(context.Context) error) error {
	listener := cfg.Listener
	if cfg.TLS != nil {
		listener = tls.NewListener(listener, cfg.TLS)
	}
	parts, ctx := errgroup.WithContext(ctx)
	parts.Go(func() error { return api.Serve(ctx, listener) })
	parts.Go(func() error { return scheduler.Run(ctx) })
	parts.Go(func() error { return pulse(ctx) })
	if cfg.Metrics != nil {
		parts.Go(func() error { return api.ServeMetrics(ctx, cfg.Metrics) })
	}
	cfg.Log.LogAttrs(ctx, slog.LevelInfo, "the daemon is ready", slog.String("address", cfg.Listener.Addr().String()))
	err := parts.Wait()
	cfg.Log.LogAttrs(context.WithoutCancel(ctx), slog.LevelInfo, "the daemon has stopped")
	if err != nil {
		return fmt.Errorf("daemon: %w", err)
	}
	return nil
}

func closeListeners(cfg Config) {
	// Whoever served on them has closed them; then this is an error without meaning.
	_ = cfg.Listener.Close()
	if cfg.Metrics != nil {
		_ = cfg.Metrics.Close()
	}
}

// closePool waits for connections to come back, but not for ever.
func closePool(ctx context.Context, pool *pgxpool.Pool, log *slog.Logger) {
	closed := make(chan struct{})
	go func() {
		pool.Close()
		close(closed)
	}()
	timer := time.NewTimer(closeLimit)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
		log.LogAttrs(context.WithoutCancel(ctx), slog.LevelWarn, "connections were not given back",
			slog.Int("count", int(pool.Stat().AcquiredConns())))
	}
}
