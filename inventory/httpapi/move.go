package httpapi

import (
	"context"
	"errors"
	"net/http"

	"holdfast/inventory"
	"holdfast/timezone"
)

// movedText is the reason in the journal when a client changes a booking.
const movedText = "changed by the shop"

// moveBody is the body of PATCH /bookings/{bookingId}: what the booking shall
// claim instead. What is not there is left as it is.
type moveBody struct {
	Day      *string  `json:"day,omitzero" nullable:"false" format:"date" example:"2027-01-16" doc:"of places: local date at the venue"`
	Quantity *int     `json:"quantity,omitzero" nullable:"false" minimum:"1" maximum:"10000" doc:"of places"`
	Seats    []string `json:"seats,omitzero" nullable:"false" minItems:"1" maxItems:"50" doc:"of seats: all that the booking shall have"`
	From     *string  `json:"from,omitzero" nullable:"false" example:"2027-01-15T10:00" doc:"of a range, together with to: local wall time of the venue"`
	To       *string  `json:"to,omitzero" nullable:"false" example:"2027-01-15T11:00"`
}

// foreign names the members that do not belong to a booking of this kind.
func (b moveBody) foreign(kind inventory.ClaimKind) error {
	var errs []error
	for _, m := range []claimMember{
		{"day", inventory.ClaimPool, b.Day != nil},
		{"quantity", inventory.ClaimPool, b.Quantity != nil},
		{"seats", inventory.ClaimSeats, b.Seats != nil},
		{"from", inventory.ClaimRange, b.From != nil},
		{"to", inventory.ClaimRange, b.To != nil},
	} {
		if m.set && m.kind != kind {
			errs = append(errs, inventory.Invalid(m.name, "cannot be changed: the booking is of kind %s", kind))
		}
	}
	return errors.Join(errs...)
}

// request says body in the domain's terms, or everything that is wrong in it.
// The zone is that of the booking's resource, and none for other kinds.
func (b moveBody) request(own inventory.Booking, version int, client inventory.Client, zone timezone.Zone) (inventory.MoveRequest, error) {
	r := inventory.MoveRequest{ID: own.ID, Version: version, Quantity: b.Quantity, Actor: actorOf(client), Reason: movedText}
	var errs []error
	if b.Day != nil {
		day, err := timezone.ParseDay(*b.Day)
		if err != nil {
			errs = append(errs, inventory.Invalid("day", "%s", err))
		}
		r.Day = &day
	}
	if b.Seats != nil {
		seats, err := parseSeats(b.Seats)
		errs = append(errs, err)
		r.Seats = append([]inventory.SeatID{}, seats...) // an empty list is refused, not passed over
	}
	if b.From != nil || b.To != nil {
		during, err := parseRange(b.From, b.To, zone)
		errs = append(errs, err)
		r.During = &during
	}
	return r, errors.Join(errors.Join(errs...), r.Validate())
}

// moveBooking changes what a booking claims, if it is still the one that the
// caller saw.
func (a *API) moveBooking(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := limited(r.Context(), "booking.move", storeLimit)
	defer cancel()
	own, err := a.ownBooking(ctx, r)
	if err != nil {
		return err
	}
	version, err := ifMatch(r.Header)
	if err != nil {
		return err
	}
	var body moveBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	asked, err := a.moveRequest(ctx, body, own, version, clientOf(r))
	if err != nil {
		return err
	}
	b, err := a.store.MoveBooking(ctx, asked)
	a.metrics.move(err)
	if errors.Is(err, inventory.ErrStale) {
		return a.stale(ctx, w, r, err)
	}
	if err != nil {
		return err
	}
	w.Header().Set("ETag", versionTag(b.Version))
	return respond(w, http.StatusOK, viewBooking(b))
}

// moveRequest looks up the zone only where the body has wall times in it.
func (a *API) moveRequest(ctx context.Context, body moveBody, own inventory.Booking, version int, client inventory.Client) (inventory.MoveRequest, error) {
	if err := body.foreign(own.Kind); err != nil {
		return inventory.MoveRequest{}, err
	}
	var zone timezone.Zone
	if body.From != nil || body.To != nil {
		var err error
		if zone, err = a.zoneOfResource(ctx, own.Resource); err != nil {
			return inventory.MoveRequest{}, err
		}
	}
	return body.request(own, version, client, zone)
}

// stale shows the caller the booking as it stands now.
func (a *API) stale(ctx context.Context, w http.ResponseWriter, r *http.Request, err error) error {
	now, readErr := a.ownBooking(ctx, r)
	if readErr != nil {
		return err // which says enough
	}
	p := problemOf(err)
	p.title = inventory.ErrStale.Error() // who it was is staff's affair
	p.booking = &now
	w.Header().Set("ETag", versionTag(now.Version))
	return p
}
