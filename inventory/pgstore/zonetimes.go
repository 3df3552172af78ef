package pgstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

// zoneTimes is a venue's future as it is stored and as the rules of a zone would
// have it: local times and the instants that were reckoned from them.
type zoneTimes struct {
	zone   timezone.Zone
	name   string // of the zone, as the venue has it
	now    time.Time
	ranges []rangeTime // by resource and start; those that are over stay as they are
	events []eventTime
	days   []dayTime
}

// wallInstant is an instant with the wall time that it was reckoned from.
type wallInstant struct {
	local   timezone.WallTime
	stored  time.Time
	would   time.Time               // by the other rules; zero with a problem
	problem *timezone.WallTimeError // the wall time names no single instant by the other rules
}

// reckon asks the rules of zone for a stored wall time. Of a doubled one that
// is stored as either of its instants, nothing moves.
func reckon(local timezone.WallTime, stored time.Time, zone timezone.Zone) wallInstant {
	w := wallInstant{local: local, stored: stored}
	var choice *timezone.WallTimeError
	would, err := timezone.InstantOf(local, zone)
	switch {
	case !errors.As(err, &choice):
		w.would = would
	case !choice.Missing && (stored.Equal(choice.Earlier) || stored.Equal(choice.Later)):
		w.would = stored
	default:
		w.problem = choice
	}
	return w
}

func (w wallInstant) moves() bool { return w.problem != nil || !w.would.Equal(w.stored) }

// rangeTime is a live booking of a range. Of the booking only what a change of
// its times needs is read.
type rangeTime struct {
	booking    inventory.Booking
	resource   int64
	turnaround time.Duration // as the booking has it
	from, to   wallInstant
	over       bool
}

func (r rangeTime) moves() bool { return !r.over && (r.from.moves() || r.to.moves()) }

// moved is the end that a preview tells about: one with a problem, if there is
// one.
func (r rangeTime) moved() wallInstant {
	if r.from.problem != nil || r.from.moves() && r.to.problem == nil {
		return r.from
	}
	return r.to
}

type eventTime struct {
	event    inventory.Event
	start    wallInstant
	bookings int // live ones
}

// dayTime is the end of a pool day's sales, where that is the end of the local
// day.
type dayTime struct {
	pool   int64
	name   string
	day    date.Date
	stored time.Time
	would  time.Time
}

// readTimes reads the future of a venue with what the rules of zone say to it.
func (s *Store) readTimes(ctx context.Context, tx pgx.Tx, venue inventory.Venue, zone timezone.Zone) (zoneTimes, error) {
	t := zoneTimes{zone: zone}
	var err error
	if t.now, err = s.clock(ctx, tx); err != nil {
		return t, err
	}
	args := pgx.StrictNamedArgs{"venue": venue.ID, "now": t.now}
	rows, _ := tx.Query(ctx, sqlRezoneRanges, args)
	if t.ranges, err = pgx.CollectRows(rows, t.scanRange); err != nil {
		return t, err
	}
	rows, _ = tx.Query(ctx, sqlRezoneEvents, args)
	if t.events, err = pgx.CollectRows(rows, t.scanEvent); err != nil {
		return t, err
	}
	rows, _ = tx.Query(ctx, sqlRezoneDays, pgx.StrictNamedArgs{"venue": venue.ID, "since": lastOpenDay(t.now).String()})
	days, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d dayTime, err error) {
		return d, row.Scan(&d.pool, &d.name, &d.day, &d.stored)
	})
	t.days = t.endsOfDays(days, venue.Zone)
	return t, err
}

// lastOpenDay is a day before which it is over in every zone, by any rules.
func lastOpenDay(now time.Time) date.Date { return timezone.DayOf(now, timezone.UTC()).Add(-3) }

func (t zoneTimes) scanRange(row pgx.CollectableRow) (r rangeTime, err error) {
	var localFrom, localTo, blockedTo time.Time
	b := &r.booking
	err = row.Scan(&b.ID, &b.Version, &r.resource, &b.Resource.Venue, &b.Resource.Resource, &b.Name, &b.Buyer, &b.Amount.Minor, &b.Amount.Currency,
		&b.During.From, &b.During.To, &blockedTo, &localFrom, &localTo, &b.Zone)
	b.Kind, b.Quantity = inventory.ClaimRange, 1
	b.LocalFrom, b.LocalTo = wallTime(localFrom), wallTime(localTo)
	r.turnaround = blockedTo.Sub(b.During.To)
	r.over = !b.During.To.After(t.now)
	r.from, r.to = reckon(b.LocalFrom, b.During.From, t.zone), reckon(b.LocalTo, b.During.To, t.zone)
	return r, err
}

func (t zoneTimes) scanEvent(row pgx.CollectableRow) (e eventTime, err error) {
	var start time.Time
	err = row.Scan(&e.event.ID, &e.event.Version, &e.event.Name, &start, &e.event.Zone, &e.event.StartsAt,
		orNull(&e.event.SalesFrom), &e.event.SalesUntil, &e.bookings)
	e.event.Start = wallTime(start)
	e.start = reckon(e.event.Start, e.event.StartsAt, t.zone)
	return e, err
}

// largestRuleChange bounds what new rules of one zone do to the end of a day.
const largestRuleChange = 3 * time.Hour

// endsOfDays keeps the days whose sales end, or would end, in the future, at
// the end of the local day; a cut-off that staff chose is nobody's midnight and
// stays. Where old rules of the same zone set the end, they are gone: an end
// that is a little beside today's is taken to be theirs.
func (t zoneTimes) endsOfDays(days []dayTime, oldZone string) []dayTime {
	old, err := timezone.ParseZone(oldZone) // a stored zone may have become unknown
	known, same := err == nil, err == nil && old.Name() == t.zone.Name()
	var ends []dayTime
	for _, d := range days {
		d.would = salesUntil(d.day, t.zone)
		switch {
		case !d.stored.After(t.now) && !d.would.After(t.now):
			continue
		case same && d.would.Sub(d.stored).Abs() > largestRuleChange:
			continue
		case known && !same && !d.stored.Equal(salesUntil(d.day, old)):
			continue
		}
		ends = append(ends, d)
	}
	return ends
}
