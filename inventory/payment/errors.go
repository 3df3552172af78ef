// Package payment holds what every payment provider shares: the errors that
// tell "did not answer" from "said no", and the HTTP client that calls out. The
// providers themselves are its sub-packages.
package payment

import "errors"

// What a call to a provider can end in besides an answer. Only ErrRefused says
// that nothing happened; the other two leave the outcome open, and whoever
// called must ask again with the same key, or list, before deciding anything.
var (
	ErrNoAnswer    = errors.New("the provider did not answer")                // timeout, cut, 5xx, 429, or too many calls in flight here
	ErrWrongAnswer = errors.New("the provider's answer contradicts the call") // not the expected JSON, or another amount or reference
	ErrRefused     = errors.New("the provider refused")                       // a definite 4xx: nothing was done
)

// Unknown reports whether err leaves open what the provider did. An unknown
// outcome is never a failure.
func Unknown(err error) bool {
	return errors.Is(err, ErrNoAnswer) || errors.Is(err, ErrWrongAnswer)
}
