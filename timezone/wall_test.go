package timezone_test

import (
	"errors"
	"testing"
	"time"

	"holdfast/timezone"
)

func wall(t *testing.T, text string, hour, minute int) timezone.WallTime {
	t.Helper()
	return timezone.WallTime{Day: day(t, text), Time: timezone.NewTimeOfDay(hour, minute)}
}

func TestInstantOf_missingAndDoubled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, day string
		hour, minute    int
		missing         bool
		earlier, later  string // one instant if later is empty
	}{
		{"once", "Europe/Berlin", "2026-12-04", 19, 30, false, "2026-12-04T18:30:00Z", ""},
		{"beforeTheGap", "Europe/Berlin", "2027-03-28", 1, 59, false, "2027-03-28T00:59:00Z", ""},
		{"inTheGap", "Europe/Berlin", "2027-03-28", 2, 30, true, "2027-03-28T00:30:00Z", "2027-03-28T01:30:00Z"},
		{"gapBegins", "Europe/Berlin", "2027-03-28", 2, 0, true, "2027-03-28T00:00:00Z", "2027-03-28T01:00:00Z"},
		{"gapEnds", "Europe/Berlin", "2027-03-28", 3, 0, false, "2027-03-28T01:00:00Z", ""},
		{"beforeTheFold", "Europe/Berlin", "2027-10-31", 1, 59, false, "2027-10-30T23:59:00Z", ""},
		{"foldBegins", "Europe/Berlin", "2027-10-31", 2, 0, false, "2027-10-31T00:00:00Z", "2027-10-31T01:00:00Z"},
		{"inTheFold", "Europe/Berlin", "2027-10-31", 2, 30, false, "2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z"},
		{"foldEnds", "Europe/Berlin", "2027-10-31", 3, 0, false, "2027-10-31T02:00:00Z", ""},
		{"halfAnHourGap", "Australia/Lord_Howe", "2026-10-04", 2, 15, true, "2026-10-03T15:15:00Z", "2026-10-03T15:45:00Z"},
		{"halfAnHourFold", "Australia/Lord_Howe", "2026-04-05", 1, 45, false, "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"},
		{"midnightGap", "America/Santiago", "2026-09-06", 0, 0, true, "2026-09-06T03:00:00Z", "2026-09-06T04:00:00Z"},
		{"midnightFold", "America/Havana", "2026-11-01", 0, 30, false, "2026-11-01T04:30:00Z", "2026-11-01T05:30:00Z"},
		{"dayThatNeverWas", "Pacific/Apia", "2011-12-30", 12, 0, true, "2011-12-29T22:00:00Z", "2011-12-30T22:00:00Z"},
		{"utc", "UTC", "2027-03-28", 2, 30, false, "2027-03-28T02:30:00Z", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			z := zone(t, c.zone)
			got, err := timezone.InstantOf(wall(t, c.day, c.hour, c.minute), z)
			if c.later == "" {
				if err != nil || got.Format(time.RFC3339) != c.earlier {
					t.Errorf("InstantOf = %v, %v, want %s", got, err, c.earlier)
				}
				return
			}
			var choice *timezone.WallTimeError
			if !errors.As(err, &choice) || !got.IsZero() {
				t.Fatalf("InstantOf = %v, %v, want a *WallTimeError", got, err)
			}
			if e, l := choice.Earlier.Format(time.RFC3339), choice.Later.Format(time.RFC3339); choice.Missing != c.missing || e != c.earlier || l != c.later {
				t.Errorf("missing %v, %s and %s, want %v, %s and %s", choice.Missing, e, l, c.missing, c.earlier, c.later)
			}
		})
	}
}

func TestWallTimeError_namesBothInstants(t *testing.T) {
	t.Parallel()
	berlin := zone(t, "Europe/Berlin")
	for day, want := range map[string]string{
		"2027-03-28": "2027-03-28T02:30 is skipped by the clocks in Europe/Berlin; there is 2027-03-28T01:30+01:00 and 2027-03-28T03:30+02:00",
		"2027-10-31": "2027-10-31T02:30 comes twice in Europe/Berlin; there is 2027-10-31T02:30+02:00 and 2027-10-31T02:30+01:00",
	} {
		if _, err := timezone.InstantOf(wall(t, day, 2, 30), berlin); err == nil || err.Error() != want {
			t.Errorf("error %v\nwant  %s", err, want)
		}
	}
}

// Case B34: opening hours are wall times of their own date, whatever the offset
// is today; eight one-hour slots on each day around a clock change.
func TestInstantOf_B34_openingHoursKeepTheirWallTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, from, to string }{
		{"Europe/Berlin", "2026-03-27", "2026-04-02"},
		{"Europe/Berlin", "2026-10-23", "2026-10-28"},
		{"America/New_York", "2026-03-06", "2026-03-10"},
		{"America/New_York", "2026-10-30", "2026-11-03"},
	} {
		z := zone(t, c.zone)
		for d := day(t, c.from); !d.After(day(t, c.to)); d = d.Add(1) {
			var slots []string
			for hour := 9; hour < 17; hour++ {
				at, err := timezone.InstantOf(timezone.WallTime{Day: d, Time: timezone.NewTimeOfDay(hour, 0)}, z)
				if err != nil {
					t.Fatal(err)
				}
				slots = append(slots, at.In(z.Location()).Format("15:04"))
			}
			if len(slots) != 8 || slots[0] != "09:00" || slots[7] != "16:00" {
				t.Errorf("%s %v: slots %v", z, d, slots)
			}
		}
	}
}

func TestTimeOfDay_andOffset_string(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		timezone.NewTimeOfDay(9, 5).String():                                       "09:05",
		(timezone.NewTimeOfDay(23, 59) + timezone.TimeOfDay(time.Second)).String(): "23:59:01",
		timezone.Offset(90 * time.Minute).String():                                 "+01:30",
		timezone.Offset(-210 * time.Minute).String():                               "-03:30",
		timezone.Offset(0).String():                                                "+00:00",
		timezone.Offset(-(2*time.Minute + 5*time.Second)).String():                 "-00:02:05",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
