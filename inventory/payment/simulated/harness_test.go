package simulated_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
	"holdfast/inventory/payment"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
	"holdfast/timezone"
)

// bundle is a simulator on loopback, a client for it, and a shop that takes
// its webhooks.
type bundle struct {
	server   *simulated.Server
	url      string
	provider *simulated.Provider
	shop     *shop
	clock    *timezone.ManualClock
}

// shop verifies and keeps what it is sent.
type shop struct {
	mu       sync.Mutex
	provider *simulated.Provider
	events   []inventory.ProviderEvent
	errs     []error
	refuse   int // answers 503 to so many deliveries first
	arrived  chan struct{}
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse > 0 {
		s.refuse--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	e, err := s.provider.ParseEvent(r.Header, body)
	if err != nil {
		s.errs = append(s.errs, err)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	s.events = append(s.events, e)
	w.WriteHeader(http.StatusNoContent)
	s.arrived <- struct{}{}
}

// wait returns the first n events, as soon as there are so many.
func (s *shop) wait(t *testing.T, n int) []inventory.ProviderEvent {
	t.Helper()
	for range n {
		select {
		case <-s.arrived:
		case <-time.After(20 * time.Second):
			t.Fatalf("waited too long for %d webhooks", n)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, err := range s.errs {
		t.Errorf("the shop refused a webhook: %v", err)
	}
	return append([]inventory.ProviderEvent{}, s.events...)
}

func (s *shop) last() inventory.ProviderEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.events[len(s.events)-1]
}

func (s *shop) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.events)
}

func setup(t *testing.T) bundle {
	t.Helper()
	return setupFor(t, 2*time.Second)
}

// setupFor gives each call of the client the deadline callTimeout.
func setupFor(t *testing.T, callTimeout time.Duration) bundle {
	t.Helper()
	secret, err := signature.NewSecret("test-secret-A")
	if err != nil {
		t.Fatal(err)
	}
	b := bundle{
		shop:  &shop{arrived: make(chan struct{}, 1000)},
		clock: timezone.NewManualClock(time.Date(2027, time.January, 15, 19, 30, 0, 0, time.UTC)),
	}
	receiver := httptest.NewServer(b.shop)
	b.server, err = simulated.NewServer(simulated.Config{
		Secret: secret, WebhookURL: receiver.URL, Clock: b.clock,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	api := httptest.NewServer(b.server.Handler())
	b.url = api.URL
	b.provider = provider(t, simulated.ProviderConfig{BaseURL: api.URL, Clock: b.clock, CallTimeout: callTimeout})
	b.shop.provider = b.provider
	t.Cleanup(func() {
		b.server.Close()
		api.Close()
		receiver.Close()
	})
	return b
}

func provider(t *testing.T, cfg simulated.ProviderConfig) *simulated.Provider {
	t.Helper()
	secret, err := signature.NewSecret("test-secret-A")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Secrets = []signature.Secret{secret}
	p, err := simulated.NewProvider(cfg)
	if err != nil {
		t.Fatalf("NewProvider = %v", err)
	}
	return p
}

var price = inventory.Money{Minor: 2500, Currency: "EUR"}

// attempt is a payment row as the store commits it.
func attempt() inventory.Payment {
	id := inventory.NewPaymentID()
	return inventory.Payment{ID: id, ProviderKey: "key-" + id.String(), Amount: price, State: inventory.PaymentCreated}
}

func refundOf(p inventory.ProviderPayment, minor inventory.Minor) inventory.RefundTask {
	return inventory.RefundTask{
		Refund:          inventory.Refund{ID: inventory.NewRefundID(), Amount: inventory.Money{Minor: minor, Currency: p.Amount.Currency}},
		ProviderPayment: p.ID,
	}
}

// post sends body as it is and returns the status and the decoded answer.
func (b bundle) post(t *testing.T, path, key, body string) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("POST %s: %v", path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := map[string]any{}
	if len(bytes.TrimSpace(data)) > 0 {
		if err := json.Unmarshal(data, &answer); err != nil {
			t.Fatalf("POST %s answered %q: %v", path, data, err)
		}
	}
	return resp.StatusCode, answer
}

func (b bundle) control(t *testing.T, body string) {
	t.Helper()
	if status, answer := b.post(t, "/control", "", body); status != http.StatusOK {
		t.Fatalf("POST /control %s = %d %v", body, status, answer)
	}
}

func (b bundle) create(t *testing.T) inventory.ProviderPayment {
	t.Helper()
	p, err := b.provider.Create(t.Context(), attempt())
	if err != nil {
		t.Fatalf("Create = %v", err)
	}
	return p
}

func wantUnknown(t *testing.T, what string, err error) {
	t.Helper()
	if !payment.Unknown(err) {
		t.Errorf("%s = %v, want an unknown outcome", what, err)
	}
}
