package deliveries_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

func wantWrites(t *testing.T, s *post, want ...string) {
	t.Helper()
	if !slices.Equal(s.writes, want) {
		t.Errorf("the database was asked to %q, want %q", s.writes, want)
	}
}

func TestMessages_Send(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("!")
	c.Shows("SEND ONE MESSAGE AGAIN", "booking.confirmed #2 of ..000000a1: 2 places of harbour/main", "the receiver answered 500", "What cannot happen")
	c.Press("enter") // the focus is on Cancel
	c.Hides("SEND ONE")
	wantWrites(t, s)
	c.Press("!", "!", "!", "tab", "enter")
	wantWrites(t, s, "send 000000a1:2")
	c.Shows("due now: booking.confirmed #2 of ..000000a1", "[1 Deliveries 1!]", "5 open")
}

// The same pressed five times is asked for once.
func TestMessages_SendPressedFiveTimes(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("!", "tab")
	c.Hold()
	c.Press("enter", "enter", "enter", "enter", "enter")
	c.Shows("sent, no answer yet")
	c.Press("esc", "!")
	c.Shows("the last change of it has no answer yet")
	c.Release()
	wantWrites(t, s, "send 000000a1:2")
}

func TestMessages_SendIsToldWhatTheDatabaseAnswered(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name  string
		err   error
		moves func(*post)
		want  []string
	}{
		{"sentByJan", nil, func(s *post) { s.rows[0].ParkedAt = time.Time{} }, []string{"Nothing was changed by you.", "It is open: someone else has sent it again"}},
		{"published", nil, func(s *post) { s.rows[0].ParkedAt, s.rows[0].PublishedAt = time.Time{}, s.now() }, []string{"Nothing was changed by you.", "It was published at 12:38:07."}},
		{"lostAndDone", inventory.ErrUnknownOutcome, func(s *post) { s.rows[0].ParkedAt = time.Time{} }, []string{"the answer was lost, but it went through; due now"}},
		{"lostAndNotDone", errors.Join(errors.New("commit"), inventory.ErrUnknownOutcome), nil, []string{"The answer was lost. So far nothing has changed.", "It was parked at 12:34:07: the receiver answered 500"}},
		{"lostAndBlind", inventory.ErrUnknownOutcome, func(s *post) { s.err = inventory.ErrUnavailable }, []string{"The answer is not known.", "Do not repeat it"}},
		{"busy", inventory.ErrBusy, nil, []string{"not done: busy, try again shortly"}},
		{"unavailable", inventory.ErrUnavailable, nil, []string{"not done: database not reachable"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := evening()
			c := open(t, s)
			c.Press("!", "tab")
			s.wErr = tc.err
			if tc.moves != nil {
				s.onWrite = func() { tc.moves(s) }
			}
			c.Press("enter")
			c.Shows(tc.want...)
			wantWrites(t, s, "send 000000a1:2")
			c.FrameAt("answer", 80, 24)
		})
	}
}

// setAside types the reason and chooses.
func setAside(c *tuitest.Console, reason string) {
	c.Press("P", "shift+tab")
	c.Type(reason)
	c.Press("tab", "tab", "enter")
}

func TestMessages_Park(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("down", "P")
	c.Shows("SET ONE MESSAGE ASIDE", "booking.cancelled #3 of ..000000a3", "For guests", "the guest may still think that they")
	c.Press("enter")
	c.Hides("SET ONE")
	c.Press("P", "tab", "enter") // no reason: the button is dead
	c.Shows("a reason is needed")
	wantWrites(t, s)
	c.Press("esc")
	setAside(c, "that shop is closed")
	wantWrites(t, s, `park 000000a3:3 "set aside by mira: that shop is closed"`)
	c.Shows("set aside: booking.cancelled #3 of ..000000a3", "[1 Deliveries 2!]") // it waits for nobody
	c.Press("up", "up", "down")
	c.Hides("waits for #3")
}

// Parking what is not open any more is no error in the database and does
// nothing; it is not called done.
func TestMessages_ParkIsToldWhatTheDatabaseAnswered(t *testing.T) {
	t.Parallel()

	const sad = "that shop is closed"
	row := func(s *post) *inventory.OutboxRow { return s.row(booking(0xa3), 3) }
	for _, tc := range []struct {
		name   string
		reason string
		err    error
		moves  func(*post)
		want   []string
	}{
		{"taken", sad, nil, func(s *post) { row(s).PublishedAt = s.now() }, []string{"Nothing was changed by you.", "It was published at 12:38:0"}},
		{"parkedByTheRelay", sad, nil, func(s *post) { row(s).ParkedAt, row(s).LastError = s.now(), "no connection" }, []string{"Nothing was changed by you.", "It was parked at 12:38:0", "no connection"}},
		{"longReason", strings.Repeat("x", 500), nil, nil, []string{"set aside: booking.cancelled #3"}},
		{"lostAndDone", sad, inventory.ErrUnknownOutcome, func(s *post) { row(s).ParkedAt, row(s).LastError = s.now(), "set aside by mira: "+sad }, []string{"the answer was lost, but it went through; set aside"}},
		{"lostAndNotDone", sad, inventory.ErrUnknownOutcome, nil, []string{"The answer was lost. So far nothing has changed."}},
		{"blind", sad, nil, func(s *post) { s.err = inventory.ErrUnavailable }, []string{"The answer is not known."}},
		{"busy", sad, inventory.ErrBusy, nil, []string{"not done: busy, try again shortly"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := evening()
			c := open(t, s)
			c.Press("down", "P", "shift+tab")
			c.Paste(tc.reason)
			c.Press("tab", "tab")
			s.wErr = tc.err
			if tc.moves != nil {
				s.onWrite = func() { tc.moves(s) }
			}
			c.Press("enter")
			c.Shows(tc.want...)
			if len(s.writes) != 1 {
				t.Errorf("the database was asked to %q", s.writes)
			}
		})
	}
}

func TestMessages_WhatCannotBeDone(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("P")
	c.Shows("it is parked already")
	c.Press("down", "!")
	c.Shows("it is open: the relay publishes it by itself")
	c.Press("a", "end", "!")
	c.Shows("it was published already")
	c.Press("P")
	c.Shows("it was published already")
	c.Hides("SEND ONE", "SET ONE")
	wantWrites(t, s)
}

func TestCallbacks_Apply(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("tab", "!")
	c.Shows("APPLY ONE CALLBACK AGAIN", "simulated refund.succeeded, EUR 18.00", "What cannot happen")
	c.Press("enter") // the focus is on Cancel
	c.Hides("APPLY ONE")
	c.Press("!", "!", "!", "tab", "enter")
	wantWrites(t, s, "apply simulated evt_1")
	c.Shows("applied: refund.succeeded: refund SUCCEEDED", "[1 Deliveries 1!]")
}

func TestCallbacks_ApplyIsToldWhatTheDatabaseAnswered(t *testing.T) {
	t.Parallel()

	applied := func(s *post) {
		s.events[0].State, s.events[0].Note, s.events[0].AppliedAt = inventory.InboxApplied, "no change", s.now()
	}
	for _, tc := range []struct {
		name  string
		err   error
		moves func(*post)
		comes func(*inventory.InboxEvent)
		want  []string
	}{
		{"stillUnmatched", nil, nil, func(e *inventory.InboxEvent) { e.State, e.Note = inventory.InboxUnmatched, "names nothing" }, []string{"Looked at: it still names nothing we know.", "It is tried again by itself."}},
		{"stillFails", nil, nil, func(e *inventory.InboxEvent) { e.State, e.Note = inventory.InboxStored, "amount differs" }, []string{"It could not be applied: amount differs.", "It is tried again by itself."}},
		{"appliedMeanwhile", nil, applied, nil, []string{"Nothing was changed by you.", "Applied at 12:38:07: no change."}},
		{"lostAndDone", inventory.ErrUnknownOutcome, applied, nil, []string{"applied: refund.succeeded: no change"}},
		{"lostAndNotDone", inventory.ErrUnknownOutcome, nil, nil, []string{"The answer was lost. So far nothing has changed."}},
		{"blind", nil, func(s *post) { s.err = inventory.ErrUnavailable }, nil, []string{"It is due now; what came of it could not be read."}},
		{"lostAndBlind", inventory.ErrUnknownOutcome, func(s *post) { s.err = inventory.ErrUnavailable }, nil, []string{"The answer is not known."}},
		{"busy", inventory.ErrBusy, nil, nil, []string{"not done: busy, try again shortly"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := evening()
			c := open(t, s)
			c.Press("tab", "!", "tab")
			s.wErr, s.applies = tc.err, tc.comes
			if tc.moves != nil {
				s.onWrite = func() { tc.moves(s) }
			}
			c.Press("enter")
			c.Shows(tc.want...)
			wantWrites(t, s, "apply simulated evt_1")
			c.FrameAt("answer", 80, 24)
		})
	}
}

func TestCallbacks_WhatCannotBeDone(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	c.Press("tab", "down", "!")
	c.Shows("it must not be applied: it is of test mode")
	c.Press("down", "down", "!")
	c.Shows("it is to be applied: that is tried by itself")
	c.Press("a", "end", "!")
	c.Shows("it was applied already")
	c.Hides("APPLY ONE")
	wantWrites(t, s)
}

func TestDeliveries_NothingIsChangedWhileStale(t *testing.T) {
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
	c.Press("!", "P", "tab", "!")
	c.Hides("SEND ONE", "SET ONE", "APPLY ONE")
	wantWrites(t, s)
}

func TestDeliveries_ReadOnlyLooksOnly(t *testing.T) {
	t.Parallel()

	s := evening()
	o := options(s)
	o.ReadOnly = "you may look, not change"
	c := tuitest.Open(t, o)
	c.Press("!", "P", "down", "P", "tab", "!")
	c.Hides("SEND ONE", "SET ONE", "APPLY ONE")
	c.Shows("you may look, not change")
	c.Press("enter")
	c.Shows("Which it is")
	wantWrites(t, s)
}

// Three keys beside the cursor: a parked message sent again.
func TestDeliveries_Keystrokes(t *testing.T) {
	t.Parallel()

	s := evening()
	c := open(t, s)
	before := c.Keystrokes()
	c.Press("!", "tab", "enter")
	if n := c.Keystrokes() - before; len(s.writes) != 1 || n > 3 {
		t.Errorf("%d keys, and the database was asked to %q", n, s.writes)
	}
}
