package timezone_test

import (
	"slices"
	"testing"
	"time"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/timezone"
)

// places returns the current zone names: old ones are the same zones again.
func places(t *testing.T) []timezone.Zone {
	t.Helper()
	var zones []timezone.Zone
	for _, name := range timezone.AcceptedNames() {
		if z := zone(t, name); z.Name() == name {
			zones = append(zones, z)
		}
	}
	return zones
}

// plainDayStart is another way to the start of a day, by trial around midnight:
// slower, and wrong only for nights that 2010 to 2035 do not have.
func plainDayStart(d date.Date, loc *time.Location) (time.Time, bool) {
	y, m, day := d.Date()
	is := func(t time.Time) bool { ty, tm, td := t.Date(); return ty == y && tm == m && td == day }

	t := time.Date(y, m, day, 0, 0, 0, 0, loc)
	if !is(t) { // midnight was skipped: the day begins at the change itself
		if _, end := t.ZoneBounds(); !end.IsZero() {
			t = end
		}
		return t, is(t)
	}
	if change, _ := t.ZoneBounds(); !change.IsZero() { // midnight may have come twice: take the first
		_, before := change.Add(-time.Second).Zone()
		first := time.Date(y, m, day, 0, 0, 0, 0, time.FixedZone("", before)).In(loc)
		if first.Before(t) && is(first) {
			t = first
		}
	}
	return t, true
}

// Every day of 2010 to 2035 in every zone starts at the first instant of its
// date, days touch, and two days do not exist. With -short, every tenth zone.
func TestDayStart_allZonesAllDays(t *testing.T) {
	t.Parallel()
	first, last := date.New(2010, time.January, 1), date.New(2035, time.December, 31)
	var missing []string
	for i, z := range places(t) {
		if testing.Short() && i%10 != 0 {
			continue
		}
		previous, _ := timezone.DayStart(first.Add(-1), z)
		for d := first; !d.After(last); d = d.Add(1) {
			start, ok := timezone.DayStart(d, z)
			plain, plainOK := plainDayStart(d, z.Location())
			switch {
			case ok != plainOK || ok && !start.Equal(plain):
				t.Errorf("%s: DayStart(%v) = %v, %v; by trial %v, %v", z, d, start, ok, plain, plainOK)
			case !ok:
				missing = append(missing, z.Name()+" "+d.String())
				continue // its start is the next day's
			case timezone.DayOf(start, z) != d || !timezone.DayOf(start.Add(-1), z).Before(d):
				t.Errorf("%s: DayStart(%v) = %v is not where the date begins", z, d, start)
			case !start.After(previous):
				t.Errorf("%s: %v starts at %v, the day before at %v", z, d, start, previous)
			}
			previous = start
		}
	}
	slices.Sort(missing)
	if want := []string{"Pacific/Apia 2011-12-30", "Pacific/Fakaofo 2011-12-30"}; !testing.Short() && !slices.Equal(missing, want) {
		t.Errorf("days that do not exist: %v, want %v", missing, want)
	}
}

// From any wall time to instants and back, in any zone.
func TestInstantOf_allZones(t *testing.T) {
	t.Parallel()
	zones := places(t)
	rapid.Check(t, func(t *rapid.T) {
		z := rapid.SampledFrom(zones).Draw(t, "zone")
		at := time.Unix(rapid.Int64Range(946684800, 7258118399).Draw(t, "at"), 0).UTC() // FirstYear to LastYear
		if changes := timezone.NextChanges(z, at, 1); len(changes) > 0 && rapid.Bool().Draw(t, "nearAChange") {
			at = changes[0].At.Add(time.Duration(rapid.IntRange(-7200, 7200).Draw(t, "seconds")) * time.Second)
		}
		wall := timezone.WallTimeOf(at, z)
		if day := timezone.DayOf(at, z); wall.Day != day {
			t.Fatalf("%s at %v: the wall shows %v, DayOf is %v", z, at, wall, day)
		}
		got, err := timezone.InstantOf(wall, z)
		if twice, ok := err.(*timezone.WallTimeError); ok { //nolint:errorlint // InstantOf promises the type
			if twice.Missing || !twice.Earlier.Before(twice.Later) || !twice.Earlier.Equal(at) && !twice.Later.Equal(at) {
				t.Fatalf("%s: InstantOf(%v) = %v, but it is shown at %v", z, wall, err, at)
			}
			for _, i := range []time.Time{twice.Earlier, twice.Later} {
				if timezone.WallTimeOf(i, z) != wall {
					t.Fatalf("%s: %v is not shown at %v", z, wall, i)
				}
			}
			return
		}
		if err != nil || !got.Equal(at) {
			t.Fatalf("%s: InstantOf(%v) = %v, %v, want %v", z, wall, got, err, at)
		}
	})
}

func TestNextChanges_allZones(t *testing.T) {
	t.Parallel()
	from := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, z := range places(t) {
		previous := from
		for _, c := range timezone.NextChanges(z, from, 50) {
			if !c.At.After(previous) || c.Shift() == 0 {
				t.Errorf("%s: %v after %v is no next change", z, c, previous)
			}
			if timezone.OffsetAt(c.At, z) != c.After || timezone.OffsetAt(c.At.Add(-1), z) != c.Before {
				t.Errorf("%s: the offsets around %v are not %v and %v", z, c.At, c.Before, c.After)
			}
			previous = c.At
		}
	}
}

// On 31 December of a leap year, time.Time.ZoneBounds answers with an end that is
// already over wherever a zone's rule for the future applies (go.dev/issue/81583);
// a walk along the ends would never end.
func TestDayStart_lastDayOfLeapYears(t *testing.T) {
	t.Parallel()
	for _, z := range places(t) {
		for year := 2012; year <= timezone.LastYear; year += 4 {
			d := date.New(year, time.December, 31)
			from, to := timezone.DayBounds(d, z)
			next := timezone.DayLength(d.Add(1), z)
			if timezone.DayOf(from, z) != d || timezone.DayOf(to, z) != d.Add(1) || to.Sub(from) != 24*time.Hour || next != 24*time.Hour {
				t.Errorf("%s: %v is %v to %v", z, d, from, to)
			}
			noon := timezone.WallTime{Day: d, Time: timezone.NewTimeOfDay(12, 0)}
			if at, err := timezone.InstantOf(noon, z); err != nil || timezone.WallTimeOf(at, z) != noon {
				t.Errorf("%s: InstantOf(%v) = %v, %v", z, noon, at, err)
			}
			if _, ok := timezone.ChangeOn(d, z); ok {
				t.Errorf("%s: a clock change on %v", z, d)
			}
		}
	}
}
