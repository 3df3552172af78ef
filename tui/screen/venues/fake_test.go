package venues_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/tui/app"
	"holdfast/tui/screen/venues"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

// office is a store in memory that answers as the real one does.
type office struct {
	venues []inventory.Venue
	pools  []inventory.Pool
	by     map[string]string // who edited a venue last
	err    error             // of reads
	wErr   error             // of writes, instead of doing them
	lost   bool              // writes are done, and their answers lost
	before func()            // runs when a write arrives
	ahead  inventory.ZonePreview

	writes []string
}

var mira = inventory.Staff("mira")

func pool(venue, slug, name string, price inventory.Money, week inventory.Week, perBuyer int) inventory.Pool {
	return inventory.Pool{Ref: inventory.PoolRef{Venue: venue, Pool: slug}, Name: name, Price: price, Week: week, MaxPerBuyer: perBuyer, HorizonDays: 90}
}

// world is an office with venues in several zones.
func world() *office {
	harbour := inventory.NewVenue("harbour", "Harbour Hall", "Europe/Berlin", "EUR")
	harbour.Version = 9
	howe := inventory.NewVenue("lighthouse", "Lord Howe Lighthouse", "Australia/Lord_Howe", "AUD")
	howe.LatePolicy, howe.Version = inventory.LateRevive, 1
	tokyo := inventory.NewVenue("budokan", "日本武道館", "Asia/Tokyo", "JPY")
	tokyo.LatePolicy, tokyo.HoldTTL, tokyo.Version = inventory.LateRefund, 90*time.Second, 2
	mars := inventory.NewVenue("mars-base", "Mars Base", "Mars/Base", "KWD")
	mars.Version = 3
	week := inventory.EveryDay(inventory.DayTemplate{Capacity: 120, OverbookLimit: 6})
	week[6] = inventory.DayTemplate{Closed: true}
	return &office{
		venues: []inventory.Venue{tokyo, harbour, howe, mars}, by: map[string]string{},
		pools: []inventory.Pool{
			pool("harbour", "main", "Main floor", inventory.Money{Minor: 2500, Currency: "EUR"}, inventory.EveryDay(inventory.DayTemplate{Capacity: 120, OverbookLimit: 6}), 1),
			pool("harbour", "parking", "Parking P1", inventory.Money{Minor: 1200, Currency: "EUR"}, week, 0),
			pool("budokan", "arena", "アリーナ", inventory.Money{Minor: 1000000000, Currency: "JPY"}, inventory.EveryDay(inventory.DayTemplate{Capacity: 14471}), 4),
		},
	}
}

func open(t *testing.T, o *office) *tuitest.Console {
	t.Helper()
	return tuitest.Open(t, options(o))
}

func options(o *office) tuitest.Options {
	return tuitest.Options{
		Tabs:   []app.Tab{{Title: "Venues", Route: ui.Route{Screen: venues.Name}}},
		Screen: func(env *ui.Env) ui.Screen { return venues.New(env, o, mira) },
		Config: func(c *app.Config) {
			c.Offline = func(err error) bool { return errors.Is(err, inventory.ErrUnavailable) }
			c.Explain = inventory.Message
		},
	}
}

func (o *office) at(slug string) int {
	return slices.IndexFunc(o.venues, func(v inventory.Venue) bool { return v.Slug == slug })
}

func (o *office) Venues(context.Context) ([]inventory.Venue, error) {
	return slices.Clone(o.venues), o.err
}

func (o *office) Venue(_ context.Context, slug string) (inventory.Venue, error) {
	i := o.at(slug)
	switch {
	case o.err != nil:
		return inventory.Venue{}, o.err
	case i < 0:
		return inventory.Venue{}, inventory.ErrNotFound
	}
	return o.venues[i], nil
}

func (o *office) Pools(_ context.Context, venue string) ([]inventory.Pool, error) {
	var out []inventory.Pool
	for _, p := range o.pools {
		if venue == "" || p.Ref.Venue == venue {
			out = append(out, p)
		}
	}
	return out, o.err
}

func (o *office) Days(_ context.Context, ref inventory.PoolRef, r inventory.DayRange) ([]inventory.PoolDay, error) {
	var out []inventory.PoolDay
	for d := r.From; len(out) < 31 && !d.After(r.To); d = d.Add(1) {
		out = append(out, inventory.PoolDay{Day: d, Capacity: 120, Taken: len(ref.Pool)})
	}
	return out, o.err
}

func (o *office) Bookings(context.Context, inventory.BookingFilter) (inventory.BookingList, error) {
	return inventory.BookingList{Counts: inventory.HoldCounts{Held: 40, Paying: 2}}, o.err
}

func (o *office) PreviewZone(_ context.Context, venue, zone string) (inventory.ZonePreview, error) {
	p := o.ahead
	if i := o.at(venue); i >= 0 {
		p.From = o.venues[i].Zone
	}
	p.Venue, p.To = venue, zone
	return p, o.err
}

func (o *office) ChangeZone(_ context.Context, actor inventory.Actor, venue string, version int, zone string, keep inventory.ZoneKeep, reason string) (inventory.Venue, error) {
	if err := o.write("zone", venue+" "+zone+" keep "+string(keep), version, reason); err != nil {
		return inventory.Venue{}, err
	}
	stored := o.venues[o.at(venue)]
	if stored.Version != version {
		return stored, &inventory.StaleError{Object: "venue " + venue, Seen: version, Current: stored.Version, By: o.by[venue]}
	}
	stored.Zone = zone
	return o.edit(actor, stored), o.answer(nil)
}

func (o *office) write(verb, what string, version int, reason string) error {
	o.writes = append(o.writes, fmt.Sprintf("%s %s v%d %q", verb, what, version, reason))
	if o.before != nil {
		o.before()
	}
	return o.wErr
}

func (o *office) answer(err error) error {
	if o.lost {
		return errors.Join(errors.New("commit"), inventory.ErrUnknownOutcome)
	}
	return err
}

func (o *office) AddVenue(_ context.Context, _ inventory.Actor, v inventory.Venue) (inventory.Venue, error) {
	if err := o.write("add", v.Slug, v.Version, ""); err != nil {
		return v, err
	}
	if o.at(v.Slug) >= 0 {
		return v, inventory.ErrAlreadyExists
	}
	if err := v.Validate(); err != nil {
		return v, err
	}
	v.Version = 1
	o.venues = append(o.venues, v)
	return v, o.answer(nil)
}

func (o *office) SetVenue(_ context.Context, actor inventory.Actor, v inventory.Venue, reason string) (inventory.Venue, error) {
	if err := o.write("set", v.Slug, v.Version, reason); err != nil {
		return v, err
	}
	stored := o.venues[o.at(v.Slug)]
	if stored.Version != v.Version {
		return v, &inventory.StaleError{Object: "venue " + v.Slug, Seen: v.Version, Current: stored.Version, By: o.by[v.Slug]}
	}
	if err := v.Validate(); err != nil {
		return v, err
	}
	if v == stored {
		return v, nil
	}
	return o.edit(actor, v), o.answer(nil)
}

// edit stores a venue as actor.
func (o *office) edit(actor inventory.Actor, v inventory.Venue) inventory.Venue {
	i := o.at(v.Slug)
	v.Version = o.venues[i].Version + 1
	o.venues = slices.Clone(o.venues)
	o.venues[i], o.by[v.Slug] = v, actor.String()
	return v
}

func (o *office) AddPool(_ context.Context, _ inventory.Actor, p inventory.Pool) (inventory.Pool, error) {
	if err := o.write("pool", p.Ref.String(), 0, ""); err != nil {
		return p, err
	}
	for _, q := range o.pools {
		if q.Ref == p.Ref {
			return p, inventory.ErrAlreadyExists
		}
	}
	o.pools = append(o.pools, p)
	return p, o.answer(nil)
}

func wantWrites(t *testing.T, o *office, want ...string) {
	t.Helper()
	if !slices.Equal(o.writes, want) {
		t.Errorf("the database was asked to %q, want %q", o.writes, want)
	}
}

// clear empties the field in focus.
func clear(c *tuitest.Console, n int) {
	for range n {
		c.Press("backspace")
	}
}
