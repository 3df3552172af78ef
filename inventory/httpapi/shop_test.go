package httpapi_test

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

// bundle is a shop on a real database with two daemons' listeners in front of
// it, each on connections of its own, and a simulated provider whose webhooks
// go to the first.
type bundle struct {
	pgtest.Shop
	daemons []listener
	sim     *simulated.Server
	signer  signature.Signer
}

func setup(t *testing.T, opts ...pgtest.ShopOption) bundle {
	t.Helper()
	return setupFor(t, 2*time.Second, opts...)
}

// setupFor gives each call to the provider the deadline callTimeout.
func setupFor(t *testing.T, callTimeout time.Duration, opts ...pgtest.ShopOption) bundle {
	t.Helper()
	b := bundle{Shop: pgtest.OpenShop(t, opts...)}
	secret, err := signature.NewSecret("test-secret-A")
	if err != nil {
		t.Fatal(err)
	}
	b.signer = signature.NewSigner(secret)
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b.sim, err = simulated.NewServer(simulated.Config{Secret: secret, WebhookURL: "http://" + first.Addr().String() + "/payments/webhook"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.sim.Close)
	api := httptest.NewServer(b.sim.Handler())
	t.Cleanup(api.Close)
	second, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for _, ln := range []net.Listener{first, second} {
		provider, err := simulated.NewProvider(simulated.ProviderConfig{
			BaseURL: api.URL, Secrets: []signature.Secret{secret}, CallTimeout: callTimeout,
		})
		if err != nil {
			t.Fatal(err)
		}
		b.daemons = append(b.daemons, startOn(t, ln, httpapi.Config{
			Store: b.DB.Store(t, 10), Inbox: b.DB.Store(t, 4), Providers: []httpapi.Provider{provider}, InsecureNoAuth: true,
			Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo})),
		}))
	}
	return b
}

// body is a hold of the shop's day.
func (b bundle) body(buyer string, quantity int) string {
	return fmt.Sprintf(`{"pool":"harbour/main","day":%q,"quantity":%d,"buyer":%q}`, b.Day, quantity, buyer)
}

// hold places a hold through the first daemon; it must succeed.
func (b bundle) hold(t *testing.T, buyer string, quantity int) inventory.BookingID {
	t.Helper()
	r := b.daemons[0].send(t, http.MethodPost, "/holds", b.body(buyer, quantity), "Idempotency-Key", uuid.NewString())
	if r.status != http.StatusCreated {
		t.Fatalf("hold for %s = %d %s", buyer, r.status, r.text)
	}
	return b.id(t, r)
}

func (b bundle) id(t *testing.T, r reply) inventory.BookingID {
	t.Helper()
	text, _ := r.body["bookingId"].(string)
	id, err := inventory.ParseBookingID(text)
	if err != nil {
		t.Fatalf("no bookingId in %s", r.text)
	}
	return id
}

func (b bundle) pay(t *testing.T, id inventory.BookingID, key string) reply {
	t.Helper()
	return b.daemons[0].send(t, http.MethodPost, "/bookings/"+id.String()+"/pay", "", "Idempotency-Key", key)
}

// callback posts body, signed now, to a daemon.
func (b bundle) callback(t *testing.T, daemon int, body string) reply {
	t.Helper()
	h := http.Header{}
	if err := b.signer.Sign(h, "msg_"+uuid.NewString(), timezone.SystemClock{}.Now(), []byte(body)); err != nil {
		t.Fatal(err)
	}
	return b.daemons[daemon].send(t, http.MethodPost, "/payments/webhook/simulated", body,
		signature.HeaderID, h.Get(signature.HeaderID), signature.HeaderTimestamp, h.Get(signature.HeaderTimestamp),
		signature.HeaderSignature, h.Get(signature.HeaderSignature))
}

// event is the body of a callback about a payment of 25.00.
func event(kind inventory.EventKind, id, payment, reference string) string {
	return fmt.Sprintf(`{"type":%q,"id":%q,"created":1,"live":false,"data":{"payment":%q,"reference":%q,"amountMinor":2500,"currency":"EUR"}}`,
		kind, id, payment, reference)
}

// count runs a query that counts.
func (b bundle) count(t *testing.T, query string, args ...any) int {
	t.Helper()
	var n int
	if err := b.DB.Pool.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
