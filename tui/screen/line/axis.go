package line

import (
	"time"

	"github.com/rickb777/date"

	"holdfast/timezone"
)

// column is one step of the day on screen, [from, to) of real time. Where clocks
// change inside a step, the column ends there: a skipped hour has no column, a
// doubled one has two sets.
type column struct {
	from, to time.Time
	face     timezone.TimeOfDay // what the clock on screen shows at from
	offset   timezone.Offset    // of that clock
}

// axis is a local day cut into columns. Its borders are those of the clock on
// the wall: after a change by half an hour, columns begin on the hour again.
type axis struct {
	day     date.Date
	zone    timezone.Zone // whose day it is
	face    timezone.Zone // whose clock labels it
	step    time.Duration
	columns []column
	changes []timezone.ClockChange // within the day, by zone
}

// newAxis cuts the local day of zone into steps of at most an hour. A day that
// does not exist has no column.
func newAxis(day date.Date, zone, face timezone.Zone, step time.Duration) axis {
	a := axis{day: day, zone: zone, face: face, step: step}
	from, to := timezone.DayBounds(day, zone)
	for t := from; t.Before(to); {
		next := t.Add(untilBorder(timezone.WallTimeOf(t, zone).Time, step))
		if c, ok := changeIn(t, next, zone); ok {
			next = c.At
		}
		if c, ok := changeIn(t.Add(-1), t.Add(1), zone); ok {
			a.changes = append(a.changes, c)
		}
		if to.Before(next) {
			next = to
		}
		a.columns = append(a.columns, column{
			from: t, to: next, face: timezone.WallTimeOf(t, face).Time, offset: timezone.OffsetAt(t, face),
		})
		t = next
	}
	return a
}

// untilBorder is how far the wall is from the next multiple of a step.
func untilBorder(shown timezone.TimeOfDay, step time.Duration) time.Duration {
	return step - time.Duration(shown)%step
}

// changeIn is the first clock change that lies after from and before to.
func changeIn(from, to time.Time, zone timezone.Zone) (timezone.ClockChange, bool) {
	next := timezone.NextChanges(zone, from, 1)
	if len(next) == 0 || !next[0].At.Before(to) {
		return timezone.ClockChange{}, false
	}
	return next[0], true
}

// at is the index of the column that holds t, -1 if t is not in the day.
func (a axis) at(t time.Time) int {
	for i, c := range a.columns {
		if !t.Before(c.from) && t.Before(c.to) {
			return i
		}
	}
	return -1
}

// span is the columns that have an instant in common with [from, to): first to
// last, excluded; equal if there is none.
func (a axis) span(from, to time.Time) (first, last int) {
	first, last = len(a.columns), len(a.columns)
	for i, c := range a.columns {
		if first == len(a.columns) && from.Before(c.to) {
			first = i
		}
		if !c.from.Before(to) {
			last = i
			break
		}
	}
	return min(first, last), last
}

// hour is a run of columns in which the clock shows one hour by one offset.
type hour struct {
	first, last int  // columns, last excluded
	number      int  // 0..23
	onTheHour   bool // it begins at :00
	twin        byte // 'a' or 'b' where the clock shows the hour twice
	afterGap    bool // the clock skipped something right before it
}

// hours are the runs of the day in order.
func (a axis) hours() []hour {
	var out []hour
	seen := map[int]int{} // how often an hour was shown
	for i, c := range a.columns {
		n := int(time.Duration(c.face) / time.Hour)
		if k := len(out) - 1; k >= 0 && out[k].number == n && a.columns[out[k].first].offset == c.offset {
			out[k].last = i + 1
			continue
		}
		h := hour{first: i, last: i + 1, number: n, onTheHour: time.Duration(c.face)%time.Hour == 0}
		if i > 0 {
			h.afterGap = c.offset > a.columns[i-1].offset
		}
		seen[n]++
		out = append(out, h)
	}
	met := map[int]bool{}
	for i, h := range out {
		if seen[h.number] < 2 || !a.repeats(h.number) {
			continue
		}
		out[i].twin = 'a'
		if met[h.number] {
			out[i].twin = 'b'
		}
		met[h.number] = true
	}
	return out
}

// repeats reports that the clock on screen goes back within the day and shows
// some of an hour twice. The same hour at both ends of the screen, as with
// another zone's clock, is none.
func (a axis) repeats(number int) bool {
	for i := 1; i < len(a.columns); i++ {
		before, c := a.columns[i-1], a.columns[i]
		if c.offset >= before.offset {
			continue
		}
		back := time.Duration(before.offset - c.offset)
		first := time.Duration(c.face) / time.Hour
		last := (time.Duration(c.face) + back - 1) / time.Hour
		if n := time.Duration(number); n >= first && n <= last || n+hoursOfFace >= first && n+hoursOfFace <= last {
			return true
		}
	}
	return false
}

// hoursOfFace is how many hours a clock has before it begins anew.
const hoursOfFace = 24
