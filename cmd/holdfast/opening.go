package main

import (
	"strings"

	"holdfast/inventory"
	"holdfast/timezone"
)

// parseOpening reads exceptions such as "sun=10:00-18:00", "mon-fri=09:00-22:00"
// or "sun=closed". Days that are not named stay as in base; none may be in two.
func parseOpening(base inventory.OpeningWeek, exceptions []string) (inventory.OpeningWeek, error) {
	week := base
	var seen [7]bool
	for _, text := range exceptions {
		names, value, ok := strings.Cut(strings.TrimSpace(text), "=")
		if !ok {
			return base, inventory.Invalid(openDay, "%q must be DAYS=HOURS, such as sun=10:00-18:00 or sat-sun=closed", text)
		}
		days, err := parseDayNames(openDay, names)
		if err != nil {
			return base, err
		}
		hours, err := timezone.ParseHours(value)
		if err != nil {
			return base, badInput(openDay, err)
		}
		for _, d := range days {
			if seen[d] {
				return base, inventory.Invalid(openDay, "%s is given twice", dayNames[d])
			}
			seen[d], week[d] = true, hours
		}
	}
	return week, nil
}

// openDay is the flag that parseOpening reads.
const openDay = "open-day"

// formatOpening writes a week as parseOpening reads it, runs of equal days
// together: "mon-fri=09:00-22:00 sat-sun=closed".
func formatOpening(w inventory.OpeningWeek) string {
	var parts []string
	for from := 0; from < len(w); {
		to := from
		for to+1 < len(w) && w[to+1] == w[from] {
			to++
		}
		name := dayNames[from]
		if to > from {
			name += "-" + dayNames[to]
		}
		parts = append(parts, name+"="+w[from].String())
		from = to + 1
	}
	return strings.Join(parts, " ")
}
