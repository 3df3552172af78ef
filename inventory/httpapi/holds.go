package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// storeLimit is how long the database may take for a whole request, short of a
// COMMIT that is under way. A buyer is answered within two seconds, also while
// nothing works.
const storeLimit = 1700 * time.Millisecond

// releasedText is the reason in the journal when a client gives a hold back.
const releasedText = "released by the shop"

// limited returns a context for one step, with a limit of its own whose name
// ends up in the error. A caller who hangs up does not end the step: a context
// that ends in the middle of a statement costs the connection, and what is
// asked of a provider is not undone by it.
func limited(ctx context.Context, step string, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithoutCancel(ctx), limit, tookTooLong{step, limit})
}

// tookTooLong is why a step was ended. It is words only where somebody reads it.
type tookTooLong struct {
	step  string
	limit time.Duration
}

func (e tookTooLong) Error() string { return e.step + " took over " + e.limit.String() }

func (a *API) placeHold(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r.Header)
	if err != nil {
		return err
	}
	var body holdBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	place := a.holdPlaces
	kind, kindErr := body.kind()
	switch kind {
	case inventory.ClaimPool:
	case inventory.ClaimSeats:
		place = a.holdSeats
	case inventory.ClaimRange:
		place = a.holdRange
	}
	client := clientOf(r)
	if err := a.limits.ofBuyer(client, hashBuyer(body.Buyer)); err != nil {
		return err
	}
	ctx, cancel := limited(r.Context(), "hold.place", storeLimit)
	defer cancel()
	b, replayed, err := place(ctx, body, kindErr, entry{client: client, buyer: body.Buyer, key: key, token: admissionTokenOf(r.Header)})
	if err != nil {
		return err
	}
	nameHold(w, b, replayed)
	return respond(w, http.StatusCreated, viewBooking(b))
}

// nameHold says in the head of an answer which booking it is about.
func nameHold(w http.ResponseWriter, b inventory.Booking, replayed bool) {
	if replayed {
		w.Header().Set("Idempotency-Replayed", "true")
	}
	w.Header().Set("Location", "/bookings/"+b.ID.String())
	w.Header().Set("ETag", versionTag(b.Version))
}

// holdPlaces takes places of a pool day. Like holdSeats and holdRange it says
// everything that is wrong in body at once, kindErr included, before it asks
// the store.
func (a *API) holdPlaces(ctx context.Context, body holdBody, kindErr error, e entry) (inventory.Booking, bool, error) {
	asked, err := body.poolRequest(e.client, e.key)
	if err := errors.Join(kindErr, err); err != nil {
		return inventory.Booking{}, false, err
	}
	e.pool = asked.Pool
	return a.withPass(ctx, e, func(ctx context.Context) (inventory.Booking, bool, error) {
		return timed(ctx, a, a.store.PlaceHold, asked)
	})
}

func (a *API) holdSeats(ctx context.Context, body holdBody, kindErr error, e entry) (inventory.Booking, bool, error) {
	id, ref, err := parseEvent(value(body.Event))
	asked, err := body.seatRequest(id, err, e.client, e.key)
	if err := errors.Join(kindErr, err); err != nil {
		return inventory.Booking{}, false, err
	}
	return a.askSeats(ctx, asked, ref, e.token)
}

// askSeats asks the store for seats of the event that asked or else ref names.
func (a *API) askSeats(ctx context.Context, asked inventory.SeatHoldRequest, ref inventory.EventRef, token string) (inventory.Booking, bool, error) {
	e := entry{event: asked.Event, ref: ref, client: asked.Client, buyer: asked.Buyer, key: asked.IdempotencyKey, token: token}
	return a.withPass(ctx, e, func(ctx context.Context) (inventory.Booking, bool, error) {
		if ref != (inventory.EventRef{}) {
			event, err := a.store.Event(ctx, ref)
			if err != nil {
				return inventory.Booking{}, false, err
			}
			asked.Event = event.ID
		}
		return timed(ctx, a, a.store.HoldSeats, asked)
	})
}

func (a *API) holdRange(ctx context.Context, body holdBody, kindErr error, e entry) (inventory.Booking, bool, error) {
	ref, refErr := inventory.ParseResourceRef("resource", value(body.Resource))
	_, err := body.rangeRequest(ref, refErr, timezone.Zone{}, e.client, e.key)
	if err := errors.Join(kindErr, err); err != nil {
		return inventory.Booking{}, false, err
	}
	zone, err := a.zoneOfResource(ctx, ref)
	if err != nil {
		return inventory.Booking{}, false, err
	}
	asked, err := body.rangeRequest(ref, nil, zone, e.client, e.key)
	if err != nil {
		return inventory.Booking{}, false, err
	}
	return timed(ctx, a, a.store.HoldRange, asked)
}

// parseEvent reads an event's id, or VENUE/EVENT: then ref is not zero.
func parseEvent(text string) (id inventory.EventID, ref inventory.EventRef, err error) {
	switch {
	case text == "":
		err = inventory.Invalid("event", "is missing")
	case strings.Contains(text, "/"):
		ref, err = inventory.ParseEventRef("event", text)
	default:
		id, err = inventory.ParseEventID(text)
	}
	return id, ref, err
}

// zoneOfResource is the zone by which wall times of a resource are read.
func (a *API) zoneOfResource(ctx context.Context, ref inventory.ResourceRef) (timezone.Zone, error) {
	resource, err := a.store.Resource(ctx, ref)
	if err != nil {
		return timezone.Zone{}, err
	}
	return zoneOf("resource "+ref.String(), resource.Zone)
}

func (a *API) getBooking(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := limited(r.Context(), "booking.read", storeLimit)
	defer cancel()
	b, err := a.ownBooking(ctx, r)
	if err != nil {
		return err
	}
	w.Header().Set("ETag", versionTag(b.Version))
	return respond(w, http.StatusOK, viewBooking(b))
}

// releaseHold gives a hold back. Releasing it again is done already.
func (a *API) releaseHold(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := limited(r.Context(), "hold.release", storeLimit)
	defer cancel()
	b, err := a.ownBooking(ctx, r)
	if err != nil {
		return err
	}
	if b.State != inventory.StateCancelled {
		if _, err := a.store.ReleaseHold(ctx, b.ID, 0, actorOf(clientOf(r)), releasedText); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// ownBooking reads the booking of the path. One of another client is not found,
// exactly like one that does not exist.
func (a *API) ownBooking(ctx context.Context, r *http.Request) (inventory.Booking, error) {
	id, err := inventory.ParseBookingID(r.PathValue("bookingId"))
	if err != nil {
		return inventory.Booking{}, inventory.ErrNotFound
	}
	b, err := a.store.Booking(ctx, id)
	if err != nil {
		return inventory.Booking{}, err
	}
	if b.ClientID != clientOf(r).ID {
		return inventory.Booking{}, inventory.ErrNotFound
	}
	return b, nil
}
