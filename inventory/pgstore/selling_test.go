package pgstore_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

func TestSelling_busiestFirstWithItsHolds(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t, pgtest.Capacity(10, 2))
	for i := range 3 {
		h.Hold(t, fmt.Sprintf("u-%d", i), 2)
	}
	paying := h.Hold(t, "u-paying", 1)
	if _, _, err := h.Store.StartPayment(t.Context(), inventory.PayRequest{BookingID: paying.ID, Provider: "simulated", Actor: mira}); err != nil {
		t.Fatal(err)
	}
	paid := h.Hold(t, "u-paid", 4)
	pgtest.Deliver(t, h.Store, pgtest.Captured(paid, "pay_1"))
	h.HoldSeats(t, "u-9", "A-01", "A-02")
	late := h.HoldSeats(t, "u-late", "B-01")
	if _, err := h.Store.ReleaseHold(t.Context(), late.ID, 0, mira, ""); err != nil {
		t.Fatal(err)
	}
	pgtest.Deliver(t, h.Store, pgtest.Captured(late, "pay_2"))

	l, err := h.Store.Selling(t.Context(), "harbour", 20)
	if err != nil || len(l.Rows) != 4 {
		t.Fatalf("Selling = %+v, %v, want the busy day, the event and the next two days", l.Rows, err)
	}
	day := l.Rows[0]
	if day.Pool != h.Pool.Ref || day.Day != h.Day || day.Name != "Main floor" || day.Kind != inventory.ClaimPool ||
		day.Limit != 12 || day.Taken != 11 || day.Left() != 1 || day.Held != 7 || day.Holds != 3 || day.Paying != 1 ||
		day.Zombies != 0 || day.Recent != 5 || day.StopSell || day.Version != 1 || day.SalesUntil.IsZero() {
		t.Errorf("the day: %+v", day)
	}
	event := l.Rows[1]
	if event.Event != h.Event.Ref || event.Kind != inventory.ClaimSeats || event.Limit != 30 || event.Taken != 2 || event.Held != 2 ||
		event.Holds != 1 || event.Zombies != 1 || event.Recent != 2 || event.Day != h.Event.Start.Day {
		t.Errorf("the event: %+v", event)
	}
	if next := l.Rows[2]; next.Recent != 0 || next.Day != h.Day.Add(-7) || next.Limit != 12 {
		t.Errorf("the next day: %+v", next)
	}
	if minute := l.Minute(day); minute != 1 { // 5 in 5 minutes
		t.Errorf("%v holds a minute, want 1", minute)
	}
}

func TestSelling_onlyOfTheVenueAndAtMostSoMany(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	if l, err := s.Store.Selling(t.Context(), "nowhere", 20); err != nil || len(l.Rows) != 0 {
		t.Errorf("of another venue: %+v, %v", l.Rows, err)
	}
	if l, err := s.Store.Selling(t.Context(), "", 1); err != nil || len(l.Rows) != 1 {
		t.Errorf("at most one: %+v, %v", l.Rows, err)
	}
}

// What was placed long ago is not busy.
func TestSelling_recentMeansLately(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t)
	s.Hold(t, "u-1", 1)
	l, err := s.After(t, 6*time.Minute).Selling(t.Context(), "", 20)
	if err != nil || len(l.Rows) != 2 || l.Rows[0].Recent != 0 || l.AsOf.Sub(l.Since) != 5*time.Minute {
		t.Errorf("six minutes later: %+v, %v", l, err)
	}
}

// However long the history is, no table that grows with it is read as a whole.
func TestSelling_readsByIndexAlone(t *testing.T) {
	t.Parallel()
	db := pgtest.DB(t)
	tx, err := db.Pool.BeginTx(t.Context(), pgx.TxOptions{BeginQuery: "begin read only; set local enable_seqscan = off"})
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	sql := sqlConstants(t)
	now := time.Date(2026, 12, 4, 12, 0, 0, 0, time.UTC)
	for name, args := range map[string]pgx.StrictNamedArgs{
		"sqlSellingSince": {"now": nil, "span": int64(1), "sample": 2000},
		"sqlSellingList":  {"now": now, "since": now, "venue": nil, "sample": 2000, "most": 10_000, "next": 3, "limit": 20},
		"sqlPulseList":    {"since": now, "limit": 1000},
	} {
		rows, _ := tx.Query(t.Context(), "EXPLAIN "+sql[name], args)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		byIndex := 0
		for _, line := range plan {
			for _, table := range []string{"booking", "payment", "seat", "pool_day", "sale_pulse"} {
				if strings.Contains(line, "Seq Scan on "+table) {
					t.Errorf("%s: not by an index alone: %s", name, line)
				}
			}
			if strings.Contains(line, "Index") && strings.Contains(line, "Scan") {
				byIndex++
			}
			if strings.Contains(line, "booking_live_of_day") || strings.Contains(line, "booking_of_event") {
				t.Errorf("%s: reads what is confirmed or over: %s", name, line)
			}
		}
		if byIndex == 0 {
			t.Errorf("%s: no index in the plan: the test looks at the wrong thing\n%s", name, strings.Join(plan, "\n"))
		}
	}
}
