package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"holdfast/inventory"
)

// passes is what a hold asks of the database where buyers have to wait.
type passes interface {
	ClaimPass(ctx context.Context, use inventory.PassUse) (claimed bool, err error)
	ReturnPass(ctx context.Context, use inventory.PassUse) error
	HasAnswer(ctx context.Context, client int64, key string) (bool, error)
}

const (
	admissionHeader = "Admission-Token"
	returnLimit     = 800 * time.Millisecond
)

// entry is a request to place a hold: what it is for and by whom.
type entry struct {
	pool   inventory.PoolRef
	event  inventory.EventID
	ref    inventory.EventRef // instead of event
	client inventory.Client
	buyer  string
	key    string
	token  string // as sent; "" = none
}

// admissionToken reads the one header; more than one is none.
func admissionTokenOf(h http.Header) string {
	if values := h.Values(admissionHeader); len(values) == 1 {
		return values[0]
	}
	return ""
}

// room is the open waiting room that e has to pass, nil if there is none.
func (n *roomsNow) room(e entry) *inventory.WaitingRoomNow {
	switch {
	case len(n.Rooms) == 0:
		return nil
	case e.pool != (inventory.PoolRef{}):
		return n.byPool[e.pool]
	case e.ref != (inventory.EventRef{}):
		return n.byRef[e.ref]
	}
	return n.byEvent[e.event]
}

// withPass places a hold by ask. Where the pool or event has an open waiting
// room, the buyer needs a pass, which is taken for this request and given back
// if the hold is refused. Whoever has none is turned away without a question to
// the database; whose pass is over, or used, is still told an answer that was
// given before.
func (a *API) withPass(ctx context.Context, e entry,
	ask func(context.Context) (inventory.Booking, bool, error),
) (inventory.Booking, bool, error) {
	now, err := a.rooms.now(ctx)
	if err != nil {
		return inventory.Booking{}, false, err
	}
	room := now.room(e)
	if room == nil {
		return ask(ctx)
	}
	use, err := a.passOf(ctx, now, room, e)
	if err != nil {
		return inventory.Booking{}, false, err
	}
	claimed := false
	if use.Number != 0 {
		if claimed, err = a.store.ClaimPass(ctx, use); err != nil {
			return inventory.Booking{}, false, err
		}
	}
	b, replayed, err := ask(ctx)
	switch {
	case !claimed:
	case err == nil:
		a.rooms.notePlaced(ctx, use)
	case !errors.Is(err, inventory.ErrUnknownOutcome):
		a.returnPass(ctx, use)
	}
	return b, replayed, err
}

// passOf is the pass that e may use in room; without a number it may only be
// told the answer that its key has. Anybody else is to wait.
func (a *API) passOf(ctx context.Context, now *roomsNow, room *inventory.WaitingRoomNow, e entry) (inventory.PassUse, error) {
	t, ok := parseToken(e.token, now.Keys)
	if !ok || t.room != room.ID || t.client != e.client.ID || t.buyer != hashBuyer(e.buyer) {
		a.admissions.turnedAway.Inc()
		return inventory.PassUse{}, admissionRequired(0)
	}
	at := now.at(a.clock)
	place := now.place(room, t, at)
	if place.IsAdmitted() {
		return inventory.PassUse{Room: room.ID, Number: t.number, Client: e.client.ID, Key: e.key}, nil
	}
	if place.IsOver() {
		has, err := a.store.HasAnswer(ctx, e.client.ID, e.key)
		if err != nil || has {
			return inventory.PassUse{}, err
		}
	}
	a.admissions.turnedAway.Inc()
	if place.IsOver() {
		return inventory.PassUse{}, admissionRequired(0)
	}
	return inventory.PassUse{}, admissionRequired(a.pause(room, place, at))
}

// returnPass gives a pass back after a refusal, on time of its own: the request
// may have used up what it had. If it fails, the pass is free a little later.
func (a *API) returnPass(ctx context.Context, use inventory.PassUse) {
	ctx, cancel := limited(ctx, "pass.return", returnLimit)
	defer cancel()
	if err := a.store.ReturnPass(ctx, use); err != nil {
		a.log.LogAttrs(ctx, slog.LevelWarn, "a pass could not be given back", slog.Int64("room", use.Room), slog.Int64("number", use.Number), slog.Any("error", err))
	}
}

// admissionRequired turns a buyer away who has to wait; after is when to ask
// again, 0 as usual.
func admissionRequired(after time.Duration) problem {
	return problem{
		status: http.StatusTooManyRequests, code: "ADMISSION_REQUIRED", title: "buyers have to wait here",
		detail: "ask for admission, wait for your turn, and send the Admission-Token that you get", after: after,
	}
}
