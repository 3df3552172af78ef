package venues_test

import (
	"testing"

	"holdfast/inventory"
	"holdfast/tui/tuitest"
)

func TestVenues_ZonePage(t *testing.T) {
	t.Parallel()

	c := open(t, world())
	c.Press("z")
	c.Shows("TIME ZONE of Harbour Hall", "now Europe/Berlin", "THIS IS ITS ZONE NOW",
		"Sun 2027-03-28 (23h long): 02:00 -> 03:00, 02:00-02:59 do not exist",
		"Sun 2027-10-31 (25h long): 03:00 -> 02:00, 02:00-02:59 come twice")
	c.Frame("own")
	c.Press("enter")
	c.Shows("that is its zone already")
	c.Type("new york")
	c.Frame("newYork")
	c.FrameAt("newYork", 40, 12)
	c.Shows("IF YOU CHANGE Europe/Berlin -> America/New_York", "6h behind", "62 pool days", "42 holds run now")
	clear(c, 8)
	c.Press("esc")
	c.Shows("4 VENUES")
}

func TestVenues_ZoneIsFoundBy(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ typed, want, by string }{
		{"berl", "Europe/Berlin", "found by city"},
		{"germany", "Europe/Berlin", "found by country"},
		{"jp", "Asia/Tokyo", "found by code"},
		{"+10:30", "Australia/", "found by offset"},
		{"calcutta", "Asia/Kolkata", "found by old name Asia/Calcutta, which is Asia/Kolkata today"},
		{"morocco", "Africa/Casablanca", "found by country"},
	} {
		c := open(t, world())
		c.Press("z")
		c.Type(tc.typed)
		c.Shows(">  "+tc.want, tc.by)
	}
	c := open(t, world())
	c.Press("z")
	c.Type("xyzzy")
	c.Shows("Nothing matches.")
	c.Press("enter", "up", "down", "pgdown")
	c.Shows("no zone matches")
	c.Frame("none")
}

// Half an hour, no change at all, and changes that skip midnight.
func TestVenues_ZoneChangesOfAllKinds(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		typed string
		want  []string
	}{
		{"lord howe", []string{"(24h30m long): 02:00 -> 01:30, 01:30-01:59 come twice", "(23h30m long): 02:00 -> 02:30, 02:00-02:29 do not exist"}},
		{"tokyo", []string{"none: its clocks do not change", "never"}},
		{"santiago", []string{"(25h long): 00:00 -> 23:00, 23:00-23:59 come twice", "(23h long): 00:00 -> 01:00, 00:00-00:59 do not exist"}},
		{"casablanca", []string{"Sun 2027-02-07 (25h long)", "Sun 2027-03-14 (23h long)"}},
	} {
		c := open(t, world())
		c.Press("z")
		c.Type(tc.typed)
		c.Shows(tc.want...)
	}
}

// toZone types a zone, goes on, and fills the confirmation.
func toZone(c *tuitest.Console, typed, code string) {
	c.Press("z")
	c.Type(typed)
	c.Press("enter", "shift+tab", "shift+tab")
	c.Type("moved")
	c.Press("tab")
	c.Type(code)
	c.Press("tab", "tab")
}

func TestVenues_ChangeZone(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	toZone(c, "new york", "harbor")
	c.Shows("CHANGE THE ZONE OF Harbour Hall", "Europe/Berlin -> America/New_York. What happens:", "6h behind", "not yet")
	c.Press("enter")
	wantWrites(t, o)
	c.Press("shift+tab", "shift+tab")
	clear(c, 6)
	c.Type("harbour")
	c.Frame("typed")
	c.Press("tab", "tab", "enter")
	wantWrites(t, o, `zone harbour America/New_York keep local v9 "moved"`)
	c.Shows("harbour is in America/New_York now, v10", "Fri 06:38 -05:00", "06:38:0", "4 VENUES")
}

// Sales of today end at once where it is tomorrow already, and those of
// yesterday begin again where it still is yesterday. Both are said before.
func TestVenues_ZonePreviewSaysWhatHappensToToday(t *testing.T) {
	t.Parallel()

	o := world()
	o.venues[1].Zone = "Pacific/Pago_Pago"
	c := open(t, o)
	c.Press("z")
	c.Type("kiritimati")
	c.Shows("It is Sat 2026-12-05 there: the sales of Fri 2026-12-04 end at once.")
	c.Press("esc")
	o.venues[1].Zone = "Pacific/Kiritimati"
	c.Tick()
	c.Tick()
	c.Press("z")
	c.Type("pago")
	c.Shows("It is still Fri 2026-12-04 there: the sales of that day begin again.")
}

func TestVenues_ChangeZoneAfterSomeoneElse(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	toZone(c, "new york", "harbour")
	theirs := o.venues[o.at("harbour")]
	theirs.Zone = "Europe/Vienna"
	o.edit(jan, theirs)
	c.Press("enter")
	c.Shows("Someone else saved first: nothing of yours was saved.", "you saw version 9", "Europe/Vienna now, you wanted")
	c.Frame("moved")
	c.Press("enter")
	c.Shows("now Europe/Vienna", "IF YOU CHANGE Europe/Vienna -> America/New_York")
	if v := o.venues[o.at("harbour")]; v.Zone != "Europe/Vienna" {
		t.Errorf("the zone is %s", v.Zone)
	}
}

// The preview of a change of zone dies after 30 seconds.
func TestVenues_ChangeZoneNeedsFreshNumbers(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	toZone(c, "new york", "harbour")
	for range 31 {
		c.Tick()
	}
	c.Press("enter")
	c.Shows("the numbers are older than 30s")
	wantWrites(t, o)
}

func TestVenues_ChangeZoneAnswerLost(t *testing.T) {
	t.Parallel()

	t.Run("itWentThrough", func(t *testing.T) {
		t.Parallel()
		o := world()
		o.lost = true
		c := open(t, o)
		toZone(c, "new york", "harbour")
		c.Press("enter")
		c.Shows("answer lost, but done: harbour is in America/New_York, v10", "06:38:0")
	})
	t.Run("nothingSoFar", func(t *testing.T) {
		t.Parallel()
		o := world()
		o.wErr = inventory.ErrUnknownOutcome
		c := open(t, o)
		toZone(c, "new york", "harbour")
		c.Press("enter")
		c.Shows("The answer was lost. So far nothing has changed.")
	})
}

// A zone that PostgreSQL does not know is refused by the store and said.
func TestVenues_ZoneUnknownToTheDatabase(t *testing.T) {
	t.Parallel()

	o := world()
	o.wErr = inventory.Invalid("zone", "America/New_York is not known to the database; its time zone rules are older than ours")
	c := open(t, o)
	toZone(c, "new york", "harbour")
	c.Press("enter")
	c.Shows("Nothing was saved: zone: America/New_York is not known to the")
}

func TestVenues_ZonePageOffline(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	o.err = inventory.ErrUnavailable
	c.Press("z")
	c.Type("new york")
	c.Shows("What it would touch could not be read: database not reachable")
	c.Press("enter")
	c.Hides("CHANGE THE ZONE")
	wantWrites(t, o)
}
