package pgstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
	"holdfast/timezone"
)

// maxMoves bounds the moves that a preview lists; it counts all.
const maxMoves = 1000

// PreviewZone tells what zone would do to a venue's future bookings; zone = the
// venue's own finds what new rules of it would move. It saves nothing.
// ErrNotFound, or a FieldError for a zone that Go or PostgreSQL does not know.
func (s *Store) PreviewZone(ctx context.Context, venue, zone string) (inventory.ZonePreview, error) {
	p := inventory.ZonePreview{Venue: venue, GoRules: "unknown", DatabaseRules: "unknown"} // neither says
	err := s.read(ctx, "preview zone of "+venue, func(ctx context.Context, tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, sqlVenueGet, pgx.StrictNamedArgs{"slug": venue})
		v, err := pgx.CollectExactlyOneRow(rows, scanVenue)
		if err != nil {
			return fmt.Errorf("venue %s: %w", venue, err)
		}
		to, err := knownZone(ctx, tx, zone)
		if err != nil {
			return err
		}
		t, err := s.readTimes(ctx, tx, v, to)
		if err != nil {
			return err
		}
		differ, err := compareRules(ctx, tx, zone, to, t.now)
		for _, d := range differ {
			p.RulesDiffer = append(p.RulesDiffer, d.at)
		}
		p.From, p.To = v.Zone, zone
		t.preview(&p)
		return err
	})
	return p, err
}

// preview fills in what would move, and counts.
func (t zoneTimes) preview(p *inventory.ZonePreview) {
	p.AsOf = t.now
	add := func(m inventory.ZoneMove, w wallInstant) {
		m.Local, m.Stored, m.Would = w.local, w.stored, w.would
		m.LocalThen = timezone.WallTimeOf(w.stored, t.zone)
		if w.problem != nil {
			m.Problem, m.Choice = inventory.LocalTimeDoubled, [2]time.Time{w.problem.Earlier, w.problem.Later}
			p.Doubled++
			if w.problem.Missing {
				m.Problem = inventory.LocalTimeMissing
				p.Doubled, p.Missing = p.Doubled-1, p.Missing+1
			}
		}
		p.Moves = append(p.Moves, m)
	}
	for _, r := range t.ranges {
		if r.over {
			continue
		}
		p.Future++
		if timezone.DayOf(r.from.stored, t.zone) != r.from.local.Day {
			p.NewDay++
		}
		if b := r.booking; r.moves() {
			add(inventory.ZoneMove{Kind: "range", Booking: b.ID, Name: b.Name, Buyer: b.Buyer, Day: b.LocalFrom.Day, Version: b.Version}, r.moved())
		}
	}
	for _, e := range t.events {
		p.Future++
		if timezone.DayOf(e.start.stored, t.zone) != e.start.local.Day {
			p.NewDay += e.bookings
		}
		if e.start.moves() {
			add(inventory.ZoneMove{Kind: "event", Event: e.event.ID, Name: e.event.Name, Day: e.start.local.Day, Version: e.event.Version}, e.start)
		}
	}
	for _, d := range t.days {
		p.Future++
		if !d.would.Equal(d.stored) {
			end := timezone.WallTime{Day: d.day, Time: timezone.NewTimeOfDay(24, 0)}
			add(inventory.ZoneMove{Kind: "pool-day", Name: d.name, Day: d.day}, wallInstant{local: end, stored: d.stored, would: d.would})
		}
	}
	slices.SortStableFunc(p.Moves, func(a, b inventory.ZoneMove) int {
		return cmp.Or(a.Stored.Compare(b.Stored), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	p.Moving = len(p.Moves)
	p.Moves = p.Moves[:min(len(p.Moves), maxMoves)]
}

// ChangeZone gives a venue another zone, or applies new rules of its own, and
// keeps local times or instants, in one transaction: of all range bookings that
// are not over, of the events that have not begun, and of the pool days that
// end with their local day. What a booking claims is written down as a move of
// it, with its message. Seats and pool days keep their bookings.
//
// version is the venue's, else the error is a *StaleError; 0 does not check it.
// Refused with FieldErrors: a zone that Go and PostgreSQL do not know alike, and
// with KeepLocal wall times that clocks skip or show twice (the first is named
// and is in the error as a *WallTimeError) or bookings that would overlap.
// Nothing to change is no edit.
func (s *Store) ChangeZone(ctx context.Context, actor inventory.Actor, venue string, version int, zone string, keep inventory.ZoneKeep, reason string) (inventory.Venue, error) {
	if err := cmp.Or(keep.Check(), optionalReason(reason)); err != nil {
		return inventory.Venue{}, err
	}
	var stored inventory.Venue
	err := s.inTx(ctx, "change zone of "+venue, beginJob, func(ctx context.Context, tx pgx.Tx) error {
		if err := acting(ctx, tx, actor, reason); err != nil {
			return err
		}
		before, err := lockVenue(ctx, tx, venue)
		if err != nil {
			return fmt.Errorf("venue %s: %w", venue, err)
		}
		if version != 0 && version != before.Version {
			return stale(ctx, tx, "venue "+venue, version, before.Version)
		}
		to, err := s.agreedZone(ctx, tx, zone)
		if err != nil {
			return err
		}
		after := before
		after.Zone = zone
		changed, err := s.rezone(ctx, tx, before, after.Zone, to, keep, zoneEdit{actor, reason})
		if stored = before; err != nil || !changed && after == before {
			return err
		}
		stored, err = updateVenue(ctx, tx, after)
		return err
	})
	return stored, err
}

// zoneEdit is who changes a zone, and why.
type zoneEdit struct {
	actor  inventory.Actor
	reason string
}

// rezone moves the times of the locked venue's future to the rules of a zone,
// and says whether anything was written. It is the only place where they move.
// Without a keep, only ends of days may move: nobody has said what to do with
// bookings and events.
func (s *Store) rezone(ctx context.Context, tx pgx.Tx, venue inventory.Venue, name string, zone timezone.Zone, keep inventory.ZoneKeep, edit zoneEdit) (changed bool, err error) {
	if err := s.lockTimes(ctx, tx, venue); err != nil {
		return false, err
	}
	t, err := s.readTimes(ctx, tx, venue, zone)
	if err != nil {
		return false, err
	}
	t.name = name
	if keep == "" {
		if n := t.moving(); n > 0 {
			return false, inventory.Invalid("zone", "%d future bookings and events would move: change the zone with a choice of what stays, local times or instants", n)
		}
		keep = inventory.KeepLocal
	}
	if keep == inventory.KeepLocal {
		if err := t.refuse(); err != nil {
			return false, err
		}
	}
	if name != venue.Zone {
		if _, err := tx.Exec(ctx, sqlRezoneResourcesTouch, pgx.StrictNamedArgs{"venue": venue.ID}); err != nil {
			return false, err
		}
	}
	batch := &pgx.Batch{}
	if keep == inventory.KeepLocal {
		t.queueDays(batch)
	}
	t.queueEvents(batch, keep)
	if err := t.queueRanges(batch, keep, edit); err != nil {
		return false, err
	}
	return batch.Len() > 0, tx.SendBatch(ctx, batch).Close()
}

// moving counts the bookings and events that would move.
func (t zoneTimes) moving() (n int) {
	for _, r := range t.ranges {
		if r.moves() {
			n++
		}
	}
	for _, e := range t.events {
		if e.start.moves() {
			n++
		}
	}
	return n
}

// lockTimes locks what a change of zone may write, in the order of every
// transaction: days, events and resources, then bookings.
func (s *Store) lockTimes(ctx context.Context, tx pgx.Tx, venue inventory.Venue) error {
	now, err := s.clock(ctx, tx)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue(sqlRezoneDaysLock, pgx.StrictNamedArgs{"venue": venue.ID, "since": lastOpenDay(now).String()})
	batch.Queue(sqlRezoneEventsLock, pgx.StrictNamedArgs{"venue": venue.ID, "now": now})
	batch.Queue(sqlRezoneResourcesLock, pgx.StrictNamedArgs{"venue": venue.ID})
	batch.Queue(sqlRezoneRangesLock, pgx.StrictNamedArgs{"venue": venue.ID, "now": now})
	return tx.SendBatch(ctx, batch).Close()
}
