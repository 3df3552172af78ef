package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

// AddEvent stores a new event and gives it an id. StartsAt is reckoned by the
// caller from Start, by the rules of the venue's zone; a zone that is not (or
// no longer) the venue's is refused. A zero SalesUntil is the start, a zero
// HoldTTL the default of events. A slug that is in use is ErrAlreadyExists.
func (s *Store) AddEvent(ctx context.Context, actor inventory.Actor, e inventory.Event) (inventory.Event, error) {
	e = inventory.EventEdit{SalesFrom: &e.SalesFrom, SalesUntil: &e.SalesUntil}.Apply(e)
	e.StartsAt = e.StartsAt.UTC()
	if e.HoldTTL == 0 {
		e.HoldTTL = inventory.DefaultEventHoldTTL
	}
	if err := e.Validate(); err != nil {
		return inventory.Event{}, err
	}
	err := s.inTx(ctx, "add event "+e.Ref.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, ""); err != nil {
			return err
		}
		// Locked: a change of the venue's zone also moves its events, and must not miss this one.
		venue, err := lockVenue(ctx, tx, e.Ref.Venue)
		if err != nil {
			return fmt.Errorf("venue %s: %w", e.Ref.Venue, err)
		}
		if e.Zone == "" {
			e.Zone = venue.Zone
		}
		if e.Zone != venue.Zone {
			return inventory.Invalid("zone", "the venue's is %s", venue.Zone)
		}
		if err := e.CheckStart(); err != nil {
			return err
		}
		e.ID, e.VenueID, e.Currency, e.Seats = inventory.NewEventID(), venue.ID, venue.Currency, inventory.SeatCounts{}
		return tx.QueryRow(ctx, sqlEventInsert, pgx.StrictNamedArgs{
			"id": e.ID, "venue": e.VenueID, "slug": e.Ref.Event, "name": e.Name,
			"local_start": wallArg(e.Start), "zone": e.Zone, "starts_at": e.StartsAt,
			"sales_from": orNull(&e.SalesFrom), "sales_until": e.SalesUntil, "stop_sell": e.StopSell, "hold_ttl": e.HoldTTL,
		}).Scan(&e.Version)
	})
	return e, err
}

// EditEvent changes an event that still has this version, else the error is a
// *StaleError; 0 does not check it. Saving without changes is no edit and makes
// no new version.
func (s *Store) EditEvent(ctx context.Context, actor inventory.Actor, ref inventory.EventRef, version int, edit inventory.EventEdit, reason string) (inventory.Event, error) {
	if err := optionalReason(reason); err != nil {
		return inventory.Event{}, err
	}
	var stored inventory.Event
	err := s.inTx(ctx, "edit event "+ref.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, reason); err != nil {
			return err
		}
		before, err := lockEvent(ctx, tx, ref)
		if err != nil {
			return err
		}
		if version != 0 && version != before.Version {
			return stale(ctx, tx, "event "+ref.String(), version, before.Version)
		}
		if stored = edit.Apply(before); stored.SameConfiguration(before) {
			return nil
		}
		if err := stored.Validate(); err != nil {
			return err
		}
		return tx.QueryRow(ctx, sqlEventUpdate, pgx.StrictNamedArgs{
			"id": stored.ID, "version": before.Version, "name": stored.Name, "sales_from": orNull(&stored.SalesFrom),
			"sales_until": stored.SalesUntil, "stop_sell": stored.StopSell, "hold_ttl": stored.HoldTTL,
		}).Scan(&stored.Version)
	})
	return stored, err
}

// Event returns an event with the counts of its seats, or ErrNotFound.
func (s *Store) Event(ctx context.Context, ref inventory.EventRef) (inventory.Event, error) {
	var e inventory.Event
	err := s.read(ctx, "read event "+ref.String(), func(ctx context.Context, tx pgx.Tx) error {
		var err error
		e, err = getEvent(ctx, tx, ref)
		return err
	})
	return e, err
}

// EventByID is Event by id.
func (s *Store) EventByID(ctx context.Context, id inventory.EventID) (inventory.Event, error) {
	var e inventory.Event
	err := s.read(ctx, "read event "+id.String(), func(ctx context.Context, tx pgx.Tx) error {
		var err error
		e, err = getEventByID(ctx, tx, id)
		return err
	})
	return e, err
}

// Events lists events by start, with the counts of their seats. A zero limit is
// 200, the largest 1000.
func (s *Store) Events(ctx context.Context, f inventory.EventFilter) ([]inventory.Event, error) {
	var out []inventory.Event
	err := s.read(ctx, "list events", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlEventList, pgx.StrictNamedArgs{
			"venue": textOrNull(f.Venue), "from": orNull(&f.From), "limit": bounded(f.Limit, 200, 1000),
		})
		var err error
		out, err = pgx.CollectRows(rows, scanEvent)
		return err
	})
	return out, err
}

// lockEvent locks an event's row and reads it in the next statement: what was
// waited for is seen. Sales do not lock it.
func lockEvent(ctx context.Context, tx pgx.Tx, ref inventory.EventRef) (inventory.Event, error) {
	var id inventory.EventID
	err := tx.QueryRow(ctx, sqlEventLock, pgx.StrictNamedArgs{"venue": ref.Venue, "event": ref.Event}).Scan(&id)
	if err != nil {
		return inventory.Event{}, fmt.Errorf("event %s: %w", ref, err)
	}
	return getEventByID(ctx, tx, id)
}

func getEvent(ctx context.Context, tx pgx.Tx, ref inventory.EventRef) (inventory.Event, error) {
	rows, _ := tx.Query(ctx, sqlEventGet, pgx.StrictNamedArgs{"venue": ref.Venue, "event": ref.Event})
	return pgx.CollectExactlyOneRow(rows, scanEvent)
}

func getEventByID(ctx context.Context, tx pgx.Tx, id inventory.EventID) (inventory.Event, error) {
	rows, _ := tx.Query(ctx, sqlEventGetByID, pgx.StrictNamedArgs{"id": id})
	return pgx.CollectExactlyOneRow(rows, scanEvent)
}

// scanEvent reads eventColumns.
func scanEvent(row pgx.CollectableRow) (e inventory.Event, err error) {
	var start time.Time
	err = row.Scan(&e.ID, &e.VenueID, &e.Ref.Venue, &e.Ref.Event, &e.Name, &start, &e.Zone, &e.StartsAt,
		orNull(&e.SalesFrom), &e.SalesUntil, &e.StopSell, &e.HoldTTL, &e.Currency, &e.Version,
		&e.Seats.Available, &e.Seats.Held, &e.Seats.Booked, &e.Seats.Killed)
	e.Start = wallTime(start)
	return e, err
}
