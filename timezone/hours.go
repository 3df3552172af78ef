package timezone

import (
	"fmt"
	"strings"
	"time"

	"github.com/rickb777/date"
)

// Hours are opening hours of one weekday by the clock on the wall. Closes may
// pass 24:00: it is then on the next day. The zero Hours are closed.
type Hours struct{ Opens, Closes TimeOfDay }

// Closed reports whether there are no hours at all.
func (h Hours) Closed() bool { return h == Hours{} }

// midnight is the end of a day on the wall, however long the day is.
var midnight = NewTimeOfDay(24, 0)

// ParseHours reads opening hours: "09:00-22:00", "18:00-02:00" (until 02:00 of
// the next day), "00:00-24:00" (the whole day) or "closed"; blanks and tabs
// around them are ignored. Any other form is an *InputError. So is the same time
// twice, which could mean no hours or 24.
func ParseHours(text string) (Hours, error) {
	refuse := func(problem string, args ...any) (Hours, error) {
		return Hours{}, &InputError{Input: text, Problem: fmt.Sprintf(problem, args...)}
	}
	hours := strings.Trim(text, " \t")
	switch {
	case hours == "":
		return refuse("opening hours are needed, as 09:00-22:00 or closed")
	case hours == "closed":
		return Hours{}, nil
	case !looksLike(hours, "00:00-00:00"):
		return refuse("%s are not opening hours written as 09:00-22:00, 18:00-02:00 or closed", quote(hours))
	}
	from, to := hours[:5], hours[6:]
	opens, ok := timeOfDay(from)
	if !ok {
		return refuse("%s is no time to open at: times are 00:00 to 23:59", from)
	}
	closes, ok := timeOfDay(to)
	switch {
	case to == "24:00":
		closes = midnight
	case !ok:
		return refuse("%s is no time to close at: times are 00:00 to 24:00", to)
	case closes == opens:
		return refuse("%s opens and closes at the same time; write closed, or 00:00-24:00 for the whole day", hours)
	case closes < opens:
		closes += midnight
	}
	return Hours{opens, closes}, nil
}

// String returns the hours as ParseHours reads them.
func (h Hours) String() string {
	switch {
	case h.Closed():
		return "closed"
	case h.Closes > midnight:
		return h.Opens.String() + "-" + (h.Closes - midnight).String()
	}
	return h.Opens.String() + "-" + h.Closes.String()
}

// timeOfDay reads 19:30 or 19:30:15, in digits that looksLike has seen; false if
// no clock shows that.
func timeOfDay(text string) (TimeOfDay, bool) {
	h, m, s := number(text[:2]), number(text[3:5]), 0
	if len(text) > 5 {
		s = number(text[6:])
	}
	return NewTimeOfDay(h, m) + TimeOfDay(time.Duration(s)*time.Second), h < 24 && m < 60 && s < 60
}

// Period is a stretch of real time, [From, To).
type Period struct{ From, To time.Time }

// OpenOn returns when a place with these hours is open on the local day d. Both
// ends are what FirstInstantAt makes of the wall times, so that hours 00:00-24:00
// are the local day of DayBounds, 23 or 25 hours long when clocks change.
//
// It returns false if the place is not open: closed, hours that the clocks skip
// as a whole, or a day that does not exist.
func OpenOn(d date.Date, h Hours, z Zone) (Period, bool) {
	if _, exists := DayStart(d, z); !exists || h.Closed() {
		return Period{}, false
	}
	open := Period{FirstInstantAt(WallTime{d, h.Opens}, z), FirstInstantAt(WallTime{d, h.Closes}, z)}
	if !open.From.Before(open.To) {
		return Period{}, false
	}
	return open, true
}
