package venues

import (
	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// The verbs that only this screen has.
const (
	addVenue   keys.Verb = "add-venue"
	changeZone keys.Verb = "change-zone"
	addPool    keys.Verb = "add-pool"
	goOn       keys.Verb = "go-on"
	otherKeep  keys.Verb = "other-keep"
)

// Keys is the keyboard of the screen as it stands.
func (m *Model) Keys() keys.Table {
	switch {
	case m.find != nil && m.find.ahead != nil:
		return m.find.ahead.keys()
	case m.find != nil:
		return m.find.keys(m.zones != nil)
	}
	row, some := m.table.Selected()
	const none = "there is no venue under the cursor"
	_, zoneErr := timezone.ParseZone(row.Zone)
	return append(keys.Move(),
		keys.Standard(keys.Open).As("put in focus").If(some, none).If(zoneErr == nil, "its zone is unknown; z chooses one"),
		keys.Standard(keys.Edit).As("edit...").If(some, none).If(zoneErr == nil, "its zone is unknown; z chooses one first"),
		keys.Standard(keys.PutBack).If(m.last != nil, "you have edited no venue here yet"),
		// Looking for a zone changes nothing; what follows asks for the venue's code.
		keys.Binding{Verb: changeZone, Keys: []string{"z"}, Help: "change zone...", More: "find zones, see clock changes, change the venue's zone", Priority: 48}.If(some, none),
		keys.Binding{Verb: addVenue, Keys: []string{"n"}, Help: "new venue...", Level: keys.Undo, Writes: true, Priority: 46},
		keys.Binding{Verb: addPool, Keys: []string{"a"}, Help: "add pool...", Level: keys.Undo, Writes: true, Priority: 44}.If(some, none),
	)
}

// keys is the keyboard of the zone page, where the search field has the focus.
func (f *finder) keys(ready bool) keys.Table {
	_, some := f.selected()
	next := keys.Binding{Verb: goOn, Keys: []string{"enter"}, Help: "change to it...", Level: keys.Undo, Writes: true, Priority: 60}
	switch {
	case f.venue == nil:
		next.Help = "go on"
	case f.same():
		next.Help, next.More = "apply its rules...", "what would move by the rules that the zone has today"
	}
	t := keys.Table{
		{Verb: keys.Up, Keys: []string{"up"}, Help: "up", Hidden: true},
		{Verb: keys.Down, Keys: []string{"down"}, Help: "choose", Priority: 50},
		{Verb: keys.PageUp, Keys: []string{"pgup"}, Help: "page up", Hidden: true},
		{Verb: keys.PageDown, Keys: []string{"pgdown"}, Help: "page down", Hidden: true},
		next.If(ready, "the zone rules are still being read").If(some, "no zone matches"),
		{Verb: keys.Back, Keys: []string{"esc"}, Help: "leave as it is", Priority: 65},
	}
	return t
}

// same reports that the zone under the cursor is the venue's own.
func (f *finder) same() bool {
	match, ok := f.selected()
	return ok && f.venue != nil && f.venue.Zone == match.Zone.Name()
}

// Status says how the screen stands.
func (m *Model) Status() ui.Status {
	s := ui.Status{
		Title: "Venues",
		About: []string{
			"Where your venues are, what time it is there, and their rules for holds and late money. enter puts one in focus for all screens.",
			"hold: how long a place is kept for a buyer. late money: what happens to money that comes after its hold was over (ask: staff decide; revive: take the place again if there is room; refund: give it back).",
			"A zone is a place, such as Europe/Berlin, because only a place knows when its clocks change. A pool is what a venue sells by the day.",
		},
		ReadAt: m.list.ReadAt(),
	}
	switch {
	case m.find != nil && m.find.ahead != nil:
		s.Title = "What would move"
		s.About = []string{
			"Bookings by time and events are at moments, and on the wall as somebody typed them. With another zone only one of the two can stay: the local time, and the moment moves; or the moment, and the wall shows something else.",
			"A gap: the clocks of the new zone skip that local time. Twice: they show it two times. Such bookings have to be moved before the local times can be kept.",
			"Nothing is changed before you have typed the venue's code.",
		}
	case m.find != nil:
		s.Title, s.Typing = "Time zone", true
		s.About = []string{
			"Type a city, a country or its code, an offset such as +01, or an old name; choose with the arrows. The next clock changes and what would change are shown below.",
			"Nothing is changed before you have typed the venue's code.",
		}
	}
	return s
}

// unknownZone says what is wrong with a stored zone, and is empty when nothing is.
func unknownZone(v inventory.Venue) string {
	if _, err := timezone.ParseZone(v.Zone); err != nil {
		return err.Error()
	}
	return ""
}
