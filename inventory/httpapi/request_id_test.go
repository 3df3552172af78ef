package httpapi_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"holdfast/inventory"
	"holdfast/inventory/httpapi"
)

const someTrace = "4bf92f3577b34da6a3ce929d0e0e4736"

// The id of whoever is in front of us is kept where it can be read anywhere;
// anything else gets one of ours.
func TestRequestID_takenOverOrMade(t *testing.T) {
	t.Parallel()
	const id, trace, parent = "X-Request-Id", "traceparent", "-00f067aa0ba902b7-01"
	l := noAuth(t, &double{})
	for name, c := range map[string]struct {
		headers []string
		want    string // "" = made
	}{
		"none":             {nil, ""},
		"plain":            {[]string{id, "01J/ab:c.d-e_f@g+h="}, "01J/ab:c.d-e_f@g+h="},
		"longest":          {[]string{id, strings.Repeat("a", 128)}, strings.Repeat("a", 128)},
		"tooLong":          {[]string{id, strings.Repeat("a", 129)}, ""},
		"empty":            {[]string{id, ""}, ""},
		"two":              {[]string{id, "a", id, "b"}, ""},
		"space":            {[]string{id, "a b"}, ""},
		"quote":            {[]string{id, `a"b`}, ""},
		"rightToLeft":      {[]string{id, "a\u202eb"}, ""},
		"option":           {[]string{id, "-rf"}, ""},
		"trace":            {[]string{trace, "00-" + someTrace + parent}, someTrace},
		"traceOfTomorrow":  {[]string{trace, "01-" + someTrace + parent + "-more"}, someTrace},
		"traceTooLong":     {[]string{trace, "00-" + someTrace + parent + "-more"}, ""},
		"traceUpperCase":   {[]string{trace, "00-" + strings.ToUpper(someTrace) + parent}, ""},
		"traceOfZeros":     {[]string{trace, "00-" + strings.Repeat("0", 32) + parent}, ""},
		"traceBadVersion":  {[]string{trace, "ff-" + someTrace + parent}, ""},
		"traceWithoutRest": {[]string{trace, "00-" + someTrace}, ""},
		"both":             {[]string{id, "mine", trace, "00-" + someTrace + parent}, "mine"},
		"uncleanAndTrace":  {[]string{id, "not mine", trace, "00-" + someTrace + parent}, someTrace},
	} {
		r := l.send(t, http.MethodGet, "/nothing", "", c.headers...)
		ids := r.header.Values(id)
		if len(ids) != 1 || c.want != "" && ids[0] != c.want {
			t.Errorf("%s: X-Request-Id = %q, want %q", name, ids, c.want)
			continue
		}
		if _, err := uuid.Parse(ids[0]); c.want == "" && err != nil {
			t.Errorf("%s: made up %q: %v", name, ids[0], err)
		}
		if r.body["requestId"] != nil {
			t.Errorf("%s: a refusal differs by the request: %s", name, r.text)
		}
	}
}

// Whatever is logged about a request names it, and who asked, also deep inside.
func TestRequestID_inTheLog(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	d := &double{
		client: func(string) (inventory.Client, error) {
			return inventory.Client{ID: 7, Name: "the shop", Scopes: []string{inventory.ScopeHolds}}, nil
		},
		placeHold: func(r inventory.HoldRequest) (inventory.Booking, bool, error) {
			if r.Buyer == "broken" {
				return inventory.Booking{}, false, inventory.ErrBusy
			}
			return held(r)
		},
	}
	d.storeEvent = func(inventory.ProviderEvent) (bool, error) { return true, nil }
	d.applyEvent = func() error { return inventory.ErrBusy }
	l := start(t, httpapi.Config{
		Store: d, Inbox: d, Providers: []httpapi.Provider{scripted{}},
		Log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	for name, c := range map[string]struct {
		path, body string
		want       []string
	}{
		"placed":     {"/holds", goodHold, []string{"a hold was placed", `"booking":"`, `"client":"the shop"`}},
		"refused":    {"/holds", strings.Replace(goodHold, "u-1", "", 1), []string{"a request was refused", "INVALID", `"client":"the shop"`}},
		"notApplied": {"/payments/webhook", "fine", []string{"not applied yet", "evt_1"}},
		"broken":     {"/holds", strings.Replace(goodHold, "u-1", "broken", 1), []string{"a request could not be served", "BUSY", `"client":"the shop"`}},
	} {
		id := "req-" + name
		r := l.send(t, http.MethodPost, c.path, c.body, "X-Request-Id", id, "Idempotency-Key", "k-"+name, "Authorization", "Bearer a-token-of-some-length")
		if r.header.Get("X-Request-Id") != id || r.status >= 500 && r.body["requestId"] != id {
			t.Errorf("%s: answered %v %s", name, r.header, r.text)
		}
		found := false
		for line := range strings.Lines(log.String()) {
			if !strings.Contains(line, `"request":"`+id+`"`) {
				continue
			}
			found = true
			for _, part := range c.want {
				if !strings.Contains(line, part) {
					t.Errorf("%s: no %s in %s", name, part, line)
				}
			}
		}
		if !found {
			t.Errorf("%s: no line about %s in\n%s", name, id, log.String())
		}
	}
}
