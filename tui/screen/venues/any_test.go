package venues_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/tui/screen/venues"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// nasty are names as B54 and worse have them.
var nasty = []string{
	"日本武道館ホール大", "Cafe\u0301", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200),
	"\x1b[2J\x1b]0;gone\x07", "line\nbreak\ttab", "\u202ereversed", "", "a\u0300\u0301\u0302\u0303\u0304", "\xff\xfe", "m] [ Change ]",
}

// B54: whatever venues and pools are called, every line is exactly as wide as
// the screen, in the list, on the zone page and in every form.
func TestVenues_NastyNames(t *testing.T) {
	t.Parallel()

	o := &office{by: map[string]string{}}
	zones := []string{"Europe/Berlin", "Asia/Kathmandu", "Mars/Base", "\x1b[31mred", "America/Argentina/ComodRivadavia"}
	for i, name := range nasty {
		v := inventory.NewVenue(fmt.Sprintf("v%d", i), name, zones[i%len(zones)], []inventory.Currency{"EUR", "JPY", "KWD"}[i%3])
		v.Version = i * 1e6
		o.venues = append(o.venues, v)
		o.pools = append(o.pools, pool(v.Slug, "p", nasty[len(nasty)-1-i], inventory.Money{Minor: 1e9, Currency: v.Currency}, inventory.EveryDay(inventory.DayTemplate{Capacity: 1e6, OverbookLimit: 1e6}), 1000))
	}
	c := open(t, o)
	c.Frame("nasty")
	for _, size := range [][2]int{{80, 24}, {40, 12}, {160, 50}, {120, 30}, {41, 11}} {
		c.Resize(size[0], size[1])
		c.Press("home")
		for range nasty {
			for _, k := range []string{"e", "z", "a"} {
				c.Press(k)
				c.View()
				c.Press("down", "enter")
				c.View()
				c.Press("esc", "esc")
			}
			c.Press("enter", "down")
			c.View()
		}
	}
}

// titles are the dialogs that must stand before each kind of write.
var titles = map[string]*regexp.Regexp{
	"add":  regexp.MustCompile(`NEW VENUE`),
	"pool": regexp.MustCompile(`NEW POOL`),
	"set":  regexp.MustCompile(`EDIT |PUT BACK|SOMEONE ELSE SAVED`),
	"zone": regexp.MustCompile(`CHANGE THE ZONE`),
}

// Whatever is pressed and whatever happens meanwhile: the picture is exact,
// nothing is saved without its dialog, no save replaces a version that was not
// seen, and no refresh moves the cursor to another venue.
func TestVenues_AnyKeysAndEvents(t *testing.T) {
	t.Parallel()

	pressed := []string{
		"up", "down", "home", "end", "pgup", "pgdown", "enter", "enter", "esc", "tab", "tab", "shift+tab", "space", "left", "right",
		"e", "e", "n", "a", "z", "u", "ctrl+s", "ctrl+s", "b", "e", "r", "l", "1", "m", "p", "Z", "backspace", "R", "?", ":",
	}
	previews := []inventory.ZonePreview{{}, {}, moving(t), {RulesDiffer: []time.Time{start}}}
	rapid.Check(t, func(rt *rapid.T) {
		o := world()
		o.ahead = rapid.SampledFrom(previews).Draw(rt, "ahead")
		var model *venues.Model
		opts := options(o)
		opts.Screen = func(env *ui.Env) ui.Screen {
			model = venues.New(env, o, mira)
			return model
		}
		c := tuitest.Open(t, opts)
		for range rapid.IntRange(0, 50).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0: // below 40x10 the frame shows no screen at all
				c.Resize(rapid.IntRange(40, 170).Draw(rt, "w"), rapid.IntRange(10, 50).Draw(rt, "h"))
			case 1:
				o.err = rapid.SampledFrom([]error{nil, nil, inventory.ErrUnavailable, inventory.ErrBusy}).Draw(rt, "err")
				o.wErr = rapid.SampledFrom([]error{nil, nil, inventory.ErrUnknownOutcome, inventory.Invalid("zone", "no")}).Draw(rt, "wErr")
			case 2:
				happens(rt, o)
				before, had := model.Cursor()
				c.Tick()
				c.Tick()
				if after, has := model.Cursor(); had && has && after != before && slices.Contains(model.Listed(), before) {
					rt.Fatalf("a refresh moved the cursor from %s to %s", before, after)
				}
			default:
				press(rt, c, o, rapid.SampledFrom(pressed).Draw(rt, "key"))
			}
			c.View()
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

// happens is one thing that other staff do.
func happens(rt *rapid.T, o *office) {
	switch rapid.IntRange(0, 3).Draw(rt, "event") {
	case 0:
		slug := fmt.Sprintf("v%d", rapid.IntRange(0, 9).Draw(rt, "slug"))
		if o.at(slug) < 0 {
			o.venues = append([]inventory.Venue{inventory.NewVenue(slug, rapid.SampledFrom(nasty).Draw(rt, "name"), "Asia/Tokyo", "JPY")}, o.venues...)
		}
	case 1, 2:
		if len(o.venues) > 0 {
			v := o.venues[rapid.IntRange(0, len(o.venues)-1).Draw(rt, "which")]
			v.Name = rapid.SampledFrom(nasty).Draw(rt, "name")
			o.edit(jan, v)
		}
	case 3:
		if rapid.IntRange(0, 9).Draw(rt, "all") == 0 {
			o.venues = nil
		}
	}
}

func press(rt *rapid.T, c *tuitest.Console, o *office, key string) {
	before, writes, stored := c.View(), len(o.writes), slices.Clone(o.venues)
	c.Press(key)
	for _, w := range o.writes[writes:] {
		var verb, what string
		if _, err := fmt.Sscan(w, &verb, &what); err != nil || !titles[verb].MatchString(before) {
			rt.Fatalf("%q was saved by %q without its dialog:\n%s", w, key, before)
		}
	}
	for _, v := range stored {
		if i := o.at(v.Slug); i >= 0 && o.venues[i] != v && o.venues[i].Version != v.Version+1 {
			rt.Fatalf("%s went from v%d to v%d by one key", v.Slug, v.Version, o.venues[i].Version)
		}
	}
}
