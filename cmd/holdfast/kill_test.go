package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// gate stands between a daemon and the provider and stops one call at a chosen
// step: before the provider has it, or after the provider has done it and
// before the daemon knows.
type gate struct {
	server *httptest.Server

	mu     sync.Mutex
	path   string // of the call to stop; "" lets all pass
	after  bool
	held   chan struct{} // closed when the call is there
	resume chan struct{} // closed to let it go on
}

func openGate(t *testing.T, provider string) *gate {
	t.Helper()
	target, err := url.Parse("http://" + provider)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) } // its caller was killed
	g := &gate{}
	g.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		before, after := g.step(r, false), g.step(r, true)
		if before != nil {
			before()
		}
		if after == nil {
			proxy.ServeHTTP(w, r)
			return
		}
		// The provider does its work whatever becomes of the caller.
		rec := httptest.NewRecorder()
		proxy.ServeHTTP(rec, r.WithContext(context.WithoutCancel(r.Context())))
		after()
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	}))
	t.Cleanup(g.server.Close)
	return g
}

// step returns what to wait for at this step of this call, nil for nothing.
func (g *gate) step(r *http.Request, after bool) func() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.path == "" || r.Method != http.MethodPost || r.URL.Path != g.path || g.after != after {
		return nil
	}
	held, resume := g.held, g.resume
	g.path = "" // one call only
	return func() {
		close(held)
		<-resume
	}
}

// stopNext chooses the call to stop.
func (g *gate) stopNext(t *testing.T, path string, after bool) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.path, g.after, g.held, g.resume = path, after, make(chan struct{}), make(chan struct{})
	resume := g.resume
	t.Cleanup(func() {
		select {
		case <-resume:
		default:
			close(resume)
		}
	})
}

// testKills kills the daemon, as kill -9 does, at each step between deciding,
// calling the provider and committing, and starts it again: one confirmation,
// one refund, nothing lost.
func testKills(t *testing.T, bin string) {
	t.Helper()
	for _, step := range []string{"beforeTheCall", "beforeTheAnswer", "beforeTheCommit"} {
		t.Run("refund/"+step, func(t *testing.T) { t.Parallel(); killedRefund(t, bin, step) })
		t.Run("pay/"+step, func(t *testing.T) { t.Parallel(); killedPay(t, bin, step) })
	}
	t.Run("webhook/storedNotApplied", func(t *testing.T) { t.Parallel(); killedWebhook(t, bin) })
}

// stage is an installation with a gate before its provider.
type stage struct {
	*installation
	gate *gate
	conn *pgx.Conn
}

func newStage(t *testing.T, bin string) *stage {
	t.Helper()
	s := &stage{installation: newInstallation(t, bin, 1, "--hold-ttl", "2m", "--doubt-after", "1s")}
	start(t, bin, s.env, "simulated provider on", "provider-sim", "--listen", s.sim, "--webhook", "http://"+s.api[0]+"/payments/webhook")
	s.gate = openGate(t, s.sim)
	for i, v := range s.env {
		if strings.HasPrefix(v, "HOLDFAST_PROVIDER_URL=") {
			s.env[i] = "HOLDFAST_PROVIDER_URL=" + s.gate.server.URL
		}
	}
	conn, err := pgx.Connect(t.Context(), s.db.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	s.conn = conn
	return s
}

func (s *stage) hold(t *testing.T, buyer string) string {
	t.Helper()
	status, b, err := post(t.Context(), "http://"+s.api[0]+"/holds", buyer, holdBody("2027-06-01", buyer, 2))
	if err != nil || status != http.StatusCreated {
		t.Fatalf("hold: %d %v %v", status, b, err)
	}
	return b["bookingId"].(string)
}

func (s *stage) charge(t *testing.T, reference string) {
	t.Helper()
	status, p, err := post(t.Context(), "http://"+s.sim+"/v1/payments", "charge-"+reference,
		map[string]any{"reference": reference, "amountMinor": 5000, "currency": "EUR"})
	if err != nil || status >= 300 {
		t.Fatalf("charge: %d %v %v", status, p, err)
	}
}

// control sets how the provider behaves.
func (s *stage) control(t *testing.T, behaviour map[string]any) {
	t.Helper()
	if status, answer, err := post(t.Context(), "http://"+s.sim+"/control", "control", behaviour); status >= 300 {
		t.Fatalf("control: %d %v %v", status, answer, err)
	}
}

// await polls the database until the query says true.
func (s *stage) await(t *testing.T, what, query string, args ...any) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		var ok bool
		if err := s.conn.QueryRow(t.Context(), query, args...).Scan(&ok); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("never came to pass: %s", what)
		}
		time.Sleep(20 * time.Millisecond) // between two looks
	}
}

// dueNow brings everything that waits for its next try forward: a test does not
// wait for a backoff.
func (s *stage) dueNow(t *testing.T) {
	t.Helper()
	for _, sql := range []string{
		"UPDATE refund SET next_try_at = now() WHERE next_try_at IS NOT NULL",
		"UPDATE payment SET next_ask_at = now()",
		"UPDATE webhook_event SET next_try_at = now() - interval '1 minute' WHERE state <> 'APPLIED'",
	} {
		if _, err := s.conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
}

// lock keeps rows from being written until the returned function is called.
func (s *stage) lock(t *testing.T, sql string, args ...any) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.db.URL)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), sql, args...)
	}
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	release = func() {
		once.Do(func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 5*time.Second)
			defer cancel()
			_ = conn.Close(ctx)
		})
	}
	t.Cleanup(release)
	return release
}

const sqlSomebodyWaits = `SELECT EXISTS (SELECT FROM pg_stat_activity
	WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name LIKE 'holdfast%')`

func (s *stage) kill(t *testing.T, d *process) {
	t.Helper()
	if err := d.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-d.exited
}

// ledger is what the provider has done.
func (s *stage) ledger(t *testing.T) (payments, refunds int) {
	t.Helper()
	res, err := http.Get("http://" + s.sim + "/ledger")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var l struct {
		Payments []struct{ State string }
		Refunds  []struct{ State string }
	}
	if err := json.NewDecoder(res.Body).Decode(&l); err != nil {
		t.Fatal(err)
	}
	return len(l.Payments), len(l.Refunds)
}

// stopAt arms the gate, and for the last step also a lock that keeps the answer
// from being committed; it returns what waits until the daemon is there.
func (s *stage) stopAt(t *testing.T, step, path, lockSQL string, args ...any) (reached, release func()) {
	t.Helper()
	s.gate.stopNext(t, path, step != "beforeTheCall")
	held, resume := s.gate.held, s.gate.resume
	unlock := func() {}
	return func() {
		select {
		case <-held:
		case <-time.After(time.Minute):
			t.Fatalf("the daemon never called %s", path)
		}
		if step == "beforeTheCommit" {
			unlock = s.lock(t, lockSQL, args...)
			close(resume)
			s.await(t, "the daemon waits to commit", sqlSomebodyWaits)
		}
	}, func() { unlock() }
}

func killedRefund(t *testing.T, bin, step string) {
	t.Helper()
	s := newStage(t, bin)
	d := s.daemon(t, 0)
	booking := s.hold(t, "u-1")
	s.charge(t, booking)
	s.await(t, "confirmed", `SELECT state = 'CONFIRMED' FROM booking WHERE id = $1`, booking)

	reached, release := s.stopAt(t, step, "/v1/refunds", `SELECT FROM payment WHERE booking_id = $1 FOR UPDATE`, booking)
	must(t, bin, s.env, "booking", "cancel", booking, "--refund", "--reason", "show cancelled")
	reached()
	s.kill(t, d)
	release()

	s.dueNow(t)
	s.daemon(t, 0)
	s.await(t, "refunded once", `SELECT count(*) = 1 AND bool_and(state = 'SUCCEEDED') FROM refund`)
	s.await(t, "standing", `SELECT standing = 'refunded' FROM payment WHERE booking_id = $1`, booking)
	if _, refunds := s.ledger(t); refunds != 1 {
		t.Errorf("the provider made %d refunds, want 1", refunds)
	}
}

func killedPay(t *testing.T, bin, step string) {
	t.Helper()
	s := newStage(t, bin)
	d := s.daemon(t, 0)
	booking := s.hold(t, "u-1")
	s.control(t, map[string]any{"mode": "succeed", "webhookTimes": 0}) // its callbacks are lost: only asking can help

	reached, release := s.stopAt(t, step, "/v1/payments", `SELECT FROM booking WHERE id = $1 FOR UPDATE`, booking)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _, _ = post(context.WithoutCancel(t.Context()), "http://"+s.api[0]+"/bookings/"+booking+"/pay", "pay-1", map[string]any{}) // it dies with the daemon
	}()
	reached()
	s.kill(t, d)
	release()
	<-answered

	s.await(t, "in doubt", `SELECT state = 'PAYMENT_PENDING' AND doubt_until < now() FROM booking WHERE id = $1`, booking)
	s.daemon(t, 0)
	payments, _ := s.ledger(t)
	want := map[bool]string{true: "CONFIRMED", false: "HELD"}[payments == 1]
	if (step == "beforeTheCall") == (payments == 1) {
		t.Errorf("the provider has %d payments: the call was not stopped at %s", payments, step)
	}
	// "No such payment" must be heard several times before it is believed.
	s.await(t, want, `WITH due AS (UPDATE payment SET next_ask_at = now() WHERE next_ask_at > now())
		SELECT state = $2 FROM booking WHERE id = $1`, booking, want)
	if confirmed := fmt.Sprint(must(t, bin, s.env, "-o", "json", "booking", "show", booking)); strings.Count(confirmed, `"CONFIRMED"`) > 2 {
		t.Errorf("confirmed more than once:\n%s", confirmed)
	}
}

func killedWebhook(t *testing.T, bin string) {
	t.Helper()
	s := newStage(t, bin)
	d := s.daemon(t, 0)
	booking := s.hold(t, "u-1")
	release := s.lock(t, `SELECT FROM booking WHERE id = $1 FOR UPDATE`, booking)
	s.control(t, map[string]any{"mode": "succeed", "webhookTimes": 1})
	s.charge(t, booking)
	s.await(t, "stored", `SELECT count(*) = 1 FROM webhook_event`)
	s.kill(t, d)
	release()

	s.dueNow(t)
	s.daemon(t, 0)
	s.await(t, "confirmed", `SELECT state = 'CONFIRMED' AND version = 2 FROM booking WHERE id = $1`, booking)
	s.await(t, "one message", `SELECT count(*) = 1 FROM journal WHERE topic = 'booking.confirmed'`)
}
