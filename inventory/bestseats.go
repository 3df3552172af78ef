package inventory

import (
	"cmp"
	"slices"
)

// BestSeats chooses n AVAILABLE seats side by side, lowest number first: same
// section and row, numbers one apart. Category and section narrow the choice;
// "" is any. It returns nil if there are no n together.
//
// Earlier rows of the hall are better, then places nearer the middle of the
// row. Before both comes that no single free seat is left behind between the
// chosen ones and whatever ends the free stretch, since nobody buys that seat:
// such a choice is made only where every choice of n is one.
//
// It decides nothing: the seats may be gone when they are asked for.
func BestSeats(seats []Seat, n int, category, section string) []SeatID {
	if n < 1 {
		return nil
	}
	var orphaning []*Seat // the best choice that leaves a seat alone
	for _, row := range hallRows(seats, section) {
		clean, leaving := row.best(n, category)
		if clean != nil {
			return idsOf(clean)
		}
		if orphaning == nil {
			orphaning = leaving
		}
	}
	return idsOf(orphaning)
}

// hallRow is one row of the hall with all its seats, by number.
type hallRow struct {
	first SeatID // the lowest id, which places the row in the hall
	seats []*Seat
}

// hallRows groups seats into rows, in the order of the hall.
func hallRows(seats []Seat, section string) []*hallRow {
	type place struct{ section, row string }
	var rows []*hallRow
	byPlace := make(map[place]*hallRow)
	var at place
	var row *hallRow
	for i := range seats {
		s := &seats[i]
		if section != "" && s.Section != section {
			continue
		}
		// Neighbours in the list mostly share a row: most of the look-ups are saved.
		if p := (place{s.Section, s.Row}); row == nil || p != at {
			at, row = p, byPlace[p]
			if row == nil {
				row = &hallRow{first: s.ID}
				byPlace[p] = row
				rows = append(rows, row)
			}
		}
		row.first = min(row.first, s.ID)
		row.seats = append(row.seats, s)
	}
	for _, r := range rows {
		slices.SortFunc(r.seats, func(a, b *Seat) int { return cmp.Compare(a.Number, b.Number) })
	}
	slices.SortFunc(rows, func(a, b *hallRow) int { return cmp.Compare(a.first, b.first) })
	return rows
}

// best returns the row's best choice that leaves no seat alone, and its best
// one that does; nil where there is none.
func (r *hallRow) best(n int, category string) (clean, leaving []*Seat) {
	cleanOff, leavingOff := len(r.seats)+1, len(r.seats)+1
	for from := 0; from < len(r.seats); {
		to := r.freeUntil(from)
		wanted := 0 // how many seats up to here are of the category
		for end := from + 1; end <= to; end++ {
			wanted++
			if category != "" && r.seats[end-1].Category != category {
				wanted = 0
			}
			if wanted < n {
				continue
			}
			choice := r.seats[end-n : end]
			off := abs(end + (end - n) - len(r.seats)) // twice the way from the middle of the row
			switch alone := end-n-from == 1 || to-end == 1; {
			case alone && off < leavingOff:
				leaving, leavingOff = choice, off
			case !alone && off < cleanOff:
				clean, cleanOff = choice, off
			}
		}
		from = max(to, from+1)
	}
	return clean, leaving
}

// freeUntil is the end of the free stretch that begins with seat i, or i if
// that seat is not free.
func (r *hallRow) freeUntil(i int) int {
	end := i
	for end < len(r.seats) && r.seats[end].free() && (end == i || r.seats[end].Number == r.seats[end-1].Number+1) {
		end++
	}
	return end
}

// free reports whether the seat can be sold, as far as this copy of it knows.
func (s *Seat) free() bool { return s.State == SeatAvailable && !s.NeedsRepair }

func idsOf(seats []*Seat) []SeatID {
	if len(seats) == 0 {
		return nil
	}
	ids := make([]SeatID, len(seats))
	for i, s := range seats {
		ids[i] = s.ID
	}
	return ids
}

func abs(n int) int { return max(n, -n) }
