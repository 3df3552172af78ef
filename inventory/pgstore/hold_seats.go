package pgstore

import (
	"context"
	"errors"

	"holdfast/inventory"
)

var errToCome = errors.New("to come")

// HoldSeats takes named seats of one event, all or none, or so many together wherever they are best.
func (s *Store) HoldSeats(ctx context.Context, r inventory.SeatHoldRequest) (b inventory.Booking, replayed bool, err error) {
	return b, false, errToCome
}
