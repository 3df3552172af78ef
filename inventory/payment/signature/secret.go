// Package signature signs and verifies webhooks by the Standard Webhooks
// scheme: HMAC-SHA256 over "id.timestamp.body", with the exact bytes of the
// body.
package signature

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

const (
	secretPrefix  = "whsec_"
	minSecretSize = 8
	minBase64Key  = 16 // shorter text that happens to be base64 is a plain word
)

// Secret is a signing secret. It prints as *** wherever it ends up.
type Secret struct {
	keys  [][]byte
	until time.Time
}

// NewSecret reads a secret as it was configured. After "whsec_" it is base64,
// as the specification says, and anything else is refused. Without the prefix
// the text itself is the key; if it is base64 as well, what it decodes to also
// counts, since the libraries of the specification decode it and people sign
// with the text. At least 8 characters are needed.
func NewSecret(text string) (Secret, error) {
	encoded, prefixed := strings.CutPrefix(text, secretPrefix)
	if len(encoded) < minSecretSize {
		return Secret{}, fmt.Errorf("a webhook secret needs at least %d characters", minSecretSize)
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	switch {
	case prefixed && err != nil:
		return Secret{}, fmt.Errorf("a webhook secret that begins with %s must go on in base64", secretPrefix)
	case prefixed:
		return Secret{keys: [][]byte{key}}, nil
	case err == nil && len(key) >= minBase64Key:
		return Secret{keys: [][]byte{[]byte(text), key}}, nil
	}
	return Secret{keys: [][]byte{[]byte(text)}}, nil
}

// Until returns the secret with an end: it verifies nothing after t. It is how
// the old one of two secrets leaves during a rotation.
func (s Secret) Until(t time.Time) Secret {
	s.until = t
	return s
}

// String hides the secret.
func (Secret) String() string { return "***" }

// GoString hides the secret from %#v.
func (Secret) GoString() string { return "***" }

// MarshalText hides the secret from JSON and from logs.
func (Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }
