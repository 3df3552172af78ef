package cockpit_test

import (
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
	"holdfast/tui/screen/cockpit"
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
		Screen: func(env *ui.Env) ui.Screen { return cockpit.New(env, store, inventory.Staff(who)) },
	})
	c.Clock.Advance(time.Since(c.Clock.Now())) // ages are measured by the database's clock
	c.Press("r")
	return c
}

// Two consoles on one day and one event: what one drew before the other changed
// it is left alone, and each can put back its own.
func TestStore_TwoConsoles(t *testing.T) {
	t.Parallel()

	h := pgtest.OpenHall(t)
	b := h.Hold(t, "u-1", 2)
	h.HoldSeats(t, "u-2", "A-01", "A-02", "A-03")
	if err := h.Store.WritePulse(t.Context(), inventory.Pulse{Instance: "box:1:daemon", Span: 2 * time.Second, Placed: 90, P99: 30 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	mira, jan := program(t, h.Shop, "mira"), program(t, h.Shop, "jan")
	mira.Shows("SELLING: 45 holds a second", "3/30", "2/12", "Gala", "Main floor")

	for range 2 { // the day, then the event
		mira.Press("S")
		jan.Press("S", "tab", "enter")
		jan.Shows("sales stopped: ", "STOPPED")
		mira.Press("tab", "enter")
		mira.Shows("Nothing changed: someone else edited it first.", "Its sales are stopped now (v2)")
		mira.Press("enter")
		jan.Press("u", "tab", "enter")
		jan.Shows("put back: sales stopped of ")
		jan.Press("down")
		mira.Press("r", "down")
	}
	if d := h.PoolDay(t); d.StopSell || d.Version != 3 {
		t.Errorf("the day: stopped %v, v%d, want open at v3", d.StopSell, d.Version)
	}
	if e, err := h.Store.Event(t.Context(), h.Event.Ref); err != nil || e.StopSell || e.Version != 3 {
		t.Errorf("the event: stopped %v, v%d, %v", e.StopSell, e.Version, err)
	}

	mira.Press("home", "e", "ctrl+s")
	mira.Shows("1 hold got 5m more: Main floor")
	mira.Press("down", "e", "ctrl+s")
	mira.Shows("1 hold got 5m more: Gala")
	if after, err := h.Store.Booking(t.Context(), b.ID); err != nil || !after.ExpiresAt.Equal(b.ExpiresAt.Add(5*time.Minute)) {
		t.Errorf("the hold ends at %s, %v", after.ExpiresAt, err)
	}
}

func TestStore_AdmissionRate(t *testing.T) {
	t.Parallel()

	s := pgtest.OpenShop(t)
	rate, open := 20.0, true
	if _, err := s.Store.SetWaitingRoom(t.Context(), inventory.WaitingRoomChange{Venue: "harbour", Name: "main", Kind: inventory.ClaimPool, Rate: &rate, Open: &open}, inventory.Staff("test")); err != nil {
		t.Fatal(err)
	}
	c := program(t, s, "mira")
	c.Shows("WAITING ROOMS: 0 wait", "0 of 500 are in")
	c.Press("A", "backspace", "backspace")
	c.Type("0")
	c.Press("ctrl+s")
	c.Shows("main lets in 0 a second", "PAUSED: nobody is let in")
	c.Press("u", "tab", "enter")
	rooms, err := s.Store.WaitingRooms(t.Context())
	if err != nil || len(rooms) != 1 || rooms[0].Rate != 20 || rooms[0].Version != 4 {
		t.Errorf("rooms = %+v, %v, want 20 a second again at v4", rooms, err)
	}
}
