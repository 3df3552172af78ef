package httpapi

import (
	"net/http"

	"holdfast/inventory"
	"holdfast/timezone"
)

// maxEvents is how many events one answer lists.
const maxEvents = 500

// eventView is an event as clients see it, with its venue's offset.
type eventView struct {
	Event    string         `json:"event" format:"uuid"`
	Ref      string         `json:"ref" example:"harbour/gala" doc:"VENUE/EVENT"`
	Name     string         `json:"name"`
	Start    string         `json:"start" format:"date-time"`
	OnSale   string         `json:"onSale,omitzero" format:"date-time" doc:"left out where it is on sale as soon as it has seats"`
	CutOff   string         `json:"cutOff" format:"date-time" doc:"when sales end"`
	StopSell bool           `json:"stopSell"`
	Currency string         `json:"currency" example:"EUR"`
	Seats    seatCountsView `json:"seats"`
}

type seatCountsView struct {
	Available int `json:"available"`
	Held      int `json:"held"`
	Booked    int `json:"booked"`
	Killed    int `json:"killed" doc:"out of sale"`
}

func viewEvent(e inventory.Event, zone timezone.Zone) eventView {
	return eventView{
		Event: e.ID.String(), Ref: e.Ref.String(), Name: e.Name, Start: viewLocalOf(e.StartsAt, zone),
		OnSale: viewLocalOf(e.SalesFrom, zone), CutOff: viewLocalOf(e.SalesUntil, zone),
		StopSell: e.StopSell, Currency: string(e.Currency),
		Seats: seatCountsView{e.Seats.Available, e.Seats.Held, e.Seats.Booked, e.Seats.Killed},
	}
}

func (a *API) getEvent(w http.ResponseWriter, r *http.Request) error {
	id, err := inventory.ParseEventID(r.PathValue("eventId"))
	if err != nil {
		return inventory.ErrNotFound
	}
	ctx, cancel := limited(r.Context(), "event.read", storeLimit)
	defer cancel()
	e, err := a.store.EventByID(ctx, id)
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, viewEvent(e, zoneOrNone(e.Zone)))
}

// listEvents lists the events of a venue by start: from today at the venue,
// unless the caller says from which local day.
func (a *API) listEvents(w http.ResponseWriter, r *http.Request) error {
	slug := r.PathValue("venue")
	if inventory.CheckSlug("venue", slug) != nil {
		return inventory.ErrNotFound
	}
	query, err := parseQuery(r)
	if err != nil {
		return err
	}
	day, err := dayParam(query, "from")
	if err != nil {
		return err
	}
	ctx, cancel := limited(r.Context(), "events.list", storeLimit)
	defer cancel()
	venue, err := a.store.Venue(ctx, slug) // one that does not exist is not one without events
	if err != nil {
		return err
	}
	zone, err := zoneOf("venue "+slug, venue.Zone)
	if err != nil {
		return err
	}
	if !query.Has("from") {
		day = timezone.Today(a.clock, zone)
	}
	from, _ := timezone.DayStart(day, zone) // of a day that the zone never has: what follows it
	all, err := a.store.Events(ctx, inventory.EventFilter{Venue: slug, From: from, Limit: maxEvents})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, viewEvents(all))
}

// viewEvents reads each zone once: of one venue, there is one.
func viewEvents(all []inventory.Event) []eventView {
	zones := map[string]timezone.Zone{}
	views := make([]eventView, 0, len(all))
	for _, e := range all {
		zone, ok := zones[e.Zone]
		if !ok {
			zone = zoneOrNone(e.Zone)
			zones[e.Zone] = zone
		}
		views = append(views, viewEvent(e, zone))
	}
	return views
}
