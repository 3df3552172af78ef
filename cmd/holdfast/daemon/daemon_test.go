package daemon_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/cmd/holdfast/daemon"
	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
	"holdfast/jobs"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const secretText = "a secret of this test"

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

func secret(t *testing.T) signature.Secret {
	t.Helper()
	s, err := signature.NewSecret(secretText)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// config is a small daemon on a test's database whose jobs run often.
func config(t *testing.T, dsn string) daemon.Config {
	t.Helper()
	provider, err := simulated.NewProvider(simulated.ProviderConfig{
		BaseURL: "http://127.0.0.1:1", Secrets: []signature.Secret{secret(t)}, // nobody is there: only callbacks are used
	})
	if err != nil {
		t.Fatal(err)
	}
	return daemon.Config{
		DSN: dsn, HoldConns: 4, JobConns: 3, Listener: listen(t), NoAuth: true, Providers: []daemon.Provider{provider},
		Instance: t.Name(), Clock: timezone.SystemClock{}, Log: slog.New(slog.DiscardHandler),
		Tune: func(all []jobs.Schedule) []jobs.Schedule {
			for i := range all {
				all[i].Every = 200 * time.Millisecond
			}
			return all
		},
	}
}

// run starts a daemon; stop ends it and gives its error.
func run(t *testing.T, cfg daemon.Config) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- daemon.Run(ctx, cfg) }()
	return sync.OnceValue(func() error { cancel(); return <-ended })
}

// await looks until ok says so.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s never came", what)
		}
	}
}

func TestRun_jobsWork(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.HoldTTL(time.Second))
	hold := s.Hold(t, "u-1", 3)
	stop := run(t, config(t, s.DB.URL))
	await(t, "the sweep", func() bool { return s.State(t, hold.ID) == inventory.StateExpired })
	if taken := s.Taken(t); taken != 0 {
		t.Errorf("%d taken after the sweep, want 0", taken)
	}
	await(t, "a run of every job", func() bool {
		all, err := s.Store.Jobs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ran := map[inventory.JobName]bool{}
		for _, j := range all {
			ran[j.Name] = !j.LastSuccess.IsZero()
		}
		return ran["sweep"] && ran["reconcile"] && ran["refund"] && ran["horizon"] && ran["check"]
	})
	if err := stop(); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
}

// Two daemons with every job ten times a second share the work of 300 holds
// that end together: each gives its place back once.
func TestRun_twoDaemonsSweepOnce(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.HoldTTL(2*time.Second), pgtest.Capacity(1000, 0), pgtest.PerBuyer(0))
	for i := range 300 {
		s.Hold(t, fmt.Sprintf("u-%d", i), 2)
	}
	one, two := run(t, config(t, s.DB.URL)), run(t, config(t, s.DB.URL))
	await(t, "the end of all holds", func() bool { return s.Taken(t) == 0 })
	if err := errors.Join(one(), two()); err != nil {
		t.Error(err)
	}
	s.DB.AssertNoDeadlocks(t)
}

// B44: buyers who all wait for locked days use up their own pool, and each
// gets an answer in time; callbacks of the provider are taken in meanwhile.
func TestRun_B44_holdsDoNotStarveCallbacks(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.PerBuyer(0))
	hold := s.Hold(t, "early", 1)
	cfg := config(t, s.DB.URL)
	cfg.Tune = func([]jobs.Schedule) []jobs.Schedule { return nil }
	url := "http://" + cfg.Listener.Addr().String()
	stop := run(t, cfg)
	await(t, "the listener", func() bool { return get(t, http.DefaultClient, url+"/readyz") == http.StatusOK })

	tx, err := s.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	if _, err := tx.Exec(t.Context(), "SELECT FROM pool_day FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	var buyers sync.WaitGroup
	for i := range 40 {
		buyers.Go(func() {
			from := time.Now()
			body := fmt.Sprintf(`{"pool":%q,"day":%q,"quantity":1,"buyer":"u-%d"}`, s.Pool.Ref, s.Day.Add(date.PeriodOfDays(i%7)), i)
			status := post(t, url+"/holds", http.Header{"Idempotency-Key": {fmt.Sprintf("k-%d", i)}}, body)
			if took := time.Since(from); status != http.StatusServiceUnavailable || took > 3*time.Second {
				t.Errorf("a hold behind the lock: %d after %v, want 503 soon", status, took)
			}
		})
	}
	// Not before the buyers have used up their connections.
	await(t, "the crowd at the lock", func() bool {
		var waiting int
		if err := s.DB.Pool.QueryRow(t.Context(), sqlWaiting).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		return waiting >= cfg.HoldConns
	})
	for i := range 3 {
		id := fmt.Sprintf("evt_%d", i)
		event := fmt.Sprintf(`{"type":"payment.succeeded","id":%q,"created":%d,"live":false,"data":{"payment":"pay_1","reference":%q,"amountMinor":%d,"currency":"EUR"}}`,
			id, time.Now().Unix(), hold.ID, hold.Amount.Minor)
		header := http.Header{}
		if err := signature.NewSigner(secret(t)).Sign(header, id, time.Now(), []byte(event)); err != nil {
			t.Fatal(err)
		}
		from := time.Now()
		status := post(t, url+"/payments/webhook", header, event)
		if took := time.Since(from); status >= 300 || took > time.Second {
			t.Errorf("callback %d: %d after %v, want it stored at once", i, status, took)
		}
	}
	buyers.Wait()
	_ = tx.Rollback(t.Context())
	if err := stop(); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
}

const sqlWaiting = `-- test.waiting
SELECT count(*)
  FROM pg_stat_activity
 WHERE datname = current_database() AND application_name = 'holdfast holds' AND wait_event_type = 'Lock'`

func post(t *testing.T, url string, header http.Header, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Error(err)
		return 0
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// get is the status of a GET, 0 if there was no answer.
func get(t *testing.T, client *http.Client, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

func TestRun_oneFailingPartStopsTheOthers(t *testing.T) {
	t.Parallel()
	cfg := config(t, pgtest.DB(t).URL)
	cfg.Metrics = listen(t)
	_ = cfg.Metrics.Close()
	ended := make(chan error, 1)
	go func() { ended <- daemon.Run(t.Context(), cfg) }()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), cfg.Metrics.Addr().String()) {
			t.Errorf("Run = %v, want the broken listener", err)
		}
	case <-time.After(25 * time.Second):
		t.Fatal("the daemon goes on without its metrics")
	}
}

func TestRun_noDatabase(t *testing.T) {
	t.Parallel()
	cfg := config(t, "postgres://holdfast@127.0.0.1:1/holdfast")
	if err := daemon.Run(t.Context(), cfg); !errors.Is(err, inventory.ErrUnavailable) {
		t.Errorf("Run = %v, want ErrUnavailable", err)
	}
	// Not asked by dialling: a test beside this one may listen there by now.
	if err := cfg.Listener.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener was left open: closing it = %v", err)
	}
}

// writePair writes a certificate for 127.0.0.1 with this serial number.
func writePair(t *testing.T, certFile, keyFile string, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "holdfast test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) {
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		stamp := time.Unix(1_800_000_000+serial, 0) // file systems with coarse times see the change too
		if err := os.Chtimes(name, stamp, stamp); err != nil {
			t.Fatal(err)
		}
	}
	write(keyFile, "EC PRIVATE KEY", keyDER)
	write(certFile, "CERTIFICATE", der)
}

// serial is the serial number of the certificate that a new connection sees.
func serial(t *testing.T, address string, version uint16) (int64, error) {
	t.Helper()
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MaxVersion: version}) //nolint:gosec // a test's own certificate
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64(), nil
}

func TestRun_TLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writePair(t, cert, key, 1)
	cfg := config(t, pgtest.DB(t).URL)
	var err error
	if cfg.TLS, err = daemon.LoadTLS(cert, key, cfg.Log); err != nil {
		t.Fatal(err)
	}
	address := cfg.Listener.Addr().String()
	stop := run(t, cfg)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // as above
	await(t, "the listener", func() bool { return get(t, client, "https://"+address+"/healthz") == http.StatusOK })
	client.CloseIdleConnections()

	if n, err := serial(t, address, 0); err != nil || n != 1 {
		t.Errorf("certificate %d, %v; want 1", n, err)
	}
	if _, err := serial(t, address, tls.VersionTLS11); err == nil {
		t.Error("TLS 1.1 was accepted")
	}
	writePair(t, cert, key, 2)
	if n, err := serial(t, address, 0); err != nil || n != 2 {
		t.Errorf("after a renewal: certificate %d, %v; want 2", n, err)
	}
	if err := os.WriteFile(cert, []byte("half a certifi"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := serial(t, address, 0); err != nil || n != 2 {
		t.Errorf("after a broken renewal: certificate %d, %v; want the old one", n, err)
	}
	if err := stop(); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
}

func TestLoadTLS_missingFile(t *testing.T) {
	t.Parallel()
	if _, err := daemon.LoadTLS("/nonexistent", "/nonexistent", slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a missing certificate was accepted")
	}
}
