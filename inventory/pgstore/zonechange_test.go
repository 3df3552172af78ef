package pgstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

const newYork = "America/New_York"

// alwaysOpen is a studio without a grid and without nights.
func alwaysOpen(r *inventory.Resource) {
	r.Slot, r.Week = 0, inventory.OpenEveryDay(timezone.Hours{Closes: timezone.NewTimeOfDay(24, 0)})
}

// local is the instant of a wall time, which may carry an offset.
func local(t *testing.T, text, zone string) time.Time {
	t.Helper()
	z, err := timezone.ParseZone(zone)
	if err != nil {
		t.Fatal(err)
	}
	at, err := timezone.ParseLocal(text, z)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// holdLocal holds the studio by wall times of the venue.
func holdLocal(t *testing.T, s pgtest.Studio, buyer, from, to string) inventory.Booking {
	t.Helper()
	b, _, err := s.Store.HoldRange(t.Context(), inventory.RangeHoldRequest{
		Resource: s.Resource.Ref, Buyer: buyer, Actor: mira,
		During: inventory.Range{From: local(t, from, s.Venue.Zone), To: local(t, to, s.Venue.Zone)},
	})
	if err != nil {
		t.Fatalf("hold %s to %s: %v", from, to, err)
	}
	return b
}

func preview(t *testing.T, s pgtest.Shop, zone string) inventory.ZonePreview {
	t.Helper()
	p, err := s.Store.PreviewZone(t.Context(), s.Venue.Slug, zone)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// hallAndStudio is a venue with everything that has a time: a pool of 14 days, a
// studio with one booking at 10:00, and an event at 20:00 with one held seat.
func hallAndStudio(t *testing.T) (pgtest.Studio, pgtest.Hall, inventory.Booking) {
	t.Helper()
	shop := pgtest.OpenShop(t)
	hall := pgtest.HallIn(t, shop, pgtest.Rows("PARKETT", "CAT 1", 5000, 4, "A"))
	hall.HoldSeats(t, "u-seat", "A-01")
	s := pgtest.StudioIn(t, shop, alwaysOpen)
	return s, hall, s.HoldRange(t, "u-range", "10:00", "11:00")
}

func TestPreviewZone_saysWhatWouldMoveAndSavesNothing(t *testing.T) {
	t.Parallel()
	s, hall, b := hallAndStudio(t)
	s.HoldRange(t, "u-early", "02:00", "03:00") // 20:00 of the day before, in New York
	p := preview(t, s.Shop, newYork)
	if p.From != "Europe/Berlin" || p.To != newYork || p.Future != 2+1+14 || p.Moving != 17 || len(p.Moves) != 17 || p.Missing+p.Doubled != 0 || p.AsOf.IsZero() || len(p.RulesDiffer) != 0 {
		t.Errorf("preview %+v", p)
	}
	if p.NewDay != 1 {
		t.Errorf("%d bookings come to another day, want the one at 02:00", p.NewDay)
	}
	kinds := map[string]int{}
	for i, m := range p.Moves {
		kinds[m.Kind]++
		if i > 0 && m.Stored.Before(p.Moves[i-1].Stored) {
			t.Errorf("move %d is before the one in front of it", i)
		}
		switch {
		case m.Booking == b.ID:
			at10 := timezone.WallTime{Day: s.Day, Time: timezone.NewTimeOfDay(10, 0)}
			at4 := timezone.WallTime{Day: s.Day, Time: timezone.NewTimeOfDay(4, 0)}
			if m.Local != at10 || m.LocalThen != at4 || !m.Stored.Equal(b.During.From) || !m.Would.Equal(local(t, at10.String(), newYork)) || m.Buyer != "u-range" || m.Name != "Studio A" || m.Version != 1 {
				t.Errorf("the range moves as %+v", m)
			}
		case m.Event == hall.Event.ID:
			if m.Local != hall.Event.Start || m.Name != "Gala" || !m.Would.Equal(local(t, m.Local.String(), newYork)) {
				t.Errorf("the event moves as %+v", m)
			}
		}
	}
	if kinds["range"] != 2 || kinds["event"] != 1 || kinds["pool-day"] != 14 {
		t.Errorf("moves %v", kinds)
	}
	if again := booking(t, s.Shop, b.ID); again.Version != 1 {
		t.Errorf("asking raised the version to %d", again.Version)
	}
	if same := preview(t, s.Shop, "Europe/Berlin"); same.Moving != 0 || same.Future != 17 || same.NewDay != 0 {
		t.Errorf("under its own rules, %d would move", same.Moving)
	}
	if vienna := preview(t, s.Shop, "Europe/Vienna"); vienna.Moving != 0 {
		t.Errorf("in Vienna, %d would move", vienna.Moving)
	}
	for zone, want := range map[string]string{"Mars/Base": "INVALID", "": "INVALID"} {
		if _, err := s.Store.PreviewZone(t.Context(), "harbour", zone); inventory.Code(err) != want {
			t.Errorf("zone %q: %v, want %s", zone, err, want)
		}
	}
	if _, err := s.Store.PreviewZone(t.Context(), "nowhere", newYork); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("no such venue: %v", err)
	}
}

func TestChangeZone_keepLocal(t *testing.T) {
	t.Parallel()
	s, hall, b := hallAndStudio(t)
	v, err := s.Store.ChangeZone(t.Context(), mira, "harbour", 1, newYork, inventory.KeepLocal, "typo")
	if err != nil || v.Zone != newYork || v.Version != 2 {
		t.Fatalf("ChangeZone = %+v, %v", v, err)
	}
	after := booking(t, s.Shop, b.ID)
	if after.LocalFrom != b.LocalFrom || after.LocalTo != b.LocalTo || after.Zone != newYork || after.Version != 2 || after.Amount != b.Amount ||
		!after.During.From.Equal(local(t, b.LocalFrom.String(), newYork)) || !after.During.To.Equal(local(t, b.LocalTo.String(), newYork)) {
		t.Errorf("the range is %+v", after)
	}
	e, err := s.Store.EventByID(t.Context(), hall.Event.ID)
	if err != nil || e.Start != hall.Event.Start || e.Zone != newYork || !e.StartsAt.Equal(local(t, e.Start.String(), newYork)) || !e.SalesUntil.Equal(e.StartsAt) || e.Version != 2 {
		t.Errorf("the event is %+v, %v", e, err)
	}
	if got, want := s.PoolDay(t).SalesUntil, local(t, s.Day.Add(1).String()+"T00:00", newYork); !got.Equal(want) {
		t.Errorf("the day's sales end %s, want %s", got, want)
	}
	journal, err := s.Store.Journal(t.Context(), b.ID)
	if err != nil || len(journal) != 2 || journal[1].Cause != inventory.CauseMoved || journal[1].Topic != "booking.moved" || journal[1].Reason != "typo" || journal[1].Actor != "staff:mira" {
		t.Errorf("journal %+v, %v", journal, err)
	}
	var was, is string
	if err := s.DB.Pool.QueryRow(t.Context(), `SELECT data->'before'->>'from', data->>'from' FROM journal WHERE booking_id = $1 AND seq = 2`, b.ID).Scan(&was, &is); err != nil || was == "" || was == is {
		t.Errorf("the message says from %q, before from %q, %v", is, was, err)
	}
	var stale *inventory.StaleError
	if _, err := s.Store.ChangeZone(t.Context(), jan, "harbour", 1, "Asia/Tokyo", inventory.KeepLocal, ""); !errors.As(err, &stale) || stale.By != "staff:mira" {
		t.Errorf("with the old version: %v", err)
	}
	if again, err := s.Store.ChangeZone(t.Context(), jan, "harbour", 2, newYork, inventory.KeepLocal, ""); err != nil || again.Version != 2 {
		t.Errorf("changing nothing: v%d, %v", again.Version, err)
	}
	if p := preview(t, s.Shop, newYork); p.Moving != 0 {
		t.Errorf("after the change, %d would move", p.Moving)
	}
}

func TestChangeZone_keepInstant(t *testing.T) {
	t.Parallel()
	s, hall, b := hallAndStudio(t)
	until := s.PoolDay(t).SalesUntil
	if _, err := s.Store.ChangeZone(t.Context(), mira, "harbour", 0, newYork, inventory.KeepInstant, ""); err != nil {
		t.Fatal(err)
	}
	after := booking(t, s.Shop, b.ID)
	if !after.During.From.Equal(b.During.From) || !after.During.To.Equal(b.During.To) || after.Zone != newYork || after.Version != 2 ||
		after.LocalFrom.String() != s.Day.String()+"T04:00" || after.LocalTo.String() != s.Day.String()+"T05:00" {
		t.Errorf("the range is %+v", after)
	}
	e, err := s.Store.EventByID(t.Context(), hall.Event.ID)
	if err != nil || !e.StartsAt.Equal(hall.Event.StartsAt) || e.Zone != newYork || e.Start.Time != timezone.NewTimeOfDay(14, 0) {
		t.Errorf("the event is %+v, %v", e, err)
	}
	if got := s.PoolDay(t).SalesUntil; !got.Equal(until) {
		t.Errorf("the day's sales end %s, want %s as before", got, until)
	}
}

// Nothing moves between zones with the same clocks: the zone is written down,
// and nobody is told.
func TestChangeZone_sameClocks(t *testing.T) {
	t.Parallel()
	s, _, b := hallAndStudio(t)
	v := s.Venue
	v.Zone = "Europe/Vienna"
	if _, err := s.Store.SetVenue(t.Context(), mira, v, "moved house"); err != nil {
		t.Fatal(err)
	}
	journal, err := s.Store.Journal(t.Context(), b.ID)
	after := booking(t, s.Shop, b.ID)
	if err != nil || after.Zone != "Europe/Vienna" || !after.During.From.Equal(b.During.From) || len(journal) != 2 || journal[1].Topic != "" {
		t.Errorf("the range is %+v, its journal %+v, %v", after, journal, err)
	}
}

// The form of a venue does not ask what stays: it moves no booking by the way.
func TestSetVenue_refusesAZoneThatWouldMoveBookings(t *testing.T) {
	t.Parallel()
	s, _, b := hallAndStudio(t)
	v := s.Venue
	v.Zone = newYork
	_, err := s.Store.SetVenue(t.Context(), mira, v, "typo")
	if fields := inventory.FieldErrors(err); len(fields) != 1 || fields[0].Field != "zone" || !strings.HasPrefix(fields[0].Problem, "2 future bookings and events would move") {
		t.Errorf("SetVenue = %v", err)
	}
	if now, err := s.Store.Venue(t.Context(), "harbour"); err != nil || now != s.Venue || booking(t, s.Shop, b.ID).Version != 1 {
		t.Errorf("the refused edit left %+v, %v", now, err)
	}
}

// Wall times that the other zone's clocks skip or show twice are named with
// their two instants; local times cannot be kept then, instants can.
func TestChangeZone_missingAndDoubled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to, problem string
		choice            [2]string
	}{
		{"2027-03-14T02:30", "2027-03-14T04:30", inventory.LocalTimeMissing, [2]string{"2027-03-14T01:30-05:00", "2027-03-14T03:30-04:00"}},
		{"2027-11-07T00:30", "2027-11-07T01:30", inventory.LocalTimeDoubled, [2]string{"2027-11-07T01:30-04:00", "2027-11-07T01:30-05:00"}},
	} {
		s := pgtest.OpenStudio(t, alwaysOpen)
		b := holdLocal(t, s, "u-1", c.from, c.to)
		p := preview(t, s.Shop, newYork)
		var m inventory.ZoneMove
		for _, m = range p.Moves {
			if m.Booking == b.ID {
				break
			}
		}
		choice := [2]time.Time{local(t, c.choice[0], newYork), local(t, c.choice[1], newYork)}
		if m.Problem != c.problem || !m.Choice[0].Equal(choice[0]) || !m.Choice[1].Equal(choice[1]) || p.Missing+p.Doubled != 1 {
			t.Errorf("%s: %+v, %d missing, %d doubled", c.from, m, p.Missing, p.Doubled)
		}
		_, err := s.Store.ChangeZone(t.Context(), mira, "harbour", 1, newYork, inventory.KeepLocal, "")
		var wall *timezone.WallTimeError
		if !errors.As(err, &wall) || inventory.Code(err) != "INVALID" || !strings.Contains(inventory.Message(err), c.choice[0]) || !strings.Contains(inventory.Message(err), c.choice[1]) {
			t.Errorf("keep local: %v", err)
		}
		if v, err := s.Store.Venue(t.Context(), "harbour"); err != nil || v != s.Venue {
			t.Errorf("the refused change left %+v, %v", v, err)
		}
		if _, err := s.Store.ChangeZone(t.Context(), mira, "harbour", 1, newYork, inventory.KeepInstant, ""); err != nil {
			t.Errorf("keep instant: %v", err)
		}
		// Shown twice, but stored as one of the two: nothing is in doubt.
		if p := preview(t, s.Shop, newYork); p.Moving != 0 {
			t.Errorf("after the change, %d would move", p.Moving)
		}
	}
}

// A day full of bookings that touch goes by six hours one way and by fourteen
// the other: each would lie on others' old times, and none is in the way.
func TestChangeZone_bookingsThatTouch(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, alwaysOpen)
	var ids []inventory.BookingID
	for hour := range 22 {
		ids = append(ids, s.HoldRange(t, fmt.Sprint("u-", hour), fmt.Sprintf("%02d:00", hour), fmt.Sprintf("%02d:00", hour+1)).ID)
	}
	for i, zone := range []string{newYork, "Asia/Tokyo", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"} {
		if _, err := s.Store.ChangeZone(t.Context(), mira, "harbour", i+1, zone, inventory.KeepLocal, ""); err != nil {
			t.Fatalf("%s: %v", zone, err)
		}
		for hour, id := range ids {
			if want, got := local(t, fmt.Sprintf("%sT%02d:00", s.Day, hour), zone), booking(t, s.Shop, id).During.From; !got.Equal(want) {
				t.Errorf("%s: %d o'clock is %s, want %s", zone, hour, got, want)
			}
		}
	}
}

// A hold that was reckoned by the old zone and comes after the change is
// reckoned again: both wait for the resource here, the change first.
func TestChangeZone_besideAHold(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, alwaysOpen)
	tx, err := s.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	if _, err := tx.Exec(t.Context(), `SELECT FROM resource FOR NO KEY UPDATE`); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() {
		_, err := s.Store.ChangeZone(t.Context(), mira, "harbour", 1, newYork, inventory.KeepLocal, "")
		ended <- err
	}()
	waiting(t, s.DB, 1)
	ask := s.Ask(t, "u-1", "10:00", "11:00")
	go func() {
		_, _, err := s.Store.HoldRange(t.Context(), ask)
		ended <- err
	}()
	waiting(t, s.DB, 2)
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-ended, <-ended); err != nil {
		t.Fatal(err)
	}
	b := booking(t, s.Shop, holdOf(t, s.Shop, "u-1"))
	if b.Zone != newYork || b.LocalFrom.Time != timezone.NewTimeOfDay(4, 0) || !b.During.From.Equal(ask.During.From) {
		t.Errorf("held as %+v", b)
	}
	s.DB.AssertNoDeadlocks(t)
}

// waiting waits until n sessions of the database wait for locks.
func waiting(t *testing.T, db *pgtest.Database, n int) {
	t.Helper()
	for got := -1; got != n; {
		if err := db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&got); err != nil {
			t.Fatal(err)
		}
	}
}

// A turnaround is real time: where the other clocks skip the hour that it lay
// in, the next booking would begin in it.
func TestChangeZone_turnaroundInASkippedHour(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, func(r *inventory.Resource) { alwaysOpen(r); r.Turnaround = time.Hour })
	holdLocal(t, s, "u-1", "2027-03-14T00:30", "2027-03-14T01:59")
	holdLocal(t, s, "u-2", "2027-03-14T03:00", "2027-03-14T04:00")
	_, err := s.Store.ChangeZone(t.Context(), mira, "harbour", 0, newYork, inventory.KeepLocal, "")
	if !errors.Is(err, inventory.ErrRangeTaken) || !strings.Contains(inventory.Message(err), "bookings of Studio A from 2027-03-14T00:30 and from 2027-03-14T03:00 would overlap") {
		t.Errorf("ChangeZone = %v", err)
	}
	if _, err := s.Store.ChangeZone(t.Context(), mira, "harbour", 0, newYork, inventory.KeepInstant, ""); err != nil {
		t.Errorf("keep instant: %v", err)
	}
}

// New rules of the venue's own zone: what was reckoned by the old ones is found,
// and put right either way.
func TestChangeZone_newRulesOfTheSameZone(t *testing.T) {
	t.Parallel()
	s, hall, b := hallAndStudio(t)
	// As if everything had been stored by rules that were an hour behind.
	for _, sql := range []string{
		`UPDATE booking SET during = tstzrange(lower(during) + interval '1 hour', upper(during) + interval '1 hour'), blocked = tstzrange(lower(blocked) + interval '1 hour', upper(blocked) + interval '1 hour'), version = version + 1 WHERE resource_id IS NOT NULL`,
		`UPDATE event SET starts_at = starts_at + interval '1 hour', sales_until = sales_until + interval '1 hour'`,
		`UPDATE pool_day SET sales_until = sales_until + interval '1 hour'`,
		`UPDATE pool_day SET sales_until = sales_until - interval '6 hours' WHERE day = (SELECT max(day) FROM pool_day)`, // by staff
	} {
		if _, err := s.DB.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	p := preview(t, s.Shop, "Europe/Berlin")
	if p.Moving != 1+1+13 || p.Future != 15 {
		t.Errorf("%d of %d would move, want all but the day whose cut-off staff chose", p.Moving, p.Future)
	}
	v, err := s.Store.ChangeZone(t.Context(), mira, "harbour", 1, "Europe/Berlin", inventory.KeepLocal, "tzdata 2027a")
	if err != nil || v.Version != 2 {
		t.Fatalf("ChangeZone = %+v, %v", v, err)
	}
	after := booking(t, s.Shop, b.ID)
	e, err := s.Store.EventByID(t.Context(), hall.Event.ID)
	if err != nil || !after.During.From.Equal(b.During.From) || !e.StartsAt.Equal(hall.Event.StartsAt) || !e.SalesUntil.Equal(e.StartsAt) {
		t.Errorf("the range is %+v, the event %+v, %v", after, e, err)
	}
	if p := preview(t, s.Shop, "Europe/Berlin"); p.Moving != 0 {
		t.Errorf("after the change, %d would move", p.Moving)
	}
}

// Two copies of the zone rules that differ are found before anything is saved
// by them. The database's is put beside itself here: an hour off from June 2028.
func TestVenue_rulesOfGoAndPostgreSQLDiffer(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	for _, sql := range []string{
		`CREATE FUNCTION timezone(zone text, at timestamptz) RETURNS timestamp LANGUAGE sql AS $$
		     SELECT pg_catalog.timezone(zone, at) + CASE WHEN zone LIKE 'Asia/%' AND at >= '2028-06-01' AND at < '2028-08-01' THEN interval '1 hour' ELSE '0' END $$`,
		`ALTER DATABASE ` + pgx.Identifier{s.DB.Name}.Sanitize() + ` SET search_path = public, pg_catalog`,
	} {
		if _, err := s.DB.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	store := s.DB.Store(t, 2)
	refused := func(what string, err error) {
		t.Helper()
		if fields := inventory.FieldErrors(err); len(fields) != 1 || fields[0].Field != "zone" || !strings.Contains(fields[0].Problem, "at 2028-06-01T00:00:00Z it is +09:00 here and +10:00 in the database") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := store.ChangeZone(t.Context(), mira, "harbour", 0, "Asia/Tokyo", inventory.KeepLocal, "")
	refused("ChangeZone", err)
	v := s.Venue
	v.Zone = "Asia/Tokyo"
	_, err = store.SetVenue(t.Context(), mira, v, "")
	refused("SetVenue", err)
	_, err = store.AddVenue(t.Context(), mira, inventory.NewVenue("tokyo", "Tokyo", "Asia/Tokyo", "JPY"))
	refused("AddVenue", err)
	p, err := store.PreviewZone(t.Context(), "harbour", "Asia/Tokyo")
	if err != nil || len(p.RulesDiffer) != 2 || p.RulesDiffer[1].Format(time.DateOnly) != "2028-07-01" {
		t.Errorf("PreviewZone: rules differ at %v, %v", p.RulesDiffer, err)
	}
	if p, err := store.PreviewZone(t.Context(), "harbour", newYork); err != nil || len(p.RulesDiffer) != 0 {
		t.Errorf("New York: rules differ at %v, %v", p.RulesDiffer, err)
	}
}
