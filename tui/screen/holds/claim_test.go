package holds_test

import (
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// A hold says what it takes: places, seats by name, a resource by time.
func TestHolds_SeatsAndRanges(t *testing.T) {
	t.Parallel()

	c := open(t, &desk{bookings: []inventory.Booking{
		seats(hold(1, inventory.StateHeld, time.Minute, "", "u-1", 2, eur(24000))),
		span(hold(2, inventory.StateHeld, 2*time.Minute, "", "u-2", 1, eur(4500))),
	}})
	c.Resize(160, 50)
	c.Shows("D-07, D-08 of Gala, Fri 2026-12-04", "10:00-11:30 Studio A")
	c.Press("L")
	c.Shows("D-07, D-08 of Gala, Fri 2026-12-04, for u-1.", "2 seats go back on sale at once")
	c.Press("esc", "down")
	rest(c)
	c.Press("L")
	c.Shows("Studio A 10:00-11:30, Fri 2026-12-04, for u-2.", "the time goes back on sale at once")
	c.Press("tab", "enter")
	c.Shows("released, v2: Studio A 10:00-11:30 for u-2")
}

// seats makes b a claim of two seats, and span one of a resource by time.
func seats(b inventory.Booking) inventory.Booking {
	b.Kind, b.Pool, b.Name, b.Quantity = inventory.ClaimSeats, inventory.PoolRef{}, "Gala", 2
	b.Event = inventory.EventRef{Venue: "harbour", Event: "gala"}
	b.Seats = []inventory.Seat{{Row: "D", Number: 7}, {Row: "D", Number: 8}}
	return b
}

func span(b inventory.Booking) inventory.Booking {
	b.Kind, b.Pool, b.Name, b.Quantity = inventory.ClaimRange, inventory.PoolRef{}, "Studio A", 1
	b.Resource = inventory.ResourceRef{Venue: "harbour", Resource: "studio-a"}
	b.LocalFrom = timezone.WallTime{Day: b.Day, Time: timezone.NewTimeOfDay(10, 0)}
	b.LocalTo = timezone.WallTime{Day: b.Day, Time: timezone.NewTimeOfDay(11, 30)}
	return b
}
