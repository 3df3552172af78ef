package zombies_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/keys"
	"holdfast/tui/screen/zombies"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestZombies_Frames(t *testing.T) {
	t.Parallel()

	t.Run("loading", func(t *testing.T) {
		t.Parallel()
		tuitest.OpenHeld(t, options(evening())).Frame("loading")
	})
	t.Run("many", func(t *testing.T) {
		t.Parallel()
		c := open(t, evening())
		c.Press("down")
		rest(c)
		c.Frame("many")
		c.FrameAt("many", 40, 12)
		c.FrameAt("many", 100, 30)
		c.Press("enter")
		c.Frame("story")
		c.FrameAt("story", 40, 12)
	})
	t.Run("kinds", func(t *testing.T) {
		t.Parallel()
		c := open(t, evening())
		c.Press("a")
		for _, name := range []string{"urgent", "late", "soldOut", "duplicate", "mismatch", "unmatched", "stopped"} {
			rest(c)
			c.FrameAt(name, 80, 24)
			c.Press("down")
		}
	})
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		s := &till{refunds: []inventory.Refund{{Amount: eur(1800), State: inventory.RefundSucceeded, RequestedBy: "job:refund", RequestedAt: start.Add(-97 * time.Second)}}, zombies: evening().zombies[5:6]}
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
		c.Press("down", "R")
		c.Frame("revive")
		c.FrameAt("revive", 40, 12)
		c.Press("esc", "M")
		c.Frame("refund")
		c.Press("esc", "*", "M")
		c.Frame("bulk")
		c.FrameAt("bulk", 40, 12)
	})
}

// rest lets the cursor rest until the story of its row is read.
func rest(c *tuitest.Console) {
	timed := c.Timed
	c.Timed = nil
	c.Drive(timed...)
}

func TestZombies_KeysDoNotClash(t *testing.T) {
	t.Parallel()

	m := zombies.New(ui.NewSession(t.Context(), tuitest.NewClock()).NewEnv(), evening(), mira)
	for _, fault := range keys.Faults(m.Keys(), keys.Global()) {
		t.Error(fault)
	}
}

func TestZombies_BadgeCountsThoseOfAllVenues(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Shows("[1 Zombies 7!]", "6 open", "1 more elsewhere: a")
	c.Press("a")
	c.Shows("7 open at all venues", "unknown", "unmatched")
	s.zombies = nil
	c.Tick()
	c.Tick()
	c.Shows("[1 Zombies]", "No zombies")
}

func TestZombies_DeadlineIsShown(t *testing.T) {
	t.Parallel()

	c := open(t, evening())
	c.Shows("Decide by 13:18:07, in 40m; after that it is refunded by itself.")
	c.Press("down")
	c.Shows("Decide by 12-05 12:11:57, in 23h33m")
	c.Press("a", "end", "up", "up")
	c.Shows("Nothing happens by itself: it waits for you.")
}

// What is shown of a story is its end, where there is no room for all of it.
func TestZombies_Story(t *testing.T) {
	t.Parallel()

	s := evening()
	s.refunds = []inventory.Refund{{
		ID: inventory.RefundID{UUID: number(0xfa11)}, PaymentID: payment(0x77a1), Amount: eur(24000), State: inventory.RefundFailed,
		LastError: "insufficient balance", RequestedAt: start.Add(-3 * time.Minute), DoneAt: start.Add(-2 * time.Minute),
	}}
	c := open(t, s)
	c.Press("down")
	rest(c)
	c.Shows("time ran out: 2 places back on sale", "captured: EUR 240.00, 2m13s late -> ZOMBIE", "refund ..0000fa11 of EUR 240.00 FAILED: insufficient balance")
	c.Press("enter")
	c.Shows("held 2 places", "client:shop")
}

// New rows never move the cursor to another record, and a record that leaves is
// told.
func TestZombies_SelectionIsAnIdentity(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down")
	c.Shows("..000077a1  2x Gala")
	s.zombies = append([]inventory.Zombie{late(1, 40*time.Hour, eur(1), "Old", "u-old", 1, 1, time.Second)}, s.zombies...)
	c.Tick()
	c.Tick()
	c.Shows("u-old", "..000077a1  2x Gala")
	s.remove(payment(0x77a1))
	c.Tick()
	c.Tick()
	c.Shows("..000077a1 is no zombie any more; this is the next one", "..000077a2  2x Museum")
	c.Press("up")
	c.Hides("no zombie any more")
}

func TestZombies_MarksSurviveRefreshAndLeaveWithTheirRecord(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("space", "space")
	c.Shows("2 marked, EUR 258.00", "refund 2 marked...")
	c.Tick()
	c.Tick()
	c.Shows("2 marked, EUR 258.00")
	s.remove(payment(0x77a1))
	c.Tick()
	c.Tick()
	c.Shows("1 marked, EUR 18.00")
	c.Press("esc")
	c.Hides("marked")
}

// B50: whatever is pressed on an empty list does nothing, and the first zombie
// that arrives is selected.
func TestZombies_EmptyListIsHarmless(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("end")
	rows := s.zombies
	s.zombies = nil
	c.Tick()
	c.Tick()
	c.Press("enter", "up", "down", "R", "M", "space", "*", "M", "home", "end", "pgdown")
	c.Shows("No zombies")
	for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 5}, {10, 3}, {1, 1}, {0, 0}, {300, 100}, {80, 24}} {
		c.Resize(size[0], size[1])
		c.View()
	}
	s.zombies = rows[1:2]
	c.Tick()
	c.Tick()
	c.Shows(">  ", "..000077a1  2x Gala")
	if len(s.writes) > 0 {
		t.Errorf("the database was asked to %q", s.writes)
	}
}

func TestZombies_WhatCannotBeRevived(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		down int
		want string
	}{
		{2, "cannot be revived now: sold out, 1 left and 2 needed"},
		{3, "only late money can be revived; this is duplicate: M refunds it"},
		{4, "only late money can be revived; this is mismatch: M refunds it"},
		{5, "only late money can be revived; this is unmatched: M refunds it"},
		{6, "cannot be revived now: the sales of that day are stopped"},
	} {
		s := evening()
		c := open(t, s)
		c.Press("a")
		for range tc.down {
			c.Press("down")
		}
		c.Press("R")
		c.Hides("REVIVE ONE")
		c.Shows(tc.want)
		c.Press("M")
		c.Shows("REFUND ONE PAYMENT")
		if len(s.writes) > 0 {
			t.Errorf("the database was asked to %q", s.writes)
		}
	}
}

func TestZombies_DisputedMoneyWaits(t *testing.T) {
	t.Parallel()

	s := evening()
	s.zombies[0].Disputed = true
	c := open(t, s)
	c.Press("R", "M", "space", "up", "M")
	c.Hides("REVIVE", "REFUND")
	c.Shows("the payer disputes it at the bank")
}

// More than the list holds is said, and the money is that of all.
func TestZombies_MoreThanTheListHolds(t *testing.T) {
	t.Parallel()

	s := &till{total: 9000}
	for i := range 600 {
		s.zombies = append(s.zombies, late(i+1, time.Hour, eur(100), "Gala", fmt.Sprintf("u-%d", i), 1, 1, time.Second))
	}
	c := open(t, s)
	c.Shows("9000 open, EUR 600.00 at stake", "the oldest 500")
}

// An idle second changes only what is younger than two minutes.
func TestZombies_OldRowsChangeOnceAMinute(t *testing.T) {
	t.Parallel()

	s := &till{zombies: []inventory.Zombie{late(1, 26*time.Minute+10*time.Second, eur(100), "Gala", "u-1", 1, 1, 3*time.Minute)}}
	c := open(t, s)
	body := func() string { return strings.SplitN(c.View(), "\n", 3)[2] }
	before := body()
	c.Tick()
	if after := body(); after != before {
		t.Errorf("a quiet second changed the screen:\n%s\n%s", before, after)
	}
}

func TestZombies_LatenessBelowASecond(t *testing.T) {
	t.Parallel()

	for by, want := range map[time.Duration]string{400 * time.Millisecond: "<1s late", 4 * time.Second: "4s late", 64 * time.Second: "1m04s late"} {
		s := &till{zombies: []inventory.Zombie{late(1, 26*time.Minute, eur(100), "Gala", "u-1", 1, 1, by)}}
		c := open(t, s)
		c.Shows(want)
		c.Hides("0m")
	}
}

func TestZombies_NoneHereButSomeElsewhere(t *testing.T) {
	t.Parallel()

	s := &till{zombies: []inventory.Zombie{late(1, 26*time.Minute, eur(100), "Gala", "u-1", 1, 1, time.Minute)}}
	s.zombies[0].Venue = "alfama"
	c := open(t, s)
	c.Shows("NO ZOMBIES HERE", "1 elsewhere: a shows them")
	c.Hides("more elsewhere")
	c.Press("a")
	c.Shows("1 open at all venues")
}
