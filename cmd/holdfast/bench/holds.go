package bench

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/rickb777/date"
)

// plainClients are the numbers of clients that pgbench is measured with, if ours
// is none of them: then the best one counts.
var plainClients = []int{1, 4, 20, 100}

// hotDay lets everybody at one pool day, and everybody gets a place.
func (b *bench) hotDay(ctx context.Context) error {
	return b.holds(ctx, HotDay, 1, func() (func(n int) (string, date.Date), error) {
		day, err := b.freshDay()
		return func(int) (string, date.Date) { return poolSlug(0), day }, err
	})
}

// spread lets them at 1,000 pool days.
func (b *bench) spread(ctx context.Context) error {
	return b.holds(ctx, Spread, spreadPools*spreadDays, func() (func(n int) (string, date.Date), error) {
		return func(n int) (string, date.Date) {
			n = int(uint32(n) * 2654435761 >> 7) //nolint:gosec // spreads neighbours
			return poolSlug(1 + n%spreadPools), b.today.Add(date.PeriodOfDays(1 + n/spreadPools%spreadDays))
		}, nil
	})
}

// holds measures holds at places that choose gives, and the plain transaction
// over so many days beside it.
func (b *bench) holds(ctx context.Context, s Scenario, days int, choose func() (func(n int) (string, date.Date), error)) error {
	var plain *pgbench
	if b.cfg.PGBench {
		var err error
		if plain, err = b.plain(ctx); err != nil {
			return err
		}
	}
	for _, clients := range b.cfg.Clients {
		ours := func() (load, error) {
			where, err := choose()
			if err != nil {
				return load{}, err
			}
			return b.placeHolds(ctx, clients, where)
		}
		var theirs func() (load, error)
		if plain != nil {
			theirs = func() (load, error) { return plain.best(ctx, clients, days, b.cfg.For) }
		}
		l, best, err := b.middle(ours, theirs)
		if err != nil {
			return err
		}
		name := named(s, clients)
		b.say(name, l)
		if plain != nil {
			b.cfg.Say(Figure{name, fmt.Sprintf("pgbench with %d", best.clients), best.perSecond(), "/s"})
			b.cfg.Say(Figure{name, "ratio to pgbench", l.perSecond() / best.perSecond(), "x"})
		}
	}
	return nil
}

func (b *bench) placeHolds(ctx context.Context, clients int, where func(n int) (string, date.Date)) (load, error) {
	return b.holdsAt(run{clients: clients, length: b.cfg.For, targets: b.targets()}, where).do(ctx)
}

// holdsAt completes a run whose every request takes a place.
func (b *bench) holdsAt(r run, where func(n int) (string, date.Date)) run {
	series := uuid.NewString()[:8]
	r.ask = func(client, n int) request {
		pool, day := where(n*r.clients + client)
		return b.holdRequest(pool, day, series+"-"+strconv.Itoa(client)+"-"+strconv.Itoa(n))
	}
	r.check = func(_ int, r reply) error {
		if r.status != http.StatusCreated {
			return fmt.Errorf("a hold was answered %d %s", r.status, r.body)
		}
		return nil
	}
	return r
}

// holdRequest asks for one place, under a key of its own.
func (b *bench) holdRequest(pool string, day date.Date, buyer string) request {
	return request{
		method: http.MethodPost, path: "/holds",
		header: "Authorization: Bearer " + b.token + "\r\nIdempotency-Key: " + buyer + "\r\n",
		body:   `{"pool":"` + venueSlug + "/" + pool + `","day":"` + day.String() + `","quantity":1,"buyer":"` + buyer + `"}`,
	}
}
