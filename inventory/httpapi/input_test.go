package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"holdfast/inventory"
)

// Bad input is refused with the field named, and the store is never asked.
func TestPlaceHold_badInput(t *testing.T) {
	t.Parallel()
	d := &double{}
	l := noAuth(t, d)
	change := func(old, with string) string { return strings.Replace(goodHold, old, with, 1) }
	for name, c := range map[string]struct {
		body   string
		status int
		field  string
	}{
		"unknownField":             {change(`{`, `{"price":1,`), 422, "price"},
		"stateFromOutside":         {change(`{`, `{"state":"CONFIRMED",`), 422, "state"},
		"missingBuyer":             {change(`,"buyer":"u-1"`, ``), 422, "buyer"},
		"emptyBuyer":               {change(`u-1`, ``), 422, "buyer"},
		"nullBuyer":                {change(`"u-1"`, `null`), 422, "buyer"},
		"buyerIsANumber":           {change(`"u-1"`, `7`), 422, "buyer"},
		"buyerWithBlanks":          {change(`u-1`, ` u-1`), 422, "buyer"},
		"buyerWithNUL":             {change(`u-1`, `u\u0000`), 422, "buyer"},
		"buyerWithEscape":          {change(`u-1`, `u\u001b[2J`), 422, "buyer"},
		"buyerReordersText":        {change(`u-1`, `u\u202e1`), 422, "buyer"},
		"buyerIsHalfASurrogate":    {change(`u-1`, `u\ud800`), 422, "buyer"},
		"buyerIsNotUTF8":           {change(`u-1`, "u\xff"), 422, "buyer"},
		"buyerTooLong":             {change(`u-1`, strings.Repeat("x", 201)), 422, "buyer"},
		"quantity0":                {change(`:2`, `:0`), 422, "quantity"},
		"quantityNegative":         {change(`:2`, `:-1`), 422, "quantity"},
		"quantity2147483648":       {change(`:2`, `:2147483648`), 422, "quantity"},
		"quantityAboveInt64":       {change(`:2`, `:9223372036854775808`), 422, "quantity"},
		"quantityWithPoint":        {change(`:2`, `:1.5`), 422, "quantity"},
		"quantityWholeWithPoint":   {change(`:2`, `:2.0`), 422, "quantity"},
		"quantityWithExponent":     {change(`:2`, `:1e3`), 422, "quantity"},
		"quantityAsText":           {change(`:2`, `:"2"`), 422, "quantity"},
		"quantityNull":             {change(`:2`, `:null`), 422, "quantity"},
		"quantityMissing":          {change(`"quantity":2,`, ``), 422, "quantity"},
		"quantityInAnotherCase":    {change(`"quantity":2`, `"quantity":2,"Quantity":100`), 422, "Quantity"},
		"quantityTwice":            {change(`"quantity":2`, `"quantity":2,"quantity":100`), 422, "quantity"},
		"dayDoesNotExist":          {change(`2027-01-15`, `2026-02-30`), 422, "day"},
		"dayMissing":               {change(`"day":"2027-01-15",`, ``), 422, "day"},
		"dayAsNumber":              {change(`"2027-01-15"`, `20270115`), 422, "day"},
		"poolWithoutVenue":         {change(`harbour/main`, `main`), 422, "pool"},
		"poolWithThreeParts":       {change(`harbour/main`, `harbour/main/x`), 422, "pool"},
		"poolInCapitals":           {change(`harbour/main`, `Harbour/main`), 422, "pool"},
		"poolIsSQL":                {change(`harbour/main`, `harbour/main'; drop table booking;--`), 422, "pool"},
		"poolMissing":              {change(`"pool":"harbour/main",`, ``), 422, "pool"},
		"poolIsAnObject":           {change(`"harbour/main"`, `{"id":1}`), 422, "pool"},
		"secondDocument":           {goodHold + goodHold, 422, "body"},
		"trailingText":             {goodHold + `x`, 422, "body"},
		"null":                     {`null`, 422, "pool"},
		"list":                     {`[` + goodHold + `]`, 422, "body"},
		"halfADocument":            {goodHold[:20], 422, "pool"},
		"byteOrderMark":            {"\ufeff" + goodHold, 422, "body"},
		"deep":                     {`{"pool":` + strings.Repeat("[", 20_000), 422, "pool.0.0.0"},
		"nothing":                  {"", 415, ""},
		"onlyBlanks":               {"  ", 422, "body"},
		"twoMebibytes":             {change(`u-1`, strings.Repeat("x", 2<<20)), 413, ""},
		"justOverTheLimit":         {goodHold + strings.Repeat(" ", 64<<10), 413, ""},
		"fieldNameThatEscapes":     {change(`{`, `{"\u001b[2J":1,`), 422, `"\x1b[2J"`},
		"fieldNameThatNeverEnds":   {change(`{`, `{"`+strings.Repeat("n", 5000)+`":1,`), 422, `"` + strings.Repeat("n", 64) + `"`},
		"moreThanOneProblem":       {`{"pool":"x","day":"y","quantity":0,"buyer":""}`, 422, "pool"},
		"offsetAfterTheDay":        {change(`2027-01-15`, `2027-01-15T23:30+09:00`), 422, "day"},
		"fullWidthDigits":          {change(`2027`, `２０２７`), 422, "day"},
		"quantityOfAnotherProgram": {change(`:2`, `:NaN`), 422, "quantity"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := l.send(t, http.MethodPost, "/holds", c.body, "Idempotency-Key", "k-1")
			if r.status != c.status || r.header.Get("Content-Type") != "application/problem+json" {
				t.Fatalf("= %d %s %s, want a problem with %d", r.status, r.header.Get("Content-Type"), r.text, c.status)
			}
			if c.field != "" && (r.code() != "INVALID" || !slices.Contains(r.fields(), c.field)) {
				t.Errorf("= %s about %q, want INVALID about %q", r.code(), r.fields(), c.field)
			}
			if name == "moreThanOneProblem" && !slices.Equal(r.fields(), []string{"pool", "day", "buyer", "quantity"}) {
				t.Errorf("fields = %q, want each of them once", r.fields())
			}
		})
	}
	t.Cleanup(func() {
		if n := d.calls.Load(); n != 0 {
			t.Errorf("the store was asked %d times", n)
		}
	})
}

func TestPlaceHold_contentHeaders(t *testing.T) {
	t.Parallel()
	l := noAuth(t, &double{placeHold: held})
	for _, c := range []struct {
		name, value string
		want        int
	}{
		{"Content-Type", "application/json", 201},
		{"Content-Type", "application/json; charset=UTF-8", 201},
		{"Content-Type", "application/json; charset=latin-1", 415},
		{"Content-Type", "text/plain", 415},
		{"Content-Type", "application/x-www-form-urlencoded", 415},
		{"Content-Type", "nonsense;;", 415},
		{"Content-Encoding", "gzip", 415},
		{"Content-Encoding", "identity", 201},
		{"Origin", "https://elsewhere.example", 201},
	} {
		r := l.send(t, http.MethodPost, "/holds", goodHold, "Idempotency-Key", "k-1", c.name, c.value)
		if r.status != c.want {
			t.Errorf("%s: %s = %d %s, want %d", c.name, c.value, r.status, r.text, c.want)
		}
		for name := range r.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("answered %s: browsers have no business here", name)
			}
		}
	}
}

func TestPlaceHold_answer(t *testing.T) {
	t.Parallel()
	l := noAuth(t, &double{placeHold: held})
	r := l.send(t, http.MethodPost, "/holds", goodHold, "Idempotency-Key", "k-1")
	id, _ := r.body["bookingId"].(string)
	want := fmt.Sprintf(`{"bookingId":%q,"state":"HELD","kind":"pool","pool":"harbour/main","day":"2027-01-15","quantity":2,"buyer":"u-1",`+
		`"heldUntil":"2027-01-15T19:30:00.123Z","amount":{"minor":5000,"currency":"EUR"},"version":1,"payments":[]}`, id)
	if r.status != http.StatusCreated || r.text != want || r.header.Get("Location") != "/bookings/"+id {
		t.Errorf("= %d %s\nwant %s", r.status, r.text, want)
	}
	if r.header.Get("Cache-Control") != "no-store" || r.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers = %v", r.header)
	}
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	keys := make(chan string, 1)
	d := &double{placeHold: func(r inventory.HoldRequest) (inventory.Booking, bool, error) {
		keys <- r.IdempotencyKey
		return held(r)
	}}
	l := noAuth(t, d)
	long := strings.Repeat("k", 255)
	for header, want := range map[string]string{
		`k-1`: `k-1`, `"k-1"`: `k-1`, ` k-1 `: `k-1`, `x`: `x`, long: long, `"` + long + `"`: long,
		`a"b`: `a"b`, `"a\"b\\c"`: `a"b\c`, `~!@#$%^&*()`: `~!@#$%^&*()`,
	} {
		r := l.send(t, http.MethodPost, "/holds", goodHold, "Idempotency-Key", header)
		if r.status != http.StatusCreated {
			t.Errorf("%.40q = %d %s", header, r.status, r.text)
		} else if got := <-keys; got != want {
			t.Errorf("%.40q is the key %q, want %q", header, got, want)
		}
	}
	for header, want := range map[string]struct {
		status int
		code   string
	}{
		``: {400, "IDEMPOTENCY_KEY_MISSING"}, `""`: {400, "IDEMPOTENCY_KEY_MISSING"}, `  `: {400, "IDEMPOTENCY_KEY_MISSING"},
		long + "k": {422, "INVALID"}, strings.Repeat("k", 10_000): {422, "INVALID"}, `two words`: {422, "INVALID"},
		`"two words"`: {422, "INVALID"}, `ключ`: {422, "INVALID"}, `"unfinished`: {422, "INVALID"}, `"`: {422, "INVALID"},
		`"a"b"`: {422, "INVALID"}, `"a\n"`: {422, "INVALID"}, `"k-1";p=1`: {422, "INVALID"}, "tab\tinside": {422, "INVALID"},
	} {
		r := l.send(t, http.MethodPost, "/holds", goodHold, "Idempotency-Key", header)
		if r.status != want.status || r.code() != want.code {
			t.Errorf("%.40q = %d %s, want %d %s", header, r.status, r.text, want.status, want.code)
		}
	}
	if r := l.send(t, http.MethodPost, "/holds", goodHold); r.status != 400 || r.code() != "IDEMPOTENCY_KEY_MISSING" {
		t.Errorf("no header = %d %s", r.status, r.text)
	}
	if r := l.send(t, http.MethodPost, "/holds", goodHold, "Idempotency-Key", "a", "Idempotency-Key", "b"); r.status != 422 {
		t.Errorf("two headers = %d %s", r.status, r.text)
	}
}

func TestListDays_badInput(t *testing.T) {
	t.Parallel()
	l := noAuth(t, &double{})
	const path = "/venues/harbour/pools/main/days"
	for query, field := range map[string]string{
		"?from=2026-02-30":                 "from",
		"?from=":                           "from",
		"?to=tomorrow":                     "to",
		"?from=2027-01-02&to=2027-01-01":   "to",
		"?from=2027-01-01&to=2028-06-01":   "to",
		"?from=2027-01-01&from=2027-01-02": "from",
		"?limit=5":                         "limit",
		"?token=hf_secret":                 "token",
		"?%zz":                             "query",
	} {
		r := l.send(t, http.MethodGet, path+query, "")
		if r.status != 422 || !slices.Contains(r.fields(), field) {
			t.Errorf("%s = %d %s, want 422 about %s", query, r.status, r.text, field)
		}
	}
	if r := l.send(t, http.MethodGet, path, ""); r.status != http.StatusOK || r.text != "[]" {
		t.Errorf("no parameters = %d %s, want an empty list", r.status, r.text)
	}
}

func TestPaths_areStrict(t *testing.T) {
	t.Parallel()
	l := noAuth(t, &double{booking: func(inventory.BookingID) (inventory.Booking, error) {
		return inventory.Booking{}, inventory.ErrNotFound
	}})
	for _, c := range []struct {
		method, path string
		want         int
		allow        string
	}{
		{"GET", "/", 404, ""},
		{"GET", "/holds/", 404, ""},
		{"GET", "//healthz", 404, ""},
		{"GET", "/./healthz", 404, ""},
		{"GET", "/x/../healthz", 404, ""},
		{"GET", "/x/%2e%2e/healthz", 404, ""},
		{"GET", "/x/..;/healthz", 404, ""},
		{"GET", "/health%7a", 404, ""},
		{"GET", "/Healthz", 404, ""},
		{"GET", "/metrics", 404, ""},
		{"GET", "/debug/pprof/", 404, ""},
		{"GET", "/bookings/not-an-id", 404, ""},
		{"GET", "/bookings/urn:uuid:01a22cee-a1aa-77ce-9da2-683d6a9405e9", 404, ""},
		{"GET", "/bookings/01a22cee-a1aa-77ce-9da2-683d6a9405e9", 404, ""},
		{"GET", "/venues/Harbour/pools/main/days", 404, ""},
		{"POST", "/payments/webhook/nobody", 404, ""},
		{"GET", "/holds", 405, "POST"},
		{"PUT", "/holds", 405, "POST"},
		{"OPTIONS", "/holds", 405, "POST"},
		{"TRACE", "/healthz", 405, "GET, HEAD"},
		{"POST", "/healthz", 405, "GET, HEAD"},
		{"PUT", "/bookings/01a22cee-a1aa-77ce-9da2-683d6a9405e9", 405, "DELETE, GET, HEAD, PATCH"},
		{"PATCH", "/bookings/01a22cee-a1aa-77ce-9da2-683d6a9405e9", 404, ""},
		{"GET", "/events/harbour/gala", 404, ""},
		{"GET", "/events/not-an-id", 404, ""},
		{"GET", "/events/not-an-id/seats", 404, ""},
		{"POST", "/events/01a22cee-a1aa-77ce-9da2-683d6a9405e9/seats", 405, "GET, HEAD"},
		{"GET", "/events/01a22cee-a1aa-77ce-9da2-683d6a9405e9/seats/1/hold", 405, "POST"},
		{"GET", "/venues/Harbour/events", 404, ""},
		{"GET", "/resources/harbour/Studio/slots", 404, ""},
		{"GET", "/resources/harbour/studio/slots", 404, ""},
		{"BREW", "/holds", 405, "POST"},
		{"HEAD", "/healthz", 200, ""},
	} {
		r := l.send(t, c.method, c.path, "", "X-HTTP-Method-Override", "POST")
		if r.status != c.want || r.header.Get("Allow") != c.allow {
			t.Errorf("%s %s = %d (Allow %q), want %d (%q)", c.method, c.path, r.status, r.header.Get("Allow"), c.want, c.allow)
		}
		if c.want >= 400 && r.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s answers %s", c.method, c.path, r.header.Get("Content-Type"))
		}
	}
}
