package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"holdfast/inventory"
)

// A wall time that clocks skip or show twice is refused with the two instants
// it can mean, and each of them is taken when it is sent instead.
func TestPlaceHold_localTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		zone, from, to string
		code, field    string
		candidates     string
	}{
		"doubledFrom": {
			"Europe/Berlin", "2027-10-31T02:30", "2027-10-31T04:00", "LOCAL_TIME_DOUBLED", "from",
			"[2027-10-31T02:30:00+02:00 2027-10-31T02:30:00+01:00]",
		},
		"doubledTo": {
			"Europe/Berlin", "2027-10-31T01:30", "2027-10-31T02:30", "LOCAL_TIME_DOUBLED", "to",
			"[2027-10-31T02:30:00+02:00 2027-10-31T02:30:00+01:00]",
		},
		"skippedFrom": {
			"Europe/Berlin", "2027-03-28T02:30", "2027-03-28T04:00", "LOCAL_TIME_MISSING", "from",
			"[2027-03-28T01:30:00+01:00 2027-03-28T03:30:00+02:00]",
		},
		"doubledAtNoOffset": {
			"Europe/London", "2027-10-31T01:30", "2027-10-31T04:00", "LOCAL_TIME_DOUBLED", "from",
			"[2027-10-31T01:30:00+01:00 2027-10-31T01:30:00+00:00]",
		},
		"halfAnHour": {
			"Australia/Lord_Howe", "2027-04-04T01:45", "2027-04-04T04:00", "LOCAL_TIME_DOUBLED", "from",
			"[2027-04-04T01:45:00+11:00 2027-04-04T01:45:00+10:30]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &double{ofEvents: ofEvents{zone: c.zone, holdRange: func(r inventory.RangeHoldRequest) (inventory.Booking, bool, error) {
				return inventory.Booking{ID: inventory.NewBookingID(), Kind: inventory.ClaimRange, During: r.During, Zone: c.zone, Version: 1}, false, nil
			}}}
			l := noAuth(t, d)
			send := func(from, to string) reply {
				return l.send(t, http.MethodPost, "/holds",
					fmt.Sprintf(`{"resource":"harbour/studio-a","from":%q,"to":%q,"buyer":"u-1"}`, from, to), "Idempotency-Key", "k-1")
			}
			r := send(c.from, c.to)
			if r.status != http.StatusUnprocessableEntity || r.code() != c.code || fmt.Sprint(r.fields()) != "["+c.field+"]" ||
				fmt.Sprint(r.body["candidates"]) != c.candidates {
				t.Fatalf("= %d %s, want %s about %s with %s", r.status, r.text, c.code, c.field, c.candidates)
			}
			if d.calls.Load() != 0 {
				t.Error("something was held")
			}
			for _, one := range r.body["candidates"].([]any) {
				from, to := c.from, c.to
				if c.field == "from" {
					from = one.(string)
				} else {
					to = one.(string)
				}
				again := send(from, to)
				if again.status != http.StatusCreated || again.body[c.field] != one {
					t.Errorf("with %s = %d %s", one, again.status, again.text)
				}
			}
		})
	}
}

// Both ends can be at fault, and something else as well: all of it is named.
func TestPlaceHold_localTimesAmongOtherFaults(t *testing.T) {
	t.Parallel()
	l := noAuth(t, &double{ofEvents: ofEvents{zone: "Europe/Berlin"}})
	r := l.send(t, http.MethodPost, "/holds",
		`{"resource":"harbour/studio-a","from":"2027-03-28T02:30","to":"2027-10-31T02:30","buyer":"u-1"}`, "Idempotency-Key", "k-1")
	if r.code() != "LOCAL_TIME_MISSING" || fmt.Sprint(r.fields()) != "[from to]" || strings.Count(r.text, `"candidates"`) != 3 {
		t.Errorf("= %d %s, want both ends with their candidates", r.status, r.text)
	}
	if strings.Contains(r.text, "is missing") {
		t.Errorf("a time that was sent is called missing: %s", r.text)
	}
}
