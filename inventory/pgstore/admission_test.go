package pgstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// The admission rule is written twice: the SQL function decides, the Go method
// explains. They must agree on every pool day.
func TestAdmission_sqlAndGoAgree(t *testing.T) {
	t.Parallel()
	db := pgtest.DB(t)
	now := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)
	code := map[string]error{
		"": nil, "STOP_SELL": inventory.ErrStopSell, "NOT_ON_SALE": inventory.ErrNotOnSale,
		"CUTOFF_PASSED": inventory.ErrCutoffPassed, "SOLD_OUT": inventory.ErrSoldOut,
	}
	count := rapid.OneOf(rapid.IntRange(0, 12), rapid.Just(0), rapid.Just(inventory.MaxCapacity))
	near := rapid.SampledFrom([]time.Duration{-time.Hour, -time.Microsecond, 0, time.Microsecond, time.Hour})
	rapid.Check(t, func(rt *rapid.T) {
		d := inventory.PoolDay{
			Capacity: count.Draw(rt, "capacity"), OverbookLimit: count.Draw(rt, "overbook_limit"),
			Taken: count.Draw(rt, "taken"), StopSell: rapid.Bool().Draw(rt, "stop_sell"),
			SalesUntil: now.Add(near.Draw(rt, "sales_until")),
		}
		if rapid.Bool().Draw(rt, "has sales_from") {
			d.SalesFrom = now.Add(near.Draw(rt, "sales_from"))
		}
		quantity := rapid.OneOf(rapid.IntRange(1, 13), rapid.Just(inventory.MaxQuantity)).Draw(rt, "quantity")
		var got zeronull.Text
		err := db.Pool.QueryRow(t.Context(),
			`SELECT admission((1, '2027-01-15', $1::int, $2::int, $3::int, $4::bool, $5::timestamptz, $6::timestamptz, 0, 1)::pool_day, $7, $8)`,
			d.Capacity, d.OverbookLimit, d.Taken, d.StopSell, (*zeronull.Timestamptz)(&d.SalesFrom), d.SalesUntil, quantity, now).Scan(&got)
		if err != nil {
			rt.Fatal(err)
		}
		want, known := code[string(got)]
		if goSays := d.Admit(quantity, now); !known || !errors.Is(goSays, want) {
			rt.Fatalf("%+v, quantity %d: SQL says %q, Go says %v", d, quantity, got, goSays)
		}
	})
}

// The same for the rules of events and resources.
func TestAdmission_eventAndResourceAgreeToo(t *testing.T) {
	t.Parallel()
	db := pgtest.DB(t)
	now := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)
	near := rapid.SampledFrom([]time.Duration{-time.Hour, -time.Microsecond, 0, time.Microsecond, time.Hour})
	agree := func(rt *rapid.T, sql string, goSays error, args ...any) {
		var code zeronull.Text
		if err := db.Pool.QueryRow(t.Context(), sql, args...).Scan(&code); err != nil {
			rt.Fatal(err)
		}
		if inventory.Code(goSays) != string(code) {
			rt.Fatalf("%v: SQL says %q, Go says %v", args, code, goSays)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		stop := rapid.Bool().Draw(rt, "stop_sell")
		e := inventory.Event{StopSell: stop, SalesUntil: now.Add(near.Draw(rt, "sales_until"))}
		if rapid.Bool().Draw(rt, "has sales_from") {
			e.SalesFrom = now.Add(near.Draw(rt, "sales_from"))
		}
		agree(rt, `SELECT event_admission(jsonb_populate_record(null::event, jsonb_build_object('stop_sell', $1::bool, 'sales_from', $2::timestamptz, 'sales_until', $3::timestamptz)), $4)`,
			e.Admit(now), e.StopSell, (*zeronull.Timestamptz)(&e.SalesFrom), e.SalesUntil, now)
		from := now.Add(near.Draw(rt, "from"))
		r := inventory.Resource{StopSell: stop}
		agree(rt, `SELECT resource_admission(jsonb_populate_record(null::resource, jsonb_build_object('stop_sell', $1::bool)), tstzrange($2::timestamptz, $2::timestamptz + interval '1 hour'), $3)`,
			r.Admit(inventory.Range{From: from, To: from.Add(time.Hour)}, now), stop, from, now)
	})
}
