package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"holdfast/inventory/payment/signature"
	"holdfast/timezone"
)

// HeaderSignature is the header that signs a webhook: t=UNIX,v1=HEX[,v1=HEX...].
const HeaderSignature = "Stripe-Signature"

// verifier verifies webhooks by Stripe's scheme: HMAC-SHA256 over "t.body", with
// the exact bytes of the body.
type verifier struct {
	clock   timezone.Clock
	secrets []Secret
}

// verify fails with signature.ErrNotAuthentic unless h has exactly one signature
// header with exactly one timestamp within signature.Tolerance of now, and at
// least one v1 in it was made over body with a secret that has not ended.
func (v verifier) verify(h http.Header, body []byte) error {
	values := h.Values(HeaderSignature)
	if len(values) != 1 { // two could be read differently by us and by whoever stands in front of us
		return fmt.Errorf("%w: %d values of %s", signature.ErrNotAuthentic, len(values), HeaderSignature)
	}
	signed, err := parseSigned(values[0])
	if err != nil {
		return fmt.Errorf("%w: %w", signature.ErrNotAuthentic, err)
	}
	now := v.clock.Now()
	if off := now.Sub(signed.at); off > signature.Tolerance || off < -signature.Tolerance {
		return fmt.Errorf("%w: signed %s from now", signature.ErrNotAuthentic, off)
	}
	for _, secret := range v.secrets {
		if !secret.until.IsZero() && now.After(secret.until) {
			continue
		}
		if signed.fits(secret.key, body) {
			return nil
		}
	}
	return fmt.Errorf("%w: no signature fits", signature.ErrNotAuthentic)
}

// signedHeader is what the header says.
type signedHeader struct {
	stamp string // as it was written: this is what is signed
	at    time.Time
	v1    []string
}

// fits compares in constant time, and compares the hex as text: then there is
// only one way to write a signature.
func (s signedHeader) fits(key, body []byte) bool {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(s.stamp + "."))
	mac.Write(body)
	want := []byte(hex.EncodeToString(mac.Sum(nil)))
	for _, got := range s.v1 {
		if hmac.Equal(want, []byte(got)) {
			return true
		}
	}
	return false
}

// parseSigned reads the header. Parts other than t and v1 are ignored: v0 is a
// scheme for tests, and there may be a v2 one day.
func parseSigned(header string) (signedHeader, error) {
	var s signedHeader
	for part := range strings.SplitSeq(header, ",") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return signedHeader{}, errors.New("a part of the signature header has no =")
		}
		switch name {
		case "t":
			if s.stamp != "" {
				return signedHeader{}, errors.New("two timestamps")
			}
			at, err := parseStamp(value)
			if err != nil {
				return signedHeader{}, err
			}
			s.stamp, s.at = value, at
		case "v1":
			s.v1 = append(s.v1, value)
		}
	}
	switch {
	case s.stamp == "":
		return signedHeader{}, errors.New("no timestamp")
	case len(s.v1) == 0:
		return signedHeader{}, errors.New("no v1 signature")
	}
	return s, nil
}

// parseStamp reads seconds since 1970, in digits only and without leading zeros.
func parseStamp(s string) (time.Time, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != s {
		return time.Time{}, errors.New("the timestamp is not a plain number")
	}
	return time.Unix(n, 0).UTC(), nil
}
