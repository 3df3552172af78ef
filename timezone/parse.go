package timezone

import (
	"fmt"
	"strings"
	"time"

	"github.com/rickb777/date"
)

// Days outside these years are refused wherever they are typed: no venue plans
// there, and a slip of the finger (0206, 20226) lands there.
const (
	FirstYear = 2000
	LastYear  = 2199
)

// ParseDay reads a calendar day, written as YYYY-MM-DD in ASCII digits; blanks
// and tabs around it are ignored. Nothing is guessed or rolled over: any other
// form, a day that its month does not have, and a year outside FirstYear to
// LastYear are an *InputError. (The date package's own parsers turn 2026-02-30
// into 2 March.)
func ParseDay(text string) (date.Date, error) {
	refuse := func(problem string, args ...any) (date.Date, error) {
		return date.Date{}, &InputError{Input: text, Problem: fmt.Sprintf(problem, args...)}
	}
	day := strings.Trim(text, " \t")
	if day == "" {
		return refuse("a day is needed, as YYYY-MM-DD")
	}
	if !looksLike(day, "0000-00-00") {
		return refuse("%s is not a day written as YYYY-MM-DD, such as 2026-06-01", quote(day))
	}
	y, m, d := number(day[:4]), time.Month(number(day[5:7])), number(day[8:])
	switch {
	case y < FirstYear || y > LastYear:
		return refuse("the year of %s is not between %d and %d", day, FirstYear, LastYear)
	case m < time.January || m > time.December:
		return refuse("%s has no such month: months are 01 to 12", day)
	case d < 1:
		return refuse("%s has no such day: days start at 01", day)
	case d > date.DaysIn(y, m):
		return refuse("%s does not exist: %s %d has %d days", day, m, y, date.DaysIn(y, m))
	}
	return date.New(y, m, d), nil
}

// looksLike reports whether s has the shape of pattern, in which 0 stands for
// any ASCII digit.
func looksLike(s, pattern string) bool {
	if len(s) != len(pattern) {
		return false
	}
	for i := range len(s) {
		if pattern[i] == '0' && (s[i] < '0' || s[i] > '9') || pattern[i] != '0' && s[i] != pattern[i] {
			return false
		}
	}
	return true
}

// number reads ASCII digits that looksLike has seen.
func number(digits string) int {
	n := 0
	for _, c := range digits {
		n = 10*n + int(c-'0')
	}
	return n
}
