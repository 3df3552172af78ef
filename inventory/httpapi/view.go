package httpapi

import (
	"time"

	"holdfast/inventory"
)

// instantForm is RFC 3339 in UTC to the millisecond.
const instantForm = "2006-01-02T15:04:05.000Z"

// bookingView is a booking as clients see it.
type bookingView struct {
	BookingID string        `json:"bookingId" format:"uuid"`
	State     string        `json:"state" enum:"HELD,PAYMENT_PENDING,CONFIRMED,EXPIRED,CANCELLED"`
	Kind      string        `json:"kind" enum:"pool,seats,range"`
	Pool      string        `json:"pool,omitzero" example:"harbour/main"`
	Day       string        `json:"day,omitzero" format:"date"`
	Quantity  int           `json:"quantity,omitzero"`
	Buyer     string        `json:"buyer"`
	HeldUntil string        `json:"heldUntil,omitzero" format:"date-time" doc:"when the hold ends, or ended"`
	Amount    moneyView     `json:"amount"`
	Version   int           `json:"version"`
	Payments  []paymentView `json:"payments" nullable:"false"`
}

type moneyView struct {
	Minor    int64  `json:"minor" doc:"in minor units of the currency"`
	Currency string `json:"currency" example:"EUR"`
}

type paymentView struct {
	ID       string `json:"id" format:"uuid"`
	State    string `json:"state" enum:"CREATED,PENDING,FAILED,CANCELLED,SUCCEEDED"`
	Standing string `json:"standing,omitzero" enum:"applied,zombie,refunding,refunded" doc:"of captured money"`
	Minor    int64  `json:"minor" doc:"what was captured, or else asked for"`
}

func viewBooking(b inventory.Booking) bookingView {
	v := bookingView{
		BookingID: b.ID.String(), State: string(b.State), Kind: "pool",
		Pool: b.Ref(), Day: b.Day.String(), Quantity: b.Quantity, Buyer: b.Buyer,
		HeldUntil: viewInstant(b.ExpiresAt),
		Amount:    moneyView{int64(b.Amount.Minor), string(b.Amount.Currency)},
		Version:   b.Version, Payments: []paymentView{},
	}
	for _, p := range b.Payments {
		minor := p.Amount.Minor
		if p.State == inventory.PaymentSucceeded {
			minor = p.Captured.Minor
		}
		v.Payments = append(v.Payments, paymentView{p.ID.String(), string(p.State), string(p.Standing), int64(minor)})
	}
	return v
}

func viewInstant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(instantForm)
}
