package calendar_test

import (
	"testing"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

func capacity(n int) inventory.DayEdit {
	return inventory.DayEdit{Capacity: &inventory.Adjust{N: n}}
}

// small is a phone, a narrow pane of tmux, a braille display.
const smallWidth, smallHeight = 40, 12

// frames compares the picture at all three sizes.
func frames(c *tuitest.Console, name string) {
	c.Frame(name)
	c.FrameAt(name, smallWidth, smallHeight)
}

func TestCalendar_Frame(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name string
		desk func(*desk)
		play func(*testing.T, *desk, *tuitest.Console)
	}{
		{"many", nil, nil},
		{"noVenue", func(d *desk) { d.venues, d.pools = nil, nil }, nil},
		{"noPool", func(d *desk) { d.pools = nil }, nil},
		{"notMade", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) { c.Press("]", "]", "]") }},
		{"failed", func(d *desk) { d.readErr = inventory.ErrUnavailable }, nil},
		{"stale", nil, func(_ *testing.T, d *desk, c *tuitest.Console) {
			d.readErr = inventory.ErrUnavailable
			for range 8 {
				c.Tick()
			}
		}},
		{"oversold", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) { c.Press("down") }},
		{"day", nil, func(t *testing.T, d *desk, c *tuitest.Console) {
			t.Helper()
			d.edit(t, jan, date.New(2026, 12, 11), capacity(121))
			c.Press("down", "r", "enter")
		}},
		{"clockChange", func(d *desk) { d.fill(mainFloor, date.New(2027, 3, 1), date.New(2027, 3, 31)) }, func(_ *testing.T, _ *desk, c *tuitest.Console) {
			c.Press("]", "]", "]", "end", "left", "left", "left")
		}},
		{"marked", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) { c.Press("w") }},
		{"find", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) { c.Press("F"); c.Type("fri jan") }},
		{"findWrong", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) { c.Press("F"); c.Type("fryday") }},
		{"editor", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) { c.Press("e") }},
		{"plan", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) { c.Press("w", "e"); c.Type("130"); rest(c) }},
		{"planOfManyDays", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) {
			c.Press("*", "e")
			c.Type("+20")
			rest(c)
			c.Press("pgdown")
		}},
		{"wrongInput", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) {
			c.Press("e")
			c.Type("10.5")
			c.Press("tab")
			c.Type("x")
			c.Press("enter")
		}},
		{"confirm", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) {
			c.Press("w", "e")
			c.Type("130")
			rest(c)
			c.Press("enter")
		}},
		{"oversell", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) {
			c.Press("e")
			c.Type("110")
			rest(c)
			c.Press("enter")
		}},
		{"conflict", nil, func(t *testing.T, d *desk, c *tuitest.Console) {
			t.Helper()
			c.Press("down", "e")
			c.Type("140")
			rest(c)
			d.edit(t, jan, date.New(2026, 12, 11), capacity(130))
			c.Press("enter", "tab", "enter")
		}},
		{"moved", nil, func(t *testing.T, d *desk, c *tuitest.Console) {
			t.Helper()
			c.Press("w", "e")
			c.Type("140")
			rest(c)
			d.edit(t, jan, date.New(2026, 12, 11), capacity(130))
			c.Press("enter", "tab", "enter")
		}},
		{"undo", nil, func(_ *testing.T, _ *desk, c *tuitest.Console) {
			saveFridays(c)
			c.Press("u")
		}},
		{"pools", func(d *desk) { d.addSecondVenue() }, func(_ *testing.T, _ *desk, c *tuitest.Console) { c.Press("o") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			if tc.desk != nil {
				tc.desk(d)
			}
			c := d.open(t)
			if tc.play != nil {
				tc.play(t, d, c)
			}
			c.Resize(160, 50)
			c.Tick() // the year is asked for once there is room for it
			frames(c, tc.name)
		})
	}
}

// saveFridays sets the Fridays of this month from today on to 150.
func saveFridays(c *tuitest.Console) {
	c.Press("w", "e")
	c.Type("150")
	rest(c)
	c.Press("enter", "tab", "enter")
}

func TestCalendar_FrameWhileLoading(t *testing.T) {
	t.Parallel()

	c := tuitest.OpenHeld(t, newDesk().options())
	frames(c, "loading")
	c.Release()
	c.Hides("loading")
	c.Shows("119/120+6")
}

func TestCalendar_FrameInAscii(t *testing.T) {
	t.Parallel()

	o := newDesk().options()
	o.ASCII = true
	c := tuitest.Open(t, o)
	c.FrameAt("ascii", 80, 24)
	for _, r := range c.View() {
		if r > 0x7e {
			t.Fatalf("the ascii picture holds %q", r)
		}
	}
}

// addSecondVenue adds a venue in another zone with a pool.
func (d *desk) addSecondVenue() {
	d.venues = append(d.venues, inventory.NewVenue("alfama", "Alfama", "Europe/Lisbon", "EUR"))
	ref := inventory.PoolRef{Venue: "alfama", Pool: "tour"}
	d.addPool(2, ref, "Fado walk", inventory.DayTemplate{Capacity: 12})
	d.fill(ref, date.New(2026, 12, 1), date.New(2026, 12, 31))
}

// A frame at 160x50 has 3 ms, the frame round the screen included.
func BenchmarkCalendar_View(b *testing.B) {
	c := newDesk().open(b)
	c.Resize(160, 50)
	c.Tick()
	for b.Loop() {
		c.View()
	}
}
