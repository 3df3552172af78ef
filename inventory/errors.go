package inventory

import (
	"errors"
	"fmt"
	"strings"
)

// Outcomes a caller must tell apart. Code gives the stable word for each.
var (
	ErrSoldOut             = errors.New("sold out")           // admission: taken + quantity would pass the sell limit
	ErrSeatTaken           = errors.New("a seat is taken")    // one of the seats is not AVAILABLE
	ErrRangeTaken          = errors.New("this time is taken") // another live booking overlaps, turnaround included
	ErrPriceChanges        = errors.New("the price would change, and the booking is paid or being paid")
	ErrStopSell            = errors.New("sales are stopped")                            // admission: staff stopped the day
	ErrNotOnSale           = errors.New("not on sale")                                  // admission: before the on-sale time, or no such pool day
	ErrCutoffPassed        = errors.New("the time for sales is over")                   // admission: after the cut-off time
	ErrHoldExists          = errors.New("this buyer already has a hold here")           // one live hold per buyer
	ErrLimitPerBuyer       = errors.New("this buyer has all the bookings allowed here") // pool's limit per buyer
	ErrHoldExpired         = errors.New("the hold is over")                             // the place is gone, or its time has passed
	ErrNotAllowed          = errors.New("not allowed in this state")                    // the state graph has no such edge
	ErrStale               = errors.New("changed by someone else")                      // the version seen is not the version stored
	ErrIdempotencyConflict = errors.New("idempotency key was used for another request")
	ErrInProgress          = errors.New("the same request is still running") // same key, first request not finished
	ErrNotFound            = errors.New("not found")
	ErrBusy                = errors.New("busy, try again shortly")                     // a lock, a connection or the server was not to be had in time
	ErrUnavailable         = errors.New("database not reachable")                      // nothing was sent that could have had an effect
	ErrUnknownOutcome      = errors.New("outcome unknown")                             // the answer to COMMIT was lost; ask again with the same key
	ErrDisputed            = errors.New("the payer disputes this payment at the bank") // a refund could pay twice
	ErrPaused              = errors.New("the job is paused")                           // staff paused it
	ErrAlreadyExists       = errors.New("already exists")                              // a slug or name is taken
	ErrLimitOfHold         = errors.New("the hold cannot last longer")                 // extending would pass the venue's longest hold
)

// codes maps each sentinel to the word used in HTTP, JSON, logs and the
// console. Order matters only where an error wraps two sentinels.
var codes = []struct {
	err  error
	code string
}{
	{ErrUnknownOutcome, "UNKNOWN_OUTCOME"},
	{ErrSoldOut, "SOLD_OUT"},
	{ErrSeatTaken, "SEAT_TAKEN"},
	{ErrRangeTaken, "RANGE_TAKEN"},
	{ErrPriceChanges, "PRICE_CHANGES"},
	{ErrStopSell, "STOP_SELL"},
	{ErrNotOnSale, "NOT_ON_SALE"},
	{ErrCutoffPassed, "CUTOFF_PASSED"},
	{ErrHoldExists, "HOLD_EXISTS"},
	{ErrLimitPerBuyer, "LIMIT_PER_BUYER"},
	{ErrHoldExpired, "HOLD_EXPIRED"},
	{ErrNotAllowed, "NOT_ALLOWED"},
	{ErrStale, "VERSION_CONFLICT"},
	{ErrIdempotencyConflict, "IDEMPOTENCY_CONFLICT"},
	{ErrInProgress, "IN_PROGRESS"},
	{ErrNotFound, "NOT_FOUND"},
	{ErrBusy, "BUSY"},
	{ErrUnavailable, "UNAVAILABLE"},
	{ErrDisputed, "DISPUTED"},
	{ErrPaused, "PAUSED"},
	{ErrAlreadyExists, "ALREADY_EXISTS"},
	{ErrLimitOfHold, "HOLD_LIMIT"},
}

// Code returns the stable word for err: "" for nil, "INVALID" for bad input,
// "INTERNAL" for anything that is not an outcome of the domain.
func Code(err error) string {
	if err == nil {
		return ""
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	if len(FieldErrors(err)) > 0 {
		return "INVALID"
	}
	return "INTERNAL"
}

// Message returns the sentence about err that may be shown to anyone: the
// sentinel's own words or the problems with the input, never the wrapped
// details of a driver.
func Message(err error) string {
	if fields := FieldErrors(err); len(fields) > 0 {
		words := make([]string, len(fields))
		for i, f := range fields {
			words[i] = f.Error()
		}
		return strings.Join(words, "; ")
	}
	var stale *StaleError
	if errors.As(err, &stale) {
		return stale.Error()
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.err.Error()
		}
	}
	return "something went wrong on our side"
}

// FieldError says what is wrong with one field of the input. Several are
// joined with errors.Join, so that a form can mark every field at once.
type FieldError struct {
	Field   string // name as the caller wrote it: a JSON member, a flag, a form field
	Problem string // lower case, without the field's name
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// FieldErrors returns every FieldError inside err, in order.
func FieldErrors(err error) []*FieldError {
	if err == nil {
		return nil
	}
	var out []*FieldError
	switch e := err.(type) { //nolint:errorlint // this walks the tree itself
	case *FieldError:
		out = append(out, e)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			out = append(out, FieldErrors(inner)...)
		}
	case interface{ Unwrap() error }:
		out = FieldErrors(e.Unwrap())
	}
	return out
}

// Invalid returns a FieldError made like fmt.Sprintf.
func Invalid(field, format string, args ...any) error {
	return &FieldError{Field: field, Problem: fmt.Sprintf(format, args...)}
}

// StaleError is ErrStale with what the loser needs to see: who was faster and
// which version is stored now.
type StaleError struct {
	Object  string // what was edited, in words
	Seen    int    // the version the caller had
	Current int    // the version stored now
	By      string // who changed it last, "" if not known
}

func (e *StaleError) Error() string {
	by := ""
	if e.By != "" {
		by = " by " + e.By
	}
	return fmt.Sprintf("%s was changed%s: you saw version %d, it is now %d", e.Object, by, e.Seen, e.Current)
}

// Is makes a StaleError match ErrStale.
func (e *StaleError) Is(target error) bool { return target == ErrStale }
