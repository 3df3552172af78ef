package timezone_test

import (
	"fmt"
	"testing"
	"time"

	"holdfast/timezone"
)

// describe writes a change as the console does: which wall times it touches.
func describe(c timezone.ClockChange) string {
	before, after := c.Faces()
	return fmt.Sprintf("%s %s -> %s %s", c.At.Format(time.RFC3339), before, after, c.Shift())
}

func TestNextChanges(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)
	for _, c := range []struct {
		zone string
		n    int
		want []string
	}{
		{"Europe/Berlin", 2, []string{
			"2027-03-28T01:00:00Z 2027-03-28T02:00 -> 2027-03-28T03:00 1h0m0s",
			"2027-10-31T01:00:00Z 2027-10-31T03:00 -> 2027-10-31T02:00 -1h0m0s",
		}},
		{"Australia/Lord_Howe", 1, []string{"2027-04-03T15:00:00Z 2027-04-04T02:00 -> 2027-04-04T01:30 -30m0s"}},
		{"Africa/Casablanca", 2, []string{
			"2027-02-07T02:00:00Z 2027-02-07T03:00 -> 2027-02-07T02:00 -1h0m0s",
			"2027-03-14T02:00:00Z 2027-03-14T02:00 -> 2027-03-14T03:00 1h0m0s",
		}},
		{"America/Santiago", 1, []string{"2027-04-04T03:00:00Z 2027-04-04T00:00 -> 2027-04-03T23:00 -1h0m0s"}},
		{"America/Sao_Paulo", 2, nil},
		{"UTC", 2, nil},
		{"Europe/Berlin", 0, nil},
	} {
		var got []string
		for _, change := range timezone.NextChanges(zone(t, c.zone), now, c.n) {
			got = append(got, describe(change))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v\nwant %v", c.zone, got, c.want)
		}
	}
}

func TestNextChanges_abbreviationAloneIsNone(t *testing.T) {
	t.Parallel()
	// Portugal went from WEST to CET at the end of the summer of 1992: both are +01.
	from := time.Date(1992, 6, 1, 0, 0, 0, 0, time.UTC)
	got := timezone.NextChanges(zone(t, "Europe/Lisbon"), from, 1)
	if len(got) != 1 || got[0].At.Year() != 1993 {
		t.Errorf("the change after %v is %v, want one of 1993", from, got)
	}
}

func TestChangeOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, day, want string }{
		{"Europe/Berlin", "2027-03-28", "2027-03-28T01:00:00Z 2027-03-28T02:00 -> 2027-03-28T03:00 1h0m0s"},
		{"Europe/Berlin", "2027-03-27", ""},
		{"Europe/Berlin", "2027-03-29", ""},
		{"America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z 2026-09-06T00:00 -> 2026-09-06T01:00 1h0m0s"},
		{"America/Santiago", "2026-09-05", ""},
		{"America/Santiago", "2026-04-04", "2026-04-05T03:00:00Z 2026-04-05T00:00 -> 2026-04-04T23:00 -1h0m0s"},
		{"America/Santiago", "2026-04-05", ""},
		{"America/Havana", "2026-11-01", "2026-11-01T05:00:00Z 2026-11-01T01:00 -> 2026-11-01T00:00 -1h0m0s"},
		{"Australia/Lord_Howe", "2026-10-04", "2026-10-03T15:30:00Z 2026-10-04T02:00 -> 2026-10-04T02:30 30m0s"},
		{"Pacific/Apia", "2011-12-30", ""},
		{"UTC", "2027-03-28", ""},
	} {
		got, ok := timezone.ChangeOn(day(t, c.day), zone(t, c.zone))
		if ok != (c.want != "") || ok && describe(got) != c.want {
			t.Errorf("%s %s: %s, %v, want %q", c.zone, c.day, describe(got), ok, c.want)
		}
	}
}
