package holds_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/tui/screen/holds"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// nasty are names that the public sends.
var nasty = []string{
	"u-1", "日本武道館ホール大", "Cafe\u0301", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200),
	"\x1b[2J\x1b]0;gone\x07", "line\nbreak\ttab", "\u202ereversed", "", "a\u0300\u0301\u0302\u0303\u0304", "\xff\xfe", "m] [ Release ]",
}

var currencies = []inventory.Currency{"EUR", "JPY", "KWD", "VND"}

// B54 and the rest: whatever the public is called and whatever it pays, every
// line is exactly as wide as the screen.
func TestHolds_NastyNames(t *testing.T) {
	t.Parallel()

	d := &desk{journal: map[inventory.BookingID][]inventory.JournalEntry{}}
	for i, name := range nasty {
		b := hold(i+1, inventory.BookingStates[i%2], time.Duration(i)*time.Minute, nasty[len(nasty)-1-i], name, i*1000, inventory.Money{Minor: inventory.Minor(i * 1e9), Currency: currencies[i%4]})
		b.IdempotencyKey = name
		d.bookings = append(d.bookings, b)
		d.journal[b.ID] = []inventory.JournalEntry{{Seq: 1, To: b.State, Cause: "hold", Actor: name, Reason: name, At: start}}
	}
	c := open(t, d)
	c.Frame("nasty")
	for _, size := range [][2]int{{80, 24}, {40, 12}, {160, 50}, {100, 30}, {41, 11}} {
		c.Resize(size[0], size[1])
		c.Press("home")
		for range nasty {
			rest(c)
			c.View()
			for _, k := range []string{"enter", "L", "e"} {
				c.Press(k)
				c.View()
				c.Press("esc")
			}
			c.Press("down")
		}
	}
}

var versions = regexp.MustCompile(`v(\d+) -> v`)

// Whatever is pressed and whatever happens meanwhile: the picture is exact,
// nothing is written without its dialog, and no refresh moves the cursor to
// another record.
func TestHolds_AnyKeysAndEvents(t *testing.T) {
	t.Parallel()

	pressed := []string{
		"up", "down", "home", "end", "pgup", "pgdown", "enter", "esc", "tab", "shift+tab", "space", "left", "right",
		"/", "a", "e", "L", "L", "ctrl+s", "enter", "tab", "x", "5", "m", "r", "p", "Z", "backspace", "R", "M", "u", "?", ":",
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := busy()
		var model *holds.Model
		o := options(d)
		o.Screen = func(env *ui.Env) ui.Screen {
			d.now = env.Now
			model = holds.New(env, d, mira)
			return model
		}
		c := tuitest.Open(t, o)
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0: // below 40x10 the frame shows no screen at all
				c.Resize(rapid.IntRange(40, 170).Draw(rt, "w"), rapid.IntRange(10, 50).Draw(rt, "h"))
			case 1:
				d.err = rapid.SampledFrom([]error{nil, nil, inventory.ErrUnavailable, inventory.ErrBusy}).Draw(rt, "err")
				d.writeErr = rapid.SampledFrom([]error{nil, inventory.ErrStale, inventory.ErrUnknownOutcome, inventory.ErrHoldExpired}).Draw(rt, "writeErr")
			case 2, 3:
				happens(rt, d)
				before, had := model.Cursor()
				c.Tick()
				rest(c)
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

// happens is one thing that buyers, providers or the sweep do.
func happens(rt *rapid.T, d *desk) {
	switch rapid.IntRange(0, 3).Draw(rt, "event") {
	case 0:
		n := rapid.IntRange(1, 1<<20).Draw(rt, "id")
		if d.find(id(n)) == nil {
			d.bookings = append(d.bookings, hold(n, inventory.StateHeld, time.Duration(rapid.IntRange(-60, 900).Draw(rt, "left"))*time.Second,
				rapid.SampledFrom(nasty).Draw(rt, "pool"), rapid.SampledFrom(nasty).Draw(rt, "buyer"), 1, eur(100)))
		}
	case 1:
		if len(d.bookings) > 0 {
			b := d.bookings[rapid.IntRange(0, len(d.bookings)-1).Draw(rt, "which")]
			d.move(b.ID, rapid.SampledFrom(inventory.BookingStates).Draw(rt, "to"), inventory.CausePaid, inventory.Job("sweep"))
		}
	case 2:
		if len(d.bookings) > 0 {
			i := rapid.IntRange(0, len(d.bookings)-1).Draw(rt, "which")
			d.bookings = slices.Delete(d.bookings, i, i+1)
		}
	case 3:
		if rapid.IntRange(0, 9).Draw(rt, "all") == 0 {
			d.bookings = nil
		}
	}
}

func press(rt *rapid.T, c *tuitest.Console, d *desk, key string) {
	before, writes := c.View(), len(d.writes)
	c.Press(key)
	if len(d.writes) == writes {
		return
	}
	last := d.writes[len(d.writes)-1]
	title := map[bool]string{true: "RELEASE ONE HOLD", false: "EXTEND HOLD"}[strings.HasPrefix(last, "release")]
	if !strings.Contains(before, title) && strings.Contains(before, "LIVE") {
		rt.Fatalf("%q was written by %q without its dialog:\n%s", last, key, before)
	}
	if v := versions.FindStringSubmatch(before); v != nil && !strings.HasSuffix(last, "v"+v[1]) {
		rt.Fatalf("%q was written, drawn was v%s", last, v[1])
	}
}
