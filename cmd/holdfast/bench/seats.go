package bench

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"

	"github.com/google/uuid"
)

// seats lets everybody pick seats of one hall at random: some get one, the others
// are told that somebody was faster.
func (b *bench) seats(ctx context.Context) error {
	for _, clients := range b.cfg.Clients {
		e, ids, err := b.addHall(ctx, "seats-"+strconv.Itoa(clients))
		if err != nil {
			return err
		}
		l, err := b.pickSeats(ctx, clients, e.ID.String(), ids)
		if err != nil {
			return err
		}
		b.say(named(Seats, clients), l)
	}
	return nil
}

func (b *bench) pickSeats(ctx context.Context, clients int, event string, ids []string) (load, error) {
	series := uuid.NewString()[:8]
	return run{
		clients: clients, length: b.cfg.For, targets: b.targets(),
		ask: func(client, n int) request {
			buyer := series + "-" + strconv.Itoa(client) + "-" + strconv.Itoa(n)
			return request{
				method: http.MethodPost, path: "/events/" + event + "/seats/" + ids[rand.IntN(len(ids))] + "/hold",
				header: "Authorization: Bearer " + b.token + "\r\nIdempotency-Key: " + buyer + "\r\n",
				body:   `{"buyer":"` + buyer + `"}`,
			}
		},
		check: func(_ int, r reply) error {
			if r.status != http.StatusOK && r.code() != "SEAT_TAKEN" {
				return fmt.Errorf("a hold of a seat was answered %d %s", r.status, r.body)
			}
			return nil
		},
	}.do(ctx)
}

// seatMap reads the map of a hall of 10,000 seats, and compares that with a
// handler that does nothing but send the same bytes.
func (b *bench) seatMap(ctx context.Context) error {
	e, _, err := b.addHall(ctx, "seat-map")
	if err != nil {
		return err
	}
	ask := request{method: http.MethodGet, path: "/events/" + e.ID.String() + "/seats", header: "Authorization: Bearer " + b.token + "\r\n"}
	c := &client{address: b.targets()[0]}
	defer c.close()
	first, err := c.do(ctx, ask)
	if err != nil {
		return err
	}
	tag := first.get("ETag")
	if first.status != http.StatusOK || tag == "" {
		return fmt.Errorf("the map was answered %d without an ETag", first.status)
	}
	address, stop, err := startStatic(ctx, b.cfg.Binary, tag, bytes.Clone(first.body))
	if err != nil {
		return err
	}
	defer stop()
	again := ask
	again.header += "If-None-Match: " + tag + "\r\n"
	for _, clients := range b.cfg.Clients {
		read := func(targets []string, r request) func() (load, error) {
			return func() (load, error) {
				return run{clients: clients, length: b.cfg.For, targets: targets, ask: func(int, int) request { return r }}.do(ctx)
			}
		}
		l, static, err := b.middle(read(b.targets(), ask), read([]string{address}, ask))
		if err != nil {
			return err
		}
		same, staticSame, err := b.middle(read(b.targets(), again), read([]string{address}, again))
		if err != nil {
			return err
		}
		name := named(SeatMap, clients)
		b.say(name, l)
		b.cfg.Say(Figure{name, "bytes", float64(len(first.body)), "B"})
		b.cfg.Say(Figure{name, "static handler", static.perSecond(), "/s"})
		b.cfg.Say(Figure{name, "ratio to static handler", l.perSecond() / static.perSecond(), "x"})
		b.cfg.Say(Figure{name, "not modified", same.perSecond(), "/s"})
		b.cfg.Say(Figure{name, "ratio to static handler, not modified", same.perSecond() / staticSame.perSecond(), "x"})
	}
	return nil
}
