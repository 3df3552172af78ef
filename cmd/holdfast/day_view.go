package main

import (
	"time"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
)

type dayView struct {
	Day           string    `json:"day"`
	Capacity      int       `json:"capacity"`
	OverbookLimit int       `json:"overbookLimit"`
	Taken         int       `json:"taken"`
	Held          int       `json:"held"`
	Left          int       `json:"left"`
	Oversold      int       `json:"oversold"`
	StopSell      bool      `json:"stopSell"`
	SalesFrom     time.Time `json:"salesFrom,omitzero"`
	SalesUntil    time.Time `json:"salesUntil,omitzero"`
	Version       int       `json:"version"`
	EditedBy      string    `json:"editedBy,omitzero"`
	EditedAt      time.Time `json:"editedAt,omitzero"`

	weekday string
}

func viewDay(d inventory.PoolDay) dayView {
	return dayView{
		d.Day.String(), d.Capacity, d.OverbookLimit, d.Taken, d.Held, d.Left(), d.Oversold(), d.StopSell,
		d.SalesFrom, d.SalesUntil, d.Version, d.EditedBy, d.EditedAt, d.Day.Weekday().String()[:3],
	}
}

// note says in words what the numbers mean for sales.
func (d dayView) note() string {
	switch {
	case d.Oversold > 0:
		return "over by " + decimal(d.Oversold)
	case d.StopSell:
		return "sales stopped"
	case d.Left == 0:
		return "sold out"
	}
	return ""
}

var dayColumns = []output.Column[dayView]{
	{Name: "day", Value: func(d dayView) string { return d.Day }},
	{Name: "weekday", Value: func(d dayView) string { return d.weekday }},
	{Name: "capacity", Number: true, Value: func(d dayView) string { return decimal(d.Capacity) }},
	{Name: "overbook_limit", Number: true, Value: func(d dayView) string { return decimal(d.OverbookLimit) }},
	{Name: "taken", Number: true, Value: func(d dayView) string { return decimal(d.Taken) }},
	{Name: "held", Number: true, Value: func(d dayView) string { return decimal(d.Held) }},
	{Name: "left", Number: true, Value: func(d dayView) string { return decimal(d.Left) }},
	{Name: "version", Number: true, Value: func(d dayView) string { return decimal(d.Version) }},
	{Name: "note", Value: dayView.note},
}

type changeView struct {
	Day     string  `json:"day"`
	Missing bool    `json:"missing"` // saving makes the day
	Changes bool    `json:"changes"`
	Before  dayView `json:"before"`
	After   dayView `json:"after"`
}

func viewChange(c inventory.DayChange) changeView {
	return changeView{c.After.Day.String(), c.Missing, c.Changes(), viewDay(c.Before), viewDay(c.After)}
}

func (c changeView) note() string {
	note := c.After.note()
	if c.Missing {
		note = "new day" + yes(note != "", ", ") + note
	}
	return note + yes(!c.Changes, yes(note != "", ", ")+"no change")
}

func onOff(b bool) string {
	if b {
		return "stopped"
	}
	return "open"
}

var changeColumns = []output.Column[changeView]{
	{Name: "day", Value: func(c changeView) string { return c.Day }},
	{Name: "weekday", Value: func(c changeView) string { return c.After.weekday }},
	{Name: "capacity", Number: true, Value: func(c changeView) string {
		return arrow(decimal(c.Before.Capacity), decimal(c.After.Capacity))
	}},
	{Name: "overbook_limit", Number: true, Value: func(c changeView) string {
		return arrow(decimal(c.Before.OverbookLimit), decimal(c.After.OverbookLimit))
	}},
	{Name: "sales", Value: func(c changeView) string { return arrow(onOff(c.Before.StopSell), onOff(c.After.StopSell)) }},
	{Name: "taken", Number: true, Value: func(c changeView) string { return decimal(c.After.Taken) }},
	{Name: "left", Number: true, Value: func(c changeView) string { return arrow(decimal(c.Before.Left), decimal(c.After.Left)) }},
	{Name: "version", Number: true, Value: func(c changeView) string { return decimal(c.Before.Version) }},
	{Name: "note", Value: changeView.note},
}

// planView is the one document of day set.
type planView struct {
	Pool     string       `json:"pool"`
	Changing int          `json:"changing"`
	DryRun   bool         `json:"dryRun"`
	Change   int64        `json:"change,omitzero"` // the number of the saved change
	Changes  []changeView `json:"changes"`
}

type changeSetView struct {
	Change   int64        `json:"change"`
	Pool     string       `json:"pool"`
	At       time.Time    `json:"at"`
	Actor    string       `json:"actor"`
	Reason   string       `json:"reason,omitzero"`
	Undoes   int64        `json:"undoes,omitzero"`
	UndoneBy int64        `json:"undoneBy,omitzero"`
	Changes  []changeView `json:"changes"`
}

func viewChangeSet(s inventory.ChangeSet) changeSetView {
	return changeSetView{s.ID, s.Pool.String(), s.At, s.Actor, s.Reason, s.Undoes, s.UndoneBy, mapped(s.Changes, viewChange)}
}

func (s changeSetView) note() string {
	switch {
	case s.UndoneBy != 0:
		return "put back by " + decimal(s.UndoneBy)
	case s.Undoes != 0:
		return "puts back " + decimal(s.Undoes)
	}
	return ""
}

var changeSetColumns = []output.Column[changeSetView]{
	{Name: "change", Number: true, Value: func(s changeSetView) string { return decimal(s.Change) }},
	{Name: "at", Value: func(s changeSetView) string { return instant(s.At) }},
	{Name: "pool", Value: func(s changeSetView) string { return s.Pool }},
	{Name: "days", Number: true, Value: func(s changeSetView) string { return decimal(len(s.Changes)) }},
	{Name: "actor", Value: func(s changeSetView) string { return s.Actor }},
	{Name: "note", Value: changeSetView.note},
	{Name: "reason", Value: func(s changeSetView) string { return s.Reason }},
}
