package deliveries_test

import (
	"strings"
	"sync"
	"testing"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
	"holdfast/tui/screen/deliveries"
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
		Screen: func(env *ui.Env) ui.Screen { return deliveries.New(env, store, inventory.Staff(who)) },
	})
}

// confirmed makes a booking with a message to be published.
func confirmed(t *testing.T, shop pgtest.Shop, buyer string) inventory.OutboxRow {
	t.Helper()
	b := shop.Hold(t, buyer, 1)
	pgtest.Deliver(t, shop.Store, pgtest.Captured(b, "pay_"+buyer))
	rows, err := shop.Store.Outbox(t.Context(), inventory.OutboxFilter{Open: true})
	if err != nil || len(rows) == 0 || rows[0].BookingID != b.ID {
		t.Fatalf("no message about %s: %v", b.ID, err)
	}
	return rows[0]
}

func status(t *testing.T, shop pgtest.Shop) inventory.OutboxStatus {
	t.Helper()
	s, err := shop.Store.OutboxStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A message set aside by two consoles at once is set aside by one of them; the
// other is told. Sent again, it is open again.
func TestTwoConsoles_Park(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t)
	confirmed(t, shop, "u-001")
	consoles := []*tuitest.Console{program(t, shop, "mira"), program(t, shop, "jan")}
	for _, c := range consoles {
		c.Shows("booking.confirmed", "1 place of harbour/main", "for u-001")
		c.Press("P", "shift+tab")
		c.Type("closed")
		c.Press("tab", "tab")
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
		case strings.Contains(view, "set aside: booking.confirmed"):
			won++
		case strings.Contains(view, "Nothing was changed by you."):
			c.Shows("It was parked at", "set aside by")
			c.Press("enter")
		default:
			t.Errorf("a console says neither:\n%s", view)
		}
	}
	if s := status(t, shop); won != 1 || s.Parked != 1 || s.Open != 0 {
		t.Errorf("%d consoles won, %+v; want one parked by one", won, s)
	}

	for _, c := range consoles {
		c.Press("r", "!", "tab")
		c.Shows("SEND ONE MESSAGE AGAIN")
	}
	consoles[0].Press("enter")
	consoles[0].Shows("due now: booking.confirmed")
	consoles[1].Press("enter")
	consoles[1].Shows("Nothing was changed by you.", "It is open: someone else has sent it again")
	if s := status(t, shop); s.Parked != 0 || s.Open != 1 {
		t.Errorf("%+v, want one open", s)
	}
}

// What a shop has taken meanwhile is not set aside, and not called so.
func TestConsole_ParkAfterItWasTaken(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t)
	r := confirmed(t, shop, "u-001")
	c := program(t, shop, "mira")
	c.Press("P", "shift+tab")
	c.Type("closed")
	c.Press("tab", "tab")
	if err := shop.Store.OutboxDelivered(t.Context(), r.BookingID, r.Seq); err != nil {
		t.Fatal(err)
	}
	c.Press("enter")
	c.Shows("Nothing was changed by you.", "It was published at")
	if s := status(t, shop); s.Parked != 0 || s.Published != 1 {
		t.Errorf("%+v, want one published", s)
	}
}

// A dispute that came before the capture it is about names nothing we know; when
// the capture has come, applying it again takes it in.
func TestConsole_ApplyUnmatched(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t)
	b := shop.Hold(t, "u-001", 1)
	pgtest.Deliver(t, shop.Store, inventory.ProviderEvent{
		Provider: "simulated", ID: "evt_dispute", Kind: inventory.EventDisputeOpened, ProviderPayment: "pay_1", Amount: b.Amount, Body: []byte("{}"),
	})
	c, other := program(t, shop, "mira"), program(t, shop, "jan")
	c.Press("tab", "!", "tab", "enter")
	c.Shows("Looked at: it still names nothing we know.")
	c.Press("enter")
	pgtest.Deliver(t, shop.Store, pgtest.Captured(b, "pay_1"))
	for _, console := range []*tuitest.Console{c, other} {
		if console == other {
			console.Press("tab")
		}
		console.Press("!", "tab")
		console.Shows("APPLY ONE CALLBACK AGAIN", "dispute.opened")
	}
	c.Press("enter")
	c.Shows("applied: dispute.opened: dispute open")
	other.Press("enter")
	other.Shows("Nothing was changed by you.", "Applied at", "dispute open")
	after, err := shop.Store.Booking(t.Context(), b.ID)
	if err != nil || after.Payments[0].Dispute != inventory.DisputeOpen {
		t.Errorf("the dispute is %q, %v; want open", after.Payments[0].Dispute, err)
	}
}
