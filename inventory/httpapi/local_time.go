package httpapi

import (
	"errors"
	"fmt"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// localForm is RFC 3339 with the venue's offset, also where that is zero.
const localForm = "2006-01-02T15:04:05-07:00"

// localTimeError says that a wall time names no instant, or two, and which can
// be meant. It is a FieldError with more to say.
type localTimeError struct {
	field string
	wall  *timezone.WallTimeError
}

func (e *localTimeError) Error() string { return e.field + ": " + e.wall.Error() }

// Unwrap makes it a problem of its field, like any other.
func (e *localTimeError) Unwrap() error {
	if e.wall.Missing {
		return inventory.Invalid(e.field, "clocks skip %s at the venue: send one of the candidates", e.wall.Wall)
	}
	return inventory.Invalid(e.field, "%s comes twice at the venue: send one of the candidates", e.wall.Wall)
}

func (e *localTimeError) code() string {
	if e.wall.Missing {
		return "LOCAL_TIME_MISSING"
	}
	return "LOCAL_TIME_DOUBLED"
}

// candidates are the two instants to choose from, ready to be sent.
func (e *localTimeError) candidates() []string {
	return []string{viewLocal(e.wall.Earlier, e.wall.Zone), viewLocal(e.wall.Later, e.wall.Zone)}
}

// localTimes returns every localTimeError inside err, in order.
func localTimes(err error) []*localTimeError {
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case *localTimeError:
		return []*localTimeError{e}
	case interface{ Unwrap() []error }:
		var all []*localTimeError
		for _, inner := range e.Unwrap() {
			all = append(all, localTimes(inner)...)
		}
		return all
	case interface{ Unwrap() error }:
		return localTimes(e.Unwrap())
	}
	return nil
}

// parseLocal reads a wall time of zone that was sent as field.
func parseLocal(field string, text *string, zone timezone.Zone) (time.Time, error) {
	if text == nil || *text == "" {
		return time.Time{}, inventory.Invalid(field, "is missing")
	}
	if zone.IsZero() {
		return time.Time{}, nil
	}
	t, err := timezone.ParseLocal(*text, zone)
	if wall, ok := errors.AsType[*timezone.WallTimeError](err); ok {
		return time.Time{}, &localTimeError{field, wall}
	}
	if err != nil {
		return time.Time{}, inventory.Invalid(field, "%s", err)
	}
	return t, nil
}

func parseRange(from, to *string, zone timezone.Zone) (inventory.Range, error) {
	start, startErr := parseLocal("from", from, zone)
	end, endErr := parseLocal("to", to, zone)
	return inventory.Range{From: start, To: end}, errors.Join(startErr, endErr)
}

// viewLocal writes t as the clocks in zone show it, with their offset.
func viewLocal(t time.Time, zone timezone.Zone) string {
	return t.In(zone.Location()).Format(localForm)
}

// viewLocalOf is viewLocal for a zone that was stored by name, "" for the zero
// time. A zone that is not known here was stored by a tzdata that knew more:
// the instant is right in UTC as well.
func viewLocalOf(t time.Time, zone timezone.Zone) string {
	switch {
	case t.IsZero():
		return ""
	case zone.IsZero():
		zone = timezone.UTC()
	}
	return viewLocal(t, zone)
}

// zoneOrNone returns the zone with a stored name, or the zero Zone.
func zoneOrNone(name string) timezone.Zone {
	zone, err := timezone.ParseZone(name)
	if err != nil {
		return timezone.Zone{}
	}
	return zone
}

// zoneOf returns the zone of something that cannot be answered without it.
func zoneOf(what, name string) (timezone.Zone, error) {
	zone, err := timezone.ParseZone(name)
	if err != nil {
		return zone, fmt.Errorf("the zone of %s: %w", what, err)
	}
	return zone, nil
}
