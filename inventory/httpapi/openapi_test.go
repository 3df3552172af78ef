package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
)

// document is the part of openapi.json that the tests look at.
type document struct {
	OpenAPI    string                          `json:"openapi"`
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	OperationID string `json:"operationId"`
	Responses   map[string]struct {
		Content map[string]struct {
			Schema schema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

type schema struct {
	Ref        string            `json:"$ref"`
	Type       any               `json:"type"`
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
	Enum       []any             `json:"enum"`
}

// document reads openapi.json.
func (l listener) document(t *testing.T) (document, reply) {
	t.Helper()
	raw := l.send(t, http.MethodGet, "/openapi.json", "")
	var doc document
	if err := json.Unmarshal([]byte(raw.text), &doc); err != nil {
		t.Fatalf("openapi.json: %v", err)
	}
	return doc, raw
}

// conforms reports how value differs from what s promises.
func (d document) conforms(s schema, at string, value any) []string {
	if s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	var wrong []string
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			known, ok := s.Properties[name]
			if !ok {
				wrong = append(wrong, at+"."+name+" is not in the document")
				continue
			}
			wrong = append(wrong, d.conforms(known, at+"."+name, inner)...)
		}
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				wrong = append(wrong, at+"."+name+" is required and missing")
			}
		}
	case []any:
		if s.Items == nil {
			return append(wrong, at+" is a list")
		}
		for i, inner := range v {
			wrong = append(wrong, d.conforms(*s.Items, fmt.Sprintf("%s[%d]", at, i), inner)...)
		}
	case string:
		if s.Type != "string" {
			wrong = append(wrong, fmt.Sprintf("%s is text, want %v", at, s.Type))
		}
		allowed := len(s.Enum) == 0
		for _, one := range s.Enum {
			allowed = allowed || one == v
		}
		if !allowed {
			wrong = append(wrong, fmt.Sprintf("%s is %q, want one of %v", at, v, s.Enum))
		}
	case float64:
		if fmt.Sprint(s.Type) != "integer" && !strings.Contains(fmt.Sprint(s.Type), "integer") {
			wrong = append(wrong, fmt.Sprintf("%s is a number, want %v", at, s.Type))
		}
	}
	return wrong
}

const goodDoubled = `{"resource":"harbour/studio-a","from":"2027-10-31T02:30","to":"2027-10-31T04:00","buyer":"u-2"}`

// What is really answered is what the document promises.
func TestOpenAPI_conforms(t *testing.T) {
	t.Parallel()
	b := setupHall(t)
	l := b.daemons[0]
	doc, raw := l.document(t)
	if doc.OpenAPI != "3.1.0" || raw.header.Get("Content-Type") != "application/json" {
		t.Errorf("openapi.json is %q, %s", doc.OpenAPI, raw.header.Get("Content-Type"))
	}
	ids := map[string]bool{}
	for path, operations := range doc.Paths {
		for method, op := range operations {
			if op.OperationID == "" || ids[op.OperationID] {
				t.Errorf("%s %s has the operation id %q", method, path, op.OperationID)
			}
			ids[op.OperationID] = true
		}
	}

	id, free := b.hold(t, "u-1", 1).String(), b.hold(t, "u-9", 1).String()
	event := "/events/" + b.hall.Event.ID.String()
	days := fmt.Sprintf("?from=%s&to=%s", b.Day, b.Day.Add(2))
	for _, c := range []struct {
		method, path, in string
		body             string
		headers          []string
	}{
		{"POST", "/holds", "/holds", b.body("u-2", 1), []string{"Idempotency-Key", "k-1"}},
		{"POST", "/holds", "/holds", b.body("u-2", 1), []string{"Idempotency-Key", "k-2"}},
		{"POST", "/holds", "/holds", `{}`, []string{"Idempotency-Key", "k-3"}},
		{"POST", "/holds", "/holds", b.body("u-2", 1), nil},
		{"POST", "/bookings/" + id + "/pay", "/bookings/{bookingId}/pay", "", []string{"Idempotency-Key", "p-1"}},
		{"POST", "/bookings/" + id + "/pay", "/bookings/{bookingId}/pay", "", []string{"Idempotency-Key", "p-2"}},
		{"POST", "/holds", "/holds", b.seatsBody(t, "u-2", "A-01", "A-02"), []string{"Idempotency-Key", "s-1"}},
		{"POST", "/holds", "/holds", b.seatsBody(t, "u-2", "A-01", "A-02"), []string{"Idempotency-Key", "s-2"}},
		{"POST", "/holds", "/holds", b.rangeBody("u-2", "10:00", "11:00"), []string{"Idempotency-Key", "r-1"}},
		{"POST", "/holds", "/holds", b.rangeBody("u-2", "10:00", "11:00"), []string{"Idempotency-Key", "r-2"}},
		{"POST", "/holds", "/holds", goodDoubled, []string{"Idempotency-Key", "r-3"}},
		{"POST", b.seatPath(t, "B-01") + "/hold", "/events/{eventId}/seats/{seatId}/hold", `{"buyer":"u-2"}`, []string{"Idempotency-Key", "s-3"}},
		{"POST", b.seatPath(t, "B-01") + "/hold", "/events/{eventId}/seats/{seatId}/hold", `{"buyer":"u-2"}`, []string{"Idempotency-Key", "s-4"}},
		{"GET", event, "/events/{eventId}", "", nil},
		{"GET", event + "/seats", "/events/{eventId}/seats", "", nil},
		{"GET", event + "/seats", "/events/{eventId}/seats", "", []string{"If-None-Match", "*"}},
		{"GET", "/events/x/seats", "/events/{eventId}/seats", "", nil},
		{"GET", "/venues/harbour/events", "/venues/{venue}/events", "", nil},
		{"GET", "/resources/harbour/studio-a/slots", "/resources/{venue}/{resource}/slots", "", nil},
		{"PATCH", "/bookings/" + id, "/bookings/{bookingId}", `{"quantity":2}`, nil},
		{"PATCH", "/bookings/" + id, "/bookings/{bookingId}", `{"quantity":2}`, []string{"If-Match", `"1"`}},
		{"PATCH", "/bookings/" + free, "/bookings/{bookingId}", `{"quantity":2}`, []string{"If-Match", `"1"`}},
		{"GET", "/bookings/" + id, "/bookings/{bookingId}", "", nil},
		{"GET", "/bookings/" + inventory.NewBookingID().String(), "/bookings/{bookingId}", "", nil},
		{"DELETE", "/bookings/" + id, "/bookings/{bookingId}", "", nil},
		{"GET", "/venues/harbour/pools/main/days" + days, "/venues/{venue}/pools/{pool}/days", "", nil},
		{"GET", "/venues/harbour/pools/main/days?from=x", "/venues/{venue}/pools/{pool}/days", "", nil},
		{"POST", "/venues/harbour/pools/main/admission", "/venues/{venue}/pools/{pool}/admission", `{"buyer":"u-3"}`, nil},
		{"POST", "/venues/harbour/pools/main/admission", "/venues/{venue}/pools/{pool}/admission", `{"buyer":""}`, nil},
		{"POST", event + "/admission", "/events/{eventId}/admission", `{"buyer":"u-3"}`, nil},
		{"GET", "/admission", "/admission", "", []string{"Admission-Token", "x"}},
		{"GET", "/admission", "/admission", "", nil},
		{"POST", "/payments/webhook", "/payments/webhook", "{}", nil},
		{"POST", "/payments/webhook/simulated", "/payments/webhook/{provider}", "{}", nil},
		{"GET", "/healthz", "/healthz", "", nil},
		{"GET", "/readyz", "/readyz", "", nil},
	} {
		r := l.send(t, c.method, c.path, c.body, c.headers...)
		doc.check(t, c.method, c.in, r)
	}
}

// check reports how an answer to method on a path differs from the document.
func (d document) check(t *testing.T, method, path string, r reply) {
	t.Helper()
	answer, promised := d.Paths[path][strings.ToLower(method)].Responses[fmt.Sprint(r.status)]
	if !promised {
		t.Errorf("%s %s = %d %s: not in the document", method, path, r.status, r.text)
		return
	}
	if r.text == "" {
		return
	}
	content, ok := answer.Content[r.header.Get("Content-Type")]
	var value any
	if err := json.Unmarshal([]byte(r.text), &value); err != nil || !ok {
		t.Errorf("%s %s = %d %s %s: %v", method, path, r.status, r.header.Get("Content-Type"), r.text, err)
		return
	}
	for _, wrong := range d.conforms(content.Schema, "answer", value) {
		t.Errorf("%s %s = %d: %s in %s", method, path, r.status, wrong, r.text)
	}
}

func TestListDays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hold(t, "u-1", 4)
	l := b.daemons[1]
	list := func(query string) []map[string]any {
		t.Helper()
		r := l.send(t, http.MethodGet, "/venues/harbour/pools/main/days"+query, "")
		var days []map[string]any
		if err := json.Unmarshal([]byte(r.text), &days); err != nil || r.status != http.StatusOK {
			t.Fatalf("%s = %d %s", query, r.status, r.text)
		}
		return days
	}
	all := list("")
	today := b.Day.Add(-7).String()
	if len(all) < 14 || all[0]["day"] != today {
		t.Errorf("without from: %d days from %v, want the horizon from %s", len(all), all[0]["day"], today)
	}
	one := list(fmt.Sprintf("?from=%s&to=%s", b.Day, b.Day))
	if len(one) != 1 || one[0]["taken"] != 4.0 || one[0]["left"] != 8.0 || one[0]["capacity"] != 10.0 {
		t.Errorf("days = %v", one)
	}
	// B29: what staff took away below what is sold is not shown as a negative rest.
	lower := inventory.Adjust{N: 1}
	b.SetDay(t, inventory.DayEdit{Capacity: &lower, OverbookLimit: &inventory.Adjust{}})
	one = list(fmt.Sprintf("?from=%s&to=%s", b.Day, b.Day))
	if one[0]["left"] != 0.0 || one[0]["taken"] != 4.0 || one[0]["version"] != 2.0 {
		t.Errorf("oversold day = %v", one)
	}
	if r := l.send(t, http.MethodGet, "/venues/harbour/pools/attic/days", ""); r.status != http.StatusNotFound {
		t.Errorf("unknown pool = %d %s", r.status, r.text)
	}
	if r := l.send(t, http.MethodGet, "/venues/castle/pools/main/days", ""); r.status != http.StatusNotFound {
		t.Errorf("unknown venue = %d %s", r.status, r.text)
	}
}
