package cockpit_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

func wantWrites(t *testing.T, d *desk, want ...string) {
	t.Helper()
	if !slices.Equal(d.writes, want) {
		t.Errorf("the database was asked to %q, want %q", d.writes, want)
	}
}

const stopDay = `stop=true harbour/main 2026-12-05 v7 ""`

func TestCockpit_StopAndPutBack(t *testing.T) {
	t.Parallel()

	d := evening()
	c := open(t, d)
	c.Press("u")
	c.Shows("you have changed nothing here that could be put back")
	c.Press("S")
	c.Shows("STOP SALES", "Museum day pass, Sat 2026-12-05", "the 12 places left are not", "the 58 places held now stay held")
	c.Press("enter") // the focus is on Cancel
	c.Hides("STOP SALES")
	wantWrites(t, d)

	c.Press("S", "S", "S", "shift+tab")
	c.Type("fire alarm")
	c.Press("tab", "tab", "enter")
	wantWrites(t, d, `stop=true harbour/main 2026-12-05 v7 "fire alarm"`)
	c.Shows("sales stopped: Museum day pass, Sat 2026-12-05; u puts back", "STOPPED  1,188/1,200")

	c.Press("u")
	c.Shows("PUT BACK", "You stopped the sales of Museum day pass")
	c.Press("tab", "enter")
	wantWrites(t, d, `stop=true harbour/main 2026-12-05 v7 "fire alarm"`, `undo 1 ""`)
	c.Shows("put back: sales stopped of Museum day pass", "on sale  1,188/1,200")
	c.Press("u")
	c.Shows("you have changed nothing here")
}

func TestCockpit_StopAnEventAndPutBack(t *testing.T) {
	t.Parallel()

	d := evening()
	c := open(t, d)
	c.Press("down", "S", "tab", "enter")
	c.Shows("sales stopped: Gala")
	c.Press("u", "tab", "enter")
	wantWrites(t, d, `stop=true harbour/gala v3 ""`, `stop=false harbour/gala v4 ""`)
	c.Shows("put back: sales stopped of Gala")
}

func TestCockpit_OpenSales(t *testing.T) {
	t.Parallel()

	d := evening()
	c := open(t, d)
	c.Press("down", "down", "down", "down", "S")
	c.Shows("OPEN SALES", "buyers can hold and buy again; 28 places left")
	c.Press("tab", "enter")
	wantWrites(t, d, `stop=false harbour/tour 2026-12-04 v7 ""`)
}

// Five quick presses are one change.
func TestCockpit_StopIsAskedForOnce(t *testing.T) {
	t.Parallel()

	d := evening()
	c := open(t, d)
	c.Press("S")
	c.Hold()
	c.Press("tab", "enter", "enter", "enter", "enter", "enter")
	c.Press("esc", "S")
	c.Shows("the last change of sales has no answer yet")
	c.Release()
	wantWrites(t, d, stopDay)
}

// What moved after it was drawn is left alone: the decision was made about
// something else.
func TestCockpit_StopCarriesTheDrawnVersion(t *testing.T) {
	t.Parallel()

	for name, down := range map[string]int{"day": 0, "event": 1} {
		d := evening()
		c := open(t, d)
		for range down {
			c.Press("down")
		}
		c.Press("S")
		d.rows[down].Version++
		c.Press("tab", "enter")
		wantWrites(t, d)
		c.Shows("Nothing changed: someone else edited it first.", "Its sales are open now (v")
		if name == "day" {
			c.Frame("moved")
		}
	}
}

func TestCockpit_StopBusyMayBeTriedAgain(t *testing.T) {
	t.Parallel()

	d := evening()
	c := open(t, d)
	d.writeErr = inventory.ErrBusy
	c.Press("S", "tab", "enter")
	c.Shows("not done: busy, try again shortly")
	d.writeErr = nil
	c.Press("tab", "enter")
	c.Shows("sales stopped: Museum day pass")
}

// A lost answer is looked up and never repeated blindly.
func TestCockpit_StopAnswerLost(t *testing.T) {
	t.Parallel()

	lost := errors.Join(errors.New("commit"), inventory.ErrUnknownOutcome)
	for name, tc := range map[string]struct {
		happened func(*desk)
		want     string
	}{
		"itWentThrough": {func(d *desk) { d.rows[0].StopSell, d.rows[0].Version = true, 8 }, "the answer was lost, but it went through: sales stopped"},
		"nothingSoFar":  {func(*desk) {}, "The answer was lost. So far nothing has changed."},
		"somebodyElse":  {func(d *desk) { d.rows[0].Version = 9 }, "The answer was lost. Someone else edited it."},
		"cannotBeRead":  {func(d *desk) { d.err = inventory.ErrUnavailable }, "how it stands cannot be read"},
	} {
		d := evening()
		c := open(t, d)
		d.writeErr, d.onWrite = lost, func() { tc.happened(d) }
		c.Press("S", "tab", "enter")
		c.Shows(tc.want)
		c.Press("tab", "enter", "enter")
		if len(d.writes) != 1 {
			t.Errorf("%s: asked %d times", name, len(d.writes))
		}
	}
}

func TestCockpit_ExtendAll(t *testing.T) {
	t.Parallel()

	d := evening()
	c := open(t, d)
	c.Press("e")
	c.Shows("EXTEND ALL HOLDS", "41 holds", "A hold lives 1h at the longest here")
	c.Press("ctrl+s")
	wantWrites(t, d, `extend day harbour/main 2026-12-05 by 5m0s ""`)
	c.Shows("39 holds got 5m more (2 of them less, 1 at the limit, 1 ended)")
	c.Press("down", "e")
	c.Shows("4 are being paid: they keep their places without.")
	c.Press("backspace")
	c.Type("30m")
	c.Press("ctrl+s")
	wantWrites(t, d, `extend day harbour/main 2026-12-05 by 5m0s ""`, `extend event harbour/gala by 30m0s ""`)
}

func TestCockpit_ExtendInput(t *testing.T) {
	t.Parallel()

	for _, text := range []string{"", "0", "-5", "31", "31m", "30s", "99999999999999999999", "9223372036854775807", "five", "1h"} {
		d := evening()
		c := open(t, d)
		c.Press("e", "backspace")
		c.Type(text)
		c.Press("ctrl+s")
		c.Shows("EXTEND ALL HOLDS", "! write a number of minutes from 1 to 30")
		wantWrites(t, d)
	}
}

// What was done before a failure is told, and the form is closed: its button
// would give the same holds more time again.
func TestCockpit_ExtendHalfWay(t *testing.T) {
	t.Parallel()

	d := evening()
	c := open(t, d)
	d.writeErr = inventory.ErrUnavailable
	c.Press("e", "ctrl+s")
	c.Shows("ONLY A PART WAS EXTENDED", "Sure is: 39 holds got more time (2 of them less", "Repeating it gives those more time again.")
	c.Frame("half")
	c.Press("esc")
	c.Hides("EXTEND ALL")

	d.writeErr = inventory.ErrUnknownOutcome
	c.Tick()
	c.Tick()
	c.Press("e", "ctrl+s")
	c.Shows("NOT KNOWN", "each time gives more time")
	c.Press("esc")

	d.writeErr, d.extended = inventory.ErrBusy, inventory.ExtendedHolds{}
	c.Press("e", "ctrl+s")
	c.Shows("EXTEND ALL HOLDS", "! not done: busy, try again shortly")
}

func TestCockpit_NothingToExtend(t *testing.T) {
	t.Parallel()

	c := open(t, evening())
	c.Press("down", "down", "e")
	c.Shows("nobody holds anything of it")
}

func TestCockpit_AdmissionRate(t *testing.T) {
	t.Parallel()

	d := evening()
	c := open(t, d)
	c.Press("A")
	c.Shows("its waiting room is closed: nobody has to wait")
	c.Press("down", "A")
	c.Shows("ADMISSION", "3,204 wait, 480 of 500 are in", "a second; now 50")
	c.Press("ctrl+s")
	c.Shows("! that is what it is now")
	for _, wrong := range []string{"", "-1", "NaN", "Inf", "many", "0.001", "1000000"} {
		c.Press("backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "backspace")
		c.Type(wrong)
		c.Press("ctrl+s")
		c.Shows("ADMISSION", "!")
	}
	wantWrites(t, d)
	c.Press("backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "backspace")
	c.Type("0")
	c.Press("ctrl+s")
	wantWrites(t, d, `rate harbour/gala 0 v4 ""`)
	c.Shows("gala lets in 0 a second from now on; u puts back", "PAUSED: nobody is let in")
	c.Press("u", "tab", "enter")
	wantWrites(t, d, `rate harbour/gala 0 v4 ""`, `rate harbour/gala 50 v5 ""`)
	c.Press("down", "down", "A")
	c.Shows("it has no waiting room")
}

func TestCockpit_AdmissionRateMoved(t *testing.T) {
	t.Parallel()

	d := evening()
	c := open(t, d)
	c.Press("down", "A", "backspace")
	d.rooms[0].Version, d.rooms[0].Rate = 5, 80
	c.Press("ctrl+s")
	wantWrites(t, d)
	c.Shows("not changed: someone else was faster; now 80 a second, v5")

	d = evening()
	c = open(t, d)
	d.writeErr = inventory.ErrUnknownOutcome
	d.onWrite = func() { d.rooms[0].Version, d.rooms[0].Rate = 5, 5 }
	c.Press("down", "A", "backspace", "ctrl+s")
	c.Shows("the answer was lost, but it went through: gala lets in 5 a second")
}

// Nobody who may only look changes anything, and numbers that are old cannot be
// acted upon.
func TestCockpit_NothingIsSaved(t *testing.T) {
	t.Parallel()

	d := evening()
	o := options(d)
	o.ReadOnly = "role: front desk"
	c := tuitest.Open(t, o)
	for _, k := range []string{"S", "e", "down", "A"} {
		c.Press(k)
		c.Hides("STOP SALES", "EXTEND ALL", "ADMISSION")
	}
	c.Shows("role: front desk")

	c = open(t, d)
	c.Press("S", "tab")
	c.Hold()
	c.Clock.Advance(20 * time.Second)
	c.Press("enter")
	c.Release()
	c.Press("esc")
	d.err = inventory.ErrUnavailable
	for range 5 {
		c.Tick()
	}
	c.Press("S", "e", "A")
	c.Hides("STOP SALES", "EXTEND ALL", "ADMISSION OF")
	c.Shows("OFFLINE", "LAST SEEN", "saving is off")
	wantWrites(t, d)
	d.err = nil
	c.Tick()
	c.Tick()
	c.Shows("LIVE")
	c.Press("S")
	c.Shows("STOP SALES")
}
