package seats

import (
	"cmp"
	"slices"

	"holdfast/inventory"
	"holdfast/tui/canvas"
)

// hall is the seats of one event as rooms are walked: sections, rows, numbers,
// in the order in which they were imported. It costs by seats, not by numbers:
// a row with the numbers 1 and 9999 is a row of two.
type hall struct {
	seats    []inventory.Seat
	sections []section
	place    map[inventory.SeatID]place
}

// place is where a seat is: indices into sections, its rows, and the seats of
// the row.
type place struct{ section, row, seat int }

type section struct {
	name    string
	rows    []row
	columns []column // one for each number that any row of it has
	width   int      // cells from the first column to the last
	names   int      // cells of its longest row name, as drawn beside the seats
	counts  counts
}

type row struct {
	name  string
	seats []int // indices into hall.seats, by number
}

// column is where a number stands. Numbers that are not neighbours have an
// aisle between them.
type column struct{ number, x int }

const (
	cellWidth  = 2 // room for the cursor and the seat's letter
	aisleWidth = 2
	longestRow = 12 // cells of a row's name beside its seats
)

// newHall arranges the seats. It keeps them.
func newHall(seats []inventory.Seat) *hall {
	h := &hall{seats: seats, place: make(map[inventory.SeatID]place, len(seats))}
	type rowName struct {
		section int
		name    string
	}
	sections, rows := map[string]int{}, map[rowName]int{}
	for i, s := range seats {
		at, ok := sections[s.Section]
		if !ok {
			at = len(h.sections)
			sections[s.Section] = at
			h.sections = append(h.sections, section{name: s.Section})
		}
		sec := &h.sections[at]
		r, ok := rows[rowName{at, s.Row}]
		if !ok {
			r = len(sec.rows)
			rows[rowName{at, s.Row}] = r
			sec.rows = append(sec.rows, row{name: s.Row})
		}
		sec.rows[r].seats = append(sec.rows[r].seats, i)
	}
	for i := range h.sections {
		h.arrange(i)
	}
	h.count()
	return h
}

// arrange sorts the rows of a section and gives its numbers their columns.
func (h *hall) arrange(at int) {
	sec := &h.sections[at]
	var numbers []int
	for r := range sec.rows {
		sec.names = max(sec.names, canvas.Width(canvas.Cut(sec.rows[r].name, longestRow, "...")))
		slices.SortStableFunc(sec.rows[r].seats, func(a, b int) int {
			return cmp.Compare(h.seats[a].Number, h.seats[b].Number)
		})
		for j, i := range sec.rows[r].seats {
			h.place[h.seats[i].ID] = place{at, r, j}
			numbers = append(numbers, h.seats[i].Number)
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	sec.columns = make([]column, len(numbers))
	for j, n := range numbers {
		if j > 0 && n != numbers[j-1]+1 {
			sec.width += aisleWidth
		}
		sec.columns[j] = column{n, sec.width}
		sec.width += cellWidth
	}
}

// update takes a newer reading of the same event. Most readings change states
// only, and those keep the arrangement.
func (h *hall) update(seats []inventory.Seat) *hall {
	if h == nil || !sameSeats(h.seats, seats) {
		return newHall(seats)
	}
	h.seats = seats
	h.count()
	return h
}

func sameSeats(a, b []inventory.Seat) bool {
	return slices.EqualFunc(a, b, func(a, b inventory.Seat) bool {
		return a.ID == b.ID && a.Number == b.Number && a.Row == b.Row && a.Section == b.Section
	})
}

// counts says how seats stand, as their letters on screen do.
type counts struct{ free, held, booked, off, repair int }

func (c counts) total() int { return c.free + c.held + c.booked + c.off + c.repair }

func (c *counts) add(s inventory.Seat) {
	switch letter(s) {
	case "o":
		c.free++
	case "h":
		c.held++
	case "#":
		c.booked++
	case "x":
		c.off++
	default:
		c.repair++
	}
}

func (c counts) plus(o counts) counts {
	return counts{c.free + o.free, c.held + o.held, c.booked + o.booked, c.off + o.off, c.repair + o.repair}
}

func (h *hall) count() {
	for i := range h.sections {
		sec := &h.sections[i]
		sec.counts = h.countRows(sec.rows)
	}
}

func (h *hall) countRows(rows []row) (c counts) {
	for _, r := range rows {
		for _, i := range r.seats {
			c.add(h.seats[i])
		}
	}
	return c
}

// all is how the whole hall stands.
func (h *hall) all() (c counts) {
	if h == nil {
		return c
	}
	for i := range h.sections {
		c = c.plus(h.sections[i].counts)
	}
	return c
}

// letter is how a seat is drawn.
func letter(s inventory.Seat) string {
	if s.NeedsRepair {
		return "?"
	}
	switch s.State {
	case inventory.SeatAvailable:
		return "o"
	case inventory.SeatHeld:
		return "h"
	case inventory.SeatBooked:
		return "#"
	case inventory.SeatKilled:
		return "x"
	}
	return "?"
}

func free(s inventory.Seat) bool { return s.State == inventory.SeatAvailable && !s.NeedsRepair }

func off(s inventory.Seat) bool { return s.State == inventory.SeatKilled && !s.NeedsRepair }

// taken reports that somebody has the seat.
func taken(s inventory.Seat) bool { return s.BookingID != inventory.BookingID{} }

// seat returns a seat by its identity.
func (h *hall) seat(id inventory.SeatID) (inventory.Seat, bool) {
	if h == nil {
		return inventory.Seat{}, false
	}
	p, ok := h.place[id]
	if !ok {
		return inventory.Seat{}, false
	}
	return h.at(p), true
}

func (h *hall) at(p place) inventory.Seat {
	return h.seats[h.sections[p.section].rows[p.row].seats[p.seat]]
}

// of is the seats of a booking.
func (h *hall) of(id inventory.BookingID) []inventory.Seat {
	var out []inventory.Seat
	if h == nil {
		return nil
	}
	for i := range h.seats {
		if h.seats[i].BookingID == id {
			out = append(out, h.seats[i])
		}
	}
	return out
}

// x is where a seat's cell begins in its section.
func (sec *section) x(number int) int { return sec.columns[sec.column(number)].x }

// column is the index of a number, or of the next one that there is.
func (sec *section) column(number int) int {
	i, _ := slices.BinarySearchFunc(sec.columns, number, func(c column, n int) int { return cmp.Compare(c.number, n) })
	return min(i, len(sec.columns)-1)
}
