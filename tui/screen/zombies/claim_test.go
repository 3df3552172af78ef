package zombies_test

import (
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// Seats and ranges are not counted: they are free or taken, and never "-1 left".
func TestZombies_SeatsAndRanges(t *testing.T) {
	t.Parallel()

	free := late(0x11, 3*time.Minute, eur(24000), "", "u-1", 2, -1, time.Minute)
	free.Booking, free.CanGo = seats(free.Booking), nil
	taken := late(0x12, 2*time.Minute, eur(4500), "", "u-2", 1, -1, time.Minute)
	taken.Booking, taken.CanGo = span(taken.Booking), inventory.ErrRangeTaken
	c := open(t, &till{zombies: []inventory.Zombie{free, taken}})
	c.Resize(160, 50)
	rest(c)
	c.Hides("-1 left", "(-1")
	c.Shows("free", "Revive takes D-07, D-08 of Gala on Fri 2026-12-11 again", "10:00-11:30 Stu")
	c.Press("R")
	c.Hides("-1 left", "(-1")
	c.Shows("D-07, D-08 of Gala, Fri 2026-12-11, for u-1.", "D-07, D-08 are taken again (they are free now)")
	c.Press("esc", "M")
	c.Shows("it could still be revived: D-07, D-08 free")
	c.Press("esc", "down")
	rest(c)
	c.Hides("-1 left", "(-1")
	c.Shows("taken", "somebody else has that time")
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
