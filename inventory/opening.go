package inventory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rickb777/date"

	"holdfast/timezone"
)

// OpeningWeek is when a resource is open, by weekday, Monday first, as in ISO
// 8601. The zero Hours are closed.
type OpeningWeek [7]timezone.Hours

// For returns the hours of the weekday of d.
func (w OpeningWeek) For(d date.Date) timezone.Hours { return w[(int(d.Weekday())+6)%7] }

// OpenEveryDay returns a week with the same hours on each day.
func OpenEveryDay(h timezone.Hours) OpeningWeek {
	var w OpeningWeek
	for i := range w {
		w[i] = h
	}
	return w
}

// check refuses hours that no wall shows, and hours after midnight that run into
// those of the next weekday: each opening is one weekday's.
func (w OpeningWeek) check() error {
	var errs []error
	for i, h := range w {
		if h.Closed() {
			continue
		}
		next := (i + 1) % len(w)
		this, following := time.Weekday(next), time.Weekday((next+1)%len(w)) // Sunday is 0 there
		over := h.Closes - midnight
		switch length := h.Closes - h.Opens; {
		case h.Opens < 0, h.Opens >= midnight, length <= 0, length > midnight:
			errs = append(errs, Invalid("open", "hours on %ss must begin from 00:00 to 23:59 and end within 24 hours", this))
		case h.Opens%minute != 0, h.Closes%minute != 0:
			errs = append(errs, Invalid("open", "hours on %ss must be whole minutes", this))
		case over > 0 && !w[next].Closed() && over > w[next].Opens:
			errs = append(errs, Invalid("open", "hours on %ss last until %s, when those on %ss have begun", this, over, following))
		}
	}
	return errors.Join(errs...)
}

const (
	minute   = timezone.TimeOfDay(time.Minute)
	midnight = 24 * 60 * minute // what the wall shows as 24:00
)

// opening is real time in which a resource is open, by the hours of one local day.
type opening struct {
	Range
	day date.Date
}

// openings returns when r is open by the hours of the local days from first to
// last, in order. A closed day has none; what the evening before it keeps open
// after midnight stays open.
func (r Resource) openings(first, last date.Date, zone timezone.Zone) []opening {
	var all []opening
	for day := first; !day.After(last); day = day.Add(1) {
		if slices.Contains(r.ClosedDays, day) {
			continue
		}
		if p, open := timezone.OpenOn(day, r.Week.For(day), zone); open {
			all = append(all, opening{Range(p), day})
		}
	}
	return all
}

// OpenRanges returns the parts of the local day in which r is open, in order:
// what the evening before keeps open after midnight, and the hours of the day
// itself until midnight. Parts that touch are one.
func (r Resource) OpenRanges(day date.Date, zone timezone.Zone) []Range {
	from, to := timezone.DayBounds(day, zone)
	var parts []Range
	for _, o := range r.openings(day.Add(-1), day, zone) {
		part := Range{later(o.From, from), earlier(o.To, to)}
		if !part.From.Before(part.To) {
			continue
		}
		if last := len(parts) - 1; last >= 0 && !parts[last].To.Before(part.From) {
			parts[last].To = later(parts[last].To, part.To)
			continue
		}
		parts = append(parts, part)
	}
	return parts
}

// SlotRanges returns the slots that the hours of the local day have, in order;
// none on a closed day, or if r has no slots.
func (r Resource) SlotRanges(day date.Date, zone timezone.Zone) []Range {
	if slices.Contains(r.ClosedDays, day) {
		return nil
	}
	periods := timezone.Slots(day, r.Week.For(day), r.Slot, r.Turnaround, zone)
	slots := make([]Range, len(periods))
	for i, p := range periods {
		slots[i] = Range(p)
	}
	return slots
}

// Check reports as FieldErrors for from and to whether r can be had for a range
// by its own rules: open all the time by the hours of its local days in the
// venue's zone, not on a closed day, from MinStay to MaxStay of real time, and
// with slots from the start of one to the end of one. Several slots may be taken
// together, with the turnaround between them. Whether it is free is not asked.
func (r Resource) Check(during Range, zone timezone.Zone) error {
	if err := during.check(); err != nil {
		return err
	}
	length := r.checkStay(during.Length())
	if during.Length() > r.MaxStay {
		return length // and not walked through, day by day
	}
	if r.Slot == 0 {
		return errors.Join(r.checkOpen(during, zone), length)
	}
	if err := r.checkOpen(during, zone); err != nil {
		return err
	}
	return errors.Join(r.checkGrid(during, zone), length)
}

func (r Resource) checkStay(length time.Duration) error {
	switch {
	case length < r.MinStay:
		return Invalid("to", "must be at least %s after from", spell(r.MinStay))
	case length > r.MaxStay:
		return Invalid("to", "must be at most %s after from", spell(r.MaxStay))
	}
	return nil
}

// checkOpen follows the openings that touch, from the one that the range begins
// in to the end of the range.
func (r Resource) checkOpen(during Range, zone timezone.Zone) error {
	day := timezone.DayOf(during.From, zone)
	all := r.openings(day.Add(-1), timezone.DayOf(during.To, zone).Add(1), zone)
	at := slices.IndexFunc(all, func(o opening) bool { return !during.From.Before(o.From) && during.From.Before(o.To) })
	if at < 0 {
		return Invalid("from", "%s", r.closedThen(day))
	}
	open := all[at]
	for _, next := range all[at+1:] {
		if !next.From.After(open.To) && next.To.After(open.To) {
			open = next
		}
	}
	if during.To.After(open.To) {
		return Invalid("to", "the resource closes before that: open %s on %s", r.Week.For(open.day), timezone.DayLabel(open.day))
	}
	return nil
}

// closedThen says why r is not open at some time of a local day.
func (r Resource) closedThen(day date.Date) string {
	switch hours := r.Week.For(day); {
	case slices.Contains(r.ClosedDays, day):
		return "the resource is closed on " + timezone.DayLabel(day)
	case hours.Closed():
		return fmt.Sprintf("the resource is closed on %ss", day.Weekday())
	default:
		return fmt.Sprintf("the resource is closed then: open %s on %ss", hours, day.Weekday())
	}
}

// checkGrid compares the ends of a range with the slots of the local days around
// each.
func (r Resource) checkGrid(during Range, zone timezone.Zone) error {
	var starts, ends []time.Time
	for _, s := range r.slotsAround(during.From, zone) {
		starts = append(starts, s.From)
	}
	for _, s := range r.slotsAround(during.To, zone) {
		if s.To.After(during.From) {
			ends = append(ends, s.To)
		}
	}
	return errors.Join(onGrid("from", "start", during.From, starts, zone), onGrid("to", "end", during.To, ends, zone))
}

// slotsAround returns the slots of the local day of t and of its neighbours.
func (r Resource) slotsAround(t time.Time, zone timezone.Zone) []Range {
	day := timezone.DayOf(t, zone)
	return slices.Concat(r.SlotRanges(day.Add(-1), zone), r.SlotRanges(day, zone), r.SlotRanges(day.Add(1), zone))
}

// onGrid reports that t is none of the times, which are in order, and names the
// nearest two.
func onGrid(field, end string, t time.Time, times []time.Time, zone timezone.Zone) error {
	at, found := slices.BinarySearchFunc(times, t, time.Time.Compare)
	if found {
		return nil
	}
	var near []string
	for _, n := range times[max(0, at-1):min(len(times), at+1)] {
		near = append(near, shownBeside(n, t, zone))
	}
	if len(near) == 0 {
		return Invalid(field, "must be the %s of a slot, and there is none around then", end)
	}
	return Invalid(field, "must be the %s of a slot: %s", end, strings.Join(near, " or "))
}

// shownBeside writes t as the wall in zone shows it: with its day if that is not
// the day of beside, and with its offset if the wall shows it twice.
func shownBeside(t, beside time.Time, zone timezone.Zone) string {
	wall := timezone.WallTimeOf(t, zone)
	text := wall.String()
	if wall.Day == timezone.DayOf(beside, zone) {
		text = wall.Time.String()
	}
	if _, err := timezone.InstantOf(wall, zone); err != nil {
		text += timezone.OffsetAt(t, zone).String()
	}
	return text
}

// spell writes a length without the zeros at its end: 1h30m, 24h.
func spell(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
