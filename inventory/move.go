package inventory

import (
	"errors"

	"github.com/rickb777/date"
)

// MoveRequest changes what a live booking claims, through the same admission
// rule as a hold: the new claim is taken and the old one given back in one
// transaction, or nothing changes. Of the fields only those of the booking's
// kind may be set; a nil or empty one is left as it is.
type MoveRequest struct {
	ID       BookingID
	Version  int // the one that the decision was made on; 0 does not check it
	Day      *date.Date
	Quantity *int
	Seats    []SeatID
	During   *Range
	Resource *ResourceRef // another resource of the same venue

	// KeepAmount leaves the price as it is, whatever the new claim costs. Only
	// staff may ask for it. Without it, a booking that is paid can only move to
	// where it costs the same: ErrPriceChanges.
	KeepAmount bool
	Actor      Actor
	Reason     string // may be empty for clients
}

// Validate reports every field that is wrong.
func (r MoveRequest) Validate() error {
	var errs []error
	if r.Day == nil && r.Quantity == nil && r.Seats == nil && r.During == nil && r.Resource == nil {
		errs = append(errs, Invalid("day", "say what to change: day, quantity, seats, or from and to"))
	}
	if r.Quantity != nil && (*r.Quantity < 1 || *r.Quantity > MaxQuantity) {
		errs = append(errs, Invalid("quantity", "must be from 1 to %d", MaxQuantity))
	}
	if r.Seats != nil {
		errs = append(errs, checkSeats("seats", r.Seats))
	}
	if r.During != nil {
		errs = append(errs, r.During.check())
	}
	if r.Reason != "" {
		errs = append(errs, CheckReason(r.Reason))
	}
	return errors.Join(errs...)
}

// Fits reports, field by field, what does not belong to a claim of this kind.
func (r MoveRequest) Fits(kind ClaimKind) error {
	var errs []error
	wrong := func(field string, set bool, of ClaimKind) {
		if set && kind != of {
			errs = append(errs, Invalid(field, "cannot be changed: the booking is of kind %s", kind))
		}
	}
	wrong("day", r.Day != nil, ClaimPool)
	wrong("quantity", r.Quantity != nil, ClaimPool)
	wrong("seats", r.Seats != nil, ClaimSeats)
	wrong("from", r.During != nil, ClaimRange)
	wrong("resource", r.Resource != nil, ClaimRange)
	return errors.Join(errs...)
}
