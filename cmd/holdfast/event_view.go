package main

import (
	"time"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
)

type eventView struct {
	EventID    inventory.EventID  `json:"eventId"`
	Event      string             `json:"event"`
	Name       string             `json:"name"`
	Start      string             `json:"start"` // on the wall of Zone
	Zone       string             `json:"zone"`
	StartsAt   time.Time          `json:"startsAt"`
	SalesFrom  time.Time          `json:"salesFrom,omitzero"` // absent: on sale as soon as it has seats
	SalesUntil time.Time          `json:"salesUntil"`
	StopSell   bool               `json:"stopSell"`
	HoldTTL    span               `json:"holdTtl"`
	Currency   inventory.Currency `json:"currency"`
	Seats      seatCountsView     `json:"seats"`
	Version    int                `json:"version"`
}

type seatCountsView struct {
	Available int `json:"available"`
	Held      int `json:"held"`
	Booked    int `json:"booked"`
	Killed    int `json:"killed"`
}

func viewEvent(e inventory.Event) eventView {
	return eventView{
		e.ID, e.Ref.String(), e.Name, e.Start.String(), e.Zone, e.StartsAt, e.SalesFrom, e.SalesUntil,
		e.StopSell, span(e.HoldTTL), e.Currency, seatCountsView(e.Seats), e.Version,
	}
}

var eventColumns = []output.Column[eventView]{
	{Name: "event", Value: func(e eventView) string { return e.Event }},
	{Name: "start", Value: func(e eventView) string { return e.Start }},
	{Name: "zone", Value: func(e eventView) string { return e.Zone }},
	{Name: "onsale", Value: func(e eventView) string { return wallIn(e.SalesFrom, e.Zone) }},
	{Name: "cutoff", Value: func(e eventView) string { return wallIn(e.SalesUntil, e.Zone) }},
	{Name: "sales", Value: func(e eventView) string { return onOff(e.StopSell) }},
	{Name: "hold_ttl", Value: func(e eventView) string { return e.HoldTTL.String() }},
	{Name: "available", Number: true, Value: func(e eventView) string { return decimal(e.Seats.Available) }},
	{Name: "held", Number: true, Value: func(e eventView) string { return decimal(e.Seats.Held) }},
	{Name: "booked", Number: true, Value: func(e eventView) string { return decimal(e.Seats.Booked) }},
	{Name: "killed", Number: true, Value: func(e eventView) string { return decimal(e.Seats.Killed) }},
	{Name: "version", Number: true, Value: func(e eventView) string { return decimal(e.Version) }},
	{Name: "id", Value: func(e eventView) string { return e.EventID.String() }},
	{Name: "name", Value: func(e eventView) string { return e.Name }},
}
