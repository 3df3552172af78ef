package inventory_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rickb777/date"
	"pgregory.net/rapid"

	"holdfast/inventory"
	"holdfast/timezone"
)

func zoneOf(t testing.TB, name string) timezone.Zone {
	t.Helper()
	zone, err := timezone.ParseZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func hoursOf(t testing.TB, text string) timezone.Hours {
	t.Helper()
	h, err := timezone.ParseHours(text)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func dayOf(t testing.TB, text string) date.Date {
	t.Helper()
	d, err := timezone.ParseDay(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// span reads "2027-01-15T10:00/2027-01-15T11:00", with offsets where a wall time
// comes twice.
func span(t testing.TB, text string, zone timezone.Zone) inventory.Range {
	t.Helper()
	from, to, _ := strings.Cut(text, "/")
	var r inventory.Range
	var err, toErr error
	r.From, err = timezone.ParseLocal(from, zone)
	r.To, toErr = timezone.ParseLocal(to, zone)
	if err := errors.Join(err, toErr); err != nil {
		t.Fatal(err)
	}
	return r
}

// studio is open every day, and takes any stay up to ten days.
func studio(t testing.TB, hours string) inventory.Resource {
	t.Helper()
	return inventory.Resource{
		Ref: inventory.ResourceRef{Venue: "harbour", Resource: "studio-a"}, Name: "Studio A",
		Week: inventory.OpenEveryDay(hoursOf(t, hours)), MinStay: 15 * time.Minute, MaxStay: 240 * time.Hour,
	}
}

// Case B34: opening hours are wall times of their date. Eight slots on every
// day around the clock changes, the first at 09:00, the last at 16:00, each one
// bookable as it is listed.
func TestResource_B34_slotsKeepLocalTime(t *testing.T) {
	t.Parallel()
	for name, periods := range map[string][][2]string{
		"Europe/Berlin":    {{"2026-03-27", "2026-04-02"}, {"2026-10-23", "2026-10-28"}},
		"America/New_York": {{"2026-03-06", "2026-03-10"}, {"2026-10-30", "2026-11-03"}},
	} {
		zone := zoneOf(t, name)
		r := studio(t, "09:00-17:00")
		r.Slot = time.Hour
		for _, p := range periods {
			for day := dayOf(t, p[0]); !day.After(dayOf(t, p[1])); day = day.Add(1) {
				slots := r.SlotRanges(day, zone)
				if len(slots) != 8 {
					t.Fatalf("%s %s: %d slots, want 8", name, day, len(slots))
				}
				first, last := timezone.WallTimeOf(slots[0].From, zone).String(), timezone.WallTimeOf(slots[7].From, zone).String()
				if first != day.String()+"T09:00" || last != day.String()+"T16:00" {
					t.Errorf("%s: slots from %s to %s", name, first, last)
				}
				if err := r.Check(slots[0], zone); err != nil {
					t.Errorf("%s %s: the first slot is refused: %v", name, day, err)
				}
			}
		}
	}
}

func TestResource_Check(t *testing.T) {
	t.Parallel()
	berlin, lordHowe := "Europe/Berlin", "Australia/Lord_Howe"
	grid := func(hours string, slot, turnaround time.Duration) func(*inventory.Resource) {
		return func(r *inventory.Resource) {
			r.Week, r.Slot, r.Turnaround = inventory.OpenEveryDay(hoursOf(t, hours)), slot, turnaround
		}
	}
	stay := func(least, most time.Duration) func(*inventory.Resource) {
		return func(r *inventory.Resource) { r.MinStay, r.MaxStay = least, most }
	}
	for _, c := range []struct {
		name, zone, hours, during string
		with                      func(*inventory.Resource)
		want                      []string // "": fine; else what each error says
	}{
		{"within the hours", berlin, "09:00-22:00", "2027-01-17T09:00/2027-01-17T22:00", nil, nil},
		{"before opening", berlin, "09:00-22:00", "2027-01-17T08:59/2027-01-17T10:00", nil, []string{"from: the resource is closed then: open 09:00-22:00 on Sundays"}},
		{"past closing", berlin, "09:00-22:00", "2027-01-17T21:00/2027-01-17T22:01", nil, []string{"to: the resource closes before that: open 09:00-22:00 on Sun 2027-01-17"}},
		{"over a night that is closed", berlin, "09:00-22:00", "2027-01-17T21:00/2027-01-18T10:00", nil, []string{"to: the resource closes before that: open 09:00-22:00 on Sun 2027-01-17"}},
		{"closed weekday", berlin, "09:00-22:00", "2027-01-17T10:00/2027-01-17T11:00", func(r *inventory.Resource) { r.Week[6] = timezone.Hours{} }, []string{"from: the resource is closed on Sundays"}},
		{"closed day", berlin, "00:00-24:00", "2026-12-24T10:00/2026-12-24T11:00", nil, []string{"from: the resource is closed on Thu 2026-12-24"}},
		{"into a closed day", berlin, "00:00-24:00", "2026-12-23T10:00/2026-12-24T00:01", nil, []string{"to: the resource closes before that: open 00:00-24:00 on Wed 2026-12-23"}},
		{"until a closed day", berlin, "00:00-24:00", "2026-12-23T10:00/2026-12-24T00:00", nil, nil},
		{"the evening before lasts into a closed day", berlin, "18:00-02:00", "2026-12-23T23:00/2026-12-24T02:00", nil, nil},
		{"after midnight, by the hours of the day before", berlin, "18:00-02:00", "2027-01-18T00:30/2027-01-18T01:30", nil, nil},
		{"several days, always open", berlin, "00:00-24:00", "2027-01-15T10:00/2027-01-19T11:00", nil, nil},
		{"too short", berlin, "09:00-22:00", "2027-01-17T10:00/2027-01-17T10:14", nil, []string{"to: must be at least 15m after from"}},
		{"too long", berlin, "00:00-24:00", "2027-01-10T10:00/2027-01-20T10:01", nil, []string{"to: must be at most 240h after from"}},
		{"closed and too short", berlin, "09:00-22:00", "2027-01-17T08:00/2027-01-17T08:01", nil, []string{"from: the resource is closed then", "to: must be at least"}},
		{"ends before it begins", berlin, "09:00-22:00", "2027-01-17T12:00/2027-01-17T11:00", nil, []string{"to: must be after from"}},

		{"23 real hours on the wall's 24", berlin, "00:00-24:00", "2027-03-28T00:00/2027-03-29T00:00", stay(time.Minute, 23*time.Hour), nil},
		{"24 of the wall, 23 in truth, are too short", berlin, "00:00-24:00", "2027-03-28T00:00/2027-03-29T00:00", stay(24*time.Hour, 48*time.Hour), []string{"to: must be at least 24h after from"}},
		{"25 real hours are too long", berlin, "00:00-24:00", "2027-10-31T00:00/2027-11-01T00:00", stay(time.Minute, 24*time.Hour), []string{"to: must be at most 24h after from"}},
		{"one hour, over the doubled one", berlin, "00:00-24:00", "2027-10-31T02:30+02:00/2027-10-31T02:30+01:00", stay(time.Hour, time.Hour), nil},
		{"half an hour of Lord Howe comes twice", lordHowe, "00:00-24:00", "2027-04-04T01:30+11:00/2027-04-04T01:30+10:30", stay(30*time.Minute, 30*time.Minute), nil},
		{"half an hour of Lord Howe is missing", lordHowe, "00:00-24:00", "2027-10-03T01:30/2027-10-03T02:30", stay(time.Hour, 2*time.Hour), []string{"to: must be at least 1h after from"}},

		{"a slot", berlin, "", "2027-01-17T10:15/2027-01-17T11:15", grid("09:00-22:00", time.Hour, 15*time.Minute), nil},
		{"two slots with the turnaround between", berlin, "", "2027-01-17T10:15/2027-01-17T12:30", grid("09:00-22:00", time.Hour, 15*time.Minute), nil},
		{"the turnaround is no slot", berlin, "", "2027-01-17T10:15/2027-01-17T11:30", grid("09:00-22:00", time.Hour, 15*time.Minute), []string{"to: must be the end of a slot: 11:15 or 12:30"}},
		{"between two starts", berlin, "", "2027-01-17T10:30/2027-01-17T11:15", grid("09:00-22:00", time.Hour, 15*time.Minute), []string{"from: must be the start of a slot: 10:15 or 11:30"}},
		{"neither start nor end", berlin, "", "2027-01-17T10:30/2027-01-17T11:30", grid("09:00-22:00", time.Hour, 0), []string{"from: must be the start of a slot: 10:00 or 11:00", "to: must be the end of a slot: 11:00 or 12:00"}},
		{"after the last slot", berlin, "", "2027-01-17T16:30/2027-01-17T16:45", grid("09:00-16:45", time.Hour, 0), []string{"from: must be the start of a slot: 15:00 or 2027-01-18T09:00", "to: must be the end of a slot: 2027-01-18T10:00"}},
		{"slots of two days with a closed night between", berlin, "", "2027-01-17T21:00/2027-01-18T10:00", grid("09:00-22:00", time.Hour, 0), []string{"to: the resource closes before that"}},
		{"slots of two days without a night", berlin, "", "2027-01-17T22:00/2027-01-18T02:00", grid("00:00-24:00", 2*time.Hour, 0), nil},
		{"the doubled slot is named with its offset", berlin, "", "2027-10-31T01:30/2027-10-31T03:00", grid("00:00-24:00", time.Hour, 0), []string{"from: must be the start of a slot: 01:00 or 02:00+02:00"}},
		{"one of two doubled slots", berlin, "", "2027-10-31T02:00+01:00/2027-10-31T03:00", grid("00:00-24:00", time.Hour, 0), nil},
	} {
		r := studio(t, "09:00-22:00")
		if c.hours != "" {
			r = studio(t, c.hours)
		}
		r.ClosedDays = []date.Date{dayOf(t, "2026-12-24")}
		if c.with != nil {
			c.with(&r)
		}
		zone := zoneOf(t, c.zone)
		errs := inventory.FieldErrors(r.Check(span(t, c.during, zone), zone))
		if len(errs) != len(c.want) {
			t.Errorf("%s: %v, want %q", c.name, errs, c.want)
			continue
		}
		for i, want := range c.want {
			if got := errs[i].Error(); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %q, want %q", c.name, got, want)
			}
		}
	}
}

// Whatever is made of slots is taken, and nothing else is.
func TestResource_Check_takesRunsOfSlotsOnly(t *testing.T) {
	t.Parallel()
	zones := []timezone.Zone{zoneOf(t, "Europe/Berlin"), zoneOf(t, "Australia/Lord_Howe"), zoneOf(t, "America/Santiago"), zoneOf(t, "Africa/Casablanca")}
	rapid.Check(t, func(rt *rapid.T) {
		zone := rapid.SampledFrom(zones).Draw(rt, "zone")
		r := studio(t, rapid.SampledFrom([]string{"00:00-24:00", "09:00-17:00", "18:00-02:30", "23:30-01:00"}).Draw(rt, "hours"))
		r.Slot = time.Duration(rapid.IntRange(1, 36).Draw(rt, "slot")) * 5 * time.Minute
		r.Turnaround = time.Duration(rapid.IntRange(0, 6).Draw(rt, "turnaround")) * 5 * time.Minute
		r.MinStay = time.Minute
		day := date.New(2027, time.Month(rapid.IntRange(1, 12).Draw(rt, "month")), rapid.IntRange(1, 31).Draw(rt, "day"))
		slots := r.SlotRanges(day, zone)
		if len(slots) == 0 {
			return
		}
		from := rapid.IntRange(0, len(slots)-1).Draw(rt, "from")
		to := rapid.IntRange(from, len(slots)-1).Draw(rt, "to")
		run := inventory.Range{From: slots[from].From, To: slots[to].To}
		if err := r.Check(run, zone); err != nil {
			rt.Fatalf("slots %d to %d of %s: %v", from, to, day, err)
		}
		off := time.Duration(rapid.IntRange(1, 4).Draw(rt, "off")) * time.Minute
		for _, beside := range []inventory.Range{{From: run.From.Add(-off), To: run.To}, {From: run.From, To: run.To.Add(off)}} {
			if err := r.Check(beside, zone); len(inventory.FieldErrors(err)) == 0 {
				rt.Fatalf("%s to %s is off the grid and taken", beside.From, beside.To)
			}
		}
	})
}

func TestResource_OpenRanges(t *testing.T) {
	t.Parallel()
	berlin := zoneOf(t, "Europe/Berlin")
	for _, c := range []struct {
		hours, day string
		want       []string
	}{
		{"09:00-22:00", "2027-01-17", []string{"2027-01-17T09:00/2027-01-17T22:00"}},
		{"18:00-02:00", "2027-01-17", []string{"2027-01-17T00:00/2027-01-17T02:00", "2027-01-17T18:00/2027-01-18T00:00"}},
		{"18:00-02:00", "2026-12-24", []string{"2026-12-24T00:00/2026-12-24T02:00"}},
		{"02:00-02:00", "2027-01-17", []string{"2027-01-17T00:00/2027-01-18T00:00"}},
		{"00:00-24:00", "2027-10-31", []string{"2027-10-31T00:00/2027-11-01T00:00"}},
		{"00:00-24:00", "2026-12-24", nil},
	} {
		hours := timezone.Hours{Opens: timezone.NewTimeOfDay(2, 0), Closes: timezone.NewTimeOfDay(26, 0)}
		if c.hours != "02:00-02:00" {
			hours = hoursOf(t, c.hours)
		}
		r := studio(t, "09:00-22:00")
		r.Week, r.ClosedDays = inventory.OpenEveryDay(hours), []date.Date{dayOf(t, "2026-12-24")}
		got := r.OpenRanges(dayOf(t, c.day), berlin)
		if len(got) != len(c.want) {
			t.Errorf("%s on %s: %v, want %v", c.hours, c.day, got, c.want)
			continue
		}
		for i, want := range c.want {
			if w := span(t, want, berlin); !got[i].From.Equal(w.From) || !got[i].To.Equal(w.To) {
				t.Errorf("%s on %s: %v, want %s", c.hours, c.day, got[i], want)
			}
		}
	}
}

func TestResource_Validate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		with  func(*inventory.Resource)
		field string
	}{
		{"as it is", func(*inventory.Resource) {}, ""},
		{"hours after midnight that touch the next day's", func(r *inventory.Resource) { r.Week = inventory.OpenEveryDay(hoursOf(t, "18:00-02:00")) }, ""},
		{"hours after midnight into the next day's", func(r *inventory.Resource) { r.Week[5] = hoursOf(t, "18:00-10:00") }, "open"},
		{"hours of Sunday into Monday's", func(r *inventory.Resource) { r.Week[6] = hoursOf(t, "18:00-10:00") }, "open"},
		{"more than 24 hours", func(r *inventory.Resource) { r.Week[0].Closes = timezone.NewTimeOfDay(34, 0) }, "open"},
		{"hours that end before they begin", func(r *inventory.Resource) { r.Week[0].Closes = timezone.NewTimeOfDay(8, 0) }, "open"},
		{"hours with seconds", func(r *inventory.Resource) { r.Week[0].Opens += timezone.TimeOfDay(time.Second) }, "open"},
		{"a slot longer than the longest stay", func(r *inventory.Resource) { r.Slot, r.MaxStay = 2*time.Hour, time.Hour }, "max_stay"},
		{"a slot with seconds", func(r *inventory.Resource) { r.Slot = 90 * time.Second }, "slot"},
		{"a negative buffer", func(r *inventory.Resource) { r.Turnaround = -time.Minute }, "buffer"},
		{"the longest stay below the shortest", func(r *inventory.Resource) { r.MaxStay = time.Minute }, "max_stay"},
	} {
		r := studio(t, "09:00-22:00")
		c.with(&r)
		errs := inventory.FieldErrors(r.Validate())
		if c.field == "" && len(errs) > 0 || c.field != "" && (len(errs) != 1 || errs[0].Field != c.field) {
			t.Errorf("%s: %v, want an error of %q", c.name, errs, c.field)
		}
	}
}

func TestResource_PriceIsByRealHours(t *testing.T) {
	t.Parallel()
	r := inventory.Resource{PricePerHour: inventory.Money{Minor: 1000, Currency: "EUR"}}
	for _, c := range []struct {
		stay time.Duration
		want inventory.Minor
	}{{time.Hour, 1000}, {90 * time.Minute, 1500}, {23 * time.Hour, 23000}, {time.Second, 0}, {2 * time.Second, 1}, {0, 0}} {
		if got := r.Price(c.stay).Minor; got != c.want {
			t.Errorf("%s costs %d, want %d", c.stay, got, c.want)
		}
	}
}
