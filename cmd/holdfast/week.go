package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"holdfast/inventory"
)

// dayNames in the order of a Week.
var dayNames = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// parseWeek reads a weekly template such as "mon-fri=80+3,sat=120,sun=closed":
// capacity and overbook_limit, or closed. Days that are not named stay as in
// base; a closed day keeps its counts for the day it opens.
func parseWeek(base inventory.Week, text string) (inventory.Week, error) {
	week := base
	var seen [7]bool
	for part := range strings.SplitSeq(text, ",") {
		names, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return base, weekFault("%q must be DAYS=CAPACITY[+OVERBOOK] or DAYS=closed", part)
		}
		days, err := parseDayNames("week", names)
		if err != nil {
			return base, err
		}
		for _, d := range days {
			if seen[d] {
				return base, weekFault("%s is given twice", dayNames[d])
			}
			seen[d] = true
			if week[d], err = parseTemplate(week[d], value); err != nil {
				return base, err
			}
		}
	}
	return week, nil
}

func weekFault(format string, args ...any) error { return inventory.Invalid("week", format, args...) }

// parseDayNames reads "sat" or "mon-fri"; a range may run over Sunday.
func parseDayNames(field, text string) ([]int, error) {
	first, last, isRange := strings.Cut(text, "-")
	from, to := slices.Index(dayNames, first), slices.Index(dayNames, first)
	if isRange {
		to = slices.Index(dayNames, last)
	}
	if from < 0 || to < 0 {
		return nil, inventory.Invalid(field, "%q is no day of the week: use mon, tue, wed, thu, fri, sat, sun or a range such as mon-fri", text)
	}
	days := []int{from}
	for d := from; d != to; {
		d = (d + 1) % 7
		days = append(days, d)
	}
	return days, nil
}

func parseTemplate(t inventory.DayTemplate, value string) (inventory.DayTemplate, error) {
	if value == "closed" {
		t.Closed = true
		return t, nil
	}
	capacity, overbook, both := strings.Cut(value, "+")
	t.Closed = false
	var err error
	if t.Capacity, err = parseCount(capacity); err != nil {
		return t, err
	}
	t.OverbookLimit = 0
	if both {
		t.OverbookLimit, err = parseCount(overbook)
	}
	return t, err
}

func parseCount(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n > inventory.MaxCapacity {
		return 0, weekFault("%q must be a whole number from 0 to %d", s, inventory.MaxCapacity)
	}
	return int(n), nil
}

// formatWeek writes a week so that parseWeek reads it back: runs of equal days
// together.
func formatWeek(w inventory.Week) string {
	var parts []string
	for from := 0; from < 7; {
		to := from
		for to+1 < 7 && w[to+1] == w[from] {
			to++
		}
		name := dayNames[from]
		if to > from {
			name += "-" + dayNames[to]
		}
		parts = append(parts, name+"="+formatTemplate(w[from]))
		from = to + 1
	}
	return strings.Join(parts, ",")
}

func formatTemplate(t inventory.DayTemplate) string {
	switch {
	case t.Closed:
		return "closed"
	case t.OverbookLimit > 0:
		return fmt.Sprintf("%d+%d", t.Capacity, t.OverbookLimit)
	}
	return strconv.Itoa(t.Capacity)
}
