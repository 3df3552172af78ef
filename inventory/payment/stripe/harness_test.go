package stripe_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stripe/stripe-go/v82/webhook"

	"holdfast/inventory"
	"holdfast/inventory/payment"
	"holdfast/inventory/payment/stripe"
	"holdfast/timezone"
)

const (
	testKey    = "sk_test_4eC39HqLyjWDarjtT1zdp7dc"
	testSecret = "whsec_current_0123456789"
	oldSecret  = "whsec_old_0123456789abcdef"
	liveSecret = "whsec_live_0123456789abcde"
)

var (
	now   = time.Date(2027, time.January, 15, 19, 30, 0, 0, time.UTC)
	price = inventory.Money{Minor: 2500, Currency: "EUR"}
)

// exchange is one request that reached the server.
type exchange struct {
	method, path, query string
	form                map[string]string
	header              http.Header
}

func (e exchange) String() string { return e.method + " " + e.path }

// account is a server that answers as the test says, and remembers what it was
// asked.
type account struct {
	mu    sync.Mutex
	calls []exchange
	url   string
}

// open starts an account whose answers come from answer.
func open(t *testing.T, answer http.HandlerFunc) *account {
	t.Helper()
	a := &account{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := exchange{method: r.Method, path: r.URL.Path, query: r.URL.RawQuery, form: map[string]string{}, header: r.Header.Clone()}
		if r.ParseForm() == nil {
			for name, values := range r.Form {
				e.form[name] = strings.Join(values, "|")
			}
		}
		a.mu.Lock()
		a.calls = append(a.calls, e)
		a.mu.Unlock()
		answer(w, r)
	}))
	a.url = server.URL
	t.Cleanup(server.Close)
	return a
}

// seen lists the requests so far.
func (a *account) seen() []exchange {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]exchange{}, a.calls...)
}

// says answers everything with one status and body.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Request-Id", "req_1")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// config is a provider in test mode against a.
func (a *account) config(t *testing.T) stripe.ProviderConfig {
	t.Helper()
	return stripe.ProviderConfig{
		Key: apiKey(t, testKey), Secrets: []stripe.Secret{secret(t, testSecret)}, Clock: timezone.FixedClock(now),
		BaseURL: a.url, CallTimeout: 5 * time.Second,
	}
}

func (a *account) provider(t *testing.T) *stripe.Provider {
	t.Helper()
	return provider(t, a.config(t))
}

func provider(t *testing.T, cfg stripe.ProviderConfig) *stripe.Provider {
	t.Helper()
	p, err := stripe.NewProvider(cfg)
	if err != nil {
		t.Fatalf("NewProvider = %v", err)
	}
	return p
}

func apiKey(t *testing.T, text string) stripe.APIKey {
	t.Helper()
	k, err := stripe.NewAPIKey(text)
	if err != nil {
		t.Fatalf("NewAPIKey = %v", err)
	}
	return k
}

func secret(t *testing.T, text string) stripe.Secret {
	t.Helper()
	s, err := stripe.NewSecret(text)
	if err != nil {
		t.Fatalf("NewSecret = %v", err)
	}
	return s
}

// attempt is a payment row as the store commits it.
func attempt() inventory.Payment {
	id := inventory.NewPaymentID()
	return inventory.Payment{ID: id, BookingID: inventory.NewBookingID(), ProviderKey: "key-" + id.String(), Amount: price}
}

func refundTask(providerPayment string) inventory.RefundTask {
	return inventory.RefundTask{
		Refund:          inventory.Refund{ID: inventory.NewRefundID(), PaymentID: inventory.NewPaymentID(), Amount: price},
		ProviderPayment: providerPayment,
	}
}

type object map[string]any

func (o object) String() string {
	text, err := json.Marshal(map[string]any(o))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// with returns o with one member changed.
func (o object) with(name string, value any) object {
	changed := object{name: value}
	for n, v := range o {
		if n != name {
			changed[n] = v
		}
	}
	return changed
}

// intent is a PaymentIntent as Stripe answers it.
func intent(id, status, reference string) object {
	return object{
		"id": id, "object": "payment_intent", "amount": 2500, "amount_received": 0, "currency": "eur", "livemode": false,
		"client_secret": id + "_secret_hush", "created": now.Unix(), "status": status,
		"metadata": object{stripe.MetadataReference: reference},
	}
}

// refunded is a refund as Stripe answers it.
func refunded(id, paymentID, status, reference string) object {
	metadata := object{}
	if reference != "" {
		metadata[stripe.MetadataReference] = reference
	}
	return object{
		"id": id, "object": "refund", "amount": 2500, "currency": "eur", "payment_intent": paymentID, "created": now.Unix(),
		"status": status, "metadata": metadata,
	}
}

func list(kind string, more bool, items ...object) object {
	data := make([]any, len(items))
	for i, item := range items {
		data[i] = item
	}
	return object{"object": kind, "has_more": more, "url": "/v1/x", "data": data}
}

// failure is an error of Stripe's API.
func failure(kind, code, message string) string {
	e := object{"type": kind, "message": message}
	if code != "" {
		e["code"] = code
	}
	return object{"error": e}.String()
}

func wantUnknown(t *testing.T, what string, err error) {
	t.Helper()
	if !payment.Unknown(err) {
		t.Errorf("%s = %v, want an unknown outcome", what, err)
	}
}

// hmacHex is the signature by stripe-go's own hand.
func hmacHex(at time.Time, body, key string) string {
	return hex.EncodeToString(webhook.ComputeSignature(at, []byte(body), key))
}

// signed are headers as Stripe sends them.
func signed(at time.Time, body, key string) http.Header {
	return headerOf(fmt.Sprintf("t=%d,v1=%s", at.Unix(), hmacHex(at, body, key)))
}

func headerOf(value string) http.Header {
	h := http.Header{}
	h.Set(stripe.HeaderSignature, value)
	return h
}

func recorded(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
