package httpapi_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/timezone"
)

// openRoom opens a waiting room for the hall's event.
func (b hallBundle) openRoom(t *testing.T, rate float64, maxActive int) {
	t.Helper()
	open, life := true, 10*time.Minute // longer than any machine is busy
	_, err := b.Store.SetWaitingRoom(t.Context(), inventory.WaitingRoomChange{
		Venue: "harbour", Name: b.hall.Event.Ref.Event, Kind: inventory.ClaimSeats, Rate: &rate, MaxActive: &maxActive, PassLife: &life, Open: &open,
	}, inventory.Staff("test"))
	if err != nil {
		t.Fatal(err)
	}
}

// ask asks daemon for the place of a token until it is let in, as fast as the
// daemon answers, and returns the pass.
func (b hallBundle) ask(t *testing.T, daemon int, token string) string {
	t.Helper()
	clock := timezone.SystemClock{}
	for began := clock.Now(); clock.Now().Sub(began) < 30*time.Second; {
		r := b.insist(func() reply {
			return b.daemons[daemon].send(t, http.MethodGet, "/admission", "", "Admission-Token", token)
		})
		if r.status != http.StatusOK {
			t.Errorf("place = %d %s", r.status, r.text)
			return ""
		}
		if r.body["admitted"] == true {
			return fmt.Sprint(r.body["token"])
		}
	}
	t.Error("never let in")
	return ""
}

// joinEvent takes a number of the hall's event.
func (b hallBundle) joinEvent(t *testing.T, daemon int, buyer string) reply {
	t.Helper()
	return b.insist(func() reply {
		return b.daemons[daemon].send(t, http.MethodPost, "/events/"+b.hall.Event.ID.String()+"/admission", fmt.Sprintf(`{"buyer":%q}`, buyer))
	})
}

// insist asks, and again like any client while a busy machine is the answer,
// though not for ever.
func (hallBundle) insist(ask func() reply) reply {
	clock := timezone.SystemClock{}
	began := clock.Now()
	for {
		r := ask()
		isBusy := r.status == http.StatusServiceUnavailable || r.status == http.StatusGatewayTimeout || r.code() == "IN_PROGRESS"
		if !isBusy || clock.Now().Sub(began) > 30*time.Second {
			return r
		}
	}
}

// A buyer may join at one daemon, ask the other and hold at either; one pass
// has one hold at a time, and a seat that is taken costs no pass.
func TestAdmission_twoDaemons(t *testing.T) {
	t.Parallel()
	b := setupHall(t)
	doc, _ := b.daemons[0].document(t)
	b.openRoom(t, 100, 50)
	const hold = "/events/{eventId}/seats/{seatId}/hold"
	take := func(daemon int, seat, buyer, token, key string) reply {
		t.Helper()
		r := b.insist(func() reply {
			return b.daemons[daemon].send(t, http.MethodPost, b.seatPath(t, seat)+"/hold", fmt.Sprintf(`{"buyer":%q}`, buyer),
				"Idempotency-Key", key, "Admission-Token", token)
		})
		doc.check(t, http.MethodPost, hold, r)
		return r
	}
	for daemon, seat := range []string{"A-01", "A-02"} { // each daemon sees soon that the room is open
		r := take(daemon, seat, "u-0", "", uuid.NewString())
		if r.status != http.StatusTooManyRequests || r.code() != "ADMISSION_REQUIRED" {
			t.Fatalf("without a token = %d %s", r.status, r.text)
		}
	}
	joined := b.joinEvent(t, 0, "u-1")
	doc.check(t, http.MethodPost, "/events/{eventId}/admission", joined)
	first, second := b.ask(t, 1, fmt.Sprint(joined.body["token"])), b.ask(t, 0, fmt.Sprint(b.joinEvent(t, 1, "u-2").body["token"]))
	doc.check(t, http.MethodGet, "/admission", b.daemons[0].send(t, http.MethodGet, "/admission", "", "Admission-Token", first))

	if r := take(0, "A-03", "u-1", first, "k-1"); r.status != http.StatusOK {
		t.Fatalf("with a pass = %d %s", r.status, r.text)
	}
	if r := take(1, "A-03", "u-2", second, "k-2"); r.code() != "SEAT_TAKEN" {
		t.Errorf("the same seat = %d %s", r.status, r.text)
	}
	if r := take(0, "A-04", "u-2", second, "k-3"); r.status != http.StatusOK {
		t.Errorf("another seat with the same pass = %d %s", r.status, r.text)
	}
	if r := take(1, "A-03", "u-1", first, "k-1"); r.status != http.StatusOK || r.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the first answer again = %d %s", r.status, r.text)
	}
	if r := take(1, "A-05", "u-1", first, "k-4"); r.code() != "HOLD_EXISTS" {
		t.Errorf("a second hold with one pass = %d %s", r.status, r.text)
	}
	if r := take(1, "A-05", "u-2", first, "k-5"); r.code() != "ADMISSION_REQUIRED" {
		t.Errorf("somebody else's pass = %d %s", r.status, r.text)
	}
}

// Twenty buyers at two daemons: all are let in in turn, and whenever one places
// a hold no more are in than may be.
func TestAdmission_crowd(t *testing.T) {
	t.Parallel()
	b := setupHall(t)
	b.openRoom(t, 50, 5)
	seats := make([]string, 0, 20)
	for _, row := range []string{"A", "B"} {
		for n := range 10 {
			seats = append(seats, fmt.Sprintf("%s-%02d", row, n+1))
		}
	}
	var wg sync.WaitGroup
	for i, seat := range seats {
		wg.Go(func() {
			buyer := fmt.Sprintf("u-%d", i)
			joined := b.joinEvent(t, i%2, buyer)
			if joined.body["token"] == nil {
				t.Errorf("join = %d %s", joined.status, joined.text)
				return
			}
			pass := b.ask(t, (i+1)%2, fmt.Sprint(joined.body["token"]))
			r := b.insist(func() reply {
				return b.daemons[i%2].send(t, http.MethodPost, b.seatPath(t, seat)+"/hold", fmt.Sprintf(`{"buyer":%q}`, buyer),
					"Idempotency-Key", buyer, "Admission-Token", pass)
			})
			if r.status != http.StatusOK {
				t.Errorf("hold of %s = %d %s", seat, r.status, r.text)
			}
			// One statement, one snapshot: passes that were let in and are not counted as used.
			var in int
			err := b.DB.Pool.QueryRow(t.Context(), `SELECT coalesce(sum(last_number - first_number + 1 - used), 0) FROM waiting_step WHERE expires_at > now()`).Scan(&in)
			if err != nil || in > 5 {
				t.Errorf("when %s was placed %d were in, %v", seat, in, err)
			}
		})
	}
	wg.Wait()
}
