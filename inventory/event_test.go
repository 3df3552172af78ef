package inventory_test

import (
	"errors"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
	"holdfast/timezone"
)

func gala() inventory.Event {
	return inventory.Event{
		Ref: inventory.EventRef{Venue: "harbour", Event: "gala"}, Name: "Gala", Zone: "Europe/Berlin",
		Start:      timezone.WallTime{Day: date.New(2027, time.June, 1), Time: timezone.NewTimeOfDay(19, 30)},
		StartsAt:   time.Date(2027, time.June, 1, 17, 30, 0, 0, time.UTC),
		SalesUntil: time.Date(2027, time.June, 1, 17, 0, 0, 0, time.UTC),
		HoldTTL:    5 * time.Minute, Currency: "EUR",
	}
}

func TestEvent_ValidateNamesTheField(t *testing.T) {
	t.Parallel()
	for field, spoil := range map[string]func(*inventory.Event){
		"":         func(*inventory.Event) {},
		"venue":    func(e *inventory.Event) { e.Ref.Venue = "Harbour" },
		"event":    func(e *inventory.Event) { e.Ref.Event = "" },
		"name":     func(e *inventory.Event) { e.Name = "Gala\x1b" },
		"hold_ttl": func(e *inventory.Event) { e.HoldTTL = 0 },
		"start":    func(e *inventory.Event) { e.StartsAt = time.Time{} },
		"onsale":   func(e *inventory.Event) { e.SalesFrom = e.SalesUntil },
	} {
		e := gala()
		spoil(&e)
		got := ""
		for _, f := range inventory.FieldErrors(e.Validate()) {
			got += f.Field
		}
		if got != field {
			t.Errorf("want field %q: %v", field, e.Validate())
		}
	}
}

func TestEvent_CheckStartComparesTheWall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spoil func(*inventory.Event)
		field string
	}{
		{"as the wall shows it", func(*inventory.Event) {}, ""},
		{"an hour off", func(e *inventory.Event) { e.StartsAt = e.StartsAt.Add(time.Hour) }, "start"},
		{"in another zone", func(e *inventory.Event) { e.Zone = "Europe/London" }, "start"},
		{"in no zone", func(e *inventory.Event) { e.Zone = "Europe/Atlantis" }, "zone"},
		{"before the years the database takes", func(e *inventory.Event) { e.Start.Day = date.New(1999, time.December, 31) }, "start"},
		{"after them", func(e *inventory.Event) { e.Start.Day = date.New(2200, time.January, 1) }, "start"},
		{"either of two instants of a doubled hour", func(e *inventory.Event) {
			e.Start = timezone.WallTime{Day: date.New(2027, time.October, 31), Time: timezone.NewTimeOfDay(2, 30)}
			e.StartsAt = time.Date(2027, time.October, 31, 1, 30, 0, 0, time.UTC)
		}, ""},
	} {
		e := gala()
		c.spoil(&e)
		fields := inventory.FieldErrors(e.CheckStart())
		if (len(fields) == 0) != (c.field == "") || len(fields) == 1 && fields[0].Field != c.field {
			t.Errorf("%s: %v, want field %q", c.name, e.CheckStart(), c.field)
		}
	}
}

func TestEvent_Admit(t *testing.T) {
	t.Parallel()
	e := gala()
	e.SalesFrom = e.SalesUntil.Add(-time.Hour)
	for _, c := range []struct {
		at   time.Time
		want error
	}{
		{e.SalesFrom.Add(-time.Microsecond), inventory.ErrNotOnSale},
		{e.SalesFrom, nil},
		{e.SalesUntil.Add(-time.Microsecond), nil},
		{e.SalesUntil, inventory.ErrCutoffPassed},
	} {
		if got := e.Admit(c.at); !errors.Is(got, c.want) {
			t.Errorf("at %s: %v, want %v", c.at, got, c.want)
		}
	}
	e.StopSell = true
	if got := e.Admit(e.SalesFrom); !errors.Is(got, inventory.ErrStopSell) {
		t.Errorf("stopped: %v", got)
	}
}

func TestEventEdit_Apply(t *testing.T) {
	t.Parallel()
	e := gala()
	if after := (inventory.EventEdit{}).Apply(e); after != e || !after.SameConfiguration(e) {
		t.Errorf("an empty edit makes %+v", after)
	}
	name, stop, ttl := "Gala night", true, 90*time.Second+time.Nanosecond
	from, until := e.StartsAt.Add(-time.Hour+time.Nanosecond).In(time.FixedZone("", 3600)), time.Time{}
	after := inventory.EventEdit{Name: &name, SalesFrom: &from, SalesUntil: &until, StopSell: &stop, HoldTTL: &ttl}.Apply(e)
	want := e
	want.Name, want.StopSell, want.HoldTTL = name, true, 90*time.Second
	want.SalesFrom, want.SalesUntil = e.StartsAt.Add(-time.Hour), e.StartsAt
	if after != want {
		t.Errorf("got %+v\nwant %+v", after, want)
	}
	for _, edit := range []inventory.EventEdit{{Name: &name}, {SalesFrom: &from}, {SalesUntil: &until}, {StopSell: &stop}, {HoldTTL: &ttl}} {
		if edit.Apply(e).SameConfiguration(e) {
			t.Errorf("%+v counts as no change", edit)
		}
	}
}
