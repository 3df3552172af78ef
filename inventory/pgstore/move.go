package pgstore

import (
	"context"

	"holdfast/inventory"
)

// MoveBooking changes what a live booking claims.
func (s *Store) MoveBooking(ctx context.Context, r inventory.MoveRequest) (inventory.Booking, error) {
	return inventory.Booking{}, errToCome
}

// SwapSeats exchanges the seats of two live bookings of one event.
func (s *Store) SwapSeats(ctx context.Context, a, b inventory.BookingID, actor inventory.Actor, reason string) (inventory.Booking, inventory.Booking, error) {
	return inventory.Booking{}, inventory.Booking{}, errToCome
}
