package httpapi

import (
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
)

// A refusal that says nothing but its code has the form of every other, down to
// the byte.
func TestProblem_plainIsWrittenAsAllOthers(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		inventory.ErrSoldOut, inventory.ErrHoldExists, inventory.ErrLimitPerBuyer, inventory.ErrStopSell, inventory.ErrNotOnSale,
		inventory.ErrCutoffPassed, inventory.ErrNotFound, inventory.ErrBusy, inventory.ErrSeatTaken,
	} {
		p := problemOf(err)
		w := httptest.NewRecorder()
		p.write(w)
		want, marshalErr := json.Marshal(problemBody{Type: "urn:holdfast:problem:" + p.code, Title: p.title, Status: p.status, Code: p.code})
		if marshalErr != nil {
			t.Fatal(marshalErr)
		}
		if p.plain(p.title) == nil || w.Body.String() != string(want) {
			t.Errorf("%v is written as %s, want %s", err, w.Body, want)
		}
	}
	for _, err := range []error{inventory.Invalid("day", "is missing"), inventory.ErrUnknownOutcome, &inventory.SeatTakenError{Seats: []inventory.SeatID{7}}} {
		if p := problemOf(err); p.plain(p.title) != nil {
			t.Errorf("%v has more to say than its code", err)
		}
	}
}
