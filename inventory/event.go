package inventory

import (
	"errors"
	"strings"
	"time"

	"holdfast/timezone"
)

// EventRef names an event from outside: venue and event slug, written
// "harbour/gala".
type EventRef struct{ Venue, Event string }

// ParseEventRef reads "VENUE/EVENT"; field names the input in the error.
func ParseEventRef(field, s string) (EventRef, error) {
	venue, event, err := parseRef(field, s, "VENUE/EVENT")
	return EventRef{venue, event}, err
}

func (r EventRef) String() string { return r.Venue + "/" + r.Event }

// parseRef reads "VENUE/SOMETHING".
func parseRef(field, s, form string) (venue, rest string, err error) {
	venue, rest, ok := strings.Cut(s, "/")
	if !ok {
		if s == "" {
			return "", "", Invalid(field, "is missing")
		}
		return "", "", Invalid(field, "must be %s", form)
	}
	return venue, rest, errors.Join(CheckSlug(field, venue), CheckSlug(field, rest))
}

// DefaultEventHoldTTL is how long a hold of seats lives where the event does
// not say otherwise (REQUIREMENTS.md B1).
const DefaultEventHoldTTL = 5 * time.Minute

// Years that days and starts may lie in; the database has the same bounds.
const (
	minYear = 2000
	maxYear = 2199
)

// Event is a dated happening with numbered seats.
type Event struct {
	ID         EventID
	VenueID    int64
	Ref        EventRef
	Name       string
	Start      timezone.WallTime // what staff typed; it stays when rules of the zone change
	Zone       string            // by whose rules StartsAt was reckoned
	StartsAt   time.Time
	SalesFrom  time.Time // zero: on sale as soon as it has seats
	SalesUntil time.Time // the cut-off; zero on AddEvent means the start
	StopSell   bool
	HoldTTL    time.Duration
	Currency   Currency // the venue's
	Version    int      // counts staff edits
	Seats      SeatCounts
}

// SeatCounts says how the seats of an event stand, by their state: a seat that
// needs repair counts as what its state says.
type SeatCounts struct{ Available, Held, Booked, Killed int }

// Total is how many seats there are.
func (c SeatCounts) Total() int { return c.Available + c.Held + c.Booked + c.Killed }

// Validate reports every field that is wrong, but for what CheckStart does.
func (e Event) Validate() error {
	errs := []error{
		CheckSlug("venue", e.Ref.Venue), CheckSlug("event", e.Ref.Event), CheckText("name", e.Name, maxName),
		checkSpan("hold_ttl", e.HoldTTL, minHoldTTL, maxHoldTTL),
	}
	if e.StartsAt.IsZero() {
		errs = append(errs, Invalid("start", "is missing"))
	}
	if !e.SalesFrom.IsZero() && !e.SalesFrom.Before(e.SalesUntil) {
		errs = append(errs, Invalid("onsale", "must be before the end of sales"))
	}
	return errors.Join(errs...)
}

// CheckStart refuses a Start that the wall of the zone does not show at
// StartsAt: the caller reckons the instant, and reports wall times that clocks
// skip or show twice. It is for new events: the rules of a zone may change
// after an event is stored.
func (e Event) CheckStart() error {
	zone, err := timezone.ParseZone(e.Zone)
	switch {
	case err != nil:
		return Invalid("zone", "%s", err.Error())
	case e.Start.Day.Year() < minYear || e.Start.Day.Year() > maxYear:
		return Invalid("start", "must be from the year %d to %d", minYear, maxYear)
	case timezone.WallTimeOf(e.StartsAt, zone) != e.Start:
		return Invalid("start", "is not what the clock in %s shows at the instant given", e.Zone)
	}
	return nil
}

// Admit is the rule for the event as a whole: nil, ErrStopSell, ErrNotOnSale or
// ErrCutoffPassed. The SQL function event_admission is the same rule and
// decides; a seat must also be AVAILABLE.
func (e Event) Admit(now time.Time) error {
	switch {
	case e.StopSell:
		return ErrStopSell
	case !e.SalesFrom.IsZero() && now.Before(e.SalesFrom):
		return ErrNotOnSale
	case !now.Before(e.SalesUntil):
		return ErrCutoffPassed
	}
	return nil
}

// EventEdit says what to change of an event; a nil field is left alone.
type EventEdit struct {
	Name       *string
	SalesFrom  *time.Time // zero: on sale at once
	SalesUntil *time.Time // zero: the start
	StopSell   *bool
	HoldTTL    *time.Duration
}

// Apply returns what the event becomes. Instants are kept to the microsecond,
// as the database keeps them.
func (e EventEdit) Apply(to Event) Event {
	if e.Name != nil {
		to.Name = *e.Name
	}
	if e.SalesFrom != nil {
		to.SalesFrom = e.SalesFrom.UTC().Truncate(time.Microsecond)
	}
	if e.SalesUntil != nil {
		to.SalesUntil = e.SalesUntil.UTC().Truncate(time.Microsecond)
	}
	if to.SalesUntil.IsZero() {
		to.SalesUntil = to.StartsAt
	}
	if e.StopSell != nil {
		to.StopSell = *e.StopSell
	}
	if e.HoldTTL != nil {
		to.HoldTTL = e.HoldTTL.Truncate(time.Microsecond)
	}
	return to
}

// SameConfiguration reports whether the two agree in all that an EventEdit can
// change, so that saving one over the other would be no edit.
func (e Event) SameConfiguration(o Event) bool {
	return e.Name == o.Name && e.SalesFrom.Equal(o.SalesFrom) && e.SalesUntil.Equal(o.SalesUntil) &&
		e.StopSell == o.StopSell && e.HoldTTL == o.HoldTTL
}

// EventFilter narrows the list of events, by start.
type EventFilter struct {
	Venue string    // slug, "" = all
	From  time.Time // events that start at or after it; zero: all
	Limit int
}
