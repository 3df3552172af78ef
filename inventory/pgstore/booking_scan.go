package pgstore

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"

	"holdfast/inventory"
	"holdfast/timezone"
)

// scanBooking reads bookingColumns.
func scanBooking(row pgx.CollectableRow) (b inventory.Booking, err error) {
	var pool, event, resource zeronull.Text
	var eventID *uuid.UUID
	var localFrom, localTo *time.Time
	var seats []byte
	err = row.Scan(&b.ID, &b.VenueID, &b.Pool.Venue, &pool, &event, &resource, &b.Name,
		&b.Day, &b.Quantity, &eventID,
		orNull(&b.During.From), orNull(&b.During.To), &localFrom, &localTo, (*zeronull.Text)(&b.Zone),
		&seats,
		&b.Buyer, &b.State, orNull(&b.ExpiresAt), orNull(&b.DoubtUntil), &b.Amount.Minor, &b.Amount.Currency,
		(*zeronull.Int8)(&b.ClientID), (*zeronull.Text)(&b.IdempotencyKey), &b.CreatedAt, &b.UpdatedAt, &b.Version)
	if err != nil {
		return b, err
	}
	venue := b.Pool.Venue
	switch {
	case eventID != nil:
		b.Kind, b.Pool = inventory.ClaimSeats, inventory.PoolRef{}
		b.EventID, b.Event = inventory.EventID{UUID: *eventID}, inventory.EventRef{Venue: venue, Event: string(event)}
		b.Seats, err = scanSeatsOfBooking(seats, b.Amount.Currency)
	case localFrom != nil && localTo != nil:
		b.Kind, b.Pool = inventory.ClaimRange, inventory.PoolRef{}
		b.Resource = inventory.ResourceRef{Venue: venue, Resource: string(resource)}
		b.LocalFrom, b.LocalTo = wallTime(*localFrom), wallTime(*localTo)
	default:
		b.Kind, b.Pool.Pool = inventory.ClaimPool, string(pool)
	}
	return b, err
}

// wallTime reads a timestamp without zone, which the driver gives as the
// instant whose UTC clock shows it.
func wallTime(face time.Time) timezone.WallTime {
	return timezone.WallTimeOf(face, timezone.UTC())
}

// wallArg writes a wall time as the text of a timestamp without zone.
func wallArg(w timezone.WallTime) string { return w.String() }

// scanSeatsOfBooking reads the seats that a booking claims or claimed, with the
// prices that it claimed them for.
func scanSeatsOfBooking(text []byte, currency inventory.Currency) ([]inventory.Seat, error) {
	if text == nil {
		return nil, nil
	}
	var rows [][9]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	seats := make([]inventory.Seat, len(rows))
	for i, row := range rows {
		s := &seats[i]
		s.Price.Currency = currency
		var id int64
		var owner *inventory.BookingID
		for at, into := range []any{&id, &s.Section, &s.Row, &s.Number, &s.Category, &s.Price.Minor, &s.State, &owner, &s.Version} {
			if err := json.Unmarshal(row[at], into); err != nil {
				return nil, err
			}
		}
		if s.ID = inventory.SeatID(id); owner != nil {
			s.BookingID = *owner
		}
	}
	return seats, nil
}
