package timezone_test

import (
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/timezone"
)

func zone(t *testing.T, name string) timezone.Zone {
	t.Helper()
	z, err := timezone.ParseZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func day(t *testing.T, text string) date.Date {
	t.Helper()
	d, err := timezone.ParseDay(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDayStart_oddNights(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, zone, day, start, length string }{
		{"plain", "Europe/Berlin", "2026-12-04", "2026-12-03T23:00:00Z", "24h"},
		{"spring", "Europe/Berlin", "2027-03-28", "2027-03-27T23:00:00Z", "23h"},
		{"autumn", "Europe/Berlin", "2027-10-31", "2027-10-30T22:00:00Z", "25h"},
		{"utc", "UTC", "2027-03-28", "2027-03-28T00:00:00Z", "24h"},
		{"midnightSkippedSantiago", "America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z", "23h"},
		{"dayOfTwoElevensSantiago", "America/Santiago", "2026-04-04", "2026-04-04T03:00:00Z", "25h"},
		{"midnightSkippedSaoPaulo", "America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "23h"},
		{"midnightTwiceHavana", "America/Havana", "2026-11-01", "2026-11-01T04:00:00Z", "25h"},
		{"midnightSkippedHavana", "America/Havana", "2026-03-08", "2026-03-08T05:00:00Z", "23h"},
		{"midnightSkippedBeirut", "Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z", "23h"},
		{"halfAnHourLessLordHowe", "Australia/Lord_Howe", "2026-10-04", "2026-10-03T13:30:00Z", "23h30m"},
		{"halfAnHourMoreLordHowe", "Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", "24h30m"},
		{"ramadanCasablanca", "Africa/Casablanca", "2027-02-07", "2027-02-06T23:00:00Z", "25h"},
		{"afterRamadanCasablanca", "Africa/Casablanca", "2027-03-14", "2027-03-14T00:00:00Z", "23h"},
		{"threeQuartersChatham", "Pacific/Chatham", "2026-09-27", "2026-09-26T11:15:00Z", "23h"},
		{"backOverMidnightStJohns", "America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z", "25h"},
		{"beforeTheSkippedDayApia", "Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", "24h"},
		{"afterTheSkippedDayApia", "Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", "24h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			z, d := zone(t, c.zone), day(t, c.day)
			got, ok := timezone.DayStart(d, z)
			if want, _ := time.Parse(time.RFC3339, c.start); !ok || got != want {
				t.Errorf("DayStart = %v, %v, want %v", got, ok, want)
			}
			if want, _ := time.ParseDuration(c.length); timezone.DayLength(d, z) != want {
				t.Errorf("DayLength = %v, want %v", timezone.DayLength(d, z), want)
			}
		})
	}
}

func TestDayStart_dayThatNeverWas(t *testing.T) {
	t.Parallel()
	apia := zone(t, "Pacific/Apia")
	missing := day(t, "2011-12-30")
	at, ok := timezone.DayStart(missing, apia)
	next, _ := timezone.DayStart(missing.Add(1), apia)
	if ok || at != next {
		t.Errorf("DayStart = %v, %v, want false and the start of the next day, %v", at, ok, next)
	}
	if from, to := timezone.DayBounds(missing, apia); from != to || timezone.DayLength(missing, apia) != 0 {
		t.Errorf("DayBounds = %v, %v, want an empty day", from, to)
	}
}

func TestDayOf_andToday(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 31, 23, 30, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"UTC": "2026-12-31", "Europe/Berlin": "2027-01-01", "America/New_York": "2026-12-31",
		"Pacific/Kiritimati": "2027-01-01", "Pacific/Pago_Pago": "2026-12-31",
	} {
		z := zone(t, name)
		if got := timezone.DayOf(at.In(time.FixedZone("", -7200)), z); got != day(t, want) {
			t.Errorf("DayOf in %s = %v, want %s", name, got, want)
		}
		if got := timezone.Today(timezone.FixedClock(at), z); got != day(t, want) {
			t.Errorf("Today in %s = %v, want %s", name, got, want)
		}
	}
}

func TestDayLabel(t *testing.T) {
	t.Parallel()
	if got := timezone.DayLabel(day(t, "2026-12-04")); got != "Fri 2026-12-04" {
		t.Errorf("DayLabel = %q", got)
	}
}
