package httpapi_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
	"holdfast/timezone"
)

// limited serves d with these limits and a clock that stands still.
func limitedTo(t *testing.T, d *double, limits httpapi.Limits) (listener, *timezone.ManualClock) {
	t.Helper()
	clock := timezone.NewManualClock(queueStart)
	return start(t, httpapi.Config{
		Store: d, Inbox: d, Providers: []httpapi.Provider{scripted{}}, InsecureNoAuth: true, Clock: clock, Limits: limits,
	}), clock
}

// holdOfBuyer places a hold for buyer.
func (l listener) holdOfBuyer(t *testing.T, buyer string, headers ...string) reply {
	t.Helper()
	body := fmt.Sprintf(`{"pool":"harbour/main","day":"2027-01-15","quantity":2,"buyer":%q}`, buyer)
	return l.send(t, http.MethodPost, "/holds", body, append(headers, "Idempotency-Key", "k")...)
}

func TestLimits_perBuyer(t *testing.T) {
	t.Parallel()
	d := &double{placeHold: held}
	l, clock := limitedTo(t, d, httpapi.Limits{PerBuyer: httpapi.Rate{PerSecond: 1, Burst: 3}})
	for range 3 {
		if r := l.holdOfBuyer(t, "u-1"); r.status != http.StatusCreated {
			t.Fatalf("within the burst = %d %s", r.status, r.text)
		}
	}
	before := d.calls.Load()
	again := map[string]bool{}
	for range 40 {
		r := l.holdOfBuyer(t, "u-1")
		if r.status != http.StatusTooManyRequests || r.code() != "TOO_MANY_REQUESTS" {
			t.Fatalf("beyond it = %d %s", r.status, r.text)
		}
		after := r.header.Get("Retry-After")
		if n, err := strconv.Atoi(after); err != nil || n < 1 || n > 2 {
			t.Fatalf("Retry-After %q, want 1 or 2", after)
		}
		again[after] = true
	}
	if len(again) != 2 || d.calls.Load() != before {
		t.Errorf("told to come back after %v; the store was asked %d times", again, d.calls.Load()-before)
	}
	if r := l.holdOfBuyer(t, "u-2"); r.status != http.StatusCreated {
		t.Errorf("another buyer = %d %s", r.status, r.text)
	}
	// One bucket for holds and admission.
	if r := l.send(t, http.MethodPost, "/venues/harbour/pools/main/admission", `{"buyer":"u-1"}`); r.status != http.StatusTooManyRequests {
		t.Errorf("admission for the same buyer = %d %s", r.status, r.text)
	}
	clock.Advance(time.Second)
	if r := l.holdOfBuyer(t, "u-1"); r.status != http.StatusCreated {
		t.Errorf("a second later = %d %s", r.status, r.text)
	}
}

func TestLimits_perIPAndClient(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]httpapi.Limits{
		"client": {PerClient: httpapi.Rate{PerSecond: 1, Burst: 2}},
		"ip":     {PerIP: httpapi.Rate{PerSecond: 1, Burst: 2}},
	} {
		l, _ := limitedTo(t, &double{placeHold: held, storeEvent: stored}, limits)
		for i := range 4 {
			want := http.StatusCreated
			if i >= 2 {
				want = http.StatusTooManyRequests
			}
			// Whoever is no proxy of ours cannot pretend to be somebody else.
			if r := l.holdOfBuyer(t, "u-"+strconv.Itoa(i), "X-Forwarded-For", "203.0.113."+strconv.Itoa(i)); r.status != want {
				t.Errorf("%s, request %d = %d %s", name, i, r.status, r.text)
			}
		}
		for _, path := range []string{"/healthz", "/readyz"} {
			if r := l.send(t, http.MethodGet, path, ""); r.status != http.StatusOK {
				t.Errorf("%s: %s = %d", name, path, r.status)
			}
		}
		if r := l.send(t, http.MethodPost, "/payments/webhook", "{}"); r.status != http.StatusNoContent {
			t.Errorf("%s: a callback = %d %s", name, r.status, r.text)
		}
	}
}

// Behind a proxy of ours each sender has limits of its own, and wrong tokens
// count like right ones.
func TestLimits_behindAProxy(t *testing.T) {
	t.Parallel()
	d := &double{client: func(string) (inventory.Client, error) { return inventory.Client{}, inventory.ErrNotFound }}
	l := start(t, httpapi.Config{Store: d, Inbox: d, Clock: timezone.NewManualClock(queueStart), Limits: httpapi.Limits{
		PerIP: httpapi.Rate{PerSecond: 1, Burst: 2}, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}})
	for i := range 3 {
		for _, from := range []string{"203.0.113.1", "203.0.113.2"} {
			want := http.StatusUnauthorized
			if i == 2 {
				want = http.StatusTooManyRequests
			}
			r := l.send(t, http.MethodGet, "/bookings/x", "", "Authorization", "Bearer wrong", "X-Forwarded-For", "9.9.9.9, "+from)
			if r.status != want {
				t.Errorf("request %d of %s = %d %s", i, from, r.status, r.text)
			}
		}
	}
}

func stored(inventory.ProviderEvent) (bool, error) { return true, nil }
