package line

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

// short writes a length of time without the parts that are zero: 1h30m, 2h, 45m.
func short(d time.Duration) string {
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// clock writes an instant as a clock of z shows it, with the offset that makes
// it one instant: "01:00+01:00". An offset behind UTC is put in brackets, since
// "20:00-04:00" would be read as eight hours. The day is said when it is not the
// one that the reader has before him.
func clock(t time.Time, z timezone.Zone, day date.Date) string {
	w, offset := timezone.WallTimeOf(t, z), timezone.OffsetAt(t, z)
	text := w.Time.String() + offset.String()
	if offset < 0 {
		text = fmt.Sprintf("%s (%s)", w.Time, offset)
	}
	if w.Day != day {
		return timezone.DayLabel(w.Day) + " " + text
	}
	return text
}

// fromTo writes a range by the clock of z.
func fromTo(r inventory.Range, z timezone.Zone, day date.Date) string {
	return clock(r.From, z, day) + " to " + clock(r.To, z, day)
}

// lasts writes how long a range really is, and what the wall would make one
// think when that is something else.
func lasts(r inventory.Range, z timezone.Zone) string {
	real := r.Length()
	shift := time.Duration(timezone.OffsetAt(r.To, z) - timezone.OffsetAt(r.From, z))
	switch {
	case shift == 0:
		return short(real) + " long"
	case real+shift > 0:
		return fmt.Sprintf("%s long, not %s", short(real), short(real+shift))
	case real+shift == 0:
		return short(real) + " long, though the clock shows the same again"
	}
	return short(real) + " long, though the clock ends before it began"
}

// stored writes a range as the database has it, in UTC.
func stored(r inventory.Range) string {
	const form = "2006-01-02 15:04Z"
	return fmt.Sprintf("[%s, %s)", r.From.UTC().Format(form), r.To.UTC().Format(form))
}

// changeWords says what the clocks do on the day on screen, and which marks of
// the ruler tell of it.
func (m *Model) changeWords(c timezone.ClockChange) string {
	before, after := c.Faces()
	if c.Shift() > 0 {
		text := fmt.Sprintf("%s-%s is skipped (clocks go forward)", before.Time, after.Time)
		if m.face().Name() == m.zone.Name() {
			return "^ " + text
		}
		return text
	}
	text := fmt.Sprintf("%s-%s comes twice (clocks go back)", after.Time, before.Time)
	if m.face().Name() == m.zone.Name() {
		text += fmt.Sprintf(": a is %s, b is %s", c.Before, c.After)
	}
	return text
}

// moment writes when something happened: what is today's goes without saying.
func (m *Model) moment(t time.Time) string {
	zone := m.env.Zone()
	t = t.In(zone)
	now := m.env.Now().In(zone)
	switch {
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return t.Format(time.TimeOnly)
	case t.Year() == now.Year():
		return t.Format("01-02 " + time.TimeOnly)
	}
	return t.Format(time.DateOnly + " " + time.TimeOnly)
}

// timeTyped writes an instant as a form shows it and readTime reads it: with the
// offset only where the clock shows that time twice.
func timeTyped(t time.Time, z timezone.Zone, day date.Date) string {
	if _, err := timezone.InstantOf(timezone.WallTimeOf(t, z), z); err != nil {
		return withOffset(t, z, day)
	}
	return withoutOffset(t, z, day)
}

func withOffset(t time.Time, z timezone.Zone, day date.Date) string {
	return withoutOffset(t, z, day) + timezone.OffsetAt(t, z).String()
}

func withoutOffset(t time.Time, z timezone.Zone, day date.Date) string {
	if w := timezone.WallTimeOf(t, z); w.Day != day {
		return w.String()
	}
	return timezone.WallTimeOf(t, z).Time.String()
}

// readTime reads a time that a person typed: 10:00 of that day, with an offset
// where the clock shows it twice, or a whole 2027-03-28T10:00. 24:00 is the end
// of the day. Nothing is shifted or chosen silently.
func readTime(text string, z timezone.Zone, day date.Date) (time.Time, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return time.Time{}, errors.New("is missing, as 10:00")
	case text == "24:00":
		_, to := timezone.DayBounds(day, z)
		return to, nil
	case len(text) >= len("9:00") && text[1] == ':':
		text = "0" + text
	}
	if !strings.Contains(text, "T") {
		text = day.String() + "T" + text
	}
	t, err := timezone.ParseLocal(text, z)
	if err != nil {
		return t, errors.New(timeProblem(err, z, day))
	}
	return t, nil
}

// timeProblem says in few words what is wrong with a typed time.
func timeProblem(err error, z timezone.Zone, day date.Date) string {
	if wall, ok := errors.AsType[*timezone.WallTimeError](err); ok {
		what := "comes twice"
		if wall.Missing {
			what = "is skipped"
		}
		return fmt.Sprintf("%s %s: write %s or %s", wall.Wall.Time, what, withOffset(wall.Earlier, z, day), withOffset(wall.Later, z, day))
	}
	if input, ok := errors.AsType[*timezone.InputError](err); ok && input.Word != "" {
		return "no clock in " + z.Name() + " has " + input.Word + " then"
	}
	return "write 10:00, or 2027-03-28T10:00 for another day"
}

// readEnd reads the end of a range: a time as readTime, or a length such as 2h
// or 90m, which is real time.
func readEnd(text string, from time.Time, z timezone.Zone, day date.Date) (time.Time, error) {
	text = strings.TrimSpace(text)
	if d, err := time.ParseDuration(text); err == nil && !strings.Contains(text, ":") {
		if d <= 0 {
			return time.Time{}, errors.New("must be longer than nothing")
		}
		return from.Add(d), nil
	}
	to, err := readTime(text, z, day)
	switch {
	case err != nil && text == "":
		return to, errors.New("is missing, as 12:00 or 2h")
	case err != nil:
		return to, err
	case !from.Before(to):
		return to, fmt.Errorf("is not after %s; the next day is written %sT02:00", clock(from, z, day), day.Add(1))
	}
	return to, nil
}
