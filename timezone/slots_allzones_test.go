package timezone_test

import (
	"slices"
	"testing"
	"time"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/timezone"
)

// drawDay returns a day of 2000 to 2040, often one at a clock change of z.
func drawDay(t *rapid.T, z timezone.Zone) date.Date {
	first, last := date.New(2000, time.January, 2), date.New(2040, time.December, 30)
	d := first.Add(date.PeriodOfDays(rapid.IntRange(0, int(last.Sub(first))).Draw(t, "day")))
	start, _ := timezone.DayStart(d, z)
	if changes := timezone.NextChanges(z, start, 1); len(changes) > 0 && rapid.Bool().Draw(t, "atAChange") {
		if near := timezone.DayOf(changes[0].At, z).Add(date.PeriodOfDays(rapid.IntRange(-1, 0).Draw(t, "before"))); near.Before(last) {
			return near
		}
	}
	return d
}

// drawHours returns hours that are a multiple of step, which is at most 24 hours.
func drawHours(t *rapid.T, step time.Duration) timezone.Hours {
	opens := timezone.NewTimeOfDay(0, 5*rapid.IntRange(0, 287).Draw(t, "opens"))
	steps := time.Duration(rapid.IntRange(1, int(24*time.Hour/step)).Draw(t, "steps"))
	return timezone.Hours{Opens: opens, Closes: opens + timezone.TimeOfDay(steps*step)}
}

var slotLengths = []time.Duration{5, 7, 15, 20, 30, 45, 50, 60, 75, 90, 120, 240, 600, 1440} // minutes

func TestSlots_allZones_tileTheOpeningHours(t *testing.T) {
	t.Parallel()
	zones := places(t)
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.SampledFrom(zones).Draw(t, "zone")
		d := drawDay(t, z)
		slot := rapid.SampledFrom(slotLengths).Draw(t, "slot") * time.Minute
		h := drawHours(t, slot)
		slots := timezone.Slots(d, h, slot, 0, z)
		open, ok := timezone.OpenOn(d, h, z)
		if !ok {
			if len(slots) != 0 {
				t.Fatalf("%s %v %v: not open, but slots %v", z, d, h, slots)
			}
			return
		}
		end := open.From
		for _, s := range slots {
			if s.From != end || !s.To.After(s.From) || s.To.Sub(s.From) > slot {
				t.Fatalf("%s %v %v, slots of %v: %v after %v", z, d, h, slot, s, end)
			}
			end = s.To
		}
		if end != open.To {
			t.Fatalf("%s %v %v, slots of %v end at %v, not at %v", z, d, h, slot, end, open.To)
		}
		if changes := timezone.NextChanges(z, open.From.Add(-1), 1); len(changes) == 0 || changes[0].At.After(open.To) {
			if want := int(time.Duration(h.Closes-h.Opens) / slot); len(slots) != want {
				t.Fatalf("%s %v %v: %d slots of %v without a clock change, want %d", z, d, h, len(slots), slot, want)
			}
		}
	})
}

// Around the clock is the local day, however long it is.
func TestOpenOn_allZones_wholeDayIsTheLocalDay(t *testing.T) {
	t.Parallel()
	zones := places(t)
	wholeDay := hours(t, "00:00-24:00")
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.SampledFrom(zones).Draw(t, "zone")
		d := drawDay(t, z)
		from, to := timezone.DayBounds(d, z)
		open, ok := timezone.OpenOn(d, wholeDay, z)
		if ok != from.Before(to) || ok && (open != timezone.Period{From: from, To: to}) {
			t.Fatalf("%s %v: OpenOn = %v, %v, the day is %v to %v", z, d, open, ok, from, to)
		}
	})
}

// plainSlots is another way to the slots: it looks at the wall once a minute. It
// is slower, and right only where clocks change and slots begin on whole minutes.
func plainSlots(d date.Date, h timezone.Hours, slot, turnaround time.Duration, z timezone.Zone) []timezone.Period {
	wall := func(t time.Time) time.Time { // as a UTC time with the same clock face
		l := t.In(z.Location())
		return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), 0, 0, time.UTC)
	}
	year, month, dom := d.Date()
	midnight := time.Date(year, month, dom, 0, 0, 0, 0, time.UTC)
	opens, closes := midnight.Add(time.Duration(h.Opens)), midnight.Add(time.Duration(h.Closes))
	first := func(t, face time.Time) time.Time {
		for wall(t).Before(face) {
			t = t.Add(time.Minute)
		}
		return t
	}
	early := midnight.Add(-15 * time.Hour)
	from, to := first(early, opens), first(early, closes)
	if y, m, dd := first(early, midnight).In(z.Location()).Date(); y != year || m != month || dd != dom || !from.Before(to) {
		return nil
	}
	var ends []time.Time
	cut := true
	for at, face := from, opens; !face.After(closes); face = face.Add(slot + turnaround) { // where the grid falls, skipped or not
		at = first(at, face)
		ends = append(ends, at)
		cut = cut && at != to
	}
	for t := from.Add(time.Minute); t.Before(to); t = t.Add(time.Minute) {
		if wall(t).Sub(opens)%(slot+turnaround) == 0 || wall(t).Sub(wall(t.Add(-time.Minute))) != time.Minute {
			ends = append(ends, t)
		}
	}
	ends = append(ends, to)
	slices.SortFunc(ends, time.Time.Compare)
	ends = slices.Compact(ends)
	var slots []timezone.Period
	for i := 1; i < len(ends); i++ {
		s := timezone.Period{From: ends[i-1], To: ends[i].Add(-turnaround)}
		if ends[i].Equal(to) && cut {
			if s.To = s.From.Add(slot); s.To.After(to) {
				continue
			}
		}
		if s.From.Before(s.To) {
			slots = append(slots, s)
		}
	}
	return slots
}

func TestSlots_allZones_sameAsByTheMinute(t *testing.T) {
	t.Parallel()
	zones := places(t)
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.SampledFrom(zones).Draw(t, "zone")
		d := drawDay(t, z)
		slot := rapid.SampledFrom(slotLengths).Draw(t, "slot") * time.Minute
		turnaround := time.Duration(rapid.SampledFrom([]int{0, 5, 13, 30, 60, 90}).Draw(t, "turnaround")) * time.Minute
		h := drawHours(t, 5*time.Minute)
		got, want := timezone.Slots(d, h, slot, turnaround, z), plainSlots(d, h, slot, turnaround, z)
		if !slices.Equal(got, want) {
			t.Fatalf("%s %v %v, slots of %v and %v:\n%v\nby the minute\n%v", z, d, h, slot, turnaround, got, want)
		}
	})
}
