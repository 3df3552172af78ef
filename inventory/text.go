package inventory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxName   = 200
	maxSlug   = 63
	maxReason = 500
	// MaxQuantity bounds one claim on a pool day.
	MaxQuantity = 10_000
	// MaxCapacity bounds capacity and overbook_limit of a pool day.
	MaxCapacity = 1_000_000
)

// CheckSlug accepts what can stand in a URL and on a command line unquoted:
// lower-case ASCII letters, digits and inner hyphens, at most 63.
func CheckSlug(field, s string) error {
	if !isSlug(s) {
		return Invalid(field, "must be 1-63 lower-case letters, digits and inner hyphens")
	}
	return nil
}

// isSlug is looked at for each hold: a regular expression would take longer than
// all other looks at a request.
func isSlug(s string) bool {
	if s == "" || len(s) > maxSlug || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// CheckText refuses text that is empty, longer than max characters, not UTF-8,
// surrounded by blanks, or that holds control, formatting or line-breaking
// characters. What passes may still be any script and any emoji.
func CheckText(field, s string, max int) error {
	switch {
	case s == "":
		return Invalid(field, "is missing")
	case !utf8.ValidString(s):
		return Invalid(field, "is not valid UTF-8")
	case utf8.RuneCountInString(s) > max:
		return Invalid(field, "is longer than %d characters", max)
	case strings.TrimSpace(s) != s:
		return Invalid(field, "must not begin or end with a blank")
	}
	for _, r := range s {
		if unprintable(r) {
			return Invalid(field, "must not contain control or invisible formatting characters (U+%04X)", r)
		}
	}
	return nil
}

// unprintable is true for characters that move the cursor, hide or reorder
// text. The zero-width joiner and variation selectors stay: emoji and several
// scripts need them.
func unprintable(r rune) bool {
	switch {
	case r == utf8.RuneError, unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case r == '\u200d', r == '\u200c':
		return false
	}
	return unicode.Is(unicode.Cf, r)
}
