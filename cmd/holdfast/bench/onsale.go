package bench

import (
	"bytes"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"holdfast/inventory"
)

const (
	saleRate   = 1000 // buyers admitted a second
	saleActive = 2000
	salePass   = 10 * time.Minute
	saleWorker = 100 // connections that the crowd shares
	saleLimit  = 30 * time.Minute
	mapEvery   = 250 * time.Millisecond
)

// onSale lets many more buyers at a hall than it has seats, through its waiting
// room: each joins the line, comes back when told to, picks a seat that the map
// shows as free, tries another one if somebody was faster, and leaves with a seat
// or the answer that everything is gone.
func (b *bench) onSale(ctx context.Context) error {
	e, ids, err := b.addHall(ctx, "on-sale")
	if err != nil {
		return err
	}
	rate, active, pass, open := float64(saleRate), saleActive, salePass, true
	if _, err := b.store.SetWaitingRoom(ctx, inventory.WaitingRoomChange{
		Venue: venueSlug, Name: e.Ref.Event, Kind: inventory.ClaimSeats, Rate: &rate, MaxActive: &active, PassLife: &pass, Open: &open,
	}, staff); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, saleLimit)
	defer cancel()
	s := &sale{bench: b, event: e.ID.String()}
	s.hall.Store(&hall{free: ids})
	mapping, stop := context.WithCancel(ctx)
	defer stop()
	go s.watchMap(mapping)
	began := time.Now()
	var crowd sync.WaitGroup
	errs := make([]error, saleWorker)
	for i := range saleWorker {
		crowd.Go(func() { errs[i] = s.work(ctx, i) })
	}
	crowd.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	name := fmt.Sprintf("%s/%d", OnSale, b.cfg.Buyers)
	b.cfg.Say(Figure{name, "took", time.Since(began).Seconds(), "s"})
	b.cfg.Say(Figure{name, "requests", float64(s.requests.Load()) / time.Since(began).Seconds(), "/s"})
	b.cfg.Say(Figure{name, "buyers with a seat", float64(s.placed.Load()), ""})
	b.cfg.Say(Figure{name, "buyers told that all is gone", float64(s.gone.Load()), ""})
	b.cfg.Say(Figure{name, "buyers without an answer", float64(int64(b.cfg.Buyers) - s.placed.Load() - s.gone.Load()), ""})
	b.cfg.Say(Figure{name, "refusals SEAT_TAKEN", float64(s.taken.Load()), ""})
	b.cfg.Say(Figure{name, "answers BUSY", float64(s.busy.Load()), ""})
	var held, twice int64
	if err := b.pool.QueryRow(ctx, `SELECT count(*), count(*) - count(DISTINCT seat_id) FROM booking_seat s JOIN booking b ON b.id = s.booking_id
		WHERE b.event_id = $1 AND b.state IN ('HELD', 'PAYMENT_PENDING', 'CONFIRMED')`, e.ID.UUID).Scan(&held, &twice); err != nil {
		return err
	}
	b.cfg.Say(Figure{name, "seats held", float64(held), ""})
	b.cfg.Say(Figure{name, "seats held twice", float64(twice), ""})
	for _, d := range b.daemons {
		if peak, ok := d.peak(); ok {
			b.cfg.Say(Figure{name, "memory of the daemon", float64(peak) / (1 << 20), "MiB"})
		}
	}
	if held != s.placed.Load() {
		return fmt.Errorf("%d seats are held and %d buyers were told so", held, s.placed.Load())
	}
	return nil
}

// sale is the crowd before one hall.
type sale struct {
	bench *bench
	event string
	hall  atomic.Pointer[hall] // what the map showed last
	next  atomic.Int64         // buyer that has not come yet

	requests, placed, gone, taken, busy atomic.Int64
}

// hall is a map: the seats that are free, and its ETag.
type hall struct {
	free []string
	tag  string
}

// shopper is one buyer between two requests.
type shopper struct {
	name     string
	token    string
	due      time.Time
	admitted bool
}

// later are shoppers by when they come back.
type later []*shopper

func (l later) Len() int           { return len(l) }
func (l later) Less(i, j int) bool { return l[i].due.Before(l[j].due) }
func (l later) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *later) Push(x any)        { *l = append(*l, x.(*shopper)) }
func (l *later) Pop() any {
	old := *l
	x := old[len(old)-1]
	*l = old[:len(old)-1]
	return x
}

// work is one connection's share of the crowd: those who are due, else somebody
// new, else a pause.
func (s *sale) work(ctx context.Context, i int) error {
	c := &client{address: s.bench.targets()[i%len(s.bench.daemons)]}
	defer c.close()
	var waiting later
	for ctx.Err() == nil {
		var who *shopper
		switch {
		case len(waiting) > 0 && !waiting[0].due.After(time.Now()):
			who = heap.Pop(&waiting).(*shopper)
		case s.next.Load() < int64(s.bench.cfg.Buyers):
			n := s.next.Add(1)
			if n > int64(s.bench.cfg.Buyers) {
				continue
			}
			who = &shopper{name: "u-" + strconv.FormatInt(n, 10)}
		case len(waiting) > 0:
			sleep(ctx, time.Until(waiting[0].due))
			continue
		default:
			return nil
		}
		done, err := s.step(ctx, c, who)
		if err != nil {
			return err
		}
		if !done {
			heap.Push(&waiting, who)
		}
	}
	return ctx.Err()
}

// step lets a buyer do the next thing; done means that an answer was given.
func (s *sale) step(ctx context.Context, c *client, who *shopper) (done bool, err error) {
	s.requests.Add(1)
	hall := s.hall.Load()
	if len(hall.free) == 0 && who.token != "" { // the map shows it while they wait: is it still true?
		r, err := c.do(ctx, request{
			method: http.MethodGet, path: "/events/" + s.event + "/seats",
			header: "Authorization: Bearer " + s.bench.token + "\r\nIf-None-Match: " + hall.tag + "\r\n",
		})
		if err != nil || r.status != http.StatusNotModified {
			who.due = time.Now().Add(mapEvery)
			return false, err
		}
		s.gone.Add(1)
		return true, nil
	}
	auth := "Authorization: Bearer " + s.bench.token + "\r\n"
	switch {
	case who.token == "":
		r, err := c.do(ctx, request{method: http.MethodPost, path: "/events/" + s.event + "/admission", header: auth, body: `{"buyer":"` + who.name + `"}`})
		return false, s.admission(who, r, err)
	case !who.admitted:
		r, err := c.do(ctx, request{method: http.MethodGet, path: "/admission", header: auth + "Admission-Token: " + who.token + "\r\n"})
		return false, s.admission(who, r, err)
	}
	seat := hall.free[rand.IntN(len(hall.free))]
	r, err := c.do(ctx, request{
		method: http.MethodPost, path: "/events/" + s.event + "/seats/" + seat + "/hold",
		header: auth + "Admission-Token: " + who.token + "\r\nIdempotency-Key: " + who.name + "-" + seat + "\r\n", body: `{"buyer":"` + who.name + `"}`,
	})
	if err != nil {
		return false, err
	}
	who.due = time.Now()
	switch code := r.code(); {
	case r.status == http.StatusOK:
		s.placed.Add(1)
		return true, nil
	case code == "SEAT_TAKEN":
		s.taken.Add(1)
		return false, nil
	case code == "ADMISSION_REQUIRED": // the pass is over: back into the line
		who.admitted = false
		s.wait(who, r)
		return false, nil
	case r.status == http.StatusServiceUnavailable || r.status == http.StatusTooManyRequests || r.status == http.StatusGatewayTimeout:
		s.busy.Add(1)
		s.wait(who, r)
		return false, nil
	}
	return false, fmt.Errorf("a hold was answered %d %s", r.status, r.body)
}

// admission takes in where a buyer stands in the line.
func (s *sale) admission(who *shopper, r reply, err error) error {
	if err != nil {
		return err
	}
	switch r.status {
	case http.StatusOK:
		var view struct {
			Token    string `json:"token"`
			Admitted bool   `json:"admitted"`
		}
		if err := json.Unmarshal(r.body, &view); err != nil {
			return err
		}
		if view.Token != "" {
			who.token = view.Token
		}
		who.admitted = view.Admitted
		who.due = time.Now()
		if !view.Admitted {
			s.wait(who, r)
		}
	case http.StatusGone: // the pass was not used in time: to the end of the line
		who.token, who.admitted, who.due = "", false, time.Now()
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		s.busy.Add(1)
		s.wait(who, r)
	default:
		return fmt.Errorf("a question for admission was answered %d %s", r.status, r.body)
	}
	return nil
}

// wait comes back when told to.
func (s *sale) wait(who *shopper, r reply) {
	seconds, err := strconv.Atoi(r.get("Retry-After"))
	if err != nil {
		seconds = 1
	}
	who.due = time.Now().Add(time.Duration(seconds) * time.Second)
}

// watchMap reads the map four times a second, as the shop does for all its
// buyers.
func (s *sale) watchMap(ctx context.Context) {
	c := &client{address: s.bench.targets()[0]}
	defer c.close()
	tag := ""
	for sleep(ctx, mapEvery) {
		r, err := c.do(ctx, request{
			method: http.MethodGet, path: "/events/" + s.event + "/seats",
			header: "Authorization: Bearer " + s.bench.token + "\r\nIf-None-Match: " + tag + "\r\n",
		})
		if err != nil || r.status != http.StatusOK {
			continue
		}
		tag = r.get("ETag")
		var view struct {
			Seats []struct {
				ID    string `json:"id"`
				State string `json:"state"`
			} `json:"seats"`
		}
		if json.Unmarshal(bytes.Clone(r.body), &view) != nil || len(view.Seats) == 0 {
			continue
		}
		free := make([]string, 0, len(view.Seats))
		for _, seat := range view.Seats {
			if seat.State == "AVAILABLE" {
				free = append(free, seat.ID)
			}
		}
		s.hall.Store(&hall{free: free, tag: tag})
	}
}
