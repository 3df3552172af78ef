package holds_test

import (
	"fmt"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
	"holdfast/tui/screen/holds"
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
	c := tuitest.Open(t, tuitest.Options{
		Venue:  ui.Venue{Slug: shop.Venue.Slug, Name: shop.Venue.Name, Zone: zone.Location()},
		Screen: func(env *ui.Env) ui.Screen { return holds.New(env, store, inventory.Staff(who)) },
	})
	c.Clock.Advance(time.Since(c.Clock.Now())) // countdowns are measured by the database's clock
	return c
}

// Two consoles on one hold: what one drew before the other extended it is not
// released, and the place is given back once.
func TestStore_TwoConsolesOneHold(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t, pgtest.HoldTTL(10*time.Minute))
	b := shop.Hold(t, "u-001", 3)
	mira, jan := program(t, shop, "mira"), program(t, shop, "jan")
	mira.Shows("1 hold: 1 held", "EUR 75.00")

	mira.Press("L", "tab")
	jan.Press("e", "ctrl+s")
	jan.Shows("extended until")
	mira.Press("enter")
	mira.Shows("Nothing changed: someone else was faster.", "extended by staff:jan")
	mira.Press("enter")
	if n := shop.Taken(t); n != 3 {
		t.Errorf("%d taken, want 3", n)
	}

	mira.Press("L", "tab", "enter", "enter", "enter")
	jan.Press("L", "tab", "enter")
	mira.Shows("NO HOLDS")
	if n, state := shop.Taken(t), shop.State(t, b.ID); n != 0 || state != inventory.StateCancelled {
		t.Errorf("%d taken, the hold is %s; want 0, CANCELLED", n, state)
	}
	audit, err := shop.Store.Audit(t.Context(), inventory.AuditFilter{Subject: "booking " + b.ID.String()})
	if err != nil || len(audit) != 2 { // extended, released
		t.Errorf("%d audit rows, %v, want 2", len(audit), err)
	}
}

// R14: extending stops at the venue's longest hold.
func TestStore_ExtendIsCapped(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t, pgtest.HoldTTL(10*time.Minute))
	shop.Hold(t, "u-001", 1)
	c := program(t, shop, "mira")
	for range 11 { // 10 minutes and ten times 5 are the hour
		c.Press("e", "ctrl+s")
	}
	c.Shows("EXTEND HOLD", "nothing changed: at most until", "past the longest hold of this venue")
}

// R11: the hold of a late payer is found by buyer and by the end of its id,
// among thousands that have ended.
func TestStore_ExpiredHoldsStayFindable(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t, pgtest.Capacity(1000, 0), pgtest.HoldTTL(time.Minute))
	var wanted inventory.Booking
	for i := range 30 {
		b := shop.Hold(t, fmt.Sprintf("u-%03d", i), 1)
		if i == 7 {
			wanted = b
		}
	}
	if _, err := shop.After(t, time.Hour).SweepHolds(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	c := program(t, shop, "mira")
	c.Shows("No holds now.")
	c.Press("a")
	for _, text := range []string{"U-007", wanted.ID.Short()} {
		c.Press("/")
		clear(c)
		c.Type(text)
		c.Press("enter")
		c.Shows(fmt.Sprintf("filter %q: 1", text), "u-007", "EXPIRED", ".."+wanted.ID.Short())
	}
}

func clear(c *tuitest.Console) {
	for range 20 {
		c.Press("backspace")
	}
}
