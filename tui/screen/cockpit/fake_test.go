package cockpit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/tui/app"
	"holdfast/tui/screen/cockpit"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// start is where the clock of tuitest stands.
var start = time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)

var (
	mira = inventory.Staff("mira")
	gala = inventory.EventRef{Venue: "harbour", Event: "gala"}
	main = inventory.PoolRef{Venue: "harbour", Pool: "main"}
)

// desk is a store in memory that answers as the real one does.
type desk struct {
	now      func() time.Time
	pulses   []inventory.Pulse
	rows     []inventory.Selling
	rooms    []inventory.WaitingRoom
	sets     []inventory.ChangeSet
	extended inventory.ExtendedHolds

	err      error // of reads
	writeErr error // of writes, after the version was checked
	onWrite  func()
	writes   []string
}

// open shows a desk whose clock is the console's.
func open(t *testing.T, d *desk) *tuitest.Console {
	t.Helper()
	return tuitest.Open(t, options(d))
}

func options(d *desk) tuitest.Options {
	return tuitest.Options{
		Tabs: []app.Tab{{Title: "On-sale", Route: ui.Route{Screen: cockpit.Name}}},
		Screen: func(env *ui.Env) ui.Screen {
			d.now = env.Now
			return cockpit.New(env, d, mira)
		},
		Config: func(c *app.Config) {
			c.Offline = func(err error) bool { return errors.Is(err, inventory.ErrUnavailable) }
			c.Explain = inventory.Message
		},
	}
}

// evening is a desk in the middle of an on-sale, with two daemons.
func evening() *desk {
	d := &desk{extended: inventory.ExtendedHolds{Extended: 39, Shortened: 2, AtLimit: 1, Over: 1}}
	for i := range 150 {
		at := start.Add(time.Duration(i-150) * 2 * time.Second)
		rising := 2 * min(i*3, 400+(i%7)*8)
		d.pulses = append(d.pulses, inventory.Pulse{
			Instance: "box:4711:daemon", At: at.Add(time.Second), Span: 2 * time.Second, Placed: rising,
			Refused: map[string]int{"SOLD_OUT": i / 3, "HOLD_EXISTS": 5},
			P50:     8 * time.Millisecond, P95: 25 * time.Millisecond, P99: 41 * time.Millisecond, BatchMean: 12, BatchMax: 64, LockWait: 3 * time.Millisecond, Queue: 14,
		}, inventory.Pulse{
			Instance: "box2:8:daemon", At: at.Add(1500 * time.Millisecond), Span: 2 * time.Second, Placed: rising / 4,
			P50: 5 * time.Millisecond, P95: 15 * time.Millisecond, P99: 30 * time.Millisecond, BatchMean: 4, BatchMax: 16, LockWait: time.Millisecond,
		})
	}
	until := start.Add(8 * time.Hour)
	day := func(name string, day int, limit, taken, held, holds, recent int) inventory.Selling {
		return inventory.Selling{
			Kind: inventory.ClaimPool, Pool: main, Name: name, Day: date.New(2026, 12, day), Limit: limit, Taken: taken, Held: held,
			Holds: holds, Recent: recent, SalesUntil: until, Version: 7,
		}
	}
	d.rows = []inventory.Selling{
		day("Museum day pass", 5, 1200, 1188, 58, 41, 305),
		{
			Kind: inventory.ClaimSeats, Event: gala, Name: "Gala", Day: date.New(2026, 12, 4), Limit: 280, Taken: 241, Held: 52, Holds: 31,
			Paying: 4, Zombies: 2, Recent: 102, SalesUntil: until, Version: 3,
		},
		day("Museum day pass", 6, 600, 600, 0, 0, 4),
		day("Parking P1", 4, 120, 124, 3, 3, 0),
		day("Studio tour", 4, 40, 12, 1, 1, 0),
		day("Morning tour", 4, 40, 3, 0, 0, 0),
	}
	d.rows[1].SalesFrom = start.Add(-time.Hour)
	d.rows[3].Pool.Pool, d.rows[4].Pool.Pool, d.rows[5].Pool.Pool = "parking", "tour", "morning"
	d.rows[4].StopSell = true
	d.rows[5].SalesFrom = start.Add(2 * time.Hour)
	d.rooms = []inventory.WaitingRoom{
		{ID: 1, Venue: "harbour", Name: "gala", Kind: inventory.ClaimSeats, Rate: 50, MaxActive: 500, PassLife: 5 * time.Minute, Open: true, Waiting: 3204, Admitted: 9000, Active: 480, Version: 4},
		{ID: 2, Venue: "harbour", Name: "main", Kind: inventory.ClaimPool, Rate: 20, MaxActive: 500, PassLife: 5 * time.Minute, Version: 2},
		{ID: 3, Venue: "elsewhere", Name: "main", Kind: inventory.ClaimPool, Rate: 20, MaxActive: 500, PassLife: 5 * time.Minute, Open: true, Waiting: 9999, Version: 2},
	}
	return d
}

func (d *desk) Pulses(_ context.Context, last time.Duration) (inventory.PulseList, error) {
	l := inventory.PulseList{AsOf: d.now()}
	for _, p := range d.pulses {
		if l.AsOf.Sub(p.At) < last {
			l.Pulses = append(l.Pulses, p)
		}
	}
	return l, d.err
}

func (d *desk) Selling(context.Context, string, int) (inventory.SellingList, error) {
	return inventory.SellingList{Rows: slices.Clone(d.rows), AsOf: d.now(), Since: d.now().Add(-5 * time.Minute)}, d.err
}

func (d *desk) WaitingRooms(context.Context) ([]inventory.WaitingRoom, error) {
	return slices.Clone(d.rooms), d.err
}

func (d *desk) Venue(context.Context, string) (inventory.Venue, error) {
	return inventory.NewVenue("harbour", "Harbour Hall", "Europe/Berlin", "EUR"), d.err
}

func (d *desk) find(ref string, day date.Date) *inventory.Selling {
	for i := range d.rows {
		if d.rows[i].Ref() == ref && (d.rows[i].Kind == inventory.ClaimSeats || d.rows[i].Day == day) {
			return &d.rows[i]
		}
	}
	return nil
}

func (d *desk) Event(_ context.Context, ref inventory.EventRef) (inventory.Event, error) {
	r := d.find(ref.String(), date.Date{})
	if d.err != nil || r == nil {
		return inventory.Event{}, errors.Join(d.err, inventory.ErrNotFound)
	}
	return inventory.Event{Ref: ref, Name: r.Name, StopSell: r.StopSell, Version: r.Version}, nil
}

func (d *desk) ChangeSets(context.Context, inventory.PoolRef, int) ([]inventory.ChangeSet, error) {
	return d.sets, d.err
}

func (d *desk) PlanDays(_ context.Context, ref inventory.PoolRef, days []date.Date, edit inventory.DayEdit) (inventory.DayPlan, error) {
	plan := inventory.DayPlan{Pool: inventory.Pool{Ref: ref}, AsOf: d.now()}
	if d.err != nil {
		return plan, d.err
	}
	for _, day := range days {
		r := d.find(ref.String(), day)
		if r == nil {
			return plan, inventory.ErrNotFound
		}
		by := ""
		if len(d.sets) > 0 {
			by = d.sets[len(d.sets)-1].Actor
		}
		c, err := edit.Plan(inventory.PoolDay{Day: day, Capacity: r.Limit, Taken: r.Taken, StopSell: r.StopSell, Version: r.Version, EditedBy: by})
		if err != nil {
			return plan, err
		}
		plan.Changes = append(plan.Changes, c)
	}
	return plan, nil
}

// write refuses like the store; did says that the change was made.
func (d *desk) write(what string, seen, stored int, did func()) error {
	if d.onWrite != nil {
		d.onWrite()
	}
	if errors.Is(d.writeErr, inventory.ErrUnknownOutcome) {
		d.writes = append(d.writes, what)
		return d.writeErr
	}
	if seen != stored {
		return &inventory.StaleError{Object: what, Seen: seen, Current: stored, By: "staff:jan"}
	}
	if d.writeErr != nil {
		return d.writeErr
	}
	d.writes = append(d.writes, what)
	did()
	return nil
}

func (d *desk) SaveDays(_ context.Context, actor inventory.Actor, plan inventory.DayPlan, reason string) (inventory.ChangeSet, error) {
	set := inventory.ChangeSet{ID: int64(len(d.sets) + 1), Pool: plan.Pool.Ref, Actor: actor.String(), Reason: reason, Changes: plan.Changes}
	c := plan.Changes[0]
	r := d.find(plan.Pool.Ref.String(), c.Before.Day)
	err := d.write(fmt.Sprintf("stop=%v %s %s v%d %q", c.After.StopSell, plan.Pool.Ref, c.Before.Day, c.Before.Version, reason), c.Before.Version, r.Version, func() {
		r.StopSell = c.After.StopSell
		r.Version++
		d.sets = append(d.sets, set)
	})
	return set, err
}

func (d *desk) UndoDays(_ context.Context, actor inventory.Actor, change int64, reason string) (inventory.ChangeSet, error) {
	for _, s := range d.sets {
		if s.ID == change {
			c := s.Changes[0]
			r := d.find(s.Pool.String(), c.After.Day)
			err := d.write(fmt.Sprintf("undo %d %q", change, reason), 1, 1, func() { r.StopSell, r.Version = c.Before.StopSell, r.Version+1 })
			return inventory.ChangeSet{ID: change + 1, Actor: actor.String(), Undoes: change}, err
		}
	}
	return inventory.ChangeSet{}, inventory.ErrNotFound
}

func (d *desk) EditEvent(_ context.Context, _ inventory.Actor, ref inventory.EventRef, version int, edit inventory.EventEdit, reason string) (inventory.Event, error) {
	r := d.find(ref.String(), date.Date{})
	if r == nil {
		return inventory.Event{}, inventory.ErrNotFound
	}
	err := d.write(fmt.Sprintf("stop=%v %s v%d %q", *edit.StopSell, ref, version, reason), version, r.Version, func() {
		r.StopSell = *edit.StopSell
		r.Version++
	})
	return inventory.Event{Ref: ref, StopSell: r.StopSell, Version: r.Version}, err
}

func (d *desk) SetWaitingRoom(_ context.Context, c inventory.WaitingRoomChange, _ inventory.Actor) (inventory.WaitingRoom, error) {
	for i := range d.rooms {
		if r := &d.rooms[i]; r.Venue == c.Venue && r.Name == c.Name && r.Kind == c.Kind {
			err := d.write(fmt.Sprintf("rate %s %v v%d %q", r.Ref(), *c.Rate, c.Version, c.Reason), c.Version, r.Version, func() {
				*r = c.Apply(*r)
				r.Version++
			})
			return *r, err
		}
	}
	return inventory.WaitingRoom{}, inventory.ErrNotFound
}

func (d *desk) ExtendHolds(_ context.Context, scope inventory.HoldScope, by time.Duration, _ inventory.Actor, reason string) (inventory.ExtendedHolds, error) {
	if d.onWrite != nil {
		d.onWrite()
	}
	d.writes = append(d.writes, fmt.Sprintf("extend %s by %s %q", scope, by, reason))
	return d.extended, d.writeErr
}
