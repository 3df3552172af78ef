package pgstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

// maxDays bounds one list and one edit of pool days.
const maxDays = 1000

// Days returns the days of a pool that exist from r.From to r.To, in order.
func (s *Store) Days(ctx context.Context, ref inventory.PoolRef, r inventory.DayRange) ([]inventory.PoolDay, error) {
	if r.To.Before(r.From) {
		return nil, inventory.Invalid("to", "is before from")
	}
	if r.To.Sub(r.From) >= maxDays {
		return nil, inventory.Invalid("to", "is more than %d days after from", maxDays)
	}
	var out []inventory.PoolDay
	err := s.read(ctx, "list days of "+ref.String(), func(ctx context.Context, tx pgx.Tx) error {
		pool, err := getPool(ctx, tx, sqlPoolGet, ref)
		if err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlDayList, pgx.StrictNamedArgs{"pool": pool.ID, "from": r.From.String(), "to": r.To.String()})
		out, err = pgx.CollectRows(rows, scanDay)
		return err
	})
	return out, err
}

// PlanDays says what edit would make of days, and saves nothing. Days that the
// pool does not have yet are planned from its weekly template; days that the
// venue's zone never had, and counts out of bounds, become Problems.
func (s *Store) PlanDays(ctx context.Context, ref inventory.PoolRef, days []date.Date, edit inventory.DayEdit) (inventory.DayPlan, error) {
	if len(days) == 0 {
		return inventory.DayPlan{}, inventory.Invalid("days", "name at least one day")
	}
	if len(days) > maxDays {
		return inventory.DayPlan{}, inventory.Invalid("days", "are more than %d", maxDays)
	}
	plan := inventory.DayPlan{Edit: edit}
	err := s.read(ctx, "plan days of "+ref.String(), func(ctx context.Context, tx pgx.Tx) error {
		pool, zone, err := poolAndZone(ctx, tx, ref)
		if err != nil {
			return err
		}
		plan.Pool = pool
		if err := tx.QueryRow(ctx, sqlNow, pgx.StrictNamedArgs{"now": s.now}).Scan(&plan.AsOf); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, sqlDayPick, pgx.StrictNamedArgs{"pool": pool.ID, "days": daysArg(days)})
		existing, err := pgx.CollectRows(rows, scanDay)
		if err != nil {
			return err
		}
		stored := make(map[date.Date]inventory.PoolDay, len(existing))
		for _, d := range existing {
			stored[d.Day] = d
		}
		for _, day := range days {
			planDay(&plan, day, stored, zone)
		}
		return nil
	})
	return plan, err
}

func planDay(plan *inventory.DayPlan, day date.Date, stored map[date.Date]inventory.PoolDay, zone timezone.Zone) {
	before, exists := stored[day]
	if !exists {
		if _, ok := timezone.DayStart(day, zone); !ok {
			plan.Problems = append(plan.Problems, inventory.Invalid("days", "%s does not exist in %s", day, zone.Name()))
			return
		}
		before = newDay(plan.Pool, day, zone)
	}
	change, err := plan.Edit.Plan(before)
	if err != nil {
		plan.Problems = append(plan.Problems, fmt.Errorf("%s: %w", day, err))
		return
	}
	change.Missing = !exists
	plan.Changes = append(plan.Changes, change)
}

// newDay is what the weekly template makes of a day that does not exist yet.
func newDay(p inventory.Pool, day date.Date, zone timezone.Zone) inventory.PoolDay {
	t := p.Week.For(day)
	return inventory.PoolDay{
		PoolID: p.ID, Day: day, Capacity: t.Capacity, OverbookLimit: t.OverbookLimit, StopSell: t.Closed,
		SalesUntil: salesUntil(day, zone),
	}
}

// SaveDays saves a plan all or nothing. If a day was edited since the plan was
// made, nothing is saved and the error is *StaleDays with what stands now.
// Lines that change nothing are left alone and keep their version; a plan
// without changes saves no change set and returns one with ID 0.
func (s *Store) SaveDays(ctx context.Context, actor inventory.Actor, plan inventory.DayPlan, reason string) (inventory.ChangeSet, error) {
	if err := errors.Join(plan.Problems...); err != nil {
		return inventory.ChangeSet{}, err
	}
	if reason != "" {
		if err := inventory.CheckReason(reason); err != nil {
			return inventory.ChangeSet{}, err
		}
	}
	var set inventory.ChangeSet
	err := s.inTx(ctx, "save days of "+plan.Pool.Ref.String(), beginWrite, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, reason); err != nil {
			return err
		}
		var err error
		set, err = s.saveDays(ctx, tx, actor, plan, reason, 0)
		return err
	})
	return set, err
}

// saveDays compares versions under the days' locks and writes the change set.
func (s *Store) saveDays(ctx context.Context, tx pgx.Tx, actor inventory.Actor, plan inventory.DayPlan, reason string, undoes int64) (inventory.ChangeSet, error) {
	days := make([]date.Date, len(plan.Changes))
	for i, c := range plan.Changes {
		days[i] = c.Before.Day
	}
	stored, err := lockDays(ctx, tx, plan.Pool.ID, days)
	if err != nil {
		return inventory.ChangeSet{}, err
	}
	var stale inventory.StaleDays
	var changes []inventory.DayChange
	for _, c := range plan.Changes {
		now, exists := stored[c.Before.Day]
		if exists == c.Missing || exists && moved(now, c.Before, undoes != 0) {
			stale.Days = append(stale.Days, inventory.StaleDay{Seen: c.Before, Now: now})
			continue
		}
		if c.Changes() {
			changes = append(changes, c)
		}
	}
	if len(stale.Days) > 0 {
		return inventory.ChangeSet{}, &stale
	}
	set := inventory.ChangeSet{Pool: plan.Pool.Ref, Actor: actor.String(), Reason: reason, Undoes: undoes, Changes: changes}
	if len(changes) == 0 {
		return set, nil
	}
	err = tx.QueryRow(ctx, sqlChangeSetInsert, pgx.StrictNamedArgs{
		"pool": plan.Pool.ID, "actor": set.Actor, "reason": reason, "undoes": numberOrNull(undoes),
	}).Scan(&set.ID, &set.At)
	if err != nil {
		return set, err
	}
	for i := range changes {
		if c := &changes[i]; c.Missing {
			zone, err := keepZone(ctx, tx, plan.Pool.ID)
			if err != nil {
				return set, err
			}
			c.After.SalesUntil = salesUntil(c.After.Day, zone)
		}
		if err := saveDay(ctx, tx, set.ID, &changes[i]); err != nil {
			return set, err
		}
	}
	return set, nil
}

// moved reports that a day is not as it was seen. An edit asks for the version
// it was made on. An undo asks for the figures it left: later edits that were
// taken back themselves have raised the version and changed nothing, so that
// undo after undo walks back.
func moved(now, seen inventory.PoolDay, undo bool) bool {
	if undo {
		return now.Capacity != seen.Capacity || now.OverbookLimit != seen.OverbookLimit || now.StopSell != seen.StopSell
	}
	return now.Version != seen.Version
}

func saveDay(ctx context.Context, tx pgx.Tx, set int64, c *inventory.DayChange) error {
	args := pgx.StrictNamedArgs{
		"pool": c.After.PoolID, "day": c.After.Day.String(), "capacity": c.After.Capacity,
		"overbook": c.After.OverbookLimit, "stop_sell": c.After.StopSell,
	}
	sql := sqlDayUpdate
	if c.Missing {
		sql, args["until"] = sqlDayMake, c.After.SalesUntil
	}
	if err := tx.QueryRow(ctx, sql, args).Scan(&c.After.Version); err != nil {
		return fmt.Errorf("day %s: %w", c.After.Day, err)
	}
	_, err := tx.Exec(ctx, sqlChangeSetDayInsert, pgx.StrictNamedArgs{
		"set": set, "day": c.After.Day.String(), "made": c.Missing, "version": c.After.Version,
		"before": dayFigures(c.Before), "after": dayFigures(c.After),
	})
	return err
}

// dayFigures is what a change set keeps of a day.
func dayFigures(d inventory.PoolDay) map[string]any {
	return map[string]any{"capacity": d.Capacity, "overbook_limit": d.OverbookLimit, "stop_sell": d.StopSell}
}

// lockDays locks days in the order that every transaction uses.
func lockDays(ctx context.Context, tx pgx.Tx, pool int64, days []date.Date) (map[date.Date]inventory.PoolDay, error) {
	rows, _ := tx.Query(ctx, sqlDayLockMany, pgx.StrictNamedArgs{"pool": pool, "days": daysArg(days)})
	if _, err := pgx.CollectRows(rows, pgx.RowTo[time.Time]); err != nil {
		return nil, err
	}
	rows, _ = tx.Query(ctx, sqlDayPick, pgx.StrictNamedArgs{"pool": pool, "days": daysArg(days)})
	list, err := pgx.CollectRows(rows, scanDay)
	if err != nil {
		return nil, err
	}
	out := make(map[date.Date]inventory.PoolDay, len(list))
	for _, d := range list {
		out[d.Day] = d
	}
	return out, nil
}

// poolAndZone returns a pool with its venue's zone. A stored zone that is no
// longer known is an error: the local day cannot be guessed.
func poolAndZone(ctx context.Context, tx pgx.Tx, ref inventory.PoolRef) (inventory.Pool, timezone.Zone, error) {
	pool, err := getPool(ctx, tx, sqlPoolGet, ref)
	if err != nil {
		return pool, timezone.Zone{}, err
	}
	rows, _ := tx.Query(ctx, sqlVenueGet, pgx.StrictNamedArgs{"slug": ref.Venue})
	venue, err := pgx.CollectExactlyOneRow(rows, scanVenue)
	if err != nil {
		return pool, timezone.Zone{}, err
	}
	zone, err := timezone.ParseZone(venue.Zone)
	if err != nil {
		return pool, zone, inventory.Invalid("zone", "of venue %s: %s", venue.Slug, err.Error())
	}
	return pool, zone, nil
}

func scanDay(row pgx.CollectableRow) (d inventory.PoolDay, err error) {
	err = row.Scan(&d.PoolID, &d.Day, &d.Capacity, &d.OverbookLimit, &d.Taken, &d.StopSell,
		orNull(&d.SalesFrom), &d.SalesUntil, &d.Version, &d.Held, &d.EditedBy, orNull(&d.EditedAt))
	return d, err
}
