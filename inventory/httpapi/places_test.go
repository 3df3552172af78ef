package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/migrations/pgtest"
)

// 200 buyers, two daemons, one day with a capacity of 10 and an overbook_limit
// of 2: what fits is sold, and everybody else hears why not.
func TestPlaceHold_twoHundredAtOnceThroughTwoDaemons(t *testing.T) { //nolint:paralleltest // nothing of this package runs beside it: it is about time, too
	for quantity, placed := range map[int]int{1: 12, 3: 4, 5: 2} {
		t.Run(fmt.Sprintf("quantity%d", quantity), func(t *testing.T) {
			b := setup(t)
			var mu sync.Mutex
			got, busy := map[string]int{}, 0
			var ready, done sync.WaitGroup
			gate := make(chan struct{})
			for i := range 200 {
				ready.Add(1)
				done.Go(func() {
					body, key := b.body(fmt.Sprintf("u-%03d", i), quantity), uuid.NewString()
					ready.Done()
					<-gate
					r := b.daemons[i%2].send(t, http.MethodPost, "/holds", body, "Idempotency-Key", key)
					again := 0
					for ; r.code() == "BUSY" && again < 10; again++ { // as a client is told to
						r = b.daemons[i%2].send(t, http.MethodPost, "/holds", body, "Idempotency-Key", key)
					}
					mu.Lock()
					defer mu.Unlock()
					got[fmt.Sprintf("%d %s", r.status, r.code())]++
					busy += again
				})
			}
			ready.Wait()
			close(gate)
			done.Wait()
			if len(got) != 2 || got["201 "] != placed || got["409 SOLD_OUT"] != 200-placed {
				t.Errorf("answers = %v, want %d placed and %d sold out", got, placed, 200-placed)
			}
			// None is expected; a machine that runs other tests under the race detector
			// at the same moment may be late for some.
			if t.Logf("%d answers were BUSY", busy); busy > 20 {
				t.Errorf("%d answers were BUSY", busy)
			}
			if taken := b.Taken(t); taken != placed*quantity {
				t.Errorf("taken = %d, want %d", taken, placed*quantity)
			}
			b.DB.AssertNoDeadlocks(t)
		})
	}
}

// Case B28: the sum of what is held never passes the sell limit, all or
// nothing, and a refused hold leaves no trace.
func TestPlaceHold_B28_quantities(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hold := func(buyer string, quantity, want int) {
		t.Helper()
		before := b.count(t, `select (select count(*) from booking) + (select count(*) from journal) + (select count(*) from idempotency)`)
		r := b.daemons[0].send(t, http.MethodPost, "/holds", b.body(buyer, quantity), "Idempotency-Key", uuid.NewString())
		if r.status != want {
			t.Errorf("quantity %d for %s = %d %s, want %d", quantity, buyer, r.status, r.text, want)
		}
		after := b.count(t, `select (select count(*) from booking) + (select count(*) from journal) + (select count(*) from idempotency)`)
		if want != http.StatusCreated && after != before {
			t.Errorf("a refused hold left %d rows", after-before)
		}
	}
	for _, quantity := range []int{0, -1, 2147483648} {
		hold("u-0", quantity, 422)
	}
	hold("u-1", 10, 201)
	hold("u-2", 3, 409)
	hold("u-2", 2, 201) // 12 of 12
	hold("u-3", 1, 409)
	hold("u-4", 10_000, 409)
	hold("u-4", 10_001, 422)
	if taken := b.Taken(t); taken != 12 {
		t.Errorf("taken = %d, want 12", taken)
	}
	// One of the two is overdue: exactly its places can be had again, although no
	// sweep has run.
	if _, err := b.DB.Pool.Exec(t.Context(), `update booking set expires_at = created_at - interval '1 second', version = version + 1 where buyer = 'u-2'`); err != nil {
		t.Fatal(err)
	}
	hold("u-5", 3, 409)
	hold("u-5", 2, 201)
	hold("u-6", 1, 409)

	zero, none := inventory.Adjust{}, inventory.Adjust{}
	b.SetDay(t, inventory.DayEdit{Capacity: &zero, OverbookLimit: &none})
	hold("u-7", 1, 409)
}

// Case B32: a key belongs to one request of one client.
func TestPlaceHold_B32_idempotency(t *testing.T) {
	t.Parallel()
	b := setup(t)
	send := func(daemon int, path, body string, headers ...string) reply {
		return b.daemons[daemon].send(t, http.MethodPost, path, body, headers...)
	}
	body := b.body("u-1", 1)
	first := send(0, "/holds", body, "Idempotency-Key", "k-1")
	if first.status != http.StatusCreated || first.header.Get("Idempotency-Replayed") != "" {
		t.Fatalf("first = %d %s", first.status, first.text)
	}
	id := b.id(t, first)
	same := map[string]string{
		"sameBytes":        body,
		"otherSpelling":    strings.ReplaceAll(strings.ReplaceAll(body, ":", " : "), `"u-1"`, `"\u0075-1"`),
		"trailingLineFeed": body + "\n",
	}
	for name, again := range same {
		for daemon := range b.daemons {
			r := send(daemon, "/holds", again, "Idempotency-Key", `"k-1"`)
			if r.status != http.StatusCreated || r.text != first.text || r.header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%s at daemon %d = %d %s, want the first answer", name, daemon, r.status, r.text)
			}
		}
	}
	for name, r := range map[string]reply{
		"otherQuantity": send(0, "/holds", b.body("u-1", 2), "Idempotency-Key", "k-1"),
		"otherBuyer":    send(1, "/holds", b.body("u-2", 1), "Idempotency-Key", "k-1"),
		"otherPath":     send(0, "/bookings/"+id.String()+"/pay", "", "Idempotency-Key", "k-1"),
	} {
		if r.status != http.StatusUnprocessableEntity || r.code() != "IDEMPOTENCY_CONFLICT" || strings.Contains(r.text, id.String()) {
			t.Errorf("%s = %d %s, want 422 and nothing of the first", name, r.status, r.text)
		}
	}
	if state := b.State(t, id); state != inventory.StateHeld {
		t.Errorf("state = %s: a refused request had an effect", state)
	}
	if taken := b.Taken(t); taken != 1 {
		t.Errorf("taken = %d, want 1", taken)
	}
	// What became of the hold since does not change the stored answer.
	if r := b.daemons[0].send(t, http.MethodDelete, "/bookings/"+id.String(), ""); r.status != http.StatusNoContent {
		t.Fatalf("release = %d %s", r.status, r.text)
	}
	if r := send(0, "/holds", body, "Idempotency-Key", "k-1"); r.text != first.text {
		t.Errorf("after the release = %d %s, want the first answer", r.status, r.text)
	}
	// A refusal is not stored: the same key may succeed once there is room.
	ten := inventory.Adjust{}
	b.SetDay(t, inventory.DayEdit{Capacity: &ten, OverbookLimit: &ten})
	if r := send(0, "/holds", b.body("u-9", 1), "Idempotency-Key", "k-9"); r.status != http.StatusConflict {
		t.Errorf("on a full day = %d %s", r.status, r.text)
	}
	ten.N = 10
	b.SetDay(t, inventory.DayEdit{Capacity: &ten})
	if r := send(0, "/holds", b.body("u-9", 1), "Idempotency-Key", "k-9"); r.status != http.StatusCreated {
		t.Errorf("with room again = %d %s", r.status, r.text)
	}
}

// Twenty at once with one key, at two daemons, are one hold.
func TestPlaceHold_B32_sameKeyAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, pgtest.PerBuyer(0))
	ids, others := make(chan string, 20), make(chan reply, 20)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			r := b.daemons[i%2].send(t, http.MethodPost, "/holds", b.body("u-1", 1), "Idempotency-Key", "k-1")
			if r.status == http.StatusCreated {
				ids <- r.body["bookingId"].(string)
				return
			}
			others <- r
		})
	}
	wg.Wait()
	close(ids)
	close(others)
	distinct := map[string]bool{}
	for id := range ids {
		distinct[id] = true
	}
	if len(distinct) != 1 {
		t.Errorf("%d bookings, want 1", len(distinct))
	}
	for r := range others {
		if r.status != http.StatusConflict || r.code() != "IN_PROGRESS" || r.header.Get("Retry-After") == "" {
			t.Errorf("= %d %s, want 201 or 409 IN_PROGRESS with Retry-After", r.status, r.text)
		}
	}
	if taken := b.Taken(t); taken != 1 {
		t.Errorf("taken = %d, want 1", taken)
	}
}

// Case B07, through the API: a double click is one hold, and nobody sees a 5xx.
func TestPlaceHold_B07_doubleClick(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var mu sync.Mutex
	got := map[string]int{}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			r := b.daemons[i%2].send(t, http.MethodPost, "/holds", b.body("u-1", 1), "Idempotency-Key", uuid.NewString())
			mu.Lock()
			defer mu.Unlock()
			got[fmt.Sprintf("%d %s", r.status, r.code())]++
		})
	}
	wg.Wait()
	if got["201 "] != 1 || got["409 HOLD_EXISTS"] != 19 {
		t.Errorf("answers = %v", got)
	}
}

// Case B39: one form of a date is taken; every other is refused by name, and
// nothing is stored.
func TestPlaceHold_B39_dates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, day := range []string{
		"2026-02-30", "2026-13-01", "2026-366", "03/04/2026", "31/04/2026", "2026-2-3", "２０２６-06-01", "0000-00-00",
		"12026-06-01", "2026-06-01T23:30+09:00", "25:00", "9:00", "tomorrow", "",
	} {
		body := strings.Replace(b.body("u-1", 1), b.Day.String(), day, 1)
		r := b.daemons[0].send(t, http.MethodPost, "/holds", body, "Idempotency-Key", uuid.NewString())
		if r.status != http.StatusUnprocessableEntity || r.code() != "INVALID" || !slices.Equal(r.fields(), []string{"day"}) {
			t.Errorf("day %q = %d %s, want 422 about day", day, r.status, r.text)
		}
	}
	if n := b.count(t, `select count(*) from booking`); n != 0 {
		t.Errorf("%d bookings were stored", n)
	}
	body := strings.Replace(b.body("u-1", 1), b.Day.String(), " "+b.Day.String()+" ", 1)
	r := b.daemons[0].send(t, http.MethodPost, "/holds", body, "Idempotency-Key", uuid.NewString())
	if r.status != http.StatusCreated || r.body["day"] != b.Day.String() {
		t.Errorf("blanks around the day = %d %s, want it trimmed", r.status, r.text)
	}
}

func TestPlaceHold_refusals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stop := true
	b.SetDay(t, inventory.DayEdit{StopSell: &stop})
	for name, c := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"unknownPool":  {strings.Replace(b.body("u-1", 1), "harbour/main", "harbour/attic", 1), 404, "NOT_FOUND"},
		"unknownVenue": {strings.Replace(b.body("u-1", 1), "harbour/main", "castle/main", 1), 404, "NOT_FOUND"},
		"stopSell":     {b.body("u-1", 1), 409, "STOP_SELL"},
		"noSuchDay":    {strings.Replace(b.body("u-1", 1), b.Day.String(), b.Day.Add(300).String(), 1), 409, "NOT_ON_SALE"},
	} {
		r := b.daemons[0].send(t, http.MethodPost, "/holds", c.body, "Idempotency-Key", uuid.NewString())
		if r.status != c.status || r.code() != c.code {
			t.Errorf("%s = %d %s, want %d %s", name, r.status, r.text, c.status, c.code)
		}
	}
}

func TestReleaseHold(t *testing.T) {
	t.Parallel()
	b := setup(t, pgtest.HoldTTL(time.Minute))
	id := b.hold(t, "u-1", 3)
	path := "/bookings/" + id.String()
	for i := range 3 {
		if r := b.daemons[i%2].send(t, http.MethodDelete, path, ""); r.status != http.StatusNoContent || r.text != "" {
			t.Errorf("release %d = %d %s, want 204", i+1, r.status, r.text)
		}
	}
	if taken := b.Taken(t); taken != 0 {
		t.Errorf("taken = %d, want 0", taken)
	}
	r := b.daemons[1].send(t, http.MethodGet, path, "")
	if r.body["state"] != "CANCELLED" || r.body["version"] != 2.0 {
		t.Errorf("booking = %s", r.text)
	}
	if n := b.count(t, `select count(*) from journal where booking_id = $1`, id); n != 2 {
		t.Errorf("%d journal rows, want 2", n)
	}

	expired := b.hold(t, "u-2", 1)
	if _, err := b.After(t, time.Hour).SweepHolds(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	if r := b.daemons[0].send(t, http.MethodDelete, "/bookings/"+expired.String(), ""); r.status != http.StatusConflict || r.code() != "HOLD_EXPIRED" {
		t.Errorf("release of an expired hold = %d %s", r.status, r.text)
	}
}

// Case B44: somebody keeps the day locked and all connections are in use.
// Everybody is answered soon, callbacks are kept, and it all works again after.
func TestServe_B44_exhaustedPool(t *testing.T) {
	t.Parallel()
	b := setup(t, pgtest.PerBuyer(0))
	ctx := t.Context()
	paid := b.hold(t, "u-paid", 1)
	tx, err := b.DB.Pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, `select 1 from pool_day where day = $1 for update`, b.Day.String()); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	slowest := time.Duration(0)
	got := map[string]int{}
	note := func(what string, r reply, took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		got[fmt.Sprintf("%s %d %s", what, r.status, r.code())]++
		slowest = max(slowest, took)
		if r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") == "" {
			t.Errorf("%s: 503 without Retry-After", what)
		}
	}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			began := time.Now()
			r := b.daemons[i%2].send(t, http.MethodPost, "/holds", b.body(fmt.Sprintf("u-%d", i), 1), "Idempotency-Key", uuid.NewString())
			note("hold", r, time.Since(began))
		})
	}
	for i := range 5 {
		wg.Go(func() {
			began := time.Now()
			r := b.callback(t, i%2, event(inventory.EventPaymentSucceeded, fmt.Sprintf("evt_%d", i), "pay_1", paid.String()))
			note("callback", r, time.Since(began))
		})
	}
	wg.Wait()
	if got["hold 503 BUSY"] != 100 || got["callback 204 "] != 5 {
		t.Errorf("answers = %v, want 100 x 503 BUSY and 5 x 204", got)
	}
	// The limits of one answer add up to less than two seconds; the rest is for a
	// machine that is busy with other tests.
	if t.Logf("the slowest answer took %s", slowest); slowest > 4*time.Second {
		t.Errorf("the slowest answer took %s, want 2s", slowest)
	}
	if r := b.daemons[0].send(t, http.MethodGet, "/healthz", ""); r.status != http.StatusOK {
		t.Errorf("healthz = %d", r.status)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	b.hold(t, "u-after", 1)
	if n := b.count(t, `select count(*) from webhook_event`); n != 5 {
		t.Errorf("%d callbacks are stored, want 5", n)
	}
	// What could not be applied in time is applied by the retry pass.
	eventually(t, "the callback is applied", func() bool {
		if _, err := b.After(t, time.Hour).ApplyPendingEvents(ctx, 100); err != nil {
			t.Log(err)
		}
		return b.State(t, paid) == inventory.StateConfirmed
	})
}
