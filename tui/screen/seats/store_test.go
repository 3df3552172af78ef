package seats_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
	"holdfast/tui/screen/seats"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// program is one console on a store of its own, as another process would be.
func program(t *testing.T, hall pgtest.Hall, who string) *tuitest.Console {
	t.Helper()
	zone, err := timezone.ParseZone(hall.Venue.Zone)
	if err != nil {
		t.Fatal(err)
	}
	store := hall.DB.Store(t, 4)
	c := tuitest.Open(t, tuitest.Options{
		Venue:  ui.Venue{Slug: hall.Venue.Slug, Name: hall.Venue.Name, Zone: zone.Location()},
		Screen: func(env *ui.Env) ui.Screen { return seats.New(env, store, inventory.Staff(who)) },
	})
	c.Clock.Advance(time.Since(c.Clock.Now())) // countdowns are measured by the database's clock
	c.Press("r")
	return c
}

// Two consoles book overlapping seats: one gets all of its, the other none, and
// is told which seats were gone.
func TestStore_TwoConsolesBookTheSameSeats(t *testing.T) {
	t.Parallel()

	hall := pgtest.OpenHall(t)
	consoles := []*tuitest.Console{program(t, hall, "mira"), program(t, hall, "jan")}
	for i, c := range consoles {
		c.Shows("PARKETT  free 30")
		goTo(c, []string{"B-04", "B-05"}[i])
		c.Press("space", "shift+right", "b")
		c.Type([]string{"u-1", "u-2"}[i])
	}
	var wg sync.WaitGroup
	for _, c := range consoles {
		wg.Go(func() { c.Press("ctrl+s") })
	}
	wg.Wait()
	won := 0
	for _, c := range consoles {
		switch view := c.View(); {
		case strings.Contains(view, "held for u-"):
			won++
			c.Shows("PARKETT  free 28  held 2")
		case strings.Contains(view, "nothing was booked: PARKETT B-05 is not free any more"):
		default:
			t.Errorf("a console says neither:\n%s", view)
		}
	}
	if won != 1 {
		t.Errorf("%d consoles won, want 1", won)
	}
}

// A comp, off sale and back, a move and a person found, as the store has them.
func TestStore_WhatStaffDo(t *testing.T) {
	t.Parallel()

	hall := pgtest.OpenHall(t)
	held := hall.HoldSeats(t, "u-9", "C-01", "C-02")
	c := program(t, hall, "mira")
	goTo(c, "A-05")
	c.Press("b")
	c.Type("press")
	c.Press("tab", "right", "tab")
	c.Type("house list")
	c.Press("ctrl+s")
	c.Shows("given to press as a comp: PARKETT A-05", "BOOKED v2")

	goTo(c, "A-10")
	c.Press("space", "shift+left", "o")
	reason(c, 1)
	c.Press("enter")
	c.Shows("off sale: PARKETT A-09, A-10", "off 2")
	c.Press("o")
	reason(c, 1)
	c.Press("enter")
	c.Shows("back on sale: PARKETT A-09", "off 1")

	goTo(c, "u-9")
	c.Shows("u-9 has PARKETT C-01, 1 of 2 seats", "hold .."+held.ID.Short()+" with C-02, EUR 100.00 (CAT 1)")
	c.Press("m")
	goTo(c, "B-05")
	c.Press("enter")
	c.Shows("PARKETT C-01, C-02", "PARKETT B-05, C-02", "EUR 100.00, as before")
	reason(c, 1)
	c.Press("enter")
	c.Shows("moved, v2: PARKETT C-01 -> PARKETT B-05 for u-9, EUR 100.00", "with C-02")
	if s := hall.SeatState(t, "C-01"); s != inventory.SeatAvailable {
		t.Errorf("C-01 is %s, want AVAILABLE", s)
	}
	c.Press("enter")
	c.Shows("SEAT B-05  HELD", "PARKETT B-05, C-02")
	c.Press("pgdown")
	c.Shows("moved by staff:mira")
}

// What one console drew before the other changed it is not written over.
func TestStore_TwoConsolesMoveOneBooking(t *testing.T) {
	t.Parallel()

	hall := pgtest.OpenHall(t)
	hall.HoldSeats(t, "u-9", "C-01")
	mira, jan := program(t, hall, "mira"), program(t, hall, "jan")
	for i, c := range []*tuitest.Console{mira, jan} {
		goTo(c, "C-01")
		c.Press("m")
		goTo(c, []string{"A-01", "A-02"}[i])
		c.Press("enter")
		reason(c, 1)
	}
	mira.Press("enter")
	mira.Shows("moved, v2")
	jan.Press("enter")
	jan.Shows("Nothing changed: someone else was faster.", "moved by staff:mira")
	jan.Press("enter", "r")
	jan.Shows("free 29  held 1")
}
