package pgstore

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// ArchiveBookings looks at the next limit bookings made longer ago than age
// and moves those to the archive that came to nothing that long ago, with their
// journal and seats. What was sold stays, and so does every booking that a
// payment was ever made for, or that has a message not delivered. looked = 0
// means that all old bookings have been looked at, or that somebody else is at
// it.
func (s *Store) ArchiveBookings(ctx context.Context, age time.Duration, limit int) (archived, looked int, err error) {
	err = s.inTx(ctx, "archive bookings", beginJob, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sqlArchiveBookings, pgx.StrictNamedArgs{
			"age": age.Microseconds(), "limit": limit, "now": s.now,
		}).Scan(&archived, &looked)
	})
	return archived, looked, err
}

// archivedBooking reads a booking of the archive, or fails with ErrNoRows.
func archivedBooking(ctx context.Context, tx pgx.Tx, id inventory.BookingID) (inventory.Booking, error) {
	rows, _ := tx.Query(ctx, sqlArchivedBooking, pgx.StrictNamedArgs{"id": id})
	b, err := pgx.CollectExactlyOneRow(rows, scanBooking)
	b.Archived, b.Payments = true, []inventory.Payment{} // none was ever made
	return b, err
}

// restoreBooking brings a booking back from the archive, with its journal and
// seats, because money came for it. false if the archive does not have it.
func restoreBooking(ctx context.Context, tx pgx.Tx, id inventory.BookingID) (restored bool, err error) {
	err = tx.QueryRow(ctx, sqlRestoreBooking, pgx.StrictNamedArgs{"id": id}).Scan(&restored)
	return restored, err
}

const sqlArchiveBookings = `-- archive.bookings
SELECT archived, looked
  FROM archive_bookings(coalesce(@now::timestamptz, statement_timestamp()) - @age::bigint * interval '1 microsecond', @limit)`

const sqlArchivedBooking = `-- archive.booking
SELECT ` + bookingColumnsBefore + `booking_seat_archive` + bookingColumnsAfter + `
  FROM booking_archive b` + bookingJoins + `
 WHERE b.id = @id`

const sqlRestoreBooking = `-- archive.restore
SELECT restore_booking(@id::uuid)`
