package jobs_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/inventory/payment/signature"
	"holdfast/inventory/payment/simulated"
	"holdfast/inventory/pgstore"
	"holdfast/jobs"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

// market is a shop on a real database and a payment provider whose callbacks
// arrive in a post box: they reach the shop when, and as often as, the test
// carries them there.
type market struct {
	pgtest.Shop
	sim      *simulated.Server
	simURL   string
	simClock *timezone.ManualClock
	provider *simulated.Provider
	secret   signature.Secret
	post     *postbox
}

var mira = inventory.Staff("mira")

// openMarket opens a shop with a provider that knows keys for an hour and
// whose calls end after callTimeout.
func openMarket(t *testing.T, callTimeout time.Duration, opts ...pgtest.ShopOption) market {
	t.Helper()
	m := market{Shop: pgtest.OpenShop(t, opts...), post: &postbox{}}
	m.simClock = timezone.NewManualClock(m.Now(t))
	var err error
	if m.secret, err = signature.NewSecret("test-secret-A"); err != nil {
		t.Fatal(err)
	}
	box := httptest.NewServer(m.post)
	t.Cleanup(box.Close)
	if m.sim, err = simulated.NewServer(simulated.Config{Secret: m.secret, WebhookURL: box.URL, Clock: m.simClock}); err != nil {
		t.Fatal(err)
	}
	m.behave("", simulated.Behaviour{})
	api := httptest.NewServer(m.sim.Handler())
	t.Cleanup(api.Close)
	t.Cleanup(m.sim.Close) // first: it lets go of calls that hang
	m.simURL = api.URL
	m.provider = m.client(t, callTimeout)
	m.post.provider = m.provider
	return m
}

// client calls the provider with this patience.
func (m market) client(t *testing.T, callTimeout time.Duration) *simulated.Provider {
	t.Helper()
	p, err := simulated.NewProvider(simulated.ProviderConfig{
		BaseURL: m.simURL, Secrets: []signature.Secret{m.secret}, Clock: m.simClock, CallTimeout: callTimeout, KeyLifetime: keyLifetime,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// patience is longer than any answer takes that is not meant to be late.
const patience = 10 * time.Second

const keyLifetime = time.Hour

// behave sets how the provider treats calls about reference, "" for all others.
// Its callbacks are in the post box before a call returns.
func (m market) behave(reference string, b simulated.Behaviour) {
	b.WebhookBeforeAnswer = true
	b.KeyLifetime = keyLifetime
	m.sim.SetBehaviour(reference, 0, b)
}

func (m market) providers() map[string]jobs.Provider {
	return map[string]jobs.Provider{simulated.Name: m.provider}
}

func (m market) reconcile(store *pgstore.Store) *jobs.Reconcile {
	return jobs.NewReconcile(store, m.providers(), quiet())
}

func (m market) refunds(store *pgstore.Store) *jobs.Refund {
	return jobs.NewRefund(store, m.providers(), quiet())
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// run makes one pass that must succeed.
func run(t *testing.T, job jobs.Job) jobs.Result {
	t.Helper()
	res, err := job.Run(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", job.Name(), err)
	}
	return res
}

// pay starts to pay for a new hold and lets the provider treat the call as b
// says. What it answers is lost: nothing but a callback or a question tells.
func (m market) pay(t *testing.T, buyer string, quantity int, b simulated.Behaviour) (inventory.Booking, inventory.Payment) {
	t.Helper()
	hold := m.Hold(t, buyer, quantity)
	booking, p, err := m.Store.StartPayment(t.Context(), inventory.PayRequest{BookingID: hold.ID, Provider: simulated.Name, Actor: mira})
	if err != nil {
		t.Fatalf("start to pay for %s: %v", buyer, err)
	}
	m.behave(p.ID.String(), b)
	_, _ = m.provider.Create(t.Context(), p)
	return booking, p
}

// paid is a booking that was paid for in time, with its payment.
func (m market) paid(t *testing.T, buyer string, quantity int) (inventory.Booking, inventory.Payment) {
	t.Helper()
	hold := m.Hold(t, buyer, quantity)
	m.charge(t, hold)
	m.carry(t, m.Store, m.post.take()...)
	b := m.booking(t, hold.ID)
	if b.State != inventory.StateConfirmed || len(b.Payments) != 1 {
		t.Fatalf("booking of %s is %s with %d payments", buyer, b.State, len(b.Payments))
	}
	return b, b.Payments[0]
}

// charge takes the money for b as a shop does that uses the booking's id as its
// reference.
func (m market) charge(t *testing.T, b inventory.Booking) inventory.ProviderPayment {
	t.Helper()
	p, err := m.provider.Charge(t.Context(), uuid.NewString(), b.ID.String(), b.Amount)
	if err != nil {
		t.Fatalf("charge for %s: %v", b.ID, err)
	}
	return p
}

// carry brings callbacks to store, one after the other.
func (m market) carry(t *testing.T, store *pgstore.Store, letters ...letter) {
	t.Helper()
	for _, l := range letters {
		again(t, "store "+string(l.event.Kind), func() error {
			_, err := store.StoreEvent(t.Context(), l.event)
			return err
		})
		again(t, "apply "+string(l.event.Kind), func() error {
			return store.ApplyEvent(t.Context(), l.event.Provider, l.event.ID)
		})
	}
}

// again does what providers, jobs and the inbox do when they are told that the
// database is busy: they come again.
func again(t *testing.T, what string, do func() error) {
	t.Helper()
	if err := pgtest.Again(do); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func (m market) booking(t *testing.T, id inventory.BookingID) inventory.Booking {
	t.Helper()
	b, err := m.Store.Booking(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// refundsOf returns the refunds of a payment, newest first.
func (m market) refundsOf(t *testing.T, id inventory.PaymentID) []inventory.Refund {
	t.Helper()
	all, err := m.Store.Refunds(t.Context(), inventory.RefundFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var found []inventory.Refund
	for _, r := range all {
		if r.PaymentID == id {
			found = append(found, r)
		}
	}
	return found
}

// calls counts the provider's calls with this method and beginning of a path.
func (m market) calls(method, path string) (all []simulated.Call) {
	for _, c := range m.sim.Ledger().Calls {
		if c.Method == method && len(c.Path) >= len(path) && c.Path[:len(path)] == path {
			all = append(all, c)
		}
	}
	return all
}

// letter is one callback as it arrived.
type letter struct {
	event inventory.ProviderEvent
	body  []byte
}

// postbox takes the provider's callbacks and keeps them, each once.
type postbox struct {
	provider *simulated.Provider

	mu      sync.Mutex
	letters []letter
}

func (p *postbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	event, err := p.provider.ParseEvent(r.Header, body)
	if err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.letters = append(p.letters, letter{event, body})
	w.WriteHeader(http.StatusNoContent)
}

// take empties the box.
func (p *postbox) take() []letter {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.letters
	p.letters = nil
	return taken
}

// errKilled is all that a killed daemon's calls come to.
var errKilled = errors.New("killed")

// until waits for something that another goroutine brings about.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited too long until %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
