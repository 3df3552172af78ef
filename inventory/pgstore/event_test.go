package pgstore_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

// hostileNames are words that have broken seat grids, terminals and indexes.
var hostileNames = []string{
	"桟敷席", "الشرفة", "👩‍👩‍👧‍👦", "é", "O'Brien; DROP TABLE seat; --", "%_", `back\slash "quoted"`,
	strings.Repeat("席", 200), strings.Repeat("👩", 200),
}

func TestAddEvent_isReadBackAsAdded(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	e := h.Event
	if e.SalesUntil != e.StartsAt || !e.SalesFrom.IsZero() || e.HoldTTL != inventory.DefaultEventHoldTTL || e.Version != 1 ||
		e.Zone != h.Venue.Zone || e.Currency != "EUR" || e.VenueID != h.Venue.ID {
		t.Errorf("defaults: %+v", e)
	}
	if want := (inventory.SeatCounts{Available: 30}); e.Seats != want || e.Seats.Total() != 30 {
		t.Errorf("seats %+v", e.Seats)
	}
	byName, err := h.Store.Event(t.Context(), e.Ref)
	if err != nil || byName != e {
		t.Errorf("by name: %+v, %v\nwant %+v", byName, err, e)
	}
	byID, err := h.Store.EventByID(t.Context(), e.ID)
	if err != nil || byID != e {
		t.Errorf("by id: %+v, %v", byID, err)
	}
	for _, err := range []error{
		second(h.Store.Event(t.Context(), inventory.EventRef{Venue: "harbour", Event: "none"})),
		second(h.Store.EventByID(t.Context(), inventory.NewEventID())),
		second(h.Store.SeatMap(t.Context(), inventory.NewEventID())),
	} {
		if !errors.Is(err, inventory.ErrNotFound) {
			t.Errorf("no such event: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestAddEvent_refusals(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	for _, c := range []struct {
		name  string
		spoil func(*inventory.Event)
		code  string
		field string
	}{
		{"the slug is in use", func(*inventory.Event) {}, "ALREADY_EXISTS", ""},
		{"no such venue", func(e *inventory.Event) { e.Ref.Venue = "nowhere" }, "NOT_FOUND", ""},
		{"another zone than the venue's", func(e *inventory.Event) { e.Zone = "Europe/London" }, "INVALID", "zone"},
		{"an instant that is not the wall time", func(e *inventory.Event) { e.StartsAt = e.StartsAt.Add(time.Hour) }, "INVALID", "start"},
		{"on sale after the end of sales", func(e *inventory.Event) { e.SalesFrom = e.StartsAt }, "INVALID", "onsale"},
		{"a name with an escape sequence", func(e *inventory.Event) { e.Name = "\x1b[2J" }, "INVALID", "name"},
	} {
		e := inventory.Event{Ref: h.Event.Ref, Name: "Gala", Start: h.Event.Start, StartsAt: h.Event.StartsAt}
		c.spoil(&e)
		_, err := h.Store.AddEvent(t.Context(), inventory.Staff("mira"), e)
		fields := inventory.FieldErrors(err)
		if inventory.Code(err) != c.code || c.field != "" && (len(fields) != 1 || fields[0].Field != c.field) {
			t.Errorf("%s: %v, want %s %s", c.name, err, c.code, c.field)
		}
	}
}

func TestEvents_byStartAndVenue(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	add := func(slug, name string, after time.Duration) inventory.Event {
		e := inventory.Event{Ref: inventory.EventRef{Venue: h.Venue.Slug, Event: slug}, Name: name, Start: h.Event.Start, StartsAt: h.Event.StartsAt.Add(after)}
		e.Start.Time += timezone.TimeOfDay(after) // that evening has no clock change
		stored, err := h.Store.AddEvent(t.Context(), inventory.Staff("mira"), e)
		if err != nil {
			t.Fatal(err)
		}
		return stored
	}
	late, early := add("late", hostileNames[7], time.Hour), add("early", "Early", -time.Hour)
	for _, c := range []struct {
		name   string
		filter inventory.EventFilter
		want   []inventory.Event
	}{
		{"all", inventory.EventFilter{}, []inventory.Event{early, h.Event, late}},
		{"of the venue", inventory.EventFilter{Venue: h.Venue.Slug}, []inventory.Event{early, h.Event, late}},
		{"of another venue", inventory.EventFilter{Venue: "nowhere"}, nil},
		{"from a start on", inventory.EventFilter{From: h.Event.StartsAt}, []inventory.Event{h.Event, late}},
		{"the first", inventory.EventFilter{Limit: 1}, []inventory.Event{early}},
	} {
		got, err := h.Store.Events(t.Context(), c.filter)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %d events, %v", c.name, len(got), err)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: event %d is %+v, want %+v", c.name, i, got[i], c.want[i])
			}
		}
	}
}

// Case B31: two staff edits of one event.
func TestEditEvent_B31_theSecondIsToldWhoWasFaster(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	name, ttl, stop := "Gala night", 3*time.Minute, true
	mira, err := h.Store.EditEvent(t.Context(), inventory.Staff("mira"), h.Event.Ref, 1, inventory.EventEdit{Name: &name, StopSell: &stop}, "sold through")
	if err != nil || mira.Version != 2 || mira.Name != name || !mira.StopSell || mira.Seats != h.Event.Seats {
		t.Fatalf("first edit: %+v, %v", mira, err)
	}
	_, err = h.Store.EditEvent(t.Context(), inventory.Staff("noor"), h.Event.Ref, 1, inventory.EventEdit{HoldTTL: &ttl}, "")
	var stale *inventory.StaleError
	if !errors.As(err, &stale) || stale.By != "staff:mira" || stale.Seen != 1 || stale.Current != 2 {
		t.Errorf("second edit: %v", err)
	}
	if e, err := h.Store.Event(t.Context(), h.Event.Ref); err != nil || e != mira {
		t.Errorf("stored %+v, %v, want %+v", e, err, mira)
	}
	// Saving without changes is no edit, and 0 asks for no version.
	for _, version := range []int{2, 0} {
		same, err := h.Store.EditEvent(t.Context(), inventory.Staff("noor"), h.Event.Ref, version, inventory.EventEdit{Name: &name}, "")
		if err != nil || same.Version != 2 {
			t.Errorf("nothing to save: version %d, %v", same.Version, err)
		}
	}
	entries, err := h.Store.Audit(t.Context(), inventory.AuditFilter{Subject: "event harbour/gala", Who: "mira"})
	if err != nil || len(entries) != 1 || entries[0].Action != "event.update" || entries[0].Reason != "sold through" {
		t.Errorf("audit of mira: %+v, %v", entries, err)
	}
	if entries, err := h.Store.Audit(t.Context(), inventory.AuditFilter{Who: "noor"}); err != nil || len(entries) != 0 {
		t.Errorf("audit of noor, who changed nothing: %+v, %v", entries, err)
	}
}

func TestEditEvent_refusals(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	empty, late := "", h.Event.StartsAt
	for _, c := range []struct {
		ref   inventory.EventRef
		edit  inventory.EventEdit
		field string
		code  string
	}{
		{h.Event.Ref, inventory.EventEdit{Name: &empty}, "name", "INVALID"},
		{h.Event.Ref, inventory.EventEdit{SalesFrom: &late}, "onsale", "INVALID"},
		{inventory.EventRef{Venue: "harbour", Event: "none"}, inventory.EventEdit{}, "", "NOT_FOUND"},
	} {
		_, err := h.Store.EditEvent(t.Context(), inventory.Staff("mira"), c.ref, 0, c.edit, "")
		if fields := inventory.FieldErrors(err); inventory.Code(err) != c.code || c.field != "" && fields[0].Field != c.field {
			t.Errorf("%+v: %v", c.edit, err)
		}
	}
	if e, err := h.Store.Event(t.Context(), h.Event.Ref); err != nil || e != h.Event {
		t.Errorf("stored %+v, %v", e, err)
	}
}

func TestEditEvent_atOnce(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	won := race(t, 8, func(i int) error {
		ttl := time.Duration(i+1) * time.Minute
		if ttl == h.Event.HoldTTL {
			ttl = time.Hour
		}
		_, err := h.Store.EditEvent(t.Context(), inventory.Staff("mira"), h.Event.Ref, 1, inventory.EventEdit{HoldTTL: &ttl}, "")
		return err
	}, inventory.ErrStale)
	if e, err := h.Store.Event(t.Context(), h.Event.Ref); won != 1 || err != nil || e.Version != 2 {
		t.Errorf("%d edits of one version were saved, the version is now %d, %v", won, e.Version, err)
	}
}
