package httpapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"holdfast/inventory"
)

// Every outcome of the store has the status and code of the contract, and none
// of a driver's words.
func TestProblems(t *testing.T) {
	t.Parallel()
	const secret = `pq: relation "booking" at 10.0.0.7:5432`
	for _, c := range []struct {
		err    error
		status int
		code   string
		again  int // least Retry-After, 0 = none
	}{
		{inventory.ErrSoldOut, 409, "SOLD_OUT", 0},
		{&inventory.SeatTakenError{Seats: []inventory.SeatID{7, 8}}, 409, "SEAT_TAKEN", 0},
		{&inventory.RangeTakenError{Booking: inventory.NewBookingID(), Buyer: secret}, 409, "RANGE_TAKEN", 0},
		{inventory.ErrPriceChanges, 409, "PRICE_CHANGES", 0},
		{inventory.ErrStopSell, 409, "STOP_SELL", 0},
		{inventory.ErrNotOnSale, 409, "NOT_ON_SALE", 0},
		{inventory.ErrCutoffPassed, 409, "CUTOFF_PASSED", 0},
		{inventory.ErrHoldExists, 409, "HOLD_EXISTS", 0},
		{inventory.ErrLimitPerBuyer, 409, "LIMIT_PER_BUYER", 0},
		{inventory.ErrHoldExpired, 409, "HOLD_EXPIRED", 0},
		{inventory.ErrNotAllowed, 409, "NOT_ALLOWED", 0},
		{inventory.ErrStale, 412, "VERSION_CONFLICT", 0},
		{inventory.ErrIdempotencyConflict, 422, "IDEMPOTENCY_CONFLICT", 0},
		{inventory.ErrInProgress, 409, "IN_PROGRESS", 1},
		{inventory.ErrNotFound, 404, "NOT_FOUND", 0},
		{inventory.ErrBusy, 503, "BUSY", 1},
		{inventory.ErrUnavailable, 503, "UNAVAILABLE", 3},
		{inventory.ErrUnknownOutcome, 504, "UNKNOWN_OUTCOME", 2},
		{inventory.ErrPaused, 409, "PAUSED", 0},
		{inventory.ErrAlreadyExists, 409, "ALREADY_EXISTS", 0},
		{inventory.ErrLimitOfHold, 409, "HOLD_LIMIT", 0},
		{inventory.Invalid("quantity", "is odd"), 422, "INVALID", 0},
		{errors.New(secret), 500, "INTERNAL", 0},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			l := noAuth(t, &double{placeHold: func(inventory.HoldRequest) (inventory.Booking, bool, error) {
				return inventory.Booking{}, false, fmt.Errorf("place hold: %w: %w", c.err, errors.New(secret))
			}})
			r := l.send(t, http.MethodPost, "/holds", goodHold, "Idempotency-Key", "k-1")
			if r.status != c.status || r.code() != c.code || r.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("= %d %s, want %d %s", r.status, r.text, c.status, c.code)
			}
			if r.body["status"] != float64(c.status) || r.body["type"] != "urn:holdfast:problem:"+c.code || r.body["title"] == "" {
				t.Errorf("problem = %s", r.text)
			}
			if strings.Contains(r.text, "10.0.0.7") || strings.Contains(r.text, "relation") {
				t.Errorf("the answer tells too much: %s", r.text)
			}
			if taken, _ := r.body["seats"].([]any); (c.code == "SEAT_TAKEN") != (fmt.Sprint(taken) == "[7 8]") {
				t.Errorf("seats = %v in %s", taken, r.text)
			}
			for name := range r.body {
				if name == "booking" || name == "buyer" {
					t.Errorf("the answer tells whose it is: %s", r.text)
				}
			}
			after, err := strconv.Atoi(r.header.Get("Retry-After"))
			if (c.again == 0) != (r.header.Get("Retry-After") == "") || c.again > 0 && (err != nil || after < c.again || after > 2*c.again) {
				t.Errorf("Retry-After = %q, want %d to %d seconds", r.header.Get("Retry-After"), c.again, 2*c.again)
			}
			if id, _ := r.body["errorId"].(string); (c.status == 500) != (id != "") {
				t.Errorf("errorId = %q", id)
			}
		})
	}
}
