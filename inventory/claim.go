package inventory

import (
	"fmt"
	"strings"
	"time"

	"holdfast/timezone"
)

// ClaimKind tells what a booking takes. Every booking has exactly one kind.
type ClaimKind string

// The kinds of claims.
const (
	ClaimPool  ClaimKind = "pool"  // a quantity of a pool day
	ClaimSeats ClaimKind = "seats" // numbered seats of an event
	ClaimRange ClaimKind = "range" // a resource for [from, to)
)

// Ref names what the booking claims of, as VENUE/POOL, VENUE/EVENT or
// VENUE/RESOURCE.
func (b Booking) Ref() string {
	switch b.Kind {
	case ClaimSeats:
		return b.Event.String()
	case ClaimRange:
		return b.Resource.String()
	case ClaimPool:
	}
	return b.Pool.String()
}

// Claimed says in words what the booking takes, for people: "2 places of Main
// floor", "D-07, D-08 of Gala", "Studio A 10:00-11:00". The day is not in it.
func (b Booking) Claimed() string {
	switch b.Kind {
	case ClaimSeats:
		names := make([]string, len(b.Seats))
		for i, s := range b.Seats {
			names[i] = s.Short()
		}
		if most := 6; len(names) > most {
			names = append(names[:most], fmt.Sprintf("%d more", len(b.Seats)-most))
		}
		return strings.Join(names, ", ") + " of " + b.Name
	case ClaimRange:
		if b.LocalTo.Day != b.LocalFrom.Day {
			return fmt.Sprintf("%s %s to %s", b.Name, b.LocalFrom.Time, b.LocalTo)
		}
		return fmt.Sprintf("%s %s-%s", b.Name, b.LocalFrom.Time, b.LocalTo.Time)
	case ClaimPool:
	}
	if b.Quantity == 1 {
		return "1 place of " + b.Name
	}
	return fmt.Sprintf("%d places of %s", b.Quantity, b.Name)
}

// Range is a stretch of real time, [From, To).
type Range struct{ From, To time.Time }

// Length is how long it really lasts, whatever clocks do meanwhile.
func (r Range) Length() time.Duration { return r.To.Sub(r.From) }

// Overlaps reports whether the two have an instant in common. Ranges that only
// touch do not.
func (r Range) Overlaps(o Range) bool { return r.From.Before(o.To) && o.From.Before(r.To) }

// LocalRange is what the wall at the venue shows at the ends of a range.
type LocalRange struct{ From, To timezone.WallTime }
