package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

// anyTime is a studio without a grid.
func anyTime(r *inventory.Resource) { r.Slot = 0 }

// Case B05: ranges that only touch are no clash, one second of overlap is; what
// is stored is half-open, whoever wrote it.
func TestHoldRange_B05_touchingIsFree(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, anyTime)
	s.HoldRange(t, "u-1", "10:00", "11:00")
	s.HoldRange(t, "u-2", "11:00", "12:00")
	s.HoldRange(t, "u-3", "09:00", "10:00")
	during := s.During(t, "10:00", "11:00")
	r := s.Ask(t, "u-4", "10:00", "11:00")
	r.During = inventory.Range{From: during.To.Add(-time.Second), To: during.To.Add(59 * time.Second)}
	_, _, err := s.Store.HoldRange(t.Context(), r)
	if !errors.Is(err, inventory.ErrRangeTaken) {
		t.Errorf("one second of overlap: %v", err)
	}
	var odd int
	if err := s.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM booking WHERE NOT lower_inc(during) OR upper_inc(during)`).Scan(&odd); err != nil || odd != 0 {
		t.Errorf("%d ranges are not [from, to), %v", odd, err)
	}
	_, err = s.DB.Pool.Exec(t.Context(), `UPDATE booking SET during = tstzrange(lower(during), upper(during), '[]'), version = version + 1`)
	if err == nil {
		t.Error("a closed range was stored")
	}

	grid := pgtest.StudioIn(t, s.Shop, func(r *inventory.Resource) { r.Ref.Resource = "studio-b" })
	for _, hour := range [][2]string{{"10:00", "11:00"}, {"11:00", "12:00"}, {"09:00", "10:00"}} {
		grid.HoldRange(t, "u-1", hour[0], hour[1])
	}
	slots, err := s.Store.Slots(t.Context(), grid.Resource.Ref, s.Day)
	if err != nil || len(slots) != 8 {
		t.Fatalf("%d slots, %v", len(slots), err)
	}
	for i, slot := range slots {
		if slot.Free != (i >= 3) {
			t.Errorf("slot %d of the day is told as free: %t", i+1, slot.Free)
		}
	}
}

func TestHoldRange_tellsStaffWhoIsInTheWay(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, nil)
	b := s.HoldRange(t, "u-first", "10:00", "12:00")
	_, _, err := s.Store.HoldRange(t.Context(), s.Ask(t, "u-2", "11:00", "13:00"))
	var taken *inventory.RangeTakenError
	if !errors.As(err, &taken) || taken.Booking != b.ID || taken.Buyer != "u-first" || inventory.Code(err) != "RANGE_TAKEN" {
		t.Errorf("the clash is told as %+v (%v)", taken, err)
	}
	if words := inventory.Message(err); words != inventory.ErrRangeTaken.Error() {
		t.Errorf("buyers are told %q", words)
	}
}

// The turnaround behind a booking is kept free, on both sides.
func TestHoldRange_turnaround(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, func(r *inventory.Resource) { r.Slot, r.Turnaround = 0, 15*time.Minute })
	b := s.HoldRange(t, "u-1", "10:00", "11:00")
	for _, clash := range [][2]string{{"11:00", "12:00"}, {"11:14", "12:00"}, {"09:00", "10:00"}, {"09:00", "09:46"}} {
		if _, _, err := s.Store.HoldRange(t.Context(), s.Ask(t, "u-2", clash[0], clash[1])); !errors.Is(err, inventory.ErrRangeTaken) {
			t.Errorf("%v beside 10:00-11:00 with a turnaround of 15 min: %v", clash, err)
		}
	}
	s.HoldRange(t, "u-3", "11:15", "12:00")
	s.HoldRange(t, "u-4", "09:00", "09:45")
	if got := booking(t, s.Shop, b.ID); !got.During.To.Equal(s.During(t, "10:00", "11:00").To) || got.Amount.Minor != 2000 {
		t.Errorf("the buyer's own range grew: %+v", got)
	}
}

// Case B01 (c): many buyers, one range, the same millisecond, two daemons; in
// each round a rival inserts the range first and takes it back.
func TestHoldRange_B01_sameRangeBesideARival(t *testing.T) {
	t.Parallel()
	const clients, rounds = 32, 200
	s := pgtest.OpenStudio(t, func(r *inventory.Resource) {
		r.Slot, r.MaxStay = 0, 24*time.Hour
		r.Week = inventory.OpenEveryDay(timezone.Hours{Closes: timezone.NewTimeOfDay(24, 0)})
	})
	stores := []*pgstore.Store{s.Store, s.DB.Store(t, 8)}
	for round := range rounds {
		during := s.During(t, "10:00", "11:00")
		from := timezone.WallTime{Day: s.Day.Add(date.PeriodOfDays(round)), Time: timezone.NewTimeOfDay(10, 0)}
		var err error
		if during.From, err = timezone.InstantOf(from, s.Zone); err != nil {
			t.Fatal(err)
		}
		during.To = during.From.Add(time.Hour)
		rival := rivalFor(t, s, during)
		won := race(t, clients, func(i int) error {
			if i == clients/2 {
				rival()
			}
			r := inventory.RangeHoldRequest{Resource: s.Resource.Ref, During: during, Buyer: fmt.Sprint("u-", i), Actor: inventory.Staff("test")}
			_, _, err := stores[i%2].HoldRange(t.Context(), r)
			return err
		}, inventory.ErrRangeTaken)
		if won != 1 {
			t.Fatalf("round %d: %d buyers hold one range", round, won)
		}
	}
	s.DB.AssertNoDeadlocks(t)
}

// rivalFor is somebody who inserts the range by hand and takes it back.
func rivalFor(t *testing.T, s pgtest.Studio, during inventory.Range) func() {
	t.Helper()
	tx, err := s.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `INSERT INTO booking (id, venue_id, resource_id, during, blocked, local_from, local_to, zone, quantity, buyer, state, expires_at,
		amount_minor, currency, one_per_buyer, last_cause, last_actor, created_at, updated_at)
		VALUES (gen_random_uuid(), $1, $2, tstzrange($3, $4), tstzrange($3, $4), '2027-01-01', '2027-01-01', 'UTC', 1, 'rival', 'HELD', now() + interval '1 hour',
		0, 'EUR', false, 'hold', 'test', now(), now())`, s.Venue.ID, s.Resource.ID, during.From, during.To)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func TestHoldRange_zonesAndClockChanges(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, func(r *inventory.Resource) {
		r.Slot = 0
		r.Week = inventory.OpenEveryDay(timezone.Hours{Closes: timezone.NewTimeOfDay(24, 0)})
	})
	hold := func(from, to string) inventory.Booking {
		t.Helper()
		r := inventory.RangeHoldRequest{Resource: s.Resource.Ref, Buyer: "u-" + from, Actor: inventory.Staff("test")}
		var err error
		if r.During.From, err = timezone.ParseLocal(from, s.Zone); err != nil {
			t.Fatal(err)
		}
		if r.During.To, err = timezone.ParseLocal(to, s.Zone); err != nil {
			t.Fatal(err)
		}
		b, _, err := s.Store.HoldRange(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return booking(t, s.Shop, b.ID)
	}
	spring := hold("2027-03-28T01:00", "2027-03-28T04:00")
	if spring.During.Length() != 2*time.Hour || spring.Amount.Minor != 4000 {
		t.Errorf("01:00 to 04:00 on the day of 23 hours: %v, %s", spring.During.Length(), spring.Amount)
	}
	autumn := hold("2027-10-31T01:00", "2027-10-31T04:00")
	if autumn.During.Length() != 4*time.Hour || autumn.Amount.Minor != 8000 {
		t.Errorf("01:00 to 04:00 on the day of 25 hours: %v, %s", autumn.During.Length(), autumn.Amount)
	}
	if autumn.LocalFrom.String() != "2027-10-31T01:00" || autumn.LocalTo.String() != "2027-10-31T04:00" || autumn.Zone != "Europe/Berlin" {
		t.Errorf("what was asked for is kept as %s to %s in %s", autumn.LocalFrom, autumn.LocalTo, autumn.Zone)
	}
}

// Expiry, late money and revive of ranges go the same ways as those of places.
func TestHoldRange_expiresAndIsRevivedOnce(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, nil)
	b := s.HoldRange(t, "u-1", "10:00", "11:00")
	later := s.After(t, 11*time.Minute)
	res, err := later.SweepHolds(t.Context(), 500)
	if err != nil || res.Expired != 1 || res.Resources != 1 {
		t.Fatalf("sweep = %+v, %v", res, err)
	}
	pgtest.Deliver(t, later, pgtest.Captured(b, "pay_1"))
	z, err := later.Zombie(t.Context(), booking(t, s.Shop, b.ID).Payments[0].ID)
	if err != nil || z.CanGo != nil || z.Booking.Claimed() != "Studio A 10:00-11:00" {
		t.Fatalf("zombie = %+v, %v", z, err)
	}
	won := race(t, 8, func(int) error {
		_, err := later.ReviveZombie(t.Context(), z.Payment.ID, 0, inventory.Staff("mira"), "phoned")
		return err
	}, inventory.ErrNotAllowed, inventory.ErrStale)
	if won != 1 || s.State(t, b.ID) != inventory.StateConfirmed {
		t.Errorf("%d revives, state %s", won, s.State(t, b.ID))
	}
	if _, _, err := later.HoldRange(t.Context(), s.Ask(t, "u-2", "10:00", "11:00")); !errors.Is(err, inventory.ErrRangeTaken) {
		t.Errorf("beside the revived one: %v", err)
	}
}

// A dead sweep blocks nobody: what an overdue hold keeps is free for the next.
func TestHoldRange_overdueHoldsMakeRoom(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, nil)
	b := s.HoldRange(t, "u-1", "10:00", "12:00")
	later := s.After(t, 11*time.Minute)
	if _, _, err := later.HoldRange(t.Context(), s.Ask(t, "u-2", "11:00", "13:00")); err != nil {
		t.Fatal(err)
	}
	pgtest.Deliver(t, later, pgtest.Captured(b, "pay_1"))
	z, err := later.Zombie(t.Context(), booking(t, s.Shop, b.ID).Payments[0].ID)
	if err != nil || !errors.Is(z.CanGo, inventory.ErrRangeTaken) {
		t.Errorf("zombie can go: %v, %v", z.CanGo, err)
	}
	if _, err := later.ReviveZombie(t.Context(), z.Payment.ID, 0, inventory.Staff("mira"), "phoned"); !errors.Is(err, inventory.ErrRangeTaken) {
		t.Errorf("revive without room: %v", err)
	}
}

func TestHoldRange_idempotencyKey(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenStudio(t, nil)
	r := s.Ask(t, "u-1", "10:00", "11:00")
	r.IdempotencyKey = "k-1"
	first, _, err := s.Store.HoldRange(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	again, replayed, err := s.Store.HoldRange(context.Background(), r)
	if err != nil || !replayed || again.ID != first.ID {
		t.Errorf("the same again: %v, %t, %v", again.ID, replayed, err)
	}
	r.During = s.During(t, "11:00", "12:00")
	if _, _, err := s.Store.HoldRange(t.Context(), r); !errors.Is(err, inventory.ErrIdempotencyConflict) {
		t.Errorf("another request under the key: %v", err)
	}
}
