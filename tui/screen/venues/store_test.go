package venues_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
	"holdfast/tui/screen/venues"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// program is one console on a store of its own, as another process would be.
func program(t *testing.T, db *pgtest.Database, who string) *tuitest.Console {
	t.Helper()
	store := db.Store(t, 4)
	return tuitest.Open(t, tuitest.Options{
		Screen: func(env *ui.Env) ui.Screen { return venues.New(env, store, inventory.Staff(who)) },
	})
}

// A venue begins to sell with nothing but the console and the horizon job.
func TestStore_ANewVenueStartsFromTheConsole(t *testing.T) {
	t.Parallel()

	db := pgtest.DB(t)
	c := program(t, db, "mira")
	c.Shows("No venues yet.")
	c.Press("n")
	c.Type("lisb")
	c.Press("enter")
	c.Type("tejo")
	c.Press("tab")
	c.Type("Tejo Hall")
	c.Press("tab", "tab")
	c.Type("EUR")
	c.Press("ctrl+s")
	c.Shows("tejo added, v1")
	c.Press("a")
	c.Type("main")
	c.Press("tab")
	c.Type("Main floor")
	c.Press("tab")
	c.Type("25.00")
	c.Press("tab")
	c.Type("80")
	c.Press("ctrl+s")
	c.Shows("tejo/main added", "main: EUR 25.00 for one, 80 every day")

	store := db.Store(t, 4)
	if made, err := store.ExtendHorizon(t.Context(), 1000); err != nil || made != 90 {
		t.Fatalf("%d days made, %v, want 90", made, err)
	}
	now, err := store.DatabaseNow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	zone, err := timezone.ParseZone("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := store.PlaceHold(t.Context(), inventory.HoldRequest{
		Pool: inventory.PoolRef{Venue: "tejo", Pool: "main"}, Day: timezone.DayOf(now, zone).Add(1), Quantity: 2, Buyer: "u-1",
		IdempotencyKey: uuid.NewString(), Actor: inventory.Staff("mira"),
	})
	if err != nil || b.Amount.String() != "EUR 50.00" {
		t.Errorf("hold = %s, %v", b.Amount, err)
	}
}

// Two consoles edit one venue: the second sees both values, loses nothing and
// puts its own on top of the new version.
func TestStore_TwoConsolesEditOneVenue(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t)
	mira, jan := program(t, shop.DB, "mira"), program(t, shop.DB, "jan")
	for _, c := range []*tuitest.Console{mira, jan} {
		c.Press("e")
		c.Type(" A")
	}
	mira.Press("backspace")
	mira.Type("B")
	mira.Press("tab", "backspace", "backspace", "backspace")
	mira.Type("20m")
	jan.Press("ctrl+s")
	jan.Shows("harbour saved, v2")
	mira.Press("ctrl+s")
	mira.Shows("SOMEONE ELSE SAVED FIRST", "jan saved v2", "CLASH", "merged")
	mira.Press("tab", "tab", "enter")
	mira.Shows("harbour saved, v3", "Harbour Hall B")

	v, err := shop.Store.Venue(t.Context(), "harbour")
	if err != nil || v.Name != "Harbour Hall B" || v.HoldTTL != 20*time.Minute || v.Version != 3 {
		t.Errorf("stored %+v, %v", v, err)
	}
	audit, err := shop.Store.Audit(t.Context(), inventory.AuditFilter{Subject: "venue harbour"})
	if err != nil || len(audit) != 3 { // made, jan's edit, mira's
		t.Errorf("%d audit rows, %v, want 3", len(audit), err)
	}
}

// A change of zone moves the end of each day's sales and keeps every date.
func TestStore_ChangeZone(t *testing.T) {
	t.Parallel()

	shop := pgtest.OpenShop(t)
	b := shop.Hold(t, "u-1", 2)
	before := shop.PoolDay(t)
	c := program(t, shop.DB, "mira")
	toZone(c, "new york", "harbour")
	c.Shows("2 places taken: they keep their dates.", "1 hold runs now")
	c.Press("enter")
	c.Shows("harbour is in America/New_York now, v2")

	after := shop.PoolDay(t)
	zone, err := timezone.ParseZone("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	_, end := timezone.DayBounds(after.Day, zone)
	if after.Day != before.Day || !after.SalesUntil.Equal(end) || after.Taken != 2 {
		t.Errorf("%s until %s, %d taken; want %s until %s, 2", after.Day, after.SalesUntil, after.Taken, before.Day, end)
	}
	if got, err := shop.Store.Booking(t.Context(), b.ID); err != nil || !got.ExpiresAt.Equal(b.ExpiresAt) {
		t.Errorf("the hold ends at %s, %v, want %s", got.ExpiresAt, err, b.ExpiresAt)
	}
}

// Bookings by time move with the zone of their venue only after somebody has
// seen them and chosen what stays.
func TestStore_ChangeZoneOfBookingsByTime(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, local, instant string
		press                []string
	}{
		{"keepTheLocalTime", "10:00", "moved", []string{"enter"}},
		{"keepTheMoment", "04:00", "stays", []string{"tab", "enter"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			studio := pgtest.OpenStudio(t, nil)
			b := studio.HoldRange(t, "u-1", "10:00", "11:00")
			c := program(t, studio.DB, "mira")
			choose(c)
			c.Shows("1 booking by time", "Studio A, u-1", "(10:00 becomes 04:00)", "Both copies of the zone rules agree.")
			c.Press(tc.press...)
			confirm(c)
			c.Shows("harbour is in America/New_York now")
			after, err := studio.Store.Booking(t.Context(), b.ID)
			if err != nil {
				t.Fatal(err)
			}
			if stays := after.During.From.Equal(b.During.From); after.LocalFrom.Time.String() != tc.local || stays != (tc.instant == "stays") {
				t.Errorf("it is at %s, %s, before at %s; want %s, the instant %s", after.LocalFrom, after.During.From, b.During.From, tc.local, tc.instant)
			}
		})
	}
}
