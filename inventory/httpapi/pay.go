package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"holdfast/inventory"
)

// providerLimit stands behind the provider's own deadline. With a step at the
// database before it and one after, an answer stays inside writeTimeout.
const providerLimit = 9 * time.Second

// payBody is the optional body of POST /bookings/{bookingId}/pay.
type payBody struct {
	Method map[string]any `json:"method,omitzero" doc:"for the provider; none of today's needs any"`
}

// payView is the answer to pay.
type payView struct {
	BookingID string       `json:"bookingId" format:"uuid"`
	State     string       `json:"state" enum:"HELD,PAYMENT_PENDING,CONFIRMED,EXPIRED,CANCELLED"`
	Payment   *attemptView `json:"payment,omitzero" doc:"left out where there is nothing to pay"`
}

type attemptView struct {
	ID           string `json:"id" format:"uuid"`
	Provider     string `json:"provider" example:"simulated"`
	State        string `json:"state" enum:"CREATED,PENDING,FAILED,CANCELLED,SUCCEEDED"`
	ClientSecret string `json:"clientSecret,omitzero"`
	URL          string `json:"url,omitzero" doc:"where the buyer pays"`
}

// pay commits a payment attempt, then asks the provider outside any
// transaction, then records what it said. A provider that does not answer is
// not a failure: the booking stays PAYMENT_PENDING and is answered as such.
func (a *API) pay(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r.Header)
	if err != nil {
		return err
	}
	var body payBody
	if err := decodeOptional(w, r, &body); err != nil {
		return err
	}
	if a.provider == nil {
		return problem{status: http.StatusNotFound, code: "NOT_FOUND", detail: "no payment provider is set up here"}
	}
	began := a.clock.Now()
	defer func() { a.metrics.pay.Observe(a.since(began)) }()
	b, p, err := a.startPayment(r, key)
	if err != nil {
		return err
	}
	if a.mayAsk(p) {
		b, p = a.askProvider(r.Context(), b, p)
	}
	a.log.LogAttrs(r.Context(), slog.LevelDebug, "a payment was asked for",
		slog.String("booking", b.ID.String()), slog.String("payment", p.ID.String()), slog.String("state", string(b.State)))
	status := http.StatusOK
	if b.State == inventory.StatePaymentPending {
		status = http.StatusAccepted
	}
	return respond(w, status, viewPay(b, p))
}

// startPayment commits the attempt, for a booking of the client's own.
func (a *API) startPayment(r *http.Request, key string) (inventory.Booking, inventory.Payment, error) {
	ctx, cancel := limited(r.Context(), "payment.start", storeLimit)
	defer cancel()
	own, err := a.ownBooking(ctx, r)
	if err != nil {
		return inventory.Booking{}, inventory.Payment{}, err
	}
	client := clientOf(r)
	return a.store.StartPayment(ctx, inventory.PayRequest{
		BookingID: own.ID, Client: client, IdempotencyKey: key, Provider: a.provider.Name(), Actor: actorOf(client),
	})
}

// mayAsk reports whether the provider was not heard yet about p and its key is
// surely the same request there. An attempt that has waited longer belongs to
// the reconcile job, which looks before it asks.
func (a *API) mayAsk(p inventory.Payment) bool {
	provider, ok := a.providers[p.Provider]
	return ok && p.State == inventory.PaymentCreated && a.clock.Now().Sub(p.CreatedAt) < provider.KeyLifetime()/2
}

// askProvider returns b and p as they stand after the call; as they were, if it
// brought no answer or the answer could not be written down. The callback and
// the reconcile job find out what became of it.
func (a *API) askProvider(ctx context.Context, b inventory.Booking, p inventory.Payment) (inventory.Booking, inventory.Payment) {
	call, cancel := limited(ctx, "provider.create", providerLimit)
	defer cancel()
	answer, err := a.providers[p.Provider].Create(call, p)
	if err != nil {
		a.log.LogAttrs(ctx, slog.LevelWarn, "a payment is in doubt: the provider did not answer",
			slog.String("booking", b.ID.String()), slog.String("payment", p.ID.String()), slog.Any("error", err))
		return b, p
	}
	note, cancel := limited(ctx, "payment.answered", storeLimit)
	defer cancel()
	after, paid, err := a.store.PaymentAnswered(note, p.ID, answer)
	if err != nil {
		a.log.LogAttrs(ctx, slog.LevelWarn, "a provider's answer could not be written down",
			slog.String("booking", b.ID.String()), slog.String("payment", p.ID.String()), slog.Any("error", err))
		p.ClientSecret, p.URL = answer.ClientSecret, answer.URL
		return b, p
	}
	return after, paid
}

func viewPay(b inventory.Booking, p inventory.Payment) payView {
	v := payView{BookingID: b.ID.String(), State: string(b.State)}
	if p.ID != (inventory.PaymentID{}) {
		v.Payment = &attemptView{p.ID.String(), p.Provider, string(p.State), p.ClientSecret, p.URL}
	}
	return v
}
