package config

import (
	"log/slog"
	"net/url"
	"regexp"
)

const hidden = "***"

// Secret is text that prints as *** however it is printed. Only Reveal gives it
// away.
type Secret string

// Reveal returns the secret itself, for the one place that needs it.
func (s Secret) Reveal() string { return string(s) }

// String hides the secret; an empty one shows as empty.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText hides the secret from JSON, TOML and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue hides the secret from logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// keywordPassword finds a password in libpq's keyword/value form and in the
// query of a URL. passfile is no password.
var keywordPassword = regexp.MustCompile(`(?i)(^|[\s?&])(ssl)?password\s*=`)

// holdsPassword reports whether a DSN has a password in it.
func holdsPassword(dsn string) bool {
	if u, err := url.Parse(dsn); err == nil && u.User != nil {
		if _, set := u.User.Password(); set {
			return true
		}
	}
	return keywordPassword.MatchString(dsn)
}
