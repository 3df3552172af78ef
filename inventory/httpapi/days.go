package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

const (
	maxDays      = 366 // of one answer
	usualDays    = 31  // if the caller does not say until when
	daysFromHere = usualDays - 1
)

// dayView is a pool day as clients see it.
type dayView struct {
	Day           string `json:"day" format:"date"`
	Capacity      *int   `json:"capacity,omitzero" nullable:"false" doc:"only with scope inventory"`
	OverbookLimit *int   `json:"overbookLimit,omitzero" nullable:"false" doc:"only with scope inventory"`
	Taken         int    `json:"taken"`
	Left          int    `json:"left" doc:"what can still be taken, never negative"`
	StopSell      bool   `json:"stopSell"`
	Version       int    `json:"version" doc:"counts edits by staff"`
}

// listDays lists the days that exist, in order: from today at the venue and
// for a month, unless the caller says otherwise.
func (a *API) listDays(w http.ResponseWriter, r *http.Request) error {
	ref := inventory.PoolRef{Venue: r.PathValue("venue"), Pool: r.PathValue("pool")}
	if inventory.CheckSlug("venue", ref.Venue) != nil || inventory.CheckSlug("pool", ref.Pool) != nil {
		return inventory.ErrNotFound
	}
	query, err := parseQuery(r)
	if err != nil {
		return err
	}
	ctx, cancel := limited(r.Context(), "days.list", storeLimit)
	defer cancel()
	span, err := a.daySpan(ctx, ref.Venue, query)
	if err != nil {
		return err
	}
	all, err := a.store.Days(ctx, ref, span)
	if err != nil {
		return err
	}
	views := make([]dayView, 0, len(all))
	inside := slices.Contains(clientOf(r).Scopes, inventory.ScopeInventory)
	for _, d := range all {
		views = append(views, viewDay(d, inside))
	}
	return respond(w, http.StatusOK, views)
}

func (a *API) daySpan(ctx context.Context, venue string, query url.Values) (inventory.DayRange, error) {
	from, fromErr := dayParam(query, "from")
	to, toErr := dayParam(query, "to")
	if err := errors.Join(fromErr, toErr); err != nil {
		return inventory.DayRange{}, err
	}
	if !query.Has("from") {
		var err error
		if from, err = a.todayAt(ctx, venue); err != nil {
			return inventory.DayRange{}, err
		}
	}
	if !query.Has("to") {
		to = from.Add(daysFromHere)
	}
	switch days := int(to.Sub(from)) + 1; {
	case days < 1:
		return inventory.DayRange{}, inventory.Invalid("to", "is before from")
	case days > maxDays:
		return inventory.DayRange{}, inventory.Invalid("to", "is more than %d days after from", maxDays-1)
	}
	return inventory.DayRange{From: from, To: to}, nil
}

func dayParam(query url.Values, name string) (date.Date, error) {
	if !query.Has(name) {
		return date.Date{}, nil
	}
	d, err := timezone.ParseDay(query.Get(name))
	if err != nil {
		return d, inventory.Invalid(name, "%s", err)
	}
	return d, nil
}

func (a *API) todayAt(ctx context.Context, venue string) (date.Date, error) {
	v, err := a.store.Venue(ctx, venue)
	if err != nil {
		return date.Date{}, err
	}
	zone, err := timezone.ParseZone(v.Zone)
	if err != nil { // stored by a tzdata that knew more: say so instead of guessing
		return date.Date{}, inventory.Invalid("from", "is needed: the venue's time zone is not known here")
	}
	return timezone.Today(a.clock, zone), nil
}

// viewDay leaves out what only clients of the house may see.
func viewDay(d inventory.PoolDay, inside bool) dayView {
	v := dayView{Day: d.Day.String(), Taken: d.Taken, Left: d.Left(), StopSell: d.StopSell, Version: d.Version}
	if inside {
		v.Capacity, v.OverbookLimit = &d.Capacity, &d.OverbookLimit
	}
	return v
}
