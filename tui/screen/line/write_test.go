package line_test

import (
	"testing"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

// at opens the spring day with the cursor on Studio B at 01:00: u-0042's.
func at(t *testing.T, h *hall) *tuitest.Console {
	t.Helper()
	c := open(t, h)
	goTo(c, "2027-03-28")
	c.Press("down", "home", "right", "right")
	rest(c)
	return c
}

func TestLine_New(t *testing.T) {
	t.Parallel()

	t.Run("holdOfAMarkedRun", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := open(t, h)
		goTo(c, "2027-03-28")
		c.Press("home", "shift+right", "shift+right", "shift+right", "n", "tab", "tab")
		c.Type("u-1")
		c.Press("ctrl+s")
		wantWrites(t, h, `hold studio-a 2027-03-27T23:00:00Z..2027-03-28T01:00:00Z for u-1 comp=false ""`)
		c.Shows("held: Studio A 00:00+01:00 to 03:00+02:00, 2h long, not 3h, for u-1", "hhh>-")
		c.Hides("= marked")
	})
	t.Run("lengthIsRealTime", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := at(t, h)
		c.Press("down", "n", "tab")
		erase(c, 5)
		c.Type("2h")
		c.Press("tab")
		c.Type("u-1")
		c.Press("ctrl+s")
		wantWrites(t, h, `hold rehearsal-1 2027-03-28T00:00:00Z..2027-03-28T02:00:00Z for u-1 comp=false ""`)
		c.Shows("01:00+01:00 to 04:00+02:00, 2h long, not 3h")
	})
	t.Run("compNeedsAReason", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := at(t, h)
		c.Press("down", "n", "tab", "tab")
		c.Type("u-1")
		c.Press("tab", "right", "ctrl+s")
		wantWrites(t, h)
		c.Type("our own rehearsal")
		c.Press("ctrl+s")
		wantWrites(t, h, `hold rehearsal-1 2027-03-28T00:00:00Z..2027-03-28T00:30:00Z for u-1 comp=true "our own rehearsal"`)
		c.Shows("given: Rehearsal 1")
	})
	t.Run("takenNamesTheClash", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := at(t, h)
		c.Press("n", "tab", "tab")
		c.Type("u-1")
		c.Press("ctrl+s")
		c.Shows("taken 01:00+01:00 to 04:00+02:00 by ..00005512, u-0042", "[ u-1")
	})
	t.Run("answerLost", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		h.lost = true
		c := at(t, h)
		c.Press("down", "n", "tab", "tab")
		c.Type("u-1")
		c.Press("ctrl+s")
		c.Shows("the answer was lost, but it went through: held: Rehearsal 1")
	})
	t.Run("answerLostNothingThere", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		h.wErr = inventory.ErrUnknownOutcome
		c := at(t, h)
		c.Press("down", "n", "tab", "tab")
		c.Type("u-1")
		c.Press("ctrl+s")
		c.Shows("so far nothing stands there. Look again first")
	})
}

// A time that the clocks skip or show twice is never chosen for the person.
func TestLine_NewAtOddTimes(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ name, day, from, to, want string }{
		{"skipped", "2027-03-28", "02:30", "04:00", "02:30 is skipped: write 01:30+01:00 or 03:30+02:00"},
		{"skippedEnd", "2027-03-28", "01:00", "02:30", "02:30 is skipped: write 01:30+01:00 or 03:30+02:00"},
		{"doubled", "2027-10-31", "02:30", "4h", "02:30 comes twice: write 02:30+02:00 or 02:30+01:00"},
		{"noOffsetLikeThat", "2027-10-31", "02:30+03:00", "4h", "no clock in Europe/Berlin has +03:00 then"},
		{"backwards", "2027-03-28", "10:00", "09:00", "is not after 10:00+02:00; the next day is written"},
		{"nonsense", "2027-03-28", "ten", "09:00", "write 10:00, or 2027-03-28T10:00 for another day"},
		{"nothing", "2027-03-28", "10:00", "0h", "must be longer than nothing"},
		{"missing", "2027-03-28", "", "1h", "is missing, as 10:00"},
		{"missingEnd", "2027-03-28", "10:00", "", "is missing, as 12:00 or 2h"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := springNight(t)
			c := open(t, h)
			goTo(c, tc.day)
			c.Press("home", "n")
			erase(c, 5)
			c.Type(tc.from)
			c.Press("tab")
			erase(c, 5)
			c.Type(tc.to)
			c.Press("tab")
			c.Type("u-1")
			c.Press("ctrl+s")
			wantWrites(t, h)
			c.Shows("! ", tc.want)
		})
	}
	t.Run("offsetSettlesIt", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := open(t, h)
		goTo(c, "2027-10-31")
		c.Press("home", "right", "right", "right", "right", "right", "right", "right", "n")
		c.Shows("02:30+01:00") // the second of the two, as the cursor stands
		c.Press("tab", "tab")
		c.Type("u-1")
		c.Press("ctrl+s")
		wantWrites(t, h, `hold studio-a 2027-10-31T01:30:00Z..2027-10-31T02:00:00Z for u-1 comp=false ""`)
	})
	t.Run("endOfTheDay", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := open(t, h)
		goTo(c, "2027-03-28")
		c.Press("end", "n", "tab")
		erase(c, 16)
		c.Type("24:00")
		c.Press("tab")
		c.Type("u-1")
		c.Press("ctrl+s")
		wantWrites(t, h, `hold studio-a 2027-03-28T21:30:00Z..2027-03-28T22:00:00Z for u-1 comp=false ""`)
	})
}

// where fills the form of a move.
func where(c *tuitest.Console, from, to, resource string) {
	c.Press("m")
	erase(c, 5)
	c.Type(from)
	c.Press("tab")
	erase(c, 5)
	c.Type(to)
	c.Press("tab")
	erase(c, 8)
	c.Type(resource)
	c.Press("ctrl+s")
}

func TestLine_Move(t *testing.T) {
	t.Parallel()

	t.Run("sameLengthElsewhere", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := at(t, h)
		where(c, "14:00", "16:00", "rehearsal 2")
		c.Shows("MOVE ONE BOOKING, v2 -> v3", "Studio B 01:00+01:00 to 04:00+02:00", "Rehearsal 2 14:00+02:00 to 16:00+02:00")
		c.Hides("Price")
		wantWrites(t, h)
		c.Press("tab", "enter")
		wantWrites(t, h, `move 00005512 to rehearsal-2 2027-03-28T12:00:00Z..2027-03-28T14:00:00Z keep=false "" v2`)
		c.Shows("moved, v3: Studio B 01:00-04:00 for u-0042 to Rehearsal 2")
	})
	t.Run("aPaidPriceIsKept", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := at(t, h)
		where(c, "14:00", "4h", "reh") // not one resource only
		c.Shows("could be rehearsal-1 or rehearsal-2")
		c.Type("earsal-1")
		c.Press("ctrl+s")
		c.Shows("EUR 60.00 now; there it would be EUR 120.00")
		c.Press("tab", "tab", "enter")
		c.Shows("it is paid: the price can only be kept")
		wantWrites(t, h)
		c.Press("shift+tab", "enter")
		wantWrites(t, h, `move 00005512 to rehearsal-1 2027-03-28T12:00:00Z..2027-03-28T16:00:00Z keep=true "" v2`)
	})
	t.Run("takenNamesTheClashAndKeepsWhatWasTyped", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := at(t, h)
		where(c, "10:00", "2h", "studio-a")
		c.Press("tab", "enter")
		c.Shows("Nothing changed: that time is taken 09:00+02:00 to 11:00+02:00 by", "u-1029")
		c.Press("enter", "m")
		c.Shows("[ 10:00", "[ 2h", "[ studio-a")
	})
	t.Run("notAllowedThere", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		h.wErr = inventory.Invalid("to", "must be the end of a slot: 16:45 or 17:30")
		c := at(t, h)
		where(c, "14:00", "2h", "studio-a")
		c.Press("tab", "enter")
		c.Shows("Nothing changed: to: must be the end of a slot: 16:45 or 17:30.", "m asks again")
		c.Press("enter", "m")
		c.Shows("[ 14:00", "[ studio-a")
	})
	t.Run("someoneElseWasFaster", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := at(t, h)
		where(c, "14:00", "2h", "studio-b")
		h.step(id(0x5512), inventory.StateCancelled, inventory.CauseCancelled, jan)
		c.Press("tab", "enter")
		c.Shows("Nothing changed: someone else was faster.", "It is CANCELLED now (v3): cancelled by staff:jan")
	})
	t.Run("nothingToMove", func(t *testing.T) {
		t.Parallel()
		c := at(t, springNight(t))
		c.Press("m", "ctrl+s")
		c.Shows("that is where it is already")
	})
	t.Run("answerLost", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		h.lost = true
		c := at(t, h)
		where(c, "14:00", "2h", "studio-b")
		c.Press("tab", "enter")
		c.Shows("the answer was lost, but it went through: moved, v3")
	})
}

func TestLine_End(t *testing.T) {
	t.Parallel()

	t.Run("cancelWithRefund", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := at(t, h)
		c.Press("C")
		c.Shows("CANCEL ONE BOOKING", "Studio B 01:00-04:00, Sun 2027-03-28, for u-0042. EUR 60.00.", "the booking is CANCELLED, v2 -> v3")
		c.Press("enter")
		wantWrites(t, h)
		c.Press("C", "tab", "tab", "enter")
		c.Shows("a reason is needed")
		wantWrites(t, h)
		c.Press("up")
		c.Type("flooded")
		c.Press("tab", "tab", "tab", "enter")
		wantWrites(t, h, `cancel 00005512 "flooded" refund=true v2`)
		c.Shows("cancelled, v3: Studio B 01:00-04:00 for u-0042")
	})
	t.Run("cancelWhatChangedMeanwhile", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := at(t, h)
		c.Press("C", "up")
		c.Type("flooded")
		h.step(id(0x5512), inventory.StateConfirmed, "moved", jan)
		c.Press("tab", "tab", "enter")
		wantWrites(t, h)
		c.Shows("Nothing changed: someone else was faster.", "moved by staff:jan")
	})
	t.Run("release", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := open(t, h)
		goTo(c, "2027-03-28")
		c.Press("home")
		for range 22 {
			c.Press("right")
		}
		c.Press("C")
		c.Shows("this is a hold: L releases it")
		c.Press("L")
		c.Shows("RELEASE ONE HOLD", "Studio A 12:00-13:00, Sun 2027-03-28, for u-3320. EUR 30.00.", "the hold is CANCELLED, v1 -> v2")
		c.Press("tab", "enter")
		wantWrites(t, h, `release 00005515 "" v1`)
		c.Shows("released, v2: Studio A 12:00-13:00 for u-3320")
	})
	t.Run("readOnly", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		o := options(h)
		o.ReadOnly = "this session may only look"
		c := tuitest.Open(t, o)
		goTo(c, "2027-03-28")
		c.Press("down", "home", "right", "right", "C")
		c.Shows("this session may only look")
		c.Press("n")
		c.Hides("NEW BOOKING")
	})
}
