package holds_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"holdfast/inventory"
)

func wantWrites(t *testing.T, d *desk, want ...string) {
	t.Helper()
	if !slices.Equal(d.writes, want) {
		t.Errorf("the database was asked to %q, want %q", d.writes, want)
	}
}

func TestHolds_Release(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("down", "down", "L")
	c.Shows("RELEASE ONE HOLD", "1 place of Gala, Fri 2026-12-04, for u-3320", "What cannot happen")
	c.Press("enter") // the focus is on Cancel
	c.Hides("RELEASE ONE HOLD")
	wantWrites(t, d)

	c.Press("L", "L", "L", "shift+tab")
	c.Type("double order")
	c.Press("tab", "tab", "enter")
	wantWrites(t, d, `release 000090fb "double order" v1`)
	c.Shows("released, v2: 1 place of Gala for u-3320")
	c.Hides("00:19")
}

// Five quick presses are one transition.
func TestHolds_ReleaseIsAskedForOnce(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("L")
	c.Hold()
	c.Press("tab", "enter", "enter", "enter", "enter", "enter")
	c.Release()
	wantWrites(t, d, `release 00008f2d "" v1`)
	if got := d.find(id(0x8f2d)).Version; got != 2 {
		t.Errorf("the hold is at version %d, want 2", got)
	}
}

// A hold that moved after it was drawn is not released: the decision was made
// about something else.
func TestHolds_ReleaseCarriesTheDrawnVersion(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("down", "down", "L")
	d.move(id(0x90fb), inventory.StatePaymentPending, inventory.CausePay, inventory.Actor{Name: "shop", Kind: inventory.ActorClient})
	c.Press("tab", "enter")
	wantWrites(t, d)
	c.Shows("Nothing changed: someone else was faster.", "It is PAYMENT_PENDING now (v2): pay by client:shop at 12:38")
	c.Frame("moved")
	c.Press("enter")
	c.Shows("PAYING")
}

func TestHolds_ReleaseRefused(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	d.writeErr = inventory.ErrNotAllowed
	d.onWrite = func(b *inventory.Booking) {
		d.move(b.ID, inventory.StateConfirmed, inventory.CausePaid, inventory.Actor{Name: "simulated", Kind: inventory.ActorProvider})
	}
	c.Press("L", "tab", "enter")
	c.Shows("Nothing changed", "It is CONFIRMED now (v2): paid by provider:simulated")
}

func TestHolds_ReleaseBusyMayBeTriedAgain(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	d.writeErr = inventory.ErrBusy
	c.Press("L", "tab", "enter")
	c.Shows("not done: busy, try again shortly")
	d.writeErr = nil
	c.Press("tab", "enter")
	c.Shows("released, v2")
}

// A lost answer is looked up and never repeated blindly.
func TestHolds_ReleaseAnswerLost(t *testing.T) {
	t.Parallel()

	t.Run("itWentThrough", func(t *testing.T) {
		t.Parallel()
		d := busy()
		c := open(t, d)
		d.writeErr = errors.Join(errors.New("commit"), inventory.ErrUnknownOutcome)
		d.onWrite = func(b *inventory.Booking) { d.move(b.ID, inventory.StateCancelled, inventory.CauseReleased, mira) }
		c.Press("L", "tab", "enter")
		c.Shows("the answer was lost, but it went through: v2")
		if len(d.writes) != 1 {
			t.Errorf("asked %d times", len(d.writes))
		}
	})
	t.Run("nothingSoFar", func(t *testing.T) {
		t.Parallel()
		d := busy()
		c := open(t, d)
		d.writeErr = inventory.ErrUnknownOutcome
		c.Press("L", "tab", "enter")
		c.Shows("The answer was lost. So far nothing has changed.")
		c.Press("tab", "enter", "enter")
		if len(d.writes) != 1 {
			t.Errorf("asked %d times", len(d.writes))
		}
	})
	t.Run("somebodyElse", func(t *testing.T) {
		t.Parallel()
		d := busy()
		c := open(t, d)
		d.writeErr = inventory.ErrUnknownOutcome
		d.onWrite = func(b *inventory.Booking) {
			d.move(b.ID, inventory.StateCancelled, inventory.CauseReleased, inventory.Staff("jan"))
		}
		c.Press("L", "tab", "enter")
		c.Shows("Someone else was faster", "released by staff:jan")
	})
}

func TestHolds_Extend(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("down", "down")
	rest(c)
	c.Press("e")
	c.Shows("EXTEND HOLD ..000090fb", "It ends at 12:38:26", "At most until 13:28:17: a hold of this venue lives 1h at the longest.")
	c.Press("ctrl+s")
	wantWrites(t, d, `extend 000090fb by 5m0s "" v1`)
	c.Shows("extended until 12:43:26, v2: 1 place of Gala for u-3320")
}

// R14: how long one buyer can keep a place is bounded by the venue.
func TestHolds_ExtendIsCapped(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("down", "down", "e")
	c.Press("backspace", "backspace")
	c.Type("2h")
	c.Press("ctrl+s")
	c.Shows("nothing changed: at most until 13:28:17 here", "past the longest hold of this venue", "2h")
	if b := d.find(id(0x90fb)); b.Version != 1 {
		t.Errorf("the hold is at version %d, want 1", b.Version)
	}
	c.Frame("capped")
	c.Press("backspace", "backspace")
	c.Type("49m")
	c.Press("ctrl+s")
	c.Shows("extended until 13:27:26")
}

func TestHolds_ExtendInput(t *testing.T) {
	t.Parallel()

	for _, text := range []string{"", "5", "0s", "-5m", "10 minutes", "1ns"} {
		d := busy()
		c := open(t, d)
		c.Press("down", "down", "e", "backspace", "backspace")
		c.Type(text)
		c.Press("ctrl+s")
		c.Shows("EXTEND HOLD", "!")
		wantWrites(t, d)
	}
}

func TestHolds_ExtendAfterItMoved(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("down", "down", "e")
	d.move(id(0x90fb), inventory.StateConfirmed, inventory.CausePaid, inventory.Actor{Name: "simulated", Kind: inventory.ActorProvider})
	c.Press("ctrl+s")
	wantWrites(t, d)
	c.Shows("not extended. It is CONFIRMED now (v2)")
}

func TestHolds_PayingCannotBeExtended(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("down", "down", "down", "down", "e")
	c.Shows("a payment is under way: its place is kept without an extension")
	c.Press("L")
	c.Shows("money is lost: if the payment under way still")
}

// Stale numbers cannot be acted upon, and a dialog that was open when they went
// stale is dead.
func TestHolds_NothingIsSavedWhileStale(t *testing.T) {
	t.Parallel()

	d := busy()
	c := open(t, d)
	c.Press("L", "tab")
	c.Hold()
	c.Clock.Advance(20 * time.Second)
	c.Press("enter")
	c.Release()
	wantWrites(t, d)
	c.Press("esc")

	d.err = inventory.ErrUnavailable
	for range 5 {
		c.Tick()
	}
	c.Press("L", "e")
	c.Hides("RELEASE", "EXTEND")
	c.Shows("OFFLINE", "~ as of 12:38:07, saving is off")
	wantWrites(t, d)

	d.err = nil
	c.Tick()
	c.Tick()
	c.Shows("LIVE", "left ^")
	c.Press("L")
	c.Shows("RELEASE ONE HOLD")
}
