package main

import (
	"testing"

	"holdfast/inventory"
	"holdfast/timezone"
)

func TestParseOpening(t *testing.T) {
	t.Parallel()
	usual, err := timezone.ParseHours("09:00-22:00")
	if err != nil {
		t.Fatal(err)
	}
	base := inventory.OpenEveryDay(usual)
	for want, exceptions := range map[string][]string{
		"mon-sun=09:00-22:00":                                nil,
		"mon-sat=09:00-22:00 sun=10:00-18:00":                {"sun=10:00-18:00"},
		"mon=closed tue-thu=09:00-22:00 fri-sun=closed":      {"fri-mon=closed"},
		"mon-fri=18:00-02:00 sat-sun=00:00-24:00":            {"mon-fri=18:00-02:00", " sat-sun=00:00-24:00 "},
		"mon-tue=09:00-22:00 wed=closed thu-sun=09:00-22:00": {"wed=closed"},
	} {
		week, err := parseOpening(base, exceptions)
		if err != nil || formatOpening(week) != want {
			t.Errorf("parseOpening(%q) = %q, %v; want %q", exceptions, formatOpening(week), err, want)
		}
	}
	for _, exceptions := range [][]string{
		{""},
		{"sun"},
		{"sun="},
		{"funday=10:00-18:00"},
		{"sun=10-18"},
		{"sun=10:00-10:00"},
		{"sun=25:00-26:00"},
		{"sun=10:00-18:00", "sat-sun=closed"},
	} {
		if week, err := parseOpening(base, exceptions); err == nil || week != base {
			t.Errorf("parseOpening(%q) = %q, %v; want it refused and nothing changed", exceptions, formatOpening(week), err)
		}
	}
}
