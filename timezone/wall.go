package timezone

import (
	"fmt"
	"time"

	"github.com/rickb777/date"
)

// TimeOfDay is what a clock on the wall shows, counted from 00:00. It is no
// duration since the start of the day: on days of clock changes the two differ.
type TimeOfDay time.Duration

// NewTimeOfDay returns the time of day hour:minute.
func NewTimeOfDay(hour, minute int) TimeOfDay {
	return TimeOfDay(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
}

// String returns the time of day as 19:30, or as 19:30:15 if it has seconds.
func (t TimeOfDay) String() string {
	h, m := t/TimeOfDay(time.Hour), t/TimeOfDay(time.Minute)%60
	if s := t / TimeOfDay(time.Second) % 60; s != 0 {
		return fmt.Sprintf("%02d:%02d:%02d", h, m, s)
	}
	return fmt.Sprintf("%02d:%02d", h, m)
}

// WallTime is what a calendar and a clock on the wall show together, without a
// zone. Only a zone makes an instant of it, or none, or two: see InstantOf.
type WallTime struct {
	Day  date.Date
	Time TimeOfDay
}

// WallTimeOf returns what the wall in z shows at t.
func WallTimeOf(t time.Time, z Zone) WallTime { return OffsetAt(t, z).wallTime(t) }

// String returns the wall time as 2027-03-28T02:30.
func (w WallTime) String() string { return w.Day.String() + "T" + w.Time.String() }

// InstantOf returns the instant at which the wall in z shows w. If clocks skip w
// or show it twice, the error is a *WallTimeError with the two instants to
// choose from: nothing is shifted or chosen silently.
func InstantOf(w WallTime, z Zone) (time.Time, error) {
	shown := w.face()
	var found []time.Time
	before := spanFrom(shown.Add(-reach), z)
	missing := WallTimeError{Wall: w, Zone: z, Missing: true}
	for s := before; ; s = spanFrom(s.to, z) {
		at := s.offset.instantOf(shown)
		switch {
		case s.holds(at):
			found = append(found, at)
		case at.Before(s.from) && !before.offset.instantOf(shown).Before(s.from):
			missing.Earlier, missing.Later = at, before.offset.instantOf(shown)
		}
		if before = s; s.to.IsZero() || s.to.After(shown.Add(reach)) {
			break
		}
	}
	switch len(found) {
	case 0:
		return time.Time{}, &missing
	case 1:
		return found[0], nil
	}
	return time.Time{}, &WallTimeError{Wall: w, Zone: z, Earlier: found[0], Later: found[1]}
}

// FirstInstantAt returns the first instant at which the wall in z shows w or
// later: where clocks skip w, the instant of the change; where they show it twice,
// the earlier one; on a day that does not exist, the start of the next day that
// does. It chooses silently, which is right for a rule like opening hours and
// wrong for a time that somebody typed: see InstantOf.
func FirstInstantAt(w WallTime, z Zone) time.Time {
	shown := w.face()
	s := spanFrom(shown.Add(-reach), z)
	for {
		at := s.offset.instantOf(shown)
		if at.Before(s.from) {
			at = s.from
		}
		if s.holds(at) {
			return at
		}
		s = spanFrom(s.to, z)
	}
}

// WallTimeError says that a wall time does not name one instant: clocks skip it
// (Missing) or show it twice.
type WallTimeError struct {
	Wall    WallTime
	Zone    Zone
	Missing bool

	// Earlier and Later are the two instants that w could mean. Shown twice: the
	// two times that it is shown. Missing: by the offset after the change and by
	// the one before it, which is as far before and behind the gap as w is into it.
	Earlier, Later time.Time
}

// Error names both instants with their offsets.
func (e *WallTimeError) Error() string {
	what := "comes twice"
	if e.Missing {
		what = "is skipped by the clocks"
	}
	return fmt.Sprintf("%s %s in %s; there is %s and %s", e.Wall, what, e.Zone, stamp(e.Earlier, e.Zone), stamp(e.Later, e.Zone))
}

func stamp(t time.Time, z Zone) string {
	o := OffsetAt(t, z)
	return o.wallTime(t).String() + o.String()
}

// face returns the UTC instant whose clock face shows w.
func (w WallTime) face() time.Time { return face(w.Day).Add(time.Duration(w.Time)) }

// wallTime returns what clocks ahead of UTC by o show at t.
func (o Offset) wallTime(t time.Time) WallTime {
	shown := o.face(t)
	y, m, d := shown.Date()
	day := date.New(y, m, d)
	return WallTime{day, TimeOfDay(shown.Sub(face(day)))}
}
