package httpapi

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"holdfast/inventory"
)

// admissionBody is the body of a request for a place in a line.
type admissionBody struct {
	Buyer string `json:"buyer" maxLength:"200" example:"u-1" doc:"your own name for the buyer, the same as in the hold"`
}

// admissionView is where a buyer stands.
type admissionView struct {
	Token    string `json:"token,omitzero" doc:"keep it, and send it as Admission-Token with a hold; left out where nobody has to wait"`
	Number   int64  `json:"number" example:"4711" doc:"buyers are let in by number"`
	Position int64  `json:"position" example:"1200" doc:"in the line, 1 is next; 0 = let in"`
	Wait     int64  `json:"estimatedWaitSeconds" example:"24"`
	Admitted bool   `json:"admitted" doc:"holds may be placed"`
	Expires  string `json:"expiresAt,omitzero" format:"date-time" doc:"when the pass is over"`
}

// joinPool and joinEvent give a buyer a number.
func (a *API) joinPool(w http.ResponseWriter, r *http.Request) error {
	ref := inventory.PoolRef{Venue: r.PathValue("venue"), Pool: r.PathValue("pool")}
	if inventory.CheckSlug("venue", ref.Venue) != nil || inventory.CheckSlug("pool", ref.Pool) != nil {
		return inventory.ErrNotFound
	}
	return a.join(w, r, entry{pool: ref})
}

func (a *API) joinEvent(w http.ResponseWriter, r *http.Request) error {
	id, err := inventory.ParseEventID(r.PathValue("eventId"))
	if err != nil {
		return inventory.ErrNotFound
	}
	return a.join(w, r, entry{event: id})
}

// join draws a number, unless nobody has to wait. In a room without a line the
// buyer is let in with it.
func (a *API) join(w http.ResponseWriter, r *http.Request, e entry) error {
	var body admissionBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if err := inventory.CheckText("buyer", body.Buyer, maxText); err != nil {
		return err
	}
	client, buyer := clientOf(r), hashBuyer(body.Buyer)
	if err := a.limits.ofBuyer(client, buyer); err != nil {
		return err
	}
	ctx, cancel := limited(r.Context(), "admission.join", storeLimit)
	defer cancel()
	now, err := a.rooms.now(ctx)
	if err != nil {
		return err
	}
	room := now.room(e)
	key, ok := signingKey(now.WaitingNow)
	if room == nil || !ok {
		return respond(w, http.StatusOK, admissionView{Admitted: true})
	}
	number, err := a.rooms.store.NextNumber(ctx, room.ID)
	if err != nil {
		return err
	}
	a.admissions.joined.Inc()
	if room.Line.Waiting() == 0 {
		now, room = a.lookAgain(ctx, now, room)
	}
	at := now.at(a.clock)
	t := admissionToken{room: room.ID, number: number, client: client.ID, buyer: buyer, issued: at}
	return a.respondPlace(w, now, room, t, t.sign(key), at)
}

// lookAgain reads the rooms once more; what was known stays if that fails, or
// if the room has closed meanwhile.
func (a *API) lookAgain(ctx context.Context, now *roomsNow, room *inventory.WaitingRoomNow) (*roomsNow, *inventory.WaitingRoomNow) {
	latest, err := a.rooms.again(ctx)
	if err != nil || latest.byID[room.ID] == nil {
		return now, room
	}
	return latest, latest.byID[room.ID]
}

// getAdmission tells a buyer who waits where the line has come. It asks the
// database nothing.
func (a *API) getAdmission(w http.ResponseWriter, r *http.Request) error {
	text := admissionTokenOf(r.Header)
	if text == "" {
		return inventory.Invalid(admissionHeader, "must be there once")
	}
	now, err := a.rooms.now(r.Context())
	if err != nil {
		return err
	}
	client := clientOf(r)
	t, ok := parseToken(text, now.Keys)
	if !ok || t.client != client.ID {
		return inventory.ErrNotFound // also another's, as if it did not exist
	}
	if err := a.limits.ofBuyer(client, t.buyer); err != nil {
		return err
	}
	room := now.byID[t.room]
	if room == nil { // closed by now
		return respond(w, http.StatusOK, admissionView{Token: text, Number: t.number, Admitted: true})
	}
	return a.respondPlace(w, now, room, t, text, now.at(a.clock))
}

// respondPlace answers with the place of t, and with a token of its own for a
// pass that is new.
func (a *API) respondPlace(w http.ResponseWriter, now *roomsNow, room *inventory.WaitingRoomNow, t admissionToken, text string, at time.Time) error {
	place := now.place(room, t, at)
	if place.IsOver() {
		return errAdmissionExpired
	}
	view := admissionView{Token: text, Number: t.number, Position: place.Position, Admitted: place.IsAdmitted()}
	if !view.Admitted {
		view.Wait = int64(math.Ceil(room.Line.Wait(room.WaitingRoom, place.Position, at).Seconds()))
		w.Header().Set("Retry-After", seconds(a.pause(room, place, at)))
		return respond(w, http.StatusOK, view)
	}
	view.Expires = viewInstant(place.ExpiresAt)
	if t.expires.IsZero() {
		key, ok := signingKey(now.WaitingNow)
		if !ok {
			return inventory.ErrBusy
		}
		t.issued, t.expires = at, place.ExpiresAt
		view.Token = t.sign(key)
		a.admissions.passes.Inc()
	}
	return respond(w, http.StatusOK, view)
}

// pause is when whoever stands at place asks again.
func (a *API) pause(room *inventory.WaitingRoomNow, place inventory.WaitingPlace, at time.Time) time.Duration {
	return inventory.WaitingPause(room.Line.Wait(room.WaitingRoom, place.Position, at), room.PassLife, rand.Float64())
}

// seconds writes a Retry-After: whole seconds, one at least, a part of one by
// chance, so that rounding does not bring together what was apart.
func seconds(d time.Duration) string {
	whole := int64(d / time.Second)
	if rest := d % time.Second; rest > 0 && rand.Int64N(int64(time.Second)) < int64(rest) {
		whole++
	}
	return strconv.FormatInt(max(1, whole), 10)
}

var errAdmissionExpired = problem{
	status: http.StatusGone, code: "ADMISSION_EXPIRED", title: "this pass is over",
	detail: "ask for admission again to get a new number",
}
