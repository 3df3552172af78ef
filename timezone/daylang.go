package timezone

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rickb777/date"
)

// MaxDays is the most days that one DayRule may name: more is a slip, and a
// change of so many days could not be looked through before it is saved.
const MaxDays = 1000

// DayRule is a set of days written in the day language; see [ParseDays]. It is
// immutable. The zero DayRule names no day.
type DayRule struct {
	clauses []clause
	days    []date.Date // sorted, unique
}

// Expand returns the days, earliest first, each once; between 1 and MaxDays of
// them for a parsed rule. The language knows no zones: whether a venue's zone
// has the day is a question for DayStart.
func (r DayRule) Expand() []date.Date { return slices.Clone(r.days) }

// String writes the rule so that it means the same on any day: with years and
// dates in place of words such as "next month". ParseDays reads it back to an
// equal rule.
func (r DayRule) String() string {
	var b strings.Builder
	for i, c := range r.clauses {
		switch {
		case i == 0:
		case c.not:
			b.WriteByte(' ')
		default:
			b.WriteString("; ")
		}
		b.WriteString(c.String())
	}
	return b.String()
}

// clause is one part of a rule: the picked days of some periods, to be added or,
// with not, to be taken away.
type clause struct {
	not     bool
	periods []period // none: all periods that the clauses without not named before
	plain   weekdays // days of the week to pick
	picks   []pick   // more to pick; plain and picks empty: every day
}

// weekdays is a set of days of the week, bit 1<<time.Weekday.
type weekdays uint8

// pick is an ordinal and what it counts.
type pick struct {
	nth   int      // 1, 2 ...; last is -1
	of    weekdays // each day of the week is counted for itself; 0: all days are
	every bool     // every nth of the clause's days, from the first; otherwise the nth of each month
}

const last = -1

// expand adds the clauses up and takes away what follows a not.
func expand(clauses []clause) []date.Date {
	var days, away []date.Date
	var named []period
	for _, c := range clauses {
		periods := c.periods
		if len(periods) == 0 {
			periods = named
		}
		if c.not {
			away = append(away, c.days(periods)...)
			continue
		}
		named = append(named, c.periods...)
		days = append(days, c.days(periods)...)
	}
	days, away = sorted(days), sorted(away)
	return slices.DeleteFunc(days, func(d date.Date) bool {
		_, found := slices.BinarySearchFunc(away, d, compareDays)
		return found
	})
}

func sorted(days []date.Date) []date.Date {
	slices.SortFunc(days, compareDays)
	return slices.Compact(days)
}

func compareDays(a, b date.Date) int { return int(a.Sub(b)) }

// days returns what the clause picks from the periods.
func (c clause) days(periods []period) []date.Date {
	var all []date.Date
	for _, p := range periods {
		for d := p.from; !d.After(p.to); d = d.Add(1) {
			all = append(all, d)
		}
	}
	all = sorted(all)
	if c.plain == 0 && len(c.picks) == 0 {
		return all
	}
	seen := make([][7]int, len(c.picks))
	return slices.DeleteFunc(all, func(d date.Date) bool {
		picked := c.plain.has(d.Weekday())
		for i, p := range c.picks {
			picked = p.takes(d, &seen[i]) || picked // takes counts: it must see every day
		}
		return !picked
	})
}

// takes reports whether the pick takes d. For every, it is called with all days
// in order, and seen keeps the counts between the calls.
func (p pick) takes(d date.Date, seen *[7]int) bool {
	if p.of != 0 && !p.of.has(d.Weekday()) {
		return false
	}
	if p.every {
		counter := 0 // of all days
		if p.of != 0 {
			counter = int(d.Weekday())
		}
		seen[counter]++
		return (seen[counter]-1)%p.nth == 0
	}
	size := 1 // of the stretch of the month in which the nth lies
	if p.of != 0 {
		size = 7
	}
	if p.nth == last {
		return d.Day() > d.LastDayOfMonth()-size
	}
	return (d.Day()-1)/size == p.nth-1
}

func (w weekdays) has(d time.Weekday) bool { return w&(1<<d) != 0 }

func (c clause) String() string {
	var words []string
	if c.not {
		words = append(words, "not")
	}
	for _, p := range c.periods {
		words = append(words, p.String())
	}
	if c.plain != 0 {
		words = append(words, c.plain.String())
	}
	for _, p := range c.picks {
		words = append(words, p.String())
	}
	return strings.Join(words, " ")
}

// String lists the days of the week from Monday on, as mon,tue.
func (w weekdays) String() string {
	var list []string
	for _, d := range week {
		if w.has(d) {
			list = append(list, strings.ToLower(d.String()[:3]))
		}
	}
	return strings.Join(list, ",")
}

func (p pick) String() string {
	text := "day"
	if p.of != 0 {
		text = p.of.String()
	}
	switch {
	case p.every:
		return "every " + ordinal(p.nth) + " " + text
	case p.nth == last:
		return "last " + text + " of each month"
	}
	return ordinal(p.nth) + " " + text + " of each month"
}

func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 { // 11th, 12th, 13th
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
