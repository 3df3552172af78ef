package line

import (
	"time"

	"holdfast/inventory"
)

// What a cell says about a resource at that time.
const (
	cellClosed     = 'x'
	cellFree       = '.'
	cellTurnaround = '-' // kept free after a booking
	cellHeld       = 'h'
	cellBooked     = '#'
)

// cells paints a resource's day, one byte a column. A column says the strongest
// of what happens in it: nobody must take for free what is taken in part.
func cells(d inventory.ResourceDay, a axis) []byte {
	row := make([]byte, len(a.columns))
	for i := range row {
		row[i] = cellClosed
	}
	paint := func(from, to time.Time, what byte) {
		first, last := a.span(from, to)
		for i := first; i < last; i++ {
			row[i] = what
		}
	}
	for _, o := range d.Open {
		paint(o.From, o.To, cellFree)
	}
	if d.Resource.Turnaround > 0 {
		for _, b := range d.Bookings {
			paint(b.During.To, turnaroundEnd(d, b), cellTurnaround)
		}
	}
	for _, what := range []byte{cellHeld, cellBooked} {
		for _, b := range d.Bookings {
			if cellFor(b) == what {
				paint(b.During.From, b.During.To, what)
			}
		}
	}
	return row
}

func cellFor(b inventory.Booking) byte {
	if b.State.Hold() {
		return cellHeld
	}
	return cellBooked
}

// turnaroundEnd is until when a resource is kept free after a booking.
func turnaroundEnd(d inventory.ResourceDay, b inventory.Booking) time.Time {
	return b.During.To.Add(d.Resource.Turnaround)
}

// spot is what stands under the cursor.
type spot struct {
	what    byte
	booking inventory.Booking // whose time it is, or whose turnaround
	others  int               // more bookings in the same column
	free    inventory.Range   // of free time: how far it reaches within the opening hours
}

// spotAt looks at one column of a resource.
func spotAt(d inventory.ResourceDay, c column) spot {
	during := inventory.Range{From: c.from, To: c.to}
	s := spot{what: cellClosed}
	for _, o := range d.Open {
		if o.Overlaps(during) {
			s.what, s.free = cellFree, gapAround(d, o, c.from)
		}
	}
	for _, b := range d.Bookings {
		if rest := (inventory.Range{From: b.During.To, To: turnaroundEnd(d, b)}); rest.Overlaps(during) {
			s.what, s.booking = cellTurnaround, b
		}
	}
	found := 0
	for _, what := range []byte{cellHeld, cellBooked} {
		for i := len(d.Bookings) - 1; i >= 0; i-- { // the first of them is what is read out
			if b := d.Bookings[i]; cellFor(b) == what && b.During.Overlaps(during) {
				s.what, s.booking = what, b
				found++
			}
		}
	}
	s.others = max(0, found-1)
	return s
}

// gapAround is the free time round t within opening hours. It ends so early
// before the next booking that a new one has its own turnaround, and is empty
// when that leaves nothing after t.
func gapAround(d inventory.ResourceDay, open inventory.Range, t time.Time) inventory.Range {
	if t.Before(open.From) {
		t = open.From
	}
	for _, b := range d.Bookings {
		if end := turnaroundEnd(d, b); !end.After(t) && end.After(open.From) {
			open.From = end
		}
		if start := b.During.From.Add(-d.Resource.Turnaround); b.During.From.After(t) && start.Before(open.To) {
			open.To = start
		}
	}
	return open
}

// taken reports that something of [from, to) is not to be had.
func taken(d inventory.ResourceDay, want inventory.Range) bool {
	inside := false
	for _, o := range d.Open {
		inside = inside || !want.From.Before(o.From) && !want.To.After(o.To)
	}
	if !inside {
		return true
	}
	for _, b := range d.Bookings {
		if (inventory.Range{From: b.During.From.Add(-d.Resource.Turnaround), To: turnaroundEnd(d, b)}).Overlaps(want) {
			return true
		}
	}
	return false
}
