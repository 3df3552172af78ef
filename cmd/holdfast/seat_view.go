package main

import (
	"time"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
)

type seatView struct {
	Seat        inventory.SeatID     `json:"seat"`
	Section     string               `json:"section"`
	Row         string               `json:"row"`
	Number      int                  `json:"number"`
	Category    string               `json:"category"`
	Price       inventory.Money      `json:"price"`
	State       inventory.SeatState  `json:"state"`
	Booking     *inventory.BookingID `json:"bookingId,omitzero"`
	KillReason  string               `json:"killReason,omitzero"`
	NeedsRepair bool                 `json:"needsRepair,omitzero"` // not sold: see check
	Version     int                  `json:"version"`

	name string
}

func viewSeat(s inventory.Seat) seatView {
	v := seatView{
		Seat: s.ID, Section: s.Section, Row: s.Row, Number: s.Number, Category: s.Category, Price: s.Price, State: s.State,
		KillReason: s.KillReason, NeedsRepair: s.NeedsRepair, Version: s.Version, name: s.Short(),
	}
	if s.BookingID != (inventory.BookingID{}) {
		v.Booking = &s.BookingID
	}
	return v
}

func (s seatView) booking() string {
	if s.Booking == nil {
		return ""
	}
	return s.Booking.String()
}

func (s seatView) note() string {
	if s.NeedsRepair {
		return "needs repair: see holdfast check"
	}
	return s.KillReason
}

var seatColumns = []output.Column[seatView]{
	{Name: "id", Number: true, Value: func(s seatView) string { return s.Seat.String() }},
	{Name: "section", Value: func(s seatView) string { return s.Section }},
	{Name: "row", Value: func(s seatView) string { return s.Row }},
	{Name: "number", Number: true, Value: func(s seatView) string { return decimal(s.Number) }},
	{Name: "seat", Value: func(s seatView) string { return s.name }},
	{Name: "category", Value: func(s seatView) string { return s.Category }},
	{Name: "price", Number: true, Value: func(s seatView) string { return s.Price.Plain() }},
	{Name: "currency", Value: func(s seatView) string { return string(s.Price.Currency) }},
	{Name: "state", Value: func(s seatView) string { return string(s.State) }},
	{Name: "booking", Value: seatView.booking},
	{Name: "note", Value: seatView.note},
}

// seatMapView is the one document of seat map.
type seatMapView struct {
	Event eventView  `json:"event"`
	AsOf  time.Time  `json:"asOf"`
	Seats []seatView `json:"seats"`
}

func viewSeatMap(m inventory.SeatMap) seatMapView {
	return seatMapView{viewEvent(m.Event), m.AsOf, mapped(m.Seats, viewSeat)}
}

// importView is the one document of seat import.
type importView struct {
	Event string         `json:"event"`
	Added int            `json:"added"`
	Seats seatCountsView `json:"seats"` // all that the event has now
}

var importColumns = []output.Column[importView]{
	{Name: "event", Value: func(v importView) string { return v.Event }},
	{Name: "added", Number: true, Value: func(v importView) string { return decimal(v.Added) }},
	{Name: "seats", Number: true, Value: func(v importView) string { return decimal(inventory.SeatCounts(v.Seats).Total()) }},
}
