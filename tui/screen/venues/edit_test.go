package venues_test

import (
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

var jan = inventory.Staff("jan")

// fields moves the focus down by n.
func fields(c *tuitest.Console, n int) {
	for range n {
		c.Press("tab")
	}
}

func TestVenues_Edit(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	c.Press("e")
	c.Shows("EDIT harbour, v9", "Harbour Hall", "10m")
	fields(c, 1)
	clear(c, 3)
	c.Type("15m")
	fields(c, 3)
	c.Press("right") // ask -> revive
	fields(c, 4)
	c.Type("busy season")
	c.Press("ctrl+s")
	wantWrites(t, o, `set harbour v9 "busy season"`)
	c.Shows("harbour saved, v10; u puts it back", "15m", "revive")

	c.Press("u")
	c.Shows("PUT BACK YOUR LAST EDIT", "a hold lives: 15m -> 10m", "late money: revive -> ask")
	c.Press("tab", "enter")
	wantWrites(t, o, `set harbour v9 "busy season"`, `set harbour v10 "put back"`)
	c.Shows("harbour saved, v11", "ask 24h")
}

func TestVenues_EditWithoutChangesSavesNothing(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	c.Press("e", "ctrl+s")
	c.Shows("nothing had changed, so nothing was saved")
	if v := o.venues[o.at("harbour")].Version; v != 9 {
		t.Errorf("version %d, want 9", v)
	}
}

func TestVenues_EditNamesTheFieldThatIsWrong(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		down int
		text string
		want string
	}{
		{0, "", "is missing"},
		{1, "soon", "write a length of time with its unit"},
		{1, "-5m", "write a length of time with its unit"},
		{1, "48h", "must be from 1s to 24h0m0s"},
		{2, "11m", "must be from 0s to 10m0s"},
		{3, "1m", "must be from 10m30s to 168h0m0s"},
		{5, "1000h", "must be from 1s to 720h0m0s"},
	} {
		o := world()
		c := open(t, o)
		c.Press("e")
		fields(c, tc.down)
		clear(c, 20)
		c.Type(tc.text)
		c.Press("ctrl+s")
		c.Shows("EDIT harbour", "! "+tc.want)
		wantWrites(t, o)
	}
}

// B31 for venues: the second save is told, sees both values, has lost nothing
// of what was typed, and saves on top of the new version only when asked.
func conflicting(t *testing.T, o *office) *tuitest.Console {
	t.Helper()
	c := open(t, o)
	c.Press("e")
	fields(c, 1)
	clear(c, 3)
	c.Type("15m")
	theirs := o.venues[o.at("harbour")]
	theirs.HoldTTL, theirs.LateDeadline = 20*time.Minute, 12*time.Hour
	o.edit(jan, theirs)
	fields(c, 7)
	c.Type("mine")
	c.Press("ctrl+s")
	c.Shows("SOMEONE ELSE SAVED FIRST", "You began at v9; jan saved v10", "Your input is kept", "20m *", "15m *", "CLASH", "12h *", "merged")
	return c
}

func TestVenues_Conflict(t *testing.T) {
	t.Parallel()

	t.Run("frame", func(t *testing.T) {
		t.Parallel()
		conflicting(t, world()).Frame("conflict")
	})
	t.Run("keepTheirs", func(t *testing.T) {
		t.Parallel()
		o := world()
		c := conflicting(t, o)
		c.Press("tab", "enter")
		c.Shows("harbour left as it is, v10; nothing of yours was saved")
		c.Hides("EDIT harbour")
		if v := o.venues[o.at("harbour")]; v.Version != 10 || v.HoldTTL != 20*time.Minute {
			t.Errorf("stored v%d with %s", v.Version, v.HoldTTL)
		}
	})
	t.Run("putMine", func(t *testing.T) {
		t.Parallel()
		o := world()
		c := conflicting(t, o)
		c.Press("tab", "tab", "enter")
		c.Shows("harbour saved, v11")
		c.Hides("EDIT harbour")
		if v := o.venues[o.at("harbour")]; v.HoldTTL != 15*time.Minute || v.LateDeadline != 12*time.Hour {
			t.Errorf("stored %s and %s, want mine and what jan alone changed", v.HoldTTL, v.LateDeadline)
		}
		wantWrites(t, o, `set harbour v9 "mine"`, `set harbour v10 "mine"`)
	})
	t.Run("putMineAndItMovesAgain", func(t *testing.T) {
		t.Parallel()
		o := world()
		c := conflicting(t, o)
		theirs := o.venues[o.at("harbour")]
		theirs.Name = "Harbour Arena"
		o.edit(jan, theirs)
		c.Press("tab", "tab", "enter")
		c.Shows("SOMEONE ELSE SAVED FIRST", "You began at v10; jan saved v11", "Harbour Aren")
		c.Press("tab", "tab", "enter")
		c.Shows("harbour saved, v12")
		if v := o.venues[o.at("harbour")]; v.Name != "Harbour Arena" || v.HoldTTL != 15*time.Minute {
			t.Errorf("stored %q and %s", v.Name, v.HoldTTL)
		}
	})
	t.Run("editAgain", func(t *testing.T) {
		t.Parallel()
		o := world()
		c := conflicting(t, o)
		c.Press("esc")
		c.Shows("EDIT harbour, v10", "On top of v10. What did not clash has been merged.", "15m", "12h", "mine")
		c.Press("ctrl+s")
		c.Shows("harbour saved, v11")
		wantWrites(t, o, `set harbour v9 "mine"`, `set harbour v10 "mine"`)
	})
	t.Run("theirsForOneField", func(t *testing.T) {
		t.Parallel()
		o := world()
		c := conflicting(t, o)
		c.Press("space")
		c.Shows("CLASH: theirs")
		c.Press("tab", "tab", "enter")
		c.Shows("nothing had changed, so nothing was saved")
		if v := o.venues[o.at("harbour")]; v.Version != 10 {
			t.Errorf("version %d, want jan's 10", v.Version)
		}
	})
	t.Run("formClosedMeanwhile", func(t *testing.T) {
		t.Parallel()
		o := world()
		c := open(t, o)
		c.Press("e")
		fields(c, 1)
		clear(c, 3)
		c.Type("15m")
		theirs := o.venues[o.at("harbour")]
		theirs.HoldTTL = 20 * time.Minute
		o.edit(jan, theirs)
		c.Hold()
		c.Press("ctrl+s", "esc")
		c.Release()
		c.Shows("SOMEONE ELSE SAVED FIRST")
		c.Press("esc")
		c.Shows("EDIT harbour, v10", "15m")
	})
}

// The zone changed meanwhile: the edit is refused as well, and does not put the
// old zone back.
func TestVenues_ConflictWithAChangeOfZone(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	c.Press("e")
	fields(c, 1)
	clear(c, 3)
	c.Type("15m")
	theirs := o.venues[o.at("harbour")]
	theirs.Zone = "Europe/Vienna"
	o.edit(jan, theirs)
	c.Press("ctrl+s")
	c.Shows("SOMEONE ELSE SAVED FIRST", "Europe/Vienn")
	c.Press("tab", "tab", "enter")
	c.Shows("harbour saved, v11")
	if v := o.venues[o.at("harbour")]; v.Zone != "Europe/Vienna" || v.HoldTTL != 15*time.Minute {
		t.Errorf("stored %s and %s", v.Zone, v.HoldTTL)
	}
}

func TestVenues_EditAnswerLost(t *testing.T) {
	t.Parallel()

	t.Run("itWentThrough", func(t *testing.T) {
		t.Parallel()
		o := world()
		o.lost = true
		c := open(t, o)
		c.Press("e")
		c.Type("!")
		c.Press("ctrl+s")
		c.Shows("the answer was lost, but it went through: harbour, v10")
		if len(o.writes) != 1 {
			t.Errorf("asked %d times", len(o.writes))
		}
	})
	t.Run("nothingSoFar", func(t *testing.T) {
		t.Parallel()
		o := world()
		o.wErr = inventory.ErrUnknownOutcome
		c := open(t, o)
		c.Press("e")
		c.Type("!")
		c.Press("ctrl+s")
		c.Shows("EDIT harbour", "the answer was lost; so far nothing has changed", "Harbour Hall!")
	})
}

// What was typed stays through a database that is away.
func TestVenues_NothingTypedIsLostOffline(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	c.Press("e")
	c.Type(" and Café")
	o.err = inventory.ErrUnavailable
	for range 4 {
		c.Tick()
	}
	c.Press("ctrl+s")
	wantWrites(t, o)
	c.Shows("Harbour Hall and Café", "saving is off")
	o.err = nil
	for range 3 {
		c.Tick()
	}
	c.Press("ctrl+s")
	c.Shows("harbour saved, v10", "Harbour Hall and Café")
}

func TestVenues_Add(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	c.Press("n")
	c.Shows("TIME ZONE OF A NEW VENUE")
	c.Type("lisb")
	c.Shows("Europe/Lisbon", "Portugal", "found by city")
	c.Press("enter")
	c.Shows("NEW VENUE", "Europe/Lisbon")
	c.Type("tejo")
	fields(c, 1)
	c.Type("Tejo Hall")
	fields(c, 2)
	c.Type("EUR")
	c.Press("ctrl+s")
	wantWrites(t, o, `add tejo v0 ""`)
	c.Shows("tejo added, v1; a adds a pool to it", "tejo", "It has no pool yet, so nothing is sold by the day: a adds one.")

	c.Press("a")
	c.Shows("NEW POOL AT Tejo Hall")
	c.Type("main")
	fields(c, 1)
	c.Type("Main floor")
	fields(c, 1)
	c.Type("25.00")
	fields(c, 1)
	c.Type("80 80 80 80 120 120 x")
	c.Press("ctrl+s")
	wantWrites(t, o, `add tejo v0 ""`, `pool tejo/main v0 ""`)
	c.Shows("tejo/main added; the horizon job makes its days", "main: EUR 25.00 for one", "Mo-Th 80, Fr-Sa 120, Su closed")
	c.Press("enter")
	c.Shows("Tejo Hall is in focus")
}

func TestVenues_AddRefused(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	c.Press("n")
	c.Type("berlin")
	c.Press("enter")
	c.Type("harbour")
	fields(c, 1)
	c.Type("Another")
	fields(c, 1)
	clear(c, 20)
	c.Type("CET")
	fields(c, 1)
	c.Type("eur")
	c.Press("ctrl+s")
	c.Shows("is an abbreviation, not a place", "must be an ISO 4217 code such as EUR")
	wantWrites(t, o)
	clear(c, 3)
	c.Type("Europe/Berlin")
	fields(c, 1)
	clear(c, 3)
	c.Type("EUR")
	c.Press("ctrl+s")
	c.Shows("another venue has this code", "Another")
}

func TestVenues_AddPoolRefused(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		down int
		text string
		want string
	}{
		{0, "Main Floor", "must be 1-63 lower-case letters"},
		{2, "25.001", "must be a plain number with at most 2 digits"},
		{2, "-1", "must be a plain number"},
		{3, "10.5", `"10.5" is not a whole number`},
		{3, "1 2 3", "must be one number, or seven"},
		{3, "99999999999", "must be from 0 to 1000000"},
		{3, "-1", "must be from 0 to 1000000"},
		{4, "many", "must be a whole number"},
		{6, "100000", "must be from 0 to 730 days"},
	} {
		o := world()
		c := open(t, o)
		c.Press("a")
		for i, text := range []string{"vip", "VIP", "25", "10"} {
			if i != tc.down {
				c.Type(text)
			}
			fields(c, 1)
		}
		for range 4 - tc.down {
			c.Press("shift+tab")
		}
		fields(c, max(0, tc.down-4))
		clear(c, 12)
		c.Type(tc.text)
		c.Press("ctrl+s")
		c.Shows("NEW POOL", "! "+tc.want)
		wantWrites(t, o)
	}
}
