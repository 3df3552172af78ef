package httpapi

import (
	"net/http"

	"holdfast/inventory"
	"holdfast/timezone"
)

// slotView is a slot of a resource, with its venue's offset.
type slotView struct {
	From string `json:"from" format:"date-time"`
	To   string `json:"to" format:"date-time"`
	Free bool   `json:"free"`
}

// listSlots lists the slots of a local day: of today at the venue, unless the
// caller says of which.
func (a *API) listSlots(w http.ResponseWriter, r *http.Request) error {
	ref := inventory.ResourceRef{Venue: r.PathValue("venue"), Resource: r.PathValue("resource")}
	if inventory.CheckSlug("venue", ref.Venue) != nil || inventory.CheckSlug("resource", ref.Resource) != nil {
		return inventory.ErrNotFound
	}
	query, err := parseQuery(r)
	if err != nil {
		return err
	}
	day, err := dayParam(query, "day")
	if err != nil {
		return err
	}
	ctx, cancel := limited(r.Context(), "slots.list", storeLimit)
	defer cancel()
	zone, err := a.zoneOfResource(ctx, ref)
	if err != nil {
		return err
	}
	if !query.Has("day") {
		day = timezone.Today(a.clock, zone)
	}
	all, err := a.store.Slots(ctx, ref, day)
	if err != nil {
		return err
	}
	views := make([]slotView, len(all))
	for i, s := range all {
		views[i] = slotView{viewLocal(s.From, zone), viewLocal(s.To, zone), s.Free}
	}
	return respond(w, http.StatusOK, views)
}
