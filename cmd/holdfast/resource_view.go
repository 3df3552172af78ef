package main

import (
	"time"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
	"holdfast/timezone"
)

type resourceView struct {
	Resource     string          `json:"resource"`
	Name         string          `json:"name"`
	Zone         string          `json:"zone"`
	Week         []openingView   `json:"week"`
	ClosedDays   []string        `json:"closedDays"`
	Slot         span            `json:"slot"` // 0s: any range within the hours
	Buffer       span            `json:"buffer"`
	MinStay      span            `json:"minStay"`
	MaxStay      span            `json:"maxStay"`
	PricePerHour inventory.Money `json:"pricePerHour"`
	StopSell     bool            `json:"stopSell"`
	Version      int             `json:"version"`

	week inventory.OpeningWeek
}

type openingView struct {
	Day    string `json:"day"`
	Opens  string `json:"opens,omitzero"`
	Closes string `json:"closes,omitzero"` // past 24:00: on the next day
	Closed bool   `json:"closed"`
}

func viewResource(r inventory.Resource) resourceView {
	v := resourceView{
		Resource: r.Ref.String(), Name: r.Name, Zone: r.Zone, ClosedDays: []string{}, Slot: span(r.Slot), Buffer: span(r.Turnaround),
		MinStay: span(r.MinStay), MaxStay: span(r.MaxStay), PricePerHour: r.PricePerHour, StopSell: r.StopSell, Version: r.Version, week: r.Week,
	}
	for i, h := range r.Week {
		o := openingView{Day: dayNames[i], Closed: h.Closed()}
		if !o.Closed {
			o.Opens, o.Closes = h.Opens.String(), h.Closes.String()
		}
		v.Week = append(v.Week, o)
	}
	for _, d := range r.ClosedDays {
		v.ClosedDays = append(v.ClosedDays, d.String())
	}
	return v
}

// mostClosed is how many closed days a table names.
const mostClosed = 5

func (r resourceView) closed() string {
	text := ""
	for i, d := range r.ClosedDays {
		if i == mostClosed {
			return text + " and " + decimal(len(r.ClosedDays)-i) + " more"
		}
		text += yes(i > 0, " ") + d
	}
	return text
}

func (r resourceView) slot() string {
	if r.Slot == 0 {
		return "any"
	}
	return r.Slot.String()
}

var resourceColumns = []output.Column[resourceView]{
	{Name: "resource", Value: func(r resourceView) string { return r.Resource }},
	{Name: "open", Value: func(r resourceView) string { return formatOpening(r.week) }},
	{Name: "slot", Value: resourceView.slot},
	{Name: "buffer", Value: func(r resourceView) string { return r.Buffer.String() }},
	{Name: "min_stay", Value: func(r resourceView) string { return r.MinStay.String() }},
	{Name: "max_stay", Value: func(r resourceView) string { return r.MaxStay.String() }},
	{Name: "price_per_hour", Number: true, Value: func(r resourceView) string { return r.PricePerHour.Plain() }},
	{Name: "currency", Value: func(r resourceView) string { return string(r.PricePerHour.Currency) }},
	{Name: "sales", Value: func(r resourceView) string { return onOff(r.StopSell) }},
	{Name: "zone", Value: func(r resourceView) string { return r.Zone }},
	{Name: "version", Number: true, Value: func(r resourceView) string { return decimal(r.Version) }},
	{Name: "closed_days", Value: resourceView.closed},
	{Name: "name", Value: func(r resourceView) string { return r.Name }},
}

// slotView is a slot with both ends as the wall at the venue shows them, and
// the offsets that tell the hours of a clock change apart.
type slotView struct {
	From    string               `json:"from"`
	To      string               `json:"to"`
	Free    bool                 `json:"free"`
	Booking *inventory.BookingID `json:"booking,omitzero"`

	length time.Duration
}

func viewSlot(zone timezone.Zone) func(inventory.Slot) slotView {
	return func(s inventory.Slot) slotView {
		v := slotView{From: wallIn(s.From, zone.Name()), To: wallIn(s.To, zone.Name()), Free: s.Free, length: s.Length()}
		if s.Booking != (inventory.BookingID{}) {
			v.Booking = &s.Booking
		}
		return v
	}
}

// state says why a slot is not free.
func (s slotView) state() string {
	switch {
	case s.Free:
		return "free"
	case s.Booking != nil:
		return "taken"
	}
	return "kept free"
}

func (s slotView) booking() string {
	if s.Booking == nil {
		return ""
	}
	return s.Booking.String()
}

var slotColumns = []output.Column[slotView]{
	{Name: "from", Value: func(s slotView) string { return s.From }},
	{Name: "to", Value: func(s slotView) string { return s.To }},
	{Name: "length", Value: func(s slotView) string { return span(s.length).String() }},
	{Name: "state", Value: slotView.state},
	{Name: "booking", Value: slotView.booking},
}
