// Package timezone knows zones, local days and the clock.
//
// Calendar days are date.Date, instants are UTC time.Time, and this package is
// the only place where the two meet: a local day is the stretch from its
// [DayStart] to the next day's, whatever the clocks do in between. Here alone a
// time on the wall becomes an instant: a typed one exactly or not at all
// ([InstantOf], [ParseLocal]), one of a rule at the first moment that fits
// ([FirstInstantAt], and by it [OpenOn] and [Slots]).
//
// It is also the only place that reads the clock ([SystemClock]) and that judges
// typed zones ([ParseZone]), days ([ParseDay]), rules over days ([ParseDays]) and
// opening hours ([ParseHours]).
package timezone
