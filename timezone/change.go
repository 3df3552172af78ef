package timezone

import (
	"time"

	"github.com/rickb777/date"
)

// ClockChange is a moment at which a zone's offset changes. A change of the
// abbreviation alone is none.
type ClockChange struct {
	At            time.Time // the first instant with the new offset
	Before, After Offset
}

// Shift returns how far the clocks go forward; negative when they go back.
func (c ClockChange) Shift() time.Duration { return time.Duration(c.After - c.Before) }

// Faces returns what the clocks show at the change: by the old offset and by the
// new one. When they go forward, the wall times from the first up to the second
// do not exist; when they go back, those from the second up to the first come
// twice.
func (c ClockChange) Faces() (before, after WallTime) {
	return c.Before.wallTime(c.At), c.After.wallTime(c.At)
}

// NextChanges returns the first n clock changes of z after from; fewer if the
// zone's rules know no more.
func NextChanges(z Zone, from time.Time, n int) []ClockChange {
	var changes []ClockChange
	for s := spanFrom(from, z); len(changes) < n && !s.to.IsZero(); {
		next := spanFrom(s.to, z)
		if next.offset != s.offset {
			changes = append(changes, ClockChange{s.to, s.offset, next.offset})
		}
		s = next
	}
	return changes
}

// ChangeOn returns the clock change in the local day d, false if there is none.
// A change that skips midnight belongs to the day that it begins; one that goes
// back from midnight, to the day that it prolongs.
func ChangeOn(d date.Date, z Zone) (ClockChange, bool) {
	from, to := DayBounds(d, z)
	if from.Equal(to) {
		return ClockChange{}, false
	}
	next := NextChanges(z, from.Add(-1), 1) // one at the day's very start counts
	if len(next) == 0 || !next[0].At.Before(to) {
		return ClockChange{}, false
	}
	return next[0], true
}
