package inventory

import (
	"fmt"

	"github.com/google/uuid"
)

// BookingID names a booking: a UUID of version 7, so that new rows land at the
// end of the index and ids of one evening sort by time.
type BookingID struct{ uuid.UUID }

// EventID names an event.
type EventID struct{ uuid.UUID }

// PaymentID names one attempt to take money. It is also the reference that we
// send to the provider.
type PaymentID struct{ uuid.UUID }

// RefundID names one refund, and is its key at the provider for life.
type RefundID struct{ uuid.UUID }

// NewBookingID returns a new id.
func NewBookingID() BookingID { return BookingID{uuid.Must(uuid.NewV7())} }

// NewEventID returns a new id.
func NewEventID() EventID { return EventID{uuid.Must(uuid.NewV7())} }

// NewPaymentID returns a new id.
func NewPaymentID() PaymentID { return PaymentID{uuid.Must(uuid.NewV7())} }

// NewRefundID returns a new id.
func NewRefundID() RefundID { return RefundID{uuid.Must(uuid.NewV7())} }

// ParseBookingID reads the canonical 36 character form only.
func ParseBookingID(s string) (BookingID, error) {
	id, err := parseID("booking", s)
	return BookingID{id}, err
}

// ParseEventID reads the canonical 36 character form only.
func ParseEventID(s string) (EventID, error) {
	id, err := parseID("event", s)
	return EventID{id}, err
}

// ParsePaymentID reads the canonical 36 character form only.
func ParsePaymentID(s string) (PaymentID, error) {
	id, err := parseID("payment", s)
	return PaymentID{id}, err
}

// ParseRefundID reads the canonical 36 character form only.
func ParseRefundID(s string) (RefundID, error) {
	id, err := parseID("refund", s)
	return RefundID{id}, err
}

// parseID refuses the URN and braced forms that uuid.Parse takes, so that one
// id has one spelling everywhere.
func parseID(field, s string) (uuid.UUID, error) {
	id, err := uuid.Parse(s)
	if err != nil || len(s) != 36 {
		return uuid.Nil, Invalid(field, "is not an id")
	}
	return id, nil
}

// Short is the end of the id, for screens and logs where the whole is too
// long. The end of a version 7 id is its random part.
func short(id fmt.Stringer) string {
	s := id.String()
	return s[len(s)-8:]
}

// Short is the last 8 characters, for screens; never for looking up.
func (id BookingID) Short() string { return short(id.UUID) }

// Short is the last 8 characters, for screens; never for looking up.
func (id PaymentID) Short() string { return short(id.UUID) }

// Short is the last 8 characters, for screens; never for looking up.
func (id RefundID) Short() string { return short(id.UUID) }
