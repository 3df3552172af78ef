package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

const (
	evenings   = 3 // of the gala, a week apart
	galaAhead  = 12
	largeParty = 4 // seats that a buyer takes at most
)

// sections of the hall, 300 seats in all.
var sections = []struct {
	name, category string
	rows, seats    int
	price          inventory.Minor
}{
	{"PARKETT", "first", 8, 18, 6500},
	{"RANG", "second", 6, 16, 4800},
	{"BALKON", "third", 4, 15, 3200},
}

// hall sells the evenings of the gala by the seat.
type hall struct{ events []inventory.EventID }

// addHall makes a weekly series of one event: 19:30 stays 19:30, whatever clocks
// do between two of them.
func addHall(ctx context.Context, s *pgstore.Store, venue inventory.Venue, today date.Date, zone timezone.Zone, watched bool) (hall, error) {
	var h hall
	for n := range evenings {
		start := timezone.WallTime{Day: today.Add(date.PeriodOfDays(galaAhead + 7*n)), Time: timezone.NewTimeOfDay(19, 30)}
		at, err := timezone.InstantOf(start, zone)
		if err != nil {
			return h, err
		}
		e := inventory.Event{
			Ref:  inventory.EventRef{Venue: venue.Slug, Event: fmt.Sprintf("gala-%d", n+1)},
			Name: fmt.Sprintf("Grand Gala, evening %d", n+1), Start: start, Zone: zone.Name(), StartsAt: at,
			HoldTTL: venue.HoldTTL, Currency: venue.Currency,
		}
		if watched {
			e.HoldTTL = 2 * venue.HoldTTL
		}
		if e, err = s.AddEvent(ctx, setUp, e); err != nil {
			return h, err
		}
		if _, err := s.ImportSeats(ctx, setUp, e.Ref, hallSeats(venue.Currency)); err != nil {
			return h, err
		}
		if err := furnish(ctx, s, e); err != nil {
			return h, err
		}
		h.events = append(h.events, e.ID)
	}
	return h, nil
}

func hallSeats(currency inventory.Currency) []inventory.Seat {
	var seats []inventory.Seat
	for _, section := range sections {
		for row := range section.rows {
			for number := range section.seats {
				seats = append(seats, inventory.Seat{
					Section: section.name, Row: string(rune('A' + row)), Number: number + 1, Category: section.category,
					Price: inventory.Money{Minor: section.price, Currency: currency},
				})
			}
		}
	}
	return seats
}

// furnish takes seats out of sale that see nothing, and gives some away.
func furnish(ctx context.Context, s *pgstore.Store, e inventory.Event) error {
	hidden, err := s.SeatsByName(ctx, e.ID, []string{"RANG F-01", "RANG F-02", "RANG F-15", "RANG F-16"})
	if err != nil {
		return err
	}
	if _, err := s.KillSeats(ctx, setUp, e.ID, idsOf(hidden), "behind a pillar"); err != nil {
		return err
	}
	guests, err := s.SeatsByName(ctx, e.ID, []string{"PARKETT A-08", "PARKETT A-09", "PARKETT A-10", "PARKETT A-11"})
	if err != nil {
		return err
	}
	_, _, err = s.HoldSeats(ctx, inventory.SeatHoldRequest{
		Event: e.ID, Seats: idsOf(guests), Buyer: "guests of the house", Comp: true, Reason: "the mayor and friends", Actor: setUp,
	})
	return err
}

func idsOf(seats []inventory.Seat) []inventory.SeatID {
	ids := make([]inventory.SeatID, len(seats))
	for i, s := range seats {
		ids[i] = s.ID
	}
	return ids
}

// wish asks for the best seats together, or for seats that the buyer has picked
// on the map: others look at the same map.
func (h hall) wish(ctx context.Context, s *shop, _ int) (map[string]any, error) {
	event := h.events[rand.IntN(len(h.events))]
	party := 1 + rand.IntN(largeParty)
	if rand.IntN(2) == 0 {
		return map[string]any{"event": event, "best": party}, nil
	}
	seats, err := s.seats(ctx, event.String())
	if err != nil {
		return nil, err
	}
	picked := pick(seats, rand.IntN(max(1, len(seats))), party)
	if len(picked) == 0 {
		return nil, &refusal{Status: http.StatusConflict, Code: "SOLD_OUT"}
	}
	return map[string]any{"event": event, "seats": picked}, nil
}

// pick takes the first free seat from one on, going round, and up to party
// neighbours in all.
func pick(seats []seat, from, party int) []string {
	var picked []string
	var last seat
	for i := range seats {
		next := seats[(from+i)%len(seats)]
		free := next.State == inventory.SeatAvailable
		beside := next.Section == last.Section && next.Row == last.Row && next.Number == last.Number+1
		switch {
		case len(picked) == party, len(picked) > 0 && (!free || !beside):
			return picked
		case free:
			picked, last = append(picked, next.ID), next
		}
	}
	return picked
}
