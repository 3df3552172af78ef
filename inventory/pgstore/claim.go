package pgstore

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// errClaimMoved says that what had to be locked is not what was read before the
// lock: somebody was faster. The transaction is run again from the start.
var errClaimMoved = errors.New("the claim changed while its lock was waited for")

// lockClaim locks what a booking claims and then the booking: pool days, seats
// and resources before bookings, as everywhere.
func lockClaim(ctx context.Context, tx pgx.Tx, id inventory.BookingID) (inventory.Booking, error) {
	b, err := getBooking(ctx, tx, id)
	if err != nil {
		return b, err
	}
	if _, err := tx.Exec(ctx, sqlClaimLock[b.Kind], pgx.StrictNamedArgs{"id": id}); err != nil {
		return b, err
	}
	locked, err := lockBooking(ctx, tx, id)
	if err == nil && !sameClaim(b, locked) {
		err = errClaimMoved
	}
	return locked, err
}

// sameClaim reports whether two readings of a booking claim the same places.
func sameClaim(a, b inventory.Booking) bool {
	return a.Kind == b.Kind && a.Pool == b.Pool && a.Resource == b.Resource && a.Day == b.Day &&
		a.During.From.Equal(b.During.From) && a.During.To.Equal(b.During.To) &&
		slices.Equal(seatIDs(a.Seats), seatIDs(b.Seats))
}

func seatIDs(seats []inventory.Seat) []inventory.SeatID {
	ids := make([]inventory.SeatID, len(seats))
	for i, s := range seats {
		ids[i] = s.ID
	}
	return ids
}

// sqlClaimLock locks what a booking claims, by the kind of its claim.
var sqlClaimLock = map[inventory.ClaimKind]string{
	inventory.ClaimPool: `-- claim.lockDay
SELECT d.day
  FROM pool_day d
 WHERE (d.pool_id, d.day) = (SELECT b.pool_id, b.day FROM booking b WHERE b.id = @id)
   FOR NO KEY UPDATE -- not FOR UPDATE: bookings' foreign keys may share it`,
	inventory.ClaimSeats: `-- claim.lockSeats
SELECT s.id
  FROM seat s
 WHERE s.id IN (SELECT bs.seat_id FROM booking_seat bs WHERE bs.booking_id = @id)
 ORDER BY s.id -- the lock order of every transaction
   FOR NO KEY UPDATE`,
	inventory.ClaimRange: `-- claim.lockResource
SELECT r.id
  FROM resource r
 WHERE r.id = (SELECT b.resource_id FROM booking b WHERE b.id = @id)
   FOR NO KEY UPDATE`,
}
