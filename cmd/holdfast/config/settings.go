package config

import (
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
)

// setting is one key of the configuration. In a file it is written as it is, as
// a flag with hyphens, in the environment as HOLDFAST_ and capitals.
type setting struct {
	key    string
	secret bool // has no flag; from a file only if nobody else can read it
	set    func(*Config, string) error
}

var settings = []setting{
	{"db", false, func(c *Config, s string) error { c.DB = Secret(s); return nil }}, // its secrecy depends on the value
	{"data_dir", false, text(func(c *Config) *string { return &c.DataDir })},
	{"output", false, func(c *Config, s string) (err error) { c.Output, err = output.ParseFormat(s); return err }},
	{"raw", false, boolean(func(c *Config) *bool { return &c.Raw })},
	{"actor", false, text(func(c *Config) *string { return &c.Actor })},
	{"listen", false, text(func(c *Config) *string { return &c.Listen })},
	{"metrics_listen", false, text(func(c *Config) *string { return &c.MetricsListen })},
	{"tls_cert", false, text(func(c *Config) *string { return &c.TLSCert })},
	{"tls_key", false, text(func(c *Config) *string { return &c.TLSKey })},
	{"insecure_listen", false, boolean(func(c *Config) *bool { return &c.InsecureListen })},
	{"insecure_no_auth", false, boolean(func(c *Config) *bool { return &c.InsecureNoAuth })},
	{"hold_conns", false, number(func(c *Config) *int { return &c.HoldConns })},
	{"job_conns", false, number(func(c *Config) *int { return &c.JobConns })},
	{"rate_per_client", false, rate(func(c *Config) *Rate { return &c.RatePerClient })},
	{"rate_per_buyer", false, rate(func(c *Config) *Rate { return &c.RatePerBuyer })},
	{"rate_per_ip", false, rate(func(c *Config) *Rate { return &c.RatePerIP })},
	{"trusted_proxies", false, setTrustedProxies},
	{"provider_url", false, setProviderURL},
	{"sim_secret", true, func(c *Config, s string) error { c.SimSecret = Secret(s); return nil }},
	{"stripe_key", true, func(c *Config, s string) error { c.StripeKey = Secret(s); return nil }},
	{"stripe_secret", true, func(c *Config, s string) error { c.StripeSecret = Secret(s); return nil }},
	{"stripe_old_secret", true, func(c *Config, s string) error { c.StripeOldSecret = Secret(s); return nil }},
	{"stripe_live", false, boolean(func(c *Config) *bool { return &c.StripeLive })},
	{"outbox_url", false, text(func(c *Config) *string { return &c.OutboxURL })},
	{"outbox_secret", true, func(c *Config, s string) error { c.OutboxSecret = Secret(s); return nil }},
	{"outbox_old_secret", true, func(c *Config, s string) error { c.OutboxOldSecret = Secret(s); return nil }},
	{"outbox_allow", false, list(func(c *Config) *[]string { return &c.OutboxAllow })},
	{"outbox_log", false, boolean(func(c *Config) *bool { return &c.OutboxLog })},
	{"outbox_nats", false, text(func(c *Config) *string { return &c.OutboxNATS })},
	{"outbox_stream", false, text(func(c *Config) *string { return &c.OutboxStream })},
	{"outbox_nats_creds", false, text(func(c *Config) *string { return &c.OutboxNATSCreds })},
	{"retention_keys", false, age(func(c *Config) *time.Duration { return &c.Keep.Keys })},
	{"retention_callbacks", false, age(func(c *Config) *time.Duration { return &c.Keep.Callbacks })},
	{"retention_runs", false, age(func(c *Config) *time.Duration { return &c.Keep.Runs })},
	{"archive_after", false, setArchiveAfter},
	{"log", false, func(c *Config, s string) error {
		if err := c.Log.UnmarshalText([]byte(s)); err != nil {
			return problem("must be debug, info, warn or error")
		}
		return nil
	}},
}

// problem is what is wrong with a value; who reads the value adds its name.
type problem string

func (p problem) Error() string { return string(p) }

func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, s string) error { *field(c) = s; return nil }
}

// list reads entries separated by commas.
func list(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, s string) error {
		*field(c) = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
}

func boolean(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, s string) error {
		b, err := strconv.ParseBool(s)
		if err != nil {
			return problem("must be true or false")
		}
		*field(c) = b
		return nil
	}
}

func number(field func(*Config) *int) func(*Config, string) error {
	return func(c *Config, s string) error {
		n, err := strconv.Atoi(s)
		if err != nil {
			return problem("must be a whole number")
		}
		*field(c) = n
		return nil
	}
}

// setProviderURL refuses a user and password in the address: they would be
// logged with it.
func setProviderURL(c *Config, s string) error {
	if s != "" {
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return problem("must be an http or https URL without a user")
		}
	}
	c.ProviderURL = s
	return nil
}

func find(key string) (setting, bool) {
	for _, s := range settings {
		if s.key == key {
			return s, true
		}
	}
	return setting{}, false
}

// apply sets a value and names the place it came from in the error, never the
// value, which may be a secret.
func (s setting) apply(c *Config, value, place string) error {
	if err := s.set(c, value); err != nil {
		return inventory.Invalid(place, "%s", err.Error())
	}
	return nil
}

var _ slog.LogValuer = Config{}
