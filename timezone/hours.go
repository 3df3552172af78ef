package timezone

import (
	"errors"
	"time"

	"github.com/rickb777/date"
)

// Hours are opening hours of one weekday by the clock on the wall. Closes may
// pass 24:00: it is then on the next day. The zero Hours are closed.
type Hours struct{ Opens, Closes TimeOfDay }

// Closed reports whether there are no hours at all.
func (h Hours) Closed() bool { return h == Hours{} }

// Period is a stretch of real time, [From, To).
type Period struct{ From, To time.Time }

// ParseHours reads "09:00-22:00", "18:00-02:00" (to the next day), "00:00-24:00"
// or "closed".
func ParseHours(string) (Hours, error) { return Hours{}, errors.New("to come") }

// String returns the hours as ParseHours reads them.
func (h Hours) String() string { return h.Opens.String() + "-" + h.Closes.String() }

// OpenOn returns when a place with these hours is open on the local day d.
func OpenOn(date.Date, Hours, Zone) (Period, bool) { return Period{}, false }

// Slots returns the slots of the local day d.
func Slots(_ date.Date, _ Hours, slot, turnaround time.Duration, _ Zone) []Period {
	_, _ = slot, turnaround
	return nil
}

// ParseWallTime reads 2027-01-15T10:00 or 2027-01-15T10:00:30.
func ParseWallTime(string) (WallTime, error) { return WallTime{}, errors.New("to come") }

// ParseLocal reads a wall time of z, which may carry an offset.
func ParseLocal(string, Zone) (time.Time, error) { return time.Time{}, errors.New("to come") }

// FirstInstantAt returns the first instant at which the wall in z shows w or later.
func FirstInstantAt(WallTime, Zone) time.Time { return time.Time{} }
