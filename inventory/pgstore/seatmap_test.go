package pgstore_test

import (
	"errors"
	"slices"
	"testing"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

func TestSeatMap_asItStandsAtOneInstant(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	held := h.HoldSeats(t, "u-1", "A-01", "A-02")
	before := h.Now(t)
	m, err := h.Store.SeatMap(t.Context(), h.Event.ID)
	if err != nil {
		t.Fatal(err)
	}
	if m.AsOf.Before(before) || m.AsOf.After(h.Now(t)) {
		t.Errorf("as of %s, which is not between the clock's readings", m.AsOf)
	}
	if want := (inventory.SeatCounts{Available: 28, Held: 2}); m.Event.Seats != want || m.Event.Ref != h.Event.Ref {
		t.Errorf("event %+v", m.Event)
	}
	for i, s := range m.Seats {
		want := h.Seats[i]
		if i < 2 {
			want.State, want.BookingID, want.Version = inventory.SeatHeld, held.ID, 2
		}
		if s != want {
			t.Errorf("seat %d is %+v, want %+v", i, s, want)
		}
	}
}

// Whatever happens to a seat changes the mark, and nothing else does.
func TestSeatMapMark_changesWithEachSeat(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	seen := map[string]string{}
	mark := func(after string) {
		t.Helper()
		m, err := h.Store.SeatMapMark(t.Context(), h.Event.ID)
		again, againErr := h.Store.SeatMapMark(t.Context(), h.Event.ID)
		if err != nil || againErr != nil || m.Text != again.Text || again.AsOf.Before(m.AsOf) {
			t.Fatalf("after %s: %+v, then %+v, %v, %v", after, m, again, err, againErr)
		}
		if before, known := seen[m.Text]; known {
			t.Errorf("after %s the mark is that after %s", after, before)
		}
		seen[m.Text] = after
	}
	mark("the import")
	held := h.HoldSeats(t, "u-1", "A-01", "A-02")
	mark("a hold")
	if _, err := h.Store.ReleaseHold(t.Context(), held.ID, 0, inventory.Staff("test"), "enough"); err != nil {
		t.Fatal(err)
	}
	mark("its release")
	if _, err := h.DB.Pool.Exec(t.Context(), "UPDATE seat SET category = 'CAT 2' WHERE id = $1", h.Seat(t, "A-03")); err != nil {
		t.Fatal(err)
	}
	mark("another category")
	if _, err := h.Store.SeatMapMark(t.Context(), inventory.NewEventID()); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("of no event: %v, want ErrNotFound", err)
	}
}

// needingRepair are the seats of the map that need it, by their short names.
func needingRepair(t *testing.T, h pgtest.Hall) []string {
	t.Helper()
	m, err := h.Store.SeatMap(t.Context(), h.Event.ID)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range m.Seats {
		if s.NeedsRepair {
			names = append(names, s.Short())
		}
	}
	return names
}

// Case B29: a seat in a state that contradicts its owner is shown as such, and
// the others still sell.
func TestSeatMap_B29_badSeatNeedsRepairAndOthersSell(t *testing.T) {
	t.Parallel()
	db := pgtest.DB(t, pgtest.AllowViolations())
	h := pgtest.HallIn(t, pgtest.OpenShopIn(t, db), pgtest.Rows("PARKETT", "CAT 1", 5000, 10, "A", "B"))
	for _, name := range []string{"A-03", "A-04", "A-05", "A-06", "A-07"} {
		h.HoldSeats(t, "u-"+name, name)
	}
	comp := h.Ask(t, "u-A-08", "A-08")
	comp.Comp, comp.Reason = true, "press"
	if _, _, err := h.Store.HoldSeats(t.Context(), comp); err != nil {
		t.Fatal(err)
	}
	if bad := needingRepair(t, h); bad != nil {
		t.Fatalf("%v need repair before anything was broken", bad)
	}
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := db.Pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`ALTER TABLE seat DROP CONSTRAINT seat_owner, DROP CONSTRAINT seat_killed_why`)
	exec(`UPDATE seat SET state = 'AVAILABLE' WHERE id = $1`, h.Seat(t, "A-03"))                    // an owner, and yet AVAILABLE
	exec(`UPDATE seat SET state = 'AVAILABLE', booking_id = NULL WHERE id = $1`, h.Seat(t, "A-04")) // claimed live, and yet AVAILABLE
	exec(`UPDATE booking_seat SET live = false WHERE seat_id = $1`, h.Seat(t, "A-05"))              // held for a booking that does not claim it
	exec(`UPDATE seat SET state = 'BOOKED' WHERE id = $1`, h.Seat(t, "A-06"))                       // sold to a booking that only holds it
	exec(`UPDATE seat SET state = 'KILLED', booking_id = NULL WHERE id = $1`, h.Seat(t, "A-07"))    // out of sale, and yet claimed
	exec(`UPDATE seat SET state = 'HELD' WHERE id = $1`, h.Seat(t, "A-08"))                         // held for a booking that bought it
	exec(`UPDATE seat SET state = 'HELD' WHERE id = $1`, h.Seat(t, "A-09"))                         // held for nobody
	exec(`UPDATE seat SET booking_id = gen_random_uuid() WHERE id = $1`, h.Seat(t, "B-05"))         // an owner that is no booking
	bad := []string{"A-03", "A-04", "A-05", "A-06", "A-07", "A-08", "A-09", "B-05"}
	if got := needingRepair(t, h); !slices.Equal(got, bad) {
		t.Errorf("%v need repair, want %v", got, bad)
	}

	h.HoldSeats(t, "u-1", "A-01", "A-02", "A-10")
	best, _, err := h.Store.HoldSeats(t.Context(), inventory.SeatHoldRequest{Event: h.Event.ID, Best: 2, Buyer: "u-2", Actor: inventory.Staff("test")})
	if err != nil || best.Seats[0].Short() != "B-06" {
		t.Errorf("best two: %v, %v, want B-06 and B-07", best.Seats, err)
	}
	if _, err := h.Store.KillSeats(t.Context(), inventory.Staff("mira"), h.Event.ID, ids(t, h, "B-01"), "broken"); err != nil {
		t.Errorf("kill of a good seat: %v", err)
	}
	for _, name := range bad {
		if _, _, err := h.Store.HoldSeats(t.Context(), h.Ask(t, "u-3", name)); !errors.Is(err, inventory.ErrSeatTaken) {
			t.Errorf("hold of %s: %v", name, err)
		}
		if _, err := h.Store.KillSeats(t.Context(), inventory.Staff("mira"), h.Event.ID, ids(t, h, name), "broken"); !errors.Is(err, inventory.ErrSeatTaken) {
			t.Errorf("kill of %s: %v", name, err)
		}
	}
}
