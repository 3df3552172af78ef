package httpapi_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
	"holdfast/inventory/payment/signature"
	"holdfast/timezone"
)

// double stands in for the store where only the protocol is looked at. It
// knows no rule about places or money; a nil function means that the test does
// not expect the call.
type double struct {
	placeHold  func(inventory.HoldRequest) (inventory.Booking, bool, error)
	booking    func(inventory.BookingID) (inventory.Booking, error)
	client     func(token string) (inventory.Client, error)
	storeEvent func(inventory.ProviderEvent) (bool, error)
	applyEvent func() error
	ping       func(context.Context) error
	ofEvents
	ofRooms
	calls atomic.Int64 // of anything that writes
}

var errUnexpected = errors.New("the test did not expect this call")

func (d *double) PlaceHold(_ context.Context, r inventory.HoldRequest) (inventory.Booking, bool, error) {
	d.calls.Add(1)
	if d.placeHold == nil {
		return inventory.Booking{}, false, errUnexpected
	}
	return d.placeHold(r)
}

func (d *double) Booking(_ context.Context, id inventory.BookingID) (inventory.Booking, error) {
	if d.booking == nil {
		return inventory.Booking{}, errUnexpected
	}
	return d.booking(id)
}

func (d *double) ReleaseHold(context.Context, inventory.BookingID, int, inventory.Actor, string) (inventory.Booking, error) {
	d.calls.Add(1)
	return inventory.Booking{}, errUnexpected
}

func (d *double) StartPayment(context.Context, inventory.PayRequest) (inventory.Booking, inventory.Payment, error) {
	d.calls.Add(1)
	return inventory.Booking{}, inventory.Payment{}, errUnexpected
}

func (d *double) PaymentAnswered(context.Context, inventory.PaymentID, inventory.ProviderPayment) (inventory.Booking, inventory.Payment, error) {
	d.calls.Add(1)
	return inventory.Booking{}, inventory.Payment{}, errUnexpected
}

func (d *double) Venue(context.Context, string) (inventory.Venue, error) {
	return inventory.NewVenue("harbour", "Harbour Hall", "Europe/Berlin", "EUR"), nil
}

func (d *double) Days(context.Context, inventory.PoolRef, inventory.DayRange) ([]inventory.PoolDay, error) {
	return nil, nil
}

func (d *double) ClientByToken(_ context.Context, token string) (inventory.Client, error) {
	if d.client == nil {
		return inventory.Client{}, errUnexpected
	}
	return d.client(token)
}

func (d *double) Ping(ctx context.Context) error {
	if d.ping == nil {
		return nil
	}
	return d.ping(ctx)
}

func (d *double) StoreEvent(_ context.Context, e inventory.ProviderEvent) (bool, error) {
	d.calls.Add(1)
	if d.storeEvent == nil {
		return false, errUnexpected
	}
	return d.storeEvent(e)
}

func (d *double) ApplyEvent(context.Context, string, string) error {
	if d.applyEvent == nil {
		return nil
	}
	return d.applyEvent()
}

// scripted is a provider whose callbacks are authentic unless they say "bad".
type scripted struct{}

func (scripted) Name() string               { return "scripted" }
func (scripted) KeyLifetime() time.Duration { return time.Hour }

func (scripted) Create(context.Context, inventory.Payment) (inventory.ProviderPayment, error) {
	return inventory.ProviderPayment{}, errUnexpected
}

func (scripted) ParseEvent(_ http.Header, body []byte) (inventory.ProviderEvent, error) {
	switch string(body) {
	case "bad":
		return inventory.ProviderEvent{}, signature.ErrNotAuthentic
	case "unreadable":
		return inventory.ProviderEvent{}, inventory.Invalid("data.amountMinor", "is there twice")
	case "foreign":
		return inventory.ProviderEvent{ID: "evt_1", Provider: "scripted"}, nil
	case "panic":
		panic("boom in ParseEvent")
	}
	return inventory.ProviderEvent{Provider: "scripted", ID: "evt_1", Kind: inventory.EventPaymentSucceeded, Body: body}, nil
}

// listener is an API that serves on loopback until its test ends.
type listener struct {
	url  string
	addr string
	api  *httpapi.API
	stop context.CancelFunc // begins the drain
	done chan error         // what Serve returned
}

// start serves cfg with what tests share filled in.
func start(t *testing.T, cfg httpapi.Config) listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return startOn(t, ln, cfg)
}

func startOn(t *testing.T, ln net.Listener, cfg httpapi.Config) listener {
	t.Helper()
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	if cfg.Clock == nil {
		cfg.Clock = timezone.SystemClock{}
	}
	api, err := httpapi.New(cfg)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := listener{url: "http://" + ln.Addr().String(), addr: ln.Addr().String(), api: api, stop: cancel, done: make(chan error, 1)}
	served := make(chan struct{})
	go func() {
		l.done <- api.Serve(ctx, ln)
		close(served)
	}()
	t.Cleanup(func() {
		cancel()
		<-served
	})
	return l
}

// noAuth serves d to everybody.
func noAuth(t *testing.T, d *double) listener {
	t.Helper()
	return start(t, httpapi.Config{Store: d, Inbox: d, Providers: []httpapi.Provider{scripted{}}, InsecureNoAuth: true})
}

// reply is an answer with its body read.
type reply struct {
	status int
	header http.Header
	text   string
	body   map[string]any // nil if it is no JSON object
}

// code is the code of a problem.
func (r reply) code() string {
	s, _ := r.body["code"].(string)
	return s
}

// fields are the names of the fields that a problem complains about.
func (r reply) fields() []string {
	var names []string
	list, _ := r.body["errors"].([]any)
	for _, one := range list {
		names = append(names, one.(map[string]any)["field"].(string))
	}
	return names
}

// send makes a request; headers come in pairs, a body of "" is none.
func (l listener) send(t *testing.T, method, path, body string, headers ...string) reply {
	t.Helper()
	var sent io.Reader
	if body != "" {
		sent = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, l.url+path, sent)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	if body != "" && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
		return reply{}
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("%s %s: read the answer: %v", method, path, err)
	}
	r := reply{status: resp.StatusCode, header: resp.Header, text: string(data)}
	_ = json.Unmarshal(data, &r.body)
	return r
}

const goodHold = `{"pool":"harbour/main","day":"2027-01-15","quantity":2,"buyer":"u-1"}`

func held(r inventory.HoldRequest) (inventory.Booking, bool, error) {
	return inventory.Booking{
		ID: inventory.NewBookingID(), Kind: inventory.ClaimPool, Pool: r.Pool, Day: r.Day, Quantity: r.Quantity, Buyer: r.Buyer, State: inventory.StateHeld,
		ExpiresAt: time.Date(2027, time.January, 15, 19, 30, 0, 123456789, time.UTC), Amount: inventory.Money{Minor: 5000, Currency: "EUR"}, Version: 1,
	}, false, nil
}

// noProvider serves d without any payment provider.
func noProvider(t *testing.T, d *double) listener {
	t.Helper()
	return start(t, httpapi.Config{Store: d, Inbox: d, InsecureNoAuth: true})
}
