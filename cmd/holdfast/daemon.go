package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"

	"github.com/spf13/cobra"

	"holdfast/cmd/holdfast/daemon"
	"holdfast/inventory/httpapi"
	"holdfast/timezone"
)

func (a *app) daemonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "daemon", Aliases: []string{"cron"}, Args: exactly(),
		Short: "Run the scheduler and the listener until SIGTERM, which drains",
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.runDaemon(cmd.Context()) },
	}
	flags := cmd.Flags()
	settingFlag(flags, "listen", "", "127.0.0.1:8080", "address for holds and webhooks")
	settingFlag(flags, "metrics_listen", "", "127.0.0.1:9090", "address for /metrics, or off")
	settingFlag(flags, "tls_cert", "", "", "certificate in PEM form, read again when it changes")
	settingFlag(flags, "tls_key", "", "", "its key in PEM form")
	settingBool(flags, "insecure_listen", "plain HTTP on an address that others can reach, for use behind a proxy")
	settingBool(flags, "insecure_no_auth", "let everybody in without a token; on loopback only")
	settingFlag(flags, "provider_url", "", "", "where the simulated payment provider is; its secret is HOLDFAST_SIM_SECRET")
	settingBool(flags, "stripe_live", "take real money through Stripe; the keys are HOLDFAST_STRIPE_KEY and HOLDFAST_STRIPE_SECRET")
	settingFlag(flags, "outbox_url", "", "", "where messages about bookings are posted; the secret is HOLDFAST_OUTBOX_SECRET (default they wait)")
	settingFlag(flags, "outbox_allow", "", "", "hosts or prefixes that outbox-url may name although they are not public")
	settingBool(flags, "outbox_log", "publish messages to the log")
	settingFlag(flags, "outbox_nats", "", "", "NATS server with JetStream that messages are published to")
	settingFlag(flags, "outbox_stream", "", "", "the one stream that may take them (default whichever takes the subject)")
	settingFlag(flags, "hold_conns", "", "16", "database connections for holds")
	settingFlag(flags, "job_conns", "", "6", "database connections for jobs and webhooks")
	retentionFlags(flags)
	settingFlag(flags, "rate_per_client", "", "0", `requests of one API client, such as "100/s burst 200" (0: no limit)`)
	settingFlag(flags, "rate_per_buyer", "", "20/s burst 40", "holds and admissions for one buyer of a client")
	settingFlag(flags, "rate_per_ip", "", "0", "requests from one address")
	settingFlag(flags, "trusted_proxies", "", "", "prefixes of proxies whose X-Forwarded-For is believed")
	settingFlag(flags, "log", "", "info", "log level: debug, info, warn or error")
	return cmd
}

// runDaemon serves until ctx ends, which is a clean end.
func (a *app) runDaemon(ctx context.Context) error {
	if err := a.cfg.ValidateListen(); err != nil {
		return err
	}
	log := jsonLog(a.stderr, a.cfg.Log)
	cfg := daemon.Config{
		HoldConns: a.cfg.HoldConns, JobConns: a.cfg.JobConns, NoAuth: a.cfg.InsecureNoAuth, Keep: a.cfg.Keep,
		Limits: httpapi.Limits{
			PerClient: httpapi.Rate(a.cfg.RatePerClient), PerBuyer: httpapi.Rate(a.cfg.RatePerBuyer), PerIP: httpapi.Rate(a.cfg.RatePerIP),
			TrustedProxies: a.cfg.TrustedProxies,
		},
		Instance: instanceName("daemon"), Clock: timezone.SystemClock{}, Log: log,
	}
	providers, err := a.providers()
	if err != nil {
		return err
	}
	cfg.Providers = providers
	sink, stop, err := a.sink(log)
	if err != nil {
		return err
	}
	defer stop()
	cfg.Sink = sink
	if cfg.TLS, err = a.loadTLS(log); err != nil {
		return err
	}
	dsn, done, err := a.database(ctx)
	if err != nil {
		return err
	}
	defer done()
	cfg.DSN = dsn
	if cfg.Listener, err = listen(ctx, a.cfg.Listen); err != nil {
		return err
	}
	if a.cfg.MetricsListen != "off" {
		if cfg.Metrics, err = listen(ctx, a.cfg.MetricsListen); err != nil {
			_ = cfg.Listener.Close()
			return err
		}
	}
	a.tuneMemory()
	log.LogAttrs(ctx, slog.LevelInfo, "the daemon starts", slog.Any("config", a.cfg), slog.String("version", buildVersion().Version))
	return daemon.Run(ctx, cfg)
}

// A daemon keeps little and makes much: collecting garbage at each doubling of
// a few megabytes cost a tenth of its time. It collects more seldom, and often
// again where memory would grow past what one small machine has to spare.
const (
	gcPercent   = 400
	memoryLimit = 160 << 20 // of the heap, in bytes; the rest of the process comes on top
)

// tuneMemory leaves alone what the operator has set in Go's own variables.
func (a *app) tuneMemory() {
	if a.getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if a.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}

func (a *app) loadTLS(log *slog.Logger) (*tls.Config, error) {
	if a.cfg.TLSCert == "" {
		return nil, nil //nolint:nilnil // plain HTTP
	}
	return daemon.LoadTLS(a.cfg.TLSCert, a.cfg.TLSKey, log)
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return ln, nil
}
