package deliveries_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/tui/screen/deliveries"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// nasty are texts that the public, shops and providers send.
var nasty = []string{
	"u-1", "日本武道館ホール大", "Cafe\u0301", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200),
	"\x1b[2J\x1b]0;gone\x07", "line\nbreak\ttab", "\u202ereversed", "", "a\u0300\u0301\u0302\u0303\u0304", "\xff\xfe", "m] [ Send again ]",
	`{"pool":"x","quantity":-1,"amount":{"minor":9223372036854775807,"currency":"KWD"}}`, `{"pool":`, "[]", "null",
}

// B54 and the rest: whatever anybody says, every line is exactly as wide as the
// screen.
func TestDeliveries_NastyTexts(t *testing.T) {
	t.Parallel()

	s := &post{}
	states := []inventory.InboxState{inventory.InboxParked, inventory.InboxUnmatched, inventory.InboxStored, inventory.InboxApplied}
	for i, text := range nasty {
		s.rows = append(s.rows, message(i+1, i*100000, text, time.Duration(i)*time.Hour, func(r *inventory.OutboxRow) {
			r.LastError, r.Data, r.Attempt = text, []byte(text), i*1e6
			switch i % 3 {
			case 0:
				r.ParkedAt = start
			case 1:
				r.PublishedAt = start
			}
		}))
		s.events = append(s.events, event(text+fmt.Sprint(i), inventory.EventKind(text), time.Duration(i)*time.Hour, states[i%4], func(e *inventory.InboxEvent) {
			e.Provider, e.ProviderPayment, e.ProviderRefund, e.Reference, e.Reason, e.Note = text, text, text, text, text, text
			e.Amount = inventory.Money{Minor: inventory.Minor(i * 1e9), Currency: inventory.Currency(text)}
			if i%5 == 0 {
				e.Problem = text
			}
		}))
	}
	c := open(t, s)
	c.Press("a")
	c.Frame("messages")
	c.Press("tab", "a")
	c.Frame("callbacks")
	for _, size := range [][2]int{{80, 24}, {40, 12}, {160, 50}, {100, 30}, {41, 11}} {
		c.Resize(size[0], size[1])
		for range 2 {
			c.Press("tab", "home")
			for range nasty {
				c.View()
				for _, k := range []string{"enter", "!", "P"} {
					c.Press(k)
					c.View()
					c.Press("esc")
				}
				c.Press("down")
			}
		}
	}
	wantWrites(t, s)
}

// titles are the dialogs that must stand before a change.
var titles = map[string]*regexp.Regexp{
	"send": regexp.MustCompile("SEND ONE MESSAGE"), "park": regexp.MustCompile("SET ONE MESSAGE"), "apply": regexp.MustCompile("APPLY ONE CALLBACK"),
}

// Whatever is pressed and whatever happens meanwhile: the picture is exact,
// nothing is changed without its own dialog or without having been on screen,
// and no refresh moves the cursor to another record.
func TestDeliveries_AnyKeysAndEvents(t *testing.T) {
	t.Parallel()

	pressed := []string{
		"up", "down", "home", "end", "pgup", "pgdown", "enter", "esc", "tab", "tab", "shift+tab", "!", "!", "P", "P", "enter", "x", "a", "r", "p", "Z",
		"backspace", "left", "right", "M", "R", "L", "u", "?", ":",
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := evening()
		var model *deliveries.Model
		o := options(s)
		o.Screen = func(env *ui.Env) ui.Screen {
			s.now = env.Now
			model = deliveries.New(env, s, mira)
			return model
		}
		c := tuitest.Open(t, o)
		seen := map[string]bool{}
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0: // below 40x10 the frame shows no screen at all
				c.Resize(rapid.IntRange(40, 170).Draw(rt, "w"), rapid.IntRange(10, 50).Draw(rt, "h"))
			case 1:
				s.err = rapid.SampledFrom([]error{nil, nil, inventory.ErrUnavailable, inventory.ErrBusy}).Draw(rt, "err")
				s.wErr = rapid.SampledFrom([]error{nil, nil, inventory.ErrNotFound, inventory.ErrUnknownOutcome, inventory.ErrNotAllowed}).Draw(rt, "wErr")
			case 2, 3:
				s.happens(rt)
				_, before := model.Front()
				c.Tick()
				if listed, after := model.Front(); before != "" && after != before && slices.Contains(listed, before) {
					rt.Fatalf("a refresh moved the cursor from %s to %s", before, after)
				}
			default:
				listed, _ := model.Front()
				for _, id := range listed {
					seen[id] = true
				}
				press(rt, c, s, rapid.SampledFrom(pressed).Draw(rt, "key"), seen)
			}
			c.View()
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

// happens is one thing that the relay, the inbox's job or providers do.
func (s *post) happens(rt *rapid.T) {
	s.rows, s.events = slices.Clone(s.rows), slices.Clone(s.events)
	r := &s.rows[rapid.IntRange(0, len(s.rows)-1).Draw(rt, "row")]
	e := &s.events[rapid.IntRange(0, len(s.events)-1).Draw(rt, "event")]
	switch rapid.IntRange(0, 5).Draw(rt, "what happens") {
	case 0:
		if isOpen(*r) {
			r.PublishedAt = s.now()
		}
	case 1:
		if isOpen(*r) {
			r.ParkedAt, r.LastError = s.now(), rapid.SampledFrom(nasty).Draw(rt, "why")
		}
	case 2:
		r.ParkedAt = time.Time{}
	case 3:
		s.rows = append(s.rows, message(rapid.IntRange(0x100, 1<<20).Draw(rt, "id"), 1, inventory.TopicConfirmed, 0, nil))
	case 4:
		e.State, e.AppliedAt = inventory.InboxApplied, s.now()
	case 5:
		id := fmt.Sprintf("evt_n%d", rapid.IntRange(0, 1<<20).Draw(rt, "id"))
		if s.event(id) == nil {
			s.events = append(s.events, event(id, inventory.EventRefundFailed, 0, inventory.InboxParked, nil))
		}
	}
}

func press(rt *rapid.T, c *tuitest.Console, s *post, key string, seen map[string]bool) {
	before, writes := c.View(), len(s.writes)
	c.Press(key)
	for _, w := range s.writes[writes:] {
		verb, what, _ := strings.Cut(w, " ")
		if !titles[verb].MatchString(before) {
			rt.Fatalf("%q was done by %q without its dialog:\n%s", w, key, before)
		}
		id := what
		if verb != "apply" {
			id = strings.Fields(what)[0]
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(k string) bool { return strings.HasSuffix(k, id) }) {
			rt.Fatalf("%q was done, which was never on screen", w)
		}
	}
}
