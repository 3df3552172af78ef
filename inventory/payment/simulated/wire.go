package simulated

import (
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"holdfast/inventory"
)

// Paths of the provider's API (CONTRACT.md 4).
const (
	pathPayments  = "/v1/payments"
	pathRefunds   = "/v1/refunds"
	pathControl   = "/control"
	pathSettle    = "/control/settle"
	pathDeliver   = "/control/deliver"
	pathElsewhere = "/control/refund"
	pathDispute   = "/control/dispute"
	pathLedger    = "/ledger"

	headerKey = "Idempotency-Key"
)

// State is where a payment or a refund stands at the provider.
type State string

// States in the provider's words.
const (
	StatePending   State = "pending"
	StateSucceeded State = "succeeded"
	StateFailed    State = "failed"
	StateCancelled State = "cancelled" // payments only
)

// DisputeState is where a payer's complaint to the bank stands. While it is
// open, and when it is lost, the provider refunds nothing.
type DisputeState string

// States of a dispute.
const (
	DisputeOpened DisputeState = "opened"
	DisputeWon    DisputeState = "won"
	DisputeLost   DisputeState = "lost"
)

// Reasons of failures, in the provider's words.
const (
	reasonDeclined  = "card declined"
	reasonNoBalance = "insufficient balance"
)

// Payment is a payment in the provider's ledger.
type Payment struct {
	ID           string             `json:"id"`
	Reference    string             `json:"reference"`
	AmountMinor  inventory.Minor    `json:"amountMinor"`
	Currency     inventory.Currency `json:"currency"`
	State        State              `json:"state"`
	Reason       string             `json:"reason,omitzero"`  // of a failure
	Dispute      DisputeState       `json:"dispute,omitzero"` // "" if the payer never disputed it
	ClientSecret string             `json:"clientSecret,omitzero"`
	URL          string             `json:"url,omitzero"`
}

// Refund is a refund in the provider's ledger.
type Refund struct {
	ID          string             `json:"id"`
	Payment     string             `json:"payment"`
	Reference   string             `json:"reference"`
	AmountMinor inventory.Minor    `json:"amountMinor"`
	Currency    inventory.Currency `json:"currency"`
	State       State              `json:"state"`
	Reason      string             `json:"reason,omitzero"` // of a failure
	Key         string             `json:"key"`
}

// newPayment is the body of POST /v1/payments.
type newPayment struct {
	Reference   string             `json:"reference"`
	AmountMinor inventory.Minor    `json:"amountMinor"`
	Currency    inventory.Currency `json:"currency"`
}

func (p newPayment) validate() error {
	_, err := inventory.ParseCurrency(string(p.Currency))
	errs := []error{inventory.CheckText("reference", p.Reference, 255), err}
	if p.AmountMinor <= 0 {
		errs = append(errs, inventory.Invalid("amountMinor", "must be above 0"))
	}
	return errors.Join(errs...)
}

// newRefund is the body of POST /v1/refunds.
type newRefund struct {
	Payment     string          `json:"payment"`
	Reference   string          `json:"reference"`
	AmountMinor inventory.Minor `json:"amountMinor"`
}

func (r newRefund) validate() error {
	errs := []error{
		inventory.CheckText("payment", r.Payment, 255),
		inventory.CheckText("reference", r.Reference, 255),
	}
	if r.AmountMinor <= 0 {
		errs = append(errs, inventory.Invalid("amountMinor", "must be above 0"))
	}
	return errors.Join(errs...)
}

type paymentList struct {
	Payments []Payment `json:"payments"`
}

type refundList struct {
	Refunds []Refund `json:"refunds"`
}

// apiError is the body of every answer of 400 and above.
type apiError struct {
	Code    errorCode `json:"code"`
	Message string    `json:"message"`
}

type errorCode string

const (
	codeInvalid         errorCode = "invalid_request"
	codeKeyMissing      errorCode = "idempotency_key_missing"
	codeKeyReused       errorCode = "idempotency_error"      // the key was used with another body
	codeKeyInUse        errorCode = "idempotency_key_in_use" // its first request is still running
	codeNotFound        errorCode = "not_found"
	codeNotCancellable  errorCode = "payment_not_cancellable"
	codeNotSettleable   errorCode = "not_settleable"
	codeNotRefundable   errorCode = "payment_not_refundable"
	codeRefundTooLarge  errorCode = "refund_exceeds_payment"
	codeDisputed        errorCode = "payment_disputed"
	codeInternalFailure errorCode = "internal_error"
)

// decodeStrict reads one JSON document and nothing else: unknown and doubled
// members are refused, with the member named.
func decodeStrict(body []byte, into any) error {
	return fieldError(json.Unmarshal(body, into, json.RejectUnknownMembers(true)))
}

// decodeTolerant reads one JSON document of which more may come to be known
// than is today; doubled members are refused all the same.
func decodeTolerant(body []byte, into any) error {
	return fieldError(json.Unmarshal(body, into))
}

// fieldError turns a decoder's error into one that names the member.
func fieldError(err error) error {
	var semantic *json.SemanticError
	var syntactic *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return inventory.Invalid(pointer(semantic.JSONPointer), "is not known")
	case errors.As(err, &semantic):
		return inventory.Invalid(pointer(semantic.JSONPointer), "has the wrong type or range")
	case errors.As(err, &syntactic) && errors.Is(err, jsontext.ErrDuplicateName):
		return inventory.Invalid(pointer(syntactic.JSONPointer), "is there twice")
	}
	return inventory.Invalid("body", "is not one JSON document")
}

// pointer writes "/data/amountMinor" as "data.amountMinor".
func pointer(p jsontext.Pointer) string {
	name := ""
	for token := range p.Tokens() {
		if name != "" {
			name += "."
		}
		name += token
	}
	if name == "" {
		return "body"
	}
	return name
}
