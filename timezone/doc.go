// Package timezone knows zones, local days and the clock.
//
// Calendar days are date.Date, instants are UTC time.Time, and this package is
// the only place where the two meet: a local day is the stretch from its
// [DayStart] to the next day's, whatever the clocks do in between. It is also
// the only place that reads the clock ([SystemClock]) and that judges typed
// zones ([ParseZone]), days ([ParseDay]) and rules over days ([ParseDays]).
package timezone
