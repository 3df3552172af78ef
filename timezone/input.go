package timezone

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// InputError says why something typed about time was not accepted: a zone, a day, a
// rule over days, opening hours, a local time.
// Callers add the name of the field it was typed into.
type InputError struct {
	Input string // what was typed, unchanged: quote it before it meets a terminal

	// Problem is a clause for a person, without the field's name and without a
	// full stop: "February 2026 has 28 days". Parts of Input inside it are quoted.
	Problem string

	// Word is the part of Input that is wrong and At its byte offset; a form can
	// mark it. Word is empty when the input as a whole is wrong.
	Word string
	At   int

	// Suggestion is what was probably meant, ready to be typed; empty if unknown.
	Suggestion string
}

// Error returns the problem, followed by the suggestion if there is one.
func (e *InputError) Error() string {
	if e.Suggestion == "" {
		return e.Problem
	}
	return fmt.Sprintf("%s; did you mean %s?", e.Problem, e.Suggestion)
}

// quote shows foreign text on one line, cut to a length that fits a message,
// with everything that could steer a terminal escaped.
func quote(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "..."
	}
	return fmt.Sprintf("%+q", s)
}

// nearest returns the candidate that is at most a slip or two of the finger
// away from typed, ignoring case, or "". The first of equals wins.
func nearest(typed string, candidates []string) string {
	typed = strings.ToLower(typed)
	best, bestSlips := "", 1+min(2, len(typed)/3)
	for _, c := range candidates {
		if n := slips(typed, strings.ToLower(c), bestSlips); n < bestSlips {
			best, bestSlips = c, n
		}
	}
	return best
}

// slips counts the letters to change, add, drop or swap with their neighbour to
// turn a into b; it may stop counting at limit.
func slips(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	next := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
