package seats

import (
	"cmp"

	"holdfast/inventory"
)

// step is a way to walk through the hall.
type step struct{ rows, seats int }

// walk returns the place after a step: along a row it skips aisles and stops at
// the ends; from row to row it keeps to the cell x, or to the seat nearest to it.
func (h *hall) walk(p place, by step, x int) place {
	sec := &h.sections[p.section]
	if by.rows == 0 {
		p.seat = within(p.seat+by.seats, len(sec.rows[p.row].seats))
		return p
	}
	p.row = within(p.row+by.rows, len(sec.rows))
	p.seat = h.nearest(sec, p.row, x)
	return p
}

// nearest is the seat of a row whose cell is nearest to x.
func (h *hall) nearest(sec *section, r, x int) int {
	best, dist := 0, -1
	for j, i := range sec.rows[r].seats {
		d := sec.x(h.seats[i].Number) - x
		if d < 0 {
			d = -d
		}
		if dist < 0 || d < dist {
			best, dist = j, d
		}
	}
	return best
}

// next is the place after p in the order in which a hall is read, the first
// after the last.
func (h *hall) next(p place) place {
	sec := &h.sections[p.section]
	if p.seat++; p.seat < len(sec.rows[p.row].seats) {
		return p
	}
	if p.row, p.seat = p.row+1, 0; p.row < len(sec.rows) {
		return p
	}
	return place{section: (p.section + 1) % len(h.sections)}
}

// search goes once round the hall from the place after p, p itself last, and
// returns the first seat that fits.
func (h *hall) search(p place, fits func(inventory.Seat) bool) (place, bool) {
	for range len(h.seats) {
		p = h.next(p)
		if fits(h.at(p)) {
			return p, true
		}
	}
	return p, false
}

// begin is where the cursor goes in some rows of a section: their first free
// seat, else their first.
func (h *hall) begin(section, from, to int) place {
	rows := h.sections[section].rows
	for r := from; r < min(to, len(rows)); r++ {
		for j, i := range rows[r].seats {
			if free(h.seats[i]) {
				return place{section, r, j}
			}
		}
	}
	return place{section: section, row: from}
}

// between is the seats of the rectangle that has a and b in its corners; of two
// sections it is only b.
func (h *hall) between(a, b place) []inventory.Seat {
	if a.section != b.section {
		return []inventory.Seat{h.at(b)}
	}
	sec := &h.sections[a.section]
	left, right := sec.x(h.at(a).Number), sec.x(h.at(b).Number)
	left, right = min(left, right), max(left, right)
	var out []inventory.Seat
	for r := min(a.row, b.row); r <= max(a.row, b.row); r++ {
		for _, i := range sec.rows[r].seats {
			if x := sec.x(h.seats[i].Number); x >= left && x <= right {
				out = append(out, h.seats[i])
			}
		}
	}
	return out
}

// within is i, but neither before the first of n nor behind the last.
func within(i, n int) int { return max(0, min(i, n-1)) }

// compare orders places as a hall is read.
func (h *hall) compare(a, b place) int {
	return cmp.Or(cmp.Compare(a.section, b.section), cmp.Compare(a.row, b.row), cmp.Compare(a.seat, b.seat))
}
