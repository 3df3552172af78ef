package seats

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/ui"
	"holdfast/tui/widget"
)

const (
	findHint  = "F-12, PARKETT F-12, or a person"
	maxPeople = 500
)

// finding is the search for a seat or a person.
type finding struct {
	typing bool
	field  widget.Field
	text   string // what was looked for last
	people ui.Query[[]inventory.Booking]
}

func (f *finding) begin() { f.typing, f.field = true, widget.NewField(f.text, findHint) }

func (f *finding) stop() {
	f.typing = false
	f.people.Forget()
}

func (m *Model) doFind(v keys.Verb) tea.Cmd {
	switch v {
	case lookFor:
		m.finding.typing = false
		m.finding.text = strings.TrimSpace(m.finding.field.Value())
		return m.find()
	case keys.Back:
		m.finding.typing = false
	default: // findKeys binds no other
	}
	return nil
}

// find puts the cursor on the seat that was named, the nearest first: this
// section before the others. What names no seat may be a person.
func (m *Model) find() tea.Cmd {
	text := m.finding.text
	p, ok := m.hall.where(m.cursor)
	if text == "" || !ok {
		return nil
	}
	here, name := m.hall.at(p), parseSeatName(text)
	fits := func(s inventory.Seat) bool { return s.ID != here.ID && name.fits(here, s) }
	to, ok := m.hall.search(p, func(s inventory.Seat) bool { return s.Section == here.Section && fits(s) })
	if !ok {
		to, ok = m.hall.search(p, fits)
	}
	if !ok && name.fits(here, here) {
		return m.found(p, full(here)+" is where you are")
	}
	if ok {
		return m.found(to, full(m.hall.at(to)))
	}
	store := m.store
	f := inventory.BookingFilter{
		Venue: m.env.Venue().Slug, Search: text, Limit: maxPeople, Order: inventory.OrderByNewest,
		States: []inventory.BookingState{inventory.StateHeld, inventory.StatePaymentPending, inventory.StateConfirmed},
	}
	return m.finding.people.Ask(m.env, "seats.person", readLimit, func(ctx context.Context) ([]inventory.Booking, error) {
		l, err := store.Bookings(ctx, f)
		return l.Bookings, err
	})
}

// peopleFound goes to the next seat of the bookings that were found.
func (m *Model) peopleFound() tea.Cmd {
	if err := m.finding.people.Err(); err != nil {
		return ui.Report("look for the person", err)
	}
	text := strconv.Quote(m.finding.text)
	p, ok := m.hall.where(m.cursor)
	if !ok {
		return nil
	}
	buyers := map[inventory.BookingID]string{}
	for _, b := range m.finding.people.Value() {
		buyers[b.ID] = b.Buyer
	}
	theirs := func(s inventory.Seat) bool {
		_, ok := buyers[s.BookingID]
		return ok && taken(s)
	}
	n := 0
	for _, s := range m.hall.seats {
		if theirs(s) {
			n++
		}
	}
	to, ok := m.hall.search(p, theirs)
	if !ok {
		return ui.Ask(ui.Say{Text: "no seat and nobody with a seat here is called " + text, Bad: true})
	}
	s := m.hall.at(to)
	say := fmt.Sprintf("%s has %s", buyers[s.BookingID], full(s))
	if n > 1 {
		say += fmt.Sprintf(", 1 of %s; / enter: the next", seatsInWords(n))
	}
	return m.found(to, say)
}

func (m *Model) found(p place, say string) tea.Cmd {
	if m.zoomed {
		m.zoomed = false
		m.blocks.SetRows(nil)
	}
	m.put(p, true)
	return tea.Batch(m.moved(), ui.Ask(ui.Say{Text: say}))
}

// seatName is how a person writes a seat: "F-12", "f12", "PARKETT F-12", or, in
// the row where one stands, "12".
type seatName struct {
	label  string // row, or section and row; folded
	number int    // -1: it names no seat
}

// parseSeatName takes the number from the end of text.
func parseSeatName(text string) seatName {
	digits := len(text)
	for digits > 0 && text[digits-1] >= '0' && text[digits-1] <= '9' {
		digits--
	}
	n, err := strconv.Atoi(text[digits:])
	if err != nil {
		return seatName{number: -1}
	}
	return seatName{fold(text[:digits]), n}
}

// fits reports that the name is that of s to somebody who stands at here.
func (n seatName) fits(here, s inventory.Seat) bool {
	switch {
	case n.number != s.Number:
		return false
	case n.label == "":
		return s.Section == here.Section && s.Row == here.Row
	}
	return n.label == fold(s.Row) || n.label == fold(s.Section+s.Row)
}

// fold drops what people write differently.
func fold(s string) string {
	return strings.ToLower(string(slices.DeleteFunc([]rune(s), func(r rune) bool { return r == ' ' || r == '-' || r == '.' || r == ',' })))
}
