package httpapi

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const bearer = "token"

// describe writes the OpenAPI document of routes.
func describe(routes []route) ([]byte, error) {
	schemas := huma.NewMapRegistry("#/components/schemas/", schemaName)
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "holdfast", Version: "1",
			Description: "Holds, bookings and payments for places that are counted per day, numbered seats and resources by time. Errors are RFC 9457 documents with a code.",
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
		"moveBody": "Move", "seatHoldBody": "NewSeatHold", "seatHoldView": "SeatHold", "seatMapView": "SeatMap", "seatView": "Seat",
		"eventView": "Event", "seatCountsView": "SeatCounts", "slotView": "Slot",
		"admissionBody": "NewAdmission", "admissionView": "Admission",
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
	if !rt.spared {
		refusals = append(slices.Clip(refusals), http.StatusTooManyRequests)
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
	for _, name := range []string{"bookingId", "eventId", "seatId", "venue", "pool", "resource", "provider"} {
		if strings.Contains(rt.path, "{"+name+"}") {
			all = append(all, &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: "string"}})
		}
	}
	for _, name := range rt.query {
		if name != anyQuery[0] {
			all = append(all, &huma.Param{Name: name, In: "query", Schema: &huma.Schema{Type: "string", Format: "date"}})
		}
	}
	if rt.about.matched {
		all = append(all, &huma.Param{
			Name: "If-Match", In: "header", Required: true, Schema: &huma.Schema{Type: "string"},
			Description: "the version that the change was decided on, in quotes: the ETag of the booking",
		})
	}
	if rt.about.admits {
		all = append(all, &huma.Param{
			Name: admissionHeader, In: "header", Required: rt.method == http.MethodGet, Schema: &huma.Schema{Type: "string"},
			Description: "the token that admission gave to the buyer, where buyers have to wait",
		})
	}
	if rt.about.cached {
		all = append(all, &huma.Param{Name: "If-None-Match", In: "header", Schema: &huma.Schema{Type: "string"}})
	}
	if rt.about.keyed {
		all = append(all, &huma.Param{
			Name: "Idempotency-Key", In: "header", Required: true, Schema: &huma.Schema{Type: "string"},
			Description: "1 to 255 visible ASCII characters, bare or quoted; kept for 72 hours at least",
		})
	}
	return all
}
