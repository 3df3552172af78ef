package zombies_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/tui/screen/zombies"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// nasty are names that the public sends.
var nasty = []string{
	"u-1", "日本武道館ホール大", "Cafe\u0301", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200),
	"\x1b[2J\x1b]0;gone\x07", "line\nbreak\ttab", "\u202ereversed", "", "a\u0300\u0301\u0302\u0303\u0304", "\xff\xfe", "m] [ Revive ]",
}

var currencies = []inventory.Currency{"EUR", "JPY", "KWD", "VND"}

// B54 and the rest: whatever the public is called and whatever it pays, every
// line is exactly as wide as the screen.
func TestZombies_NastyNames(t *testing.T) {
	t.Parallel()

	s := evening()
	s.zombies = nil
	for i, name := range nasty {
		z := late(i+1, time.Duration(i)*time.Hour, inventory.Money{Minor: inventory.Minor(i * 1e9), Currency: currencies[i%4]}, nasty[len(nasty)-1-i], name, i*1000, i*2000, time.Duration(i)*time.Minute)
		z.Payment.ProviderPayment, z.Payment.Provider = name, name
		s.zombies = append(s.zombies, z)
		s.stories[z.Booking.ID] = []inventory.JournalEntry{{Seq: 1, To: "HELD", Cause: "hold", Actor: name, Reason: name, At: start}}
		s.refunds = append(s.refunds, inventory.Refund{PaymentID: z.Payment.ID, State: inventory.RefundFailed, LastError: name, Amount: z.Payment.Captured, RequestedAt: start})
	}
	c := open(t, s)
	c.Frame("nasty")
	for _, size := range [][2]int{{80, 24}, {40, 12}, {160, 50}, {100, 30}, {41, 11}} {
		c.Resize(size[0], size[1])
		c.Press("home")
		for range nasty {
			rest(c)
			c.View()
			for _, k := range []string{"enter", "R", "M"} {
				c.Press(k)
				c.View()
				c.Press("esc")
			}
			c.Press("down")
		}
		c.Press("*", "M")
		c.View()
		c.Press("esc", "esc")
	}
}

// titles are the dialogs that must stand before a decision.
var titles = regexp.MustCompile(`REVIVE ONE|REFUND ONE|REFUND \d+ PAY`)

// Whatever is pressed and whatever happens meanwhile: the picture is exact,
// nothing is decided without its dialog, every decision carries the version
// that was drawn, and no refresh moves the cursor to another record.
func TestZombies_AnyKeysAndEvents(t *testing.T) {
	t.Parallel()

	pressed := []string{
		"up", "down", "home", "end", "pgup", "pgdown", "enter", "esc", "tab", "shift+tab", "space", "*", "left", "right",
		"a", "R", "R", "M", "M", "enter", "tab", "tab", "x", "2", "3", "r", "p", "Z", "backspace", "L", "u", "?", ":",
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := evening()
		var model *zombies.Model
		o := options(s)
		o.Screen = func(env *ui.Env) ui.Screen {
			s.now = env.Now
			model = zombies.New(env, s, mira)
			return model
		}
		c := tuitest.Open(t, o)
		seen := map[string]bool{} // payment and version that were on screen
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			for _, z := range s.zombies {
				seen[fmt.Sprintf("%s v%d", z.Payment.ID.Short(), z.Payment.Version)] = true
			}
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0: // below 40x10 the frame shows no screen at all
				c.Resize(rapid.IntRange(40, 170).Draw(rt, "w"), rapid.IntRange(10, 50).Draw(rt, "h"))
			case 1:
				s.err = rapid.SampledFrom([]error{nil, nil, inventory.ErrUnavailable, inventory.ErrBusy}).Draw(rt, "err")
				s.wErr = rapid.SampledFrom([]error{nil, inventory.ErrStale, inventory.ErrUnknownOutcome, inventory.ErrSoldOut}).Draw(rt, "wErr")
			case 2, 3:
				happens(rt, s)
				before, had := model.Cursor()
				c.Tick()
				rest(c)
				if after, has := model.Cursor(); had && has && after != before && slices.Contains(model.Listed(), before) {
					rt.Fatalf("a refresh moved the cursor from %s to %s", before, after)
				}
			default:
				press(rt, c, s, rapid.SampledFrom(pressed).Draw(rt, "key"), seen)
			}
			c.View()
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

// happens is one thing that providers, the refund job or other staff do.
func happens(rt *rapid.T, s *till) {
	if len(s.zombies) == 0 || rapid.IntRange(0, 3).Draw(rt, "comes") == 0 {
		n := rapid.IntRange(1, 1<<20).Draw(rt, "id")
		if _, there := s.find(payment(n)); !there {
			s.zombies = append(s.zombies, late(n, time.Second, eur(100), rapid.SampledFrom(nasty).Draw(rt, "pool"), rapid.SampledFrom(nasty).Draw(rt, "buyer"), 1, 1, time.Minute))
		}
		return
	}
	i := rapid.IntRange(0, len(s.zombies)-1).Draw(rt, "which")
	switch rapid.IntRange(0, 3).Draw(rt, "event") {
	case 0:
		s.revives(s.zombies[i], inventory.Staff("jan"))
	case 1:
		s.refundsIt(s.zombies[i], inventory.Job("refund"))
	case 2:
		s.zombies = slices.Clone(s.zombies)
		s.zombies[i].Payment.Version++
	case 3:
		if rapid.IntRange(0, 9).Draw(rt, "all") == 0 {
			s.zombies = nil
		}
	}
}

func press(rt *rapid.T, c *tuitest.Console, s *till, key string, seen map[string]bool) {
	before, writes := c.View(), len(s.writes)
	c.Press(key)
	for _, w := range s.writes[writes:] {
		if !titles.MatchString(before) {
			rt.Fatalf("%q was decided by %q without its dialog:\n%s", w, key, before)
		}
		var verb, id, version string
		if _, err := fmt.Sscan(w, &verb, &id, &version); err != nil || !seen[id+" "+version] {
			rt.Fatalf("%q was decided, which was never on screen", w)
		}
	}
}
