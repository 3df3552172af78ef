package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Small ways to write values in tables and CSV.

func yes(b bool, text string) string {
	if b {
		return text
	}
	return ""
}

func decimal[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// instant writes an instant in UTC to the second; the zero time is empty.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// span is a length of time as people type it: 10m, not 10m0s.
type span time.Duration

func (d span) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// MarshalText writes the span as String does.
func (d span) MarshalText() ([]byte, error) { return []byte(d.String()), nil } //nolint:unparam // encoding.TextMarshaler

// arrow shows a value before and after, or the one that stays.
func arrow(before, after string) string {
	if before == after {
		return after
	}
	return before + " -> " + after
}

// rawJSON is a JSON text from the database, null if there is none.
func rawJSON(b []byte) json.RawMessage {
	if len(b) == 0 {
		return json.RawMessage("null")
	}
	return b
}
