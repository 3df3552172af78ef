package refunds_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
	"holdfast/tui/screen/refunds"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// program is one console on a store of its own, as another process would be.
func program(t *testing.T, shop pgtest.Shop, who string) *tuitest.Console {
	t.Helper()
	zone, err := timezone.ParseZone(shop.Venue.Zone)
	if err != nil {
		t.Fatal(err)
	}
	store := shop.DB.Store(t, 4)
	return tuitest.Open(t, tuitest.Options{
		Venue:  ui.Venue{Slug: shop.Venue.Slug, Name: shop.Venue.Name, Zone: zone.Location()},
		Screen: func(env *ui.Env) ui.Screen { return refunds.New(env, store, inventory.Staff(who)) },
	})
}

// paid makes a booking with its captured money: in time, or when its hold was
// over.
func paid(t *testing.T, shop pgtest.Shop, buyer string, late bool) inventory.Payment {
	t.Helper()
	b := shop.Hold(t, buyer, 1)
	store := shop.Store
	if late {
		store = shop.After(t, time.Hour)
		if _, err := store.SweepHolds(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
	}
	pgtest.Deliver(t, store, pgtest.Captured(b, "pay_"+buyer))
	b, err := shop.Store.Booking(t.Context(), b.ID)
	if err != nil || len(b.Payments) != 1 {
		t.Fatalf("%d payments, %v", len(b.Payments), err)
	}
	return b.Payments[0]
}

// failed asks for a refund and lets the provider say no.
func failed(t *testing.T, shop pgtest.Shop, p inventory.Payment, amount inventory.Minor) inventory.Refund {
	t.Helper()
	r, err := shop.Store.RefundPayment(t.Context(), p.ID, 0, amount, inventory.Staff("test"), "asked for it")
	if err != nil {
		t.Fatal(err)
	}
	r, err = shop.Store.RefundAnswered(t.Context(), r.ID, inventory.ProviderRefund{
		ID: "re_" + r.ID.Short(), Amount: r.Amount, State: inventory.RefundFailed, Reason: "insufficient balance",
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// asked counts the refunds that are on their way or done.
func asked(t *testing.T, shop pgtest.Shop) (n int, sum inventory.Minor) {
	t.Helper()
	all, err := shop.Store.Refunds(t.Context(), inventory.RefundFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.State != inventory.RefundFailed {
			n++
			sum += r.Amount.Minor
		}
	}
	return n, sum
}

// The same failed refund asked for again by two consoles is one new refund; the
// other is told by whom.
func TestTwoConsoles_RetryTheSame(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t, pgtest.HoldTTL(time.Minute))
	failed(t, shop, paid(t, shop, "u-001", true), 0)
	consoles := []*tuitest.Console{program(t, shop, "mira"), program(t, shop, "jan")}
	for _, c := range consoles {
		c.Shows("1 FAILED, waiting for you: EUR 25.00", "insufficient balance")
		c.Press("!", "tab")
		c.Shows("ASK AGAIN FOR ONE REFUND")
	}
	var wg sync.WaitGroup
	for _, c := range consoles {
		wg.Go(func() { c.Press("enter", "enter", "enter") })
	}
	wg.Wait()
	won := 0
	for _, c := range consoles {
		if strings.Contains(c.View(), "refund asked for: EUR 25.00") {
			won++
		}
		c.Press("r")
		c.Hides("waiting for you")
	}
	if n, _ := asked(t, shop); n != 1 || won != 1 {
		t.Errorf("%d refunds by %d consoles, want 1 by 1", n, won)
	}
}

// A part of what a booking stands on does not count in the payment's version;
// the second console is told all the same.
func TestTwoConsoles_RetryTheSamePart(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t)
	p := paid(t, shop, "u-001", false)
	failed(t, shop, p, 500)
	mira, jan := program(t, shop, "mira"), program(t, shop, "jan")
	for _, c := range []*tuitest.Console{mira, jan} {
		c.Press("!", "tab")
		c.Shows("the booking stays CONFIRMED; EUR 20.00 stays paid")
	}
	mira.Press("enter")
	mira.Shows("refund asked for: EUR 5.00")
	jan.Press("enter")
	jan.Shows("Nothing was changed by you.", "EUR 5.00 asked for by", "staff:mira")
	if n, sum := asked(t, shop); n != 1 || sum != 500 {
		t.Errorf("%d refunds of %d, want one of 500", n, sum)
	}
}

// A refund that failed before its booking was revived is not asked for again:
// the booking stands on the money.
func TestTwoConsoles_RetryAfterRevive(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t, pgtest.HoldTTL(time.Minute))
	p := paid(t, shop, "u-001", true)
	failed(t, shop, p, 0)
	c, other := program(t, shop, "mira"), program(t, shop, "jan")
	c.Press("!", "tab")
	if _, err := shop.Store.ReviveZombie(t.Context(), p.ID, 0, inventory.Staff("jan"), "phoned"); err != nil {
		t.Fatal(err)
	}
	c.Press("enter")
	c.Shows("Nothing was changed by you.", "revived by staff:jan")
	other.Press("r", "!")
	other.Shows("its booking stands on this money now", "settled since")
	if n, _ := asked(t, shop); n != 0 {
		t.Errorf("%d refunds, want none", n)
	}
}

// A part goes back and the booking stays; then the rest, and the booking is
// cancelled with it.
func TestConsole_PartThenTheRest(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t)
	p := paid(t, shop, "u-001", false)
	failed(t, shop, p, 500)
	c := program(t, shop, "mira")
	part(c, "7.50")
	c.Shows("refund asked for: EUR 7.50")
	if state := shop.State(t, p.BookingID); state != inventory.StateConfirmed {
		t.Errorf("the booking is %s after a part, want CONFIRMED", state)
	}
	all, err := shop.Store.Refunds(t.Context(), inventory.RefundFilter{State: inventory.RefundRequested})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d refunds, %v", len(all), err)
	}
	if _, err := shop.Store.RefundAnswered(t.Context(), all[0].ID, inventory.ProviderRefund{ID: "re_1", Amount: all[0].Amount, State: inventory.RefundSucceeded}); err != nil {
		t.Fatal(err)
	}
	c.Press("r", "M")
	c.Shows("Of EUR 25.00 captured, EUR 7.50 went back, EUR 17.50 is left.")
	c.Press("esc")
	c.Press("M")
	c.Type("17.50")
	c.Press("ctrl+s")
	c.Shows("nothing stays paid, so the booking is CANCELLED")
	c.Press("esc")
	part(c, "17.50")
	c.Shows("refund asked for: EUR 17.50")
	if state := shop.State(t, p.BookingID); state != inventory.StateCancelled {
		t.Errorf("the booking is %s when nothing stays paid, want CANCELLED", state)
	}
	if taken := shop.Taken(t); taken != 0 {
		t.Errorf("%d taken, want none", taken)
	}
}
