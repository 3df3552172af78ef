package line_test

import (
	"slices"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/screen/line"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestLine_Frames(t *testing.T) {
	t.Parallel()

	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		c := tuitest.OpenHeld(t, options(springNight(t)))
		c.Hides("free")
		c.Frame("loading")
	})
	t.Run("springForward", func(t *testing.T) {
		t.Parallel()
		c := open(t, springNight(t))
		goTo(c, "2027-03-28")
		c.Press("down", "home", "right", "right", "right", "right")
		rest(c)
		c.Shows("THIS DAY HAS 23 HOURS", "01:00+01:00 to 04:00+02:00 is 2h long, not 3h.", "[2027-03-28 00:00Z, 2027-03-28 02:00Z)")
		c.Frame("spring")
		c.FrameAt("spring", 40, 12)
		c.FrameAt("spring", 100, 30)
		c.Press("enter")
		c.FrameAt("detail", 80, 24)
	})
	t.Run("fallBack", func(t *testing.T) {
		t.Parallel()
		h := studios(t, "Europe/Berlin")
		h.add(t, 1, 1, "u-1", inventory.StateConfirmed, "2027-10-31T02:15+02:00", "2027-10-31T02:15+01:00")
		c := open(t, h)
		goTo(c, "2027-10-31")
		c.Press("home")
		for range 7 {
			c.Press("right")
		}
		rest(c)
		c.Shows("THIS DAY HAS 25 HOURS", "the second time", "a is +02:00, b is +01:00")
		c.Frame("fall")
		c.FrameAt("fall", 40, 12)
	})
	t.Run("lordHowe", func(t *testing.T) {
		t.Parallel()
		h := studios(t, "Australia/Lord_Howe")
		h.add(t, 1, 2, "u-1", inventory.StateConfirmed, "2027-04-04T01:00", "2027-04-04T03:00")
		c := open(t, h)
		goTo(c, "2027-04-04")
		c.Press("down", "home", "right", "right")
		rest(c)
		c.Shows("24 H 30 MIN", "01:00+11:00 to 03:00+10:30 is 2h30m long, not 2h.", "01:30-02:00 comes twice")
		c.Frame("howe")
		c.Press("+")
		c.FrameAt("byHours", 80, 24)
	})
	t.Run("spots", func(t *testing.T) {
		t.Parallel()
		c := open(t, springNight(t))
		goTo(c, "2027-03-28")
		c.Press("home", "-")
		for _, step := range []struct {
			name  string
			press int
		}{{"free", 20}, {"booked", 16}, {"turnaround", 5}, {"held", 5}} {
			for range step.press {
				c.Press("right")
			}
			rest(c)
			c.FrameAt(step.name, 80, 24)
		}
		c.Press("down", "down", "down", "home")
		c.Shows("closed", "Open 09:00+02:00 to 22:00+02:00.")
	})
	t.Run("marked", func(t *testing.T) {
		t.Parallel()
		c := open(t, springNight(t))
		goTo(c, "2027-03-28")
		c.Press("home", "shift+right", "shift+right", "shift+right", "shift+right")
		c.Shows("Marked: 00:00+01:00 to 03:30+02:00, 2h30m long, not 3h30m, EUR 75.00")
		c.Frame("marked")
		c.Press("n")
		c.FrameAt("new", 80, 24)
	})
	t.Run("dialogs", func(t *testing.T) {
		t.Parallel()
		c := open(t, springNight(t))
		goTo(c, "2027-03-28")
		c.Press("down", "home", "right", "right")
		rest(c)
		c.Press("m")
		c.FrameAt("where", 80, 24)
		c.Press("tab", "tab")
		erase(c, 8)
		c.Type("rehearsal-2")
		c.Press("shift+tab")
		erase(c, 5)
		c.Type("3h")
		c.Press("ctrl+s")
		c.FrameAt("move", 80, 24)
		c.FrameAt("move", 40, 12)
		c.Press("esc", "C")
		c.FrameAt("cancel", 80, 24)
		c.Press("esc", "/")
		c.FrameAt("filter", 80, 24)
		c.Press("esc", "d")
		c.FrameAt("day", 80, 24)
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		c := open(t, &hall{zone: zone(t, "Europe/Berlin")})
		c.Frame("empty")
	})
	t.Run("stale", func(t *testing.T) {
		t.Parallel()
		c := open(t, springNight(t))
		c.Hold()
		c.Clock.Advance(14 * time.Second)
		c.Frame("stale")
	})
	t.Run("offline", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		c := open(t, h)
		h.err = inventory.ErrUnavailable
		for range 4 {
			c.Tick()
		}
		c.Frame("offline")
		c.FrameAt("offline", 40, 12)
	})
	t.Run("neverRead", func(t *testing.T) {
		t.Parallel()
		h := springNight(t)
		h.err = inventory.ErrBusy
		c := open(t, h)
		c.Shows("The line could not be read: busy, try again shortly.")
	})
	t.Run("ascii", func(t *testing.T) {
		t.Parallel()
		o := options(springNight(t))
		o.ASCII = true
		c := tuitest.Open(t, o)
		goTo(c, "2027-03-28")
		c.FrameAt("ascii", 80, 24)
	})
}

func TestLine_KeysDoNotClash(t *testing.T) {
	t.Parallel()

	var m *line.Model
	h := springNight(t)
	o := options(h)
	o.Screen = func(env *ui.Env) ui.Screen {
		h.now = env.Now
		m = line.New(env, h, mira)
		return m
	}
	c := tuitest.Open(t, o)
	check := func() {
		t.Helper()
		for _, fault := range keys.Faults(keys.Global(), m.Keys()) {
			t.Error(fault)
		}
	}
	check()
	goTo(c, "2027-03-28")
	c.Press("home", "shift+right")
	check()
	c.Press("esc", "/")
	check()
}

// The cursor is a resource and a moment: what comes and goes round it does not
// move it, and a resource that is gone is said.
func TestLine_CursorIsAnIdentity(t *testing.T) {
	t.Parallel()

	h := springNight(t)
	c := open(t, h)
	goTo(c, "2027-03-28")
	c.Press("down", "down", "home")
	for range 6 {
		c.Press("right")
	}
	c.Shows("Rehearsal 1  04:00+02:00")
	h.resources = slices.Insert(h.resources, 0, inventory.Resource{ID: 9, Ref: inventory.ResourceRef{Venue: "harbour", Resource: "a"}, Name: "A new one", Zone: "Europe/Berlin"})
	tick(c)
	c.Shows("A new one", "Rehearsal 1  04:00+02:00")
	c.Press("+")
	c.Shows("Rehearsal 1  04:00+02:00")
	c.Press("]")
	c.Shows("Mon 2027-03-29", "Rehearsal 1  04:00+02:00")
	c.Press("[", "[")
	c.Shows("Sat 2027-03-27", "Rehearsal 1  04:00+01:00")
	h.resources = slices.DeleteFunc(h.resources, func(r inventory.Resource) bool { return r.ID == 3 })
	tick(c)
	c.Shows("Rehearsal 1 has left the list; this is the next one", "Rehearsal 2  04:00+01:00")
}

func tick(c *tuitest.Console) {
	for range 3 {
		c.Tick()
	}
}

// A time that the day does not have, or has twice, is where the clock goes on.
func TestLine_CursorOverClockChanges(t *testing.T) {
	t.Parallel()

	c := open(t, studios(t, "Europe/Berlin"))
	goTo(c, "2027-03-27")
	c.Press("home", "right", "right", "right", "right", "right")
	c.Shows("Studio A  02:30+01:00")
	c.Press("]")
	c.Shows("Studio A  03:00+02:00")
	goTo(c, "2027-10-30")
	c.Press("left")
	c.Shows("Studio A  02:30+02:00")
	c.Press("]")
	c.Shows("Studio A  02:30+02:00, the first time")
	c.Press("right", "right")
	c.Shows("Studio A  02:30+01:00, the second time")
}

func TestLine_FilterAndDays(t *testing.T) {
	t.Parallel()

	h := springNight(t)
	c := open(t, h)
	c.Shows("Fri 2026-12-04", "v now")
	c.Press("/")
	c.Type("rehea")
	c.Press("enter")
	c.Shows(`filter "rehea": 2 of 5, esc clears`, "Rehearsal 1", "Rehearsal 2")
	c.Hides("Studio A")
	c.Press("/")
	c.Type("x")
	c.Press("enter")
	c.Shows(`None of the 5 resources matches "reheax".`)
	c.Press("esc")
	c.Shows("Studio A", "Podcast box")
	goTo(c, "nonsense")
	c.Shows("nonsense")
	c.Press("esc")
	goTo(c, "last sun of mar")
	c.Shows("Sun 2027-03-28")
	c.Press("t")
	c.Shows("Fri 2026-12-04")
	h.zone = zone(t, "Pacific/Apia")
}

// "20:00-04:00" would be read as eight hours.
func TestLine_OffsetsBehindUTC(t *testing.T) {
	t.Parallel()

	h := studios(t, "America/New_York")
	h.add(t, 1, 1, "u-1", inventory.StateConfirmed, "2027-11-07T00:30", "2027-11-07T02:00")
	c := open(t, h)
	goTo(c, "2027-11-07")
	c.Press("home", "right")
	rest(c)
	c.Shows("00:30 (-04:00) to 02:00 (-05:00) is 2h30m long, not 1h30m.", "a is -04:00, b is -05:00")
	c.Press("down", "n")
	erase(c, 5)
	c.Type("01:30")
	c.Press("tab", "tab")
	c.Type("u-2")
	c.Press("ctrl+s")
	c.Shows("01:30 comes twice: write 01:30-04:00 or 01:30-05:00")
	c.Press("shift+tab")
	wantWrites(t, h)
}

// Times can be read in UTC; the day stays the venue's.
func TestLine_InUTC(t *testing.T) {
	t.Parallel()

	c := open(t, springNight(t))
	goTo(c, "2027-03-28")
	c.Press("down", "home", "right", "right", "Z")
	c.Shows("hours in UTC", "00:00+00:00 to 02:00+00:00 is 2h long.", "Sun 2027-03-28")
	c.Hides("not 3h", "00  03")
	c.Press("Z")
	c.Shows("2h long, not 3h")
}

func TestLine_DayThatNeverWas(t *testing.T) {
	t.Parallel()

	c := open(t, studios(t, "Pacific/Apia"))
	goTo(c, "2011-12-30")
	c.Shows("The calendar of Pacific/Apia has no such day")
	c.Press("right", "left", "end", "n", "m", "shift+right", "v", "enter", "L", "]")
	c.Shows("Sat 2011-12-31")
}

// What was asked for by the wall and is stored as another instant is said.
func TestLine_RulesThatChanged(t *testing.T) {
	t.Parallel()

	h := springNight(t)
	b := h.find(id(0x5513))
	b.LocalFrom.Time -= 1000000000 * 3600
	b.LocalTo.Time -= 1000000000 * 3600
	c := open(t, h)
	goTo(c, "2027-03-28")
	c.Press("down", "end")
	for range 22 {
		c.Press("left")
	}
	rest(c)
	c.Shows("u-0043", "Asked for as 2027-03-28T09:00 to 2027-03-28T12:00: the rules of the zone have")
}

func TestLine_Click(t *testing.T) {
	t.Parallel()

	c := open(t, springNight(t))
	goTo(c, "2027-03-28")
	c.Drive(ui.Click{X: 15, Y: 5})
	c.Shows("Rehearsal 1")
}
