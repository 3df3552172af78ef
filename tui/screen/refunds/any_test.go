package refunds_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/tui/screen/refunds"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// nasty are names that the public sends.
var nasty = []string{
	"u-1", "日本武道館ホール大", "Cafe\u0301", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪🇫🇷", "مسرح القاهرة", "क्षि देव", strings.Repeat("x", 200),
	"\x1b[2J\x1b]0;gone\x07", "line\nbreak\ttab", "\u202ereversed", "", "a\u0300\u0301\u0302\u0303\u0304", "\xff\xfe", "m] [ Ask again ]",
}

var (
	currencies = []inventory.Currency{"EUR", "JPY", "KWD", "VND"}
	states     = []inventory.RefundState{inventory.RefundFailed, inventory.RefundRequested, inventory.RefundPending, inventory.RefundSucceeded}
	standings  = []inventory.Standing{inventory.StandingZombie, inventory.StandingApplied, inventory.StandingRefunding, inventory.StandingRefunded}
)

// B54 and the rest: whatever the public is called and whatever it paid, every
// line is exactly as wide as the screen.
func TestRefunds_NastyNames(t *testing.T) {
	t.Parallel()

	s := newTill()
	for i, name := range nasty {
		amount := inventory.Money{Minor: inventory.Minor(i*1e9 + 2), Currency: currencies[i%4]}
		s.captured(i+1, amount, nasty[len(nasty)-1-i], name, standings[i%2])
		p := s.payments[payment(i+1)]
		p.Provider, p.ProviderPayment = name, name
		s.payments[p.ID] = p
		b := s.bookings[p.BookingID]
		b.Quantity = i * 1000
		s.bookings[b.ID] = b
		s.journal[b.ID] = []inventory.JournalEntry{{Seq: 1, To: "HELD", Cause: "hold", Actor: name, Reason: name, At: start}}
		amount.Minor = max(1, amount.Minor/2)
		s.back(i+100, i+1, amount, time.Duration(i)*time.Hour, states[i/2%4], func(f *inventory.Refund) {
			f.Provider, f.ProviderRefund, f.Reason, f.RequestedBy, f.LastError, f.Tries = name, name, name, name, name, i*1e6
		})
	}
	c := open(t, s)
	c.Frame("nasty")
	for _, size := range [][2]int{{80, 24}, {40, 12}, {160, 50}, {100, 30}, {41, 11}} {
		c.Resize(size[0], size[1])
		c.Press("home")
		for range nasty {
			rest(c)
			c.View()
			for _, k := range []string{"enter", "!", "M", "/"} {
				c.Press(k)
				c.View()
				c.Press("esc")
			}
			c.Press("M")
			c.Type("1")
			c.Press("ctrl+s")
			c.View()
			c.Press("esc", "down")
		}
	}
	wantWrites(t, s)
}

// titles are the dialogs that must stand before a decision.
var titles = regexp.MustCompile(`ASK AGAIN FOR|REFUND [A-Z]{3} `)

// world is what happens round the console while it is used.
type world struct {
	*till
	model *refunds.Model
	seen  map[string]bool // payment and version, or refund, that was on screen
}

// Whatever is pressed and whatever happens meanwhile: the picture is exact,
// nothing is decided without its dialog, every decision is about what was
// drawn, no refresh moves the cursor to another record, and no more is ever
// asked back than was captured.
func TestRefunds_AnyKeysAndEvents(t *testing.T) {
	t.Parallel()

	pressed := []string{
		"up", "down", "home", "end", "pgup", "pgdown", "enter", "esc", "tab", "shift+tab", "!", "!", "M", "M", "enter", "tab", "tab", "1", ".", "0",
		"5", "ctrl+s", "ctrl+s", "x", "a", "/", "r", "p", "Z", "backspace", "left", "right", "R", "L", "u", "?", ":",
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{till: evening(), seen: map[string]bool{}}
		o := options(w.till)
		o.Screen = func(env *ui.Env) ui.Screen {
			w.now = env.Now
			w.model = refunds.New(env, w.till, mira)
			return w.model
		}
		c := tuitest.Open(t, o)
		for range rapid.IntRange(0, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0: // below 40x10 the frame shows no screen at all
				c.Resize(rapid.IntRange(40, 170).Draw(rt, "w"), rapid.IntRange(10, 50).Draw(rt, "h"))
			case 1:
				w.err = rapid.SampledFrom([]error{nil, nil, inventory.ErrUnavailable, inventory.ErrBusy}).Draw(rt, "err")
				w.wErr = rapid.SampledFrom([]error{nil, nil, inventory.ErrStale, inventory.ErrUnknownOutcome, inventory.ErrDisputed}).Draw(rt, "wErr")
			case 2, 3:
				w.happens(rt)
				before, had := w.model.Cursor()
				c.Tick()
				rest(c)
				if after, has := w.model.Cursor(); had && has && after != before && slices.Contains(w.model.Listed(), before) {
					rt.Fatalf("a refresh moved the cursor from %s to %s", before, after)
				}
			default:
				w.press(rt, c, rapid.SampledFrom(pressed).Draw(rt, "key"))
			}
			c.View()
			for id := range w.payments {
				if w.left(id) < 0 {
					rt.Fatalf("more goes back of payment %s than was captured", id)
				}
			}
			if t.Failed() {
				rt.FailNow()
			}
		}
	})
}

// happens is one thing that providers, the refund job or other staff do.
func (w *world) happens(rt *rapid.T) {
	w.refunds = slices.Clone(w.refunds)
	i := rapid.IntRange(0, len(w.refunds)-1).Draw(rt, "which")
	f := w.refunds[i]
	switch rapid.IntRange(0, 4).Draw(rt, "event") {
	case 0:
		if f.State == inventory.RefundRequested || f.State == inventory.RefundPending {
			w.refunds[i].State, w.refunds[i].DoneAt, w.refunds[i].LastError = inventory.RefundFailed, w.now(), rapid.SampledFrom(nasty).Draw(rt, "why")
			if w.payments[f.PaymentID].Standing == inventory.StandingRefunding {
				w.stand(f.PaymentID, inventory.StandingZombie)
			}
		}
	case 1:
		if f.State == inventory.RefundRequested {
			w.refunds[i].State, w.refunds[i].SentAt, w.refunds[i].Tries = inventory.RefundPending, w.now(), f.Tries+1
		}
	case 2:
		if p := w.payments[f.PaymentID]; p.Standing == inventory.StandingZombie && w.left(p.ID) > 0 {
			w.asks(p.ID, inventory.Money{Minor: w.left(p.ID), Currency: p.Captured.Currency}, jan, "x")
		}
	case 3:
		if p := w.payments[f.PaymentID]; p.Standing == inventory.StandingZombie && p.ZombieKind == inventory.ZombieLate {
			w.revives(p.ID, jan)
		}
	case 4:
		n := rapid.IntRange(0x100, 1<<20).Draw(rt, "id")
		if _, there := w.payments[payment(n)]; !there {
			w.captured(n, eur(100), rapid.SampledFrom(nasty).Draw(rt, "pool"), rapid.SampledFrom(nasty).Draw(rt, "buyer"), inventory.StandingZombie)
			w.back(n, n, eur(100), time.Second, inventory.RefundFailed, nil)
		}
	}
}

func (w *world) press(rt *rapid.T, c *tuitest.Console, key string) {
	for _, id := range w.model.Listed() {
		w.seen[id.Short()] = true
	}
	p, version := w.model.Drawn()
	w.seen[fmt.Sprintf("%s v%d", p.Short(), version)] = true

	before, writes := c.View(), len(w.writes)
	c.Press(key)
	for _, wrote := range w.writes[writes:] {
		if !titles.MatchString(before) {
			rt.Fatalf("%q was decided by %q without its dialog:\n%s", wrote, key, before)
		}
		var verb, id, what string
		if _, err := fmt.Sscan(wrote, &verb, &id, &what); err != nil || !w.seen[id] && !w.seen[id+" "+what] {
			rt.Fatalf("%q was decided, which was never on screen", wrote)
		}
	}
}
