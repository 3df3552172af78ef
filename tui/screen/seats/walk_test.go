package seats_test

import (
	"slices"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/screen/seats"
)

// at fails the test unless the cursor is on the seat.
func at(t *testing.T, h *house, m *seats.Model, want string) {
	t.Helper()
	id, ok := m.Cursor()
	if !ok || h.at(id).Short() != want {
		got := "nowhere"
		if ok {
			got = h.at(id).Short()
		}
		t.Errorf("the cursor is on %s, want %s", got, want)
	}
}

func TestWalk_AlongARowSkipsAislesAndStopsAtTheEnds(t *testing.T) {
	t.Parallel()

	h := empty()
	c, m := openModel(t, h)
	at(t, h, m, "A-01")
	c.Press("left")
	at(t, h, m, "A-01")
	c.Press("right", "right", "right", "right", "right", "right", "right")
	at(t, h, m, "A-09") // 8 is an aisle
	c.Press("left")
	at(t, h, m, "A-07")
	c.Press("end")
	at(t, h, m, "A-30")
	c.Press("right")
	at(t, h, m, "A-30")
	c.Press("home")
	at(t, h, m, "A-01")
}

// Up and down keep to the column, also past a row that does not have it.
func TestWalk_UpAndDownKeepTheColumn(t *testing.T) {
	t.Parallel()

	h := empty()
	for n := 12; n <= 30; n++ { // row B ends at 11
		if n != 23 {
			h.find("B", n).Row = "B+"
		}
	}
	h.seats = slices.Concat(h.seats[:38], h.seats[56:], h.seats[38:56]) // B+ comes last
	c, m := openModel(t, h)
	goTo(c, "A-20")
	c.Press("down")
	at(t, h, m, "B-11")
	c.Press("down")
	at(t, h, m, "C-20")
	c.Press("up", "up", "up")
	at(t, h, m, "A-20")
}

func TestWalk_NextFreeGoesRoundTheHall(t *testing.T) {
	t.Parallel()

	h := gala()
	c, m := openModel(t, h)
	goTo(c, "F-11")
	c.Press("tab")
	at(t, h, m, "F-14")
	for i := range h.seats { // two are left, one in each section
		if s := &h.seats[i]; s.State == inventory.SeatAvailable && s.Short() != "F-14" && s.Short() != "3-02" {
			h.kill(s.ID, "closed")
		}
	}
	c.Tick()
	c.Press("tab")
	at(t, h, m, "3-02")
	c.Press("tab")
	at(t, h, m, "F-14")
	h.kill(h.id("F", 14), "closed")
	h.kill(h.id("3", 2), "closed")
	c.Tick()
	c.Press("tab")
	c.Shows("no seat of this event is free")
}

func TestWalk_SectionsRememberWhereOneWas(t *testing.T) {
	t.Parallel()

	h := empty()
	c, m := openModel(t, h)
	goTo(c, "F-12")
	c.Press("]")
	at(t, h, m, "1-01")
	c.Shows("BALKON  free 36", "section 2 of 2")
	c.Press("down", "]")
	at(t, h, m, "F-12")
	c.Press("[")
	at(t, h, m, "2-01")
}

func TestWalk_ScrollsToTheCursor(t *testing.T) {
	t.Parallel()

	h := empty()
	c, m := openModel(t, h)
	c.Resize(40, 12)
	c.Press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "end")
	at(t, h, m, "L-30")
	c.Shows(" L ", "30", ">o")
	c.Hides(" A ")
	c.Resize(160, 50)
	c.Shows(" A ", " L ")
}

// A seat that appears before the cursor, or all seats in another order, cannot
// move the cursor to another seat; a seat that is gone is told.
func TestWalk_TheCursorIsASeat(t *testing.T) {
	t.Parallel()

	h := empty()
	c, m := openModel(t, h)
	goTo(c, "F-12")
	h.seats = append([]inventory.Seat{{ID: 9000, Section: "LOGE", Row: "1", Number: 1, Category: "1", Price: eur(1), State: inventory.SeatAvailable}}, h.seats...)
	c.Tick()
	at(t, h, m, "F-12")
	h.seats = h.seats[:50]
	c.Tick()
	c.Shows("PARKETT F-12 is not in the hall any more; this is another seat")
}

func TestFind(t *testing.T) {
	t.Parallel()

	h := gala()
	h.add("BALKON", "F", 12, "3", 6500)
	h.add("BALKON", "F", 13, "3", 6500)
	c, m := openModel(t, h)
	for _, tc := range []struct{ text, want string }{
		{"F-12", "F-12"}, {"g7", "G-07"}, {"parkett h 9", "H-09"}, {"15", "H-15"}, {"a-01", "A-01"},
	} {
		goTo(c, tc.text)
		at(t, h, m, tc.want)
		c.Shows("PARKETT, row")
	}
	goTo(c, "balkon f-12")
	c.Shows("BALKON, row F, seat 12")
	goTo(c, "F-13") // of the section where one is
	c.Shows("BALKON, row F, seat 13")
	goTo(c, "u-1029") // a person
	at(t, h, m, "F-12")
	c.Shows("u-1029 has PARKETT F-12, 1 of 2 seats; / enter: the next", "PARKETT, row F, seat 12")
	goTo(c, "u-1029")
	at(t, h, m, "F-13")
	goTo(c, "nobody")
	at(t, h, m, "F-13")
	c.Shows(`no seat and nobody with a seat here is called "nobody"`)
	c.Press("/")
	c.Type("b q o m")
	c.Press("esc")
	at(t, h, m, "F-13")
	if len(h.writes) > 0 {
		t.Errorf("typing wrote %q", h.writes)
	}
}

func TestMark_SpaceRunsAndRanges(t *testing.T) {
	t.Parallel()

	h := gala()
	c, m := openModel(t, h)
	want := func(seats string) {
		t.Helper()
		if got := h.short(m.Marks()); got != seats {
			t.Errorf("marked are %s, want %s", got, seats)
		}
	}
	goTo(c, "F-10")
	c.Press("space", "space")
	want("")
	c.Press("shift+right", "shift+right", "shift+right", "shift+right") // over F-12, F-13, which are held
	want("F-10,F-11,F-14")
	c.Press("esc")
	want("")
	goTo(c, "F-15")
	c.Press("v", "right", "right", "down")
	c.Shows("range: v ends it", "From PARKETT F-15 to here")
	c.Press("v")
	want("F-15,F-16,F-17,G-15,G-16,G-17")
	c.Press("esc", "v", "esc", "v", "esc")
	want("")
	goTo(c, "12")
	c.Press("space") // held? G-12 is free
	want("G-12")
	c.Press("*")
	if n := len(m.Marks()); n != 25 { // 28 of the row, two booked, one being paid
		t.Errorf("%d marked, want the 25 free ones of the row", n)
	}
	c.Press("*")
	want("")
}

func TestMark_OneKindAtATime(t *testing.T) {
	t.Parallel()

	h := gala()
	c, m := openModel(t, h)
	goTo(c, "F-12")
	c.Press("space")
	c.Shows("only free seats and seats off sale can be marked; this one is held")
	goTo(c, "F-24")
	c.Press("space", "right", "space")
	c.Shows("the marked seats are free, this one is off sale; esc unmarks them")
	if n := len(m.Marks()); n != 1 {
		t.Errorf("%d marked, want 1", n)
	}
}

// Marks of seats that others take are dropped, and named.
func TestMark_TakenMeanwhile(t *testing.T) {
	t.Parallel()

	h := gala()
	c, m := openModel(t, h)
	goTo(c, "F-15")
	c.Press("space", "shift+right", "shift+right")
	h.give(0xabc, "u-new", inventory.StateHeld, time.Minute, h.id("F", 16))
	c.Tick()
	if got := h.short(m.Marks()); got != "F-15,F-17" {
		t.Errorf("marked are %s, want F-15,F-17", got)
	}
	c.Shows("PARKETT F-16 is held now and no longer marked", "2 marked: PARKETT F-15, F-17")
}

func TestBlocks_OpenAndKeepTheSeat(t *testing.T) {
	t.Parallel()

	h := gala()
	c, m := openModel(t, h)
	goTo(c, "F-12")
	c.Press("z")
	c.Shows(">  ####h", "PARKETT, rows A to J")
	c.Press("z")
	at(t, h, m, "F-12")
	c.Press("z", "down", "enter")
	at(t, h, m, "K-01")
	c.Press("z", "end", "enter")
	c.Shows("BALKON, row 1")
	c.Press("z", "[")
	c.Shows("PARKETT, rows")
	c.Press("space", "b", "o", "m")
	c.Hides("BOOK", "REASON")
}

func TestEvents_ChoosingOne(t *testing.T) {
	t.Parallel()

	h := festival()
	c := open(t, h)
	c.Press("down", "enter")
	c.Shows("Matinee  Sun 2026-12-06 11:00 +01:00")
	c.Press("space", "g")
	c.Shows("COMING EVENTS")
	c.Press("end", "enter")
	c.Shows("New Year's Eve", "SALES STOPPED")
	c.Hides("marked:")
}

// The only event is shown at once; g still leads to the list.
func TestEvents_TheOnlyOne(t *testing.T) {
	t.Parallel()

	c := open(t, gala())
	c.Shows("Gala", "PARKETT")
	c.Press("g")
	c.Shows("COMING EVENTS", ">  Fri 2026-12-04")
	c.Tick()
	c.Tick()
	c.Shows("COMING EVENTS")
	c.Press("enter")
	c.Shows("PARKETT")
}
