package timezone

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// word is one word of the day language, in lower case.
type word struct {
	text  string
	at    int    // byte offset in the input
	raw   string // as typed
	comma bool   // a comma or "and" stands before it
}

// split cuts the input into words; ".." and ";" are words of their own, filler
// words are dropped. Only ASCII blanks separate.
func split(input string) []word {
	var words []word
	comma := false
	for at := 0; at < len(input); {
		n := wordLength(input[at:])
		if n == 0 {
			comma = comma || input[at] == ','
			at++
			continue
		}
		w := word{strings.ToLower(input[at : at+n]), at, input[at : at+n], comma}
		at += n
		switch w.text {
		case "in", "of", "on", "the":
		case "and":
			comma = true
		default:
			words = append(words, w)
			comma = false
		}
	}
	return words
}

// wordLength returns the length of the word that s starts with, 0 if s starts
// with a separator.
func wordLength(s string) int {
	switch {
	case strings.HasPrefix(s, ".."):
		return 2
	case s[0] == ';':
		return 1
	}
	n := strings.IndexAny(s, " \t\r\n,;")
	if n < 0 {
		n = len(s)
	}
	if dots := strings.Index(s[:n], ".."); dots >= 0 {
		n = dots
	}
	return n
}

var week = [...]time.Weekday{
	time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday,
}

var weekdayWords = map[string]weekdays{
	"mon": 1 << time.Monday, "monday": 1 << time.Monday, "mondays": 1 << time.Monday,
	"tue": 1 << time.Tuesday, "tues": 1 << time.Tuesday, "tuesday": 1 << time.Tuesday, "tuesdays": 1 << time.Tuesday,
	"wed": 1 << time.Wednesday, "wednesday": 1 << time.Wednesday, "wednesdays": 1 << time.Wednesday,
	"thu": 1 << time.Thursday, "thur": 1 << time.Thursday, "thurs": 1 << time.Thursday,
	"thursday": 1 << time.Thursday, "thursdays": 1 << time.Thursday,
	"fri": 1 << time.Friday, "friday": 1 << time.Friday, "fridays": 1 << time.Friday,
	"sat": 1 << time.Saturday, "saturday": 1 << time.Saturday, "saturdays": 1 << time.Saturday,
	"sun": 1 << time.Sunday, "sunday": 1 << time.Sunday, "sundays": 1 << time.Sunday,
	"weekdays": workdays, "weekday": workdays, "weekend": weekend, "weekends": weekend,
}

const (
	weekend  weekdays = 1<<time.Saturday | 1<<time.Sunday
	workdays weekdays = 1<<7 - 1 - weekend
)

var monthWords = map[string]time.Month{
	"jan": time.January, "january": time.January, "feb": time.February, "february": time.February,
	"mar": time.March, "march": time.March, "apr": time.April, "april": time.April, "may": time.May,
	"jun": time.June, "june": time.June, "jul": time.July, "july": time.July,
	"aug": time.August, "august": time.August, "sep": time.September, "sept": time.September, "september": time.September,
	"oct": time.October, "october": time.October, "nov": time.November, "november": time.November,
	"dec": time.December, "december": time.December,
}

var ordinalWords = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": last, "other": 2,
}

// grammarWords are the words that stand for themselves.
var grammarWords = []string{"not", "every", "each", "this", "next", "today", "tomorrow", "week", "month", "year", "day"}

// vocabulary returns all words, the plain ones first, for suggestions.
func vocabulary() []string {
	return slices.Concat(grammarWords,
		slices.Sorted(maps.Keys(weekdayWords)), slices.Sorted(maps.Keys(monthWords)), slices.Sorted(maps.Keys(ordinalWords)))
}

// weekdayRun reads a day of the week or a run of them in one word, mon-fri.
func weekdayRun(text string) (weekdays, bool) {
	if set, ok := weekdayWords[text]; ok {
		return set, true
	}
	from, to, ok := strings.Cut(text, "-")
	if !ok {
		return 0, false
	}
	return weekdaysBetween(weekdayWords[from], weekdayWords[to])
}

// weekdaysBetween returns the days from one day of the week through another,
// around the end of the week if need be: fri to mon is four days.
func weekdaysBetween(from, to weekdays) (weekdays, bool) {
	one := func(w weekdays) bool { return w != 0 && w&(w-1) == 0 }
	if !one(from) || !one(to) {
		return 0, false
	}
	set := from
	for d := from; d != to; {
		if d <<= 1; d > 1<<time.Saturday {
			d = 1 << time.Sunday
		}
		set |= d
	}
	return set, true
}

// ordinalWord reads 1st, 2nd, last, other ...
func ordinalWord(text string) (int, bool) {
	if n, ok := ordinalWords[text]; ok {
		return n, true
	}
	if len(text) < 3 || len(text) > 4 {
		return 0, false
	}
	n, err := strconv.Atoi(text[:len(text)-2])
	return n, err == nil && n > 0 && text == ordinal(n)
}
