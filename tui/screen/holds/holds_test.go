package holds_test

import (
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/screen/holds"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestHolds_Frames(t *testing.T) {
	t.Parallel()

	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		c := tuitest.OpenHeld(t, options(busy()))
		c.Hides(" 0 ")
		c.Frame("loading")
	})
	t.Run("many", func(t *testing.T) {
		t.Parallel()
		c := open(t, busy())
		c.Frame("many")
		c.FrameAt("many", 40, 12)
		c.FrameAt("many", 100, 30)
	})
	t.Run("paying", func(t *testing.T) {
		t.Parallel()
		c := open(t, busy())
		c.Press("down", "down", "down", "down")
		rest(c)
		c.Frame("paying")
		c.Press("enter")
		c.Frame("open")
		c.FrameAt("open", 40, 12)
	})
	t.Run("ended", func(t *testing.T) {
		t.Parallel()
		c := open(t, busy())
		c.Press("a")
		c.Frame("ended")
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		c := open(t, &desk{bookings: busy().bookings[8:]})
		c.Frame("empty")
		c.FrameAt("empty", 40, 12)
	})
	t.Run("neverAny", func(t *testing.T) {
		t.Parallel()
		open(t, &desk{}).Frame("never")
	})
	t.Run("stale", func(t *testing.T) {
		t.Parallel()
		c := open(t, busy())
		c.Hold()
		c.Clock.Advance(14 * time.Second)
		c.Frame("stale")
	})
	t.Run("offline", func(t *testing.T) {
		t.Parallel()
		d := busy()
		c := open(t, d)
		d.err = inventory.ErrUnavailable
		for range 4 {
			c.Tick()
		}
		c.Frame("offline")
		c.FrameAt("offline", 40, 12)
	})
	t.Run("offlineFromTheStart", func(t *testing.T) {
		t.Parallel()
		d := &desk{err: inventory.ErrUnavailable}
		open(t, d).Frame("offline")
	})
	t.Run("dialogs", func(t *testing.T) {
		t.Parallel()
		c := open(t, busy())
		c.Press("L")
		c.Frame("release")
		c.FrameAt("release", 40, 12)
		c.Press("esc", "e")
		c.Frame("extend")
		c.FrameAt("extend", 40, 12)
	})
}

// rest lets the cursor rest until the story of its row is read.
func rest(c *tuitest.Console) {
	timed := c.Timed
	c.Timed = nil
	c.Drive(timed...)
}

func TestHolds_KeysDoNotClash(t *testing.T) {
	t.Parallel()

	env := ui.NewSession(t.Context(), tuitest.NewClock()).NewEnv()
	m := holds.New(env, busy(), mira)
	for _, fault := range keys.Faults(m.Keys(), keys.Global()) {
		t.Error(fault)
	}
	m.Update(ui.Do{Verb: keys.Filter})
	for _, fault := range keys.Faults(m.Keys()) {
		t.Error(fault)
	}
}

// The order, the counts and the money are the database's.
func TestHolds_HeadingCountsAndMoney(t *testing.T) {
	t.Parallel()

	c := open(t, busy())
	c.Shows("8 holds: 4 held, 2 due, 2 paying  EUR 1,026.00 + JPY 1,200 + 1 more")
}

// What falls due between two readings is due in the heading as well as in its row.
func TestHolds_HeadingAndRowsGoByOneClock(t *testing.T) {
	t.Parallel()

	c := open(t, busy())
	c.Clock.Advance(19500 * time.Millisecond)
	c.Shows("8 holds: 3 held, 3 due, 2 paying", "~00:00 DUE") // before the next reading
	c.Tick()
	c.Shows("8 holds: 3 held, 3 due, 2 paying", "-00:01 DUE")
}

func TestHolds_CountdownIsByTheDatabaseClock(t *testing.T) {
	t.Parallel()

	c := open(t, busy())
	c.Shows("-00:41", "-00:08", "00:19", "~2m", "~7m")
	c.Tick()
	c.Shows("-00:42", "00:18", "~2m", "~7m")
	c.Clock.Advance(17 * time.Second)
	c.Tick()
	c.Shows("00:00", "DUE")
}

// An idle second changes only rows that end within two minutes.
func TestHolds_LongRowsChangeOnceAMinute(t *testing.T) {
	t.Parallel()

	d := &desk{bookings: []inventory.Booking{hold(1, inventory.StateHeld, 7*time.Minute+30*time.Second, "Gala", "u-1", 1, eur(100))}}
	c := open(t, d)
	body := func() string { return strings.SplitN(c.View(), "\n", 3)[2] }
	before := body()
	c.Tick()
	if after := body(); after != before {
		t.Errorf("a quiet second changed the screen:\n%s\n%s", before, after)
	}
}

func TestHolds_FilterIsDoneByTheStore(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("/")
	c.Type("u-7718")
	c.Press("enter")
	if got := d.asked[len(d.asked)-1]; got.Search != "u-7718" || got.Venue != "harbour" {
		t.Errorf("asked for %+v", got)
	}
	c.Shows(`filter "u-7718": 2, esc clears`, "Parking P1")
	c.Hides("u-4471")
	c.Press("esc")
	c.Shows("u-4471", "left ^")
}

func TestHolds_FilterSurvivesRefreshAndKeepsTheRecord(t *testing.T) {
	t.Parallel()

	c := open(t, busy())
	c.Press("down", "down", "down")
	c.Press("/")
	c.Type("gala")
	c.Press("enter")
	c.Shows("> ", "..000090fa")
	c.Tick()
	c.Tick()
	c.Shows(`filter "gala"`, "..000090fa")
	c.Press("esc")
	c.Shows("..000090fa")
}

func TestHolds_FilterThatHidesAllSaysSo(t *testing.T) {
	t.Parallel()

	c := open(t, busy())
	c.Press("/")
	c.Type("u-99")
	c.Press("enter")
	c.Shows(`None of the 8 holds matches "u-99"`, "esc clears the filter", "a looks among those that have ended")
	c.Press("enter", "up", "down", "L", "e")
	c.Hides("RELEASE", "EXTEND")
	c.Frame("filtered")
}

func TestHolds_FilterCanBeLeftUntouched(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	n := len(d.asked)
	c.Press("/")
	c.Type("L q")
	c.Press("esc")
	if len(d.asked) != n {
		t.Error("leaving the field asked the database")
	}
	c.Shows("left ^")
	c.Hides("RELEASE")
}

// R11: a hold that expired can still be found, so that a late payer is matched.
func TestHolds_ExpiredHoldsStayFindable(t *testing.T) {
	t.Parallel()

	c := open(t, busy())
	c.Hides("u-2077")
	c.Press("a")
	c.Press("end")
	c.Shows("u-2077", "EXPIRED", "CONFIRMED", "CANCELLED")
	c.Press("/")
	c.Type("7a01")
	c.Press("enter")
	c.Shows("u-2077", "EXPIRED", `filter "7a01": 1`)
	c.Hides("u-2078")
	c.Press("L")
	c.Hides("What happens")
	c.Shows("only a hold can be released; this booking is EXPIRED")
	c.Press("a", "esc")
	c.Hides("u-2077")
}

// New rows never move the cursor to another record, and a record that leaves is
// told.
func TestHolds_SelectionIsAnIdentity(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("down", "down")
	c.Shows("..000090fb")
	d.bookings = append(d.bookings, hold(1, inventory.StateHeld, -5*time.Minute, "Gala", "u-new", 1, eur(100)))
	c.Tick()
	c.Tick()
	c.Shows("u-new", "..000090fb  u-3320")
	d.move(id(0x90fb), inventory.StateConfirmed, inventory.CausePaid, inventory.Actor{Name: "simulated", Kind: inventory.ActorProvider})
	c.Tick()
	c.Tick()
	c.Shows("..000090fb has left the list; this is the next one", "..000090fa  u-1029")
	c.Press("up")
	c.Hides("has left the list")
}

// B50: whatever is pressed on an empty list does nothing, and the first hold
// that arrives is selected.
func TestHolds_EmptyListIsHarmless(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("end")
	rows := d.bookings
	d.bookings = nil
	c.Tick()
	c.Tick()
	c.Press("enter", "up", "down", "e", "L", "home", "end", "pgdown", "space", "R", "M")
	c.Shows("No holds")
	for _, s := range [][2]int{{80, 24}, {40, 10}, {20, 5}, {10, 3}, {1, 1}, {0, 0}, {300, 100}, {80, 24}} {
		c.Resize(s[0], s[1])
		c.View()
	}
	d.bookings = rows[3:4]
	c.Tick()
	c.Tick()
	c.Shows(">  ", "..000090fa  u-1029")
	if len(d.writes) > 0 {
		t.Errorf("the database was asked to %q", d.writes)
	}
}

func TestHolds_MoreThanTheListHolds(t *testing.T) {
	t.Parallel()

	d := busy()
	d.more, d.counts = true, &inventory.HoldCounts{Held: 51000, Paying: 300, Due: 12, AtStake: []inventory.Money{eur(1000000000)}}
	c := open(t, d)
	c.Resize(160, 50)
	c.Shows("51300 holds: 50988 held, 12 due, 300 paying", "EUR 10,000,000.00", "the first 8 to end")
}

// The story is read once the cursor rests, not for every row it passes.
func TestHolds_ScrollingAsksNothing(t *testing.T) {
	t.Parallel()

	c := open(t, busy())
	c.Press("down", "down", "down", "down")
	c.Shows("its payments and journal: asking")
	rest(c)
	c.Shows("..0000ab12", "PENDING", "enter shows the rest")
}
