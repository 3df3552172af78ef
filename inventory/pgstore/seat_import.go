package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// ImportSeats adds seats to an event, all or none, and returns how many. They
// come behind the seats that are there, in their own order. A seat that is
// there already is ErrAlreadyExists, and the error names the first of them.
func (s *Store) ImportSeats(ctx context.Context, actor inventory.Actor, ref inventory.EventRef, seats []inventory.Seat) (int, error) {
	err := s.inTx(ctx, "import seats of "+ref.String(), beginJob, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, ""); err != nil {
			return err
		}
		event, err := lockEvent(ctx, tx, ref) // one import after the other
		if err != nil {
			return err
		}
		if err := inventory.CheckNewSeats(seats, event.Currency); err != nil {
			return err
		}
		if there := event.Seats.Total(); there+len(seats) > inventory.MaxSeatsPerEvent {
			return inventory.Invalid("seats", "the event has %d seats: %d more would pass the most there can be, %d",
				there, len(seats), inventory.MaxSeatsPerEvent)
		}
		args := newSeatArgs(event.ID, seats)
		if err := noneKnown(ctx, tx, args, seats); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, sqlSeatsInsert, args)
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(seats), nil
}

// noneKnown names the first of the seats that the event has already.
func noneKnown(ctx context.Context, tx pgx.Tx, args pgx.StrictNamedArgs, seats []inventory.Seat) error {
	var ordinal int
	err := tx.QueryRow(ctx, sqlSeatsFirstKnown, pgx.StrictNamedArgs{
		"event": args["event"], "sections": args["sections"], "rows": args["rows"], "numbers": args["numbers"],
	}).Scan(&ordinal)
	switch {
	case isNoRows(err):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%w: %w", inventory.ErrAlreadyExists, inventory.Invalid("seat "+seats[ordinal-1].Name(), "exists already"))
}

// newSeatArgs turns the seats into columns.
func newSeatArgs(event inventory.EventID, seats []inventory.Seat) pgx.StrictNamedArgs {
	sections, rows, categories := make([]string, len(seats)), make([]string, len(seats)), make([]string, len(seats))
	numbers, prices := make([]int32, len(seats)), make([]int64, len(seats))
	for i, s := range seats {
		sections[i], rows[i], categories[i] = s.Section, s.Row, s.Category
		numbers[i], prices[i] = int32(s.Number), int64(s.Price.Minor)
	}
	return pgx.StrictNamedArgs{
		"event": event, "sections": sections, "rows": rows, "numbers": numbers, "categories": categories, "prices": prices,
	}
}
