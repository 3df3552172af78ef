package refunds_test

import (
	"errors"
	"fmt"
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

func TestRefunds_Retry(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("!")
	c.Shows("ASK AGAIN FOR ONE REFUND", "2 places of Gala, Fri 2026-12-11, for u-2077", "a new refund of EUR 240.00", "What cannot happen")
	c.Press("enter") // the focus is on Cancel
	c.Hides("ASK AGAIN")
	wantWrites(t, s)
	c.Press("!", "!", "!", "tab", "enter")
	wantWrites(t, s, `retry 020000a1 00000071`)
	c.Shows("refund asked for: EUR 240.00 (..020f0009), not done yet", "[1 Refunds 2!]", "settled since")
}

// The same retry pressed five times is asked for once.
func TestRefunds_RetryPressedFiveTimes(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("!", "tab")
	c.Hold()
	c.Press("enter", "enter", "enter", "enter", "enter")
	c.Shows("sent, no answer yet")
	c.Press("esc", "!", "M")
	c.Shows("the last decision about its payment has no answer yet")
	c.Release()
	wantWrites(t, s, `retry 020000a1 00000071`)
	c.Shows("refund asked for: EUR 240.00")
}

// A part of what a booking stands on is asked for again once only, though the
// database would let it go twice.
func TestRefunds_PartIsRetriedOnce(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down")
	rest(c)
	c.Press("!")
	c.Shows("refund ..020000a2 of EUR 5.00 failed at 11:48:27: card expired", `"one seat was dirty"`, "the booking stays CONFIRMED; EUR 20.00 stays paid")
	c.Press("tab", "enter")
	wantWrites(t, s, `retry 020000a2 00000072`)
	c.Press("/")
	c.Type("FAILED: it")
	c.Press("enter", "!")
	c.Shows("it was asked for again: ..020f0009, REQUESTED")
	wantWrites(t, s, `retry 020000a2 00000072`)
}

func TestRefunds_WhatCannotBeRetried(t *testing.T) {
	t.Parallel()

	alone := func(standing inventory.Standing, captured, amount inventory.Money) *till {
		s := newTill()
		s.captured(1, captured, "Gala", "u-1", standing)
		s.back(2, 1, amount, 30*time.Minute, inventory.RefundFailed, nil)
		return s
	}
	for _, tc := range []struct {
		name string
		till func() *till
		want string
	}{
		{"pending", func() *till {
			s := evening()
			s.refunds = s.refunds[3:4]
			return s
		}, "this is PENDING: only a FAILED refund can be asked for again"},
		{"revived", func() *till { return alone(inventory.StandingApplied, eur(2500), eur(2500)) }, "its booking stands on this money now; M refunds and cancels it"},
		{"onItsWay", func() *till { return alone(inventory.StandingRefunding, eur(2500), eur(2500)) }, "its money is on its way back already"},
		{"lessLeft", func() *till {
			s := alone(inventory.StandingApplied, eur(2500), eur(2000))
			s.back(3, 1, eur(1000), 40*time.Minute, inventory.RefundSucceeded, func(f *inventory.Refund) { f.RequestedAt = start.Add(-50 * time.Minute) })
			return s
		}, "only EUR 15.00 is left of its payment"},
		{"disputed", func() *till {
			s := alone(inventory.StandingZombie, eur(2500), eur(2500))
			p := s.payments[payment(1)]
			p.Dispute = inventory.DisputeOpen
			s.payments[p.ID] = p
			return s
		}, "the payer disputes it at the bank"},
		{"lost", func() *till {
			s := alone(inventory.StandingZombie, eur(2500), eur(2500))
			p := s.payments[payment(1)]
			p.Dispute = inventory.DisputeLost
			s.payments[p.ID] = p
			return s
		}, "the payer has the money back from the bank"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := tc.till()
			c := open(t, s)
			c.Press("!")
			c.Hides("ASK AGAIN")
			c.Shows(tc.want)
			wantWrites(t, s)
		})
	}
}

func TestRefunds_RetryIsToldWhatTheDatabaseAnswered(t *testing.T) {
	t.Parallel()

	id := payment(0x71)
	for _, tc := range []struct {
		name   string
		err    error
		before func(*till) // while the dialog is open
		moves  func(*till) // while the database is asked
		asked  bool
		want   []string
	}{
		{"askedByJan", nil, func(s *till) { s.asks(id, eur(24000), jan, "phoned") }, nil, false, []string{"Nothing was changed by you.", "Someone else decided: refund ..020f0009 of EUR 240.00 asked for", "staff:jan at", "(REQUESTED)"}},
		{"revivedByJan", nil, func(s *till) { s.revives(id, jan) }, nil, false, []string{"Nothing was changed by you.", "Someone else decided: revived by staff:jan at 12:38:07", "(v4)"}},
		{"partByJan", nil, func(s *till) {
			s.asks(id, eur(100), jan, "a part")
			s.stand(id, inventory.StandingZombie)
		}, nil, false, []string{"Nothing was changed by you.", "EUR 1.00 asked for"}},
		{"changed", nil, func(s *till) { s.stand(id, inventory.StandingZombie) }, nil, false, []string{"changed while you looked (v4, now v5): it is zombie"}},
		{"askedAtTheSameMoment", inventory.ErrNotAllowed, nil, func(s *till) { s.asks(id, eur(24000), jan, "phoned") }, true, []string{"Nothing was changed by you.", "staff:jan at"}},
		{"lostAndDone", inventory.ErrUnknownOutcome, nil, func(s *till) { s.asks(id, eur(24000), mira, "x") }, true, []string{"the answer was lost, but it went through: EUR 240.00 asked for"}},
		{"lostAndNotDone", errors.Join(errors.New("commit"), inventory.ErrUnknownOutcome), nil, nil, true, []string{"The answer was lost. So far nothing has changed."}},
		{"lostAndJan", inventory.ErrUnknownOutcome, nil, func(s *till) { s.asks(id, eur(24000), jan, "x") }, true, []string{"The answer was lost.", "staff:jan at"}},
		{"lostAndBlind", inventory.ErrUnknownOutcome, nil, func(s *till) { s.err = inventory.ErrUnavailable }, true, []string{"The answer was lost, and the payment cannot be looked up."}},
		{"disputed", inventory.ErrDisputed, nil, nil, true, []string{"Nothing changed: the payer disputes it at the bank"}},
		{"less", inventory.Invalid("amount", "is more than what is left of the payment, EUR 1.00"), nil, nil, true, []string{"Nothing changed: amount: is more than what is left"}},
		{"busy", inventory.ErrBusy, nil, nil, true, []string{"not done: busy, try again shortly"}},
		{"unavailable", nil, func(s *till) { s.err = inventory.ErrUnavailable }, nil, false, []string{"not done: database not reachable"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := evening()
			c := open(t, s)
			c.Press("!", "tab")
			s.wErr = tc.err
			if tc.before != nil {
				tc.before(s)
			}
			if tc.moves != nil {
				s.onWrite = func() { tc.moves(s) }
			}
			c.Press("enter")
			c.Shows(tc.want...)
			if asked := len(s.writes) == 1; asked != tc.asked {
				t.Errorf("the database was asked to %q", s.writes)
			}
			c.FrameAt("answer", 80, 24)
		})
	}
}

// part gives back so much of the payment of the row under the cursor.
func part(c *tuitest.Console, amount string) {
	c.Press("M")
	c.Type(amount)
	c.Press("ctrl+s", "shift+tab")
	c.Type("phoned")
	c.Press("tab", "tab", "enter")
}

func TestRefunds_Part(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down")
	rest(c)
	part(c, "7.5")
	wantWrites(t, s, `refund 00000072 v4 750 "phoned"`)
	c.Shows("refund asked for: EUR 7.50 (..020f0009), not done yet")
}

// All that is left of what a booking stands on is asked for as all of it, so
// that the database cancels the booking with it.
func TestRefunds_AllThatIsLeftIsNoPart(t *testing.T) {
	t.Parallel()

	s := evening()
	s.back(0xb1, 0x72, eur(1000), 3*time.Hour, inventory.RefundSucceeded, nil)
	c := open(t, s)
	c.Press("down")
	rest(c)
	c.Press("M")
	c.Shows("Of EUR 25.00 captured, EUR 10.00 went back, EUR 15.00 is left.", "of EUR 15.00")
	c.Press("esc")
	part(c, "15.00")
	wantWrites(t, s, `refund 00000072 v4 0 "phoned"`)
}

func TestRefunds_AmountIsChecked(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		currency inventory.Currency
		minor    inventory.Minor
		typed    string
		want     string // the problem, or the amount in the next dialog
	}{
		{"EUR", 2500, "", "is missing"},
		{"EUR", 2500, "ten", "must be a plain number with at most 2 digits"},
		{"EUR", 2500, "0", "must be more than nothing"},
		{"EUR", 2500, "0.00", "must be more than nothing"},
		{"EUR", 2500, "25.01", "is more than what is left, EUR 25.00"},
		{"EUR", 2500, "-1", "must be a plain number"},
		{"EUR", 2500, "1,000", "must be a plain number"},
		{"EUR", 2500, "1.005", "at most 2 digits"},
		{"EUR", 2500, "99999999999999999999", "is too large"},
		{"JPY", 2500, "1.5", "at most 0 digits"},
		{"JPY", 2500, "1200", "REFUND JPY 1,200"},
		{"KWD", 2500, "1.005", "REFUND KWD 1.005"},
		{"KWD", 2500, "2.501", "is more than what is left, KWD 2.500"},
		{"EUR", 2500, "24.99", "REFUND EUR 24.99"},
	} {
		t.Run(fmt.Sprintf("%s %s", tc.currency, tc.typed), func(t *testing.T) {
			t.Parallel()
			s := newTill()
			amount := inventory.Money{Minor: tc.minor, Currency: tc.currency}
			s.captured(1, amount, "Gala", "u-1", inventory.StandingApplied)
			s.back(2, 1, amount, 30*time.Minute, inventory.RefundFailed, nil)
			c := open(t, s)
			c.Press("M")
			c.Type(tc.typed)
			c.Press("ctrl+s")
			c.Shows(tc.want)
			wantWrites(t, s)
		})
	}
}

// The amount alone sends nothing, and a part needs its reason.
func TestRefunds_PartNeedsItsDialogAndReason(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down")
	rest(c)
	c.Press("M")
	c.Type("10")
	c.Press("ctrl+s", "enter") // the focus is on Cancel
	c.Hides("REFUND EUR")
	c.Press("M")
	c.Type("10")
	c.Press("ctrl+s", "tab", "enter")
	c.Shows("REFUND EUR 10.00", "a reason is needed")
	wantWrites(t, s)
}

// The version that was drawn is the one that is decided about.
func TestRefunds_PartCarriesTheDrawnVersion(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down")
	rest(c)
	c.Press("M")
	c.Type("10")
	c.Press("ctrl+s", "shift+tab")
	c.Type("phoned")
	c.Press("tab", "tab")
	s.onWrite = func() { s.stand(payment(0x72), inventory.StandingApplied) }
	c.Press("enter")
	wantWrites(t, s, `refund 00000072 v4 1000 "phoned"`)
	c.Shows("Nothing was changed by you.", "changed while you looked (v4, now v5)")
}

func TestRefunds_NothingIsDecidedWhileStale(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("!", "tab")
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
	c.Press("!", "M")
	c.Hides("ASK AGAIN", "GIVE BACK")
	wantWrites(t, s)
}

func TestRefunds_ReadOnlyLooksOnly(t *testing.T) {
	t.Parallel()

	s := evening()
	o := options(s)
	o.ReadOnly = "you may look, not change"
	c := tuitest.Open(t, o)
	c.Press("!", "M")
	c.Hides("ASK AGAIN", "GIVE BACK")
	c.Shows("you may look, not change")
	c.Press("enter")
	c.Shows("What happened")
}

// Three keys beside the cursor: a failed refund asked for again.
func TestRefunds_Keystrokes(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	before := c.Keystrokes()
	c.Press("!", "tab", "enter")
	if n := c.Keystrokes() - before; len(s.writes) != 1 || n > 3 {
		t.Errorf("%d keys, and the database was asked to %q", n, s.writes)
	}
}
