package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
	"holdfast/timezone"
)

// hall is a double whose event has a map that tests change.
type hall struct {
	*double
	clock *timezone.ManualClock

	mu    sync.Mutex
	seats []inventory.Seat
	takes time.Duration // by the clock, for one read
	err   error
	reads atomic.Int64
}

func newHall(n int) *hall {
	h := &hall{double: &double{}, clock: timezone.NewManualClock(time.Date(2027, time.June, 1, 17, 0, 0, 0, time.UTC))}
	for i := range n {
		h.seats = append(h.seats, inventory.Seat{
			ID: inventory.SeatID(i + 1), Section: "PARKETT", Row: fmt.Sprintf("R%d", i/50+1), Number: i%50 + 1, Category: "A",
			Price: inventory.Money{Minor: 4500, Currency: "EUR"}, State: inventory.SeatAvailable,
		})
	}
	h.seatMap = h.read
	return h
}

// read copies the seats, then time passes: what is answered is as old as the
// read.
func (h *hall) read(id inventory.EventID) (inventory.SeatMap, error) {
	h.reads.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	m := inventory.SeatMap{Event: inventory.Event{ID: id}, Seats: slices.Clone(h.seats), AsOf: h.clock.Now()}
	h.clock.Advance(h.takes)
	return m, h.err
}

func (h *hall) set(i int, state inventory.SeatState) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seats[i].State = state
}

// handler serves the hall in-process.
func (h *hall) handler(t testing.TB) http.Handler {
	t.Helper()
	api, err := httpapi.New(httpapi.Config{Store: h, Inbox: h, Clock: h.clock, InsecureNoAuth: true})
	if err != nil {
		t.Fatal(err)
	}
	return api.Handler()
}

const mapPath = "/events/" + eventText + "/seats"

// look asks for a map; headers come in pairs.
func look(t testing.TB, handler http.Handler, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, mapPath, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// stateOf is the state of the first seat of a map.
func stateOf(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	var body struct {
		Seats []struct {
			State string `json:"state"`
		} `json:"seats"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != http.StatusOK || len(body.Seats) == 0 {
		t.Fatalf("map = %d %s, %v", w.Code, w.Body, err)
	}
	return body.Seats[0].State
}

func TestListSeats_answer(t *testing.T) {
	t.Parallel()
	h := newHall(4)
	h.seats[1].State, h.seats[1].BookingID = inventory.SeatHeld, inventory.NewBookingID()
	h.seats[2].State, h.seats[2].KillReason = inventory.SeatKilled, "broken spring"
	h.seats[3].NeedsRepair = true
	w := look(t, h.handler(t))
	seat := func(id int, state string) string {
		return fmt.Sprintf(`{"id":"%d","section":"PARKETT","row":"R1","number":%d,"category":"A","price":{"minor":4500,"currency":"EUR"},"state":%q}`, id, id, state)
	}
	want := `{"asOf":"2027-06-01T17:00:00.000Z","event":"` + eventText + `","seats":[` +
		strings.Join([]string{seat(1, "AVAILABLE"), seat(2, "HELD"), seat(3, "KILLED"), seat(4, "KILLED")}, ",") + `]}`
	if w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("= %d %s\nwant %s", w.Code, w.Body, want)
	}
	head := w.Header()
	if head.Get("Cache-Control") != "private, no-cache" || head.Get("Vary") != "Accept-Encoding" || !strings.HasPrefix(head.Get("ETag"), `W/"`) ||
		head.Get("Content-Type") != "application/json" || head.Get("Content-Encoding") != "" || head.Get("Content-Length") != fmt.Sprint(len(want)) {
		t.Errorf("head = %v", head)
	}
	empty := newHall(0)
	if w := look(t, empty.handler(t)); !strings.HasSuffix(w.Body.String(), `"seats":[]}`) {
		t.Errorf("an event without seats = %s", w.Body)
	}
}

// A map is served for 250 ms after its read, and not a moment longer; a clock
// that is put back makes nothing young again.
func TestListSeats_age(t *testing.T) {
	t.Parallel()
	h := newHall(3)
	h.takes = 40 * time.Millisecond
	handler := h.handler(t)
	see := func(want string, reads int64) {
		t.Helper()
		if got := stateOf(t, look(t, handler)); got != want || h.reads.Load() != reads {
			t.Errorf("seat = %s after %d reads, want %s after %d", got, h.reads.Load(), want, reads)
		}
	}
	see("AVAILABLE", 1)
	h.set(0, inventory.SeatHeld)
	h.clock.Advance(249 * time.Millisecond)
	see("AVAILABLE", 1) // 289 ms old: 250 ms and the read
	h.clock.Advance(time.Millisecond)
	see("HELD", 2)
	h.set(0, inventory.SeatBooked)
	h.clock.Advance(-time.Hour)
	see("BOOKED", 3)
}

// An unchanged hall answers 304, however often it is built anew; a changed one
// does not.
func TestListSeats_unchanged(t *testing.T) {
	t.Parallel()
	h := newHall(3)
	handler := h.handler(t)
	first := look(t, handler)
	tag := first.Header().Get("ETag")
	h.clock.Advance(time.Second)
	for _, header := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
		for _, encoding := range []string{"gzip", "identity"} {
			w := look(t, handler, "If-None-Match", header, "Accept-Encoding", encoding)
			if w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("ETag") != tag || w.Header().Get("Vary") == "" ||
				w.Header().Get("Cache-Control") != "private, no-cache" || w.Header().Get("Content-Type") != "" {
				t.Errorf("If-None-Match: %s = %d %v", header, w.Code, w.Header())
			}
		}
	}
	again := look(t, handler)
	if again.Header().Get("ETag") != tag || again.Body.String() == first.Body.String() {
		t.Errorf("a new build of the same seats: ETag %s (was %s), and asOf must have moved on: %s", again.Header().Get("ETag"), tag, again.Body)
	}
	h.set(2, inventory.SeatHeld)
	h.clock.Advance(time.Second)
	if w := look(t, handler, "If-None-Match", tag); w.Code != http.StatusOK || w.Header().Get("ETag") == tag {
		t.Errorf("a changed hall = %d %s", w.Code, w.Header().Get("ETag"))
	}
}

// Whoever takes gzip gets the same document in it.
func TestListSeats_gzip(t *testing.T) {
	t.Parallel()
	h := newHall(200)
	handler := h.handler(t)
	plain := look(t, handler).Body.Bytes()
	w := look(t, handler, "Accept-Encoding", "br, gzip;q=0.8")
	if w.Header().Get("Content-Encoding") != "gzip" || w.Body.Len() > len(plain)/5 || w.Header().Get("Content-Length") != fmt.Sprint(w.Body.Len()) {
		t.Fatalf("head = %v, %d of %d bytes", w.Header(), w.Body.Len(), len(plain))
	}
	unzip, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(unzip); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("unzipped: %v, %d bytes, want the %d of the plain answer", err, len(got), len(plain))
	}
	if w := look(t, handler, "Accept-Encoding", "gzip;q=0, *"); w.Header().Get("Content-Encoding") != "" {
		t.Error("gzip was forbidden and sent")
	}
}

// However many ask at once, one read answers them all, one event at a time.
func TestListSeats_oneBuildForAll(t *testing.T) {
	t.Parallel()
	h := newHall(3)
	enter, leave := make(chan struct{}, 50), make(chan struct{})
	h.seatMap = func(id inventory.EventID) (inventory.SeatMap, error) {
		enter <- struct{}{}
		<-leave
		return h.read(id)
	}
	handler := h.handler(t)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { stateOf(t, look(t, handler)) })
	}
	<-enter
	close(leave)
	wg.Wait()
	if n := h.reads.Load(); n != 1 {
		t.Errorf("%d reads, want 1", n)
	}
}

// A failure is told and not kept, and a panic is one of its request.
func TestListSeats_failuresAreNotKept(t *testing.T) {
	t.Parallel()
	h := newHall(3)
	handler := h.handler(t)
	for _, c := range []struct {
		err    error
		status int
	}{
		{inventory.ErrNotFound, 404}, {inventory.ErrUnavailable, 503}, {inventory.ErrBusy, 503}, {nil, 200},
	} {
		h.err = c.err
		if w := look(t, handler); w.Code != c.status || (c.err != nil && w.Header().Get("Cache-Control") != "no-store") {
			t.Errorf("%v = %d %s", c.err, w.Code, w.Header().Get("Cache-Control"))
		}
	}
	h.clock.Advance(time.Second)
	h.seatMap = func(inventory.EventID) (inventory.SeatMap, error) { panic("boom in SeatMap") }
	if w := look(t, handler); w.Code != http.StatusInternalServerError {
		t.Errorf("a panic = %d", w.Code)
	}
	h.seatMap = h.read
	if w := look(t, handler); w.Code != http.StatusOK {
		t.Errorf("after it = %d", w.Code)
	}
}

// A hall of 10,000 seats is answered from memory in under a millisecond, in
// each form.
func TestListSeats_hitIsQuick(t *testing.T) { //nolint:paralleltest // it is about time
	h := newHall(10_000)
	handler := h.handler(t)
	tag := look(t, handler).Header().Get("ETag")
	for name, headers := range map[string][]string{
		"plain": {}, "gzip": {"Accept-Encoding", "gzip"}, "unchanged": {"If-None-Match", tag},
	} {
		took := make([]time.Duration, 201)
		for i := range took {
			r := httptest.NewRequest(http.MethodGet, mapPath, nil)
			if len(headers) > 0 {
				r.Header.Set(headers[0], headers[1])
			}
			began := time.Now()
			handler.ServeHTTP(&discard{header: http.Header{}}, r)
			took[i] = time.Since(began)
		}
		slices.Sort(took)
		median := took[len(took)/2]
		if t.Logf("%s: median %s", name, median); median >= time.Millisecond {
			t.Errorf("%s: median %s, want under 1ms", name, median)
		}
	}
	if n := h.reads.Load(); n != 1 {
		t.Errorf("%d reads, want 1", n)
	}
}

// discard is an answer that nobody reads.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

func BenchmarkListSeats(b *testing.B) {
	h := newHall(10_000)
	handler := h.handler(b)
	for name, age := range map[string]time.Duration{"hit": 0, "build": time.Second} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				h.clock.Advance(age)
				r := httptest.NewRequest(http.MethodGet, mapPath, nil)
				r.Header.Set("Accept-Encoding", "gzip")
				handler.ServeHTTP(&discard{header: http.Header{}}, r)
			}
		})
	}
}
