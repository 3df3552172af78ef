package pgstore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// ids are the ids of seats by their short names.
func ids(t *testing.T, h pgtest.Hall, names ...string) []inventory.SeatID {
	t.Helper()
	var out []inventory.SeatID
	for _, n := range names {
		out = append(out, h.Seat(t, n))
	}
	return out
}

func TestKillSeats_andBack(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	mira := inventory.Staff("mira")
	killed, err := h.Store.KillSeats(t.Context(), mira, h.Event.ID, ids(t, h, "B-02", "A-07"), "view blocked by a camera")
	if err != nil || len(killed) != 2 {
		t.Fatalf("%+v, %v", killed, err)
	}
	for i, name := range []string{"A-07", "B-02"} { // in the order of the hall
		want := h.Seats[slices.IndexFunc(h.Seats, func(s inventory.Seat) bool { return s.Short() == name })]
		want.State, want.KillReason, want.Version = inventory.SeatKilled, "view blocked by a camera", 2
		if killed[i] != want {
			t.Errorf("%s is %+v, want %+v", name, killed[i], want)
		}
	}
	if _, _, err := h.Store.HoldSeats(t.Context(), h.Ask(t, "u-1", "A-06", "A-07")); !errors.Is(err, inventory.ErrSeatTaken) {
		t.Errorf("hold of a killed seat: %v", err)
	}
	if e, err := h.Store.Event(t.Context(), h.Event.Ref); err != nil || e.Seats != (inventory.SeatCounts{Available: 28, Killed: 2}) || e.Version != 1 {
		t.Errorf("event %+v, %v", e, err)
	}
	back, err := h.Store.UnkillSeats(t.Context(), inventory.Staff("noor"), h.Event.ID, ids(t, h, "A-07"), "camera moved")
	if err != nil || len(back) != 1 || back[0].State != inventory.SeatAvailable || back[0].KillReason != "" || back[0].Version != 3 {
		t.Fatalf("%+v, %v", back, err)
	}
	h.HoldSeats(t, "u-1", "A-06", "A-07")

	entries, err := h.Store.Audit(t.Context(), inventory.AuditFilter{Subject: "seat "})
	var got []string
	for _, e := range slices.Backward(entries) {
		got = append(got, fmt.Sprintf("%s %s %s: %s -> %s (%s)", e.Actor, e.Action, e.Subject, e.Before, e.After, e.Reason))
	}
	want := []string{
		`staff:mira seat.kill seat harbour/gala PARKETT A-07: {"state": "AVAILABLE"} -> {"state": "KILLED", "reason": "view blocked by a camera"} (view blocked by a camera)`,
		`staff:mira seat.kill seat harbour/gala PARKETT B-02: {"state": "AVAILABLE"} -> {"state": "KILLED", "reason": "view blocked by a camera"} (view blocked by a camera)`,
		`staff:noor seat.unkill seat harbour/gala PARKETT A-07: {"state": "KILLED", "reason": "view blocked by a camera"} -> {"state": "AVAILABLE"} (camera moved)`,
	}
	slices.Sort(got[:min(2, len(got))]) // one statement: the order within it is PostgreSQL's
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("audit, %v:\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestKillSeats_allOrNoneAndWhoIsInTheWay(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	mira := inventory.Staff("mira")
	h.HoldSeats(t, "u-1", "A-02")
	comp := h.Ask(t, "u-2", "A-03")
	comp.Comp, comp.Reason = true, "press"
	if _, _, err := h.Store.HoldSeats(t.Context(), comp); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Store.KillSeats(t.Context(), mira, h.Event.ID, ids(t, h, "A-04"), "broken"); err != nil {
		t.Fatal(err)
	}
	_, err := h.Store.KillSeats(t.Context(), mira, h.Event.ID, ids(t, h, "A-04", "A-01", "A-03", "A-02"), "stage")
	var taken *inventory.SeatTakenError
	if !errors.As(err, &taken) || !slices.Equal(taken.Seats, ids(t, h, "A-02", "A-03", "A-04")) {
		t.Errorf("kill of a held, a sold and a killed seat: %v", err)
	}
	_, err = h.Store.UnkillSeats(t.Context(), mira, h.Event.ID, ids(t, h, "A-04", "A-02", "A-05"), "mended")
	if want := "seat PARKETT A-02: is HELD, not KILLED; seat PARKETT A-05: is AVAILABLE, not KILLED"; !errors.Is(err, inventory.ErrNotAllowed) || inventory.Message(err) != want {
		t.Errorf("unkill of seats that are on sale: %v", err)
	}
	if e, err := h.Store.Event(t.Context(), h.Event.Ref); err != nil || e.Seats != (inventory.SeatCounts{Available: 27, Held: 1, Booked: 1, Killed: 1}) {
		t.Errorf("seats %+v, %v", e.Seats, err)
	}
}

func TestKillSeats_refusals(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	other := h.Event
	other.Ref.Event = "matinee"
	other, err := h.Store.AddEvent(t.Context(), inventory.Staff("mira"), other)
	if err != nil {
		t.Fatal(err)
	}
	a1 := h.Seat(t, "A-01")
	for _, c := range []struct {
		name   string
		event  inventory.EventID
		seats  []inventory.SeatID
		reason string
		code   string
	}{
		{"without a reason", h.Event.ID, []inventory.SeatID{a1}, "", "INVALID"},
		{"with a reason that is none", h.Event.ID, []inventory.SeatID{a1}, "\x1b[2J", "INVALID"},
		{"no seats", h.Event.ID, nil, "broken", "INVALID"},
		{"a seat twice", h.Event.ID, []inventory.SeatID{a1, a1}, "broken", "INVALID"},
		{"a seat that does not exist", h.Event.ID, []inventory.SeatID{a1, 999_999}, "broken", "NOT_FOUND"},
		{"a seat of another event", other.ID, []inventory.SeatID{a1}, "broken", "NOT_FOUND"},
		{"no such event", inventory.NewEventID(), []inventory.SeatID{a1}, "broken", "NOT_FOUND"},
	} {
		if _, err := h.Store.KillSeats(t.Context(), inventory.Staff("mira"), c.event, c.seats, c.reason); inventory.Code(err) != c.code {
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
	}
	if state := h.SeatState(t, "A-01"); state != inventory.SeatAvailable {
		t.Errorf("A-01 is %s after refusals only", state)
	}
}

// A seat is held by a buyer or killed by staff, never both, and nobody waits in
// a circle.
func TestKillSeats_againstBuyers(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	names := []string{"A-01", "A-02", "A-03"}
	for round := range 10 {
		won := race(t, 8, func(i int) error {
			order := slices.Clone(names)
			if i%4 > 1 {
				slices.Reverse(order)
			}
			if i%2 == 0 {
				_, err := h.Store.KillSeats(t.Context(), inventory.Staff("mira"), h.Event.ID, ids(t, h, order...), "broken")
				return err
			}
			_, _, err := h.Store.HoldSeats(t.Context(), h.Ask(t, fmt.Sprint(round, "-", i), order...))
			return err
		}, inventory.ErrSeatTaken)
		if won != 1 {
			t.Fatalf("round %d: %d of 8 got the seats", round, won)
		}
		m, err := h.Store.SeatMap(t.Context(), h.Event.ID)
		if err != nil {
			t.Fatal(err)
		}
		if s := m.Seats[0]; s.State == inventory.SeatKilled {
			_, err = h.Store.UnkillSeats(t.Context(), inventory.Staff("mira"), h.Event.ID, ids(t, h, names...), "mended")
		} else {
			_, err = h.Store.ReleaseHold(t.Context(), s.BookingID, 0, inventory.Staff("mira"), "")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	h.DB.AssertNoDeadlocks(t)
}

func TestSeatsByName_ofOneEvent(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	found, err := h.Store.SeatsByName(t.Context(), h.Event.ID, []string{"B-3", "PARKETT A-01", h.Seat(t, "C-10").String()})
	var names []string
	for _, s := range found {
		names = append(names, s.Name())
	}
	if want := []string{"PARKETT B-03", "PARKETT A-01", "PARKETT C-10"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v, want %v", names, err, want)
	}
	if err := second(h.Store.SeatsByName(t.Context(), h.Event.ID, []string{"Z-01"})); inventory.Code(err) != "INVALID" {
		t.Errorf("a seat that does not exist: %v", err)
	}
	if err := second(h.Store.SeatsByName(t.Context(), inventory.NewEventID(), []string{"A-01"})); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("no such event: %v", err)
	}
}
