package line

import (
	"slices"
	"time"
)

// steps are how long a column can be, shortest first.
var steps = []time.Duration{5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour}

// longestDay is more columns by the hour than any day has.
const longestDay = 25

// stepFor is the shortest step, but not below a quarter of an hour, by which a
// whole day fits into so many columns.
func stepFor(columns int) time.Duration {
	for _, s := range steps[1:] {
		if longestDay*int(time.Hour/s) <= columns {
			return s
		}
	}
	return steps[len(steps)-1]
}

// stepNext is the next longer step, or the next shorter one; false at the end.
func stepNext(step time.Duration, by int) (time.Duration, bool) {
	i := slices.Index(steps, step) + by
	if i < 0 || i >= len(steps) {
		return step, false
	}
	return steps[i], true
}
