package venues_test

import (
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/screen/venues"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestVenues_Frames(t *testing.T) {
	t.Parallel()

	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		tuitest.OpenHeld(t, options(world())).Frame("loading")
	})
	t.Run("many", func(t *testing.T) {
		t.Parallel()
		c := open(t, world())
		c.Frame("many")
		c.FrameAt("many", 40, 12)
		c.FrameAt("many", 120, 30)
		c.Press("end")
		c.FrameAt("unknownZone", 80, 24)
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		c := open(t, &office{})
		c.Frame("empty")
		c.FrameAt("empty", 40, 12)
	})
	t.Run("stale", func(t *testing.T) {
		t.Parallel()
		c := open(t, world())
		c.Hold()
		c.Clock.Advance(14 * time.Second)
		c.Frame("stale")
	})
	t.Run("offline", func(t *testing.T) {
		t.Parallel()
		o := world()
		c := open(t, o)
		o.err = inventory.ErrUnavailable
		for range 4 {
			c.Tick()
		}
		c.Frame("offline")
	})
	t.Run("forms", func(t *testing.T) {
		t.Parallel()
		c := open(t, world())
		c.Press("e")
		c.Frame("edit")
		c.FrameAt("edit", 40, 12)
		c.Press("esc", "a")
		c.Frame("pool")
		c.Press("esc", "n")
		c.Type("tok")
		c.Press("enter")
		c.Frame("add")
		c.FrameAt("add", 40, 12)
	})
}

func TestVenues_KeysDoNotClash(t *testing.T) {
	t.Parallel()

	env := ui.NewSession(t.Context(), tuitest.NewClock()).NewEnv()
	m := venues.New(env, world(), mira)
	for _, fault := range keys.Faults(m.Keys(), keys.Global()) {
		t.Error(fault)
	}
	m.Update(ui.Do{Verb: "add-venue"})
	for _, fault := range keys.Faults(m.Keys()) {
		t.Error(fault)
	}
}

// The cursor begins on the venue in focus; the times are those of each venue.
func TestVenues_ListShowsTheTimeThere(t *testing.T) {
	t.Parallel()

	c := open(t, world())
	c.Shows("4 VENUES", ">* harbour", "Fri 12:38 +01:00", "Fri 20:38 +09:00", "Fri 22:38 +11:00", "ask 24h", "revive", "refund")
}

// An idle second changes nothing but row 1.
func TestVenues_QuietScreen(t *testing.T) {
	t.Parallel()

	c := open(t, world())
	body := func() string { return strings.SplitN(c.View(), "\n", 3)[2] }
	before := body()
	c.Tick()
	if after := body(); after != before {
		t.Errorf("a quiet second changed the screen:\n%s\n%s", before, after)
	}
}

func TestVenues_EnterPutsItInFocus(t *testing.T) {
	t.Parallel()

	c := open(t, world())
	c.Press("down", "enter")
	c.Shows(" Lord Howe Lighthouse", "22:38:07 +11", "Lord Howe Lighthouse is in focus on all screens", ">* lighthouse")
}

// A stored zone that we do not know is said, and nothing is put in its place.
func TestVenues_UnknownZoneIsFlaggedNeverGuessed(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	c.Press("end")
	c.Shows("!", "mars-base", "unknown", "? Mars/Base", "Its zone is unknown, and never guessed")
	c.Press("enter")
	c.Shows("Harbour Hall", "its zone is unknown; z chooses one")
	c.Press("e")
	c.Hides("EDIT")
	c.Press("z")
	c.Type("utc")
	c.Shows("Its present zone is unknown, so nothing can be compared.")
	c.Press("enter", "shift+tab", "shift+tab")
	c.Type("first colony")
	c.Press("tab")
	c.Type("mars-base")
	c.Press("tab", "tab", "enter")
	wantWrites(t, o, `zone mars-base UTC keep local v3 "first colony"`)
	c.Shows("mars-base is in UTC now, v4", "Fri 11:38 +00:00")
}

// B50: whatever is pressed on an empty list does nothing, and the first venue
// that arrives is selected.
func TestVenues_EmptyListIsHarmless(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	c.Press("end")
	rows := o.venues
	o.venues = nil
	c.Tick()
	c.Tick()
	c.Press("enter", "up", "down", "e", "z", "a", "u", "R", "M", "L", "home", "end")
	c.Shows("No venues yet.")
	for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 5}, {10, 3}, {1, 1}, {0, 0}, {300, 100}, {80, 24}} {
		c.Resize(size[0], size[1])
		c.View()
	}
	o.venues = rows[1:2]
	c.Tick()
	c.Tick()
	c.Shows(">* harbour", "Holds live 10m")
	wantWrites(t, o)
}

// New venues never move the cursor to another one.
func TestVenues_SelectionIsAnIdentity(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	c.Shows(">* harbour")
	first := inventory.NewVenue("aaa", "First", "Europe/Berlin", "EUR")
	o.venues = append([]inventory.Venue{first}, o.venues...)
	c.Tick()
	c.Tick()
	c.Shows("aaa", ">* harbour")
}

func TestVenues_KeysWithTheSameLetterHaveDifferentNames(t *testing.T) {
	t.Parallel()

	c := open(t, world())
	c.Shows("z change zone...", "Z utc")
}

func TestVenues_ThePolicyIsNeverCut(t *testing.T) {
	t.Parallel()

	o := world()
	o.venues[o.at("harbour")].LateDeadline = 1*time.Minute + 30*time.Second
	c := open(t, o)
	c.Shows("ask 1m30s")
	c.Resize(160, 50)
	c.Shows("ask 1m30s")
}

func TestVenues_NumbersTakeNoLetters(t *testing.T) {
	t.Parallel()

	c := open(t, world())
	c.Press("a")
	fields(c, 4)
	c.Press("1", "u", "2")
	c.Shows("[ 012 ")
}
