package notify

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/timezone"
)

var evening = time.Date(2027, time.January, 15, 19, 30, 0, 0, time.UTC)

const (
	oldSecret = "whsec_b2xkIHNlY3JldCBvZiAyNCBieXRlcw=="
	newSecret = "whsec_bmV3IHNlY3JldCBvZiAyNCBieXRlcw=="
)

func message(t *testing.T, seq int) inventory.OutboxMessage {
	t.Helper()
	id, err := inventory.ParseBookingID("019470a4-7b00-7000-8000-000000000001")
	if err != nil {
		t.Fatal(err)
	}
	return inventory.OutboxMessage{
		BookingID: id, Seq: seq, Topic: inventory.TopicConfirmed, At: evening.Add(123456 * time.Microsecond),
		Data: []byte(`{"state": "CONFIRMED", "buyer": "a<b & Zoë"}`), Attempt: 1,
	}
}

const wantBody = `{"type":"booking.confirmed","bookingId":"019470a4-7b00-7000-8000-000000000001","seq":2,"at":"2027-01-15T19:30:00.123456Z","data":{"state":"CONFIRMED","buyer":"a<b & Zoë"}}`

func secrets(t *testing.T, texts ...string) []signature.Secret {
	t.Helper()
	out := make([]signature.Secret, len(texts))
	for i, text := range texts {
		s, err := signature.NewSecret(text)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = s
	}
	return out
}

// post is one request as the receiver saw it.
type post struct {
	header http.Header
	body   string
}

// receiver is a TLS server that answers what the test says.
type receiver struct {
	srv   *httptest.Server
	clock *timezone.ManualClock

	mu    sync.Mutex
	posts []post
}

func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{clock: timezone.NewManualClock(evening)}
	r.srv = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		r.posts = append(r.posts, post{req.Header.Clone(), string(body)})
		r.mu.Unlock()
		answer(w, req)
	}))
	r.srv.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail on purpose
	r.srv.StartTLS()
	t.Cleanup(r.srv.Close)
	return r
}

func (r *receiver) got() []post {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]post(nil), r.posts...)
}

func (r *receiver) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(r.srv.Certificate())
	return pool
}

// webhook returns a sink that is allowed to reach the receiver on loopback.
func (r *receiver) webhook(t *testing.T, change func(*WebhookConfig)) *Webhook {
	t.Helper()
	allow, err := ParseAllow("allow", []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := ParseEndpoint("url", r.srv.URL+"/hooks?token=1", allow)
	if err != nil {
		t.Fatal(err)
	}
	cfg := WebhookConfig{Endpoint: endpoint, Allow: allow, Secrets: secrets(t, newSecret), RootCAs: r.roots(), Clock: r.clock}
	if change != nil {
		change(&cfg)
	}
	w, err := NewWebhook(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "planted words of the receiver")
	}
}

func TestWebhook_Deliver_standardWebhooks(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	w := r.webhook(t, func(c *WebhookConfig) { c.Secrets = secrets(t, newSecret, oldSecret) })
	m := message(t, 2)
	for attempt := range 2 {
		m.Attempt = attempt + 1
		if err := w.Deliver(t.Context(), m); err != nil {
			t.Fatalf("Deliver = %v", err)
		}
		p := r.got()[attempt]
		now := r.clock.Now()
		if p.body != wantBody {
			t.Errorf("body = %s\nwant   %s", p.body, wantBody)
		}
		if got := p.header.Get(signature.HeaderID); got != m.ID() {
			t.Errorf("attempt %d: webhook-id = %s, want %s on every attempt", m.Attempt, got, m.ID())
		}
		if got := p.header.Get(signature.HeaderTimestamp); got != strconv.FormatInt(now.Unix(), 10) {
			t.Errorf("attempt %d: webhook-timestamp = %s, want that of this attempt, %d", m.Attempt, got, now.Unix())
		}
		if sigs := strings.Fields(p.header.Get(signature.HeaderSignature)); len(sigs) != 2 || !strings.HasPrefix(sigs[0], "v1,") || !strings.HasPrefix(sigs[1], "v1,") || sigs[0] == sigs[1] {
			t.Errorf("webhook-signature = %q, want one of each secret", sigs)
		}
		for _, known := range []string{oldSecret, newSecret} {
			v, err := signature.NewVerifier(r.clock, secrets(t, known)...)
			if err != nil {
				t.Fatal(err)
			}
			if err := v.Verify(p.header, []byte(p.body)); err != nil {
				t.Errorf("a receiver that knows one of the secrets: Verify = %v", err)
			}
		}
		if got := p.header.Get("User-Agent"); got != userAgent {
			t.Errorf("User-Agent = %q, want %q", got, userAgent)
		}
		if got := p.header.Get("Content-Type"); got != "application/json" {
			t.Errorf("Content-Type = %q", got)
		}
		if got := p.header.Get("Accept-Encoding"); got != "" {
			t.Errorf("Accept-Encoding = %q, want none: an answer is not unpacked", got)
		}
		r.clock.Advance(time.Hour)
	}
}

func TestWebhook_Deliver_answers(t *testing.T) {
	t.Parallel()
	in90s := evening.Add(90 * time.Second).Format(http.TimeFormat)
	past := evening.Add(-time.Hour).Format(http.TimeFormat)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		taken  bool
		down   bool
		after  time.Duration
	}{
		"ok":                      {status(200), true, false, 0},
		"created":                 {status(201), true, false, 0},
		"noContent":               {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, true, false, 0},
		"badRequest":              {status(400), false, false, 0},
		"unauthorized":            {status(401), false, false, 0},
		"notFound":                {status(404), false, false, 0},
		"gone":                    {status(410), false, true, 0},
		"tooManyWithoutDelay":     {status(429), false, true, 0},
		"tooManyForSeconds":       {status(429, "Retry-After", "120"), false, true, 2 * time.Minute},
		"unavailableForSeconds":   {status(503, "Retry-After", "7"), false, true, 7 * time.Second},
		"unavailableUntil":        {status(503, "Retry-After", in90s), false, true, 90 * time.Second},
		"unavailableUntilThePast": {status(503, "Retry-After", past), false, true, 0},
		"unavailableForYears":     {status(503, "Retry-After", "99999999999999999999999999"), false, true, maxRetryAfter},
		"unavailableForNonsense":  {status(503, "Retry-After", "-5"), false, true, 0},
		"unavailableForWords":     {status(503, "Retry-After", "soon"), false, true, 0},
		"internalError":           {status(500), false, false, 0},
		"delayOnAnyOtherIsNone":   {status(500, "Retry-After", "120"), false, false, 0},
		"badGateway":              {status(502), false, true, 0},
		"gatewayTimeout":          {status(504), false, true, 0},
		"redirect":                {status(302, "Location", "/elsewhere"), false, false, 0},
		"redirectKeepingThePost":  {status(307, "Location", "http://169.254.169.254/"), false, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t, c.answer)
			err := r.webhook(t, nil).Deliver(t.Context(), message(t, 1))
			var down *DownError
			if (err == nil) != c.taken || errors.As(err, &down) != c.down {
				t.Fatalf("Deliver = %v (%T), want taken = %t, down = %t", err, err, c.taken, c.down)
			}
			if down != nil && down.RetryAfter() != c.after {
				t.Errorf("RetryAfter = %s, want %s", down.RetryAfter(), c.after)
			}
			if n := len(r.got()); n != 1 {
				t.Errorf("%d requests, want one: no redirect is followed and nothing is repeated here", n)
			}
			if err != nil && strings.Contains(err.Error(), "planted") {
				t.Errorf("the error repeats the answer: %v", err)
			}
		})
	}
}

func TestWebhook_Deliver_leavesTheReceiverAloneAsLongAsItAsked(t *testing.T) {
	t.Parallel()
	ask := make(chan string, 1)
	r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		select {
		case seconds := <-ask:
			w.Header().Set("Retry-After", seconds)
			w.WriteHeader(http.StatusTooManyRequests)
		default:
		}
	})
	w := r.webhook(t, nil)
	ask <- "60"
	_ = w.Deliver(t.Context(), message(t, 1))

	r.clock.Advance(59 * time.Second)
	err := w.Deliver(t.Context(), message(t, 2)) // another message: the receiver as a whole asked
	var down *DownError
	if !errors.As(err, &down) || down.RetryAfter() != time.Second || len(r.got()) != 1 {
		t.Errorf("a second before the end: Deliver = %v, %d requests; want a DownError for 1 s and no request", err, len(r.got()))
	}
	r.clock.Advance(time.Second)
	if err := w.Deliver(t.Context(), message(t, 2)); err != nil || len(r.got()) != 2 {
		t.Errorf("at the end: Deliver = %v, %d requests", err, len(r.got()))
	}

	ask <- "60"
	_ = w.Deliver(t.Context(), message(t, 3))
	r.clock.Set(evening.Add(-100 * time.Hour))
	if err := w.Deliver(t.Context(), message(t, 3)); err != nil {
		t.Errorf("a clock that was put back silences the receiver: %v", err)
	}
}

func TestWebhook_Deliver_goneReceiverGetsNothingMore(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusGone))
	w := r.webhook(t, nil)
	for range 3 {
		if err := w.Deliver(t.Context(), message(t, 1)); !errors.Is(err, ErrGone) {
			t.Errorf("Deliver = %v, want ErrGone", err)
		}
		r.clock.Advance(time.Hour)
	}
	if n := len(r.got()); n != 1 {
		t.Errorf("%d requests, want none after the 410", n)
	}
}

func TestWebhook_Deliver_hugeAnswer(t *testing.T) {
	t.Parallel()
	var sent int
	done := make(chan struct{})
	r := newReceiver(t, func(w http.ResponseWriter, req *http.Request) {
		defer close(done)
		chunk := make([]byte, 32<<10)
		for sent < 64<<20 {
			n, err := w.Write(chunk)
			sent += n
			if err != nil {
				return
			}
		}
	})
	if err := r.webhook(t, nil).Deliver(t.Context(), message(t, 1)); err != nil {
		t.Errorf("Deliver = %v: an answer of 200 is an answer of 200", err)
	}
	<-done
	if sent >= 64<<20 {
		t.Error("the whole answer was read")
	}
}

func TestWebhook_Deliver_hangingReceiver(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	r := newReceiver(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	w := r.webhook(t, func(c *WebhookConfig) { c.Timeout = 50 * time.Millisecond })
	err := w.Deliver(t.Context(), message(t, 1))
	var down *DownError
	if !errors.As(err, &down) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "webhook.deliver took over 50ms") {
		t.Errorf("Deliver = %v, want a DownError that names the limit", err)
	}
}

func TestWebhook_Deliver_untrustedCertificate(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	err := r.webhook(t, func(c *WebhookConfig) { c.RootCAs = x509.NewCertPool() }).Deliver(t.Context(), message(t, 1))
	var down *DownError
	if !errors.As(err, &down) || !strings.Contains(err.Error(), "certificate") || len(r.got()) != 0 {
		t.Errorf("Deliver = %v after %d requests, want a DownError about the certificate", err, len(r.got()))
	}
}

func TestWebhook_Deliver_dataIsNotAnObject(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, status(http.StatusOK))
	w := r.webhook(t, nil)
	for _, data := range []string{"[1]", "null", `"text"`, "{", `{"a":}`, `{"a":1} {}`} {
		m := message(t, 1)
		m.Data = []byte(data)
		err := w.Deliver(t.Context(), m)
		var down *DownError
		if err == nil || errors.As(err, &down) {
			t.Errorf("data %s: Deliver = %v, want an error about the message", data, err)
		}
	}
	m := message(t, 1)
	m.Data = nil
	if err := w.Deliver(t.Context(), m); err != nil || len(r.got()) != 1 || !strings.HasSuffix(r.got()[0].body, `"data":{}}`) {
		t.Errorf("no data: Deliver = %v, got %v", err, r.got())
	}
}

func TestNewWebhook_refuses(t *testing.T) {
	t.Parallel()
	endpoint, err := ParseEndpoint("url", "https://shop.example.com/x", Allow{})
	if err != nil {
		t.Fatal(err)
	}
	good := WebhookConfig{Endpoint: endpoint, Secrets: secrets(t, newSecret), Clock: timezone.SystemClock{}}
	for name, change := range map[string]func(*WebhookConfig){
		"noEndpoint": func(c *WebhookConfig) { c.Endpoint = Endpoint{} },
		"noSecret":   func(c *WebhookConfig) { c.Secrets = nil },
		"noClock":    func(c *WebhookConfig) { c.Clock = nil },
	} {
		cfg := good
		change(&cfg)
		if _, err := NewWebhook(cfg); err == nil {
			t.Errorf("%s: a webhook was made", name)
		}
	}
	w, err := NewWebhook(good)
	if err != nil {
		t.Fatal(err)
	}
	if transport, ok := w.client.Transport.(*http.Transport); !ok || transport.Proxy != nil {
		t.Error("a proxy of the environment would dial where the guard cannot see it")
	}
}
