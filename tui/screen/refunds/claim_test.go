package refunds_test

import (
	"testing"

	"holdfast/inventory"
	"holdfast/timezone"
)

// The booking that a refund belongs to says what it took.
func TestRefunds_SeatsAndRanges(t *testing.T) {
	t.Parallel()

	for _, kind := range []struct {
		name   string
		claim  func(inventory.Booking) inventory.Booking
		claims string
		held   string
	}{
		{"seats", seats, "D-07, D-08 of Gala, Fri 2026-12-11, for u-2077", "held D-07, D-08 ("},
		{"range", span, "Studio A 10:00-11:30, Fri 2026-12-11, for u-2077", "held 10:00-11:30 ("},
	} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			s := evening()
			s.bookings[booking(0x71)] = kind.claim(s.bookings[booking(0x71)])
			c := open(t, s)
			c.Resize(160, 50)
			rest(c)
			c.Press("enter")
			c.Shows(kind.claims, kind.held)
		})
	}
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
