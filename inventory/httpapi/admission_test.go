package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
	"holdfast/timezone"
)

// queue is a listener with two waiting rooms, of harbour/main and harbour/attic,
// whose lines the test moves alike; the database is a double that counts what it is asked.
type queue struct {
	listener
	clock *timezone.ManualClock

	mu    sync.Mutex
	line  inventory.WaitingLine
	open  bool
	reads int
	asked []string // of passes, in order
}

const queueBody = `{"buyer":"u-1"}`

var queueStart = time.Date(2027, time.June, 1, 10, 0, 0, 0, time.UTC)

func openQueue(t *testing.T, place func(inventory.HoldRequest) (inventory.Booking, bool, error)) *queue {
	t.Helper()
	q := &queue{clock: timezone.NewManualClock(queueStart), open: true, line: inventory.WaitingLine{Given: 100, Admitted: 10}}
	d := &double{placeHold: place}
	d.waitingNow = func() (inventory.WaitingNow, error) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.reads++
		now := inventory.WaitingNow{At: q.clock.Now(), Keys: []inventory.WaitingKey{{ID: 1, Secret: bytes.Repeat([]byte{1}, 32)}}}
		if q.open {
			room := inventory.NewWaitingRoom("harbour", "main", inventory.ClaimPool)
			room.ID, room.Rate, room.Open = 7, 10, true
			attic := room
			attic.ID, attic.Name = 8, "attic"
			now.Rooms = []inventory.WaitingRoomNow{{WaitingRoom: room, Line: q.line}, {WaitingRoom: attic, Line: q.line}}
		}
		return now, nil
	}
	d.nextNumber = func(int64) (int64, error) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.line.Given++
		return q.line.Given, nil
	}
	note := func(what string, use inventory.PassUse) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.asked = append(q.asked, fmt.Sprintf("%s %d %s", what, use.Number, use.Key))
	}
	d.claimPass = func(use inventory.PassUse) (bool, error) { note("claim", use); return true, nil }
	d.returnPass = func(use inventory.PassUse) error { note("return", use); return nil }
	d.notePlaced = func(uses []inventory.PassUse) error { note("placed", uses[0]); return nil }
	d.hasAnswer = func(_ int64, key string) (bool, error) { return key == "answered", nil }
	d.client = func(token string) (inventory.Client, error) {
		id, err := strconv.ParseInt(strings.TrimPrefix(token, "c"), 10, 64)
		return inventory.Client{ID: id, Name: "shop", Scopes: inventory.Scopes}, err
	}
	q.listener = start(t, httpapi.Config{Store: d, Inbox: d, Clock: q.clock, Providers: []httpapi.Provider{scripted{}}})
	return q
}

// letIn admits everybody up to number, until the pass's end.
func (q *queue) letIn(number int64, ends time.Time) {
	q.mu.Lock()
	q.line.Steps = append(q.line.Steps, inventory.WaitingStep{First: q.line.Admitted + 1, Last: number, ExpiresAt: ends})
	q.line.Admitted = number
	q.mu.Unlock()
	q.clock.Advance(pastKept)
}

// pastKept is longer than what was read is served, also while a reading is slow:
// the next request waits for one.
const pastKept = 6 * time.Second

// readings is how often the rooms were read.
func (q *queue) readings() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.reads
}

// askedOfPasses is what the database was asked about passes since the last time,
// but for placed holds, which are told whenever that is.
func (q *queue) askedOfPasses() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	asked := slices.DeleteFunc(q.asked, func(s string) bool { return strings.HasPrefix(s, "placed") })
	q.asked = nil
	return asked
}

// as sends a request for the client with this id, with a token if there is one.
func (q *queue) as(t *testing.T, client int, method, path, body, token string, headers ...string) reply {
	t.Helper()
	headers = append(headers, "Authorization", "Bearer c"+strconv.Itoa(client))
	if token != "" {
		headers = append(headers, "Admission-Token", token)
	}
	return q.send(t, method, path, body, headers...)
}

// join takes a number for buyer and returns its token.
func (q *queue) join(t *testing.T, buyer string) string {
	t.Helper()
	r := q.as(t, 1, http.MethodPost, "/venues/harbour/pools/main/admission", `{"buyer":"`+buyer+`"}`, "")
	token, _ := r.body["token"].(string)
	if r.status != http.StatusOK || token == "" {
		t.Fatalf("join = %d %s", r.status, r.text)
	}
	return token
}

func (q *queue) hold(t *testing.T, client int, token, key string) reply {
	t.Helper()
	return q.as(t, client, http.MethodPost, "/holds", goodHold, token, "Idempotency-Key", key)
}

// A buyer takes a number, sees the line move, gets a pass, and only then may
// place a hold.
func TestAdmission_story(t *testing.T) {
	t.Parallel()
	q := openQueue(t, held)
	r := q.as(t, 1, http.MethodPost, "/venues/harbour/pools/main/admission", queueBody, "")
	if r.body["number"] != 101.0 || r.body["position"] != 91.0 || r.body["estimatedWaitSeconds"] != 10.0 || r.body["admitted"] != false {
		t.Errorf("joined = %s", r.text)
	}
	if again, _ := strconv.Atoi(r.header.Get("Retry-After")); again < 6 || again > 10 {
		t.Errorf("ask again after %d s, want 7 to 10", again)
	}
	waiting, _ := r.body["token"].(string)
	if r := q.hold(t, 1, waiting, "k-1"); r.status != http.StatusTooManyRequests || r.code() != "ADMISSION_REQUIRED" || r.header.Get("Retry-After") == "" {
		t.Errorf("a hold while waiting = %d %s", r.status, r.text)
	}
	q.letIn(60, queueStart.Add(5*time.Minute))
	r = q.as(t, 1, http.MethodGet, "/admission", "", waiting)
	if r.body["position"] != 41.0 || r.body["token"] != waiting {
		t.Errorf("later = %s", r.text)
	}
	q.letIn(101, queueStart.Add(5*time.Minute))
	r = q.as(t, 1, http.MethodGet, "/admission", "", waiting)
	pass, _ := r.body["token"].(string)
	if r.body["admitted"] != true || r.body["position"] != 0.0 || pass == waiting || r.body["expiresAt"] != "2027-06-01T10:05:00.000Z" || r.header.Get("Retry-After") != "" {
		t.Errorf("let in = %s", r.text)
	}
	if r := q.hold(t, 1, pass, "k-1"); r.status != http.StatusCreated {
		t.Errorf("a hold with a pass = %d %s", r.status, r.text)
	}
	if r := q.hold(t, 1, waiting, "k-2"); r.status != http.StatusCreated {
		t.Errorf("the token of who waited is good for its number, too: %d %s", r.status, r.text)
	}
	q.clock.Advance(5 * time.Minute)
	if r := q.as(t, 1, http.MethodGet, "/admission", "", pass); r.status != http.StatusGone || r.code() != "ADMISSION_EXPIRED" {
		t.Errorf("after its end = %d %s", r.status, r.text)
	}
	if r := q.hold(t, 1, pass, "k-3"); r.code() != "ADMISSION_REQUIRED" {
		t.Errorf("a hold after its end = %d %s", r.status, r.text)
	}
	if r := q.hold(t, 1, pass, "answered"); r.status != http.StatusCreated {
		t.Errorf("an answer that was given before = %d %s", r.status, r.text)
	}
	if asked, want := q.askedOfPasses(), []string{"claim 101 k-1", "claim 101 k-2"}; !slices.Equal(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
}

// A token is good for its buyer, client and room, and for nobody else.
func TestAdmission_foreignTokens(t *testing.T) {
	t.Parallel()
	q := openQueue(t, held)
	mine, another := q.join(t, "u-1"), q.join(t, "u-2")
	elsewhere, _ := q.as(t, 1, http.MethodPost, "/venues/harbour/pools/attic/admission", queueBody, "").body["token"].(string)
	q.letIn(200, queueStart.Add(time.Hour))
	forged := mine[:99] + map[bool]string{true: "B", false: "A"}[mine[99] == 'A']
	for name, token := range map[string]string{"none": "", "anotherBuyer": another, "anotherRoom": elsewhere, "forged": forged, "garbage": "garbage", "long": strings.Repeat("A", 5000)} {
		if r := q.hold(t, 1, token, name); r.code() != "ADMISSION_REQUIRED" || strings.Contains(r.text, "garbage") {
			t.Errorf("%s: a hold = %d %s", name, r.status, r.text)
		}
	}
	if r := q.hold(t, 2, mine, "k-2"); r.code() != "ADMISSION_REQUIRED" {
		t.Errorf("another client: a hold = %d %s", r.status, r.text)
	}
	for name, c := range map[string]struct {
		client int
		token  string
	}{"anotherClient": {2, mine}, "forged": {1, forged}, "garbage": {1, "garbage"}} {
		if r := q.as(t, c.client, http.MethodGet, "/admission", "", c.token); r.status != http.StatusNotFound {
			t.Errorf("%s: its place = %d %s", name, r.status, r.text)
		}
	}
	if r := q.as(t, 1, http.MethodGet, "/admission", "", ""); r.status != http.StatusUnprocessableEntity || fmt.Sprint(r.fields()) != "[Admission-Token]" {
		t.Errorf("no token = %d %s", r.status, r.text)
	}
	if r := q.as(t, 1, http.MethodGet, "/admission", "", mine, "Admission-Token", another); r.status != http.StatusUnprocessableEntity {
		t.Errorf("two tokens = %d %s", r.status, r.text)
	}
	if r := q.hold(t, 1, mine, "k-1"); r.status != http.StatusCreated {
		t.Errorf("its own buyer = %d %s", r.status, r.text)
	}
	if asked := q.askedOfPasses(); len(asked) != 1 {
		t.Errorf("the database was asked %v", asked)
	}
}

// However many ask for their place, the rooms are read at most each 200 ms.
func TestAdmission_readsOnceForAll(t *testing.T) {
	t.Parallel()
	q := openQueue(t, held)
	token := q.join(t, "u-1")
	before := q.readings()
	for range 50 {
		if r := q.as(t, 1, http.MethodGet, "/admission", "", token); r.status != http.StatusOK {
			t.Fatalf("place = %d %s", r.status, r.text)
		}
		_ = q.hold(t, 1, token, "k")
		q.clock.Advance(3 * time.Millisecond)
	}
	if n := q.readings() - before; n != 0 {
		t.Errorf("the rooms were read %d times within 150 ms", n)
	}
	q.clock.Advance(pastKept)
	_ = q.as(t, 1, http.MethodGet, "/admission", "", token)
	if n := q.readings() - before; n != 1 {
		t.Errorf("the rooms were read %d times after that", n)
	}
}

// A refused hold gives the pass back, one that may have been placed does not.
func TestAdmission_refusedHolds(t *testing.T) {
	t.Parallel()
	var answer error
	q := openQueue(t, func(r inventory.HoldRequest) (inventory.Booking, bool, error) {
		if answer == nil {
			return held(r)
		}
		return inventory.Booking{}, false, answer
	})
	token := q.join(t, "u-1")
	q.letIn(101, queueStart.Add(time.Hour))
	for i, c := range []struct {
		answer error
		want   []string
	}{
		{inventory.ErrSoldOut, []string{"claim 101 k-0", "return 101 k-0"}},
		{inventory.ErrBusy, []string{"claim 101 k-1", "return 101 k-1"}},
		{inventory.ErrUnknownOutcome, []string{"claim 101 k-2"}},
		{nil, []string{"claim 101 k-3"}}, // the last: what was placed is told some time later
	} {
		answer = c.answer
		_ = q.hold(t, 1, token, fmt.Sprintf("k-%d", i))
		if asked := q.askedOfPasses(); !slices.Equal(asked, c.want) {
			t.Errorf("%v: asked %v, want %v", c.answer, asked, c.want)
		}
	}
}

// Without an open room nobody waits, also whoever waited.
func TestAdmission_closedRoom(t *testing.T) {
	t.Parallel()
	q := openQueue(t, held)
	token := q.join(t, "u-1")
	q.mu.Lock()
	q.open = false
	q.mu.Unlock()
	q.clock.Advance(pastKept)
	for _, r := range []reply{
		q.as(t, 1, http.MethodGet, "/admission", "", token),
		q.as(t, 1, http.MethodPost, "/venues/harbour/pools/main/admission", queueBody, ""),
		q.as(t, 1, http.MethodPost, "/events/"+uuid.NewString()+"/admission", queueBody, ""),
	} {
		if r.status != http.StatusOK || r.body["admitted"] != true || r.header.Get("Retry-After") != "" {
			t.Errorf("= %d %s", r.status, r.text)
		}
	}
	if r := q.hold(t, 1, "", "k-1"); r.status != http.StatusCreated {
		t.Errorf("a hold = %d %s", r.status, r.text)
	}
	for _, path := range []string{"/venues/Harbour/pools/main/admission", "/events/x/admission"} {
		if r := q.as(t, 1, http.MethodPost, path, queueBody, ""); r.status != http.StatusNotFound {
			t.Errorf("%s = %d %s", path, r.status, r.text)
		}
	}
	for _, body := range []string{"", `{}`, `{"buyer":""}`, `{"buyer":"u-1","number":1}`} {
		if r := q.as(t, 1, http.MethodPost, "/venues/harbour/pools/main/admission", body, ""); r.status < 400 || r.status > 499 {
			t.Errorf("%q = %d %s", body, r.status, r.text)
		}
	}
}

// Many who ask at once are told to come back apart, before their turn.
func TestAdmission_retryIsSpread(t *testing.T) {
	t.Parallel()
	q := openQueue(t, held)
	q.mu.Lock()
	q.line.Given = 1_000_000
	q.mu.Unlock()
	token := q.join(t, "u-1")
	seen := map[int]int{}
	for i := range 200 {
		r := q.as(t, 1, http.MethodGet, "/admission", "", token)
		after, _ := strconv.Atoi(r.header.Get("Retry-After"))
		if seen[after]++; after < 112 || after > 150 { // half of a pass's life, and up to a quarter less
			t.Fatalf("ask again after %d s", after)
		}
		if i%30 == 29 {
			q.clock.Advance(2 * time.Second) // what the buyer may ask
		}
	}
	if len(seen) < 20 {
		t.Errorf("all come back at %v", seen)
	}
}

// A room that begins a new line lets nobody in with a token of the old one,
// whatever the pass says; and who waited for a day has left.
func TestAdmission_oldTokens(t *testing.T) {
	t.Parallel()
	q := openQueue(t, held)
	first := q.join(t, "u-1")
	q.letIn(101, queueStart.Add(24*time.Hour))
	pass, _ := q.as(t, 1, http.MethodGet, "/admission", "", first).body["token"].(string)
	waiting := q.join(t, "u-1")
	over := func(name, token string) {
		t.Helper()
		if r := q.as(t, 1, http.MethodGet, "/admission", "", token); r.status != http.StatusGone || r.code() != "ADMISSION_EXPIRED" {
			t.Errorf("%s: its place = %d %s", name, r.status, r.text)
		}
		if r := q.hold(t, 1, token, name); r.code() != "ADMISSION_REQUIRED" {
			t.Errorf("%s: a hold = %d %s", name, r.status, r.text)
		}
	}
	if r := q.hold(t, 1, pass, "k-1"); r.status != http.StatusCreated {
		t.Fatalf("a hold with the pass = %d %s", r.status, r.text)
	}
	q.mu.Lock()
	q.line.Admitted, q.line.BeginsAfter, q.line.Steps = q.line.Given, q.line.Given, nil
	q.mu.Unlock()
	q.clock.Advance(pastKept)
	over("oldPass", pass)
	over("oldToken", waiting)
	late := q.join(t, "u-1")
	q.clock.Advance(23 * time.Hour)
	if r := q.as(t, 1, http.MethodGet, "/admission", "", late); r.body["position"] != 1.0 {
		t.Errorf("after 23 hours = %d %s", r.status, r.text)
	}
	q.clock.Advance(time.Hour + time.Second)
	over("afterADay", late)
}
