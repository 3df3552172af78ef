package venues

import (
	"fmt"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

// dayOf is the local day to which a clock change belongs.
func dayOf(c timezone.ClockChange, zone timezone.Zone) date.Date {
	before, after := c.Faces()
	if found, ok := timezone.ChangeOn(after.Day, zone); ok && found.At.Equal(c.At) {
		return after.Day
	}
	return before.Day
}

// describe says what a clock change does to its day, in one line.
func describe(c timezone.ClockChange, zone timezone.Zone) string {
	before, after := c.Faces()
	day := dayOf(c, zone)
	length := timezone.DayLength(day, zone)
	text := fmt.Sprintf("%s (%s long): %s -> %s", timezone.DayLabel(day), short(length), before.Time, after.Time)
	if c.Shift() > 0 {
		return text + fmt.Sprintf(", %s-%s do not exist", before.Time, minuteBefore(after.Time))
	}
	return text + fmt.Sprintf(", %s-%s come twice", after.Time, minuteBefore(before.Time))
}

func minuteBefore(t timezone.TimeOfDay) timezone.TimeOfDay {
	if t == 0 {
		return timezone.NewTimeOfDay(23, 59)
	}
	return t - timezone.TimeOfDay(time.Minute)
}

// counts is what a change of zone would touch, read from the database.
type counts struct {
	days  int // pool days from today on, by the venue's present calendar
	taken int // places taken on them
	holds int
	ahead inventory.ZonePreview // of the zone that was chosen; zero before
}

// consequences says what a change from one zone to another means at now, in
// plain lines. It only reads clocks and calendars.
func consequences(from, to timezone.Zone, n counts, now time.Time) []string {
	const wall = "Mon 15:04"
	was, is := now.In(from.Location()), now.In(to.Location())
	lines := []string{
		fmt.Sprintf("Its clocks show %s (%s), not %s (%s): %s.",
			is.Format(wall), timezone.OffsetAt(now, to), was.Format(wall), timezone.OffsetAt(now, from), apart(now, from, to)),
		fmt.Sprintf("%d pool days from today on, %d places taken: they keep their dates.", n.days, n.taken),
	}
	oldDay, newDay := timezone.DayOf(now, from), timezone.DayOf(now, to)
	_, oldEnd := timezone.DayBounds(oldDay, from)
	_, newEnd := timezone.DayBounds(oldDay, to)
	switch shift := newEnd.Sub(oldEnd); {
	case shift > 0:
		lines = append(lines, "A day's sales end "+short(shift)+" later; a cut-off that staff chose stays.")
	case shift < 0:
		lines = append(lines, "A day's sales end "+short(-shift)+" earlier; a cut-off that staff chose stays.")
	default:
		lines = append(lines, "A day's sales end at the same moment as before.")
	}
	switch {
	case newDay.Before(oldDay):
		lines = append(lines, fmt.Sprintf("It is still %s there: the sales of that day begin again.", timezone.DayLabel(newDay)))
	case newDay.After(oldDay):
		lines = append(lines, fmt.Sprintf("It is %s there: the sales of %s end at once.", timezone.DayLabel(newDay), timezone.DayLabel(oldDay)))
	}
	return append(lines, running(n.holds))
}

// running says what happens to the holds that run now.
func running(holds int) string {
	if holds == 1 {
		return "1 hold runs now; it ends at the same moment as before."
	}
	return fmt.Sprintf("%d holds run now; each ends at the same moment as before.", holds)
}

// apart says how far two zones are apart at now.
func apart(now time.Time, from, to timezone.Zone) string {
	d := time.Duration(timezone.OffsetAt(now, to) - timezone.OffsetAt(now, from))
	switch {
	case d > 0:
		return short(d) + " ahead"
	case d < 0:
		return short(-d) + " behind"
	}
	return "no difference today"
}

// presentZone is the zone a venue has, and false when we do not know it.
func presentZone(v inventory.Venue) (timezone.Zone, bool) {
	zone, err := timezone.ParseZone(v.Zone)
	return zone, err == nil
}
