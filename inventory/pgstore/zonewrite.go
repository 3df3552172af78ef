package pgstore

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

// refuse says why the local times cannot all be kept: the first that clocks
// skip or show twice, and what would come to lie on something else.
func (t zoneTimes) refuse() error {
	var first *timezone.WallTimeError
	var name string
	var at time.Time
	problems := 0
	see := func(w wallInstant, of string) {
		if w.problem == nil {
			return
		}
		if problems++; first == nil || w.stored.Before(at) {
			first, name, at = w.problem, of, w.stored
		}
	}
	for _, r := range t.ranges {
		if !r.over {
			see(r.from, r.booking.Name)
			see(r.to, r.booking.Name)
		}
	}
	for _, e := range t.events {
		see(e.start, e.event.Name)
	}
	if first != nil {
		return fmt.Errorf("%w: %w", inventory.Invalid("zone", "%d local times cannot be kept; the first, of %s: %s", problems, name, first), first)
	}
	for _, e := range t.events {
		if until := e.salesUntil(e.start.would); !e.event.SalesFrom.IsZero() && !e.event.SalesFrom.Before(until) {
			return inventory.Invalid("zone", "the sales of %s would end before they begin", e.event.Name)
		}
	}
	return t.refuseOverlaps()
}

// refuseOverlaps finds bookings whose kept local times are no range, or overlap
// by the other rules, turnaround included.
func (t zoneTimes) refuseOverlaps() error {
	kept := slices.Clone(t.ranges)
	slices.SortFunc(kept, func(a, b rangeTime) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), a.during(inventory.KeepLocal).From.Compare(b.during(inventory.KeepLocal).From))
	})
	for i, r := range kept {
		during := r.during(inventory.KeepLocal)
		if !during.From.Before(during.To) {
			return inventory.Invalid("zone", "%s from %s to %s would end before it begins", r.booking.Name, r.from.local, r.to.local)
		}
		if i == 0 || kept[i-1].resource != r.resource {
			continue
		}
		if before := kept[i-1]; before.blocked(inventory.KeepLocal).To.After(during.From) {
			return fmt.Errorf("%w: %w", inventory.Invalid("zone", "bookings of %s from %s and from %s would overlap", r.booking.Name, before.from.local, r.from.local), inventory.ErrRangeTaken)
		}
	}
	return nil
}

// during is when a booking lies with what is kept.
func (r rangeTime) during(keep inventory.ZoneKeep) inventory.Range {
	if r.over || keep == inventory.KeepInstant {
		return inventory.Range{From: r.from.stored, To: r.to.stored}
	}
	return inventory.Range{From: r.from.would, To: r.to.would}
}

// blocked is during with the turnaround that the booking was made with.
func (r rangeTime) blocked(keep inventory.ZoneKeep) inventory.Range {
	during := r.during(keep)
	return inventory.Range{From: during.From, To: during.To.Add(r.turnaround)}
}

// salesUntil is the cut-off of an event that starts at another time: the start,
// if it was the start.
func (e eventTime) salesUntil(start time.Time) time.Time {
	if e.event.SalesUntil.Equal(e.event.StartsAt) {
		return start
	}
	return e.event.SalesUntil
}

// queueDays moves the ends of days to those of the zone's.
func (t zoneTimes) queueDays(batch *pgx.Batch) {
	var pools []int64
	var days []date.Date
	var untils []time.Time
	for _, d := range t.days {
		if !d.would.Equal(d.stored) {
			pools, days, untils = append(pools, d.pool), append(days, d.day), append(untils, d.would)
		}
	}
	if len(pools) > 0 {
		batch.Queue(sqlRezoneDaysSet, pgx.StrictNamedArgs{"pools": pools, "days": daysArg(days), "untils": untils})
	}
}

func (t zoneTimes) queueEvents(batch *pgx.Batch, keep inventory.ZoneKeep) {
	for _, e := range t.events {
		local, starts := e.start.local, e.start.would
		if keep == inventory.KeepInstant {
			local, starts = timezone.WallTimeOf(e.start.stored, t.zone), e.start.stored
		}
		if local == e.start.local && starts.Equal(e.start.stored) && e.event.Zone == t.name {
			continue
		}
		batch.Queue(sqlRezoneEventSet, pgx.StrictNamedArgs{
			"id": e.event.ID, "version": e.event.Version, "local": wallArg(local), "zone": t.name,
			"starts_at": starts, "sales_until": e.salesUntil(starts),
		}).Exec(wrote("event " + e.event.Name))
	}
}

// queueRanges writes the bookings in an order in which each finds its new time
// free, since the exclusion constraint looks at every row as it is written.
func (t zoneTimes) queueRanges(batch *pgx.Batch, keep inventory.ZoneKeep, edit zoneEdit) error {
	for _, r := range inFreeOrder(t.ranges, keep) {
		b, during := r.booking, r.during(keep)
		local := inventory.LocalRange{From: r.from.local, To: r.to.local}
		if keep == inventory.KeepInstant {
			local = inventory.LocalRange{From: timezone.WallTimeOf(during.From, t.zone), To: timezone.WallTimeOf(during.To, t.zone)}
		}
		cause := inventory.CauseMoved
		if local.From == b.LocalFrom && local.To == b.LocalTo && during.From.Equal(b.During.From) && during.To.Equal(b.During.To) {
			cause = inventory.CauseZone
		}
		if r.over || cause == inventory.CauseZone && b.Zone == t.name {
			continue
		}
		note, err := noteOfMove(b)
		if err != nil {
			return err
		}
		batch.Queue(sqlRezoneRangeSet, pgx.StrictNamedArgs{
			"id": b.ID, "version": b.Version, "from": during.From, "to": during.To, "blocked_to": r.blocked(keep).To,
			"local_from": wallArg(local.From), "local_to": wallArg(local.To), "zone": t.name,
			"cause": cause, "actor": edit.actor.String(), "reason": edit.reason, "data": note, "now": t.now,
		}).Exec(wrote("booking " + b.ID.String()))
	}
	return nil
}

// wrote makes sure that a row was still as it was read.
func wrote(object string) func(pgconn.CommandTag) error {
	return func(tag pgconn.CommandTag) error {
		if tag.RowsAffected() != 1 {
			return fmt.Errorf("%s was changed meanwhile: %w", object, inventory.ErrStale)
		}
		return nil
	}
}

// inFreeOrder puts ranges, which are sorted by resource and start, in an order
// in which no new time overlaps the old time of a later one: who lies in the way
// moves first. There is such an order when a move keeps who comes before whom,
// as every kept wall time does: a chain of ranges that wait for each other goes
// one way in time and so never comes back to its start. For rows that are not
// so, the constraint refuses the change as a whole.
func inFreeOrder(ranges []rangeTime, keep inventory.ZoneKeep) []rangeTime {
	placed := make([]bool, len(ranges))
	ordered := make([]rangeTime, 0, len(ranges))
	var place func(i int)
	place = func(i int) {
		if placed[i] {
			return
		}
		placed[i] = true
		wanted := ranges[i].blocked(keep)
		for k := firstInWay(ranges, ranges[i].resource, wanted.From); k < len(ranges) && ranges[k].resource == ranges[i].resource; k++ {
			if !ranges[k].blocked(inventory.KeepInstant).Overlaps(wanted) {
				break
			}
			place(k)
		}
		ordered = append(ordered, ranges[i])
	}
	for i := range ranges {
		place(i)
	}
	return ordered
}

// firstInWay is the first range of a resource whose old time ends after from.
func firstInWay(ranges []rangeTime, resource int64, from time.Time) int {
	at, _ := slices.BinarySearchFunc(ranges, from, func(r rangeTime, from time.Time) int {
		if order := cmp.Compare(r.resource, resource); order != 0 {
			return order
		}
		if r.blocked(inventory.KeepInstant).To.After(from) {
			return 1
		}
		return -1
	})
	return at
}
