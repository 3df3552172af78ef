package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
	"holdfast/migrations/pgtest"
	"holdfast/timezone"
)

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	shop := pgtest.OpenShop(t, pgtest.PerBuyer(0))
	clock := timezone.NewManualClock(time.Date(2027, time.January, 15, 19, 30, 0, 0, time.UTC))
	l := start(t, httpapi.Config{Store: shop.Store, Inbox: shop.Store, Clock: clock})
	ctx := t.Context()
	token := func(name string, scopes ...string) string {
		_, token, err := shop.Store.AddClient(ctx, inventory.Staff("mira"), name, scopes)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	shopA, shopB := token("shop-a", inventory.ScopeHolds), token("shop-b", inventory.ScopeHolds)
	house, revoked := token("house", inventory.ScopeInventory), token("revoked", inventory.ScopeHolds)
	if err := shop.Store.RevokeClient(ctx, inventory.Staff("mira"), "revoked"); err != nil {
		t.Fatal(err)
	}
	hold := func(token, key string) reply {
		body := fmt.Sprintf(`{"pool":"harbour/main","day":%q,"quantity":1,"buyer":"u-1"}`, shop.Day)
		return l.send(t, http.MethodPost, "/holds", body, "Idempotency-Key", key, "Authorization", "Bearer "+token)
	}

	t.Run("oneAnswerForEveryWrongToken", func(t *testing.T) {
		wrong := shopA[:len(shopA)-1] + "x"
		if strings.HasSuffix(shopA, "x") {
			wrong = shopA[:len(shopA)-1] + "y"
		}
		first := l.send(t, http.MethodGet, "/bookings/"+inventory.NewBookingID().String(), "")
		if first.status != http.StatusUnauthorized || first.code() != "UNAUTHENTICATED" || !strings.HasPrefix(first.header.Get("WWW-Authenticate"), "Bearer") {
			t.Fatalf("no token = %d %s", first.status, first.text)
		}
		for name, headers := range map[string][]string{
			"unknown":        {"Authorization", "Bearer hf_000000000000_" + strings.Repeat("A", 43)},
			"wrongSecret":    {"Authorization", "Bearer " + wrong},
			"revoked":        {"Authorization", "Bearer " + revoked},
			"empty":          {"Authorization", "Bearer "},
			"noScheme":       {"Authorization", shopA},
			"otherScheme":    {"Authorization", "Basic " + shopA},
			"twoHeaders":     {"Authorization", "Bearer " + shopA, "Authorization", "Bearer " + shopB},
			"hugeToken":      {"Authorization", "Bearer " + strings.Repeat("x", 10_000)},
			"blankInToken":   {"Authorization", "Bearer " + shopA + " x"},
			"otherCaseToken": {"Authorization", "Bearer " + strings.ToUpper(shopA)},
		} {
			r := l.send(t, http.MethodGet, "/bookings/"+inventory.NewBookingID().String(), "", headers...)
			if r.status != first.status || r.text != first.text {
				t.Errorf("%s = %d %s, want what no token gets", name, r.status, r.text)
			}
		}
		if r := l.send(t, http.MethodGet, "/bookings/"+inventory.NewBookingID().String()+"?access_token="+shopA, ""); r.status != http.StatusUnauthorized {
			t.Errorf("a token in the address = %d", r.status)
		}
		r := l.send(t, http.MethodGet, "/bookings/"+inventory.NewBookingID().String()+"?access_token="+shopA, "", "Authorization", "Bearer "+shopA)
		if r.status != http.StatusUnprocessableEntity || strings.Contains(r.text, shopA) {
			t.Errorf("a token in the address beside the header = %d %s", r.status, r.text)
		}
	})

	t.Run("schemeInAnyCase", func(t *testing.T) {
		r := l.send(t, http.MethodGet, "/bookings/"+inventory.NewBookingID().String(), "", "Authorization", "bEARER "+shopA)
		if r.status != http.StatusNotFound {
			t.Errorf("= %d %s, want 404", r.status, r.text)
		}
	})

	t.Run("othersBookingsDoNotExist", func(t *testing.T) {
		placed := hold(shopA, "k-1")
		if placed.status != http.StatusCreated {
			t.Fatalf("hold = %d %s", placed.status, placed.text)
		}
		path := "/bookings/" + placed.body["bookingId"].(string)
		missing := l.send(t, http.MethodGet, "/bookings/"+inventory.NewBookingID().String(), "", "Authorization", "Bearer "+shopB)
		for _, c := range []struct{ method, path string }{{"GET", path}, {"DELETE", path}} {
			if r := l.send(t, c.method, c.path, "", "Authorization", "Bearer "+shopB); r.status != http.StatusNotFound || r.text != missing.text {
				t.Errorf("%s of another's booking = %d %s, want exactly what a missing one gets", c.method, r.status, r.text)
			}
		}
		if r := l.send(t, http.MethodGet, path, "", "Authorization", "Bearer "+shopA); r.status != http.StatusOK {
			t.Errorf("own booking = %d", r.status)
		}
		staff := shop.Hold(t, "walk-in", 1)
		if r := l.send(t, http.MethodGet, "/bookings/"+staff.ID.String(), "", "Authorization", "Bearer "+shopA); r.status != http.StatusNotFound {
			t.Errorf("a booking of staff = %d, want 404", r.status)
		}
	})

	t.Run("scopes", func(t *testing.T) {
		if r := hold(house, "k-2"); r.status != http.StatusForbidden || r.code() != "FORBIDDEN" {
			t.Errorf("hold without scope holds = %d %s", r.status, r.text)
		}
		days := fmt.Sprintf("/venues/harbour/pools/main/days?from=%s&to=%s", shop.Day, shop.Day)
		outside := l.send(t, http.MethodGet, days, "", "Authorization", "Bearer "+shopA)
		if outside.status != http.StatusOK || strings.Contains(outside.text, "apacity") || strings.Contains(outside.text, "overbook") {
			t.Errorf("days without scope inventory = %d %s", outside.status, outside.text)
		}
		inside := l.send(t, http.MethodGet, days, "", "Authorization", "Bearer "+house)
		want := fmt.Sprintf(`[{"day":%q,"capacity":10,"overbookLimit":2,"taken":2,"left":10,"stopSell":false,"version":1}]`, shop.Day)
		if inside.text != want {
			t.Errorf("days with scope inventory = %d %s\nwant %s", inside.status, inside.text, want)
		}
	})

	t.Run("revokedStopsWithinTwoSeconds", func(t *testing.T) {
		if r := hold(shopB, "k-3"); r.status != http.StatusCreated {
			t.Fatalf("before = %d %s", r.status, r.text)
		}
		if err := shop.Store.RevokeClient(ctx, inventory.Staff("mira"), "shop-b"); err != nil {
			t.Fatal(err)
		}
		clock.Advance(2 * time.Second)
		if r := hold(shopB, "k-4"); r.status != http.StatusUnauthorized {
			t.Errorf("after = %d %s", r.status, r.text)
		}
	})

	t.Run("onlyHealthAndTheDocumentAreOpen", func(t *testing.T) {
		for path, want := range map[string]int{
			"/healthz": 200, "/readyz": 200, "/openapi.json": 200,
			"/venues/harbour/pools/main/days": 401, "/bookings/x": 401,
		} {
			if r := l.send(t, http.MethodGet, path, ""); r.status != want {
				t.Errorf("GET %s = %d, want %d", path, r.status, want)
			}
		}
	})
}

// A busy client costs one question each two seconds, also when its requests
// come at the same moment; a wrong token is asked for every time.
func TestAuthenticate_cache(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	clock := timezone.NewManualClock(time.Date(2027, time.January, 15, 19, 30, 0, 0, time.UTC))
	d := &double{placeHold: held, client: func(token string) (inventory.Client, error) {
		asked.Add(1)
		switch token {
		case "good":
			return inventory.Client{ID: 1, Name: "shop", Scopes: []string{inventory.ScopeHolds}}, nil
		case "down":
			return inventory.Client{}, fmt.Errorf("look up: %w", inventory.ErrUnavailable)
		}
		return inventory.Client{}, inventory.ErrNotFound
	}}
	l := start(t, httpapi.Config{Store: d, Inbox: d, Clock: clock})
	ask := func(token string, want int) {
		t.Helper()
		if r := l.send(t, http.MethodPost, "/holds", goodHold, "Idempotency-Key", "k", "Authorization", "Bearer "+token); r.status != want {
			t.Errorf("%s = %d %s, want %d", token, r.status, r.text, want)
		}
	}
	for range 5 {
		ask("good", 201)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times for 5 requests, want once", n)
	}
	clock.Advance(2 * time.Second)
	ask("good", 201)
	ask("bad", 401)
	ask("bad", 401)
	ask("down", 503)
	if n := asked.Load(); n != 5 {
		t.Errorf("asked %d times in all, want 5", n)
	}
}
