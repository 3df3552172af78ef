package venues_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
	"holdfast/tui/tuitest"
)

// start is where the clock of tuitest stands.
var start = time.Date(2026, 12, 4, 11, 38, 7, 0, time.UTC)

// moved is something at a local time of Berlin that New York would move.
func moved(t testing.TB, kind, name, buyer, wall string) inventory.ZoneMove {
	t.Helper()
	zone := func(name string) timezone.Zone {
		z, err := timezone.ParseZone(name)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	w, err := timezone.ParseWallTime(wall)
	if err != nil {
		t.Fatal(err)
	}
	v := inventory.ZoneMove{Kind: kind, Name: name, Buyer: buyer, Day: w.Day, Local: w, Version: 2}
	v.Stored = timezone.FirstInstantAt(w, zone("Europe/Berlin"))
	v.LocalThen = timezone.WallTimeOf(v.Stored, zone("America/New_York"))
	switch would, err := timezone.InstantOf(w, zone("America/New_York")); choice := err.(type) { //nolint:errorlint // it is not wrapped here
	case nil:
		v.Would = would
	case *timezone.WallTimeError:
		v.Problem, v.Choice = inventory.LocalTimeDoubled, [2]time.Time{choice.Earlier, choice.Later}
		if choice.Missing {
			v.Problem = inventory.LocalTimeMissing
		}
	}
	if kind == "range" {
		v.Booking = inventory.BookingID{UUID: uuid.NewSHA1(uuid.NameSpaceOID, []byte(name+buyer+wall))}
	}
	return v
}

// moving is what a change to New York would move, one of each sort.
func moving(t testing.TB) inventory.ZonePreview {
	t.Helper()
	p := inventory.ZonePreview{
		Future: 42, NewDay: 3, Missing: 1, Doubled: 1, GoRules: "2026b", DatabaseRules: "2026b",
		Moves: []inventory.ZoneMove{
			moved(t, "event", "Gala", "", "2026-12-18T19:30"),
			moved(t, "range", "Studio A", "u-1029", "2026-12-20T10:00"),
			moved(t, "range", "Studio B", "u-0042", "2027-03-14T02:30"),
			moved(t, "range", "Studio B", "日本武道館ホール大", "2027-11-07T01:15"),
		},
	}
	for i := range 20 {
		day := date.New(2026, 12, 4).Add(date.PeriodOfDays(i))
		p.Moves = append(p.Moves, moved(t, "pool-day", "Main floor", "", day.String()+"T00:00"))
	}
	p.Moving = len(p.Moves)
	return p
}

// choose goes to the page of what would move.
func choose(c *tuitest.Console) {
	c.Press("z")
	c.Type("new york")
	c.Press("enter")
}

// confirm fills the typed confirmation and presses the button.
func confirm(c *tuitest.Console) {
	c.Press("shift+tab", "shift+tab")
	c.Type("moved")
	c.Press("tab")
	c.Type("harbour")
	c.Press("tab", "tab", "enter")
}

func TestVenues_ZoneThatMovesBookings(t *testing.T) {
	t.Parallel()

	o := world()
	o.ahead = moving(t)
	c := open(t, o)
	choose(c)
	c.Frame("choice")
	c.FrameAt("choice", 40, 12)
	c.FrameAt("choice", 100, 30)
	c.Shows("24 of 42 ahead would move: 3 bookings by time, 1 event, 20 ends of days.", "(x) keep the local time   (19:30 stays 19:30",
		"( ) keep the moment   (19:30 becomes 13:30)", "1 local time falls into a gap, 1 comes twice", "gap: 01:30 or 03:30", "Both copies of the zone rules agree.")
	c.Press("enter")
	c.Shows("2 local times fall in a gap or come twice: move first, or tab")
	wantWrites(t, o)
	c.Press("tab")
	c.Shows("(x) keep the moment")
	c.Press("enter")
	c.Frame("confirm")
	c.Shows("CHANGE THE ZONE OF Harbour Hall", "The moments stay", "Type harbour to go on")
	confirm(c)
	wantWrites(t, o, `zone harbour America/New_York keep instant v9 "moved"`)
	c.Shows("harbour is in America/New_York now, v10")
}

func TestVenues_ZoneKeepsLocalTimes(t *testing.T) {
	t.Parallel()

	o := world()
	o.ahead = moving(t)
	o.ahead.Moves = append(o.ahead.Moves[:2:2], o.ahead.Moves[4:]...)
	o.ahead.Missing, o.ahead.Doubled, o.ahead.Moving = 0, 0, len(o.ahead.Moves)
	c := open(t, o)
	choose(c)
	c.Hides("gap", "twice")
	c.Press("enter")
	c.Shows("The local times stay, the moments move: 1 booking by time, 1 event.")
	confirm(c)
	wantWrites(t, o, `zone harbour America/New_York keep local v9 "moved"`)
}

// Where nothing that anybody typed would move, there is nothing to choose.
func TestVenues_ZoneThatMovesOnlyDays(t *testing.T) {
	t.Parallel()

	o := world()
	o.ahead = moving(t)
	o.ahead.Moves = o.ahead.Moves[4:]
	o.ahead.Moving = len(o.ahead.Moves)
	c := open(t, o)
	choose(c)
	c.Hides("keep the moment")
	c.Shows("CHANGE THE ZONE OF Harbour Hall")
	confirm(c)
	wantWrites(t, o, `zone harbour America/New_York keep local v9 "moved"`)
}

// The two copies of the zone rules have to agree, or nothing can be saved.
func TestVenues_ZoneRulesDisagree(t *testing.T) {
	t.Parallel()

	o := world()
	o.ahead = moving(t)
	o.ahead.RulesDiffer = []time.Time{time.Date(2027, 3, 14, 7, 0, 0, 0, time.UTC)}
	o.ahead.DatabaseRules = "unknown"
	c := open(t, o)
	choose(c)
	c.Frame("disagree")
	c.Shows("THE ZONE RULES DISAGREE", "They first differ at 2027-03-14 07:00 UTC.")
	c.Press("enter", "enter")
	c.Hides("CHANGE THE ZONE OF")
	wantWrites(t, o)
}

// New rules of the venue's own zone are applied in the same way.
func TestVenues_NewRulesOfItsZone(t *testing.T) {
	t.Parallel()

	o := world()
	c := open(t, o)
	c.Press("z", "enter")
	c.Shows("that is its zone already, and its rules of today would move nothing")
	o.ahead = moving(t)
	c.Press("enter")
	c.Shows("IF YOU CHANGE Europe/Berlin -> Europe/Berlin", "keep the local time")
	c.Press("esc")
	c.Shows("TIME ZONE of Harbour Hall")
}

// A preview that has grown old is not acted upon, and someone else's change of
// the venue asks for a new choice.
func TestVenues_ZonePreviewGrowsOld(t *testing.T) {
	t.Parallel()

	o := world()
	o.ahead = moving(t)
	c := open(t, o)
	choose(c)
	c.Press("tab")
	for range 31 {
		c.Tick()
	}
	c.Press("enter")
	confirm(c)
	c.Shows("the numbers are older than 30s")
	wantWrites(t, o)
	c.Press("esc", "esc", "enter", "tab", "enter")
	o.edit(jan, o.venues[o.at("harbour")])
	confirm(c)
	c.Shows("Someone else saved first: nothing of yours was saved.")
	c.Press("enter")
	c.Shows("TIME ZONE of Harbour Hall")
}

func TestVenues_ZoneListOfMany(t *testing.T) {
	t.Parallel()

	o := world()
	o.ahead = moving(t)
	for i := range 900 {
		o.ahead.Moves = append(o.ahead.Moves, moved(t, "range", "Studio A", fmt.Sprintf("u-%d", i), "2026-12-20T10:00"))
	}
	o.ahead.Moving = 5000
	c := open(t, o)
	choose(c)
	c.Shows("5000 of 42 ahead would move; the first 924 are listed.")
	c.Press("pgdown", "end", "up", "home", "tab", "enter")
	c.Shows("at least 903 bookings")
}
