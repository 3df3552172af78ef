package pgstore

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// SeatMap returns all seats of an event in the order of the hall, with the
// event, as they stood at one instant: one snapshot of the database.
func (s *Store) SeatMap(ctx context.Context, id inventory.EventID) (inventory.SeatMap, error) {
	var m inventory.SeatMap
	err := s.read(ctx, "read the seats of event "+id.String(), func(ctx context.Context, tx pgx.Tx) error {
		var err error
		if m.Event, err = getEventByID(ctx, tx, id); err != nil {
			return err
		}
		if m.Seats, err = seatsOfEvent(ctx, tx, m.Event); err != nil {
			return err
		}
		m.AsOf, err = s.clock(ctx, tx)
		return err
	})
	return m, err
}

// SeatMapMark looks whether a map that was read before is still true, at a small
// part of what reading it costs. A seat that began to contradict its booking
// without being touched itself is not noticed.
func (s *Store) SeatMapMark(ctx context.Context, id inventory.EventID) (inventory.SeatMapMark, error) {
	var m inventory.SeatMapMark
	err := s.read(ctx, "look at the seats of event "+id.String(), func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, sqlSeatMapMark, pgx.StrictNamedArgs{"event": id, "now": s.now}).Scan(&m.Text, &m.AsOf)
		if isNoRows(err) {
			return inventory.ErrNotFound
		}
		return err
	})
	return m, err
}

// Whoever changes a seat leaves the number of the transaction in it, which is
// larger than all before: the sum tells, whatever was changed.
const sqlSeatMapMark = `-- seats.mark
SELECT e.version || ' ' || count(s.id) || ' ' || coalesce(sum(s.xmin::text::bigint), 0), coalesce(@now::timestamptz, statement_timestamp())
  FROM event e
  LEFT JOIN seat s ON s.event_id = e.id
 WHERE e.id = @event
 GROUP BY e.id`

// SeatsByName looks up seats of an event as people write them, in the order of
// names: "PARKETT D-07", "D-07" if only one section has it, or the id. The
// errors are those of inventory.FindSeats.
func (s *Store) SeatsByName(ctx context.Context, event inventory.EventID, names []string) ([]inventory.Seat, error) {
	m, err := s.SeatMap(ctx, event)
	if err != nil {
		return nil, err
	}
	return inventory.FindSeats(m.Seats, names)
}

// seatsOfEvent reads all seats of an event in the order of the hall.
func seatsOfEvent(ctx context.Context, tx pgx.Tx, e inventory.Event) ([]inventory.Seat, error) {
	rows, err := tx.Query(ctx, sqlSeatsOfEvent, pgx.StrictNamedArgs{"event": e.ID})
	if err != nil {
		return nil, err
	}
	return collectSeats(rows, make([]inventory.Seat, 0, e.Seats.Total()), e.Currency)
}

// collectSeats reads seatColumns. Words that many seats share are kept once.
func collectSeats(rows pgx.Rows, seats []inventory.Seat, currency inventory.Currency) ([]inventory.Seat, error) {
	var s inventory.Seat
	var booking *uuid.UUID
	words := make(map[string]string)
	once := func(word *string) {
		kept, known := words[*word]
		if !known {
			kept = *word
			words[kept] = kept
		}
		*word = kept
	}
	_, err := pgx.ForEachRow(rows, []any{
		&s.ID, &s.Section, &s.Row, &s.Number, &s.Category, &s.Price.Minor, &s.State, &booking, &s.KillReason, &s.Version, &s.NeedsRepair,
	}, func() error {
		s.Price.Currency, s.BookingID = currency, inventory.BookingID{}
		if booking != nil {
			s.BookingID.UUID = *booking
		}
		for _, word := range []*string{&s.Section, &s.Row, &s.Category, (*string)(&s.State), &s.KillReason} {
			once(word)
		}
		seats = append(seats, s)
		return nil
	})
	return seats, err
}
