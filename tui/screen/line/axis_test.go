package line

import (
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/timezone"
)

func zoneOf(t testing.TB, name string) timezone.Zone {
	t.Helper()
	z, err := timezone.ParseZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// The hours above the rows are those that the clock on the wall really shows.
func TestAxis_Ruler(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, zone   string
		day          date.Date
		step         time.Duration
		width        int
		hours, ticks string
	}{
		{"skippedHourNarrow", "Europe/Berlin", date.New(2027, 3, 28), 30 * time.Minute, 14, "00  03    06  ", "|.|.^.|.|.|.|."},
		{"skippedHour", "Europe/Berlin", date.New(2027, 3, 28), 15 * time.Minute, 20, "00  01  03  04  05  ", "|...|...^...|...|..."},
		{"doubledHour", "Europe/Berlin", date.New(2027, 10, 31), 15 * time.Minute, 24, "00  01  02a 02b 03  04  ", "|...|...a...b...|...|..."},
		{"doubledHourNarrow", "Europe/Berlin", date.New(2027, 10, 31), 30 * time.Minute, 14, "00  2a2b  04  ", "|.|.a.b.|.|.|."},
		{"doubledHourSmall", "Europe/Berlin", date.New(2027, 10, 31), time.Hour, 10, "  2a   06 ", "||ab||||||"},
		{"halfAnHourTwice", "Australia/Lord_Howe", date.New(2027, 4, 4), 15 * time.Minute, 14, "00  01a 1b    ", "|...a...b.|..."},
		{"halfAnHourTwiceByHours", "Australia/Lord_Howe", date.New(2027, 4, 4), time.Hour, 6, " 1a 03", "|ab|||"},
		{"halfAnHourSkipped", "Australia/Lord_Howe", date.New(2027, 10, 3), 15 * time.Minute, 14, "00  01    03  ", "|...|...^.|..."},
		{"midnightSkipped", "America/Santiago", date.New(2027, 9, 5), 30 * time.Minute, 8, "  02  04", "|.|.|.|."},
		{"midnightTwice", "America/Havana", date.New(2027, 11, 7), 15 * time.Minute, 16, "00a 00b 01  02  ", "a...b...|...|..."},
		{"insideAStep", "Pacific/Chatham", date.New(2027, 4, 4), 30 * time.Minute, 14, "00  2a3a2b 04 ", "|.|.a.a.bb.|.|"},
		{"plain", "Asia/Kolkata", date.New(2027, 3, 28), 15 * time.Minute, 8, "00  01  ", "|...|..."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			z := zoneOf(t, tc.zone)
			r := newAxis(tc.day, z, z, tc.step).ruler(0, tc.width, time.Time{})
			if r.hours != tc.hours || r.ticks != tc.ticks {
				t.Errorf("the ruler is\n%q\n%q, want\n%q\n%q", r.hours, r.ticks, tc.hours, tc.ticks)
			}
		})
	}
}

func TestAxis_DayThatNeverWas(t *testing.T) {
	t.Parallel()
	z := zoneOf(t, "Pacific/Apia")
	if a := newAxis(date.New(2011, 12, 30), z, z, time.Hour); len(a.columns) != 0 {
		t.Errorf("%d columns, want none", len(a.columns))
	}
}

// With the clock of another zone the day stays the venue's, and the same hour at
// both ends of a long day is not taken for a doubled one.
func TestAxis_InUTC(t *testing.T) {
	t.Parallel()
	a := newAxis(date.New(2027, 10, 31), zoneOf(t, "Europe/Berlin"), timezone.UTC(), 30*time.Minute)
	r := a.ruler(0, len(a.columns), time.Time{})
	if want := "22  00  02  04  06  08  10  12  14  16  18  20  22"; r.hours != want {
		t.Errorf("the hours are %q, want %q", r.hours, want)
	}
	if strings.ContainsAny(r.ticks, "ab^") {
		t.Errorf("the ticks %q tell of a change that UTC does not have", r.ticks)
	}
}

// In all kinds of zones and on all days: the columns tile the local day, none is
// longer than a step or empty, and every one begins where the clock shows a
// multiple of the step, or where it changes.
func TestAxis_ColumnsTileTheDay(t *testing.T) {
	t.Parallel()

	names := []string{
		"Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "America/Havana", "Asia/Kolkata", "Asia/Kathmandu", "Africa/Casablanca",
		"Pacific/Apia", "America/St_Johns", "Pacific/Chatham", "UTC", "America/Sao_Paulo", "Asia/Tehran",
	}
	zones := make([]timezone.Zone, len(names))
	for i, n := range names {
		zones[i] = zoneOf(t, n)
	}
	rapid.Check(t, func(t *rapid.T) {
		z, face := rapid.SampledFrom(zones).Draw(t, "zone"), rapid.SampledFrom(zones).Draw(t, "face")
		day := date.New(rapid.IntRange(2000, 2040).Draw(t, "year"), 1, rapid.IntRange(1, 366).Draw(t, "day"))
		if next := timezone.NextChanges(z, time.Date(day.Year(), 1, 1, 0, 0, 0, 0, time.UTC), 1); len(next) > 0 && rapid.Bool().Draw(t, "change") {
			day = timezone.DayOf(next[0].At, z)
		}
		step := rapid.SampledFrom(steps).Draw(t, "step")
		a := newAxis(day, z, face, step)
		from, to := timezone.DayBounds(day, z)
		at := from
		for i, c := range a.columns {
			if !c.from.Equal(at) || !c.from.Before(c.to) || c.to.Sub(c.from) > step {
				t.Fatalf("column %d of %s in %s is [%s, %s), the one before ends %s", i, day, z, c.from, c.to, at)
			}
			if shown := time.Duration(timezone.WallTimeOf(c.from, z).Time); i > 0 && shown%step != 0 && timezone.OffsetAt(c.from.Add(-1), z) == timezone.OffsetAt(c.from, z) {
				t.Fatalf("column %d of %s in %s begins at %s", i, day, z, timezone.WallTimeOf(c.from, z))
			}
			if got := a.at(c.to.Add(-1)); got != i {
				t.Fatalf("the end of column %d is found in %d", i, got)
			}
			if first, last := a.span(c.from, c.to); first != i || last != i+1 {
				t.Fatalf("column %d spans %d to %d", i, first, last)
			}
			at = c.to
		}
		if !at.Equal(to) {
			t.Fatalf("the columns of %s in %s end at %s, the day at %s", day, z, at, to)
		}
		r := a.ruler(rapid.IntRange(0, len(a.columns)).Draw(t, "first"), rapid.IntRange(0, 400).Draw(t, "width"), from)
		if len(r.hours) != len(r.ticks) {
			t.Fatalf("%q and %q are not of one length", r.hours, r.ticks)
		}
	})
}
