// Package httpapi is the listener: holds, bookings, seat maps, slots, payments,
// callbacks of payment providers, and health. It decodes, asks the store, and says what the
// store said; it decides nothing about places or money.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

// store is what the listener asks of the database.
type store interface {
	holds
	payments
	days
	events
	resources
	clients
	waitingRooms
	passes
	Ping(ctx context.Context) error
}

type holds interface {
	PlaceHold(ctx context.Context, r inventory.HoldRequest) (b inventory.Booking, replayed bool, err error)
	HoldSeats(ctx context.Context, r inventory.SeatHoldRequest) (b inventory.Booking, replayed bool, err error)
	HoldRange(ctx context.Context, r inventory.RangeHoldRequest) (b inventory.Booking, replayed bool, err error)
	MoveBooking(ctx context.Context, r inventory.MoveRequest) (inventory.Booking, error)
	Booking(ctx context.Context, id inventory.BookingID) (inventory.Booking, error)
	ReleaseHold(ctx context.Context, id inventory.BookingID, version int, actor inventory.Actor, reason string) (inventory.Booking, error)
}

type payments interface {
	StartPayment(ctx context.Context, r inventory.PayRequest) (inventory.Booking, inventory.Payment, error)
	PaymentAnswered(ctx context.Context, id inventory.PaymentID, p inventory.ProviderPayment) (inventory.Booking, inventory.Payment, error)
}

type days interface {
	Venue(ctx context.Context, slug string) (inventory.Venue, error)
	Days(ctx context.Context, ref inventory.PoolRef, r inventory.DayRange) ([]inventory.PoolDay, error)
}

type events interface {
	Event(ctx context.Context, ref inventory.EventRef) (inventory.Event, error)
	EventByID(ctx context.Context, id inventory.EventID) (inventory.Event, error)
	Events(ctx context.Context, f inventory.EventFilter) ([]inventory.Event, error)
	SeatMap(ctx context.Context, id inventory.EventID) (inventory.SeatMap, error)
	SeatMapMark(ctx context.Context, id inventory.EventID) (inventory.SeatMapMark, error)
}

type resources interface {
	Resource(ctx context.Context, ref inventory.ResourceRef) (inventory.Resource, error)
	Slots(ctx context.Context, ref inventory.ResourceRef, day date.Date) ([]inventory.Slot, error)
}

type clients interface {
	ClientByToken(ctx context.Context, token string) (inventory.Client, error)
}

// inbox keeps what providers tell us.
type inbox interface {
	StoreEvent(ctx context.Context, e inventory.ProviderEvent) (fresh bool, err error)
	ApplyEvent(ctx context.Context, provider, eventID string) error
}

// Provider is the part of a payment provider that the listener needs.
type Provider interface {
	// Name is the {provider} of its callbacks' path.
	Name() string
	// Create asks for the money of one attempt. A decline is an answer; an error
	// leaves open what happened.
	Create(ctx context.Context, attempt inventory.Payment) (inventory.ProviderPayment, error)
	// KeyLifetime is how long Create with the same key is the same request.
	KeyLifetime() time.Duration
	// ParseEvent verifies a callback on the bytes as received. An error with
	// FieldErrors inside is an authentic callback that cannot be read; any other
	// error is a callback that is not authentic. An event without a Kind is
	// authentic and does not concern us.
	ParseEvent(h http.Header, body []byte) (inventory.ProviderEvent, error)
}

// Config is what an API needs.
type Config struct {
	Store     store                // required
	Inbox     inbox                // required; on a small connection pool of its own, so that a flood of holds cannot starve it
	Rooms     waitingRooms         // where waiting rooms are read, on connections that a flood of holds cannot starve; nil = Store
	Limits    Limits               // zero = none
	Providers []Provider           // the first is the default; without any, pay and callbacks answer 404
	Registry  *prometheus.Registry // of the metrics; nil = a new one
	Gatherer  prometheus.Gatherer  // what /metrics shows; nil = Registry
	Clock     timezone.Clock       // nil = the machine's
	Log       *slog.Logger         // nil = silent

	// InsecureNoAuth serves everybody as one nameless client with all scopes.
	// Only for a listener that nobody else can reach.
	InsecureNoAuth bool
}

// API is the listener's handlers and what they share. It is safe for
// concurrent use and may serve several listeners.
type API struct {
	store      store
	inbox      inbox
	providers  map[string]Provider
	provider   Provider // the default, nil without any
	clock      timezone.Clock
	log        *slog.Logger
	gatherer   prometheus.Gatherer
	metrics    *metrics
	admissions *admissionMetrics
	tokens     *tokenCache // nil: no authentication
	seatMaps   *seatMaps
	rooms      *rooms
	limits     *limits
	openapi    []byte
	handler    http.Handler

	requests  slots // of everything that clients ask
	callbacks slots // of providers, apart: money must get through

	draining atomic.Bool
}

const (
	maxRequests  = 1024 // in flight at once; one more is answered BUSY at once
	maxCallbacks = 256
)

// New returns an API, or an error that says what in cfg is missing.
func New(cfg Config) (*API, error) {
	if cfg.Store == nil || cfg.Inbox == nil {
		return nil, errors.New("httpapi: a store and an inbox are needed")
	}
	if cfg.Clock == nil {
		cfg.Clock = timezone.SystemClock{}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Registry == nil {
		cfg.Registry = prometheus.NewRegistry()
	}
	if cfg.Gatherer == nil {
		cfg.Gatherer = cfg.Registry
	}
	a := &API{
		store: cfg.Store, inbox: cfg.Inbox, providers: map[string]Provider{}, clock: cfg.Clock, log: slog.New(requestLog{cfg.Log.Handler()}),
		gatherer: cfg.Gatherer, requests: make(slots, maxRequests), callbacks: make(slots, maxCallbacks),
	}
	for _, p := range cfg.Providers {
		if a.provider == nil {
			a.provider = p
		}
		a.providers[p.Name()] = p
	}
	if !cfg.InsecureNoAuth {
		a.tokens = newTokenCache(cfg.Store, cfg.Clock)
	}
	var err error
	if a.metrics, err = newMetrics(cfg.Registry, a); err != nil {
		return nil, err
	}
	if a.admissions, err = newAdmissionMetrics(cfg.Registry); err != nil {
		return nil, err
	}
	if cfg.Rooms == nil {
		cfg.Rooms = cfg.Store
	}
	a.rooms = newRooms(cfg.Rooms, cfg.Clock, cfg.Log)
	a.limits = newLimits(cfg.Limits, cfg.Clock, a.admissions)
	a.seatMaps = newSeatMaps(cfg.Store, cfg.Clock, a.metrics.seatMaps)
	routes := a.routes()
	if a.openapi, err = describe(routes); err != nil {
		return nil, err
	}
	a.handler = a.mux(routes)
	return a, nil
}

// Handler serves the API.
func (a *API) Handler() http.Handler { return a.handler }

// slots bounds how many calls run at once.
type slots chan struct{}

// take returns false, without waiting, if all are taken.
func (s slots) take() bool {
	select {
	case s <- struct{}{}:
		return true
	default:
		return false
	}
}

func (s slots) release() { <-s }
