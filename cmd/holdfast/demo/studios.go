package demo

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/inventory/pgstore"
	"holdfast/timezone"
)

// studios are sold by the hour, at the venue whose clocks change soon.
type studios struct {
	refs  []inventory.ResourceRef
	today date.Date
}

func studioResources(venue inventory.Venue) []inventory.Resource {
	perHour := inventory.Minor(2400)
	if venue.Currency.Decimals() == 0 {
		perHour = 22_000
	}
	day := timezone.Hours{Opens: timezone.NewTimeOfDay(9, 0), Closes: timezone.NewTimeOfDay(22, 0)}
	week := inventory.OpenEveryDay(day)
	shorter := inventory.OpenEveryDay(day)
	shorter[5] = timezone.Hours{Opens: timezone.NewTimeOfDay(10, 0), Closes: timezone.NewTimeOfDay(18, 0)}
	shorter[6] = timezone.Hours{}
	always := inventory.OpenEveryDay(timezone.Hours{Closes: timezone.NewTimeOfDay(24, 0)})
	studio := func(slug, name string, week inventory.OpeningWeek, slot, buffer time.Duration) inventory.Resource {
		return inventory.Resource{
			Ref: inventory.ResourceRef{Venue: venue.Slug, Resource: slug}, Name: name, Zone: venue.Zone, Week: week,
			Slot: slot, Turnaround: buffer, MinStay: 30 * time.Minute, MaxStay: inventory.DefaultMaxStay,
			PricePerHour: inventory.Money{Minor: perHour, Currency: venue.Currency},
		}
	}
	return []inventory.Resource{
		studio("studio-a", "Studio A", week, time.Hour, 15*time.Minute),
		studio("studio-b", "Studio B", shorter, 90*time.Minute, 0),
		studio(nightStudio, "Night studio", always, 0, 30*time.Minute),
	}
}

// nightStudio never closes, so that it is open when the clocks change.
const nightStudio = "night"

// addStudios makes the studios, and books one over the next change of clocks.
func addStudios(ctx context.Context, s *pgstore.Store, venue inventory.Venue, now time.Time, zone timezone.Zone) (studios, error) {
	out := studios{today: timezone.DayOf(now, zone)}
	for _, r := range studioResources(venue) {
		if _, err := s.AddResource(ctx, setUp, r); err != nil {
			return out, err
		}
		if r.Slot > 0 {
			out.refs = append(out.refs, r.Ref)
		}
	}
	change := timezone.NextChanges(zone, now.Add(changeBefore), 1)
	if len(change) == 0 {
		return out, nil // soonest has chosen a zone with one
	}
	_, _, err := s.HoldRange(ctx, inventory.RangeHoldRequest{
		Resource: inventory.ResourceRef{Venue: venue.Slug, Resource: nightStudio},
		During:   inventory.Range{From: change[0].At.Add(-changeBefore), To: change[0].At.Add(changeAfter)},
		Buyer:    "band on the night of the clock change", Comp: true, Reason: "paid by telephone", Actor: setUp,
	})
	return out, err
}

// The band plays from 3 real hours before the clocks change to 4 after it.
const (
	changeBefore = 3 * time.Hour
	changeAfter  = 4 * time.Hour
)

// wish asks for a slot that was free when the buyer looked.
func (st studios) wish(ctx context.Context, s *shop, _ int) (map[string]any, error) {
	ref := st.refs[rand.IntN(len(st.refs))]
	day := st.today.Add(date.PeriodOfDays(1 + rand.IntN(25)))
	slots, err := s.slots(ctx, ref.String(), day.String())
	if err != nil {
		return nil, err
	}
	var free []slot
	for _, sl := range slots {
		if sl.Free {
			free = append(free, sl)
		}
	}
	if len(free) == 0 { // full, or closed on that day
		return nil, &refusal{Status: http.StatusConflict, Code: "SOLD_OUT"}
	}
	wanted := free[rand.IntN(len(free))]
	return map[string]any{"resource": ref.String(), "from": wanted.From, "to": wanted.To}, nil
}
