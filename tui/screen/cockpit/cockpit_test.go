package cockpit_test

import (
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/screen/cockpit"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestCockpit_Frames(t *testing.T) {
	t.Parallel()

	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		c := tuitest.OpenHeld(t, options(evening()))
		c.Hides(" 0 ")
		c.Frame("loading")
	})
	t.Run("evening", func(t *testing.T) {
		t.Parallel()
		d := evening()
		c := open(t, d)
		for range 3 { // so that admission is measured
			d.rooms[0].Admitted += 24
			c.Tick()
		}
		c.Frame("evening")
		c.FrameAt("evening", 40, 12)
		c.FrameAt("evening", 100, 30)
		c.Press("down", "enter")
		c.Frame("detail")
		c.FrameAt("detail", 40, 12)
	})
	t.Run("ascii", func(t *testing.T) {
		t.Parallel()
		o := options(evening())
		o.ASCII = true
		tuitest.Open(t, o).Frame("ascii")
	})
	t.Run("trouble", func(t *testing.T) {
		t.Parallel()
		d := evening()
		for i := range d.pulses[len(d.pulses)-6:] {
			p := &d.pulses[len(d.pulses)-6+i]
			p.Refused = map[string]int{"BUSY": 11, "SOLD_OUT": 60, "SOMETHING_NEW": 1}
			p.P99 = 1900 * time.Millisecond
		}
		c := open(t, d)
		c.Frame("trouble")
		c.FrameAt("trouble", 40, 12)
	})
	t.Run("quiet", func(t *testing.T) {
		t.Parallel()
		d := evening()
		d.pulses = []inventory.Pulse{{Instance: "box:4711:daemon", At: start.Add(-20 * time.Second), Span: 2 * time.Second}}
		d.rooms = nil
		open(t, d).Frame("quiet")
	})
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		d := evening()
		d.pulses = []inventory.Pulse{{Instance: "box:4711:daemon", At: start.Add(-3 * time.Minute), Span: 2 * time.Second, Placed: 100}}
		open(t, d).Frame("silent")
	})
	t.Run("nothingSells", func(t *testing.T) {
		t.Parallel()
		c := open(t, &desk{})
		c.Frame("nothing")
		c.FrameAt("nothing", 40, 12)
	})
	t.Run("stale", func(t *testing.T) {
		t.Parallel()
		c := open(t, evening())
		c.Hold()
		c.Clock.Advance(14 * time.Second)
		c.Frame("stale")
	})
	t.Run("offline", func(t *testing.T) {
		t.Parallel()
		d := evening()
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
		open(t, &desk{err: inventory.ErrUnavailable}).Frame("offline")
	})
	t.Run("dialogs", func(t *testing.T) {
		t.Parallel()
		c := open(t, evening())
		c.Press("S")
		c.Frame("stop")
		c.FrameAt("stop", 40, 12)
		c.Press("esc", "e")
		c.Frame("extend")
		c.FrameAt("extend", 40, 12)
		c.Press("esc", "down", "A")
		c.Frame("admission")
		c.FrameAt("admission", 40, 12)
		c.Press("esc", "down", "down", "down", "S")
		c.Frame("open")
	})
}

func TestCockpit_KeysDoNotClash(t *testing.T) {
	t.Parallel()

	env := ui.NewSession(t.Context(), tuitest.NewClock()).NewEnv()
	m := cockpit.New(env, evening(), mira)
	for _, fault := range keys.Faults(m.Keys(), keys.Global(), keys.Fallback()) {
		t.Error(fault)
	}
}
