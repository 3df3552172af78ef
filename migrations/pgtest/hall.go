package pgtest

import (
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// Hall is a shop with a numbered event: rows A, B, C of ten seats each at EUR
// 50.00, two weeks ahead at 20:00, unless asked otherwise.
type Hall struct {
	Shop
	Event inventory.Event
	Seats []inventory.Seat // in the order of the hall
}

// OpenHall makes a database with a hall in it.
func OpenHall(t testing.TB, opts ...ShopOption) Hall {
	t.Helper()
	return HallIn(t, OpenShop(t, opts...), Rows("PARKETT", "CAT 1", 5000, 10, "A", "B", "C"))
}

// HallIn adds a numbered event with these seats to a shop.
func HallIn(t testing.TB, s Shop, seats []inventory.Seat) Hall {
	t.Helper()
	zone, err := timezone.ParseZone(s.Venue.Zone)
	if err != nil {
		t.Fatal(err)
	}
	start := timezone.WallTime{Day: s.Day.Add(7), Time: timezone.NewTimeOfDay(20, 0)}
	at, err := timezone.InstantOf(start, zone)
	if err != nil {
		t.Fatal(err)
	}
	ref := inventory.EventRef{Venue: s.Venue.Slug, Event: "gala"}
	h := Hall{Shop: s}
	if h.Event, err = s.Store.AddEvent(t.Context(), inventory.Staff("test"), inventory.Event{
		Ref: ref, Name: "Gala", Start: start, StartsAt: at, HoldTTL: inventory.DefaultEventHoldTTL,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.ImportSeats(t.Context(), inventory.Staff("test"), ref, seats); err != nil {
		t.Fatal(err)
	}
	m, err := s.Store.SeatMap(t.Context(), h.Event.ID)
	if err != nil {
		t.Fatal(err)
	}
	h.Event, h.Seats = m.Event, m.Seats
	return h
}

// Rows makes seats of one section and category: width seats in each row.
func Rows(section, category string, price inventory.Minor, width int, rows ...string) []inventory.Seat {
	var seats []inventory.Seat
	for _, row := range rows {
		for n := 1; n <= width; n++ {
			seats = append(seats, inventory.Seat{
				Section: section, Row: row, Number: n, Category: category, Price: inventory.Money{Minor: price, Currency: "EUR"},
			})
		}
	}
	return seats
}

// Seat is the id of a seat by its short name, "A-01".
func (h Hall) Seat(t testing.TB, name string) inventory.SeatID {
	t.Helper()
	for _, s := range h.Seats {
		if s.Short() == name {
			return s.ID
		}
	}
	t.Fatalf("the hall has no seat %s", name)
	return 0
}

// Ask asks for seats by name.
func (h Hall) Ask(t testing.TB, buyer string, names ...string) inventory.SeatHoldRequest {
	t.Helper()
	r := inventory.SeatHoldRequest{Event: h.Event.ID, Buyer: buyer, Actor: inventory.Staff("test")}
	for _, n := range names {
		r.Seats = append(r.Seats, h.Seat(t, n))
	}
	return r
}

// HoldSeats holds seats by name, or fails the test.
func (h Hall) HoldSeats(t testing.TB, buyer string, names ...string) inventory.Booking {
	t.Helper()
	var b inventory.Booking
	r := h.Ask(t, buyer, names...)
	err := Again(func() (err error) { b, _, err = h.Store.HoldSeats(t.Context(), r); return err })
	if err != nil {
		t.Fatalf("hold %v for %s: %v", names, buyer, err)
	}
	return b
}

// SeatState is how a seat stands now.
func (h Hall) SeatState(t testing.TB, name string) inventory.SeatState {
	t.Helper()
	m, err := h.Store.SeatMap(t.Context(), h.Event.ID)
	if err != nil {
		t.Fatal(err)
	}
	id := h.Seat(t, name)
	for _, s := range m.Seats {
		if s.ID == id {
			return s.State
		}
	}
	t.Fatalf("the map has no seat %s", name)
	return ""
}

// Studio is a shop with a resource: open from 09:00 to 17:00 each day, in slots
// of an hour at EUR 20.00, unless asked otherwise.
type Studio struct {
	Shop
	Resource inventory.Resource
	Zone     timezone.Zone
}

// OpenStudio makes a database with a studio in it.
func OpenStudio(t testing.TB, change func(*inventory.Resource), opts ...ShopOption) Studio {
	t.Helper()
	return StudioIn(t, OpenShop(t, opts...), change)
}

// StudioIn adds a resource to a shop.
func StudioIn(t testing.TB, s Shop, change func(*inventory.Resource)) Studio {
	t.Helper()
	zone, err := timezone.ParseZone(s.Venue.Zone)
	if err != nil {
		t.Fatal(err)
	}
	r := inventory.Resource{
		Ref: inventory.ResourceRef{Venue: s.Venue.Slug, Resource: "studio-a"}, Name: "Studio A",
		Week: inventory.OpenEveryDay(timezone.Hours{Opens: timezone.NewTimeOfDay(9, 0), Closes: timezone.NewTimeOfDay(17, 0)}),
		Slot: time.Hour, MinStay: time.Minute, MaxStay: inventory.DefaultMaxStay,
		PricePerHour: inventory.Money{Minor: 2000, Currency: s.Venue.Currency},
	}
	if change != nil {
		change(&r)
	}
	st := Studio{Shop: s, Zone: zone}
	if st.Resource, err = s.Store.AddResource(t.Context(), inventory.Staff("test"), r); err != nil {
		t.Fatal(err)
	}
	return st
}

// During is a range of the shop's day by wall times "10:00" and "11:00".
func (s Studio) During(t testing.TB, from, to string) inventory.Range {
	t.Helper()
	var r inventory.Range
	var err error
	if r.From, err = timezone.ParseLocal(s.Day.String()+"T"+from, s.Zone); err != nil {
		t.Fatal(err)
	}
	if r.To, err = timezone.ParseLocal(s.Day.String()+"T"+to, s.Zone); err != nil {
		t.Fatal(err)
	}
	return r
}

// Ask asks for the studio by wall times of the shop's day.
func (s Studio) Ask(t testing.TB, buyer, from, to string) inventory.RangeHoldRequest {
	t.Helper()
	return inventory.RangeHoldRequest{Resource: s.Resource.Ref, During: s.During(t, from, to), Buyer: buyer, Actor: inventory.Staff("test")}
}

// HoldRange holds the studio, or fails the test.
func (s Studio) HoldRange(t testing.TB, buyer, from, to string) inventory.Booking {
	t.Helper()
	var b inventory.Booking
	r := s.Ask(t, buyer, from, to)
	err := Again(func() (err error) { b, _, err = s.Store.HoldRange(t.Context(), r); return err })
	if err != nil {
		t.Fatalf("hold %s-%s for %s: %v", from, to, buyer, err)
	}
	return b
}
