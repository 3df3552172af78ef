package seats_test

import (
	"slices"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

func wantWrites(t *testing.T, h *house, want ...string) {
	t.Helper()
	if !slices.Equal(h.writes, want) {
		t.Errorf("the database was asked to %q, want %q", h.writes, want)
	}
}

// reason types a reason into a confirmation and goes to its last button.
func reason(c *tuitest.Console, buttons int) {
	c.Press("up")
	c.Type("phoned")
	for range buttons + 1 {
		c.Press("tab")
	}
}

func TestBook_AHold(t *testing.T) {
	t.Parallel()

	h := gala()
	c, m := openModel(t, h)
	goTo(c, "F-15")
	c.Press("space", "shift+right", "b")
	c.Shows("BOOK 2 SEATS", "PARKETT F-15, F-16 of Gala, Fri 2026-12-04 19:30 +01:00. EUR 240.00.", "kept for 5m")
	c.Frame("book")
	c.FrameAt("book", 40, 12)
	c.Type("u-7")
	c.Press("ctrl+s")
	wantWrites(t, h, `hold F-15,F-16 for "u-7"`)
	c.Shows("held for u-7 until 12:43:", "PARKETT F-15, F-16, EUR 240.00")
	if n := len(m.Marks()); n != 0 {
		t.Errorf("%d are still marked", n)
	}
	c.Shows("HELD v2", "u-7, hold ..") // the cursor rests on one of them
}

func TestBook_ACompNeedsAReason(t *testing.T) {
	t.Parallel()

	h := gala()
	c := open(t, h)
	goTo(c, "F-15")
	c.Press("b")
	c.Press("ctrl+s")
	c.Shows("BOOK ONE SEAT", "! is missing")
	c.Type("press")
	c.Press("tab", "right", "ctrl+s")
	c.Shows("BOOK ONE SEAT", "! is missing")
	wantWrites(t, h)
	c.Type("house list")
	c.Press("ctrl+s")
	wantWrites(t, h, `comp F-15 for "press" "house list"`)
	c.Shows("given to press as a comp: PARKETT F-15", "BOOKED v2")
}

func TestBook_OnlyWhatIsFree(t *testing.T) {
	t.Parallel()

	h := gala()
	c := open(t, h)
	goTo(c, "F-12")
	c.Press("b")
	c.Shows("only a free seat can be booked; this one is held")
	goTo(c, "F-25")
	c.Press("b")
	c.Shows("only a free seat can be booked; this one is off sale")
}

// What somebody else took while the form was open is named; what was typed stays.
func TestBook_SeatTaken(t *testing.T) {
	t.Parallel()

	h := gala()
	c, m := openModel(t, h)
	goTo(c, "F-15")
	c.Press("space", "shift+right", "shift+right", "b")
	c.Type("u-7")
	h.give(0xabc, "u-new", inventory.StateHeld, time.Minute, h.id("F", 16))
	c.Press("ctrl+s")
	c.Shows("nothing was booked: PARKETT F-16 is not free any more", "u-7")
	c.Press("esc")
	if got := h.short(m.Marks()); got != "F-15,F-17" {
		t.Errorf("marked are %s, want F-15,F-17", got)
	}
}

// A lost answer is looked up by its key, and one form never books twice.
func TestBook_AnswerLost(t *testing.T) {
	t.Parallel()

	t.Run("itWentThrough", func(t *testing.T) {
		t.Parallel()
		h := gala()
		h.lost = true
		c := open(t, h)
		goTo(c, "F-15")
		c.Press("b")
		c.Type("u-7")
		c.Press("ctrl+s")
		c.Shows("the answer was lost, but it went through: held for u-7")
	})
	t.Run("nothingSoFarAndSentAgain", func(t *testing.T) {
		t.Parallel()
		h := gala()
		h.writeErr = inventory.ErrUnknownOutcome
		c := open(t, h)
		goTo(c, "F-15")
		c.Press("b")
		c.Type("u-7")
		c.Press("ctrl+s")
		c.Shows("the answer was lost; so far nothing is booked")
		h.writeErr = nil
		c.Press("ctrl+s")
		c.Shows("held for u-7")
		wantWrites(t, h, `hold F-15 for "u-7"`, `hold F-15 for "u-7"`)
		if len(h.keys) != 1 {
			t.Errorf("%d keys were used, want the form's one", len(h.keys))
		}
	})
	t.Run("somebodyElse", func(t *testing.T) {
		t.Parallel()
		h := gala()
		h.writeErr = inventory.ErrUnknownOutcome
		c := open(t, h)
		goTo(c, "F-15")
		c.Press("b")
		c.Type("u-7")
		h.onWrite = func() { h.onWrite = nil; h.give(0xabc, "u-new", inventory.StateHeld, time.Minute, h.id("F", 16)) }
		c.Press("ctrl+s")
		c.Shows("so far nothing is booked")
	})
}

func TestBest_MarksWhatItFinds(t *testing.T) {
	t.Parallel()

	h := empty()
	for n := 1; n <= 30; n++ {
		if n != 8 && n != 23 && n != 11 && n != 12 && n != 13 {
			h.kill(h.id("A", n), "rehearsal")
		}
	}
	c, m := openModel(t, h)
	c.Press("B")
	c.Frame("best")
	c.Press("backspace", "3", "ctrl+s")
	if got := h.short(m.Marks()); got != "A-11,A-12,A-13" {
		t.Errorf("marked are %s, want A-11,A-12,A-13", got)
	}
	c.Shows("marked PARKETT A-11..A-13, EUR 360.00; b books", "3 marked")
	c.Press("b")
	c.Shows("BOOK 3 SEATS")
	c.Press("esc", "B", "backspace")
	c.Type("40")
	c.Press("ctrl+s")
	c.Shows("there are no 40 free seats side by side in PARKETT")
	c.Press("backspace", "backspace")
	c.Type("0")
	c.Press("ctrl+s")
	c.Shows("must be from 1 to 50")
	c.Press("backspace", "2", "tab", "tab")
	c.Type("3")
	c.Press("ctrl+s")
	c.Shows("side by side in PARKETT of category 3")
	c.Press("tab", "right", "ctrl+s") // anywhere
	wantWrites(t, h)
}

func TestOffSale_ThereAndBack(t *testing.T) {
	t.Parallel()

	h := gala()
	c := open(t, h)
	goTo(c, "F-15")
	c.Press("space", "shift+right", "o")
	c.Shows("TAKE 2 SEATS OFF SALE", "PARKETT F-15, F-16 of Gala", "free -> off sale", "free in the hall: 164 -> 162")
	c.Frame("off")
	c.Press("enter") // the focus is on Cancel
	c.Hides("TAKE 2")
	wantWrites(t, h)
	c.Press("o")
	reason(c, 1)
	c.Press("enter")
	wantWrites(t, h, `kill F-15,F-16 "phoned"`)
	c.Shows("off sale: PARKETT F-15, F-16", "OFF SALE v2", "off sale: phoned")
	c.Press("o")
	c.Shows("PUT ONE SEAT BACK ON SALE", "Off sale because", "phoned")
	reason(c, 1)
	c.Press("enter")
	wantWrites(t, h, `kill F-15,F-16 "phoned"`, `unkill F-16 "phoned"`)
	c.Shows("back on sale: PARKETT F-16", "FREE v3")
}

func TestOffSale_TakenMeanwhile(t *testing.T) {
	t.Parallel()

	h := gala()
	c := open(t, h)
	goTo(c, "F-15")
	c.Press("space", "shift+right", "o")
	reason(c, 1)
	h.give(0xabc, "u-new", inventory.StateHeld, time.Minute, h.id("F", 16))
	c.Press("enter")
	c.Shows("Nothing changed.", "PARKETT F-16 is not free any more.")
	c.Press("enter")

	goTo(c, "F-25")
	c.Press("esc", "o")
	reason(c, 1)
	h.find("F", 25).State = inventory.SeatAvailable
	c.Press("enter")
	c.Shows("Nothing changed.", "Not off sale any more: PARKETT F-25.")
}

func TestOffSale_AnswerLost(t *testing.T) {
	t.Parallel()

	h := gala()
	h.lost = true
	c := open(t, h)
	goTo(c, "F-15")
	c.Press("o")
	reason(c, 1)
	c.Press("enter")
	c.Shows("the answer was lost, but it went through: off sale: PARKETT F-15")
	h.lost, h.writeErr = false, inventory.ErrUnknownOutcome
	c.Press("o")
	reason(c, 1)
	c.Press("enter")
	c.Shows("The answer was lost. So far nothing has changed.")
}

func TestMove_SamePrice(t *testing.T) {
	t.Parallel()

	h := gala()
	c, m := openModel(t, h)
	goTo(c, "F-12")
	c.Press("m")
	c.Shows("moving F-12", "Moving PARKETT F-12 of u-1029 - this seat is held; tab goes to a free one.", "esc do not move")
	c.Press("enter")
	c.Shows("this seat is held: choose a free one; tab goes to the next")
	c.Press("tab")
	c.Shows("here: enter asks; EUR 240.00 as before.")
	c.Frame("moving")
	c.Press("enter")
	c.Shows("MOVE ONE SEAT", "Before", "PARKETT F-12, F-13", "After", "PARKETT F-13, F-14", "EUR 240.00, as before", "F-12: held -> free; F-14: free -> held")
	c.Frame("move")
	reason(c, 1)
	c.Press("enter")
	wantWrites(t, h, `move 000090fa to F-13,F-14 v1 keep=true "phoned"`)
	c.Shows("moved, v2: PARKETT F-12 -> PARKETT F-14 for u-1029, EUR 240.00")
	if m.Moving() {
		t.Error("the move is not over")
	}
	c.Shows("with F-13", "HELD")
}

// A hold may take the new price or keep the old one; what is paid keeps it.
func TestMove_OtherPrice(t *testing.T) {
	t.Parallel()

	h := gala()
	c := open(t, h)
	goTo(c, "F-12")
	c.Press("m")
	goTo(c, "balkon 2-5")
	c.Press("tab", "enter")
	c.Shows("EUR 240.00 now; these seats cost EUR 185.00", "[ Move, keep EUR 240.00 ]", "[ Move, EUR 185.00 ]")
	reason(c, 2)
	c.Press("enter")
	c.Shows("for u-1029, EUR 185.00")

	goTo(c, "G-06")
	c.Press("m")
	goTo(c, "balkon 2-9")
	c.Press("tab", "enter")
	c.Shows("EUR 240.00 is kept; these seats cost EUR 185.00", "[ Move, keep EUR 240.00 ]")
	c.Hides("[ Move, EUR")
	reason(c, 1)
	c.Press("enter")
	c.Shows("for u-2077, EUR 240.00")
}

func TestMove_Refused(t *testing.T) {
	t.Parallel()

	begin := func(t *testing.T) (*house, *tuitest.Console) {
		t.Helper()
		h := gala()
		c := open(t, h)
		goTo(c, "F-12")
		c.Press("m", "tab", "enter")
		reason(c, 1)
		return h, c
	}
	t.Run("seatTaken", func(t *testing.T) {
		t.Parallel()
		h, c := begin(t)
		h.give(0xabc, "u-new", inventory.StateHeld, time.Minute, h.id("F", 14))
		c.Press("enter")
		c.Shows("Nothing changed.", "PARKETT F-14 is not free any more.")
	})
	t.Run("bookingChanged", func(t *testing.T) {
		t.Parallel()
		h, c := begin(t)
		id := bookingID(0x90fa)
		b := h.bookings[id]
		b.Version++
		h.bookings[id] = b
		h.journal[id] = append(h.journal[id], inventory.JournalEntry{Seq: 2, To: inventory.StateHeld, Cause: inventory.CauseExtended, Actor: "staff:jan", At: start})
		c.Press("enter")
		c.Shows("Nothing changed: someone else was faster.", "It is HELD now (v2): extended by staff:jan")
		wantWrites(t, h)
	})
	t.Run("answerLost", func(t *testing.T) {
		t.Parallel()
		h, c := begin(t)
		h.lost = true
		c.Press("enter")
		c.Shows("the answer was lost, but it went through: v2")
	})
	t.Run("goneWhileChoosing", func(t *testing.T) {
		t.Parallel()
		h := gala()
		c, m := openModel(t, h)
		goTo(c, "F-12")
		c.Press("m", "tab")
		h.drop(bookingID(0x90fa))
		c.Tick()
		c.Shows("PARKETT F-12 is not u-1029's any more: there is nothing to move")
		if m.Moving() {
			t.Error("the move goes on")
		}
	})
}

// Stale numbers cannot be acted upon.
func TestWrites_AreOffWhileOffline(t *testing.T) {
	t.Parallel()

	h := gala()
	c := open(t, h)
	goTo(c, "F-15")
	h.err = inventory.ErrUnavailable
	for range 3 {
		c.Tick()
	}
	c.Press("b", "o")
	c.Hides("BOOK ONE", "TAKE ONE")
	goTo(c, "F-12")
	c.Press("m")
	c.Hides("Moving")
	h.err = nil
	c.Tick()
	c.Press("m")
	c.Shows("Moving")
	wantWrites(t, h)
}
