// Package notify holds the sinks that the journal is published to: a signed
// webhook, NATS JetStream and the log. A sink takes one message at a time and
// says whether the other side has it; when to try again is not its business.
// See DESIGN.md.
package notify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdfast/inventory"
)

// sink is what every sink of this package is. Deliver returns nil once the
// other side has the message for good. A DownError says nothing about the
// message; any other error means that this message was not taken, and that
// trying again may or may not help.
type sink interface {
	Deliver(ctx context.Context, m inventory.OutboxMessage) error
}

var (
	_ sink = (*Webhook)(nil)
	_ sink = (*NATS)(nil)
	_ sink = (*Log)(nil)
	_ sink = (*FanOut)(nil)
)

// ErrGone is inside the DownError of a receiver that answered 410: it wants
// nothing more, and gets nothing until the program starts anew.
var ErrGone = errors.New("the receiver answered 410 and wants nothing more")

// DownError says that a sink could not be had: not connected, no answer in
// time, or asked to be left alone. Whether that is the sink's fault or the
// message's shows only in how others fare, so nobody should hold it against
// the message by itself.
type DownError struct {
	problem string // our own words or those of the own broker, never a receiver's
	after   time.Duration
	cause   error
}

// Error names the problem. Nothing that a receiver wrote is in it.
func (e *DownError) Error() string {
	if e.after > 0 {
		return fmt.Sprintf("%s; not again for %s", e.problem, e.after.Round(time.Second))
	}
	return e.problem
}

// SinkDown is true. It lets a caller that does not know this package recognise
// the error.
func (*DownError) SinkDown() bool { return true }

// RetryAfter is how long the other side asked to be left alone, 0 if it did
// not ask.
func (e *DownError) RetryAfter() time.Duration { return e.after }

// Unwrap returns ErrGone, ErrAddress, the error of an ended context, or nil.
func (e *DownError) Unwrap() error { return e.cause }
