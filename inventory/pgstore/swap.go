package pgstore

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// SwapSeats exchanges the seats of two live bookings of one event, in one
// transaction. Each then costs what its new seats did; a paid booking only
// takes seats that cost the same (ErrPriceChanges).
func (s *Store) SwapSeats(ctx context.Context, a, b inventory.BookingID, actor inventory.Actor, reason string) (inventory.Booking, inventory.Booking, error) {
	if err := inventory.CheckReason(reason); err != nil {
		return inventory.Booking{}, inventory.Booking{}, err
	}
	if a == b {
		return inventory.Booking{}, inventory.Booking{}, inventory.Invalid("booking", "cannot be exchanged with itself")
	}
	err := s.inTx(ctx, "swap seats of "+a.String()+" and "+b.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		return s.swapSeats(ctx, tx, a, b, inventory.MoveRequest{Actor: actor, Reason: reason})
	})
	if err != nil {
		return inventory.Booking{}, inventory.Booking{}, err
	}
	first, err := s.Booking(ctx, a)
	if err != nil {
		return first, inventory.Booking{}, err
	}
	second, err := s.Booking(ctx, b)
	return first, second, err
}

func (s *Store) swapSeats(ctx context.Context, tx pgx.Tx, idA, idB inventory.BookingID, r inventory.MoveRequest) error {
	both, err := getBookings(ctx, tx, []inventory.BookingID{idA, idB})
	if err != nil {
		return err
	}
	if len(both) < 2 {
		return inventory.ErrNotFound
	}
	if both[idA].Kind != inventory.ClaimSeats || both[idA].EventID != both[idB].EventID {
		return inventory.Invalid("booking", "seats can only be exchanged between two bookings of one event")
	}
	seats := append(seatIDs(both[idA].Seats), seatIDs(both[idB].Seats)...)
	if err := s.lockSeatsAnd(ctx, tx, both[idA].EventID, nil, seats); err != nil {
		return err
	}
	ids := []inventory.BookingID{idA, idB}
	slices.SortFunc(ids, func(a, b inventory.BookingID) int { return slices.Compare(a.UUID[:], b.UUID[:]) })
	locked := map[inventory.BookingID]inventory.Booking{}
	for _, id := range ids { // bookings too are locked in the order of their ids
		if locked[id], err = s.lockMoving(ctx, tx, both[id], 0); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, sqlSwapSeats, pgx.StrictNamedArgs{"a": idA, "b": idB}); err != nil {
		return err
	}
	for _, id := range ids {
		b := locked[id]
		var price inventory.Minor
		var count int
		if err := tx.QueryRow(ctx, sqlSwapPrice, pgx.StrictNamedArgs{"id": id}).Scan(&price, &count); err != nil {
			return err
		}
		amount, err := s.newAmount(ctx, tx, b, price, false)
		if err != nil {
			return err
		}
		if err := s.writeMove(ctx, tx, sqlMoveSeatsDone, b, r, amount, pgx.StrictNamedArgs{"quantity": count}); err != nil {
			return err
		}
	}
	return nil
}

// A claim comes only out of the one that went, so that the unique index never
// sees two live claims of one seat.
const sqlSwapSeats = `-- swap.seats
WITH claims AS (
    DELETE FROM booking_seat
     WHERE booking_id IN (@a, @b)
    RETURNING booking_id, seat_id, price_minor
), owned AS (
    UPDATE seat s
       SET booking_id = other.id, version = s.version + 1,
           state = CASE other.state WHEN 'CONFIRMED' THEN 'BOOKED' ELSE 'HELD' END
      FROM claims, booking other
     WHERE s.id = claims.seat_id
       AND other.id IN (@a, @b) AND other.id <> claims.booking_id
)
INSERT INTO booking_seat (booking_id, seat_id, price_minor, live)
SELECT CASE booking_id WHEN @a THEN @b::uuid ELSE @a::uuid END, seat_id, price_minor, true
  FROM claims`

const sqlSwapPrice = `-- swap.price
SELECT coalesce(sum(price_minor), 0)::bigint, count(*)::int
  FROM booking_seat
 WHERE booking_id = @id`
