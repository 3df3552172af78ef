package timezone_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"holdfast/timezone"
)

func TestParseZone_acceptsPlacesAndOldNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Europe/Berlin":                  "Europe/Berlin",
		"America/Argentina/Buenos_Aires": "America/Argentina/Buenos_Aires",
		"Europe/Oslo":                    "Europe/Oslo", // a place of its own, though a link in the database
		"Arctic/Longyearbyen":            "Arctic/Longyearbyen",
		"Asia/Calcutta":                  "Asia/Kolkata",
		"US/Eastern":                     "America/New_York",
		"Europe/Kyiv":                    "Europe/Kyiv",
		"Europe/Kiev":                    "Europe/Kyiv",
		"GB":                             "Europe/London",
		"Singapore":                      "Asia/Singapore",
		"UTC":                            "UTC",
		"Etc/UTC":                        "UTC",
	} {
		zone, err := timezone.ParseZone(name)
		if err != nil || zone.Name() != want || zone.Location().String() != want || zone.IsZero() {
			t.Errorf("ParseZone(%q) = %v (%v), %v, want %s", name, zone, zone.Location(), err, want)
		}
	}
}

// Case B38 and Z1: what time.LoadLocation or PostgreSQL would take, and should not.
func TestParseZone_B38_refuses(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ problem, suggestion string }{
		"":                 {"is needed", ""},
		"  ":               {"is needed", ""},
		"Local":            {"this machine", ""},
		"local":            {"this machine", ""},
		"localtime":        {"this machine", ""},
		"EST":              {"abbreviation", "America/New_York"},
		"EST5EDT":          {"abbreviation", "America/New_York"},
		"MST":              {"abbreviation", "America/Phoenix"},
		"HST":              {"abbreviation", "Pacific/Honolulu"},
		"CET":              {"abbreviation", "Europe/Berlin"},
		"GMT":              {"abbreviation", "UTC"},
		"Etc/GMT":          {"abbreviation", "UTC"},
		"Zulu":             {"abbreviation", "UTC"},
		"UTC+3":            {"fixed offset", ""},
		"UTC+03:00":        {"fixed offset", ""},
		"GMT-5":            {"fixed offset", ""},
		"+01:00":           {"fixed offset", ""},
		"-0330":            {"fixed offset", ""},
		"Etc/GMT+3":        {"fixed offset", ""},
		"Etc/GMT-14":       {"fixed offset", ""},
		"FOO3":             {"fixed offset", ""},
		"posixrules":       {"file of the zone database", ""},
		"Factory":          {"file of the zone database", ""},
		"europe/berlin":    {"not spelled", "Europe/Berlin"},
		"EUROPE/BERLIN":    {"not spelled", "Europe/Berlin"},
		"utc":              {"not spelled", "UTC"},
		"us/eastern":       {"not spelled", "US/Eastern"},
		"America/New York": {"not spelled", "America/New_York"},
		"Europe/Berlin ":   {"blank", "Europe/Berlin"},
		"\tEurope/Berlin":  {"blank", "Europe/Berlin"},
		"Berlin":           {"region", "Europe/Berlin"},
		"new york":         {"region", "America/New_York"},
		"Europe/Belrin":    {"not a time zone", "Europe/Berlin"},
		"Europe/Berln":     {"not a time zone", "Europe/Berlin"},
		"Europe/Bärlin":    {"not a time zone", "Europe/Berlin"},
		"Europe":           {"region, not a zone", ""},
		"america/":         {"region, not a zone", ""},
		"../etc/passwd":    {"path", ""},
		"/etc/passwd":      {"path", ""},
		`Europe\Berlin`:    {"path", ""},
		"Europe/../Berlin": {"path", ""},
		"posix/Berlin":     {"not a time zone", ""},
		"zone1970.tab":     {"not a time zone", ""},
		"Mars/Olympus":     {"not a time zone", ""},
	} {
		zone, err := timezone.ParseZone(name)
		var input *timezone.InputError
		if !errors.As(err, &input) || !zone.IsZero() {
			t.Errorf("ParseZone(%q) = %v, %v, want an *InputError", name, zone, err)
			continue
		}
		if input.Input != name || !strings.Contains(input.Problem, want.problem) || input.Suggestion != want.suggestion {
			t.Errorf("ParseZone(%q): input %q, error %q, want %q and the suggestion %q", name, input.Input, err, want.problem, want.suggestion)
		}
	}
}

func TestUTC_isTheParsedOne(t *testing.T) {
	t.Parallel()
	if parsed, err := timezone.ParseZone("UTC"); err != nil || parsed != timezone.UTC() {
		t.Errorf("ParseZone(UTC) = %v, %v, want UTC()", parsed, err)
	}
}

func TestZone_text(t *testing.T) {
	t.Parallel()
	var v struct{ Zone timezone.Zone }
	if err := json.Unmarshal([]byte(`{"Zone":"US/Eastern"}`), &v); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(v); err != nil || string(got) != `{"Zone":"America/New_York"}` {
		t.Errorf("Marshal = %s, %v, want today's name", got, err)
	}
	if err := json.Unmarshal([]byte(`{"Zone":"EST"}`), &v); err == nil || v.Zone.Name() != "America/New_York" {
		t.Errorf("Unmarshal of EST: %v, zone now %v; want an error and the old value", err, v.Zone)
	}
}

func FuzzParseZone(f *testing.F) {
	for _, s := range []string{"Europe/Berlin", "Asia/Calcutta", "UTC", "Etc/UTC", "../x", "EST", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		zone, err := timezone.ParseZone(name)
		if err != nil {
			return
		}
		again, err := timezone.ParseZone(zone.Name())
		if err != nil || again.Name() != zone.Name() {
			t.Errorf("ParseZone(%q) = %v, which ParseZone reads as %v, %v", name, zone, again, err)
		}
	})
}
