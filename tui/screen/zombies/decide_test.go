package zombies_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

func wantWrites(t *testing.T, s *till, want ...string) {
	t.Helper()
	if !slices.Equal(s.writes, want) {
		t.Errorf("the database was asked to %q, want %q", s.writes, want)
	}
}

// reason goes from Cancel to the reason field, types, and comes back to Cancel.
func reason(c *tuitest.Console) {
	c.Press("shift+tab")
	c.Type("phoned")
	c.Press("tab")
}

func TestZombies_Revive(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down", "R")
	c.Shows("REVIVE ONE BOOKING", "2 places of Gala, Fri 2026-12-11, for u-2077", "v3 -> v4", "What cannot happen")
	c.Press("enter") // the focus is on Cancel
	c.Hides("REVIVE")
	c.Press("R", "R", "R", "tab", "tab", "enter") // no reason: the button is dead
	c.Shows("REVIVE ONE BOOKING", "a reason is needed")
	wantWrites(t, s)
	c.Press("tab")
	c.Type("phoned")
	c.Press("tab", "tab", "tab", "enter")
	wantWrites(t, s, `revive 000077a1 v3 "phoned"`)
	c.Shows("revived, v4: 2 places of Gala for u-2077", "5 open")
}

// The same revive pressed five times is asked for once.
func TestZombies_RevivePressedFiveTimes(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down", "R")
	reason(c)
	c.Press("tab", "tab")
	c.Hold()
	c.Press("enter", "enter", "enter", "enter", "enter")
	c.Shows("sent, no answer yet")
	c.Press("esc", "R")
	c.Shows("the last decision about it has no answer yet")
	c.Release()
	wantWrites(t, s, `revive 000077a1 v3 "phoned"`)
	c.Shows("revived, v4")
}

func TestZombies_ReviveIsToldWhatTheDatabaseAnswered(t *testing.T) {
	t.Parallel()

	jan := inventory.Staff("jan")
	for _, tc := range []struct {
		name  string
		err   error
		moves func(*till, inventory.Zombie)
		want  []string
	}{
		{"soldOut", inventory.ErrSoldOut, nil, []string{"Sold out: nothing changed.", "EUR 240.00 still waits here; M refunds it."}},
		{"stopped", inventory.ErrStopSell, nil, []string{"Nothing changed: the sales of that day are stopped."}},
		{"over", inventory.ErrCutoffPassed, nil, []string{"Nothing changed: the sales of that day are over."}},
		{"holdsAgain", inventory.ErrHoldExists, nil, []string{"Nothing changed: the buyer holds or has booked that day again."}},
		{"revivedByJan", inventory.ErrNotAllowed, func(s *till, z inventory.Zombie) { s.revives(z, jan) }, []string{"Nothing was changed by you.", "Someone else decided: revived by staff:jan at 12:38:07 (v4)."}},
		{"refundedByJan", inventory.ErrStale, func(s *till, z inventory.Zombie) { s.refundsIt(z, jan) }, []string{"Someone else decided: refund asked for by staff:jan at 12:38:07", "(REQUESTED)."}},
		{"lostAndDone", inventory.ErrUnknownOutcome, func(s *till, z inventory.Zombie) { s.revives(z, mira) }, []string{"the answer was lost, but it went through: revived, v4"}},
		{"lostAndNotDone", errors.Join(errors.New("commit"), inventory.ErrUnknownOutcome), nil, []string{"The answer was lost. So far nothing has changed."}},
		{"lostAndJan", inventory.ErrUnknownOutcome, func(s *till, z inventory.Zombie) { s.revives(z, jan) }, []string{"The answer was lost.", "revived by staff:jan"}},
		{"disputed", inventory.ErrDisputed, nil, []string{"Nothing changed: the payer disputes it at the bank"}},
		{"busy", inventory.ErrBusy, nil, []string{"not done: busy, try again shortly"}},
		{"unavailable", inventory.ErrUnavailable, nil, []string{"not done: database not reachable"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := evening()
			c := open(t, s)
			c.Press("down", "R")
			reason(c)
			s.wErr = tc.err
			if tc.moves != nil {
				s.onWrite = func(z inventory.Zombie) { tc.moves(s, z) }
			}
			c.Press("tab", "tab", "enter")
			c.Shows(tc.want...)
			if len(s.writes) != 1 {
				t.Errorf("the database was asked to %q", s.writes)
			}
			c.FrameAt("answer", 80, 24)
		})
	}
}

// The version that was drawn is the one that is decided about.
func TestZombies_ReviveCarriesTheDrawnVersion(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down", "R")
	reason(c)
	s.zombies[1].Payment.Version = 5
	c.Press("tab", "tab", "enter")
	wantWrites(t, s, `revive 000077a1 v3 "phoned"`)
	c.Shows("Nothing was changed by you.", "It changed while you looked (v3, now v5) and is still a zombie.")
}

func TestZombies_Refund(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down", "down", "M")
	c.Shows("REFUND ONE PAYMENT", "EUR 100.00 goes back to whoever paid")
	reason(c)
	c.Press("tab", "enter")
	wantWrites(t, s, `refund 000077a2 v3 "phoned"`)
	c.Shows("refund asked for: EUR 100.00 (..000f0000), not done yet")
}

func TestZombies_RefundInstead(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down", "R", "tab")
	reason(c) // from "Refund instead" back to the reason would be two steps: the field stays empty
	c.Press("esc", "R")
	reason(c)
	c.Press("tab", "enter")
	c.Shows("REFUND ONE PAYMENT", "it could still be revived: 9 left, 2 needed")
	c.Hides("REVIVE ONE")
	wantWrites(t, s)
	reason(c)
	c.Press("tab", "enter")
	wantWrites(t, s, `refund 000077a1 v3 "phoned"`)
}

func bulk(c *tuitest.Console, number string) {
	c.Press("shift+tab", "shift+tab")
	c.Type("event is off")
	c.Press("tab")
	c.Type(number)
	c.Press("tab", "tab", "enter")
}

func TestZombies_BulkRefundIsTyped(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("space", "space", "space", "M")
	c.Shows("REFUND 3 PAYMENTS", "3 marked zombies, EUR 358.00, 3 buyers.", "2 of them could still be revived: there is room", "Type 3 to go on")
	bulk(c, "2")
	c.Shows("REFUND 3 PAYMENTS", "not yet")
	wantWrites(t, s)
	c.Press("esc", "M")
	bulk(c, "3")
	wantWrites(t, s, `refund 000077f1 v3 "event is off"`, `refund 000077a1 v3 "event is off"`, `refund 000077a2 v3 "event is off"`)
	c.Shows("3 refunds asked for: EUR 358.00, not done yet", "3 open")
	c.Hides("marked")
}

func TestZombies_BulkRefundSaysWhichWereNotDone(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("space", "space", "space", "M")
	s.revives(s.zombies[1], inventory.Staff("jan"))
	bulk(c, "3")
	c.Shows("2 of 3 refunds asked for.", "..000077a1 EUR 240.00: someone else was faster, left alone")
	c.Frame("partly")
}

func TestZombies_BulkRefundStopsWithTheConnection(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("*", "M")
	s.onWrite = func(inventory.Zombie) {
		if len(s.writes) == 2 {
			s.wErr = inventory.ErrUnavailable
		}
	}
	bulk(c, "6")
	if len(s.writes) != 2 {
		t.Errorf("asked %d times, want 2", len(s.writes))
	}
	c.Shows("1 of 6 refunds asked for.", "not done, database not reachable", "4 not tried; they are still marked")
}

// The preview of a bulk refund dies after 30 seconds, though the list goes on.
func TestZombies_BulkRefundNeedsFreshNumbers(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("space", "space", "M")
	for range 31 {
		c.Tick()
	}
	bulk(c, "2")
	c.Shows("the numbers are older than 30s; close and open again")
	wantWrites(t, s)
}

func TestZombies_NothingIsDecidedWhileStale(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down", "R")
	reason(c)
	c.Press("tab", "tab")
	c.Hold()
	c.Clock.Advance(20 * time.Second)
	c.Press("enter")
	c.Release()
	wantWrites(t, s)
	c.Press("esc")
	s.err = inventory.ErrUnavailable
	for range 4 {
		c.Tick()
	}
	c.Press("R", "M", "*", "M")
	c.Hides("REVIVE", "REFUND")
	wantWrites(t, s)
}

// Two keys less than a screenful: a zombie revived and another refunded.
func TestZombies_Keystrokes(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	before := c.Keystrokes()
	c.Press("down", "R", "shift+tab")
	c.Type("phoned")
	c.Press("tab", "tab", "tab", "enter")
	c.Press("M", "shift+tab")
	c.Type("gone")
	c.Press("tab", "tab", "enter")
	if len(s.writes) != 2 {
		t.Fatalf("the database was asked to %q", s.writes)
	}
	if n := c.Keystrokes() - before - len("phoned"+"gone"); n > 13 {
		t.Errorf("%d keys beside the reasons, want at most 13", n)
	}
}
