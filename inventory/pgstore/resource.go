package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

// AddResource stores a new resource with its opening hours and closed days. A
// zero MinStay or MaxStay is the default, the currency of the price must be the
// venue's. A slug that is in use is ErrAlreadyExists.
func (s *Store) AddResource(ctx context.Context, actor inventory.Actor, r inventory.Resource) (inventory.Resource, error) {
	if r.MinStay == 0 {
		r.MinStay = inventory.DefaultMinStay
	}
	if r.MaxStay == 0 {
		r.MaxStay = inventory.DefaultMaxStay
	}
	closed := inventory.ResourceEdit{CloseDays: r.ClosedDays}
	if err := errors.Join(r.Validate(), closed.CheckDays()); err != nil {
		return inventory.Resource{}, err
	}
	err := s.inTx(ctx, "add resource "+r.Ref.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, ""); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlVenueGet, pgx.StrictNamedArgs{"slug": r.Ref.Venue})
		venue, err := pgx.CollectExactlyOneRow(rows, scanVenue)
		if err != nil {
			return fmt.Errorf("venue %s: %w", r.Ref.Venue, err)
		}
		if r.PricePerHour.Currency == "" {
			r.PricePerHour.Currency = venue.Currency
		}
		if r.PricePerHour.Currency != venue.Currency {
			return inventory.Invalid("price_per_hour", "must be in the venue's currency, %s", venue.Currency)
		}
		args := resourceArgs(r)
		args["venue"], args["slug"] = venue.ID, r.Ref.Resource
		if err := tx.QueryRow(ctx, sqlResourceInsert, args).Scan(&r.ID, &r.Version); err != nil {
			return err
		}
		if err := writeHours(ctx, tx, r.ID, inventory.OpeningWeek{}, r.Week); err != nil {
			return err
		}
		if _, err := writeClosedDays(ctx, tx, r.ID, closed, ""); err != nil {
			return err
		}
		r, err = s.resourceNow(ctx, tx, r.Ref)
		return err
	})
	if err != nil {
		return inventory.Resource{}, err
	}
	return r, nil
}

// EditResource changes a resource that still has this version, else the error
// is a *StaleError; 0 does not check it. Bookings that exist stay as they are,
// with the turnaround that they were made with. Saving without changes, which
// closing a closed day is too, is no edit and makes no new version.
func (s *Store) EditResource(ctx context.Context, actor inventory.Actor, ref inventory.ResourceRef, version int, edit inventory.ResourceEdit, reason string) (inventory.Resource, error) {
	if err := errors.Join(optionalReason(reason), edit.CheckDays()); err != nil {
		return inventory.Resource{}, err
	}
	var stored inventory.Resource
	err := s.inTx(ctx, "edit resource "+ref.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, reason); err != nil {
			return err
		}
		before, err := lockResource(ctx, tx, ref)
		if err != nil {
			return err
		}
		if version != 0 && version != before.Version {
			return stale(ctx, tx, "resource "+ref.String(), version, before.Version)
		}
		if err := s.writeResource(ctx, tx, before, edit, reason); err != nil {
			return err
		}
		stored, err = s.resourceNow(ctx, tx, ref)
		return err
	})
	return stored, err
}

// writeResource makes an edit of the locked resource.
func (s *Store) writeResource(ctx context.Context, tx pgx.Tx, before inventory.Resource, edit inventory.ResourceEdit, reason string) error {
	after := edit.Apply(before)
	if !after.SameSettings(before) {
		if err := after.Validate(); err != nil {
			return err
		}
	}
	if err := writeHours(ctx, tx, before.ID, before.Week, after.Week); err != nil {
		return err
	}
	days, err := writeClosedDays(ctx, tx, before.ID, edit, reason)
	if err != nil || days == 0 && after.SameSettings(before) {
		return err
	}
	args := resourceArgs(after)
	args["id"], args["version"] = before.ID, before.Version
	return tx.QueryRow(ctx, sqlResourceUpdate, args).Scan(&after.Version)
}

// Resource returns a resource with its hours and closed days, or ErrNotFound.
func (s *Store) Resource(ctx context.Context, ref inventory.ResourceRef) (inventory.Resource, error) {
	var r inventory.Resource
	err := s.read(ctx, "read resource "+ref.String(), func(ctx context.Context, tx pgx.Tx) error {
		var err error
		r, err = s.resourceNow(ctx, tx, ref)
		return err
	})
	return r, err
}

// Resources lists the resources of a venue, or of all for "", by venue and name.
func (s *Store) Resources(ctx context.Context, venue string) ([]inventory.Resource, error) {
	var out []inventory.Resource
	err := s.read(ctx, "list resources", func(ctx context.Context, tx pgx.Tx) error {
		now, err := s.clock(ctx, tx)
		if err != nil {
			return err
		}
		out, err = listResources(ctx, tx, venue, timezone.DayOf(now, timezone.UTC()).Add(-2))
		for i := range out {
			forgetPast(&out[i], now)
		}
		return err
	})
	return out, err
}

// resourceNow reads a resource as people see it today, without the closed days
// that are over.
func (s *Store) resourceNow(ctx context.Context, tx pgx.Tx, ref inventory.ResourceRef) (inventory.Resource, error) {
	r, err := getResource(ctx, tx, ref)
	if err != nil {
		return r, err
	}
	now, err := s.clock(ctx, tx)
	forgetPast(&r, now)
	return r, err
}

// forgetPast leaves out the closed days before the venue's yesterday, whose hours
// may still reach into today. A venue whose zone is not known keeps them all.
func forgetPast(r *inventory.Resource, now time.Time) {
	zone, err := timezone.ParseZone(r.Zone)
	if err != nil {
		return
	}
	yesterday := timezone.DayOf(now, zone).Add(-1)
	for len(r.ClosedDays) > 0 && r.ClosedDays[0].Before(yesterday) {
		r.ClosedDays = r.ClosedDays[1:]
	}
}

// getResource reads a resource with all the closed days that it ever had.
func getResource(ctx context.Context, tx pgx.Tx, ref inventory.ResourceRef) (inventory.Resource, error) {
	rows, _ := tx.Query(ctx, sqlResourceGet, pgx.StrictNamedArgs{"venue": ref.Venue, "resource": ref.Resource, "since": zeronull.Text("")})
	return pgx.CollectExactlyOneRow(rows, scanResource)
}

// lockResource locks a resource's row and reads it in the next statement: what
// was waited for is seen.
func lockResource(ctx context.Context, tx pgx.Tx, ref inventory.ResourceRef) (inventory.Resource, error) {
	var id int64
	err := tx.QueryRow(ctx, sqlResourceLock, pgx.StrictNamedArgs{"venue": ref.Venue, "resource": ref.Resource}).Scan(&id)
	if err != nil {
		return inventory.Resource{}, fmt.Errorf("resource %s: %w", ref, err)
	}
	return getResource(ctx, tx, ref)
}

// listResources reads the resources of a venue, or of all for "", with their
// closed days since a day.
func listResources(ctx context.Context, tx pgx.Tx, venue string, since date.Date) ([]inventory.Resource, error) {
	rows, _ := tx.Query(ctx, sqlResourceList, pgx.StrictNamedArgs{"venue": textOrNull(venue), "since": since.String()})
	return pgx.CollectRows(rows, scanResource)
}
