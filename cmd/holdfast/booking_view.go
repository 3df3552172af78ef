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
	Kind      string                 `json:"kind"`
	Pool      string                 `json:"pool"`
	Day       string                 `json:"day"`
	Quantity  int                    `json:"quantity"`
	Buyer     string                 `json:"buyer"`
	HeldUntil time.Time              `json:"heldUntil,omitzero"` // when the hold ends, or ended
	Amount    inventory.Money        `json:"amount"`
	Version   int                    `json:"version"`
	Payments  []paymentView          `json:"payments"`
	CreatedAt time.Time              `json:"createdAt"`
	Journal   []journalView          `json:"journal,omitzero"`
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
	return bookingView{
		BookingID: b.ID, State: b.State, Kind: "pool", Pool: b.Ref(), Day: b.Day.String(), Quantity: b.Quantity,
		Buyer: b.Buyer, HeldUntil: b.ExpiresAt, Amount: b.Amount, Version: b.Version, Payments: mapped(b.Payments, viewPayment), CreatedAt: b.CreatedAt,
	}
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
	{Name: "pool", Value: func(b bookingView) string { return b.Pool }},
	{Name: "day", Value: func(b bookingView) string { return b.Day }},
	{Name: "quantity", Number: true, Value: func(b bookingView) string { return decimal(b.Quantity) }},
	{Name: "amount", Number: true, Value: func(b bookingView) string { return b.Amount.Plain() }},
	{Name: "currency", Value: func(b bookingView) string { return string(b.Amount.Currency) }},
	{Name: "held_until", Value: func(b bookingView) string { return instant(b.HeldUntil) }},
	{Name: "version", Number: true, Value: func(b bookingView) string { return decimal(b.Version) }},
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
