package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"holdfast/inventory"
)

const planted = "hunter2-planted"

// source is a Source with a file of that text and mode ("" = none).
func source(t *testing.T, flags, env map[string]string, text string, mode os.FileMode) Source {
	t.Helper()
	src := Source{Flags: flags, Getenv: func(k string) string { return env[k] }, User: func() string { return "mira" }}
	if text != "" {
		src.File = filepath.Join(t.TempDir(), "holdfast.toml")
		if err := os.WriteFile(src.File, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return src
}

func TestLoad_precedence(t *testing.T) {
	t.Parallel()
	file := `listen = "127.0.0.1:1"`
	env := map[string]string{"HOLDFAST_LISTEN": "127.0.0.1:2"}
	flag := map[string]string{"listen": "127.0.0.1:3"}
	for want, src := range map[string]Source{
		"127.0.0.1:8080": source(t, nil, nil, "", 0),
		"127.0.0.1:1":    source(t, nil, nil, file, 0o644),
		"127.0.0.1:2":    source(t, nil, env, file, 0o644),
		"127.0.0.1:3":    source(t, flag, env, file, 0o644),
	} {
		c, err := Load(src)
		if err != nil || c.Listen != want {
			t.Errorf("Listen = %q, %v; want %q", c.Listen, err, want)
		}
	}
}

func TestLoad_secrets(t *testing.T) {
	t.Parallel()
	url := "postgres://holdfast:" + planted + "@db/holdfast"
	cases := map[string]struct {
		src   Source
		fault string // "" = accepted
	}{
		"passwordInTheFlag":         {source(t, map[string]string{"db": url}, nil, "", 0), "--db: has a password"},
		"passwordInTheFlagsQuery":   {source(t, map[string]string{"db": "postgres://db/x?password=" + planted}, nil, "", 0), "--db: has a password"},
		"passwordAsKeyword":         {source(t, map[string]string{"db": "host=db password = " + planted}, nil, "", 0), "--db: has a password"},
		"noPasswordInTheFlag":       {source(t, map[string]string{"db": "postgres://holdfast@db/holdfast?passfile=/x"}, nil, "", 0), ""},
		"passwordInTheEnvironment":  {source(t, nil, map[string]string{"HOLDFAST_DB": url}, "", 0), ""},
		"passwordInAPrivateFile":    {source(t, nil, nil, `db = "`+url+`"`, 0o600), ""},
		"passwordInAnOpenFile":      {source(t, nil, nil, `db = "`+url+`"`, 0o644), "holds a secret (db)"},
		"noPasswordInAnOpenFile":    {source(t, nil, nil, `db = "postgres://db/holdfast"`, 0o644), ""},
		"secretInAGroupFile":        {source(t, nil, nil, `sim_secret = "`+planted+`"`, 0o640), "holds a secret (sim_secret)"},
		"secretInAPrivateFile":      {source(t, nil, nil, `sim_secret = "`+planted+`"`, 0o600), ""},
		"mistakeInTheFileIsNoQuote": {source(t, nil, nil, `sim_secret = "`+planted, 0o600), "line 1: a mistake"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := Load(c.src)
			switch {
			case c.fault == "" && err != nil:
				t.Errorf("Load = %v, want it accepted", err)
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("Load = %v, want %q", err, c.fault)
			case err != nil && len(inventory.FieldErrors(err)) == 0:
				t.Errorf("Load = %v, want a FieldError", err)
			}
			if seen := everyWayToPrint(cfg) + fmt.Sprint(err); strings.Contains(seen, planted) {
				t.Errorf("the secret shows: %s", seen)
			}
		})
	}
}

func everyWayToPrint(c Config) string {
	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("configured", slog.Any("config", c), slog.Any("pointer", &c), slog.Any("secret", c.DB))
	}
	asJSON, _ := json.Marshal(c)
	return log.String() + string(asJSON) + fmt.Sprintf("%v %+v %#v %s %q", c, c, c, c.DB, c.SimSecret)
}

func TestLoad_credential(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "holdfast.sim_secret"), []byte(planted+"\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"CREDENTIALS_DIRECTORY": dir}
	c, err := Load(source(t, nil, env, `sim_secret = "from-file"`, 0o600))
	if err != nil || c.SimSecret.Reveal() != planted {
		t.Errorf("SimSecret = %q, %v; want the credential before the file", c.SimSecret.Reveal(), err)
	}
	env["HOLDFAST_SIM_SECRET"] = "from-env"
	if c, err = Load(source(t, nil, env, "", 0)); err != nil || c.SimSecret.Reveal() != "from-env" {
		t.Errorf("SimSecret = %q, %v; want the environment before the credential", c.SimSecret.Reveal(), err)
	}
}

func TestLoad_faults(t *testing.T) {
	t.Parallel()
	for fault, src := range map[string]Source{
		"--output: must be table, json or csv":      source(t, map[string]string{"output": "xml"}, nil, "", 0),
		"HOLDFAST_HOLD_CONNS: must be a whole":      source(t, nil, map[string]string{"HOLDFAST_HOLD_CONNS": "many"}, "", 0),
		"job-conns: must be from 2":                 source(t, nil, map[string]string{"HOLDFAST_JOB_CONNS": "1"}, "", 0),
		"lissen: is not a setting":                  source(t, nil, nil, `lissen = "x"`, 0o600),
		"listen: must be a string":                  source(t, nil, nil, `listen = ["x"]`, 0o600),
		"provider-url: needs the secret":            source(t, map[string]string{"provider_url": "http://127.0.0.1:1"}, nil, "", 0),
		"--provider-url: must be an http":           source(t, map[string]string{"provider_url": "http://u:p@h"}, nil, "", 0),
		"tls-cert: and tls-key":                     source(t, map[string]string{"tls_cert": "a"}, nil, "", 0),
		"HOLDFAST_LOG: must be debug":               source(t, nil, map[string]string{"HOLDFAST_LOG": "loud"}, "", 0),
		"config: cannot be read":                    {File: "/nonexistent/holdfast.toml", Getenv: func(string) string { return "" }},
		"HOLDFAST_INSECURE_LISTEN: must be true or": source(t, nil, map[string]string{"HOLDFAST_INSECURE_LISTEN": "perhaps"}, "", 0),
		"actor: must not contain control":           source(t, nil, map[string]string{"HOLDFAST_ACTOR": "mi\x1bra"}, "", 0),
	} {
		if _, err := Load(src); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("Load = %v, want %q", err, fault)
		}
	}
}

func TestConfig_ValidateListen(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change func(*Config)
		fault  string
	}{
		"loopback":           {func(*Config) {}, ""},
		"loopback6":          {func(c *Config) { c.Listen = "[::1]:8080" }, ""},
		"openWithoutTLS":     {func(c *Config) { c.Listen = "0.0.0.0:8080" }, "there is no TLS"},
		"everyAddress":       {func(c *Config) { c.Listen = ":8080" }, "there is no TLS"},
		"nameWithoutTLS":     {func(c *Config) { c.Listen = "db.internal:8080" }, "there is no TLS"},
		"openWithTLS":        {func(c *Config) { c.Listen, c.TLSCert, c.TLSKey = ":8443", "c", "k" }, ""},
		"openSaidAloud":      {func(c *Config) { c.Listen, c.InsecureListen = ":8080", true }, ""},
		"openDoorOnLoopback": {func(c *Config) { c.InsecureNoAuth = true }, ""},
		"openDoor":           {func(c *Config) { c.Listen, c.InsecureListen, c.InsecureNoAuth = ":8080", true, true }, "insecure-no-auth: is accepted only"},
		"openDoorWithTLS":    {func(c *Config) { c.Listen, c.TLSCert, c.TLSKey, c.InsecureNoAuth = ":8443", "c", "k", true }, "insecure-no-auth: is accepted only"},
		"noPort":             {func(c *Config) { c.Listen = "127.0.0.1" }, "listen: must be HOST:PORT"},
		"metricsOff":         {func(c *Config) { c.MetricsListen = "off" }, ""},
		"metricsNoPort":      {func(c *Config) { c.MetricsListen = "x" }, "metrics-listen: must be"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := defaults()
			c.change(&cfg)
			err := cfg.ValidateListen()
			if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
				t.Errorf("ValidateListen = %v, want %q", err, c.fault)
			}
		})
	}
}
