package calendar_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

// keyboard is what a person, a cat, or a paste can press.
var keyboard = []string{
	"up", "down", "left", "right", "home", "end", "[", "]", "t", "space", "v", "w", "*", "enter", "enter", "enter", "esc", "tab", "tab", "shift+tab",
	"e", "e", "F", "u", "M", "o", "X", "r", "ctrl+s", "backspace", "pgdown", "pgup", "1", "5", "0", "+", "-", "f", "r", "i", "?", ":",
}

// TestModel presses random keys while the world moves. Whatever happens: no
// panic, every picture is exactly as large as the screen, nothing is written but
// through a dialog that showed it, every write carries the versions that were
// drawn, and a refresh never moves the cursor.
func TestModel(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(rt *rapid.T) {
		d := newDesk()
		c := d.open(t)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			before := c.View()
			writes := len(d.saves) + len(d.undos)
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0:
				shake(rt, d)
			case 1:
				cursor := under(before)
				c.Tick()
				if after := under(c.View()); after != cursor {
					rt.Fatalf("a second passed and the cursor moved from %q to %q", cursor, after)
				}
			case 2:
				s := rapid.SampledFrom([][2]int{{80, 24}, {160, 50}, {40, 12}, {100, 30}}).Draw(rt, "size")
				c.Resize(s[0], s[1])
			case 3:
				rest(c)
			default:
				press(c, rapid.SampledFrom(keyboard).Draw(rt, "key"))
			}
			c.View()
			if len(d.saves)+len(d.undos) > writes && !asked(before) {
				rt.Fatalf("something was written though no dialog asked:\n%s", before)
			}
			if t.Failed() {
				rt.Fatal("see above")
			}
		}
		for _, plan := range d.saves {
			assertDrawn(rt, d, plan)
		}
	})
}

// press is one key; what types nothing where it does not belong is harmless.
func press(c *tuitest.Console, key string) {
	if c.Quit {
		return
	}
	c.Press(key)
}

// shake lets somebody else act: an edit, sales, days that come and go, errors.
func shake(rt *rapid.T, d *desk) {
	day := date.New(2026, 12, rapid.IntRange(1, 31).Draw(rt, "day"))
	switch rapid.IntRange(0, 5).Draw(rt, "event") {
	case 0:
		plan := d.plan(mainFloor, []date.Date{day}, capacity(rapid.IntRange(0, 200).Draw(rt, "capacity")))
		_, _ = d.apply(jan, plan, "", 0)
	case 1:
		if row := d.row(day); row.Version > 0 {
			d.put(day, func(p *inventory.PoolDay) { p.Taken = rapid.IntRange(0, 200).Draw(rt, "taken") })
		}
	case 2:
		d.saveErr = rapid.SampledFrom([]error{nil, inventory.ErrBusy, inventory.ErrUnknownOutcome, inventory.ErrStale}).Draw(rt, "error")
	case 3:
		d.readErr = rapid.SampledFrom([]error{nil, nil, inventory.ErrUnavailable}).Draw(rt, "read error")
	case 4:
		d.loseAnswer = true
	default:
		d.now = d.now.Add(time.Minute)
	}
}

// under is the day under the cursor, as far as the picture tells.
func under(view string) string {
	for _, line := range strings.Split(view, "\n") {
		if i := strings.IndexByte(line, '>'); i >= 0 && i+3 <= len(line) && line[i+1] >= '0' && line[i+1] <= '9' {
			return line[i : i+3]
		}
	}
	return ""
}

// asked reports that the picture has a question with a button that writes.
func asked(view string) bool {
	for _, button := range []string{"> [ Save", "> [ Put back", "> [ Put mine", "> [ Save the other"} {
		if strings.Contains(view, button) {
			return true
		}
	}
	return false
}

// assertDrawn checks that a plan was saved from rows that the desk had shown: in
// a plan, or in the answer to a save that came second.
func assertDrawn(rt *rapid.T, d *desk, plan inventory.DayPlan) {
	for _, c := range plan.Changes {
		shown := slices.ContainsFunc(d.plans, func(p inventory.DayPlan) bool {
			return slices.ContainsFunc(p.Changes, func(o inventory.DayChange) bool {
				return o.Before.Day == c.Before.Day && o.Before.Version == c.Before.Version
			})
		}) || slices.ContainsFunc(d.moved, func(s inventory.StaleDay) bool {
			return s.Now.Day == c.Before.Day && s.Now.Version == c.Before.Version
		})
		if !shown {
			rt.Fatalf("%s v%d was saved but never shown", c.Before.Day, c.Before.Version)
		}
	}
}
