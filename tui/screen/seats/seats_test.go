package seats_test

import (
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/tuitest"
)

// goTo puts the cursor on a seat as a person would.
func goTo(c *tuitest.Console, seat string) {
	c.Press("/")
	for range 20 {
		c.Press("backspace")
	}
	c.Type(seat)
	c.Press("enter")
	rest(c)
}

// rest lets the cursor rest.
func rest(c *tuitest.Console) {
	timed := c.Timed
	c.Timed = nil
	c.Drive(timed...)
}

func TestSeats_Frames(t *testing.T) {
	t.Parallel()

	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		c := tuitest.OpenHeld(t, options(gala()))
		c.Hides(" 0 ")
		c.Frame("loading")
	})
	t.Run("hall", func(t *testing.T) {
		t.Parallel()
		c := open(t, gala())
		goTo(c, "F-12")
		c.Frame("hall")
		c.FrameAt("hall", 40, 12)
		c.FrameAt("hall", 100, 30)
	})
	t.Run("marked", func(t *testing.T) {
		t.Parallel()
		c := open(t, gala())
		goTo(c, "F-20")
		c.Press("space", "shift+right", "shift+right")
		c.Frame("marked")
	})
	t.Run("blocks", func(t *testing.T) {
		t.Parallel()
		c := open(t, gala())
		c.Press("z")
		c.Frame("blocks")
		c.FrameAt("blocks", 40, 12)
	})
	t.Run("events", func(t *testing.T) {
		t.Parallel()
		c := open(t, festival())
		c.Frame("events")
		c.FrameAt("events", 40, 12)
	})
	t.Run("noEvents", func(t *testing.T) {
		t.Parallel()
		open(t, &house{}).Frame("none")
	})
	t.Run("noSeats", func(t *testing.T) {
		t.Parallel()
		h := gala()
		h.seats = nil
		open(t, h).Frame("noseats")
	})
	t.Run("stale", func(t *testing.T) {
		t.Parallel()
		c := open(t, gala())
		goTo(c, "F-12")
		c.Hold()
		c.Clock.Advance(14 * time.Second)
		c.Frame("stale")
	})
	t.Run("offline", func(t *testing.T) {
		t.Parallel()
		h := gala()
		c := open(t, h)
		h.err = inventory.ErrUnavailable
		for range 4 {
			c.Tick()
		}
		c.Frame("offline")
	})
}

// festival is a venue with several coming events.
func festival() *house {
	h := gala()
	h.events = append(h.events,
		event(2, "Matinee", time.Date(2026, 12, 6, 10, 0, 0, 0, time.UTC)),
		event(3, "New Year's Eve", time.Date(2026, 12, 31, 21, 0, 0, 0, time.UTC)))
	h.events[2].StopSell = true
	return h
}

func TestSeats_KeysDoNotClash(t *testing.T) {
	t.Parallel()

	c, m := openModel(t, festival())
	check := func(tables ...keys.Table) {
		t.Helper()
		for _, fault := range keys.Faults(append(tables, m.Keys())...) {
			t.Error(fault)
		}
	}
	check(keys.Global())
	c.Press("enter")
	check(keys.Global())
	goTo(c, "F-12")
	c.Press("m")
	check(keys.Global())
	c.Press("esc", "z")
	check(keys.Global())
	c.Press("/")
	check()
}
