package timezone

import (
	"time"

	"github.com/rickb777/date"
)

// DayStart returns the earliest instant at which it is day d in z. That is not
// always midnight: where clocks skip midnight (Santiago, Beirut), the day begins
// at the change; where midnight comes twice (Havana), it begins at the first.
//
// It returns false if z never has that day (Pacific/Apia has no 2011-12-30); the
// instant is then the start of the next day that exists.
func DayStart(d date.Date, z Zone) (time.Time, bool) {
	at := FirstInstantAt(WallTime{Day: d}, z)
	return at, DayOf(at, z) == d
}

// DayBounds returns the local day d as [from, to): its own start and that of the
// next day. Consecutive days touch, without a gap and without an overlap. A day
// that does not exist is empty: from equals to.
func DayBounds(d date.Date, z Zone) (from, to time.Time) {
	from, _ = DayStart(d, z)
	to, _ = DayStart(d.Add(1), z)
	return from, to
}

// DayLength returns how long the local day d is: mostly 24 hours, 23 or 25 when
// clocks change, 0 for a day that does not exist.
func DayLength(d date.Date, z Zone) time.Duration {
	from, to := DayBounds(d, z)
	return to.Sub(from)
}

// DayOf returns the date that a calendar on the wall in z shows at t.
//
// It agrees with DayBounds but for one kind of night: where clocks that have
// passed midnight go back before it (America/St_Johns until 2011, 00:01 to
// 23:01), the calendar falls back to the old date for an hour that DayBounds
// already counts to the new day.
func DayOf(t time.Time, z Zone) date.Date {
	y, m, d := t.In(z.loc).Date()
	return date.New(y, m, d)
}

// Today returns the date in z at the clock's present.
func Today(c Clock, z Zone) date.Date { return DayOf(c.Now(), z) }

// DayLabel returns d with its weekday, as "Fri 2026-12-04": how a day is shown
// to people, so that a wrong date is seen.
func DayLabel(d date.Date) string {
	return d.Weekday().String()[:3] + " " + d.String()
}
