package main

import (
	"strings"
	"time"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
)

// zoneMoveView is something in the future that other rules would move. Stored and
// would are instants; the walls around them are local times of the venue.
type zoneMoveView struct {
	Venue     string               `json:"venue"`
	Kind      string               `json:"kind"`
	Name      string               `json:"name"`
	Booking   *inventory.BookingID `json:"bookingId,omitzero"`
	Event     *inventory.EventID   `json:"event,omitzero"`
	Buyer     string               `json:"buyer,omitzero"`
	Day       string               `json:"day"`
	Local     string               `json:"local"`     // what was typed, and is kept with --keep local
	Stored    time.Time            `json:"stored"`    // when that is now, and stays with --keep instant
	LocalThen string               `json:"localThen"` // what the wall would show then
	Would     time.Time            `json:"would,omitzero"`
	Problem   string               `json:"problem,omitzero"`
	Choice    []string             `json:"choice,omitzero"` // with a problem: what Local could mean
}

func viewZoneMove(p inventory.ZonePreview) func(inventory.ZoneMove) zoneMoveView {
	return func(m inventory.ZoneMove) zoneMoveView {
		v := zoneMoveView{
			Venue: p.Venue, Kind: m.Kind, Name: m.Name, Buyer: m.Buyer, Day: m.Day.String(), Local: m.Local.String(),
			Stored: m.Stored, LocalThen: m.LocalThen.String(), Would: m.Would, Problem: m.Problem,
		}
		if m.Booking != (inventory.BookingID{}) {
			v.Booking = &m.Booking
		}
		if m.Event != (inventory.EventID{}) {
			v.Event = &m.Event
		}
		if m.Problem != "" {
			v.Choice = []string{wallIn(m.Choice[0], p.To), wallIn(m.Choice[1], p.To)}
		}
		return v
	}
}

func (m zoneMoveView) booking() string {
	if m.Booking == nil {
		return ""
	}
	return m.Booking.String()
}

// problem is in words what is wrong with the local time.
func (m zoneMoveView) problem() string {
	choice := strings.Join(m.Choice, " or ")
	switch m.Problem {
	case inventory.LocalTimeMissing:
		return "the clocks skip it: " + choice
	case inventory.LocalTimeDoubled:
		return "it comes twice: " + choice
	}
	return m.Problem
}

var zoneMoveColumns = []output.Column[zoneMoveView]{
	{Name: "venue", Value: func(m zoneMoveView) string { return m.Venue }},
	{Name: "kind", Value: func(m zoneMoveView) string { return m.Kind }},
	{Name: "local", Value: func(m zoneMoveView) string { return m.Local }},
	{Name: "stored", Value: func(m zoneMoveView) string { return instant(m.Stored) }},
	{Name: "keep_local", Value: func(m zoneMoveView) string { return instant(m.Would) }},
	{Name: "keep_instant", Value: func(m zoneMoveView) string { return m.LocalThen }},
	{Name: "problem", Value: zoneMoveView.problem},
	{Name: "booking", Value: zoneMoveView.booking},
	{Name: "buyer", Value: func(m zoneMoveView) string { return m.Buyer }},
	{Name: "name", Value: func(m zoneMoveView) string { return m.Name }},
}

// zonePreviewView is what the rules of a zone would do at a venue.
type zonePreviewView struct {
	Venue         string         `json:"venue"`
	From          string         `json:"from"`
	To            string         `json:"to"`
	Future        int            `json:"future"` // future bookings of all kinds
	Moving        int            `json:"moving"` // however many are listed
	Moves         []zoneMoveView `json:"moves"`
	Missing       int            `json:"missing"`
	Doubled       int            `json:"doubled"`
	NewDay        int            `json:"newDay"`
	GoRules       string         `json:"goRules"`
	DatabaseRules string         `json:"databaseRules"`
	RulesDiffer   []time.Time    `json:"rulesDiffer"`
	AsOf          time.Time      `json:"asOf"`

	Saved *venueView `json:"saved,omitzero"` // the venue, where something was saved
}

func viewZonePreview(p inventory.ZonePreview) zonePreviewView {
	v := zonePreviewView{
		Venue: p.Venue, From: p.From, To: p.To, Future: p.Future, Moving: p.Moving, Moves: mapped(p.Moves, viewZoneMove(p)),
		Missing: p.Missing, Doubled: p.Doubled, NewDay: p.NewDay, GoRules: p.GoRules, DatabaseRules: p.DatabaseRules,
		RulesDiffer: p.RulesDiffer, AsOf: p.AsOf,
	}
	if v.RulesDiffer == nil {
		v.RulesDiffer = []time.Time{}
	}
	return v
}
