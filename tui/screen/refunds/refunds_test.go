package refunds_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/screen/refunds"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestRefunds_Frames(t *testing.T) {
	t.Parallel()

	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		tuitest.OpenHeld(t, options(evening())).Frame("loading")
	})
	t.Run("many", func(t *testing.T) {
		t.Parallel()
		c := open(t, evening())
		c.Frame("many")
		c.FrameAt("many", 40, 12)
		c.FrameAt("many", 100, 30)
		c.Press("enter")
		c.Frame("story")
		c.FrameAt("story", 40, 12)
	})
	t.Run("states", func(t *testing.T) {
		t.Parallel()
		c := open(t, evening())
		c.Press("a")
		for _, name := range []string{"failed", "failedUnmatched", "failedPart", "unsent", "pending", "noAnswer", "external", "succeeded", "failedBefore"} {
			rest(c)
			c.FrameAt(name, 80, 24)
			c.Press("down")
		}
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		s := evening()
		s.refunds = s.refunds[8:]
		c := open(t, s)
		c.Frame("empty")
		c.FrameAt("empty", 40, 12)
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
		s := evening()
		c := open(t, s)
		s.err = inventory.ErrUnavailable
		for range 4 {
			c.Tick()
		}
		c.Frame("offline")
		c.FrameAt("offline", 40, 12)
	})
	t.Run("dialogs", func(t *testing.T) {
		t.Parallel()
		c := open(t, evening())
		c.Press("!")
		c.Frame("retry")
		c.FrameAt("retry", 40, 12)
		c.Press("esc", "/")
		c.FrameAt("filter", 80, 24)
		c.Press("esc", "down")
		rest(c)
		c.Press("M")
		c.FrameAt("amount", 80, 24)
		c.FrameAt("amount", 40, 12)
		c.Type("10")
		c.Press("ctrl+s")
		c.Frame("part")
		c.Press("esc", "M")
		c.Type("25")
		c.Press("ctrl+s")
		c.FrameAt("whole", 80, 24)
	})
}

func TestRefunds_KeysDoNotClash(t *testing.T) {
	t.Parallel()

	m := refunds.New(ui.NewSession(t.Context(), tuitest.NewClock()).NewEnv(), evening(), mira)
	for _, fault := range keys.Faults(m.Keys(), keys.Global()) {
		t.Error(fault)
	}
}

// No word says that money went back before the provider has said so.
func TestRefunds_WordsNeverLie(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name   string
		state  inventory.RefundState
		change func(*inventory.Refund)
		want   []string
		never  []string
	}{
		{"unsent", inventory.RefundRequested, nil, []string{"Asked for, not sent yet: nothing has gone back."}, []string{"it went back"}},
		{
			"unanswered", inventory.RefundRequested, func(f *inventory.Refund) { f.SentAt, f.Tries = start, 2 },
			[]string{"sent twice, without an answer", "same key"},
			[]string{"it went back", "not sent yet"},
		},
		{"pending", inventory.RefundPending, nil, []string{"The provider has it and it is not done."}, []string{"it went back"}},
		{"succeeded", inventory.RefundSucceeded, nil, []string{"It went back at 12:33:27."}, nil},
		{"failed", inventory.RefundFailed, nil, []string{"It did not go back: insufficient balance."}, []string{"it went back"}},
		{
			"failedWithoutReason", inventory.RefundFailed, func(f *inventory.Refund) { f.LastError = "" },
			[]string{"It did not go back: no reason was given."},
			[]string{"it went back"},
		},
		{
			"external", inventory.RefundSucceeded, func(f *inventory.Refund) { f.External = true },
			[]string{"It was made at the provider itself, not from here, and it went back"},
			[]string{"asked for ("},
		},
		{
			"externalPending", inventory.RefundPending, func(f *inventory.Refund) { f.External = true },
			[]string{"made at the provider itself", "It is not done"},
			[]string{"it went back"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newTill()
			s.captured(1, eur(1800), "Gala", "u-1", inventory.StandingRefunding)
			s.back(2, 1, eur(1800), 5*time.Minute, tc.state, tc.change)
			c := open(t, s)
			c.Resize(160, 50)
			view := c.View()
			flat := strings.Join(strings.Fields(strings.NewReplacer("│", " ").Replace(view)), " ")
			for _, w := range tc.want {
				if !strings.Contains(pane(view), w) {
					t.Errorf("the pane does not say %q:\n%s", w, view)
				}
			}
			for _, w := range tc.never {
				if strings.Contains(flat, w) {
					t.Errorf("the screen says %q:\n%s", w, view)
				}
			}
		})
	}
}

// pane is the text beside the list as one line.
func pane(view string) string {
	var text []string
	for _, l := range strings.Split(view, "\n") {
		if _, right, ok := strings.Cut(l, "│"); ok {
			text = append(text, strings.Fields(right)...)
		}
	}
	return strings.Join(text, " ")
}

// Those that failed come first while they wait for a person, and go back among
// the others when their money has gone another way.
func TestRefunds_FailedWaitUntilTheirMoneyMoves(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Shows("[1 Refunds 3!]", "2 FAILED, waiting for you: EUR 245.00", "1 FAILED elsewhere: a")
	c.Press("a")
	c.Shows("3 FAILED, waiting for you", "KWD 1,234.567")
	s.asks(payment(0x78), s.payments[payment(0x78)].Captured, jan, "by hand") // asked for again
	s.revives(payment(0x71), jan)                                             // its booking stands on the money now
	c.Tick()
	c.Tick()
	c.Shows("[1 Refunds 1!]", "1 FAILED, waiting for you: EUR 5.00")
	s.asks(payment(0x72), eur(500), jan, "by hand")
	c.Tick()
	c.Tick()
	c.Shows("[1 Refunds]")
	c.Hides("waiting for you")
}

// A failed refund stays FAILED for ever, so that what became of its payment is
// asked once and remembered.
func TestRefunds_SettledFailuresAreLookedAtOnce(t *testing.T) {
	t.Parallel()

	s := newTill()
	for n := range 30 {
		s.captured(n+1, eur(1800), "Gala", "u-1", inventory.StandingApplied) // revived since
		s.back(n+100, n+1, eur(1800), time.Duration(n+1)*time.Hour, inventory.RefundFailed, nil)
	}
	c := open(t, s)
	c.Shows("[1 Refunds 10!]") // twenty at a time
	c.Tick()
	c.Tick()
	c.Shows("[1 Refunds]")
	for range 20 {
		c.Tick()
	}
	stories := 1 + 1 + 22/6
	if s.looks > 30+stories {
		t.Errorf("%d looks at payments, want 30 and those of the story", s.looks)
	}
}

func TestAgain(t *testing.T) {
	t.Parallel()

	at := func(id int, minute int, amount inventory.Minor, state inventory.RefundState) inventory.Refund {
		f := inventory.Refund{ID: refund(id), Amount: eur(amount), State: state, RequestedAt: start.Add(time.Duration(minute) * time.Minute)}
		if state == inventory.RefundFailed {
			f.DoneAt = f.RequestedAt.Add(2 * time.Minute)
		}
		return f
	}
	const failed, pending, done = inventory.RefundFailed, inventory.RefundPending, inventory.RefundSucceeded
	for _, tc := range []struct {
		name    string
		refunds []inventory.Refund
		want    map[int]int
	}{
		{"nothingCame", []inventory.Refund{at(1, 0, 10, failed)}, nil},
		{"retried", []inventory.Refund{at(1, 0, 10, failed), at(2, 5, 10, pending)}, map[int]int{1: 2}},
		{"anyOrder", []inventory.Refund{at(2, 5, 10, pending), at(1, 0, 10, failed)}, map[int]int{1: 2}},
		{"failedAgain", []inventory.Refund{at(1, 0, 10, failed), at(2, 5, 10, failed), at(3, 9, 10, done)}, map[int]int{1: 2, 2: 3}},
		{"askedBeforeItFailed", []inventory.Refund{at(1, 0, 10, failed), at(2, 1, 10, done)}, nil},
		{"less", []inventory.Refund{at(1, 0, 10, failed), at(2, 5, 9, done)}, nil},
		{"allThatIsLeft", []inventory.Refund{at(1, 0, 10, failed), at(2, 5, 25, done)}, map[int]int{1: 2}},
		{"oneForTwo", []inventory.Refund{at(1, 0, 10, failed), at(2, 1, 10, failed), at(3, 9, 10, done)}, map[int]int{2: 3}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := refunds.Again(tc.refunds)
			if len(got) != len(tc.want) {
				t.Fatalf("got %v, want %v", got, tc.want)
			}
			for f, r := range tc.want {
				if got[refund(f)].ID != refund(r) {
					t.Errorf("after %d came %v, want %d", f, got[refund(f)].ID, r)
				}
			}
		})
	}
}

func TestRefunds_Filter(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		typed string
		want  []string
		hides []string
	}{
		{"PENDING", []string{"only PENDING: esc shows all", "EUR 72.00", "1 refund"}, []string{"EUR 240.00"}},
		{"waiting", []string{"only waiting for you: esc shows all", "EUR 240.00", "EUR 5.00"}, []string{"EUR 72.00", "EUR 18.00 FAILED"}},
		{"FAILED: it", []string{"only FAILED: esc shows all", "EUR 240.00", "EUR 18.00 FAILED"}, []string{"EUR 72.00"}},
		{"REQUESTED", []string{"EUR 100.00", "EUR 9.00"}, []string{"EUR 72.00"}},
	} {
		s := evening()
		c := open(t, s)
		c.Press("/")
		c.Type(tc.typed)
		c.Press("enter")
		c.Shows(tc.want...)
		c.Hides(tc.hides...)
		c.Press("esc")
		c.Shows("EUR 72.00", "EUR 240.00")
	}
	s := evening()
	s.refunds = s.refunds[:1]
	c := open(t, s)
	c.Press("/")
	c.Type("SUCCEEDED")
	c.Press("enter")
	c.Shows("No refund at this venue is SUCCEEDED.", "esc shows all refunds.", "only SUCCEEDED")
}

// New rows never move the cursor to another record, and a record that leaves is
// told.
func TestRefunds_SelectionIsAnIdentity(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("/")
	c.Type("PENDING")
	c.Press("enter")
	c.Shows("..020000a4  EUR 72.00")
	s.captured(0x99, eur(1), "Gala", "u-new", inventory.StandingRefunding)
	s.back(0x99, 0x99, eur(1), time.Second, inventory.RefundPending, nil)
	c.Tick()
	c.Tick()
	c.Shows("EUR 0.01", "..020000a4  EUR 72.00")
	s.refunds[3].State = inventory.RefundSucceeded
	c.Tick()
	c.Tick()
	c.Shows("..020000a4 has left the list; this is the next one", "..02000099  EUR 0.01")
}

// B50: whatever is pressed on an empty list does nothing.
func TestRefunds_EmptyListIsHarmless(t *testing.T) {
	t.Parallel()

	s := newTill()
	c := open(t, s)
	c.Press("enter", "up", "down", "!", "M", "home", "end", "pgdown")
	c.Shows("No refunds: no money was ever sent back at this venue.")
	for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 5}, {10, 3}, {1, 1}, {0, 0}, {300, 100}, {80, 24}} {
		c.Resize(size[0], size[1])
		c.View()
	}
	if len(s.writes) > 0 {
		t.Errorf("the database was asked to %q", s.writes)
	}
}

// Enter before the story has come opens it when it comes.
func TestRefunds_EnterWaitsForTheStory(t *testing.T) {
	t.Parallel()

	c := open(t, evening())
	c.Press("down", "down")
	c.Hides("REFUND ..")
	c.Press("enter")
	c.Shows("REFUND ..020000a8", "What happened", "held 2 places", "How it stands")
}

func TestRefunds_MoreThanTheListHolds(t *testing.T) {
	t.Parallel()

	s := newTill()
	for i := range 600 {
		s.captured(i+1, eur(100), "Gala", fmt.Sprintf("u-%d", i), inventory.StandingRefunded)
		s.back(i+1, i+1, eur(100), time.Duration(i+1)*time.Minute, inventory.RefundSucceeded, nil)
	}
	s.captured(900, eur(100), "Gala", "u-old", inventory.StandingZombie)
	s.back(900, 900, eur(100), 100*time.Hour, inventory.RefundFailed, nil)
	c := open(t, s)
	c.Shows("[1 Refunds 1!]", "the newest 500", "1 FAILED elsewhere") // older than all that is listed
}

// An idle second changes only what is younger than two minutes.
func TestRefunds_OldRowsChangeOnceAMinute(t *testing.T) {
	t.Parallel()

	s := newTill()
	s.captured(1, eur(100), "Gala", "u-1", inventory.StandingZombie)
	s.back(2, 1, eur(100), 26*time.Minute+10*time.Second, inventory.RefundFailed, nil)
	c := open(t, s)
	body := func() string { return strings.SplitN(c.View(), "\n", 3)[2] }
	before := body()
	c.Tick()
	if after := body(); after != before {
		t.Errorf("a quiet second changed the screen:\n%s\n%s", before, after)
	}
}
