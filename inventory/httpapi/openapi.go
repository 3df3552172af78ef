package httpapi

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// about is what the API's own document says of a route. Bodies are given by
// the Go types that are decoded and written, so the document cannot promise
// another form than is sent.
type about struct {
	id       string
	summary  string
	text     string
	keyed    bool // takes an Idempotency-Key
	body     any  // nil: none
	raw      bool // the body is the provider's affair
	optional bool // the body may be left out
	answers  map[int]any
	refusals []int
}

var (
	aboutPlaceHold = about{
		id: "placeHold", summary: "Take places for a limited time", keyed: true, body: holdBody{},
		answers: map[int]any{201: bookingView{}}, refusals: []int{400, 401, 403, 404, 409, 413, 415, 422, 503, 504},
		text: "The same key with the same body is answered with the first answer. 409 carries SOLD_OUT, HOLD_EXISTS, STOP_SELL, " +
			"NOT_ON_SALE, CUTOFF_PASSED, LIMIT_PER_BUYER or IN_PROGRESS. 504 means that it may have been done: ask again with the same key.",
	}
	aboutGetBooking = about{
		id: "getBooking", summary: "Read a booking, always exact",
		answers: map[int]any{200: bookingView{}}, refusals: []int{401, 403, 404, 503},
	}
	aboutReleaseHold = about{
		id: "releaseHold", summary: "Give a hold back", text: "Doing it again is 204 as well.",
		answers: map[int]any{204: nil}, refusals: []int{401, 403, 404, 409, 503, 504},
	}
	aboutPay = about{
		id: "pay", summary: "Start paying for a hold", keyed: true, body: payBody{}, optional: true,
		answers: map[int]any{200: payView{}, 202: payView{}}, refusals: []int{400, 401, 403, 404, 409, 413, 415, 422, 503, 504},
		text: "202: the payment is not decided, also when the provider did not answer. 200: it is, and state says how " +
			"(HELD again after a decline, while there is time).",
	}
	aboutListDays = about{
		id: "listDays", summary: "Days of a pool and what is left on them",
		text:    "From today at the venue and for 31 days, unless from and to say otherwise; 366 days at most.",
		answers: map[int]any{200: []dayView{}}, refusals: []int{401, 404, 422, 503},
	}
	aboutWebhook = about{
		id: "providerEvent", summary: "Callback of the default payment provider", raw: true,
		answers: map[int]any{204: nil}, refusals: []int{400, 401, 404, 413, 415, 503, 504},
		text: "Signed by the provider over the exact bytes. 204 once it is stored.",
	}
	aboutWebhookOf = about{
		id: "providerEventOf", summary: "Callback of a payment provider", raw: true,
		answers: map[int]any{204: nil}, refusals: []int{400, 401, 404, 413, 415, 503, 504},
	}
	aboutHealthz = about{
		id: "healthz", summary: "The process answers", answers: map[int]any{200: healthView{}},
	}
	aboutReadyz = about{
		id: "readyz", summary: "Requests should come here", answers: map[int]any{200: healthView{}}, refusals: []int{503},
	}
	aboutDocument = about{
		id: "openapi", summary: "This document", answers: map[int]any{200: map[string]any{}},
	}
)

const bearer = "token"

// describe writes the OpenAPI document of routes.
func describe(routes []route) ([]byte, error) {
	schemas := huma.NewMapRegistry("#/components/schemas/", schemaName)
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "holdfast", Version: "1",
			Description: "Holds, bookings and payments for places that are counted per day. Errors are RFC 9457 documents with a code.",
		},
		Components: &huma.Components{
			Schemas:         schemas,
			SecuritySchemes: map[string]*huma.SecurityScheme{bearer: {Type: "http", Scheme: "bearer", Description: "made with `holdfast client add`"}},
		},
	}
	for _, rt := range routes {
		doc.AddOperation(operation(rt, schemas))
	}
	data, err := doc.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("httpapi: write openapi.json: %w", err)
	}
	return data, nil
}

// schemaName names a schema after its type: bookingView becomes Booking.
func schemaName(t reflect.Type, hint string) string {
	names := map[string]string{
		"holdBody": "NewHold", "bookingView": "Booking", "moneyView": "Money", "paymentView": "Payment", "payBody": "Pay",
		"payView": "Paying", "attemptView": "PaymentAttempt", "dayView": "PoolDay", "healthView": "Health",
		"problemBody": "Problem", "problemField": "FieldProblem",
	}
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if name, ok := names[t.Name()]; ok {
		return name
	}
	return huma.DefaultSchemaNamer(t, hint)
}

func operation(rt route, schemas huma.Registry) *huma.Operation {
	op := &huma.Operation{
		Method: rt.method, Path: rt.path,
		OperationID: rt.about.id, Summary: rt.about.summary, Description: rt.about.text,
		Parameters: parameters(rt), Responses: map[string]*huma.Response{},
	}
	if !rt.open {
		op.Security = []map[string][]string{{bearer: {}}}
	}
	switch {
	case rt.about.raw:
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {}}}
	case rt.about.body != nil:
		op.RequestBody = &huma.RequestBody{Required: !rt.about.optional, Content: jsonOf("application/json", rt.about.body, schemas)}
	}
	for status, body := range rt.about.answers {
		answer := &huma.Response{Description: http.StatusText(status)}
		if body != nil {
			answer.Content = jsonOf("application/json", body, schemas)
		}
		op.Responses[strconv.Itoa(status)] = answer
	}
	refusals := rt.about.refusals
	if rt.slots != nil {
		refusals = append([]int{http.StatusInternalServerError}, refusals...)
	}
	for _, status := range refusals {
		op.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status), Content: jsonOf("application/problem+json", problemBody{}, schemas),
		}
	}
	return op
}

func jsonOf(kind string, body any, schemas huma.Registry) map[string]*huma.MediaType {
	schema := schemas.Schema(reflect.TypeOf(body), true, "")
	schema.Nullable = false // an empty list is [], never null
	return map[string]*huma.MediaType{kind: {Schema: schema}}
}

func parameters(rt route) []*huma.Param {
	var all []*huma.Param
	for _, name := range []string{"bookingId", "venue", "pool", "provider"} {
		if strings.Contains(rt.path, "{"+name+"}") {
			all = append(all, &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: "string"}})
		}
	}
	for _, name := range rt.query {
		if name != anyQuery[0] {
			all = append(all, &huma.Param{Name: name, In: "query", Schema: &huma.Schema{Type: "string", Format: "date"}})
		}
	}
	if rt.about.keyed {
		all = append(all, &huma.Param{
			Name: "Idempotency-Key", In: "header", Required: true, Schema: &huma.Schema{Type: "string"},
			Description: "1 to 255 visible ASCII characters, bare or quoted; kept for 72 hours at least",
		})
	}
	return all
}
