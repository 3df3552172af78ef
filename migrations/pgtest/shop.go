package pgtest

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

// Shop is a venue with one pool that sells: what most tests need before they
// can begin. Its pool has two weeks of days, made by the horizon like any
// others.
type Shop struct {
	DB    *Database
	Store *pgstore.Store
	Venue inventory.Venue
	Pool  inventory.Pool
	Day   date.Date // a week ahead, by the venue's calendar
}

// ShopOption changes a shop before it opens.
type ShopOption func(*inventory.Venue, *inventory.Pool)

// Capacity sets capacity and overbook_limit of every day. The default is 10
// and 2.
func Capacity(capacity, overbook int) ShopOption {
	return func(_ *inventory.Venue, p *inventory.Pool) {
		p.Week = inventory.EveryDay(inventory.DayTemplate{Capacity: capacity, OverbookLimit: overbook})
	}
}

// PerBuyer sets how many live bookings a buyer may have on a day; 0 is no
// limit. The default is 1.
func PerBuyer(n int) ShopOption {
	return func(_ *inventory.Venue, p *inventory.Pool) { p.MaxPerBuyer = n }
}

// Price sets the price of one place. The default is EUR 25.00.
func Price(minor inventory.Minor) ShopOption {
	return func(_ *inventory.Venue, p *inventory.Pool) { p.Price.Minor = minor }
}

// HoldTTL sets how long holds live, without jitter.
func HoldTTL(ttl time.Duration) ShopOption {
	return func(v *inventory.Venue, _ *inventory.Pool) { v.HoldTTL, v.HoldJitter = ttl, 0 }
}

// Late sets the venue's late-payment policy. The default is ask.
func Late(policy inventory.LatePolicy) ShopOption {
	return func(v *inventory.Venue, _ *inventory.Pool) { v.LatePolicy = policy }
}

// Zone sets the venue's time zone. The default is Europe/Berlin.
func Zone(name string) ShopOption {
	return func(v *inventory.Venue, _ *inventory.Pool) { v.Zone = name }
}

// OpenShop makes a database and a shop in it.
func OpenShop(t testing.TB, opts ...ShopOption) Shop {
	t.Helper()
	return OpenShopIn(t, DB(t), opts...)
}

// OpenShopIn makes a shop in an existing database.
func OpenShopIn(t testing.TB, db *Database, opts ...ShopOption) Shop {
	t.Helper()
	venue := inventory.NewVenue("harbour", "Harbour Hall", "Europe/Berlin", "EUR")
	venue.HoldJitter = 0
	pool := inventory.Pool{
		Ref: inventory.PoolRef{Venue: venue.Slug, Pool: "main"}, Name: "Main floor",
		Price: inventory.Money{Minor: 2500, Currency: "EUR"}, MaxPerBuyer: 1, HorizonDays: 14,
		Week: inventory.EveryDay(inventory.DayTemplate{Capacity: 10, OverbookLimit: 2}),
	}
	for _, opt := range opts {
		opt(&venue, &pool)
	}
	s := Shop{DB: db, Store: db.Store(t, defaultConns)}
	ctx := t.Context()
	var err error
	if s.Venue, err = s.Store.AddVenue(ctx, inventory.Staff("test"), venue); err != nil {
		t.Fatal(err)
	}
	if s.Pool, err = s.Store.AddPool(ctx, inventory.Staff("test"), pool); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.ExtendHorizon(ctx, 1000); err != nil {
		t.Fatal(err)
	}
	zone, err := timezone.ParseZone(venue.Zone)
	if err != nil {
		t.Fatal(err)
	}
	s.Day = timezone.DayOf(s.Now(t), zone).Add(7)
	return s
}

// Store opens a store on a pool of its own, as another process would.
func (db *Database) Store(t testing.TB, maxConns int) *pgstore.Store {
	t.Helper()
	pool, err := pgstore.Connect(context.Background(), db.URL, pgstore.PoolConfig{MaxConns: maxConns, AppName: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closePool(t, pool) })
	return pgstore.New(pool, slog.New(slog.DiscardHandler))
}

// Now is the database's clock.
func (s Shop) Now(t testing.TB) time.Time {
	t.Helper()
	now, err := s.Store.DatabaseNow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// Request is a hold of quantity places on the shop's day, with a fresh
// idempotency key.
func (s Shop) Request(buyer string, quantity int) inventory.HoldRequest {
	return inventory.HoldRequest{
		Pool: s.Pool.Ref, Day: s.Day, Quantity: quantity, Buyer: buyer,
		IdempotencyKey: uuid.NewString(), Actor: inventory.Actor{Name: "test", Kind: inventory.ActorClient},
	}
}

// Hold places a hold that must succeed.
func (s Shop) Hold(t testing.TB, buyer string, quantity int) inventory.Booking {
	t.Helper()
	var b inventory.Booking
	r := s.Request(buyer, quantity)
	err := Again(func() (err error) { b, _, err = s.Store.PlaceHold(t.Context(), r); return err })
	if err != nil {
		t.Fatalf("hold for %s: %v", buyer, err)
	}
	return b
}

// After is the shop's store as it will be when d has passed.
func (s Shop) After(t testing.TB, d time.Duration) *pgstore.Store {
	t.Helper()
	return s.Store.At(s.Now(t).Add(d))
}

// Captured is a provider's callback that says that a payment for the booking
// was captured in full (shop-driven: the reference is the booking's id).
func Captured(b inventory.Booking, providerPayment string) inventory.ProviderEvent {
	return inventory.ProviderEvent{
		Provider: "simulated", ID: "evt_" + uuid.NewString(), Kind: inventory.EventPaymentSucceeded,
		ProviderPayment: providerPayment, Reference: b.ID.String(), Amount: b.Amount, Body: []byte("{}"),
	}
}

// Deliver stores an event and applies it with store.
func Deliver(t testing.TB, store *pgstore.Store, e inventory.ProviderEvent) {
	t.Helper()
	if err := Again(func() error { _, err := store.StoreEvent(t.Context(), e); return err }); err != nil {
		t.Fatalf("store event: %v", err)
	}
	if err := Again(func() error { return store.ApplyEvent(t.Context(), e.Provider, e.ID) }); err != nil {
		t.Fatalf("apply event: %v", err)
	}
}

// Taken is what is taken of the shop's day.
func (s Shop) Taken(t testing.TB) int {
	t.Helper()
	return s.PoolDay(t).Taken
}

// PoolDay is the shop's day as it stands.
func (s Shop) PoolDay(t testing.TB) inventory.PoolDay {
	t.Helper()
	days, err := s.Store.Days(t.Context(), s.Pool.Ref, inventory.DayRange{From: s.Day, To: s.Day})
	if err != nil || len(days) != 1 {
		t.Fatalf("days = %v, %v", days, err)
	}
	return days[0]
}

// State is a booking's state as it stands.
func (s Shop) State(t testing.TB, id inventory.BookingID) inventory.BookingState {
	t.Helper()
	b, err := s.Store.Booking(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return b.State
}

// SetDay edits the shop's day.
func (s Shop) SetDay(t testing.TB, edit inventory.DayEdit) {
	t.Helper()
	ctx := t.Context()
	plan, err := s.Store.PlanDays(ctx, s.Pool.Ref, []date.Date{s.Day}, edit)
	if err == nil {
		_, err = s.Store.SaveDays(ctx, inventory.Staff("test"), plan, "")
	}
	if err != nil {
		t.Fatal(fmt.Errorf("set day: %w", err))
	}
}
