package cockpit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/tui/screen/cockpit"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// nasty are names that come from outside.
var nasty = []string{
	"u-1", "日本武道館ホール大", "Cafe\u0301", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200),
	"\x1b[2J\x1b]0;gone\x07", "line\nbreak\ttab", "\u202ereversed", "", "a\u0300\u0301\u0302\u0303\u0304", "\xff\xfe", "m] [ Stop sales ]",
}

// Whatever things are called and however many there are, every line is exactly
// as wide as the screen.
func TestCockpit_NastyNames(t *testing.T) {
	t.Parallel()

	d := evening()
	d.rows, d.rooms = nil, nil
	for i, name := range nasty {
		big := 1
		for range i {
			big *= 4
		}
		row := evening().rows[i%6]
		row.Name, row.Taken, row.Limit, row.Held, row.Holds, row.Zombies, row.Recent = name, big, 3*big-100, big/2, big, i, big
		row.Pool.Pool, row.Event.Event = "p"+strings.Repeat("q", i), "e"+strings.Repeat("f", i)
		if row.Kind == inventory.ClaimSeats {
			row.Pool = inventory.PoolRef{}
		}
		d.rows = append(d.rows, row)
		slug := row.Pool.Pool
		if row.Kind == inventory.ClaimSeats {
			slug = row.Event.Event
		}
		d.rooms = append(d.rooms, inventory.WaitingRoom{
			ID: int64(i + 1), Venue: "harbour", Name: slug, Kind: row.Kind, Rate: float64(big) / 7, MaxActive: big, Open: true, Waiting: int64(big), Active: int64(i), Version: 1,
		})
		d.pulses = append(d.pulses, inventory.Pulse{Instance: name, At: start, Span: 2 * time.Second, Placed: big, Refused: map[string]int{name: big, "BUSY": i}, Queue: big})
	}
	c := open(t, d)
	c.Frame("nasty")
	for _, size := range [][2]int{{80, 24}, {40, 12}, {160, 50}, {100, 30}, {41, 11}} {
		c.Resize(size[0], size[1])
		c.Press("home")
		for range nasty {
			c.View()
			for _, k := range []string{"enter", "S", "A", "e"} {
				c.Press(k)
				c.View()
				c.Press("esc")
			}
			c.Press("down")
		}
	}
}

// Whatever is pressed and whatever happens meanwhile: the picture is exact,
// nothing is written without its dialog, and no refresh moves the cursor to
// another row.
func TestCockpit_AnyKeysAndEvents(t *testing.T) {
	t.Parallel()

	pressed := []string{
		"up", "down", "home", "end", "pgup", "pgdown", "enter", "esc", "tab", "shift+tab", "space", "left", "right",
		"S", "S", "A", "A", "e", "e", "u", "ctrl+s", "enter", "tab", "x", "5", "0", "m", "r", "p", "Z", "backspace", "R", "M", "?", ":",
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := evening()
		var model *cockpit.Model
		o := options(d)
		o.Screen = func(env *ui.Env) ui.Screen {
			d.now = env.Now
			model = cockpit.New(env, d, mira)
			return model
		}
		c := tuitest.Open(t, o)
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0: // below 40x10 the frame shows no screen at all
				c.Resize(rapid.IntRange(40, 170).Draw(rt, "w"), rapid.IntRange(10, 50).Draw(rt, "h"))
			case 1:
				d.err = rapid.SampledFrom([]error{nil, nil, inventory.ErrUnavailable, inventory.ErrBusy}).Draw(rt, "err")
				d.writeErr = rapid.SampledFrom([]error{nil, inventory.ErrBusy, inventory.ErrUnknownOutcome, inventory.ErrUnavailable}).Draw(rt, "writeErr")
			case 2, 3:
				happens(rt, d)
				before, had := model.Cursor()
				c.Tick()
				if after, has := model.Cursor(); had && has && after != before && slices.Contains(model.Listed(), before) {
					rt.Fatalf("a refresh moved the cursor from %s to %s", before, after)
				}
			default:
				press(rt, c, d, rapid.SampledFrom(pressed).Draw(rt, "key"))
			}
			c.View()
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

// happens is one thing that buyers, daemons or other staff do.
func happens(rt *rapid.T, d *desk) {
	switch rapid.IntRange(0, 5).Draw(rt, "event") {
	case 0:
		if len(d.rows) > 0 {
			r := &d.rows[rapid.IntRange(0, len(d.rows)-1).Draw(rt, "which")]
			r.Version++
			r.StopSell = !r.StopSell
		}
	case 1:
		if len(d.rows) > 0 {
			i := rapid.IntRange(0, len(d.rows)-1).Draw(rt, "which")
			d.rows = slices.Delete(slices.Clone(d.rows), i, i+1)
		}
	case 2:
		rows := slices.Clone(d.rows)
		slices.Reverse(rows)
		d.rows = rows
	case 3:
		d.rooms = slices.Clone(d.rooms[:rapid.IntRange(0, len(d.rooms)).Draw(rt, "rooms")])
	case 4:
		if len(d.rooms) > 0 {
			d.rooms[0].Admitted += int64(rapid.IntRange(-100, 1000).Draw(rt, "admitted"))
			d.rooms[0].Rate = rapid.Float64Range(0, 1e6).Draw(rt, "rate")
			d.rooms[0].Version++
		}
	case 5:
		d.pulses = append(d.pulses, inventory.Pulse{
			Instance: rapid.SampledFrom(nasty).Draw(rt, "instance"), At: d.now(), Span: 2 * time.Second,
			Placed: rapid.IntRange(0, 1<<31-1).Draw(rt, "placed"), P99: time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(rt, "p99")),
			Refused: map[string]int{rapid.SampledFrom([]string{"BUSY", "SOLD_OUT", "\x1b[2J"}).Draw(rt, "code"): 3},
		})
	}
}

func press(rt *rapid.T, c *tuitest.Console, d *desk, key string) {
	before, writes := c.View(), len(d.writes)
	c.Press(key)
	if len(d.writes) == writes {
		return
	}
	last := d.writes[len(d.writes)-1]
	if strings.Contains(before, "STALE") || strings.Contains(before, "OFFLINE") {
		rt.Fatalf("%q was written by %q while the numbers were old:\n%s", last, key, before)
	}
	titles := map[string][]string{"stop": {"STOP SALES", "OPEN SALES", "PUT BACK"}, "undo": {"PUT BACK"}, "rate": {"ADMISSION", "PUT BACK"}, "exte": {"EXTEND ALL HOLDS"}}[last[:4]]
	if !slices.ContainsFunc(titles, func(title string) bool { return strings.Contains(before, title) }) {
		rt.Fatalf("%q was written by %q without its dialog:\n%s", last, key, before)
	}
}
