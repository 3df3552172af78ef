package main

import (
	"time"

	"holdfast/cmd/holdfast/output"
	"holdfast/inventory"
)

// bookingView is the booking of CONTRACT.md 2.
type bookingView struct {
	BookingID inventory.BookingID    `json:"bookingId"`
	State     inventory.BookingState `json:"state"`
	Kind      inventory.ClaimKind    `json:"kind"`
	Pool      string                 `json:"pool,omitzero"`
	Day       string                 `json:"day,omitzero"`
	Quantity  int                    `json:"quantity,omitzero"` // places, or seats
	Event     *inventory.EventID     `json:"event,omitzero"`    // of seats
	Seats     []inventory.SeatID     `json:"seats,omitzero"`
	SeatNames []string               `json:"seatNames,omitzero"` // what the seats are called, in the same order
	Resource  string                 `json:"resource,omitzero"`  // of a range
	From      string                 `json:"from,omitzero"`      // on the wall at the venue, with its offset
	To        string                 `json:"to,omitzero"`
	Buyer     string                 `json:"buyer"`
	HeldUntil time.Time              `json:"heldUntil,omitzero"` // when the hold ends, or ended
	Amount    inventory.Money        `json:"amount"`
	Version   int                    `json:"version"`
	Payments  []paymentView          `json:"payments"`
	CreatedAt time.Time              `json:"createdAt"`
	Archived  bool                   `json:"archived,omitzero"` // it came to nothing long ago
	Journal   []journalView          `json:"journal,omitzero"`

	ref, claimed, day string // for tables: they are set for every kind of claim
}

type paymentView struct {
	ID       inventory.PaymentID    `json:"id"`
	State    inventory.PaymentState `json:"state"`
	Standing inventory.Standing     `json:"standing,omitzero"`
	Minor    inventory.Minor        `json:"minor"`
	Kind     inventory.ZombieKind   `json:"kind,omitzero"` // of a zombie
}

type journalView struct {
	Seq    int                    `json:"seq"`
	From   inventory.BookingState `json:"from"`
	To     inventory.BookingState `json:"to"`
	Cause  inventory.Cause        `json:"cause"`
	Actor  string                 `json:"actor"`
	At     time.Time              `json:"at"`
	Reason string                 `json:"reason,omitzero"`
}

func viewBooking(b inventory.Booking) bookingView {
	v := bookingView{
		BookingID: b.ID, State: b.State, Kind: b.Kind, Quantity: b.Quantity,
		Buyer: b.Buyer, HeldUntil: b.ExpiresAt, Amount: b.Amount, Version: b.Version, Payments: mapped(b.Payments, viewPayment), CreatedAt: b.CreatedAt, Archived: b.Archived,
		ref: b.Ref(), claimed: b.Claimed(), day: b.Day.String(),
	}
	switch b.Kind {
	case inventory.ClaimPool:
		v.Pool, v.Day = v.ref, v.day
	case inventory.ClaimSeats:
		v.Event, v.Seats = &b.EventID, seatIDs(b.Seats)
		v.SeatNames = mapped(b.Seats, inventory.Seat.Name)
	case inventory.ClaimRange:
		v.Resource, v.From, v.To, v.Quantity = v.ref, wallIn(b.During.From, b.Zone), wallIn(b.During.To, b.Zone), 0
	}
	return v
}

func viewPayment(p inventory.Payment) paymentView {
	minor := p.Amount.Minor
	if p.State == inventory.PaymentSucceeded {
		minor = p.Captured.Minor
	}
	return paymentView{p.ID, p.State, p.Standing, minor, p.ZombieKind}
}

func viewJournal(e inventory.JournalEntry) journalView {
	return journalView{e.Seq, e.From, e.To, e.Cause, e.Actor, e.At, e.Reason}
}

var bookingColumns = []output.Column[bookingView]{
	{Name: "booking", Value: func(b bookingView) string { return b.BookingID.String() }},
	{Name: "state", Value: func(b bookingView) string { return string(b.State) }},
	{Name: "pool", Title: "what", Value: func(b bookingView) string { return b.ref }}, // scripts know the name
	{Name: "day", Value: func(b bookingView) string { return b.day }},
	{Name: "quantity", Number: true, Value: func(b bookingView) string { return yes(b.Quantity > 0, decimal(b.Quantity)) }},
	{Name: "amount", Number: true, Value: func(b bookingView) string { return b.Amount.Plain() }},
	{Name: "currency", Value: func(b bookingView) string { return string(b.Amount.Currency) }},
	{Name: "held_until", Value: func(b bookingView) string { return instant(b.HeldUntil) }},
	{Name: "version", Number: true, Value: func(b bookingView) string { return decimal(b.Version) }},
	{Name: "claim", Value: func(b bookingView) string { return b.claimed }},
	{Name: "from", Detail: true, Value: func(b bookingView) string { return b.From }},
	{Name: "to", Detail: true, Value: func(b bookingView) string { return b.To }},
	{Name: "buyer", Value: func(b bookingView) string { return b.Buyer }},
}

var paymentColumns = []output.Column[paymentView]{
	{Name: "payment", Value: func(p paymentView) string { return p.ID.String() }},
	{Name: "state", Value: func(p paymentView) string { return string(p.State) }},
	{Name: "standing", Value: func(p paymentView) string {
		return string(p.Standing) + yes(p.Kind != "", " ("+string(p.Kind)+")")
	}},
	{Name: "minor", Number: true, Value: func(p paymentView) string { return decimal(p.Minor) }},
}

var journalColumns = []output.Column[journalView]{
	{Name: "seq", Number: true, Value: func(e journalView) string { return decimal(e.Seq) }},
	{Name: "at", Value: func(e journalView) string { return instant(e.At) }},
	{Name: "from", Value: func(e journalView) string { return string(e.From) }},
	{Name: "to", Value: func(e journalView) string { return string(e.To) }},
	{Name: "cause", Value: func(e journalView) string { return string(e.Cause) }},
	{Name: "actor", Value: func(e journalView) string { return e.Actor }},
	{Name: "reason", Value: func(e journalView) string { return e.Reason }},
}
