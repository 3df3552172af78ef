package httpapi_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/rickb777/date"

	"holdfast/inventory"
)

func someEvent(t *testing.T) inventory.Event {
	t.Helper()
	return inventory.Event{
		ID: eventID(t, eventText), Ref: inventory.EventRef{Venue: "harbour", Event: "gala"}, Name: "Gala", Zone: "Europe/Berlin", Currency: "EUR",
		StartsAt: time.Date(2027, time.June, 1, 17, 30, 0, 0, time.UTC), SalesUntil: time.Date(2027, time.January, 1, 17, 30, 0, 0, time.UTC),
		Seats: inventory.SeatCounts{Available: 4, Held: 3, Booked: 2, Killed: 1},
	}
}

const someEventText = `{"event":"` + eventText + `","ref":"harbour/gala","name":"Gala","start":"2027-06-01T19:30:00+02:00","cutOff":"2027-01-01T18:30:00+01:00",` +
	`"stopSell":false,"currency":"EUR","seats":{"available":4,"held":3,"booked":2,"killed":1}}`

func TestGetEvent(t *testing.T) {
	t.Parallel()
	d := &double{ofEvents: ofEvents{eventByID: func(id inventory.EventID) (inventory.Event, error) {
		if id.String() != eventText {
			return inventory.Event{}, inventory.ErrNotFound
		}
		return someEvent(t), nil
	}}}
	l := noAuth(t, d)
	if r := l.send(t, http.MethodGet, "/events/"+eventText, ""); r.status != http.StatusOK || r.text != someEventText {
		t.Errorf("= %d %s\nwant %s", r.status, r.text, someEventText)
	}
	if r := l.send(t, http.MethodGet, "/events/"+inventory.NewEventID().String(), ""); r.status != http.StatusNotFound {
		t.Errorf("one that is not there = %d %s", r.status, r.text)
	}
}

func TestListEvents(t *testing.T) {
	t.Parallel()
	asked := make(chan inventory.EventFilter, 1)
	d := &double{ofEvents: ofEvents{events: func(f inventory.EventFilter) ([]inventory.Event, error) {
		asked <- f
		if f.From.Year() == 2030 {
			return nil, nil
		}
		return []inventory.Event{someEvent(t)}, nil
	}}}
	l := noAuth(t, d)
	r := l.send(t, http.MethodGet, "/venues/harbour/events?from=2027-06-01", "")
	if r.status != http.StatusOK || r.text != "["+someEventText+"]" {
		t.Errorf("= %d %s", r.status, r.text)
	}
	if f := <-asked; f.Venue != "harbour" || f.Limit < 1 || !f.From.Equal(time.Date(2027, time.May, 31, 22, 0, 0, 0, time.UTC)) {
		t.Errorf("asks for %+v, want what begins on the local day or later", f)
	}
	if r := l.send(t, http.MethodGet, "/venues/harbour/events?from=2030-06-01", ""); r.text != "[]" {
		t.Errorf("none = %d %s", r.status, r.text)
	}
	<-asked
	l.send(t, http.MethodGet, "/venues/harbour/events", "")
	if f := <-asked; time.Until(f.From) > 0 || time.Since(f.From) > 25*time.Hour {
		t.Errorf("without from asks from %s, want the start of today", f.From)
	}
	for query, field := range map[string]string{"?from=2026-02-30": "from", "?limit=5": "limit", "?from=": "from"} {
		if r := l.send(t, http.MethodGet, "/venues/harbour/events"+query, ""); r.status != 422 || !slices.Equal(r.fields(), []string{field}) {
			t.Errorf("%s = %d %s", query, r.status, r.text)
		}
	}
}

// The slots of a day with 25 hours: the offset tells the two hours apart.
func TestListSlots(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2027, time.October, 31, hour, 0, 0, 0, time.UTC) }
	d := &double{ofEvents: ofEvents{zone: "Europe/Berlin", slots: func(ref inventory.ResourceRef, day date.Date) ([]inventory.Slot, error) {
		if ref.String() != "harbour/studio-a" {
			return nil, inventory.ErrNotFound
		}
		if day.String() != "2027-10-31" {
			return nil, nil
		}
		return []inventory.Slot{
			{Range: inventory.Range{From: at(0), To: at(1)}, Free: true},
			{Range: inventory.Range{From: at(1), To: at(2)}, Booking: inventory.NewBookingID()},
		}, nil
	}}}
	l := noAuth(t, d)
	const path = "/resources/harbour/studio-a/slots"
	want := `[{"from":"2027-10-31T02:00:00+02:00","to":"2027-10-31T02:00:00+01:00","free":true},` +
		`{"from":"2027-10-31T02:00:00+01:00","to":"2027-10-31T03:00:00+01:00","free":false}]`
	if r := l.send(t, http.MethodGet, path+"?day=2027-10-31", ""); r.status != http.StatusOK || r.text != want {
		t.Errorf("= %d %s\nwant %s", r.status, r.text, want)
	}
	if r := l.send(t, http.MethodGet, path, ""); r.status != http.StatusOK || r.text != "[]" {
		t.Errorf("today = %d %s", r.status, r.text)
	}
	for query, field := range map[string]string{"?day=2026-02-30": "day", "?day=": "day", "?from=2027-10-31": "from", "?day=2027-10-31&day=2027-11-01": "day"} {
		if r := l.send(t, http.MethodGet, path+query, ""); r.status != 422 || !slices.Equal(r.fields(), []string{field}) {
			t.Errorf("%s = %d %s", query, r.status, r.text)
		}
	}
	if r := l.send(t, http.MethodGet, "/resources/harbour/studio-b/slots", ""); r.status != http.StatusNotFound {
		t.Errorf("one that is not there = %d %s", r.status, r.text)
	}
}
