package stripe

import (
	"errors"
	"strings"
	"time"
)

const hidden = "***"

// mode is Stripe's test or live mode, which share nothing.
func mode(live bool) string {
	if live {
		return "live"
	}
	return "test"
}

// APIKey is a secret or restricted key of an account. It prints as *** wherever
// it ends up.
type APIKey struct {
	text string
	live bool
}

// NewAPIKey reads a key as Stripe shows it: sk_ or rk_, then test_ or live_. A
// publishable key is refused, since it cannot do any of this.
func NewAPIKey(text string) (APIKey, error) {
	for _, kind := range []string{"sk_", "rk_"} {
		for _, live := range []bool{false, true} {
			rest, ok := strings.CutPrefix(text, kind+mode(live)+"_")
			if ok && rest != "" && printable(rest) {
				return APIKey{text, live}, nil
			}
		}
	}
	return APIKey{}, errors.New("a key of Stripe begins with sk_test_, sk_live_, rk_test_ or rk_live_")
}

// String hides the key.
func (APIKey) String() string { return hidden }

// GoString hides the key from %#v.
func (APIKey) GoString() string { return hidden }

// MarshalText hides the key from JSON and from logs.
func (APIKey) MarshalText() ([]byte, error) { return []byte(hidden), nil }

const (
	secretPrefix  = "whsec_"
	minSecretSize = 16 // with the prefix
)

// Secret is the signing secret of a webhook endpoint. It prints as *** wherever
// it ends up.
type Secret struct {
	key   []byte
	until time.Time
}

// NewSecret reads a secret as Stripe shows it, with its "whsec_". The whole text
// is the key: other than in Standard Webhooks it is not base64.
func NewSecret(text string) (Secret, error) {
	if !strings.HasPrefix(text, secretPrefix) || len(text) < minSecretSize || !printable(text) {
		return Secret{}, errors.New("a webhook secret of Stripe begins with " + secretPrefix + " and is longer than that")
	}
	return Secret{key: []byte(text)}, nil
}

// Until returns the secret with an end: it verifies nothing after t. It is how
// the old one of two secrets leaves during a rotation.
func (s Secret) Until(t time.Time) Secret {
	s.until = t
	return s
}

// String hides the secret.
func (Secret) String() string { return hidden }

// GoString hides the secret from %#v.
func (Secret) GoString() string { return hidden }

// MarshalText hides the secret from JSON and from logs.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// printable is true for ASCII without blanks: a key that was pasted with a line
// break in it fails at the start and not at the first payment.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
