package main

import (
	"errors"
	"fmt"
	"strings"

	"holdfast/inventory"
)

// clashError is a claim that was refused, with what stands in its way: staff may
// know, buyers may not.
type clashError struct {
	err  error
	what string
}

func (e *clashError) Error() string { return e.what }

func (e *clashError) Unwrap() error { return e.err }

// nameSeats adds to ErrSeatTaken which of the asked seats are not free.
func nameSeats(err error, asked []inventory.Seat) error {
	taken, ok := errors.AsType[*inventory.SeatTakenError](err)
	if !ok || len(taken.Seats) == 0 {
		return err
	}
	names := make([]string, 0, len(taken.Seats))
	for _, id := range taken.Seats {
		name := "seat " + id.String()
		for _, s := range asked {
			if s.ID == id {
				name = s.Name()
			}
		}
		names = append(names, name)
	}
	return &clashError{err, fmt.Sprintf("%s: %s", inventory.ErrSeatTaken, strings.Join(names, ", "))}
}

// nameRange adds to ErrRangeTaken who has the time, as the wall in the zone
// shows it.
func nameRange(err error, asked inventory.Range, zoneName string) error {
	taken, ok := errors.AsType[*inventory.RangeTakenError](err)
	if !ok || taken.Booking == (inventory.BookingID{}) {
		return err
	}
	what := fmt.Sprintf("%s: booking %s of %s has %s to %s", inventory.ErrRangeTaken, taken.Booking, taken.Buyer,
		wallIn(taken.During.From, zoneName), wallIn(taken.During.To, zoneName))
	if !taken.During.Overlaps(asked) {
		what += ", and the buffer lies between"
	}
	return &clashError{err, what}
}
