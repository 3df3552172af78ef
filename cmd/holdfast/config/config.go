// Package config decides how one run of holdfast is set up: a flag wins over
// the environment, which wins over a systemd credential, then the file, then
// the default.
//
// Secrets never come from a flag, which every user of the machine could read in
// ps, and never leave a Config in print: see [Secret].
package config

import (
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"strings"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/jobs"
)

// Config is one run's configuration. The comment on each field says its unit
// and default; the key in files, flags and the environment is in settings.go.
type Config struct {
	// DB is where PostgreSQL is, as a URL or keyword/value string. Empty: the
	// private local database, started on demand.
	DB Secret
	// DataDir is where the private local database keeps its data; default
	// holdfast's place in the user's data directory.
	DataDir string
	// Output is the format of what commands print; default table.
	Output output.Format
	// Raw leaves the guard against spreadsheet formulas out of CSV; default false.
	Raw bool
	// Actor is the person that the audit names; default the user of the
	// operating system.
	Actor string

	// Listen is where the daemon takes holds and webhooks; default 127.0.0.1:8080.
	Listen string
	// MetricsListen is where /metrics is; default 127.0.0.1:9090, "off" for none.
	MetricsListen string
	// TLSCert and TLSKey are files in PEM form; both or neither. They are needed
	// to listen on anything but loopback, unless InsecureListen.
	TLSCert, TLSKey string
	// InsecureListen allows plain HTTP on any address; default false.
	InsecureListen bool
	// InsecureNoAuth lets clients in without a token; accepted only on loopback.
	InsecureNoAuth bool
	// HoldConns is how many connections holds may use; default 16.
	HoldConns int
	// JobConns is how many connections jobs and webhooks may use, apart from
	// those of holds so that a flood of holds cannot starve them; default 6.
	JobConns int

	// RatePerClient, RatePerBuyer and RatePerIP limit requests of one API client,
	// for one buyer of a client, and from one address; defaults none, 20/s burst
	// 40, none.
	RatePerClient, RatePerBuyer, RatePerIP Rate
	// TrustedProxies are prefixes of proxies whose X-Forwarded-For is believed;
	// default none.
	TrustedProxies []netip.Prefix

	// ProviderURL is where the simulated payment provider is. Empty: this
	// installation takes no daemon-driven payments and sends no refunds.
	ProviderURL string
	// SimSecret is the webhook secret shared with the simulated provider;
	// required with ProviderURL.
	SimSecret Secret

	// StripeKey is the API key of Stripe, which is then the default provider;
	// default none. StripeSecret verifies its callbacks and is required with it,
	// StripeOldSecret does too while Stripe still signs with the old one.
	StripeKey, StripeSecret, StripeOldSecret Secret
	// StripeLive is the mode that the key must be of; default false, test mode.
	StripeLive bool

	// OutboxURL is where messages about bookings and money are posted; default
	// nowhere, and without any receiver they wait.
	OutboxURL string
	// OutboxLog publishes them to the daemon's log, too; default false.
	OutboxLog bool
	// OutboxSecret signs them; required with OutboxURL. OutboxOldSecret signs too
	// while a receiver still has the old one.
	OutboxSecret, OutboxOldSecret Secret
	// OutboxAllow are hosts and prefixes that OutboxURL may name although they
	// are not public, for receivers on one's own network; default none.
	OutboxAllow []string
	// OutboxNATS is a NATS server with JetStream that messages are published to;
	// default none. OutboxStream refuses any other stream, OutboxNATSCreds is a
	// credentials file.
	OutboxNATS, OutboxStream, OutboxNATSCreds string

	// Keep says how long the purge job keeps what is over: idempotency keys (7
	// days, at least 72 h), bodies of callbacks (90 days), runs of jobs (14 days),
	// and bookings that came to nothing before they go to the archive (400 days;
	// "never" leaves them).
	Keep jobs.Retention

	// Log is the level from which on the daemon logs; default info.
	Log slog.Level
}

func defaults() Config {
	return Config{
		Output: output.Table, Listen: "127.0.0.1:8080", MetricsListen: "127.0.0.1:9090",
		HoldConns: 16, JobConns: 6, RatePerBuyer: Rate{PerSecond: 20, Burst: 40}, Keep: jobs.DefaultRetention(), Log: slog.LevelInfo,
	}
}

// LogValue shows what may be seen.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Any("db", c.DB), slog.String("actor", c.Actor), slog.String("listen", c.Listen),
		slog.String("metrics_listen", c.MetricsListen), slog.Bool("tls", c.TLSCert != ""),
		slog.Int("hold_conns", c.HoldConns), slog.Int("job_conns", c.JobConns),
		slog.String("rate_per_client", c.RatePerClient.String()), slog.String("rate_per_buyer", c.RatePerBuyer.String()),
		slog.String("rate_per_ip", c.RatePerIP.String()),
		slog.String("provider_url", c.ProviderURL), slog.Any("sim_secret", c.SimSecret),
		slog.Any("stripe_key", c.StripeKey), slog.Any("stripe_secret", c.StripeSecret), slog.Bool("stripe_live", c.StripeLive),
		slog.String("outbox_url", c.OutboxURL), slog.Any("outbox_secret", c.OutboxSecret), slog.String("outbox_nats", c.OutboxNATS))
}

// Validate reports every fault of the configuration, whatever the command.
func (c Config) Validate() error {
	errs := []error{inventory.CheckText("actor", c.Actor, 100), c.Keep.Validate()}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		errs = append(errs, inventory.Invalid("tls-cert", "and tls-key must be given together"))
	}
	if c.HoldConns < 1 || c.HoldConns > 1000 {
		errs = append(errs, inventory.Invalid("hold-conns", "must be from 1 to 1000"))
	}
	if c.JobConns < 2 || c.JobConns > 1000 {
		errs = append(errs, inventory.Invalid("job-conns", "must be from 2 to 1000"))
	}
	if c.ProviderURL != "" && c.SimSecret == "" {
		errs = append(errs, inventory.Invalid("provider-url", "needs the secret of the simulated provider (HOLDFAST_SIM_SECRET)"))
	}
	if c.StripeKey != "" && c.StripeSecret == "" {
		errs = append(errs, inventory.Invalid("HOLDFAST_STRIPE_KEY", "needs the secret that verifies callbacks (HOLDFAST_STRIPE_SECRET)"))
	}
	if c.OutboxURL != "" && c.OutboxSecret == "" {
		errs = append(errs, inventory.Invalid("outbox-url", "needs a secret to sign with (HOLDFAST_OUTBOX_SECRET)"))
	}
	return errors.Join(errs...)
}

// ValidateListen reports what is wrong with the daemon's listeners: nothing
// but loopback without TLS, and no open door but on loopback.
func (c Config) ValidateListen() error {
	loopback, err := isLoopback("listen", c.Listen)
	errs := []error{err}
	if err == nil && !loopback {
		if c.TLSCert == "" && !c.InsecureListen {
			errs = append(errs, inventory.Invalid("listen",
				"%s is reachable from other machines and there is no TLS: give --tls-cert and --tls-key, or put a proxy in front and say --insecure-listen", c.Listen))
		}
		if c.InsecureNoAuth {
			errs = append(errs, inventory.Invalid("insecure-no-auth", "is accepted only on a loopback address, not on %s", c.Listen))
		}
	}
	if c.MetricsListen != "off" {
		_, err := isLoopback("metrics-listen", c.MetricsListen)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// isLoopback looks at the address as written. A name counts as loopback only if
// it is "localhost": what another one resolves to can change.
func isLoopback(field, address string) (bool, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil || strings.Trim(port, "0123456789") != "" || port == "" {
		return false, inventory.Invalid(field, "must be HOST:PORT, such as 127.0.0.1:8080")
	}
	if host == "localhost" {
		return true, nil
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback(), nil
}
