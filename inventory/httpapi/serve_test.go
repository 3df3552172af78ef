package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
)

// Case B42: a panic ends its own request and nothing else, and leaves a trace.
func TestServe_B42_panicEndsOneRequest(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	d := &double{
		placeHold: func(r inventory.HoldRequest) (inventory.Booking, bool, error) {
			if r.Buyer == "h13" {
				panic("boom in PlaceHold")
			}
			return held(r)
		},
		storeEvent: func(inventory.ProviderEvent) (bool, error) { return true, nil },
	}
	l := start(t, httpapi.Config{
		Store: d, Inbox: d, Providers: []httpapi.Provider{scripted{}}, InsecureNoAuth: true,
		Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	hold := func(buyer string) reply {
		return l.send(t, http.MethodPost, "/holds", strings.Replace(goodHold, "u-1", buyer, 1), "Idempotency-Key", "k-1")
	}
	for range 3 {
		r := hold("h13")
		id, _ := r.body["errorId"].(string)
		if r.status != http.StatusInternalServerError || r.code() != "INTERNAL" || id == "" {
			t.Fatalf("the call that panics = %d %s", r.status, r.text)
		}
		if strings.Contains(r.text, "boom") || strings.Contains(r.text, ".go") {
			t.Errorf("the answer tells too much: %s", r.text)
		}
		if logged := log.String(); !strings.Contains(logged, id) || !strings.Contains(logged, "boom in PlaceHold") || !strings.Contains(logged, "double_test.go") && !strings.Contains(logged, "serve_test.go") {
			t.Errorf("no log entry with id %s, cause and stack:\n%s", id, logged)
		}
		if r := hold("u-1"); r.status != http.StatusCreated {
			t.Fatalf("the next call = %d %s", r.status, r.text)
		}
	}
	if r := l.send(t, http.MethodPost, "/payments/webhook", "panic"); r.status != http.StatusInternalServerError {
		t.Errorf("the callback that panics = %d %s", r.status, r.text)
	}
	if r := l.send(t, http.MethodPost, "/payments/webhook", "fine"); r.status != http.StatusNoContent {
		t.Errorf("the next callback = %d %s", r.status, r.text)
	}
}

func TestWebhook_answers(t *testing.T) {
	t.Parallel()
	storeErr, applyErr := error(nil), error(nil)
	panics := false
	d := &double{}
	d.storeEvent = func(inventory.ProviderEvent) (bool, error) { return true, storeErr }
	d.applyEvent = func() error {
		if panics {
			panic("boom in ApplyEvent")
		}
		return applyErr
	}
	l := noAuth(t, d)
	for _, c := range []struct {
		name   string
		body   string
		set    func()
		status int
		calls  int64 // of the store
	}{
		{"stored", "fine", func() {}, 204, 1},
		{"notApplied", "fine", func() { applyErr = inventory.ErrBusy }, 204, 1},
		{"applyingPanics", "fine", func() { panics = true }, 204, 1},
		{"notAuthentic", "bad", func() {}, 401, 0},
		{"authenticAndUnreadable", "unreadable", func() {}, 400, 0},
		{"ofNoConcern", "foreign", func() {}, 204, 0},
		{"tooLarge", strings.Repeat("x", 2<<20), func() {}, 413, 0},
		{"databaseAway", "fine", func() { storeErr = inventory.ErrUnavailable }, 503, 1},
		{"unknown", "fine", func() { storeErr = inventory.ErrUnknownOutcome }, 504, 1},
	} {
		storeErr, applyErr, panics = nil, nil, false
		c.set()
		before := d.calls.Load()
		r := l.send(t, http.MethodPost, "/payments/webhook/scripted", c.body, "Content-Type", "text/plain")
		if r.status != c.status || d.calls.Load()-before != c.calls {
			t.Errorf("%s = %d %s, %d calls of the store, want %d and %d", c.name, r.status, r.text, d.calls.Load()-before, c.status, c.calls)
		}
	}
	if r := l.send(t, http.MethodPost, "/payments/webhook", "fine", "Content-Encoding", "gzip"); r.status != http.StatusUnsupportedMediaType {
		t.Errorf("gzip = %d, want 415", r.status)
	}
}

// What went wrong with a callback is in the log once, at whatever level.
func TestWebhook_isLoggedOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		apply func() error
		want  []string
	}{
		"notAuthentic":   {"bad", nil, []string{`"level":"WARN"`, "a callback was refused", "callback of scripted: ", "UNAUTHENTICATED"}},
		"unreadable":     {"unreadable", nil, []string{`"level":"WARN"`, "a callback was refused", "callback of scripted: ", "data.amountMinor", "INVALID"}},
		"notApplied":     {"fine", func() error { return inventory.ErrBusy }, []string{`"level":"WARN"`, "not applied yet", "scripted", "evt_1"}},
		"applyingPanics": {"fine", func() error { panic("boom") }, []string{`"level":"ERROR"`, "panicked", "boom", "scripted", "evt_1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log lockedBuffer
			d := &double{applyEvent: c.apply, storeEvent: func(inventory.ProviderEvent) (bool, error) { return true, nil }}
			l := start(t, httpapi.Config{
				Store: d, Inbox: d, Providers: []httpapi.Provider{scripted{}}, InsecureNoAuth: true,
				Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			})
			before := len(log.String())
			l.send(t, http.MethodPost, "/payments/webhook", c.body)
			logged := log.String()[before:]
			if strings.Count(logged, "\n") != 1 {
				t.Errorf("not one line:\n%s", logged)
			}
			for _, part := range c.want {
				if !strings.Contains(logged, part) {
					t.Errorf("no %q in %s", part, logged)
				}
			}
		})
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	var asked sync.Map
	d := &double{ping: func(ctx context.Context) error {
		asked.Store("ping", true)
		<-ctx.Done() // a database that does not answer
		return context.Cause(ctx)
	}}
	l := noAuth(t, d)
	if r := l.send(t, http.MethodGet, "/healthz", ""); r.status != http.StatusOK || r.text != `{"status":"ok"}` {
		t.Errorf("healthz = %d %s", r.status, r.text)
	}
	if _, ok := asked.Load("ping"); ok {
		t.Error("healthz asked the database")
	}
	if r := l.send(t, http.MethodGet, "/readyz", ""); r.status != http.StatusServiceUnavailable || r.code() != "UNAVAILABLE" {
		t.Errorf("readyz = %d %s", r.status, r.text)
	}
}

// On the way out: readiness goes red, nothing new is accepted, and what runs is
// answered.
func TestServe_drains(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	d := &double{placeHold: func(r inventory.HoldRequest) (inventory.Booking, bool, error) {
		close(entered)
		<-release
		return held(r)
	}}
	l := noAuth(t, d)
	// One connection is open and idle before the drain begins: readiness is
	// asked on it.
	conn := dial(t, l)
	write(t, conn, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
	if status := readStatus(t, conn); status != "200 OK" {
		t.Fatalf("readyz before = %s", status)
	}
	answered := make(chan reply, 1)
	go func() { answered <- l.send(t, http.MethodPost, "/holds", goodHold, "Idempotency-Key", "k-1") }()
	<-entered
	l.stop()
	eventually(t, "the listener is closed", func() bool {
		c, err := net.DialTimeout("tcp", l.addr, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	})
	select {
	case r := <-answered:
		t.Fatalf("answered before its handler ended: %d", r.status)
	case err := <-l.done:
		t.Fatalf("Serve returned %v while a request ran", err)
	default:
	}
	close(release)
	if r := <-answered; r.status != http.StatusCreated {
		t.Errorf("the request in flight = %d %s", r.status, r.text)
	}
	if err := <-l.done; err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
	if rec := record(l.api.Handler(), http.MethodGet, "/readyz"); rec != http.StatusServiceUnavailable {
		t.Errorf("readyz while draining = %d, want 503", rec)
	}
}

func TestServe_refusesBrokenHTTP(t *testing.T) {
	t.Parallel()
	l := noAuth(t, &double{placeHold: held})
	for name, request := range map[string]string{
		"twoLengths":          "POST /holds HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
		"blankBeforeColon":    "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A : b\r\n\r\n",
		"bareCR":              "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: b\rc\r\n\r\n",
		"nulInHeader":         "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: b\x00c\r\n\r\n",
		"noHost":              "GET /healthz HTTP/1.1\r\n\r\n",
		"twoHosts":            "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
		"headerOfAMegabyte":   "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("a", 1<<20) + "\r\n\r\n",
		"nonsense":            "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
		"absurdMethod":        "GE T /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
		"chunkSizeIsNoNumber": "POST /holds HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\n\r\nzz\r\n\r\n",
		"codingsUnknown":      "POST /holds HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, l)
			_, _ = io.WriteString(conn, request) // the server may hang up in the middle
			status := readStatus(t, conn)
			if code := status[:min(3, len(status))]; code != "400" && code != "431" && code != "501" {
				t.Errorf("= %q, want 400, 431 or 501", status)
			}
		})
	}
}

// A request that says both how long it is and that it comes in chunks must not
// hide a second one from whoever stands in front.
func TestServe_nothingIsSmuggled(t *testing.T) {
	t.Parallel()
	l := noAuth(t, &double{placeHold: held})
	conn := dial(t, l)
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(goodHold), goodHold)
	write(t, conn, "POST /holds HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\n"+
		"Content-Length: 400\r\nTransfer-Encoding: chunked\r\n\r\n"+chunk+"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	all, err := io.ReadAll(conn)
	if err != nil || strings.Count(string(all), "HTTP/1.1") != 1 {
		t.Errorf("%v, answers:\n%s\nwant one, and the connection closed", err, all)
	}
}

// A body that says that it is too long is refused before it is sent, and one
// that does not say so is not read to its end.
func TestServe_B19_largeBodyIsNotRead(t *testing.T) {
	t.Parallel()
	d := &double{}
	l := noAuth(t, d)
	conn := dial(t, l)
	write(t, conn, "POST /payments/webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 2097152\r\n\r\n")
	if status := readStatus(t, conn); status != "413 Request Entity Too Large" {
		t.Errorf("before any byte of the body = %q, want 413", status)
	}

	conn = dial(t, l)
	write(t, conn, "POST /payments/webhook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
	sent := make(chan int)
	go func() {
		total := 0
		chunk := "10000\r\n" + strings.Repeat("x", 0x10000) + "\r\n"
		for total < 100<<20 {
			n, err := io.WriteString(conn, chunk)
			total += n
			if err != nil {
				break
			}
		}
		sent <- total
	}()
	if status := readStatus(t, conn); status != "413 Request Entity Too Large" {
		t.Errorf("an endless body = %q, want 413", status)
	}
	if total := <-sent; total > 20<<20 {
		t.Errorf("%d bytes were taken", total)
	}
	if n := d.calls.Load(); n != 0 {
		t.Errorf("the store was asked %d times", n)
	}
}

// Callers who dribble their requests do not keep others from being served.
func TestServe_slowCallersDoNotBlock(t *testing.T) {
	t.Parallel()
	l := noAuth(t, &double{placeHold: held})
	for range 300 {
		write(t, dial(t, l), "POST /holds HTTP/1.1\r\nHost: x\r\nContent-Le")
	}
	began := time.Now()
	if r := l.send(t, http.MethodPost, "/holds", goodHold, "Idempotency-Key", "k-1"); r.status != http.StatusCreated {
		t.Errorf("= %d %s", r.status, r.text)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("a healthy request took %s", took)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	d := &double{placeHold: func(r inventory.HoldRequest) (inventory.Booking, bool, error) {
		if r.Buyer == "late" {
			return inventory.Booking{}, false, inventory.ErrSoldOut
		}
		return held(r)
	}}
	registry := prometheus.NewRegistry()
	l := start(t, httpapi.Config{Store: d, Inbox: d, InsecureNoAuth: true, Registry: registry})
	l.send(t, http.MethodPost, "/holds", goodHold, "Idempotency-Key", "k-1")
	l.send(t, http.MethodPost, "/holds", strings.Replace(goodHold, "u-1", "late", 1), "Idempotency-Key", "k-2")
	d.holdSeats = func(inventory.SeatHoldRequest) (inventory.Booking, bool, error) {
		return inventory.Booking{}, false, &inventory.SeatTakenError{}
	}
	l.send(t, http.MethodPost, "/holds", goodSeats, "Idempotency-Key", "k-3")
	d.booking = kept(t, inventory.ClaimPool).booking
	d.move = func(inventory.MoveRequest) (inventory.Booking, error) {
		return inventory.Booking{}, inventory.ErrPriceChanges
	}
	l.send(t, http.MethodPatch, bookingPath, `{"quantity":2}`, "If-Match", `"3"`)
	d.seatMap = func(inventory.EventID) (inventory.SeatMap, error) { return inventory.SeatMap{}, nil }
	l.send(t, http.MethodGet, mapPath, "")
	l.send(t, "BREW", "/holds", "")
	l.send(t, http.MethodGet, "/bookings/%41", "")

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.api.ServeMetrics(ctx, ln) }()
	m := listener{url: "http://" + ln.Addr().String()}
	r := m.send(t, http.MethodGet, "/metrics", "")
	for _, line := range []string{
		`holdfast_http_requests_total{method="POST",route="/holds",status="201"} 1`,
		`holdfast_http_requests_total{method="POST",route="/holds",status="409"} 2`,
		`holdfast_http_requests_total{method="OTHER",route="/holds",status="405"} 1`,
		`holdfast_http_requests_total{method="GET",route="other",status="404"} 1`,
		`holdfast_holds_total{outcome="placed"} 1`,
		`holdfast_holds_total{outcome="SOLD_OUT"} 1`,
		`holdfast_holds_total{outcome="SEAT_TAKEN"} 1`,
		`holdfast_moves_total{outcome="PRICE_CHANGES"} 1`,
		`holdfast_seat_maps_built_total 1`,
		`holdfast_http_request_seconds_count{route="/holds"} 4`,
		`holdfast_hold_seconds_count 3`,
		`holdfast_http_requests_in_flight 0`,
	} {
		if !strings.Contains(r.text, line+"\n") {
			t.Errorf("no line %q", line)
		}
	}
	if r := m.send(t, http.MethodGet, "/healthz", ""); r.status != http.StatusNotFound {
		t.Errorf("the metrics listener answers /healthz with %d", r.status)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("ServeMetrics = %v", err)
	}
	if _, err := httpapi.New(httpapi.Config{Store: d, Inbox: d, Registry: registry}); err == nil {
		t.Error("a second API on one registry was made without an error")
	}
}

func TestNew_refuses(t *testing.T) {
	t.Parallel()
	d := &double{}
	for _, cfg := range []httpapi.Config{{}, {Store: d}, {Inbox: d}} {
		if _, err := httpapi.New(cfg); err == nil {
			t.Errorf("New(%+v) succeeded", cfg)
		}
	}
}

func dial(t *testing.T, l listener) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(t.Context(), "tcp", l.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func write(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

// readStatus reads the status line of an answer: "200 OK".
func readStatus(t *testing.T, conn net.Conn) string {
	t.Helper()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return fmt.Sprintf("no answer: %v", err)
	}
	_, status, _ := strings.Cut(strings.TrimSpace(line), " ")
	return status
}

func record(h http.Handler, method, path string) int {
	rec := &statusOnly{header: http.Header{}}
	req, err := http.NewRequest(method, path, nil)
	if err != nil {
		return 0
	}
	h.ServeHTTP(rec, req)
	return rec.status
}

type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header         { return s.header }
func (s *statusOnly) Write(p []byte) (int, error) { return len(p), nil }
func (s *statusOnly) WriteHeader(status int)      { s.status = status }

// lockedBuffer is a log that a test reads while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// eventually waits for a state that nothing announces.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !is() {
		select {
		case <-deadline:
			t.Fatalf("waited too long for: %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
