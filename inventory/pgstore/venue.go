package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

// AddVenue stores a new venue. It fails with FieldErrors or ErrAlreadyExists.
func (s *Store) AddVenue(ctx context.Context, actor inventory.Actor, v inventory.Venue) (inventory.Venue, error) {
	if err := v.Validate(); err != nil {
		return inventory.Venue{}, err
	}
	err := s.inTx(ctx, "add venue "+v.Slug, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, ""); err != nil {
			return err
		}
		if _, err := s.agreedZone(ctx, tx, v.Zone); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlVenueInsert, venueArgs(v)) // the error comes with the rows
		stored, err := pgx.CollectExactlyOneRow(rows, scanVenue)
		v = stored
		return err
	})
	return v, err
}

// SetVenue replaces what staff may edit of the venue v.Slug, if it still has
// v.Version; otherwise nothing is saved and the error is a *StaleError.
// Changing the zone also moves the cut-off of every day that used the end of
// its local day. Future bookings and events with a time are not moved by the
// way: if the zone would move one, it is refused, and ChangeZone asks what stays.
func (s *Store) SetVenue(ctx context.Context, actor inventory.Actor, v inventory.Venue, reason string) (inventory.Venue, error) {
	if err := v.Validate(); err != nil {
		return inventory.Venue{}, err
	}
	var stored inventory.Venue
	err := s.inTx(ctx, "set venue "+v.Slug, beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, reason); err != nil {
			return err
		}
		before, err := lockVenue(ctx, tx, v.Slug)
		if err != nil {
			return err
		}
		if before.Version != v.Version {
			return stale(ctx, tx, "venue "+v.Slug, v.Version, before.Version)
		}
		v.ID = before.ID
		if v == before { // saving without changes is no edit
			stored = before
			return nil
		}
		if before.Currency != v.Currency {
			return inventory.Invalid("currency", "cannot change once the venue exists: prices and payments are in %s", before.Currency)
		}
		if before.Zone != v.Zone {
			zone, err := s.agreedZone(ctx, tx, v.Zone)
			if err != nil {
				return err
			}
			if _, err := s.rezone(ctx, tx, before, v.Zone, zone, "", zoneEdit{actor, reason}); err != nil {
				return err
			}
		}
		stored, err = updateVenue(ctx, tx, v)
		return err
	})
	return stored, err
}

// updateVenue stores what staff may edit of a venue, which this transaction has
// locked.
func updateVenue(ctx context.Context, tx pgx.Tx, v inventory.Venue) (inventory.Venue, error) {
	args := venueArgs(v)
	args["id"] = v.ID
	delete(args, "slug")
	delete(args, "currency")
	rows, _ := tx.Query(ctx, sqlVenueUpdate, args)
	return pgx.CollectExactlyOneRow(rows, scanVenue)
}

// Venue returns the venue with this slug, or ErrNotFound.
func (s *Store) Venue(ctx context.Context, slug string) (inventory.Venue, error) {
	var v inventory.Venue
	err := s.read(ctx, "read venue "+slug, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlVenueGet, pgx.StrictNamedArgs{"slug": slug})
		var err error
		v, err = pgx.CollectExactlyOneRow(rows, scanVenue)
		return err
	})
	return v, err
}

// Venues returns all venues by slug.
func (s *Store) Venues(ctx context.Context) ([]inventory.Venue, error) {
	var out []inventory.Venue
	err := s.read(ctx, "list venues", func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlVenueList)
		var err error
		out, err = pgx.CollectRows(rows, scanVenue)
		return err
	})
	return out, err
}

func lockVenue(ctx context.Context, tx pgx.Tx, slug string) (inventory.Venue, error) {
	rows, _ := tx.Query(ctx, sqlVenueLock, pgx.StrictNamedArgs{"slug": slug})
	return pgx.CollectExactlyOneRow(rows, scanVenue)
}

// zoneKnown refuses a zone that PostgreSQL does not know: both copies of the
// zone rules must agree that it exists.
func zoneKnown(ctx context.Context, tx pgx.Tx, zone string) error {
	var known bool
	if err := tx.QueryRow(ctx, sqlZoneKnown, pgx.StrictNamedArgs{"zone": zone}).Scan(&known); err != nil {
		return err
	}
	if !known {
		return inventory.Invalid("zone", "%s is not known to the database; its time zone rules are older than ours", zone)
	}
	return nil
}

// salesUntil is the default cut-off of a pool day: the end of the local day,
// which is where the next existing day begins.
func salesUntil(d date.Date, z timezone.Zone) time.Time {
	for next := d.Add(1); ; next = next.Add(1) {
		if start, ok := timezone.DayStart(next, z); ok {
			return start
		}
	}
}

func venueArgs(v inventory.Venue) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"slug": v.Slug, "name": v.Name, "zone": v.Zone, "currency": v.Currency,
		"hold_ttl": v.HoldTTL, "hold_jitter": v.HoldJitter, "hold_max_life": v.HoldMaxLife,
		"late_policy": v.LatePolicy, "late_deadline": v.LateDeadline, "doubt_after": v.DoubtAfter, "doubt_cap": v.DoubtCap,
	}
}

func scanVenue(row pgx.CollectableRow) (v inventory.Venue, err error) {
	err = row.Scan(&v.ID, &v.Slug, &v.Name, &v.Zone, &v.Currency, &v.HoldTTL, &v.HoldJitter, &v.HoldMaxLife,
		&v.LatePolicy, &v.LateDeadline, &v.DoubtAfter, &v.DoubtCap, &v.Version)
	return v, err
}

// stale says who was faster, from the audit.
func stale(ctx context.Context, tx pgx.Tx, object string, seen, current int) error {
	var by string
	err := tx.QueryRow(ctx, sqlAuditLastActor, pgx.StrictNamedArgs{"subject": object}).Scan(&by)
	if err != nil && !isNoRows(err) {
		return fmt.Errorf("who changed %s: %w", object, err)
	}
	return &inventory.StaleError{Object: object, Seen: seen, Current: current, By: by}
}
