package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

// localTimeError is a typed wall time that clocks skip or show twice. It is bad
// input like any other, with a code of its own.
type localTimeError struct {
	field *inventory.FieldError
	wall  *timezone.WallTimeError
}

func (e *localTimeError) Error() string { return e.field.Error() }

// Unwrap gives the field and what is wrong with the clocks.
func (e *localTimeError) Unwrap() []error { return []error{e.field, e.wall} }

// parseLocal reads a wall time of the venue, such as 2027-06-01T19:30, or an
// instant with its offset. What names no instant, or two, is refused with both
// that could be meant.
func parseLocal(field, text string, zone timezone.Zone) (time.Time, error) {
	if text == "" {
		return time.Time{}, inventory.Invalid(field, "is missing (a local time of the venue, such as 2027-06-01T19:30)")
	}
	at, err := timezone.ParseLocal(text, zone)
	if wall, ok := errors.AsType[*timezone.WallTimeError](err); ok {
		problem := fmt.Sprintf("%s; type one of the two with its offset", wall)
		return time.Time{}, &localTimeError{&inventory.FieldError{Field: field, Problem: problem}, wall}
	}
	return at, badInput(field, err)
}

// parseRange reads both ends of a range, and reports what is wrong with each.
func parseRange(from, to string, zone timezone.Zone) (inventory.Range, error) {
	var r inventory.Range
	var fromErr, toErr error
	r.From, fromErr = parseLocal("from", from, zone)
	r.To, toErr = parseLocal("to", to, zone)
	return r, errors.Join(fromErr, toErr)
}

// localTimeCode is the word for a wall time that names no instant or two, ""
// for any other error.
func localTimeCode(err error) string {
	wall, ok := errors.AsType[*timezone.WallTimeError](err)
	switch {
	case !ok:
		return ""
	case wall.Missing:
		return "LOCAL_TIME_MISSING"
	}
	return "LOCAL_TIME_DOUBLED"
}

// wallIn shows an instant as the wall in the zone does, with its offset; "" for
// the zero time. A zone that this program does not know shows UTC.
func wallIn(at time.Time, zoneName string) string {
	if at.IsZero() {
		return ""
	}
	zone, err := timezone.ParseZone(zoneName)
	if err != nil {
		return instant(at)
	}
	return timezone.WallTimeOf(at, zone).String() + timezone.OffsetAt(at, zone).String()
}

// venueZone reads a venue with its zone.
func venueZone(ctx context.Context, s *pgstore.Store, slug string) (inventory.Venue, timezone.Zone, error) {
	venue, err := s.Venue(ctx, slug)
	if err != nil {
		return venue, timezone.Zone{}, err
	}
	zone, err := timezone.ParseZone(venue.Zone)
	if err != nil {
		err = fmt.Errorf("venue %s: %w", slug, err)
	}
	return venue, zone, err
}
