package zombies_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
	"holdfast/tui/screen/zombies"
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
		Screen: func(env *ui.Env) ui.Screen { return zombies.New(env, store, inventory.Staff(who)) },
	})
}

// lateMoney makes a booking whose hold ended before its money came.
func lateMoney(t *testing.T, shop pgtest.Shop, buyer string) inventory.Booking {
	t.Helper()
	b := shop.Hold(t, buyer, 1)
	late := shop.After(t, time.Hour)
	if _, err := late.SweepHolds(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	pgtest.Deliver(t, late, pgtest.Captured(b, "pay_"+buyer))
	return b
}

// journaled counts the transitions of a booking with this cause.
func journaled(t *testing.T, shop pgtest.Shop, id inventory.BookingID, cause inventory.Cause) (n int) {
	t.Helper()
	entries, err := shop.Store.Journal(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Cause == cause {
			n++
		}
	}
	return n
}

func audited(t *testing.T, shop pgtest.Shop, subject string) int {
	t.Helper()
	entries, err := shop.Store.Audit(t.Context(), inventory.AuditFilter{Subject: subject})
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// B02: two consoles revive two zombies for one place. One wins; the other is
// told, changes nothing, and can still refund.
func TestTwoConsoles_ReviveOnePlace(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t, pgtest.Capacity(1, 0), pgtest.HoldTTL(time.Minute))
	first, second := lateMoney(t, shop, "u-001"), lateMoney(t, shop, "u-002")

	consoles := []*tuitest.Console{program(t, shop, "mira"), program(t, shop, "jan")}
	for i, c := range consoles {
		c.Shows("2 open, EUR 50.00 at stake", "revive")
		if i == 1 {
			c.Press("down")
		}
		c.Press("R")
		reason(c)
		c.Press("tab", "tab")
		c.Shows([]string{"for u-001", "for u-002"}[i])
	}
	var wg sync.WaitGroup
	for _, c := range consoles {
		wg.Go(func() { c.Press("enter") })
	}
	wg.Wait()

	won := 0
	for _, c := range consoles {
		view := c.View()
		switch {
		case strings.Contains(view, "revived, v"):
			won++
		case strings.Contains(view, "Sold out: nothing changed."):
			c.Shows("EUR 25.00 still waits here; M refunds it.")
			c.Press("enter", "M")
			reason(c)
			c.Press("tab", "enter")
			c.Shows("refund asked for: EUR 25.00")
		default:
			t.Errorf("a console says neither:\n%s", view)
		}
	}
	states := fmt.Sprintf("%s %s", shop.State(t, first.ID), shop.State(t, second.ID))
	if won != 1 || states != "CONFIRMED EXPIRED" && states != "EXPIRED CONFIRMED" {
		t.Errorf("%d consoles won, the bookings are %s; want one of each", won, states)
	}
	if n := shop.Taken(t); n != 1 {
		t.Errorf("%d taken, want 1", n)
	}
	refunds, err := shop.Store.Refunds(t.Context(), inventory.RefundFilter{})
	if err != nil || len(refunds) != 1 {
		t.Errorf("%d refunds, %v, want the loser's", len(refunds), err)
	}
}

// B02: the same revive pressed five times, and by a second console as well, is
// one transition and one audit row.
func TestTwoConsoles_ReviveTheSame(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t, pgtest.HoldTTL(time.Minute))
	b := lateMoney(t, shop, "u-001")
	mira, jan := program(t, shop, "mira"), program(t, shop, "jan")
	for _, c := range []*tuitest.Console{mira, jan} {
		c.Press("R")
		reason(c)
		c.Press("tab", "tab")
	}
	mira.Hold()
	mira.Press("enter", "enter", "enter", "enter", "enter")
	mira.Release()
	mira.Shows("revived, v")
	jan.Press("enter", "enter")
	jan.Hides("revived, v")
	jan.Press("R", "M")
	jan.Shows("No zombies")

	if n := journaled(t, shop, b.ID, inventory.CauseRevived); n != 1 {
		t.Errorf("%d transitions, want 1", n)
	}
	if n := audited(t, shop, "booking "+b.ID.String()); n != 1 {
		t.Errorf("%d audit rows, want 1", n)
	}
}

// What the second console is told when the first has decided meanwhile.
func TestTwoConsoles_TheOtherIsTold(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t, pgtest.HoldTTL(time.Minute))
	lateMoney(t, shop, "u-001")
	lateMoney(t, shop, "u-002")
	mira, jan := program(t, shop, "mira"), program(t, shop, "jan")

	jan.Press("R")
	reason(jan)
	jan.Press("tab", "tab")
	mira.Press("M")
	reason(mira)
	mira.Press("tab", "enter")
	mira.Shows("refund asked for: EUR 25.00")
	jan.Press("enter")
	jan.Shows("Nothing was changed by you.", "refund asked for by staff:mira")
	jan.Press("enter")

	jan.Press("M")
	reason(jan)
	jan.Press("tab")
	mira.Press("r", "R")
	reason(mira)
	mira.Press("tab", "tab", "enter")
	mira.Shows("revived, v")
	jan.Press("enter")
	jan.Shows("Nothing was changed by you.", "revived by staff:mira")
}

// A bulk refund against the real store: those that somebody else decided are
// left alone, the others are asked for once.
func TestTwoConsoles_BulkRefund(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t, pgtest.HoldTTL(time.Minute))
	for i := range 4 {
		lateMoney(t, shop, fmt.Sprintf("u-%03d", i))
	}
	c := program(t, shop, "mira")
	c.Press("*", "M")
	other := shop.DB.Store(t, 2)
	list, err := other.Zombies(t.Context(), inventory.ZombieFilter{})
	if err != nil || len(list.Zombies) != 4 {
		t.Fatalf("%d zombies, %v", len(list.Zombies), err)
	}
	if _, err := other.ReviveZombie(t.Context(), list.Zombies[2].Payment.ID, 0, inventory.Staff("jan"), "phoned"); err != nil {
		t.Fatal(err)
	}
	bulk(c, "4")
	c.Shows("3 of 4 refunds asked for.", "someone else was faster, left alone")
	refunds, err := other.Refunds(t.Context(), inventory.RefundFilter{})
	if err != nil || len(refunds) != 3 {
		t.Errorf("%d refunds, %v, want 3", len(refunds), err)
	}
	if _, err := other.Zombie(t.Context(), list.Zombies[0].Payment.ID); !errors.Is(err, inventory.ErrNotFound) {
		t.Errorf("the first is still a zombie: %v", err)
	}
}
