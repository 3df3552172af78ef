package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/jobs"
	"holdfast/timezone"
)

const horizonDays = 150 // far enough for the next change of clocks to come into view

// MainVenue is the venue whose zombies wait for a person.
const MainVenue = "harbour"

// changingVenue is the venue whose clocks change soon.
const changingVenue = "pier"

// setUp is who made the sample.
var setUp = inventory.Staff("demo")

// stall is where buyers ask for something.
type stall interface {
	// wish is what the nth buyer asks for: a body of POST /holds but for the
	// buyer. A refusal is one of what was to be had a moment ago.
	wish(ctx context.Context, s *shop, n int) (map[string]any, error)
}

// place is a pool that buyers go to, with days chosen for them.
type place struct {
	pool   inventory.PoolRef
	today  date.Date
	tight  []date.Date // nearly full
	perBuy int         // places a buyer takes at most
}

// wish asks for places on some day, mostly a roomy one. The first buyers go where
// there is room for sure.
func (p place) wish(_ context.Context, _ *shop, n int) (map[string]any, error) {
	day := p.today.Add(date.PeriodOfDays(10 + rand.IntN(25)))
	if n >= len(crowd) && rand.IntN(4) == 0 && len(p.tight) > 0 {
		day = p.tight[rand.IntN(len(p.tight))]
	}
	return map[string]any{"pool": p.pool.String(), "day": day.String(), "quantity": 1 + rand.IntN(p.perBuy)}, nil
}

// candidates are zones with clock changes, for the venue where one comes soon.
var candidates = []struct {
	zone, city string
	currency   inventory.Currency
}{
	{"America/New_York", "New York", "USD"},
	{"Australia/Sydney", "Sydney", "AUD"},
	{"Europe/London", "London", "GBP"},
	{"America/Santiago", "Santiago", "CLP"},
}

// addSample makes three venues in three zones: one whose clocks change soon,
// one whose clocks never change, each with its own policy for late money; with
// pools, a hall with numbered seats, and studios by the hour.
func addSample(ctx context.Context, s *pgstore.Store, watched bool) ([]stall, error) {
	now, err := s.DatabaseNow(ctx)
	if err != nil {
		return nil, err
	}
	for _, v := range venues(now, watched) {
		if _, err := s.AddVenue(ctx, setUp, v); err != nil {
			return nil, err
		}
	}
	for _, p := range pools(soonest(now).currency) {
		if _, err := s.AddPool(ctx, setUp, p); err != nil {
			return nil, err
		}
	}
	if _, err := jobs.NewHorizon(s).Run(ctx); err != nil {
		return nil, err
	}
	places, err := fill(ctx, s, now)
	if err != nil {
		return nil, err
	}
	seats, err := openHall(ctx, s, now, watched)
	if err != nil {
		return nil, fmt.Errorf("hall: %w", err)
	}
	hours, err := openStudios(ctx, s, now)
	if err != nil {
		return nil, fmt.Errorf("studios: %w", err)
	}
	return append([]stall{seats, hours}, places...), nil
}

func openHall(ctx context.Context, s *pgstore.Store, now time.Time, watched bool) (hall, error) {
	venue, zone, err := zonedVenue(ctx, s, MainVenue)
	if err != nil {
		return hall{}, err
	}
	return addHall(ctx, s, venue, timezone.DayOf(now, zone), zone, watched)
}

func openStudios(ctx context.Context, s *pgstore.Store, now time.Time) (studios, error) {
	venue, zone, err := zonedVenue(ctx, s, changingVenue)
	if err != nil {
		return studios{}, err
	}
	return addStudios(ctx, s, venue, now, zone)
}

func zonedVenue(ctx context.Context, s *pgstore.Store, slug string) (inventory.Venue, timezone.Zone, error) {
	venue, err := s.Venue(ctx, slug)
	if err != nil {
		return venue, timezone.Zone{}, err
	}
	zone, err := timezone.ParseZone(venue.Zone)
	return venue, zone, err
}

func venues(now time.Time, watched bool) []inventory.Venue {
	hall := inventory.NewVenue(MainVenue, "Harbour Hall", "Europe/Berlin", "EUR")
	garden := inventory.NewVenue("garden", "日本庭園 Tea Garden", "Asia/Tokyo", "JPY")
	next := soonest(now)
	pier := inventory.NewVenue(changingVenue, "Pier 17 "+next.city, next.zone, next.currency)

	garden.LatePolicy = inventory.LateRevive
	hall.HoldTTL, garden.HoldTTL, pier.HoldTTL = 2*time.Second, 3*time.Second, 2*time.Second
	hall.HoldJitter, garden.HoldJitter, pier.HoldJitter = time.Second, 2*time.Second, time.Second
	pier.LateDeadline = 20 * time.Second
	if watched {
		hall.HoldTTL, garden.HoldTTL, pier.HoldTTL = 25*time.Second, 90*time.Second, 12*time.Second
		hall.HoldJitter, pier.LateDeadline = 10*time.Second, 90*time.Second
	}
	return []inventory.Venue{hall, garden, pier}
}

// soonest is the candidate whose clocks change next.
func soonest(now time.Time) (best struct {
	zone, city string
	currency   inventory.Currency
},
) {
	var when time.Time
	for _, c := range candidates {
		zone, err := timezone.ParseZone(c.zone)
		if err != nil {
			continue // a zone database without it has other candidates
		}
		if next := timezone.NextChanges(zone, now, 1); len(next) == 1 && (when.IsZero() || next[0].At.Before(when)) {
			best, when = c, next[0].At
		}
	}
	return best
}

func pools(pierCurrency inventory.Currency) []inventory.Pool {
	pool := func(venue, slug, name string, price inventory.Money, perBuyer int, week inventory.Week) inventory.Pool {
		return inventory.Pool{
			Ref: inventory.PoolRef{Venue: venue, Pool: slug}, Name: name, Price: price,
			MaxPerBuyer: perBuyer, HorizonDays: horizonDays, Week: week,
		}
	}
	hall := inventory.EveryDay(inventory.DayTemplate{Capacity: 80, OverbookLimit: 3})
	hall[5].Capacity, hall[6].Closed = 120, true
	pierPrice := inventory.Minor(1800)
	if pierCurrency.Decimals() == 0 {
		pierPrice = 17_000
	}
	return []inventory.Pool{
		pool(MainVenue, "main", "Main hall", inventory.Money{Minor: 2500, Currency: "EUR"}, 1, hall),
		pool(MainVenue, "boat", "Evening boat", inventory.Money{Minor: 4250, Currency: "EUR"}, 2,
			inventory.EveryDay(inventory.DayTemplate{Capacity: 40, OverbookLimit: 2})),
		pool("garden", "tea", "茶会 Tea ceremony", inventory.Money{Minor: 3000, Currency: "JPY"}, 1,
			inventory.EveryDay(inventory.DayTemplate{Capacity: 60})),
		pool(changingVenue, "deck", "Upper deck", inventory.Money{Minor: pierPrice, Currency: pierCurrency}, 1,
			inventory.EveryDay(inventory.DayTemplate{Capacity: 100, OverbookLimit: 5})),
	}
}

// fill gives groups nearly all of some days, so that buyers fight for the rest.
func fill(ctx context.Context, s *pgstore.Store, now time.Time) ([]stall, error) {
	var out []stall
	for _, p := range pools(soonest(now).currency) {
		_, zone, err := zonedVenue(ctx, s, p.Ref.Venue)
		if err != nil {
			return nil, err
		}
		spot := place{pool: p.Ref, today: timezone.DayOf(now, zone), perBuy: 3}
		for _, ahead := range []date.PeriodOfDays{2, 5, 9} {
			day := spot.today.Add(ahead)
			template := p.Week.For(day)
			if template.Closed {
				continue
			}
			_, _, err := s.PlaceHold(ctx, inventory.HoldRequest{
				Pool: p.Ref, Day: day, Quantity: template.Capacity + template.OverbookLimit - 3,
				Buyer: fmt.Sprintf("group %s %s", p.Ref.Pool, day), Comp: true, Reason: "group booking made by telephone", Actor: setUp,
			})
			if err != nil {
				return nil, err
			}
			spot.tight = append(spot.tight, day)
		}
		out = append(out, spot)
	}
	return out, nil
}
