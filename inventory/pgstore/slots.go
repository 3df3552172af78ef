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

// Slots lists the slots of the local day with whether a hold could take each
// now: it has not begun, sales are not stopped, and neither its time nor the
// turnaround behind it runs into a live booking or the turnaround behind that.
// Overdue holds are no obstacle, since a hold would reclaim them. None on a day
// that is closed or does not exist; a resource without slots is a FieldError.
func (s *Store) Slots(ctx context.Context, ref inventory.ResourceRef, day date.Date) ([]inventory.Slot, error) {
	var slots []inventory.Slot
	err := s.read(ctx, "list slots of "+ref.String(), func(ctx context.Context, tx pgx.Tx) error {
		r, err := getResource(ctx, tx, ref)
		if err != nil {
			return err
		}
		if r.Slot == 0 {
			return inventory.Invalid("resource", "%s has no slots: any time within its hours can be taken", ref)
		}
		zone, err := zoneOfVenue(r.Ref.Venue, r.Zone)
		if err != nil {
			return err
		}
		ranges := r.SlotRanges(day, zone)
		if len(ranges) == 0 {
			return nil
		}
		now, err := s.clock(ctx, tx)
		if err != nil {
			return err
		}
		busy, err := busyTimes(ctx, tx, r, inventory.Range{From: ranges[0].From, To: ranges[len(ranges)-1].To}, now)
		for _, during := range ranges {
			slots = append(slots, judgeSlot(r, during, busy, now))
		}
		return err
	})
	return slots, err
}

// busyTime is a live booking with the time that it keeps others away.
type busyTime struct {
	id      inventory.BookingID
	during  inventory.Range
	blocked inventory.Range
}

// busyTimes finds what stands in the way of taking r within a range.
func busyTimes(ctx context.Context, tx pgx.Tx, r inventory.Resource, within inventory.Range, now time.Time) ([]busyTime, error) {
	rows, _ := tx.Query(ctx, sqlResourceBusy, pgx.StrictNamedArgs{
		"resource": r.ID, "from": within.From, "to": within.To.Add(r.Turnaround), "now": now,
	})
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (b busyTime, err error) {
		err = row.Scan(&b.id, &b.during.From, &b.during.To, &b.blocked.To)
		b.blocked.From = b.during.From
		return b, err
	})
}

func judgeSlot(r inventory.Resource, during inventory.Range, busy []busyTime, now time.Time) inventory.Slot {
	slot := inventory.Slot{Range: during, Free: r.Admit(during, now) == nil}
	wanted := inventory.Range{From: during.From, To: during.To.Add(r.Turnaround)}
	for _, b := range busy {
		if b.blocked.Overlaps(wanted) {
			slot.Free = false
		}
		if b.during.Overlaps(during) {
			slot.Booking = b.id
		}
	}
	return slot
}

// ResourceDays returns what happens on one local day at every resource of a
// venue, by name: when it is open, and the live bookings that overlap the day,
// overdue holds among them. ErrNotFound if there is no such venue.
func (s *Store) ResourceDays(ctx context.Context, venue string, day date.Date) ([]inventory.ResourceDay, error) {
	var out []inventory.ResourceDay
	err := s.read(ctx, "list what happens at "+venue, func(ctx context.Context, tx pgx.Tx) error {
		now, err := s.clock(ctx, tx)
		if err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlVenueGet, pgx.StrictNamedArgs{"slug": venue})
		v, err := pgx.CollectExactlyOneRow(rows, scanVenue)
		if err != nil {
			return fmt.Errorf("venue %s: %w", venue, err)
		}
		zone, err := zoneOfVenue(v.Slug, v.Zone)
		if err != nil {
			return err
		}
		resources, err := listResources(ctx, tx, venue, day.Add(-1))
		if err != nil {
			return err
		}
		bookings, err := bookingsOfDay(ctx, tx, resources, day, zone)
		for _, r := range resources {
			out = append(out, inventory.ResourceDay{
				Resource: r, Day: day, Open: r.OpenRanges(day, zone), Bookings: bookings[r.Ref], AsOf: now,
			})
		}
		return err
	})
	return out, err
}

func bookingsOfDay(ctx context.Context, tx pgx.Tx, resources []inventory.Resource, day date.Date, zone timezone.Zone) (map[inventory.ResourceRef][]inventory.Booking, error) {
	ids := make([]int64, len(resources))
	for i, r := range resources {
		ids[i] = r.ID
	}
	from, to := timezone.DayBounds(day, zone)
	if len(ids) == 0 || !from.Before(to) { // a day that does not exist has no bookings
		return nil, nil
	}
	rows, _ := tx.Query(ctx, sqlResourceBookings, pgx.StrictNamedArgs{"resources": ids, "from": from, "to": to})
	all, err := pgx.CollectRows(rows, scanBooking)
	of := make(map[inventory.ResourceRef][]inventory.Booking, len(resources))
	for _, b := range all {
		of[b.Resource] = append(of[b.Resource], b)
	}
	return of, err
}

// zoneOfVenue reads a venue's stored zone. One that is no longer known is an
// error: local time cannot be guessed.
func zoneOfVenue(venue, name string) (timezone.Zone, error) {
	zone, err := timezone.ParseZone(name)
	if err != nil {
		return zone, inventory.Invalid("zone", "of venue %s: %s", venue, err.Error())
	}
	return zone, nil
}
