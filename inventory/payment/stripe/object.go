package stripe

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	stripego "github.com/stripe/stripe-go/v82"

	"holdfast/inventory"
)

// The members of events that are read here. They have been the same in every API
// version since there are PaymentIntents.
type (
	envelope struct {
		ID       string             `json:"id"`
		Type     stripego.EventType `json:"type"`
		Livemode bool               `json:"livemode"`
		Account  string             `json:"account"` // of a connected account
		Request  cause              `json:"request"`
		Data     struct {
			Object   jsontext.Value `json:"object"`
			Previous jsontext.Value `json:"previous_attributes"` // members that changed, as they were
		} `json:"data"`
	}

	intentObject struct {
		ID             string            `json:"id"`
		Amount         int64             `json:"amount"`
		AmountReceived int64             `json:"amount_received"`
		Currency       string            `json:"currency"`
		Metadata       map[string]string `json:"metadata"`
		LastError      struct {
			Code        string `json:"code"`
			DeclineCode string `json:"decline_code"`
		} `json:"last_payment_error"`
	}

	refundObject struct {
		ID            string                `json:"id"`
		PaymentIntent string                `json:"payment_intent"`
		Amount        int64                 `json:"amount"`
		Currency      string                `json:"currency"`
		Status        stripego.RefundStatus `json:"status"`
		FailureReason string                `json:"failure_reason"`
		Metadata      map[string]string     `json:"metadata"`
	}

	chargeObject struct {
		PaymentIntent  string `json:"payment_intent"`
		AmountRefunded int64  `json:"amount_refunded"` // all that went back so far
		Currency       string `json:"currency"`
		Refunds        struct {
			Data []refundObject `json:"data"`
		} `json:"refunds"`
	}

	disputeObject struct {
		PaymentIntent string                 `json:"payment_intent"`
		Amount        int64                  `json:"amount"`
		Currency      string                 `json:"currency"`
		Status        stripego.DisputeStatus `json:"status"`
		Reason        string                 `json:"reason"`
	}
)

// cause is the request that led to an event. In old API versions it was the bare
// id of the request.
type cause struct{ IdempotencyKey string }

// UnmarshalJSON takes both forms, and null.
func (c *cause) UnmarshalJSON(data []byte) error {
	if jsontext.Value(data).Kind() != '{' {
		return nil
	}
	var o struct {
		IdempotencyKey string `json:"idempotency_key"`
	}
	err := json.Unmarshal(data, &o)
	c.IdempotencyKey = o.IdempotencyKey
	return err
}

// object decodes what the event is about.
func (e envelope) object(into any) error {
	if e.Data.Object.Kind() != '{' {
		return inventory.Invalid("data.object", "is missing")
	}
	return decodeAt("data.object.", e.Data.Object, into)
}

// decode reads one JSON document of which more may come to be known than is
// today; doubled members are refused, since the two could be read differently.
func decode(text []byte, into any) error { return decodeAt("", text, into) }

// decodeAt is decode for a document inside another, which is found at place.
func decodeAt(place string, text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntactic) && errors.Is(err, jsontext.ErrDuplicateName):
		return inventory.Invalid(place+member(syntactic.JSONPointer), "is there twice")
	case errors.As(err, &syntactic):
		return inventory.Invalid(place+"body", "is not one JSON document")
	case errors.As(err, &semantic):
		return inventory.Invalid(place+member(semantic.JSONPointer), "has the wrong type or range")
	}
	return inventory.Invalid(place+"body", "is not one JSON document")
}

// member writes "/data/object" as "data.object".
func member(p jsontext.Pointer) string {
	if name := strings.ReplaceAll(strings.TrimPrefix(string(p), "/"), "/", "."); name != "" {
		return cut(name)
	}
	return "body"
}
