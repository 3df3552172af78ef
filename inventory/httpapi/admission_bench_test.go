package httpapi_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
)

// What a place in a line costs the daemon, without the network.
func BenchmarkAdmission(b *testing.B) {
	d := &double{}
	number := int64(0)
	d.waitingNow = func() (inventory.WaitingNow, error) {
		room := inventory.NewWaitingRoom("harbour", "main", inventory.ClaimPool)
		room.ID, room.Open = 7, true
		return inventory.WaitingNow{
			At: queueStart, Keys: []inventory.WaitingKey{{ID: 1, Secret: bytes.Repeat([]byte{1}, 32)}},
			Rooms: []inventory.WaitingRoomNow{{WaitingRoom: room, Line: inventory.WaitingLine{Given: 500_000, Admitted: 1000}}},
		}, nil
	}
	d.nextNumber = func(int64) (int64, error) { number++; return 100_000 + number, nil }
	api, err := httpapi.New(httpapi.Config{Store: d, Inbox: d, InsecureNoAuth: true})
	if err != nil {
		b.Fatal(err)
	}
	send := func(method, path, body, token string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(b.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Admission-Token", token)
		r.Header.Set("Idempotency-Key", "k")
		w := httptest.NewRecorder()
		api.Handler().ServeHTTP(w, r)
		return w
	}
	join := func() *httptest.ResponseRecorder {
		return send(http.MethodPost, "/venues/harbour/pools/main/admission", `{"buyer":"u-1"}`, "")
	}
	var joined struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal(join().Body.Bytes(), &joined); err != nil {
		b.Fatal(err)
	}
	for name, ask := range map[string]func() int{
		"join":       func() int { return join().Code - http.StatusOK },
		"place":      func() int { return send(http.MethodGet, "/admission", "", joined.Token).Code - http.StatusOK },
		"turnedAway": func() int { return send(http.MethodPost, "/holds", goodHold, "").Code - http.StatusTooManyRequests },
		"mustWait": func() int {
			return send(http.MethodPost, "/holds", goodHold, joined.Token).Code - http.StatusTooManyRequests
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if ask() != 0 {
					b.Fatal("another answer")
				}
			}
		})
	}
}
