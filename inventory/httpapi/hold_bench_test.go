package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
)

// What the listener itself adds to a hold, and to an answer that asks nobody.
func BenchmarkHold(b *testing.B) {
	d := &double{
		client: func(string) (inventory.Client, error) {
			return inventory.Client{ID: 7, Name: "shop", Scopes: inventory.Scopes}, nil
		},
		placeHold: func(r inventory.HoldRequest) (inventory.Booking, bool, error) {
			if strings.HasPrefix(r.Buyer, "late") {
				return inventory.Booking{}, false, fmt.Errorf("place hold at %s: %w", r.Pool, inventory.ErrSoldOut)
			}
			return inventory.Booking{
				ID: inventory.NewBookingID(), Kind: inventory.ClaimPool, Pool: r.Pool, Day: r.Day, Quantity: r.Quantity, Buyer: r.Buyer, State: inventory.StateHeld,
				ExpiresAt: time.Date(2027, 1, 15, 10, 0, 0, 0, time.UTC), Amount: inventory.Money{Minor: 2500, Currency: "EUR"}, Version: 1,
			}, false, nil
		},
	}
	api, err := httpapi.New(httpapi.Config{Store: d, Inbox: d})
	if err != nil {
		b.Fatal(err)
	}
	for _, tc := range []struct {
		name, method, path, buyer string
		status                    int
	}{
		{"placed", http.MethodPost, "/holds", "early", http.StatusCreated},
		{"soldOut", http.MethodPost, "/holds", "late", http.StatusConflict},
		{"healthz", http.MethodGet, "/healthz", "", http.StatusOK},
	} {
		b.Run(tc.name, func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				body := ""
				if tc.buyer != "" {
					body = fmt.Sprintf(`{"pool":"harbour/main","day":"2027-01-15","quantity":1,"buyer":"%s-%d"}`, tc.buyer, n)
				}
				r := httptest.NewRequestWithContext(b.Context(), tc.method, tc.path, strings.NewReader(body))
				if tc.buyer != "" {
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("Authorization", "Bearer hf_token")
					r.Header.Set("Idempotency-Key", "key")
				}
				w := httptest.NewRecorder()
				api.Handler().ServeHTTP(w, r)
				if w.Code != tc.status {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
		})
	}
}
