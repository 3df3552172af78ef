package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

// hallBundle is a bundle whose shop has a hall and a studio as well.
type hallBundle struct {
	bundle
	hall   pgtest.Hall
	studio pgtest.Studio
}

func setupHall(t *testing.T) hallBundle {
	t.Helper()
	b := setup(t)
	return hallBundle{
		b, pgtest.HallIn(t, b.Shop, pgtest.Rows("PARKETT", "CAT 1", 5000, 10, "A", "B")),
		pgtest.StudioIn(t, b.Shop, nil),
	}
}

// seatPath is the address of a seat by its short name.
func (b hallBundle) seatPath(t *testing.T, name string) string {
	t.Helper()
	return fmt.Sprintf("/events/%s/seats/%s", b.hall.Event.ID, b.hall.Seat(t, name))
}

// seatsBody is a hold of seats by their short names.
func (b hallBundle) seatsBody(t *testing.T, buyer string, names ...string) string {
	t.Helper()
	ids := make([]string, len(names))
	for i, n := range names {
		ids[i] = fmt.Sprintf("%q", b.hall.Seat(t, n))
	}
	return fmt.Sprintf(`{"event":%q,"seats":[%s],"buyer":%q}`, b.hall.Event.ID, strings.Join(ids, ","), buyer)
}

func (b hallBundle) rangeBody(buyer, from, to string) string {
	return fmt.Sprintf(`{"resource":"harbour/studio-a","from":"%sT%s","to":"%sT%s","buyer":%q}`, b.Day, from, b.Day, to, buyer)
}

func (b hallBundle) post(t *testing.T, daemon int, path, body string) reply {
	t.Helper()
	return b.daemons[daemon].send(t, http.MethodPost, path, body, "Idempotency-Key", uuid.NewString())
}

// Case B01 (b) and (c): 50 clients want one seat, 50 the same two and 50 one
// hour, through two daemons: one gets it, and everybody else hears that it is
// taken. A thousand at once are a test of the whole program, in cmd.
func TestPlaceHold_B01_oneSeatAndOneHour(t *testing.T) { //nolint:paralleltest // like the 200 buyers: it is about time, too
	b := setupHall(t)
	for name, c := range map[string]struct {
		path, body, refused string
	}{
		"seat":        {b.seatPath(t, "A-01") + "/hold", `{"buyer":"u-%d"}`, "SEAT_TAKEN"},
		"seatByHolds": {"/holds", b.seatsBody(t, "u-%d", "B-05", "B-04"), "SEAT_TAKEN"},
		"hour":        {"/holds", b.rangeBody("u-%d", "10:00", "11:00"), "RANGE_TAKEN"},
	} {
		var mu sync.Mutex
		got := map[string]int{}
		var ready, done sync.WaitGroup
		gate := make(chan struct{})
		for i := range 50 {
			ready.Add(1)
			done.Go(func() {
				body := fmt.Sprintf(c.body, i)
				ready.Done()
				<-gate
				r := b.post(t, i%2, c.path, body)
				for again := 0; r.code() == "BUSY" && again < 10; again++ { // as a client is told to
					r = b.post(t, i%2, c.path, body)
				}
				mu.Lock()
				defer mu.Unlock()
				if r.status < 300 {
					got["won"]++
					return
				}
				got[fmt.Sprintf("%d %s", r.status, r.code())]++
			})
		}
		ready.Wait()
		close(gate)
		done.Wait()
		if len(got) != 2 || got["won"] != 1 || got["409 "+c.refused] != 49 {
			t.Errorf("%s: answers = %v, want one that won and 49 x 409 %s", name, got, c.refused)
		}
	}
	if n := b.count(t, `select count(*) from booking`); n != 3 {
		t.Errorf("%d bookings, want 3", n)
	}
	b.DB.AssertNoDeadlocks(t)
}

// A seat by its address: the short answer, the same again for the same key, and
// the seat that stood in the way named for everybody else.
func TestHoldSeat_againAndTaken(t *testing.T) {
	t.Parallel()
	b := setupHall(t)
	path := b.seatPath(t, "A-01") + "/hold"
	send := func(daemon int, path, body, key string) reply {
		return b.daemons[daemon].send(t, http.MethodPost, path, body, "Idempotency-Key", key)
	}
	first := send(0, path, `{"buyer":"u-1"}`, "k-1")
	if first.status != http.StatusOK || first.header.Get("Idempotency-Replayed") != "" || len(first.body) != 2 {
		t.Fatalf("first = %d %s", first.status, first.text)
	}
	id := b.id(t, first)
	if until, err := time.Parse(time.RFC3339, first.body["heldUntil"].(string)); err != nil || time.Until(until) > inventory.DefaultEventHoldTTL+time.Minute {
		t.Errorf("heldUntil = %v, %v", until, err)
	}
	if again := send(1, path, `{"buyer":"u-1"}`, `"k-1"`); again.text != first.text || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again = %d %s, want the first answer", again.status, again.text)
	}
	if other := send(1, b.seatPath(t, "A-02")+"/hold", `{"buyer":"u-1"}`, "k-1"); other.status != 422 || other.code() != "IDEMPOTENCY_CONFLICT" {
		t.Errorf("another seat with that key = %d %s", other.status, other.text)
	}
	seat := b.hall.Seat(t, "A-01")
	for name, r := range map[string]reply{
		"alone":         send(1, path, `{"buyer":"u-2"}`, "k-2"),
		"amongOthers":   send(1, "/holds", b.seatsBody(t, "u-2", "A-03", "A-01", "A-02"), "k-2"),
		"theSameBuyers": send(0, path, `{"buyer":"u-1"}`, "k-3"),
	} {
		if r.status != http.StatusConflict || r.code() != "SEAT_TAKEN" || fmt.Sprint(r.body["seats"]) != fmt.Sprintf("[%s]", seat) ||
			strings.Contains(r.text, id.String()) || strings.Contains(r.text, "u-1") {
			t.Errorf("%s = %d %s, want SEAT_TAKEN about %s only", name, r.status, r.text, seat)
		}
	}
	// The short and the long form are one request.
	if r := send(0, "/holds", b.seatsBody(t, "u-1", "A-01"), "k-1"); r.status != http.StatusCreated || b.id(t, r) != id {
		t.Errorf("the long form with that key = %d %s", r.status, r.text)
	}
	if r := b.daemons[1].send(t, http.MethodGet, "/bookings/"+id.String(), ""); fmt.Sprint(r.body["seatNames"]) != "[PARKETT A-01]" || r.body["event"] != b.hall.Event.ID.String() ||
		r.body["kind"] != "seats" || r.body["pool"] != nil || r.body["day"] != nil {
		t.Errorf("booking = %s", r.text)
	}
}

func TestPlaceHold_seatRefusals(t *testing.T) {
	t.Parallel()
	b := setupHall(t)
	other, err := b.Store.AddEvent(t.Context(), inventory.Staff("test"), inventory.Event{
		Ref: inventory.EventRef{Venue: "harbour", Event: "matinee"}, Name: "Matinee", Start: b.hall.Event.Start, StartsAt: b.hall.Event.StartsAt,
		HoldTTL: inventory.DefaultEventHoldTTL,
	})
	if err != nil {
		t.Fatal(err)
	}
	swap := func(body, old, with string) string { return strings.Replace(body, old, with, 1) }
	good := b.seatsBody(t, "u-1", "A-01", "A-02")
	gala := b.hall.Event.ID.String()
	for name, c := range map[string]struct {
		path, body string
		status     int
		says       string
	}{
		"seatOfAnotherEvent": {"/holds", swap(good, gala, other.ID.String()), 422, `"field":"seats"`},
		"seatThatIsNot":      {"/holds", swap(good, `"seats":[`, `"seats":["999999",`), 422, `"field":"seats"`},
		"addressOfAnother":   {fmt.Sprintf("/events/%s/seats/%s/hold", other.ID, b.hall.Seat(t, "A-01")), `{"buyer":"u-1"}`, 404, "NOT_FOUND"},
		"addressOfNone":      {fmt.Sprintf("/events/%s/seats/9223372036854775807/hold", gala), `{"buyer":"u-1"}`, 404, "NOT_FOUND"},
		"unknownEvent":       {"/holds", swap(good, gala, inventory.NewEventID().String()), 404, "NOT_FOUND"},
		"unknownEventByName": {"/holds", swap(good, gala, "harbour/attic"), 404, "NOT_FOUND"},
		"moreThanThereAre":   {"/holds", `{"event":"` + gala + `","best":21,"buyer":"u-1"}`, 409, "SOLD_OUT"},
		"noSuchCategory":     {"/holds", `{"event":"` + gala + `","best":1,"category":"'; drop table seat;--","buyer":"u-1"}`, 409, "SOLD_OUT"},
		"noSeatsAtAll":       {"/holds", `{"event":"harbour/matinee","best":1,"buyer":"u-1"}`, 409, "SOLD_OUT"},
		"unknownResource":    {"/holds", swap(b.rangeBody("u-1", "10:00", "11:00"), "studio-a", "studio-z"), 404, "NOT_FOUND"},
		"offTheGrid":         {"/holds", b.rangeBody("u-1", "10:15", "11:15"), 422, `"field":"from"`},
		"afterHours":         {"/holds", b.rangeBody("u-1", "16:00", "18:00"), 422, `"field":"to"`},
	} {
		if r := b.post(t, 0, c.path, c.body); r.status != c.status || !strings.Contains(r.text, c.says) {
			t.Errorf("%s = %d %s, want %d with %s", name, r.status, r.text, c.status, c.says)
		}
	}
	if n := b.count(t, `select count(*) from booking`); n != 0 {
		t.Errorf("%d bookings, want none", n)
	}
	best := b.post(t, 1, "/holds", `{"event":"harbour/gala","best":3,"category":"CAT 1","section":"PARKETT","buyer":"u-1"}`)
	if seats, _ := best.body["seats"].([]any); best.status != http.StatusCreated || len(seats) != 3 || best.body["quantity"] != 3.0 {
		t.Errorf("best = %d %s", best.status, best.text)
	}
}

// After a hold the map says so as soon as 250 ms are over, and the booking at
// once.
func TestListSeats_showsHolds(t *testing.T) {
	t.Parallel()
	h := pgtest.OpenHall(t)
	clock := timezone.NewManualClock(time.Date(2027, time.January, 15, 19, 30, 0, 0, time.UTC))
	api, err := httpapi.New(httpapi.Config{Store: h.Store, Inbox: h.Store, Clock: clock, InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, path, body string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		api.Handler().ServeHTTP(w, r)
		return w
	}
	path := fmt.Sprintf("/events/%s/seats", h.Event.ID)
	look := func(headers ...string) *httptest.ResponseRecorder { return send(http.MethodGet, path, "", headers...) }
	tag := look().Header().Get("ETag")
	if got := stateOf(t, look()); got != "AVAILABLE" {
		t.Fatalf("seat = %s", got)
	}
	held := send(http.MethodPost, fmt.Sprintf("%s/%s/hold", path, h.Seats[0].ID), `{"buyer":"u-1"}`, "Content-Type", "application/json", "Idempotency-Key", "k-1")
	if held.Code != http.StatusOK {
		t.Fatalf("hold = %d %s", held.Code, held.Body)
	}
	if b := send(http.MethodGet, held.Header().Get("Location"), ""); !strings.Contains(b.Body.String(), `"state":"HELD"`) {
		t.Errorf("the booking right after = %s", b.Body)
	}
	clock.Advance(250 * time.Millisecond)
	w := look("If-None-Match", tag)
	if got := stateOf(t, w); got != "HELD" {
		t.Errorf("seat = %s after 250ms", got)
	}
	tag = w.Header().Get("ETag")
	clock.Advance(time.Second)
	if w := look("If-None-Match", tag); w.Code != http.StatusNotModified {
		t.Errorf("unchanged = %d", w.Code)
	}
	if w := send(http.MethodGet, "/events/"+inventory.NewEventID().String()+"/seats", ""); w.Code != http.StatusNotFound {
		t.Errorf("an event that is not there = %d", w.Code)
	}
}
