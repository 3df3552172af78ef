package pgstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// KillSeats takes AVAILABLE seats of an event out of sale, all or none, and
// returns them as they stand then. A *SeatTakenError names those that are not
// AVAILABLE, killed ones included; a seat that the event does not have is
// ErrNotFound.
func (s *Store) KillSeats(ctx context.Context, actor inventory.Actor, event inventory.EventID, seats []inventory.SeatID, reason string) ([]inventory.Seat, error) {
	return s.changeSeats(ctx, "kill seats", sqlSeatsKill, inventory.SeatAvailable, actor, event, seats, reason)
}

// UnkillSeats brings KILLED seats back on sale, all or none, and returns them as
// they stand then. If one is not KILLED, the error is ErrNotAllowed and names it.
func (s *Store) UnkillSeats(ctx context.Context, actor inventory.Actor, event inventory.EventID, seats []inventory.SeatID, reason string) ([]inventory.Seat, error) {
	return s.changeSeats(ctx, "unkill seats", sqlSeatsUnkill, inventory.SeatKilled, actor, event, seats, reason)
}

// changeSeats runs change on seats that all stand in state from.
func (s *Store) changeSeats(ctx context.Context, op, change string, from inventory.SeatState, actor inventory.Actor, id inventory.EventID, ids []inventory.SeatID, reason string) ([]inventory.Seat, error) {
	if err := inventory.CheckReason(reason); err != nil {
		return nil, err
	}
	if err := inventory.CheckSeatIDs("seats", ids, inventory.MaxSeatsPerEvent); err != nil {
		return nil, err
	}
	var seats []inventory.Seat
	err := s.inTx(ctx, op+" of event "+id.String(), beginJob, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, reason); err != nil {
			return err
		}
		event, err := getEventByID(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, sqlSeatsLockNamed, pgx.StrictNamedArgs{"event": id, "seats": ids}); err != nil {
			return err
		}
		if seats, err = seatsByID(ctx, tx, event, ids); err != nil {
			return err
		}
		if err := judgeSeats(seats, ids, from); err != nil {
			return err
		}
		args := pgx.StrictNamedArgs{"seats": ids}
		if from == inventory.SeatAvailable {
			args["reason"] = reason
		}
		if _, err := tx.Exec(ctx, change, args); err != nil {
			return err
		}
		seats, err = seatsByID(ctx, tx, event, ids)
		return err
	})
	return seats, err
}

// judgeSeats reports those of the wanted seats that the event does not have, or
// that do not stand as they must.
func judgeSeats(seats []inventory.Seat, wanted []inventory.SeatID, state inventory.SeatState) error {
	var inTheWay []inventory.Seat
	found := make(map[inventory.SeatID]bool, len(seats))
	for _, s := range seats {
		found[s.ID] = true
		if s.State != state || s.NeedsRepair {
			inTheWay = append(inTheWay, s)
		}
	}
	if i := slices.IndexFunc(wanted, func(id inventory.SeatID) bool { return !found[id] }); i >= 0 {
		return fmt.Errorf("seat %s: %w", wanted[i], inventory.ErrNotFound)
	}
	switch {
	case len(inTheWay) == 0:
		return nil
	case state == inventory.SeatAvailable:
		return &inventory.SeatTakenError{Seats: seatIDs(inTheWay)}
	}
	var problems []error
	for _, s := range inTheWay[:min(len(inTheWay), maxSeatsNamed)] {
		problems = append(problems, inventory.Invalid("seat "+s.Name(), "is %s, not %s", s.State, state))
	}
	return fmt.Errorf("%w: %w", inventory.ErrNotAllowed, errors.Join(problems...))
}

// maxSeatsNamed bounds how many seats an error names one by one.
const maxSeatsNamed = 20

// seatsByID reads some seats of an event in the order of the hall.
func seatsByID(ctx context.Context, tx pgx.Tx, e inventory.Event, ids []inventory.SeatID) ([]inventory.Seat, error) {
	rows, err := tx.Query(ctx, sqlSeatsByID, pgx.StrictNamedArgs{"event": e.ID, "seats": ids})
	if err != nil {
		return nil, err
	}
	return collectSeats(rows, make([]inventory.Seat, 0, len(ids)), e.Currency)
}
