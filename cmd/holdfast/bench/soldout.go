package bench

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/timezone"
)

// soldOut lets everybody at a pool day without a place, each with a key of the
// own, and compares that with an answer that asks nobody.
func (b *bench) soldOut(ctx context.Context) error {
	day, err := b.freshDay()
	if err != nil {
		return err
	}
	if _, err := b.pool.Exec(ctx, "UPDATE pool_day SET stop_sell = false, capacity = 0 WHERE day = $1 AND pool_id = (SELECT id FROM pool WHERE slug = $2)", day.String(), poolSlug(0)); err != nil {
		return err
	}
	for _, clients := range b.cfg.Clients {
		ours := func() (load, error) {
			series := uuid.NewString()[:8]
			return run{
				clients: clients, length: b.cfg.For, targets: b.targets(),
				ask: func(client, n int) request {
					buyer := series + "-" + strconv.Itoa(client) + "-" + strconv.Itoa(n)
					return b.holdRequest(poolSlug(0), day, buyer)
				},
				check: func(_ int, r reply) error {
					if code := r.code(); r.status != http.StatusConflict || code != "SOLD_OUT" {
						return fmt.Errorf("a hold on a sold-out day was answered %d %s", r.status, r.body)
					}
					return nil
				},
			}.do(ctx)
		}
		health := func() (load, error) {
			return run{
				clients: clients, length: b.cfg.For, targets: b.targets(),
				ask: func(int, int) request { return request{method: http.MethodGet, path: "/healthz"} },
			}.do(ctx)
		}
		l, base, err := b.middle(ours, health)
		if err != nil {
			return err
		}
		name := named(SoldOut, clients)
		b.say(name, l)
		b.cfg.Say(Figure{name, "healthz", base.perSecond(), "/s"})
		b.cfg.Say(Figure{name, "ratio to healthz", l.perSecond() / base.perSecond(), "x"})
	}
	return nil
}

// addHall makes an event with 10,000 seats that has not begun, and returns the
// seats' ids.
func (b *bench) addHall(ctx context.Context, slug string) (inventory.Event, []string, error) {
	zone, err := timezone.ParseZone("Europe/Berlin")
	if err != nil {
		return inventory.Event{}, nil, err
	}
	start := timezone.WallTime{Day: b.today.Add(60), Time: timezone.NewTimeOfDay(19, 30)}
	at, err := timezone.InstantOf(start, zone)
	if err != nil {
		return inventory.Event{}, nil, err
	}
	e, err := b.store.AddEvent(ctx, staff, inventory.Event{
		Ref: inventory.EventRef{Venue: venueSlug, Event: slug}, Name: "Gala", Start: start, Zone: zone.Name(), StartsAt: at, Currency: "EUR",
		HoldTTL: time.Hour, // nothing comes back while it is measured
	})
	if err != nil {
		return e, nil, err
	}
	var seats []inventory.Seat
	for row := range hallRows {
		for number := range hallSeats {
			seats = append(seats, inventory.Seat{
				Section: "PARKETT", Row: fmt.Sprintf("R%02d", row), Number: number + 1, Category: "CAT 1",
				Price: inventory.Money{Minor: 5000, Currency: "EUR"},
			})
		}
	}
	if _, err := b.store.ImportSeats(ctx, staff, e.Ref, seats); err != nil {
		return e, nil, err
	}
	rows, err := b.pool.Query(ctx, "SELECT id::text FROM seat WHERE event_id = $1 ORDER BY section, row, number", e.ID.UUID)
	if err != nil {
		return e, nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return e, nil, err
		}
		ids = append(ids, id)
	}
	return e, ids, rows.Err()
}
