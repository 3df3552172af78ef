package httpapi

import (
	"context"
	"net/http"

	"holdfast/inventory"
)

// seatHoldBody is the body of a hold of the one seat that the path names.
type seatHoldBody struct {
	Buyer string `json:"buyer" maxLength:"200" example:"u-1" doc:"your own name for the buyer"`
}

// seatHoldView is the short answer to it.
type seatHoldView struct {
	BookingID string `json:"bookingId" format:"uuid"`
	HeldUntil string `json:"heldUntil" format:"date-time"`
}

// holdSeat takes one seat: POST /holds for whoever clicked into a hall.
func (a *API) holdSeat(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r.Header)
	if err != nil {
		return err
	}
	event, eventErr := inventory.ParseEventID(r.PathValue("eventId"))
	seat, seatErr := inventory.ParseSeatID("seat", r.PathValue("seatId"))
	if eventErr != nil || seatErr != nil {
		return inventory.ErrNotFound
	}
	var body seatHoldBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	client := clientOf(r)
	asked := inventory.SeatHoldRequest{
		Event: event, Seats: []inventory.SeatID{seat}, Buyer: body.Buyer,
		Client: client, IdempotencyKey: key, Actor: actorOf(client),
	}
	if err := asked.Validate(); err != nil {
		return err
	}
	if err := a.limits.ofBuyer(client, hashBuyer(body.Buyer)); err != nil {
		return err
	}
	ctx, cancel := limited(r.Context(), "hold.place", storeLimit)
	defer cancel()
	b, replayed, err := a.placeSeat(ctx, asked, admissionTokenOf(r.Header))
	if err != nil {
		return err
	}
	nameHold(w, b, replayed)
	return respond(w, http.StatusOK, seatHoldView{b.ID.String(), viewInstant(b.ExpiresAt)})
}

// placeSeat asks the store. A seat that this event does not have is an address
// where nothing is, not a wrong member of the body.
func (a *API) placeSeat(ctx context.Context, asked inventory.SeatHoldRequest, token string) (inventory.Booking, bool, error) {
	b, replayed, err := a.askSeats(ctx, asked, inventory.EventRef{}, token)
	for _, f := range inventory.FieldErrors(err) {
		if f.Field == "seats" || f.Field == "event" {
			return b, false, inventory.ErrNotFound
		}
	}
	return b, replayed, err
}
