package httpapi

import (
	"context"
	"errors"
	"net/http"
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
	return context.WithTimeoutCause(context.WithoutCancel(ctx), limit, errors.New(step+" took over "+limit.String()))
}

// holdBody is the body of POST /holds.
type holdBody struct {
	Pool     string `json:"pool" example:"harbour/main" doc:"VENUE/POOL"`
	Day      string `json:"day" format:"date" example:"2027-01-15" doc:"local date at the venue"`
	Quantity int    `json:"quantity" minimum:"1" maximum:"10000" example:"2"`
	Buyer    string `json:"buyer" maxLength:"200" example:"u-1" doc:"your own name for the buyer"`
}

// request says body in the domain's terms, or everything that is wrong in it.
func (b holdBody) request(client inventory.Client, key string) (inventory.HoldRequest, error) {
	pool, poolErr := inventory.ParsePoolRef("pool", b.Pool)
	day, dayErr := timezone.ParseDay(b.Day)
	if dayErr != nil {
		dayErr = inventory.Invalid("day", "%s", dayErr)
	}
	r := inventory.HoldRequest{
		Pool: pool, Day: day, Quantity: b.Quantity, Buyer: b.Buyer,
		Client: client, IdempotencyKey: key, Actor: actorOf(client),
	}
	return r, errors.Join(poolErr, dayErr, r.Validate())
}

func (a *API) placeHold(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r.Header)
	if err != nil {
		return err
	}
	var body holdBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	asked, err := body.request(clientOf(r), key)
	if err != nil {
		return err
	}
	ctx, cancel := limited(r.Context(), "hold.place", storeLimit)
	defer cancel()
	b, replayed, err := a.store.PlaceHold(ctx, asked)
	a.metrics.hold(err, replayed)
	if err != nil {
		return err
	}
	if replayed {
		w.Header().Set("Idempotency-Replayed", "true")
	}
	w.Header().Set("Location", "/bookings/"+b.ID.String())
	return respond(w, http.StatusCreated, viewBooking(b))
}

func (a *API) getBooking(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := limited(r.Context(), "booking.read", storeLimit)
	defer cancel()
	b, err := a.ownBooking(ctx, r)
	if err != nil {
		return err
	}
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
