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

// SeatCounts says how the seats of an event stand.
type SeatCounts struct{ Available, Held, Booked, Killed int }

// Total is how many seats there are.
func (c SeatCounts) Total() int { return c.Available + c.Held + c.Booked + c.Killed }

// Validate reports every field that is wrong. StartsAt is reckoned by the
// caller, who reports wall times that clocks skip or show twice.
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
	SalesUntil *time.Time
	StopSell   *bool
	HoldTTL    *time.Duration
}

// EventFilter narrows the list of events, by start.
type EventFilter struct {
	Venue string    // slug, "" = all
	From  time.Time // events that start at or after it; zero: all
	Limit int
}
