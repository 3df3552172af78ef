package timezone

import (
	"time"

	"github.com/rickb777/date"
)

// Slots returns the slots of the local day d, in order and disjoint: the pieces
// of the opening hours between the times of a grid on the wall, less a turnaround
// at each end. The grid times are opens + k*(slot+turnaround), whenever the wall
// shows them; a doubled one counts twice. A clock change is a boundary too: the
// grid times that it skips all fall on it, and the slots beside it may be shorter
// than slot. None is longer.
//
// What closing time cuts off is a slot only if it has the full length; its
// turnaround may then lie outside the hours. A piece that is not longer than the
// turnaround is none. With no turnaround and hours that are a multiple of slot,
// the slots are the opening hours without a gap.
//
// There are none if OpenOn says that the place is not open, or if slot is not
// positive or turnaround is negative: then there is no grid.
func Slots(d date.Date, h Hours, slot, turnaround time.Duration, z Zone) []Period {
	open, ok := OpenOn(d, h, z)
	if !ok || slot <= 0 || turnaround < 0 {
		return nil
	}
	g := grid{first: WallTime{d, h.Opens}.face(), step: slot + turnaround}
	starts, offset := g.starts(open, z)
	// Closing time is no cut if a grid time falls on it: one that the wall would
	// show then, or one that a clock change skips before the hour of closing.
	cut := g.next(offset.face(open.To)).After(WallTime{d, h.Closes}.face())

	var slots []Period
	for i, from := range starts {
		last := i == len(starts)-1
		var to time.Time
		switch {
		case !last:
			to = starts[i+1].Add(-turnaround)
		case !cut:
			to = open.To.Add(-turnaround)
		default:
			if to = from.Add(slot); to.After(open.To) {
				continue
			}
		}
		if from.Before(to) {
			slots = append(slots, Period{from, to})
		}
	}
	return slots
}

// grid are the clock faces first + k*step, for any whole k: a clock that goes
// back can show times before the first.
type grid struct {
	first time.Time
	step  time.Duration
}

// next returns the first face of the grid that is not before shown.
func (g grid) next(shown time.Time) time.Time {
	past := shown.Sub(g.first) % g.step
	if past > 0 {
		past -= g.step
	}
	return shown.Add(-past)
}

// starts returns where pieces of open begin: its start, each instant at which the
// wall in z shows a face of the grid, and each clock change. The offset is the one
// in force until open ends.
func (g grid) starts(open Period, z Zone) ([]time.Time, Offset) {
	starts := []time.Time{open.From}
	add := func(at time.Time) {
		if at.After(starts[len(starts)-1]) {
			starts = append(starts, at)
		}
	}
	for s := spanFrom(open.From, z); ; {
		at := s.offset.instantOf(g.next(s.offset.face(s.from)))
		for ; s.holds(at) && at.Before(open.To); at = at.Add(g.step) {
			add(at)
		}
		if s.to.IsZero() || !s.to.Before(open.To) {
			return starts, s.offset
		}
		next := spanFrom(s.to, z)
		if next.offset != s.offset {
			add(s.to)
		}
		s = next
	}
}
