package inventory

import (
	"fmt"
	"time"
)

// Topics of what is published about a booking and its money (CONTRACT.md 3).
const (
	TopicConfirmed       = "booking.confirmed"
	TopicExpired         = "booking.expired"
	TopicCancelled       = "booking.cancelled"
	TopicMoved           = "booking.moved"
	TopicPaymentLate     = "payment.late"
	TopicRefundSucceeded = "refund.succeeded"
	TopicRefundFailed    = "refund.failed"
)

// OutboxMessage is a journal row with a topic, on its way to the sinks: at
// least once, and for each booking in the order of Seq.
type OutboxMessage struct {
	BookingID BookingID
	Seq       int
	Topic     string
	At        time.Time
	Data      []byte // a JSON object
	Attempt   int    // 1 for the first try
}

// ID is the same on every attempt, so that a receiver can drop a repetition.
func (m OutboxMessage) ID() string { return fmt.Sprintf("%s:%d", m.BookingID, m.Seq) }
