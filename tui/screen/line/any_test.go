package line_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/screen/line"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// nasty are names that the public sends.
var nasty = []string{
	"u-1", "日本武道館ホール大", "Cafe\u0301", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200),
	"\x1b[2J\x1b]0;gone\x07", "line\nbreak\ttab", "\u202ereversed", "", "a\u0300\u0301\u0302\u0303\u0304", "\xff\xfe", "m] [ Release ]",
}

// Whatever rooms and buyers are called, the hours stay above their columns and
// every line is exactly as wide as the screen.
func TestLine_NastyNames(t *testing.T) {
	t.Parallel()

	h := springNight(t)
	h.resources, h.bookings = nil, nil
	for i, name := range nasty {
		r := resource(i+1, "r", name, time.Duration(i)*time.Minute)
		r.Ref.Resource, r.Zone, r.PricePerHour = strings.Repeat("r", i+1), "Europe/Berlin", inventory.Money{Minor: 1_000_000_000, Currency: "KWD"}
		h.resources = append(h.resources, r)
		from := time.Date(2027, 3, 28, i, 0, 0, 0, time.UTC)
		h.put(i+1, i+1, nasty[len(nasty)-1-i], inventory.BookingStates[i%3], inventory.Range{From: from, To: from.Add(90 * time.Minute)})
	}
	c := open(t, h)
	goTo(c, "2027-03-28")
	c.Frame("nasty")
	for _, size := range [][2]int{{80, 24}, {40, 12}, {160, 50}, {100, 30}, {41, 11}} {
		c.Resize(size[0], size[1])
		for range nasty {
			c.Press("home")
			for range 8 {
				for range 3 {
					c.Press("right")
				}
				rest(c)
				c.View()
			}
			for _, k := range []string{"enter", "n", "m", "L", "C"} {
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
// nothing is written without its dialog and but with the version in it, and no
// refresh moves the cursor.
func TestLine_AnyKeysAndEvents(t *testing.T) {
	t.Parallel()

	pressed := []string{
		"up", "down", "left", "right", "left", "right", "home", "end", "pgup", "pgdown", "enter", "esc", "tab", "shift+tab", "space",
		"shift+left", "shift+right", "v", "[", "]", "d", "t", "+", "-", "/", "n", "m", "L", "C", "L", "C", "ctrl+s", "enter", "tab",
		"2", ":", "u", "1", "backspace", "r", "p", "Z", "?", "x",
	}
	zones := []string{"Europe/Berlin", "Australia/Lord_Howe", "America/Havana", "Pacific/Apia"}
	rapid.Check(t, func(rt *rapid.T) {
		h := studios(t, rapid.SampledFrom(zones).Draw(rt, "zone"))
		var model *line.Model
		o := options(h)
		o.Screen = func(env *ui.Env) ui.Screen {
			h.now = env.Now
			model = line.New(env, h, mira)
			return model
		}
		c := tuitest.Open(t, o)
		goTo(c, rapid.SampledFrom([]string{"2027-03-28", "2027-10-31", "2027-04-04", "2027-11-07", "2011-12-30"}).Draw(rt, "day"))
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0: // below 40x10 the frame shows no screen at all
				c.Resize(rapid.IntRange(40, 170).Draw(rt, "w"), rapid.IntRange(10, 50).Draw(rt, "h"))
			case 1:
				h.err = rapid.SampledFrom([]error{nil, nil, inventory.ErrUnavailable, inventory.ErrBusy}).Draw(rt, "err")
				h.wErr = rapid.SampledFrom([]error{nil, nil, inventory.ErrStale, inventory.ErrUnknownOutcome, inventory.ErrRangeTaken}).Draw(rt, "wErr")
			case 2, 3:
				happens(rt, h)
				before, at := model.Cursor()
				c.Tick()
				rest(c)
				if after, then := model.Cursor(); after != before && slices.Contains(model.Listed(), before) || !then.Equal(at) {
					rt.Fatalf("a refresh moved the cursor from %d %s to %d %s", before, at, after, then)
				}
			default:
				press(rt, c, h, rapid.SampledFrom(pressed).Draw(rt, "key"))
			}
			c.View()
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

// happens is one thing that others do.
func happens(rt *rapid.T, h *hall) {
	switch rapid.IntRange(0, 4).Draw(rt, "event") {
	case 0, 1:
		from, _ := timezone.DayStart(date.New(2027, rapid.SampledFrom([]time.Month{3, 10, 4, 11}).Draw(rt, "month"), rapid.SampledFrom([]int{28, 31, 4, 7}).Draw(rt, "d")), h.zone)
		from = from.Add(time.Duration(rapid.IntRange(0, 1500).Draw(rt, "at")) * time.Minute)
		n := rapid.IntRange(1, 1<<20).Draw(rt, "id")
		if len(h.resources) == 0 || h.find(id(n)) != nil {
			return
		}
		r := rapid.SampledFrom(h.resources).Draw(rt, "resource")
		h.put(n, int(r.ID), rapid.SampledFrom(nasty).Draw(rt, "buyer"), rapid.SampledFrom(inventory.BookingStates).Draw(rt, "state"),
			inventory.Range{From: from, To: from.Add(time.Duration(rapid.IntRange(1, 3000).Draw(rt, "long")) * time.Minute)})
	case 2:
		if len(h.bookings) > 0 {
			h.step(rapid.SampledFrom(h.bookings).Draw(rt, "which").ID, rapid.SampledFrom(inventory.BookingStates).Draw(rt, "to"), inventory.CausePaid, jan)
		}
	case 3:
		if len(h.resources) > 0 && rapid.IntRange(0, 3).Draw(rt, "gone") == 0 {
			i := rapid.IntRange(0, len(h.resources)-1).Draw(rt, "i")
			gone := h.resources[i].Ref
			h.resources = slices.Delete(slices.Clone(h.resources), i, i+1)
			h.bookings = slices.DeleteFunc(h.bookings, func(b inventory.Booking) bool { return b.Resource == gone })
		}
	case 4:
		if len(h.resources) > 0 {
			h.resources[0].Name = rapid.SampledFrom(nasty).Draw(rt, "name")
		}
	}
}

func press(rt *rapid.T, c *tuitest.Console, h *hall, key string) {
	before, writes := c.View(), len(h.writes)
	c.Press(key)
	if len(h.writes) == writes {
		return
	}
	last := h.writes[len(h.writes)-1]
	title := map[string]string{"hold": "NEW BOOKING OF", "move": "MOVE ONE BOOKING", "rele": "RELEASE ONE HOLD", "canc": "CANCEL ONE BOOKING"}[last[:4]]
	if !strings.Contains(before, title) && strings.Contains(before, "LIVE") {
		rt.Fatalf("%q was written by %q without its dialog:\n%s", last, key, before)
	}
	if v := versions.FindStringSubmatch(before); v != nil && !strings.HasSuffix(last, "v"+v[1]) {
		rt.Fatalf("%q was written, drawn was v%s", last, v[1])
	}
}
