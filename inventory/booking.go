package inventory

import (
	"errors"
	"time"

	"github.com/rickb777/date"

	"holdfast/timezone"
)

// Booking is one buyer's claim and its state.
type Booking struct {
	ID             BookingID
	VenueID        int64
	Kind           ClaimKind
	Name           string    // of the pool, event or resource
	Day            date.Date // local date of what is claimed: a pool day, the event's start, the range's start
	Quantity       int       // places, seats, or 1 for a range
	Pool           PoolRef   // kind pool
	Event          EventRef  // kind seats
	EventID        EventID
	Seats          []Seat      // kind seats, in the order of the hall; also those that a dead booking had
	Resource       ResourceRef // kind range
	During         Range
	LocalFrom      timezone.WallTime // what was asked for on the wall of Zone
	LocalTo        timezone.WallTime
	Zone           string
	Buyer          string
	State          BookingState
	ExpiresAt      time.Time // when the hold ends; zero for a booking that never was a hold
	DoubtUntil     time.Time // PAYMENT_PENDING keeps its place until then, at least
	Amount         Money
	ClientID       int64 // 0: placed by staff, or without authentication
	IdempotencyKey string
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Version        int // number of its transitions = last journal seq
	Payments       []Payment
	Archived       bool // it came to nothing long ago and was moved out of the way
}

// HoldRequest asks for places on one pool day.
type HoldRequest struct {
	Pool           PoolRef
	Day            date.Date
	Quantity       int
	Buyer          string
	Client         Client
	IdempotencyKey string // "" only for staff, who see what happened
	Comp           bool   // staff give the place without payment: straight to CONFIRMED
	Reason         string // required with Comp
	Actor          Actor
}

// Validate reports every field that is wrong.
func (r HoldRequest) Validate() error {
	errs := []error{
		CheckSlug("pool", r.Pool.Venue), CheckSlug("pool", r.Pool.Pool),
		CheckText("buyer", r.Buyer, maxName),
	}
	if r.Day.IsZero() {
		errs = append(errs, Invalid("day", "is missing"))
	}
	if r.Quantity < 1 || r.Quantity > MaxQuantity {
		errs = append(errs, Invalid("quantity", "must be from 1 to %d", MaxQuantity))
	}
	if r.IdempotencyKey != "" {
		errs = append(errs, CheckIdempotencyKey(r.IdempotencyKey))
	}
	if r.Comp {
		errs = append(errs, CheckReason(r.Reason))
	}
	return errors.Join(errs...)
}

// CheckReason accepts a sentence for the journal and the audit.
func CheckReason(s string) error { return CheckText("reason", s, maxReason) }

// CheckIdempotencyKey accepts 1-255 visible ASCII characters, as the IETF
// draft on the Idempotency-Key header and CONTRACT.md 2 ask.
func CheckIdempotencyKey(s string) error {
	if len(s) < 1 || len(s) > 255 {
		return Invalid("Idempotency-Key", "must have 1 to 255 characters")
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return Invalid("Idempotency-Key", "must be visible ASCII without blanks")
		}
	}
	return nil
}

// JournalEntry is one transition of a booking.
type JournalEntry struct {
	BookingID BookingID
	Seq       int
	From      BookingState
	To        BookingState
	Cause     Cause
	Actor     string
	At        time.Time
	Reason    string
	Topic     string // "" if nothing is published
}

// Client is a shop that calls the API.
type Client struct {
	ID     int64
	Name   string
	Scopes []string
}

// Scopes of API clients.
const (
	ScopeHolds     = "holds"     // place, read, release, pay
	ScopeInventory = "inventory" // see capacity and overbook_limit
)

// Scopes lists the scopes that can be given.
var Scopes = []string{ScopeHolds, ScopeInventory}
