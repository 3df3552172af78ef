package line_test

import (
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
	"holdfast/tui/screen/line"
	"holdfast/tui/tuitest"
	"holdfast/tui/ui"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// program is one console on a store of its own, as another process would be, on
// the studio's day.
func program(t *testing.T, s pgtest.Studio, who string) *tuitest.Console {
	t.Helper()
	store := s.DB.Store(t, 4)
	c := tuitest.Open(t, tuitest.Options{
		Venue:  ui.Venue{Slug: s.Venue.Slug, Name: s.Venue.Name, Zone: s.Zone.Location()},
		Screen: func(env *ui.Env) ui.Screen { return line.New(env, store, inventory.Staff(who)) },
	})
	c.Clock.Advance(time.Since(c.Clock.Now())) // countdowns are measured by the database's clock
	goTo(c, s.Day.String())
	return c
}

// The whole of a booking's life from the line: held, in somebody's way, moved,
// released; and the time of a cancelled comp is free again.
func TestStore_FromHoldToFree(t *testing.T) {
	t.Parallel()

	studio := pgtest.OpenStudio(t, func(r *inventory.Resource) { r.Slot = 0 })
	mira, jan := program(t, studio, "mira"), program(t, studio, "jan")

	book := func(c *tuitest.Console, from, to, buyer string) {
		c.Press("n")
		erase(c, 6)
		c.Type(from)
		c.Press("tab")
		erase(c, 6)
		c.Type(to)
		c.Press("tab")
		c.Type(buyer)
		c.Press("ctrl+s")
	}
	book(mira, "10:00", "90m", "u-1")
	mira.Shows("held: Studio A 10:00", "1h30m long, for u-1")
	book(jan, "11:00", "12:00", "u-2")
	jan.Shows("taken 10:00", "u-1")
	jan.Press("esc")

	toTen := func(c *tuitest.Console) {
		tick(c)
		c.Press("home")
		for range 20 {
			c.Press("right")
		}
		rest(c)
		c.Shows("Studio A  10:00")
	}
	toTen(jan)
	jan.Press("m")
	erase(jan, 6)
	jan.Type("13:00")
	jan.Press("tab")
	erase(jan, 6)
	jan.Type("2h")
	jan.Press("ctrl+s")
	jan.Shows("MOVE ONE BOOKING, v1 -> v2", "EUR 30.00 now; there it would be EUR 40.00")
	toTen(mira) // drawn before it is moved
	mira.Press("L", "tab")
	jan.Press("tab", "tab", "enter")
	jan.Shows("moved, v2")
	mira.Press("enter")
	mira.Shows("Nothing changed: someone else was faster.", "moved by staff:jan")
	mira.Press("enter")
	tick(mira)
	mira.Press("right", "right", "right", "right", "right", "right")
	rest(mira)
	mira.Shows("Studio A  13:00", "HELD v2", "EUR 40.00")
	mira.Press("L", "tab", "enter")
	mira.Shows("released, v3")

	studio.HoldRange(t, "u-3", "10:00", "11:00") // it is free again
}

func TestStore_CompIsCancelled(t *testing.T) {
	t.Parallel()

	studio := pgtest.OpenStudio(t, nil)
	c := program(t, studio, "mira")
	c.Press("home")
	for range 20 {
		c.Press("right")
	}
	c.Press("n", "tab", "tab")
	c.Type("u-1")
	c.Press("tab", "right", "tab")
	c.Type("our own rehearsal")
	c.Press("ctrl+s")
	c.Shows("given: Studio A 10:00", "CONFIRMED")
	rest(c)
	c.Press("C")
	c.Shows("CANCEL ONE BOOKING", "nothing was paid for it")
	c.Press("up")
	c.Type("flooded")
	c.Press("tab", "tab", "enter")
	c.Shows("cancelled, v2", "free")
}

// On the day on which clocks go forward the line, the booking and the database
// agree on what an hour is.
func TestStore_ClockChange(t *testing.T) {
	t.Parallel()

	studio := pgtest.OpenStudio(t, func(r *inventory.Resource) {
		r.Slot, r.Week = 0, inventory.OpenEveryDay(timezone.Hours{Closes: timezone.NewTimeOfDay(24, 0)})
	})
	c := program(t, studio, "mira")
	goTo(c, nextSkippedHour(t, studio.Zone, c.Clock.Now()))
	c.Shows("THIS DAY HAS 23 HOURS")
	c.Press("home", "right", "right", "shift+right", "shift+right", "shift+right", "n")
	c.Shows("[ 01:00", "[ 04:00")
	c.Press("tab", "tab")
	c.Type("u-1")
	c.Press("ctrl+s")
	c.Shows("held: Studio A 01:00+01:00 to 04:00+02:00, 2h long, not 3h, for u-1", "EUR 40.00")
	c.Press("n", "tab", "tab")
	c.Type("u-2")
	c.Press("shift+tab", "shift+tab")
	erase(c, 5)
	c.Type("02:30")
	c.Press("ctrl+s")
	c.Shows("02:30 is skipped: write 01:30+01:00 or 03:30+02:00")
}

// nextSkippedHour is the next day on which the clocks of a zone go forward.
func nextSkippedHour(t *testing.T, zone timezone.Zone, now time.Time) string {
	t.Helper()
	for _, change := range timezone.NextChanges(zone, now, 2) {
		if change.Shift() > 0 {
			return timezone.DayOf(change.At, zone).String()
		}
	}
	t.Fatalf("the clocks of %s do not go forward", zone)
	return ""
}
