package signature

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"holdfast/timezone"
)

// Headers of a signed webhook.
const (
	HeaderID        = standardwebhooks.HeaderWebhookID
	HeaderTimestamp = standardwebhooks.HeaderWebhookTimestamp
	HeaderSignature = standardwebhooks.HeaderWebhookSignature
)

// Tolerance is how far a webhook's timestamp may be from our clock, in either
// direction.
const Tolerance = 300 * time.Second

// ErrNotAuthentic says that a webhook was not signed by whom it should be, or
// not now. The reason wrapped with it is for the log; senders are told nothing.
var ErrNotAuthentic = errors.New("webhook is not authentic")

// Signer signs webhooks.
type Signer struct{ keys [][]byte }

// NewSigner returns a Signer that signs with every one of secrets, so that a
// receiver may know the old or the new one.
func NewSigner(secrets ...Secret) Signer {
	var s Signer
	for _, secret := range secrets {
		s.keys = append(s.keys, secret.keys...)
	}
	return s
}

// Sign sets the three headers for body on h.
func (s Signer) Sign(h http.Header, id string, at time.Time, body []byte) error {
	parts := make([]string, 0, len(s.keys))
	for _, key := range s.keys {
		hook, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return fmt.Errorf("sign webhook %s: %w", id, err)
		}
		part, err := hook.Sign(id, at, body)
		if err != nil {
			return fmt.Errorf("sign webhook %s: %w", id, err)
		}
		parts = append(parts, part)
	}
	h.Set(HeaderID, id)
	h.Set(HeaderTimestamp, strconv.FormatInt(at.Unix(), 10))
	h.Set(HeaderSignature, strings.Join(parts, " "))
	return nil
}

// Verifier verifies webhooks.
type Verifier struct {
	clock   timezone.Clock
	secrets []Secret
}

// NewVerifier returns a Verifier that accepts what any of secrets signed. It
// fails without a secret, since it would then accept nothing.
func NewVerifier(clock timezone.Clock, secrets ...Secret) (*Verifier, error) {
	if len(secrets) == 0 {
		return nil, errors.New("no webhook secret")
	}
	for _, s := range secrets {
		if len(s.keys) == 0 {
			return nil, errors.New("empty webhook secret")
		}
	}
	return &Verifier{clock, secrets}, nil
}

// Verify fails with ErrNotAuthentic unless h carries exactly one id, exactly
// one timestamp within Tolerance of now, and at least one v1 signature over
// body by a secret that has not ended. body must be the bytes as received.
func (v *Verifier) Verify(h http.Header, body []byte) error {
	id, err1 := single(h, HeaderID)
	stamp, err2 := single(h, HeaderTimestamp)
	_, err3 := single(h, HeaderSignature)
	if err := errors.Join(err1, err2, err3); err != nil {
		return fmt.Errorf("%w: %w", ErrNotAuthentic, err)
	}
	at, err := parseStamp(stamp)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotAuthentic, err)
	}
	now := v.clock.Now()
	if off := now.Sub(at); off > Tolerance || off < -Tolerance {
		return fmt.Errorf("%w: signed %s from now", ErrNotAuthentic, off)
	}
	for _, secret := range v.secrets {
		if !secret.until.IsZero() && now.After(secret.until) {
			continue
		}
		for _, key := range secret.keys {
			// The library compares in constant time; only its tolerance is not
			// used, as it reads the machine's clock by itself.
			hook, err := standardwebhooks.NewWebhookRaw(key)
			if err == nil && hook.VerifyIgnoringTimestamp(body, h) == nil {
				return nil
			}
		}
	}
	return fmt.Errorf("%w: no signature fits %q", ErrNotAuthentic, id)
}

// single returns the only value of a header. Two values could be read
// differently by us and by whoever stands in front of us.
func single(h http.Header, name string) (string, error) {
	values := h.Values(name)
	if len(values) != 1 || values[0] == "" {
		return "", fmt.Errorf("%d values of %s", len(values), name)
	}
	return values[0], nil
}

// parseStamp reads seconds since 1970, in digits only: strconv would also take
// a sign, and the signature is made over the number that was read.
func parseStamp(s string) (time.Time, error) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return time.Time{}, fmt.Errorf("timestamp %q is not a number", s)
		}
	}
	if len(s) > 1 && s[0] == '0' {
		return time.Time{}, fmt.Errorf("timestamp %q has leading zeros", s)
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("timestamp %q is out of range", s)
	}
	return time.Unix(n, 0).UTC(), nil
}
