package timezone_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"holdfast/timezone"
)

// shown lists slots as the wall shows them, with their length unless it is usual:
// "09:00+01:00" or "02:30+11:00 30m0s".
func shown(slots []timezone.Period, z timezone.Zone, usual time.Duration) []string {
	var list []string
	for _, s := range slots {
		text := timezone.WallTimeOf(s.From, z).Time.String() + timezone.OffsetAt(s.From, z).String()
		if length := s.To.Sub(s.From); length != usual {
			text += " " + length.String()
		}
		list = append(list, text)
	}
	return list
}

// Case B34: opening hours are wall times of their own date, whatever the offset
// is today; eight one-hour slots on each day around a clock change, and who types
// a listed time means that instant.
func TestSlots_B34_openingHoursKeepTheirWallTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, from, to string }{
		{"Europe/Berlin", "2026-03-27", "2026-04-02"},
		{"Europe/Berlin", "2026-10-23", "2026-10-28"},
		{"America/New_York", "2026-03-06", "2026-03-10"},
		{"America/New_York", "2026-10-30", "2026-11-03"},
	} {
		z := zone(t, c.zone)
		for d := day(t, c.from); !d.After(day(t, c.to)); d = d.Add(1) {
			slots := timezone.Slots(d, hours(t, "09:00-17:00"), time.Hour, 0, z)
			var walls []string
			for _, s := range slots {
				w := timezone.WallTimeOf(s.From, z)
				if at, err := timezone.ParseLocal(w.String(), z); err != nil || at != s.From || w.Day != d || s.To.Sub(s.From) != time.Hour {
					t.Errorf("%s %v: slot %v is typed as %v, which is %v, %v", z, d, s, w, at, err)
				}
				walls = append(walls, w.Time.String())
			}
			if got := strings.Join(walls, " "); got != "09:00 10:00 11:00 12:00 13:00 14:00 15:00 16:00" {
				t.Errorf("%s %v: slots %s", z, d, got)
			}
		}
	}
}

func TestSlots_onDaysOfClockChanges(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	for _, c := range []struct {
		name, zone, day, hours string
		slot, turnaround       time.Duration
		count                  int
		want                   string // the slots that matter, in order, without a gap in the list
	}{
		{"berlin23", "Europe/Berlin", "2026-03-29", "00:00-24:00", hour, 0, 23, "00:00+01:00, 01:00+01:00, 03:00+02:00, 04:00+02:00"},
		{"berlin25BothTwos", "Europe/Berlin", "2026-10-25", "00:00-24:00", hour, 0, 25, "01:00+02:00, 02:00+02:00, 02:00+01:00, 03:00+01:00"},
		{"lordHoweForward", "Australia/Lord_Howe", "2026-10-04", "00:00-24:00", hour, 0, 24, "01:00+10:30, 02:30+11:00 30m0s, 03:00+11:00"},
		{"lordHoweBack", "Australia/Lord_Howe", "2026-04-05", "00:00-24:00", hour, 0, 25, "01:00+11:00, 01:30+10:30 30m0s, 02:00+10:30"},
		{"lordHoweHalfHours", "Australia/Lord_Howe", "2026-04-05", "00:00-24:00", hour / 2, 0, 49, "01:30+11:00, 01:30+10:30, 02:00+10:30"},
		{"santiagoMidnightGap", "America/Santiago", "2026-09-06", "00:00-24:00", hour, 0, 23, "01:00-03:00, 02:00-03:00"},
		{"santiagoTwoElevens", "America/Santiago", "2026-04-04", "00:00-24:00", hour, 0, 25, "22:00-03:00, 23:00-03:00, 23:00-04:00"},
		{"beirutMidnightGap", "Asia/Beirut", "2026-03-29", "00:00-03:00", hour, 0, 2, "01:00+03:00, 02:00+03:00"},
		{"havanaMidnightFold", "America/Havana", "2026-11-01", "00:00-24:00", hour, 0, 25, "00:00-04:00, 00:00-05:00, 01:00-05:00"},
		{"stJohnsFoldOverMidnight", "America/St_Johns", "2010-11-07", "00:00-02:00", hour, 0, 4, "00:00-02:30 1m0s, 23:01-03:30 59m0s, 00:00-03:30, 01:00-03:30"},
		{"apiaDayThatNeverWas", "Pacific/Apia", "2011-12-30", "00:00-24:00", hour, 0, 0, ""},
		{"apiaNightBeforeIt", "Pacific/Apia", "2011-12-29", "18:00-02:00", hour, 0, 6, "22:00-10:00, 23:00-10:00"},
		{"apiaDayAfterIt", "Pacific/Apia", "2011-12-31", "00:00-24:00", hour, 0, 24, "00:00+14:00, 01:00+14:00"},
		{"nightForwardEndsAtTheChange", "Europe/Berlin", "2026-03-28", "18:00-02:00", hour, 0, 8, "00:00+01:00, 01:00+01:00"},
		{"nightForwardGoesOn", "Europe/Berlin", "2026-03-28", "18:00-04:00", hour, 0, 9, "01:00+01:00, 03:00+02:00"},
		{"nightBackEndsAtTheFirstTwo", "Europe/Berlin", "2026-10-24", "18:00-02:00", hour, 0, 8, "00:00+02:00, 01:00+02:00"},
		{"nightBackGoesOn", "Europe/Berlin", "2026-10-24", "18:00-03:00", hour, 0, 10, "01:00+02:00, 02:00+02:00, 02:00+01:00"},
		{"nightNewYork", "America/New_York", "2026-03-07", "18:00-02:00", hour, 0, 8, "00:00-05:00, 01:00-05:00"},
		{"opensInTheGap", "Europe/Berlin", "2026-03-29", "02:30-05:30", hour, 0, 3, "03:00+02:00 30m0s, 03:30+02:00, 04:30+02:00"},
		{"closesInTheGap", "Europe/Berlin", "2026-03-29", "00:30-02:30", hour, 0, 2, "00:30+01:00, 01:30+01:00 30m0s"},
		{"gridTimesInTheGapBeforeClosing", "Europe/Berlin", "2026-03-29", "00:00-02:50", 50 * time.Minute, 0, 3, "00:50+01:00, 01:40+01:00 20m0s"},
		{"allInTheGap", "Europe/Berlin", "2026-03-29", "02:00-03:00", hour, 0, 0, ""},
		{"ninetyMinutesForward", "Europe/Berlin", "2026-03-29", "00:00-06:00", 90 * time.Minute, 0, 4, "00:00+01:00, 01:30+01:00 30m0s, 03:00+02:00, 04:30+02:00"},
		{"ninetyMinutesBack", "Europe/Berlin", "2026-10-25", "00:00-06:00", 90 * time.Minute, 0, 5, "00:00+02:00, 01:30+02:00, 02:00+01:00 1h0m0s, 03:00+01:00, 04:30+01:00"},
		{"oneSlotOfTheWholeDay", "Europe/Berlin", "2026-10-25", "00:00-24:00", 24 * hour, 0, 2, "00:00+02:00 3h0m0s, 02:00+01:00 22h0m0s"},
		{"turnaroundBack", "Europe/Berlin", "2026-10-25", "00:00-06:00", hour, hour / 4, 7, "01:15+02:00, 02:30+02:00 15m0s, 02:00+01:00 15m0s, 02:30+01:00, 03:45+01:00, 05:00+01:00"},
		{"turnaroundForward", "Europe/Berlin", "2026-03-29", "00:00-06:00", hour, hour / 4, 5, "00:00+01:00, 01:15+01:00 30m0s, 03:00+02:00 30m0s, 03:45+02:00, 05:00+02:00"},
		{"pieceNoLongerThanTheTurnaround", "Australia/Lord_Howe", "2026-10-04", "01:00-04:00", hour / 2, hour / 2, 2, "01:00+10:30, 03:00+11:00"},
		{"newYearIsNoBoundary", "Europe/Berlin", "2039-12-31", "18:00-06:00", 12 * hour, 0, 1, "18:00+01:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			z := zone(t, c.zone)
			got := shown(timezone.Slots(day(t, c.day), hours(t, c.hours), c.slot, c.turnaround, z), z, c.slot)
			if len(got) != c.count || !strings.Contains(", "+strings.Join(got, ", ")+", ", ", "+c.want+", ") && c.count > 0 {
				t.Errorf("%d slots: %s\nwant %d with %s", len(got), strings.Join(got, ", "), c.count, c.want)
			}
		})
	}
}

func TestSlots_closingTimeAndTurnaround(t *testing.T) {
	t.Parallel()
	utc, d := zone(t, "UTC"), day(t, "2026-12-04")
	for _, c := range []struct {
		name, hours      string
		slot, turnaround time.Duration
		want             string
	}{
		{"exact", "10:00-12:00", time.Hour, 0, "10:00 11:00"},
		{"restIsUnused", "10:00-12:30", time.Hour, 0, "10:00 11:00"},
		{"shorterThanASlot", "10:00-10:59", time.Hour, 0, ""},
		{"turnaroundBetween", "10:00-12:30", time.Hour, 15 * time.Minute, "10:00 11:15"},
		{"turnaroundBehindClosing", "10:00-12:15", time.Hour, 15 * time.Minute, "10:00 11:15"},
		{"turnaroundPartlyBehindClosing", "10:00-12:20", time.Hour, 15 * time.Minute, "10:00 11:15"},
		{"aMinuteShort", "10:00-12:14", time.Hour, 15 * time.Minute, "10:00"},
		{"turnaroundLongerThanTheSlot", "10:00-14:00", time.Hour, 2 * time.Hour, "10:00 13:00"},
		{"closed", "closed", time.Hour, 0, ""},
		{"noGrid", "10:00-12:00", 0, 0, ""},
		{"negativeSlot", "10:00-12:00", -time.Hour, 0, ""},
		{"negativeTurnaround", "10:00-12:00", time.Hour, -time.Minute, ""},
	} {
		slots := timezone.Slots(d, hours(t, c.hours), c.slot, c.turnaround, utc)
		var got []string
		for _, s := range slots {
			got = append(got, timezone.WallTimeOf(s.From, utc).Time.String())
		}
		if !slices.Equal(got, strings.Fields(c.want)) || slices.ContainsFunc(slots, func(s timezone.Period) bool { return s.To.Sub(s.From) != c.slot }) {
			t.Errorf("%s: slots %v, want %s", c.name, slots, c.want)
		}
	}
}
