package pgstore_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
)

const year = 52 * week

// publish delivers every message that waits.
func publish(t *testing.T, store *pgstore.Store) {
	t.Helper()
	for {
		batch, err := store.ClaimOutbox(t.Context(), 100, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if len(batch) == 0 {
			return
		}
		for _, m := range batch {
			if err := store.OutboxDelivered(t.Context(), m.BookingID, m.Seq); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// archive runs the archive to its end, as it will be when age has passed twice.
func archive(t *testing.T, s pgtest.Shop) int {
	t.Helper()
	later := s.After(t, 2*year)
	if _, err := later.PurgeKeys(t.Context(), week, 1000); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for {
		n, looked, err := later.ArchiveBookings(t.Context(), year, 3)
		if err != nil {
			t.Fatal(err)
		}
		if sum += n; looked == 0 {
			return sum
		}
	}
}

func TestArchiveBookings_whatGoesAndWhatStays(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(20, 0), pgtest.PerBuyer(0))
	ctx := t.Context()
	expired := s.Hold(t, "expired", 1)
	if _, err := s.After(t, 11*time.Minute).SweepHolds(ctx, 10); err != nil {
		t.Fatal(err)
	}
	released := s.Hold(t, "released", 1)
	silent := s.Hold(t, "silent", 1)
	paid, late := s.Hold(t, "paid", 1), s.Hold(t, "late", 1)
	s.Hold(t, "held", 1) // its key is older than they are in the archive, and keeps none of them
	pgtest.Deliver(t, s.Store, pgtest.Captured(paid, "pay_1"))
	for _, b := range []inventory.Booking{released, late} {
		if _, err := s.Store.ReleaseHold(ctx, b.ID, 0, mira, "ill"); err != nil {
			t.Fatal(err)
		}
	}
	pgtest.Deliver(t, s.Store, pgtest.Captured(late, "pay_2"))
	publish(t, s.Store)
	if _, err := s.Store.ReleaseHold(ctx, silent.ID, 0, mira, ""); err != nil {
		t.Fatal(err) // its message waits
	}
	if n, _, err := s.After(t, year-week).ArchiveBookings(ctx, year, 100); err != nil || n != 0 {
		t.Errorf("before its time: %d archived, %v", n, err)
	}

	before := make(map[inventory.BookingID]inventory.Booking)
	stories := make(map[inventory.BookingID][]inventory.JournalEntry)
	for _, b := range []inventory.Booking{expired, released} {
		before[b.ID], stories[b.ID] = read(t, s, b.ID)
	}
	if n := archive(t, s); n != 2 {
		t.Errorf("%d archived, want 2", n)
	}
	if n := archive(t, s); n != 0 {
		t.Errorf("%d archived again", n)
	}
	for _, b := range []inventory.Booking{expired, released} {
		after, story := read(t, s, b.ID)
		if !after.Archived {
			t.Errorf("%s is not in the archive", b.Buyer)
		}
		after.Archived = false
		if !reflect.DeepEqual(after, before[b.ID]) || !slices.Equal(story, stories[b.ID]) {
			t.Errorf("%s reads otherwise in the archive:\n%+v\n%+v\n%v\n%v", b.Buyer, after, before[b.ID], story, stories[b.ID])
		}
		if id, err := s.Store.FindBooking(ctx, b.ID.Short()); err != nil || id != b.ID {
			t.Errorf("FindBooking(%s) = %v, %v", b.ID.Short(), id, err)
		}
		if _, err := s.Store.ReleaseHold(ctx, b.ID, 0, mira, ""); !errors.Is(err, inventory.ErrNotFound) {
			t.Errorf("a change of what is archived: %v, want ErrNotFound", err)
		}
	}
	for _, b := range []inventory.Booking{silent, paid, late} {
		if after, _ := read(t, s, b.ID); after.Archived {
			t.Errorf("%s went to the archive", b.Buyer)
		}
	}
	publish(t, s.Store)
	if n := archive(t, s); n != 0 {
		t.Errorf("%d archived in the same round", n)
	}
	// Those that could not go are looked at again in the next round.
	if _, _, err := s.After(t, 2*year+5*week).ArchiveBookings(ctx, year, 100); err != nil {
		t.Fatal(err)
	}
	if n, _, err := s.After(t, 2*year+5*week).ArchiveBookings(ctx, year, 100); err != nil || n != 1 {
		t.Errorf("%d archived in the next round, %v; want the one whose message is out", n, err)
	}
}

// A key that is still there keeps what it answers for, and nothing else.
func TestArchiveBookings_aKeyKeepsItsBookingAlone(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	kept, goes := s.Hold(t, "kept", 1), s.Hold(t, "goes", 1)
	for _, b := range []inventory.Booking{kept, goes} {
		if _, err := s.Store.ReleaseHold(t.Context(), b.ID, 0, mira, ""); err != nil {
			t.Fatal(err)
		}
	}
	publish(t, s.Store)
	if _, err := s.DB.Pool.Exec(t.Context(), "DELETE FROM idempotency WHERE booking_id = $1", goes.ID); err != nil {
		t.Fatal(err)
	}
	if n, looked, err := s.After(t, 2*year).ArchiveBookings(t.Context(), year, 100); err != nil || n != 1 || looked != 2 {
		t.Errorf("%d of %d archived, %v; want the one without a key", n, looked, err)
	}
	if b, _ := read(t, s, kept.ID); b.Archived {
		t.Error("a key answers for a booking in the archive")
	}
}

func read(t *testing.T, s pgtest.Shop, id inventory.BookingID) (inventory.Booking, []inventory.JournalEntry) {
	t.Helper()
	b, err := s.Store.Booking(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	story, err := s.Store.Journal(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return b, story
}

// Money for a booking of long ago has an owner like any late money.
func TestArchive_lateMoneyBringsItBack(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	b := s.Hold(t, "u-1", 1)
	if _, err := s.Store.ReleaseHold(ctx, b.ID, 0, mira, "changed her mind"); err != nil {
		t.Fatal(err)
	}
	publish(t, s.Store)
	if n := archive(t, s); n != 1 {
		t.Fatalf("%d archived", n)
	}
	pgtest.Deliver(t, s.Store, pgtest.Captured(b, "pay_1"))
	after, story := read(t, s, b.ID)
	if after.Archived || len(after.Payments) != 1 || after.Payments[0].Standing != inventory.StandingZombie || after.Payments[0].ZombieKind != inventory.ZombieLate {
		t.Errorf("after the money came: %+v; want a late zombie of the booking", after)
	}
	if len(story) != 3 || story[2].Cause != "payment_late" {
		t.Errorf("journal = %v; want it to go on with the money", story)
	}
	audit, err := s.Store.Audit(ctx, inventory.AuditFilter{Subject: "booking " + b.ID.String()})
	if err != nil || len(audit) != 1 {
		t.Errorf("audit = %v, %v; want the release once", audit, err)
	}
}

// Several events of one archived booking at once: the first brings it back, and
// the others, who waited for it, find it. No money is anybody's.
func TestArchive_eventsAtOnceBringItBackOnce(t *testing.T) {
	t.Parallel()
	for name, kinds := range map[string][]inventory.EventKind{
		"processingAndSucceeded": {inventory.EventPaymentProcessing, inventory.EventPaymentSucceeded},
		"twoCaptures":            {inventory.EventPaymentSucceeded, inventory.EventPaymentSucceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := pgtest.OpenShop(t)
			b := s.Hold(t, "u-1", 1)
			if _, err := s.Store.ReleaseHold(t.Context(), b.ID, 0, mira, ""); err != nil {
				t.Fatal(err)
			}
			publish(t, s.Store)
			if n := archive(t, s); n != 1 {
				t.Fatalf("%d archived", n)
			}
			err := locking(t, s, `SELECT FROM booking_archive FOR UPDATE`, func(unlock func() error) error {
				done := make(chan error, len(kinds))
				for i, kind := range kinds {
					e := pgtest.Captured(b, "pay_"+string(rune('1'+i)))
					e.Kind = kind
					if _, err := s.Store.StoreEvent(t.Context(), e); err != nil {
						return err
					}
					go func() {
						done <- pgtest.Again(func() error { return s.Store.ApplyEvent(t.Context(), e.Provider, e.ID) })
					}()
				}
				return errors.Join(untilWait(t, s, len(kinds)), unlock(), <-done, <-done)
			})
			if err != nil {
				t.Fatal(err)
			}
			after, _ := read(t, s, b.ID)
			if after.Archived || len(after.Payments) != 2 {
				t.Fatalf("after both events: %+v; want both payments to be the booking's", after)
			}
			for _, p := range after.Payments {
				if p.State == inventory.PaymentSucceeded && (p.Standing != inventory.StandingZombie || p.ZombieKind == inventory.ZombieUnmatched) {
					t.Errorf("captured money is %s %s", p.Standing, p.ZombieKind)
				}
			}
		})
	}
}

func untilWait(t *testing.T, s pgtest.Shop, sessions int) error {
	t.Helper()
	for began := s.Now(t); s.Now(t).Sub(began) < 10*time.Second; {
		var n int
		err := s.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n)
		if err != nil || n >= sessions {
			return err
		}
	}
	return errors.New("nobody waits")
}

func TestArchive_seatsGoAlongAndComeBack(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	ctx := t.Context()
	b := h.HoldSeats(t, "u-1", "A-01", "A-02")
	if _, err := h.Store.ReleaseHold(ctx, b.ID, 0, mira, ""); err != nil {
		t.Fatal(err)
	}
	publish(t, h.Store)
	before, _ := read(t, h.Shop, b.ID)
	if n := archive(t, h.Shop); n != 1 {
		t.Fatalf("%d archived", n)
	}
	archived, _ := read(t, h.Shop, b.ID)
	if len(archived.Seats) != 2 || !reflect.DeepEqual(archived.Seats, before.Seats) {
		t.Errorf("seats in the archive = %v, want %v", archived.Seats, before.Seats)
	}
	pgtest.Deliver(t, h.Store, pgtest.Captured(b, "pay_1"))
	if after, _ := read(t, h.Shop, b.ID); len(after.Seats) != 2 || after.Archived {
		t.Errorf("back from the archive: %+v", after)
	}
}

// What the archive keeps is what bookings are made of, column for column.
func TestArchive_tablesAreAlike(t *testing.T) {
	t.Parallel()
	db := pgtest.DB(t)
	for _, table := range []string{"booking", "journal", "booking_seat"} {
		if now, kept := columnsOf(t, db, table), columnsOf(t, db, table+"_archive"); !slices.Equal(now, kept) {
			t.Errorf("%s has the columns\n%v, its archive\n%v", table, now, kept)
		}
		if all := columnsOf(t, db, table+"_all"); !slices.Equal(all, append(columnsOf(t, db, table), "archived boolean")) {
			t.Errorf("%s_all has the columns %v", table, all)
		}
	}
}

func columnsOf(t *testing.T, db *pgtest.Database, table string) []string {
	t.Helper()
	rows, _ := db.Pool.Query(t.Context(), `SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, table)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Bookings and their stories only move: nobody's SQL makes one vanish, changes
// one in the archive, or brings one back that never was there.
func TestArchive_nothingIsLost(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	ctx := t.Context()
	old := s.Hold(t, "u-1", 1)
	if _, err := s.Store.ReleaseHold(ctx, old.ID, 0, mira, ""); err != nil {
		t.Fatal(err)
	}
	publish(t, s.Store)
	if n := archive(t, s); n != 1 {
		t.Fatalf("%d archived", n)
	}
	s.Hold(t, "u-2", 1)
	for _, sql := range []string{
		"DELETE FROM journal", "DELETE FROM journal_archive", "UPDATE journal_archive SET actor = 'staff:jan'", "TRUNCATE journal_archive", "TRUNCATE journal",
		"DELETE FROM booking WHERE state = 'HELD'", "DELETE FROM booking_archive", "UPDATE booking_archive SET buyer = 'jan'", "TRUNCATE booking_archive", "TRUNCATE booking CASCADE",
		"WITH c AS (INSERT INTO journal_archive SELECT booking_id, seq + 7, from_state, to_state, cause, actor, reason, at, topic, data, published_at, parked_at, first_parked_at, tries, next_try_at, last_error FROM journal) DELETE FROM journal",
		"SELECT set_config('holdfast.restoring', 'yes', true); UPDATE booking SET version = version + 2",
		"SELECT set_config('holdfast.restoring', 'yes', true); INSERT INTO booking (id, venue_id, pool_id, day, quantity, buyer, state, amount_minor, currency, one_per_buyer, last_cause, last_actor, version, created_at, updated_at) SELECT gen_random_uuid(), venue_id, pool_id, day, quantity, 'forged', 'CANCELLED', amount_minor, currency, false, 'x', 'x', 2, created_at, updated_at FROM booking",
	} {
		err := inOneTx(ctx, s, sql)
		if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "42501" && pg.Code != "23514" {
			t.Errorf("%s: %v; want a refusal by a rule (42501, 23514)", sql, err)
		}
	}
}

func inOneTx(ctx context.Context, s pgtest.Shop, sql string) error {
	conn, err := s.DB.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	// The simple protocol: several statements are one transaction.
	_, err = conn.Conn().PgConn().Exec(ctx, sql).ReadAll()
	return err
}
