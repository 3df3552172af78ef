package pgstore

import (
	"context"

	"holdfast/inventory"
)

// AddEvent makes an event; e.StartsAt is reckoned by the caller from e.Start by the venue's zone.
func (s *Store) AddEvent(ctx context.Context, actor inventory.Actor, e inventory.Event) (inventory.Event, error) {
	return e, errToCome
}

// EditEvent changes an event that still has this version; 0 does not check it.
func (s *Store) EditEvent(ctx context.Context, actor inventory.Actor, ref inventory.EventRef, version int, edit inventory.EventEdit, reason string) (inventory.Event, error) {
	return inventory.Event{}, errToCome
}

// Event returns an event by its name from outside, with counts of its seats, or ErrNotFound.
func (s *Store) Event(ctx context.Context, ref inventory.EventRef) (inventory.Event, error) {
	return inventory.Event{}, errToCome
}

// EventByID is Event by id.
func (s *Store) EventByID(ctx context.Context, id inventory.EventID) (inventory.Event, error) {
	return inventory.Event{}, errToCome
}

// Events lists events by start, with counts of their seats.
func (s *Store) Events(ctx context.Context, f inventory.EventFilter) ([]inventory.Event, error) {
	return nil, errToCome
}

// ImportSeats adds seats to an event, all or none: ErrAlreadyExists names the first that is there.
func (s *Store) ImportSeats(ctx context.Context, actor inventory.Actor, ref inventory.EventRef, seats []inventory.Seat) (int, error) {
	return 0, errToCome
}

// SeatMap returns all seats of an event with its counts, read from the database.
func (s *Store) SeatMap(ctx context.Context, id inventory.EventID) (inventory.SeatMap, error) {
	return inventory.SeatMap{}, errToCome
}

// KillSeats takes AVAILABLE seats out of sale, all or none (SeatTakenError names those that are not AVAILABLE).
func (s *Store) KillSeats(ctx context.Context, actor inventory.Actor, event inventory.EventID, seats []inventory.SeatID, reason string) ([]inventory.Seat, error) {
	return nil, errToCome
}

// UnkillSeats brings KILLED seats back on sale, all or none.
func (s *Store) UnkillSeats(ctx context.Context, actor inventory.Actor, event inventory.EventID, seats []inventory.SeatID, reason string) ([]inventory.Seat, error) {
	return nil, errToCome
}
