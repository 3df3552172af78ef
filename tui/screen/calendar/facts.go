package calendar

import (
	"fmt"
	"strconv"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/dialog"
)

// maxListed is how many days a question names before it counts the rest.
const maxListed = 5

// changedDays names the days that are changed.
func changedDays(changes []inventory.DayChange) string {
	text := ""
	n := 0
	for _, c := range changes {
		if !c.Changes() {
			continue
		}
		if n++; n <= maxListed {
			if n > 1 {
				text += ", "
			}
			text += timezone.DayLabel(c.After.Day)
		}
	}
	if n > maxListed {
		text += fmt.Sprintf(" and %d more", n-maxListed)
	}
	return text
}

// facts is what a question says about a plan: what happens, what cannot, and
// what if the world has moved.
func facts(r review) []dialog.Fact {
	var out []dialog.Fact
	for _, text := range happenings(r.plan) {
		label := ""
		if len(out) == 0 {
			label = "What happens"
		}
		out = append(out, dialog.Fact{Label: label, Text: text})
	}
	return append(out,
		dialog.Fact{Text: r.leftWords()},
		dialog.Fact{Label: "What cannot happen", Text: "a booking or a hold is lost or touched"},
		dialog.Fact{Label: "If a day has moved", Text: "nothing is saved; you see who changed it"},
	)
}

// happenings says what a plan does, a line for each kind of change.
func happenings(plan inventory.DayPlan) []string {
	var capacity, overbook span
	opens, closes, made := 0, 0, 0
	for _, c := range plan.Changes {
		if !c.Changes() {
			continue
		}
		capacity.add(c.Before.Capacity, c.After.Capacity)
		overbook.add(c.Before.OverbookLimit, c.After.OverbookLimit)
		switch {
		case c.Missing:
			made++
		case c.After.StopSell && !c.Before.StopSell:
			closes++
		case !c.After.StopSell && c.Before.StopSell:
			opens++
		}
	}
	var out []string
	for _, line := range []string{
		capacity.words("capacity"), overbook.words("overbook"),
		happen(closes, "sells nothing any more", "sell nothing any more"), happen(opens, "sells again", "sell again"),
		happen(made, "is made new", "are made new"),
	} {
		if line != "" {
			out = append(out, line)
		}
	}
	return out
}

func happen(n int, one, many string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 day " + one
	}
	return count(n, "day") + " " + many
}

// span is how far a count moves on many days.
type span struct {
	days              int
	lowFrom, highFrom int
	lowTo, highTo     int
}

func (s *span) add(from, to int) {
	if from == to {
		return
	}
	if s.days == 0 {
		*s = span{0, from, from, to, to}
	}
	s.days++
	s.lowFrom, s.highFrom = min(s.lowFrom, from), max(s.highFrom, from)
	s.lowTo, s.highTo = min(s.lowTo, to), max(s.highTo, to)
}

func (s *span) words(what string) string {
	if s.days == 0 {
		return ""
	}
	between := func(low, high int) string {
		if low == high {
			return strconv.Itoa(low)
		}
		return strconv.Itoa(low) + ".." + strconv.Itoa(high)
	}
	return fmt.Sprintf("%s %s -> %s on %s", what, between(s.lowFrom, s.highFrom), between(s.lowTo, s.highTo), count(s.days, "day"))
}

// capitalised makes the first letter a capital one.
func capitalised(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}
