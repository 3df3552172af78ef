package seats

import (
	"fmt"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
)

// The verbs that only this screen has.
const (
	otherEvent  keys.Verb = "other-event"
	zoom        keys.Verb = "zoom"
	lookFor     keys.Verb = "look-for"
	nextFree    keys.Verb = "next-free"
	nextSection keys.Verb = "next-section"
	prevSection keys.Verb = "previous-section"
	runLeft     keys.Verb = "mark-left"
	runRight    keys.Verb = "mark-right"
	runUp       keys.Verb = "mark-up"
	runDown     keys.Verb = "mark-down"
	bookFor     keys.Verb = "book-for"
	bestSeats   keys.Verb = "best-seats"
	offSale     keys.Verb = "off-sale"
	moveSeat    keys.Verb = "move-seat"
)

// Keys is the keyboard of the screen as it stands.
func (m *Model) Keys() keys.Table {
	switch {
	case m.finding.typing:
		return keys.Table{
			{Verb: lookFor, Keys: []string{"enter"}, Help: "look for it", Priority: 60},
			{Verb: keys.Back, Keys: []string{"esc"}, Help: "leave as it was", Priority: 60},
		}
	case m.event == inventory.EventID{}:
		_, some := m.list.Selected()
		return append(keys.Move(), keys.Standard(keys.Open).As("seats").If(some, "there is no event under the cursor"))
	}
	event := keys.Binding{Verb: otherEvent, Keys: []string{"g"}, Help: "other event", More: "back to the list of coming events", Priority: 26}
	s, some := m.under()
	if !some {
		return keys.Table{event}
	}
	free := m.hall.all().free > 0
	t := append(keys.Move(), keys.Sideways()...)
	t = append(t,
		m.openKey(s),
		keys.Binding{Verb: zoom, Keys: []string{"z"}, Help: m.zoomHelp(), More: "between single seats and blocks of rows", Priority: 46, Hidden: m.zoomed},
		keys.Binding{Verb: nextFree, Keys: []string{"tab"}, Help: "next free", More: "to the next free seat of the hall", Priority: 44, Hidden: m.zoomed}.
			If(!m.zoomed, inBlocks).If(free, "no seat of this event is free"),
		keys.Binding{Verb: nextSection, Keys: []string{"]"}, Help: "section", More: "to the next section", Priority: 30},
		keys.Binding{Verb: prevSection, Keys: []string{"["}, Help: "section back", More: "to the section before", Hidden: true},
		keys.Standard(keys.Filter).As("find").At(42),
	)
	switch {
	case m.moving != nil:
	case m.zoomed: // what is done with single seats waits, and says so
		for _, b := range m.verbs(s) {
			if b.Verb != bestSeats {
				b.Hidden, b.Disabled = true, inBlocks
			}
			t = append(t, b)
		}
	default:
		t = append(t, m.verbs(s)...)
	}
	t = append(t, event)
	if help := m.backHelp(); help != "" {
		t = append(t, keys.Binding{Verb: keys.Back, Keys: []string{"esc"}, Help: help, Priority: 65})
	}
	return t
}

const (
	inBlocks = "enter opens the block first: that is done with single seats"
	unsaved  = "the last change has no answer yet"
)

// verbs is what can be done with seats, with the reason where it cannot.
func (m *Model) verbs(s inventory.Seat) keys.Table {
	book := keys.Binding{
		Verb: bookFor, Keys: []string{"b"}, Help: "book for...", More: "hold the marked seats, or this one, for somebody, or give them free of charge",
		Level: keys.Undo, Writes: true, Priority: 58,
	}
	set := keys.Binding{
		Verb: offSale, Keys: []string{"o"}, Help: "off sale...", More: "take the marked seats, or this one, out of sale, or put them back",
		Level: keys.Undo, Writes: true, Priority: 50,
	}
	chosen := m.chosen(s)
	if off(chosen[0]) {
		set.Help = "back on sale..."
	}
	if n := len(m.marks); n > 0 {
		book.Help = fmt.Sprintf("book %d for...", n)
		set.Help = map[bool]string{true: fmt.Sprintf("%d back on sale...", n), false: fmt.Sprintf("%d off sale...", n)}[off(chosen[0])]
	}
	const (
		wantsFree = "only a free seat can be booked; this one is "
		wantsOff  = "only a free seat can go off sale; this one is "
		wantsMany = "one order takes at most 50 seats"
	)
	why := m.markable(s)
	move := keys.Binding{Verb: moveSeat, Keys: []string{"m"}, Help: "move...", More: "give who has this seat another one", Level: keys.Undo, Writes: true, Priority: 52}
	marking := keys.Table{
		keys.Standard(keys.Mark).If(why == "" || m.anchor != 0, why),
		keys.Standard(keys.Range).At(24),
		keys.Standard(keys.MarkAll).As("mark row").At(24),
		{Verb: runRight, Keys: []string{"shift+right"}, Help: "mark on", Hidden: true},
		{Verb: runLeft, Keys: []string{"shift+left"}, Help: "mark back", Hidden: true},
		{Verb: runUp, Keys: []string{"shift+up"}, Help: "mark up", Hidden: true},
		{Verb: runDown, Keys: []string{"shift+down"}, Help: "mark down", Hidden: true},
	}
	table := keys.Table{
		book.If(m.saving == 0, unsaved).If(free(chosen[0]), wantsFree+stateWord(chosen[0])).If(len(chosen) <= inventory.MaxSeatsPerHold, wantsMany),
		{Verb: bestSeats, Keys: []string{"B"}, Help: "best seats...", More: "find the best free seats side by side and mark them", Priority: 40},
		set.If(m.saving == 0, unsaved).If(free(chosen[0]) || off(chosen[0]), wantsOff+stateWord(chosen[0])),
		move.If(m.saving == 0, unsaved).If(taken(s) && !s.NeedsRepair, "nobody has this seat; move begins at a seat that somebody has"),
	}
	return append(table, marking...)
}

// chosen is what a verb is about: the marked seats, else the one under the cursor.
func (m *Model) chosen(s inventory.Seat) []inventory.Seat {
	if marked := m.marked(); len(marked) > 0 {
		return marked
	}
	return []inventory.Seat{s}
}

func (m *Model) openKey(s inventory.Seat) keys.Binding {
	switch {
	case m.zoomed:
		return keys.Standard(keys.Open).As("open block")
	case m.moving != nil:
		return keys.Binding{Verb: keys.Open, Keys: []string{"enter"}, Help: "move here...", Level: keys.Undo, Writes: true, Priority: 70}.
			If(m.saving == 0, unsaved).If(free(s), "this seat is "+stateWord(s)+": choose a free one; tab goes to the next")
	}
	return keys.Standard(keys.Open).As("detail")
}

func (m *Model) zoomHelp() string {
	if m.zoomed {
		return "zoom in"
	}
	return "zoom out"
}

func (m *Model) backHelp() string {
	switch {
	case m.moving != nil:
		return "do not move"
	case m.anchor != 0:
		return "no range"
	case len(m.marks) > 0:
		return "unmark"
	case m.zoomed:
		return "zoom in"
	}
	return ""
}

// Status says how the screen stands.
func (m *Model) Status() ui.Status {
	return ui.Status{
		Title: "Seats",
		About: []string{
			"The hall of one event, a letter for each seat: o free, h held, # booked, x off sale, ? needs repair, m marked by you, > where you are. What is under the cursor is also said in words. An aisle is where the numbers jump.",
			"hold: kept for somebody for some minutes, and free again unless it is paid. comp: given free of charge, at once. off sale: nobody can hold or buy it until it is put back. needs repair: its state and its owner contradict each other, and it is not sold.",
			"The database decides when you press; what you see may be a second old. Marks of seats that somebody else takes are dropped, and you are told.",
		},
		Typing: m.finding.typing,
		ReadAt: m.readAt(),
	}
}
