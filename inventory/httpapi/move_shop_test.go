package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"holdfast/inventory"
)

// Bookings of each kind move, version by version, and what they had is free.
func TestMoveBooking_eachKind(t *testing.T) {
	t.Parallel()
	b := setupHall(t)
	l := b.daemons[0]
	for name, c := range map[string]struct{ hold, change, member, want string }{
		"pool":  {b.body("u-1", 2), fmt.Sprintf(`{"day":%q,"quantity":3}`, b.Day.Add(1)), "day", b.Day.Add(1).String()},
		"seats": {b.seatsBody(t, "u-1", "A-01", "A-02"), fmt.Sprintf(`{"seats":[%q]}`, b.hall.Seat(t, "B-07")), "seatNames", "[PARKETT B-07]"},
		"range": {b.rangeBody("u-1", "10:00", "11:00"), fmt.Sprintf(`{"from":"%sT12:00","to":"%sT14:00"}`, b.Day, b.Day), "from", ""},
	} {
		held := b.post(t, 0, "/holds", c.hold)
		if held.status != http.StatusCreated || held.header.Get("ETag") != `"1"` {
			t.Fatalf("%s: hold = %d %s", name, held.status, held.text)
		}
		path := held.header.Get("Location")
		moved := l.send(t, http.MethodPatch, path, c.change, "If-Match", `"1"`)
		if moved.status != http.StatusOK || moved.header.Get("ETag") != `"2"` || moved.body["version"] != 2.0 {
			t.Fatalf("%s: move = %d %s", name, moved.status, moved.text)
		}
		if got := fmt.Sprint(moved.body[c.member]); c.want != "" && got != c.want {
			t.Errorf("%s: %s = %s, want %s", name, c.member, got, c.want)
		}
		stale := l.send(t, http.MethodPatch, path, c.change, "If-Match", `"1"`)
		current, _ := stale.body["booking"].(map[string]any)
		if stale.status != http.StatusPreconditionFailed || stale.code() != "VERSION_CONFLICT" || fmt.Sprint(current) != fmt.Sprint(moved.body) {
			t.Errorf("%s: with an old version = %d %s, want the booking as it stands", name, stale.status, stale.text)
		}
		if read := b.daemons[1].send(t, http.MethodGet, path, ""); read.text != moved.text || read.header.Get("ETag") != `"2"` {
			t.Errorf("%s: read = %s, want %s", name, read.text, moved.text)
		}
		again := strings.Replace(c.hold, "u-1", "u-2", 1)
		if r := b.post(t, 1, "/holds", again); r.status != http.StatusCreated {
			t.Errorf("%s: what was left = %d %s, want it free", name, r.status, r.text)
		}
	}
}

// Two changes at once are decided by the version: one is made.
func TestMoveBooking_twoAtOnce(t *testing.T) {
	t.Parallel()
	b := setupHall(t)
	path := b.post(t, 0, "/holds", b.seatsBody(t, "u-1", "A-01")).header.Get("Location")
	got := make(chan string, 2)
	var wg sync.WaitGroup
	for i, seat := range []string{"B-01", "B-02"} {
		wg.Go(func() {
			r := b.daemons[i].send(t, http.MethodPatch, path, fmt.Sprintf(`{"seats":[%q]}`, b.hall.Seat(t, seat)), "If-Match", `"1"`)
			got <- fmt.Sprintf("%d %s", r.status, r.code())
		})
	}
	wg.Wait()
	one, two := <-got, <-got
	if one != "200 " {
		one, two = two, one
	}
	if one != "200 " || two != "412 VERSION_CONFLICT" {
		t.Errorf("answers = %q and %q, want 200 and 412", one, two)
	}
}

// What stands in the way of a move is told like that of a hold, and nothing is
// lost by trying.
func TestMoveBooking_refused(t *testing.T) {
	t.Parallel()
	b := setupHall(t)
	l := b.daemons[0]
	hold := func(body string) string {
		t.Helper()
		r := b.post(t, 0, "/holds", body)
		if r.status != http.StatusCreated {
			t.Fatalf("hold = %d %s", r.status, r.text)
		}
		return r.header.Get("Location")
	}
	seats, hour, places := hold(b.seatsBody(t, "u-1", "A-01")), hold(b.rangeBody("u-1", "10:00", "11:00")), hold(b.body("u-1", 2))
	hold(b.seatsBody(t, "u-secret", "A-02"))
	hold(b.rangeBody("u-secret", "12:00", "13:00"))
	for name, c := range map[string]struct {
		path, body string
		status     int
		says       string
	}{
		"seatTaken":   {seats, fmt.Sprintf(`{"seats":[%q,%q]}`, b.hall.Seat(t, "A-01"), b.hall.Seat(t, "A-02")), 409, fmt.Sprintf(`"code":"SEAT_TAKEN","seats":[%q]`, b.hall.Seat(t, "A-02"))},
		"unknownSeat": {seats, `{"seats":["999999"]}`, 422, `"field":"seats"`},
		"rangeTaken":  {hour, fmt.Sprintf(`{"from":"%sT11:00","to":"%sT13:00"}`, b.Day, b.Day), 409, `"code":"RANGE_TAKEN"}`},
		"offTheGrid":  {hour, fmt.Sprintf(`{"from":"%sT11:30","to":"%sT12:00"}`, b.Day, b.Day), 422, `"field":"from"`},
		"soldOut":     {places, `{"quantity":13}`, 409, "SOLD_OUT"},
		"noSuchDay":   {places, fmt.Sprintf(`{"day":%q}`, b.Day.Add(300)), 409, "NOT_ON_SALE"},
	} {
		r := l.send(t, http.MethodPatch, c.path, c.body, "If-Match", `"1"`)
		if r.status != c.status || !strings.Contains(r.text, c.says) || strings.Contains(r.text, "u-secret") {
			t.Errorf("%s = %d %s, want %d with %s", name, r.status, r.text, c.status, c.says)
		}
	}
	for _, path := range []string{seats, hour, places} {
		if r := l.send(t, http.MethodGet, path, ""); r.body["version"] != 1.0 || r.body["state"] != string(inventory.StateHeld) {
			t.Errorf("after refused moves = %s", r.text)
		}
	}
	if r := b.post(t, 1, "/holds", b.rangeBody("u-3", "12:00", "13:00")); r.code() != "RANGE_TAKEN" || strings.Contains(r.text, "u-secret") || r.body["booking"] != nil {
		t.Errorf("a taken hour = %d %s", r.status, r.text)
	}
	r := l.send(t, http.MethodGet, fmt.Sprintf("/resources/harbour/studio-a/slots?day=%s", b.Day), "")
	if strings.Count(r.text, `"free":true`) != 6 || strings.Count(r.text, `"free":false`) != 2 {
		t.Errorf("slots = %s, want 6 of 8 free", r.text)
	}
}
