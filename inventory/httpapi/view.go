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
	Quantity  int           `json:"quantity,omitzero" doc:"places, or seats"`
	Event     string        `json:"event,omitzero" format:"uuid" doc:"of seats"`
	Seats     []string      `json:"seats,omitzero" nullable:"false" doc:"ids of seats, in the order of the hall"`
	SeatNames []string      `json:"seatNames,omitzero" nullable:"false" example:"[\"PARKETT D-07\"]" doc:"what the seats are called, in the same order"`
	Resource  string        `json:"resource,omitzero" example:"harbour/studio-a" doc:"of a range"`
	From      string        `json:"from,omitzero" format:"date-time" doc:"of a range, with the venue's offset"`
	To        string        `json:"to,omitzero" format:"date-time"`
	Buyer     string        `json:"buyer"`
	HeldUntil string        `json:"heldUntil,omitzero" format:"date-time" doc:"when the hold ends, or ended"`
	Amount    moneyView     `json:"amount"`
	Version   int           `json:"version"`
	Payments  []paymentView `json:"payments" nullable:"false"`
	Archived  bool          `json:"archived,omitzero" doc:"it came to nothing long ago"`
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
		BookingID: b.ID.String(), State: string(b.State), Kind: string(b.Kind), Quantity: b.Quantity, Buyer: b.Buyer,
		HeldUntil: viewInstant(b.ExpiresAt),
		Amount:    moneyView{int64(b.Amount.Minor), string(b.Amount.Currency)},
		Version:   b.Version, Payments: []paymentView{}, Archived: b.Archived,
	}
	v.claim(b)
	for _, p := range b.Payments {
		minor := p.Amount.Minor
		if p.State == inventory.PaymentSucceeded {
			minor = p.Captured.Minor
		}
		v.Payments = append(v.Payments, paymentView{p.ID.String(), string(p.State), string(p.Standing), int64(minor)})
	}
	return v
}

// claim fills in what the booking claims.
func (v *bookingView) claim(b inventory.Booking) {
	switch b.Kind {
	case inventory.ClaimPool:
		v.Pool, v.Day = b.Ref(), b.Day.String()
	case inventory.ClaimSeats:
		v.Event = b.EventID.String()
		for _, s := range b.Seats {
			v.Seats = append(v.Seats, s.ID.String())
			v.SeatNames = append(v.SeatNames, s.Name())
		}
	case inventory.ClaimRange:
		zone := zoneOrNone(b.Zone)
		v.Quantity, v.Resource = 0, b.Ref()
		v.From, v.To = viewLocalOf(b.During.From, zone), viewLocalOf(b.During.To, zone)
	}
}

func viewInstant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(instantForm)
}
