package deliveries_test

import (
	"testing"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/tui/screen/deliveries"
)

// What a message of the real outbox says is put into words, whatever its
// booking claims.
func TestSays_everyKindOfClaim(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	h := pgtest.HallIn(t, s, pgtest.Rows("PARKETT", "CAT 1", 5000, 3, "A"))
	st := pgtest.StudioIn(t, s, nil)
	want := map[inventory.BookingID]string{}
	b := s.Hold(t, "u-1", 2)
	want[b.ID] = "2 places of harbour/main, " + s.Day.String() + ", for u-1, EUR 50.00"
	b = h.HoldSeats(t, "u-2", "A-01", "A-02")
	want[b.ID] = "PARKETT A-01, PARKETT A-02 of Gala, for u-2, EUR 100.00"
	b = st.HoldRange(t, "u-3", "10:00", "11:00")
	want[b.ID] = "harbour/studio-a, " + s.Day.String() + " 10:00 to " + s.Day.String() + " 11:00, for u-3, EUR 20.00"
	for id := range want {
		if _, err := s.Store.ReleaseHold(t.Context(), id, 0, inventory.Staff("mira"), "asked to"); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := s.Store.Outbox(t.Context(), inventory.OutboxFilter{Limit: 10})
	if err != nil || len(rows) != len(want) {
		t.Fatalf("%d messages, %v", len(rows), err)
	}
	for _, r := range rows {
		if got := deliveries.Says(r.Data); got != want[r.BookingID] {
			t.Errorf("%s is put as %q, want %q", r.Data, got, want[r.BookingID])
		}
	}
}
