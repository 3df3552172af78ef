package line

import (
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// The verbs that only this screen has.
const (
	apply     keys.Verb = "apply"
	toDay     keys.Verb = "to-day"
	dayBack   keys.Verb = "day-back"
	dayOn     keys.Verb = "day-on"
	shorter   keys.Verb = "shorter-step"
	longer    keys.Verb = "longer-step"
	markLeft  keys.Verb = "mark-left"
	markRight keys.Verb = "mark-right"
	place     keys.Verb = "place"
	moveTo    keys.Verb = "move"
	cancel    keys.Verb = "cancel-booking"
)

// Keys is the keyboard of the screen as it stands.
func (m *Model) Keys() keys.Table {
	if m.typing != nothing {
		what := "search"
		if m.typing == aDay {
			what = "go there"
		}
		return keys.Table{
			{Verb: apply, Keys: []string{"enter"}, Help: what, Priority: 60},
			{Verb: keys.Back, Keys: []string{"esc"}, Help: "leave as it was", Priority: 60},
		}
	}
	t := append(keys.Move(), keys.Sideways()...)
	t = append(t, m.verbs()...)
	_, canShorten := stepNext(m.step, -1)
	_, canLengthen := stepNext(m.step, 1)
	t = append(t,
		keys.Binding{Verb: markRight, Keys: []string{"shift+right"}, Help: "mark on", More: "mark a run of time, to be booked", Hidden: true},
		keys.Binding{Verb: markLeft, Keys: []string{"shift+left"}, Help: "mark back", Hidden: true},
		keys.Standard(keys.Range).As("mark a run"),
		keys.Binding{Verb: dayBack, Keys: []string{"["}, Help: "day before", Priority: 43},
		keys.Binding{Verb: dayOn, Keys: []string{"]"}, Help: "day after", Priority: 43},
		keys.Binding{Verb: toDay, Keys: []string{"d"}, Help: "to a day", Priority: 41},
		keys.Binding{Verb: keys.Today, Keys: []string{"t"}, Help: "today", Priority: 36},
		keys.Binding{Verb: shorter, Keys: []string{"-"}, Help: "shorter step", Priority: 29}.If(canShorten, "that is the shortest step"),
		keys.Binding{Verb: longer, Keys: []string{"+", "="}, Help: "longer step", Priority: 29}.If(canLengthen, "that is the longest step"),
		keys.Standard(keys.Filter),
	)
	if m.search != "" || !m.anchor.IsZero() || m.ranging {
		help := "clear filter"
		if !m.anchor.IsZero() || m.ranging {
			help = "unmark"
		}
		t = append(t, keys.Binding{Verb: keys.Back, Keys: []string{"esc"}, Help: help, Priority: 65})
	}
	return t
}

// verbs are what can be done where the cursor is.
func (m *Model) verbs() keys.Table {
	row, some := m.selected()
	b, booked := m.booking()
	const none = "there is no resource under the cursor"
	const free = "there is no booking under the cursor"
	busy := m.saving[b.ID]
	end := keys.Binding{Verb: cancel, Keys: []string{"C"}, Help: "cancel...", More: "cancel a booking; its money goes back or waits for you", Level: keys.Confirm, Writes: true, Priority: 50}
	release := keys.Standard(keys.Release)
	held := booked && b.State.Hold()
	end.Hidden, release.Hidden = held, !held
	return keys.Table{
		keys.Standard(keys.Open).As("detail").If(some, none).If(booked, free),
		keys.Binding{Verb: place, Keys: []string{"n"}, Help: "new...", More: "hold or give this time, or the run that is marked", Level: keys.Undo, Writes: true, Priority: 56}.
			If(some, none).If(!row.Resource.StopSell, "sales of it are stopped").If(!m.saving[placing], underWay),
		keys.Binding{Verb: moveTo, Keys: []string{"m"}, Help: "move...", More: "to another time or resource; you see before and after first", Level: keys.Undo, Writes: true, Priority: 52}.
			If(some, none).If(booked, free).If(!busy, underWay),
		release.If(some, none).If(booked, free).If(!busy, underWay).If(held, "this booking is CONFIRMED: C cancels it"),
		end.If(some, none).If(booked, free).If(!busy, underWay).If(!held, "this is a hold: L releases it"),
	}
}

const underWay = "the last change has no answer yet"

// Status says how the screen stands.
func (m *Model) Status() ui.Status {
	return ui.Status{
		Title: "Line",
		About: []string{
			"Rooms and other resources by time, on one local day of the venue. Columns are real time: an hour that clocks skip has none, an hour that they show twice has two, a and b.",
			"Booked and held time is nobody else's; turnaround is kept free after a booking; closed is outside the opening hours.",
			"The database refuses what overlaps, and names the booking that is in the way.",
		},
		Typing: m.typing != nothing,
		ReadAt: m.list.ReadAt(),
	}
}
