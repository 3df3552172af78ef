package calendar

import (
	"fmt"
	"strings"

	"github.com/rickb777/date"

	"holdfast/timezone"
)

// maxRule is the longest text of days that anybody would read.
const maxRule = 120

// ruleOf writes sorted days in the day language: a day, a period, the same
// weekday of a month, or a list of these. When that gets too long to read it is
// only a count, which the day language does not know.
func ruleOf(days []date.Date) string {
	if text, ok := weekdayRule(days); ok {
		return text
	}
	var parts []string
	for i := 0; i < len(days); {
		j := i
		for j+1 < len(days) && days[j+1] == days[j].Add(1) {
			j++
		}
		part := days[i].String()
		if j > i {
			part += ".." + days[j].String()
		}
		parts = append(parts, part)
		i = j + 1
	}
	if text := strings.Join(parts, "; "); len(text) <= maxRule {
		return text
	}
	return count(len(days), "marked day")
}

// weekdayRule writes days that are a week apart as "2027-01 fri" when they are
// all of their month, else as a period of these weekdays.
func weekdayRule(days []date.Date) (string, bool) {
	const enough = 3 // fewer are easier to read one by one
	if len(days) < enough {
		return "", false
	}
	for i, d := range days[1:] {
		if d != days[i].Add(daysInWeek) {
			return "", false
		}
	}
	first, last := days[0], days[len(days)-1]
	if first.Month() == last.Month() && first.Day() <= daysInWeek && last.Add(daysInWeek).Month() != last.Month() {
		return fmt.Sprintf("%04d-%02d %s", first.Year(), first.Month(), weekday(first)), true
	}
	return fmt.Sprintf("%s..%s %s", first, last, weekday(first)), true
}

// weekday is the day of the week in three letters, as the day language has it.
func weekday(d date.Date) string { return strings.ToLower(d.Weekday().String()[:3]) }

// daysInWords says which days these are, for people: how many, and the first
// and last with their weekdays.
func daysInWords(days []date.Date) string {
	switch len(days) {
	case 0:
		return "no day"
	case 1:
		return timezone.DayLabel(days[0])
	}
	first, last := days[0], days[len(days)-1]
	if int(last.Sub(first)) == len(days)-1 {
		return fmt.Sprintf("%s, %s to %s", count(len(days), "day"), timezone.DayLabel(first), timezone.DayLabel(last))
	}
	return fmt.Sprintf("%s between %s and %s", count(len(days), "day"), timezone.DayLabel(first), timezone.DayLabel(last))
}
