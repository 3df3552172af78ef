package timezone_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"holdfast/timezone"
)

func directory(t *testing.T) *timezone.Directory {
	t.Helper()
	d, err := timezone.LoadDirectory()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDirectory_Search(t *testing.T) {
	t.Parallel()
	d := directory(t)
	now := time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)
	for query, want := range map[string]string{ // the first matches, and how they were found
		"berl":                 "Europe/Berlin(city)",
		"Berlin":               "Europe/Berlin(city)",
		"europe/berlin":        "Europe/Berlin(name)",
		"new york":             "America/New_York(city)",
		"New_York":             "America/New_York(city)",
		"st johns":             "America/St_Johns(city)",
		"São Paulo":            "America/Sao_Paulo(city)",
		"zürich":               "Europe/Zurich(city)",
		"de":                   "Europe/Berlin(code) Europe/Busingen(code)",
		"GERMANY":              "Europe/Berlin(country) Europe/Busingen(country)",
		"us":                   "America/New_York(code) America/Detroit(code)",
		"usa":                  "America/New_York(country) America/Detroit(country)",
		"uk":                   "Europe/London(country)",
		"england":              "Europe/London(country)",
		"cote d'ivoire":        "Africa/Abidjan(country)",
		"côte":                 "Africa/Abidjan(country)",
		"south korea":          "Asia/Seoul(country)",
		"calcutta":             "Asia/Kolkata(old name Asia/Calcutta)",
		"Asia/Calcutta":        "Asia/Kolkata(old name Asia/Calcutta)",
		"us/eastern":           "America/New_York(old name US/Eastern)",
		"kiev":                 "Europe/Kyiv(old name Europe/Kiev)",
		"newfoundland":         "America/St_Johns(old name Canada/Newfoundland)",
		"melilla":              "Africa/Ceuta(part)",
		"-03:30":               "America/St_Johns(offset)",
		"+01":                  "Africa/Algiers(offset) Africa/Bangui(offset)",
		"+1":                   "Africa/Algiers(offset)",
		"+0100":                "Africa/Algiers(offset)",
		"UTC+5:30":             "Asia/Colombo(offset) Asia/Kolkata(offset)",
		"utc":                  "UTC(city)",
		"":                     "Africa/Abidjan(name) Africa/Accra(name)",
		"+25":                  "",
		"atlantis":             "",
		strings.Repeat("a", 9): "",
	} {
		var got []string
		for _, m := range d.Search(query, now, 1+strings.Count(want, ") ")) {
			by := m.By
			if m.OldName != "" {
				by += " " + m.OldName
			}
			got = append(got, fmt.Sprintf("%s(%s)", m.Zone, by))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("Search(%q) = %v, want %s", query, got, want)
		}
	}
}

func TestDirectory_Search_saysWhatTheClockDoes(t *testing.T) {
	t.Parallel()
	d := directory(t)
	now := time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)
	berlin := d.Search("berlin", now, 1)[0]
	if berlin.Country != "Germany" || berlin.Offset.String() != "+01:00" || !berlin.HasNext ||
		berlin.Next.At.Format(time.DateOnly) != "2027-03-28" || berlin.Next.Shift() != time.Hour {
		t.Errorf("Berlin: %+v", berlin)
	}
	if summer := d.Search("berlin", now.AddDate(0, 7, 0), 1)[0]; summer.Offset.String() != "+02:00" {
		t.Errorf("Berlin in July: %+v", summer)
	}
	if paulo := d.Search("sao paulo", now, 1)[0]; paulo.HasNext || paulo.Country != "Brazil" || paulo.Note == "" {
		t.Errorf("São Paulo: %+v", paulo)
	}
}

func TestDirectory_Search_findsEveryZoneByNameCityAndCountry(t *testing.T) {
	t.Parallel()
	d := directory(t)
	now := time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)
	all := d.Search("", now, 1000)
	if len(all) != len(places(t)) {
		t.Errorf("%d zones, want %d", len(all), len(places(t)))
	}
	contains := func(matches []timezone.Match, name string) bool {
		for _, m := range matches {
			if m.Zone.Name() == name {
				return true
			}
		}
		return false
	}
	for _, m := range all {
		name := m.Zone.Name()
		if first := d.Search(name, now, 1); len(first) != 1 || first[0].Zone.Name() != name {
			t.Errorf("Search(%q) = %v", name, first)
		}
		if city := name[strings.LastIndex(name, "/")+1:]; !contains(d.Search(city, now, 10), name) {
			t.Errorf("Search(%q) lacks %s", city, name)
		}
		if m.Country != "" && !contains(d.Search(m.Country, now, 100), name) {
			t.Errorf("Search(%q) lacks %s", m.Country, name)
		}
		if !contains(d.Search(m.Offset.String(), now, 100), name) {
			t.Errorf("Search(%q) lacks %s", m.Offset, name)
		}
	}
}
