package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
	"holdfast/timezone"
)

func resourceArgs(r inventory.Resource) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"name": r.Name, "slot": r.Slot, "turnaround": r.Turnaround, "min_stay": r.MinStay, "max_stay": r.MaxStay,
		"price": r.PricePerHour.Minor, "stop_sell": r.StopSell,
	}
}

// writeHours stores the weekdays whose hours change.
func writeHours(ctx context.Context, tx pgx.Tx, resource int64, before, after inventory.OpeningWeek) error {
	batch := &pgx.Batch{}
	for i, h := range after {
		switch {
		case h == before[i]:
		case h.Closed():
			batch.Queue(sqlHoursClear, pgx.StrictNamedArgs{"resource": resource, "weekday": i + 1})
		default:
			batch.Queue(sqlHoursSet, pgx.StrictNamedArgs{
				"resource": resource, "weekday": i + 1, "opens": minutes(h.Opens), "closes": minutes(h.Closes),
			})
		}
	}
	return tx.SendBatch(ctx, batch).Close()
}

// writeClosedDays closes and opens days, and says how many changed.
func writeClosedDays(ctx context.Context, tx pgx.Tx, resource int64, edit inventory.ResourceEdit, reason string) (changed int64, err error) {
	if len(edit.CloseDays) > 0 {
		tag, err := tx.Exec(ctx, sqlClosedDaysAdd, pgx.StrictNamedArgs{"resource": resource, "days": daysArg(edit.CloseDays), "reason": reason})
		if err != nil {
			return changed, err
		}
		changed += tag.RowsAffected()
	}
	if len(edit.OpenDays) > 0 {
		tag, err := tx.Exec(ctx, sqlClosedDaysRemove, pgx.StrictNamedArgs{"resource": resource, "days": daysArg(edit.OpenDays)})
		if err != nil {
			return changed, err
		}
		changed += tag.RowsAffected()
	}
	return changed, nil
}

// Hours are stored in minutes of the clock on the wall.
func minutes(t timezone.TimeOfDay) int { return int(time.Duration(t) / time.Minute) }

func ofMinutes(n int) timezone.TimeOfDay { return timezone.NewTimeOfDay(0, n) }

// scanResource reads resourceColumns.
func scanResource(row pgx.CollectableRow) (r inventory.Resource, err error) {
	var weekdays, opens, closes []int
	var closed []time.Time
	err = row.Scan(&r.ID, &r.VenueID, &r.Ref.Venue, &r.Ref.Resource, &r.Name, &r.Zone, &r.Slot, &r.Turnaround, &r.MinStay, &r.MaxStay,
		&r.PricePerHour.Minor, &r.PricePerHour.Currency, &r.StopSell, &r.Version, &weekdays, &opens, &closes, &closed)
	if err != nil {
		return r, err
	}
	if len(opens) != len(weekdays) || len(closes) != len(weekdays) {
		return r, fmt.Errorf("hours of resource %s: %d weekdays, %d openings, %d closings", r.Ref, len(weekdays), len(opens), len(closes))
	}
	for i, weekday := range weekdays {
		r.Week[weekday-1] = timezone.Hours{Opens: ofMinutes(opens[i]), Closes: ofMinutes(closes[i])}
	}
	for _, day := range closed {
		r.ClosedDays = append(r.ClosedDays, timezone.DayOf(day, timezone.UTC()))
	}
	return r, nil
}
