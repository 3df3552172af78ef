package deliveries_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/screen/deliveries"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestDeliveries_Frames(t *testing.T) {
	t.Parallel()

	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		tuitest.OpenHeld(t, options(evening())).Frame("loading")
	})
	t.Run("messages", func(t *testing.T) {
		t.Parallel()
		c := open(t, evening())
		c.Frame("messages")
		c.FrameAt("messages", 40, 12)
		c.FrameAt("messages", 100, 30)
		c.Press("enter")
		c.Frame("detail")
		c.Press("esc", "a")
		for _, name := range []string{"parked", "failing", "behind", "sending", "fresh", "setAside", "published"} {
			c.FrameAt(name, 80, 24)
			c.Press("down")
		}
	})
	t.Run("callbacks", func(t *testing.T) {
		t.Parallel()
		c := open(t, evening())
		c.Press("tab")
		c.Frame("callbacks")
		c.FrameAt("callbacks", 40, 12)
		c.FrameAt("callbacks", 100, 30)
		c.Press("enter")
		c.Frame("detail")
		c.Press("esc", "a")
		for _, name := range []string{"parked", "mustNot", "unmatched", "fresh", "failing", "applied"} {
			c.FrameAt(name, 80, 24)
			c.Press("down")
		}
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		s := evening()
		s.rows, s.events = s.rows[6:], s.events[5:]
		c := open(t, s)
		c.Frame("messages")
		c.FrameAt("messages", 40, 12)
		c.Press("tab")
		c.Frame("callbacks")
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
		c.Frame("send")
		c.FrameAt("send", 40, 12)
		c.Press("esc", "down", "P")
		c.Frame("park")
		c.FrameAt("park", 40, 12)
		c.Press("esc", "tab", "!")
		c.Frame("apply")
		c.FrameAt("apply", 40, 12)
	})
}

func TestDeliveries_KeysDoNotClash(t *testing.T) {
	t.Parallel()

	m := deliveries.New(ui.NewSession(t.Context(), tuitest.NewClock()).NewEnv(), evening(), mira)
	for range 2 {
		for _, fault := range keys.Faults(m.Keys(), keys.Global()) {
			t.Error(fault)
		}
		m.Update(ui.Do{Verb: "other-side"})
	}
}

// Both sides are summed up whichever is in front, and the badge counts what
// waits for a person: not what a person has set aside, nor what must never be
// applied.
func TestDeliveries_BothSidesAreSummedUp(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Resize(160, 50)
	c.Shows("[1 Deliveries 2!]", "[MESSAGES 4 open, oldest 7m, 2 parked]  CALLBACKS 2 to apply, 1 unmatched, 2 parked")
	c.Press("tab")
	c.Shows("MESSAGES 4 open, oldest 7m, 2 parked  [CALLBACKS 2 to apply, 1 unmatched, 2 parked]", "refund.succeeded evt_1")
	s.rows, s.events = s.rows[1:], s.events[1:]
	for range 5 {
		c.Tick()
	}
	c.Shows("[1 Deliveries]", "1 parked]", "MESSAGES 4 open, oldest 7m, 1 parked ")
	c.Press("shift+tab")
	c.Shows("[MESSAGES")
}

func TestDeliveries_HealthIsPlain(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Shows("Waiting for you: 1 that nobody would take. Shops do not know what happened.")
	s.rows = s.rows[1:]
	c.Press("r")
	c.Shows("Shops are behind: they wait since 12:31:07. 1 published in the last hour.")
	s.rows = s.rows[3:]
	c.Press("r")
	c.Shows("On their way to the shops, as usual.")
	s.rows = nil
	c.Press("r")
	c.Shows("Shops have been told all that happened. 0 published in the last hour.", "No message waits")

	c.Press("tab")
	c.Shows("Waiting for you: 1 that could not be applied. The bookings know nothing of it.")
	s.events = s.events[1:]
	c.Press("r")
	c.Shows("1 unmatched: looked at again by itself")
	s.events = append(s.events[:1:1], s.events[2:]...)
	c.Press("r")
	c.Shows("2 to be applied, as usual.")
	s.events = s.events[:1]
	c.Press("r")
	c.Shows("All that may be applied is applied. Kept, and never to be applied: 1.")
	s.events = nil
	c.Press("r")
	c.Shows("All that payment providers told is applied.", "No callback waits")
}

// What every topic and every kind means for guests is said, and an unknown one
// is not guessed.
func TestDeliveries_ForGuests(t *testing.T) {
	t.Parallel()

	for _, topic := range []string{
		inventory.TopicConfirmed, inventory.TopicExpired, inventory.TopicCancelled, inventory.TopicMoved, inventory.TopicPaymentLate,
		inventory.TopicRefundSucceeded, inventory.TopicRefundFailed,
	} {
		s := evening()
		s.rows = []inventory.OutboxRow{message(1, 2, topic, time.Minute, nil)}
		c := open(t, s)
		c.Shows("For guests: the guest")
	}
	for _, kind := range []inventory.EventKind{
		inventory.EventPaymentSucceeded, inventory.EventPaymentFailed, inventory.EventPaymentProcessing, inventory.EventPaymentCancelled,
		inventory.EventRefundSucceeded, inventory.EventRefundFailed, inventory.EventRefundPending,
		inventory.EventDisputeOpened, inventory.EventDisputeWon, inventory.EventDisputeLost,
	} {
		s := evening()
		s.events = []inventory.InboxEvent{event("evt_1", kind, time.Minute, inventory.InboxStored, nil)}
		c := open(t, s)
		c.Press("tab")
		c.Shows("For guests: ")
		c.Hides("nobody here knows what it means")
	}
	s := evening()
	s.rows = []inventory.OutboxRow{message(1, 2, "seat.sung", time.Minute, nil)}
	s.events = []inventory.InboxEvent{event("evt_1", "payment.sung", time.Minute, inventory.InboxParked, nil)}
	c := open(t, s)
	c.Shows("For guests: the shop does not know it yet.")
	c.Press("tab")
	c.Shows("For guests: nobody here knows what it means.")
}

// New rows never move the cursor to another record, and a record that leaves is
// told.
func TestDeliveries_SelectionIsAnIdentity(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down")
	c.Shows("booking.cancelled #3 of ..000000a3 ")
	s.rows = append([]inventory.OutboxRow{message(0xb1, 1, inventory.TopicConfirmed, time.Hour, nil)}, s.rows...)
	c.Tick()
	c.Tick()
	c.Shows("1h00m booking.confirmed", "booking.cancelled #3 of ..000000a3 ")
	s.row(booking(0xa3), 3).PublishedAt = s.now()
	c.Tick()
	c.Tick()
	c.Shows("booking.cancelled #3 of ..000000a3 has left the list; this is the next one")
	c.Press("down")
	c.Hides("has left the list")

	c.Press("tab", "down", "down")
	c.Shows("dispute.opened evt_3")
	s.events = append(s.events, event("evt_9", inventory.EventRefundFailed, time.Second, inventory.InboxParked, nil))
	c.Press("r")
	c.Shows("refund.failed", "dispute.opened evt_3")
}

// B50: whatever is pressed on empty lists does nothing.
func TestDeliveries_EmptyListsAreHarmless(t *testing.T) {
	t.Parallel()

	s := &post{}
	c := open(t, s)
	for range 2 {
		c.Press("enter", "up", "down", "!", "P", "home", "end", "pgdown", "a")
		for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 5}, {10, 3}, {1, 1}, {0, 0}, {300, 100}, {80, 24}} {
			c.Resize(size[0], size[1])
			c.View()
		}
		c.Press("tab")
	}
	if len(s.writes) > 0 {
		t.Errorf("the database was asked to %q", s.writes)
	}
}

func TestDeliveries_MoreThanTheListHolds(t *testing.T) {
	t.Parallel()

	s := evening()
	for i := range 300 {
		s.rows = append(s.rows, message(0x1000+i, 1, inventory.TopicConfirmed, time.Duration(i)*time.Second, nil))
		s.events = append(s.events, event(fmt.Sprintf("evt_x%d", i), inventory.EventPaymentFailed, time.Minute, inventory.InboxStored, nil))
	}
	c := open(t, s)
	c.Resize(160, 50)
	c.Shows("304 open", "the newest 200 are listed")
	c.Press("tab")
	c.Shows("200+ to apply", "the newest 200 are listed")
}

func TestDeliveries_HistoryIsOnDemand(t *testing.T) {
	t.Parallel()

	c := open(t, evening())
	c.Hides("published  ")
	c.Press("a")
	c.Shows("published  ", "taken at 11:59:07")
	c.Press("tab")
	c.Hides("APPLIED  ")
	c.Press("a")
	c.Shows("APPLIED  ", "confirmed")
}

// The side that is not in front is read half as often.
func TestDeliveries_ReadsAreFew(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	before := s.reads
	for range 20 {
		c.Tick()
	}
	if per := float64(s.reads-before) / 20; per > 3 {
		t.Errorf("%.1f reads a second, want at most 3", per)
	}
}

// An idle second changes only what is younger than two minutes.
func TestDeliveries_OldRowsChangeOnceAMinute(t *testing.T) {
	t.Parallel()

	s := evening()
	s.rows, s.events = s.rows[:1], s.events[:1]
	c := open(t, s)
	body := func() string { return strings.SplitN(c.View(), "\n", 3)[2] }
	before := body()
	c.Tick()
	if after := body(); after != before {
		t.Errorf("a quiet second changed the screen:\n%s\n%s", before, after)
	}
}
