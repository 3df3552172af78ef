package httpapi

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"holdfast/inventory"
)

// problem is an error answer (RFC 9457). It holds only what may be shown to
// anyone.
type problem struct {
	status  int
	code    string
	title   string // "" = the status in words
	detail  string
	fields  []*inventory.FieldError
	errorID string // finds the log entry of a 500

	requestID string // of a 5xx: finds all log entries about the request

	after time.Duration // when to ask again at least; 0 = as its code says

	candidates map[string][]string // by field: what a wall time can mean
	seats      []string            // that stood in the way
	booking    *inventory.Booking  // as it stands, if a change met another version
}

func (p problem) Error() string { return p.code + ": " + p.detail }

// problemBody is a problem as it is written.
type problemBody struct {
	Type    string         `json:"type" example:"urn:holdfast:problem:SOLD_OUT" doc:"one URN per code"`
	Title   string         `json:"title" example:"sold out"`
	Status  int            `json:"status" example:"409"`
	Detail  string         `json:"detail,omitzero"`
	Code    string         `json:"code" example:"SOLD_OUT" doc:"stable word to decide by"`
	Errors  []problemField `json:"errors,omitzero" nullable:"false" doc:"each field that is wrong, as it was spelled"`
	ErrorID string         `json:"errorId,omitzero" doc:"of a 500: finds our log entry"`
	Request string         `json:"requestId,omitzero" doc:"of a 5xx: the X-Request-Id, which finds what we logged about the request"`

	Candidates []string     `json:"candidates,omitzero" nullable:"false" doc:"of LOCAL_TIME_MISSING and LOCAL_TIME_DOUBLED: the two instants that the first such field can mean"`
	Seats      []string     `json:"seats,omitzero" nullable:"false" doc:"of SEAT_TAKEN: ids of the seats that stood in the way"`
	Booking    *bookingView `json:"booking,omitzero" nullable:"false" doc:"of VERSION_CONFLICT: the booking as it stands"`
}

type problemField struct {
	Field      string   `json:"field" example:"quantity"`
	Problem    string   `json:"problem" example:"must be from 1 to 10000"`
	Candidates []string `json:"candidates,omitzero" nullable:"false" doc:"what a local time can mean"`
}

// statuses maps the codes of inventory.Code to what HTTP says about them
// (CONTRACT.md 2). Every code that is not here is a refusal by a rule: 409.
var statuses = map[string]int{
	"VERSION_CONFLICT":     http.StatusPreconditionFailed,
	"IDEMPOTENCY_CONFLICT": http.StatusUnprocessableEntity, "INVALID": http.StatusUnprocessableEntity,
	"NOT_FOUND": http.StatusNotFound,
	"BUSY":      http.StatusServiceUnavailable, "UNAVAILABLE": http.StatusServiceUnavailable,
	"UNKNOWN_OUTCOME": http.StatusGatewayTimeout,
	"INTERNAL":        http.StatusInternalServerError,
}

// problemOf says what err means to a caller.
func problemOf(err error) problem {
	if p, ok := err.(problem); ok { //nolint:errorlint // handlers return it bare
		return p
	}
	if refused, ok := errors.AsType[*refusedCallback](err); ok {
		return refused.problem()
	}
	code := inventory.Code(err)
	p := problem{status: http.StatusConflict, code: code, title: inventory.Message(err)}
	if status, ok := statuses[code]; ok {
		p.status = status
	}
	if taken, ok := errors.AsType[*inventory.SeatTakenError](err); ok {
		p.seats = texts(taken.Seats)
	}
	switch code {
	case "INVALID":
		p.title, p.fields = "the request is not valid", onePerField(inventory.FieldErrors(err))
		p.detail = inventory.Message(joined(p.fields))
		p.nameLocalTimes(err)
	case "UNKNOWN_OUTCOME":
		p.detail = "it may have been done: ask again with the same Idempotency-Key"
	case "INTERNAL":
		p.detail = "tell us the errorId"
	}
	return p
}

// onePerField keeps the first problem of each field.
func onePerField(all []*inventory.FieldError) []*inventory.FieldError {
	seen := map[string]bool{}
	var kept []*inventory.FieldError
	for _, f := range all {
		if !seen[f.Field] {
			seen[f.Field] = true
			kept = append(kept, f)
		}
	}
	return kept
}

// joined makes one error of them again.
func joined(fields []*inventory.FieldError) error {
	errs := make([]error, len(fields))
	for i, f := range fields {
		errs[i] = f
	}
	return errors.Join(errs...)
}

// nameLocalTimes says which wall times in err name no instant or two, and the
// code of the first of them.
func (p *problem) nameLocalTimes(err error) {
	for _, e := range localTimes(err) {
		if p.candidates == nil {
			p.code, p.title = e.code(), "a local time does not name one instant"
			p.candidates = map[string][]string{}
		}
		p.candidates[e.field] = e.candidates()
	}
}

func texts(seats []inventory.SeatID) []string {
	out := make([]string, len(seats))
	for i, id := range seats {
		out[i] = id.String()
	}
	return out
}

// retryAfter is how many seconds to wait at least before asking again, per
// code; up to as many again are added at random, so that those who were turned
// away together do not come back together.
var retryAfter = map[string]int{"BUSY": 1, "IN_PROGRESS": 1, "UNAVAILABLE": 3, "UNKNOWN_OUTCOME": 2, "ADMISSION_REQUIRED": 2}

func (p problem) write(w http.ResponseWriter) {
	body := problemBody{
		Type: "urn:holdfast:problem:" + p.code, Title: p.title, Status: p.status, Detail: p.detail, Code: p.code, ErrorID: p.errorID,
		Request: p.requestID, Seats: p.seats,
	}
	if body.Title == "" {
		body.Title = http.StatusText(p.status)
	}
	for _, f := range p.fields {
		body.Errors = append(body.Errors, problemField{f.Field, f.Problem, p.candidates[f.Field]})
		if body.Candidates == nil {
			body.Candidates = p.candidates[f.Field]
		}
	}
	if p.booking != nil {
		view := viewBooking(*p.booking)
		body.Booking = &view
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	switch least, ok := retryAfter[p.code]; {
	case p.after > 0:
		h.Set("Retry-After", seconds(p.after))
	case ok:
		h.Set("Retry-After", strconv.Itoa(least+rand.IntN(least+1)))
	}
	if p.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="holdfast"`)
	}
	if p.status == http.StatusRequestEntityTooLarge {
		h.Set("Connection", "close") // the rest of the body is not read
	}
	data := p.plain(body.Title)
	if data == nil {
		var err error
		if data, err = json.Marshal(body); err != nil { // only text that is not UTF-8 could do this, and it is refused before
			data = []byte(`{}`)
		}
	}
	w.WriteHeader(p.status)
	_, _ = w.Write(data) // the caller may have gone
}

// plain is the body of a problem that says nothing but its code, as json.Marshal
// would write it, or nil: a crowd is refused in a fifth of the time.
func (p problem) plain(title string) []byte {
	if p.detail != "" || p.fields != nil || p.errorID != "" || p.requestID != "" || p.seats != nil || p.booking != nil || p.candidates != nil {
		return nil
	}
	data := append(make([]byte, 0, 192), `{"type":"urn:holdfast:problem:`...)
	data = append(append(data, p.code...), `","title":`...)
	data, err := jsontext.AppendQuote(data, title)
	if err != nil {
		return nil
	}
	data = strconv.AppendInt(append(data, `,"status":`...), int64(p.status), 10)
	return append(append(append(data, `,"code":"`...), p.code...), `"}`...)
}

// respond answers with a document.
func respond(w http.ResponseWriter, status int, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the caller may have gone
	return nil
}
