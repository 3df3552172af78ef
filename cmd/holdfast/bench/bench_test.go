package bench

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"holdfast/inventory"
)

func TestClient_readsWhatOurListenerWrites(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100_000)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Asked", r.Header.Get("X-Ask"))
		switch r.URL.Path {
		case "/problem":
			w.WriteHeader(http.StatusConflict)
			_, _ = w.Write([]byte(`{"title":"sold out","code":"SOLD_OUT"}`))
		case "/long":
			w.Header().Set("Content-Length", "100000")
			_, _ = w.Write([]byte(long))
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		case "/last":
			w.Header().Set("Connection", "close")
			_, _ = w.Write([]byte("bye"))
		}
	}))
	t.Cleanup(srv.Close)
	c := &client{address: srv.Listener.Addr().String()}
	t.Cleanup(c.close)
	for _, tc := range []struct {
		path   string
		status int
		code   string
		length int
	}{
		{"/problem", 409, "SOLD_OUT", 38},
		{"/long", 200, "", len(long)},
		{"/nothing", 204, "", 0},
		{"/last", 200, "", 3},
		{"/problem", 409, "SOLD_OUT", 38},
	} {
		r, err := c.do(t.Context(), request{method: http.MethodPost, path: tc.path, header: "X-Ask: " + tc.path + "\r\n", body: `{}`})
		if err != nil || r.status != tc.status || r.code() != tc.code || len(r.body) != tc.length || r.get("x-asked") != tc.path {
			t.Errorf("%s: %d %q, %d bytes, asked %q, %v", tc.path, r.status, r.code(), len(r.body), r.get("x-asked"), err)
		}
	}
}

func TestClient_refusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"noHTTP": "SSH-2.0-OpenSSH\r\n\r\n", "noLength": "HTTP/1.1 200 OK\r\n\r\nabc", "cutOff": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
		"noStatus": "HTTP/1.1 abc\r\n\r\n", "nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := net.Pipe()
			go func() {
				_, _ = theirs.Write([]byte(answer))
				_ = theirs.Close()
			}()
			c := &client{conn: ours, in: bufio.NewReader(ours)}
			if r, err := c.read(); err == nil {
				t.Errorf("it was read as %d %q", r.status, r.body)
			}
		})
	}
}

func TestRun_countsOnlyAfterTheWarmUp(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			w.WriteHeader(http.StatusConflict)
			_, _ = w.Write([]byte(`{"code":"TOO_LATE"}`))
		}
	}))
	t.Cleanup(srv.Close)
	l, err := run{
		clients: 2, length: 500 * time.Millisecond, targets: []string{srv.Listener.Addr().String()}, every: 50 * time.Millisecond,
		ask: func(client, _ int) request {
			return request{method: http.MethodGet, path: []string{"/", "/late"}[client]}
		},
	}.do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if l.answers < 4 || l.answers > 24 || l.statuses[200]+l.statuses[409] != l.answers || l.refusals["TOO_LATE"] != l.statuses[409] || l.statuses[409] == 0 {
		t.Errorf("%d answers in half a second of 20 a second each: %v %v", l.answers, l.statuses, l.refusals)
	}
	if l.quantile(0) > l.quantile(.5) || l.quantile(.5) > l.quantile(.99) || l.quantile(1) <= 0 {
		t.Errorf("quantiles %v %v %v", l.quantile(0), l.quantile(.5), l.quantile(1))
	}
}

func TestMedian_isTheOneInTheMiddle(t *testing.T) {
	t.Parallel()
	of := func(n int) load { return load{took: time.Second, answers: n} }
	if got := median([]load{of(9), of(1), of(5)}); got.answers != 5 {
		t.Errorf("median of 9, 1, 5 = %d", got.answers)
	}
	if got := median(nil); got.answers != 0 {
		t.Errorf("median of nothing = %d", got.answers)
	}
}

func TestWithSearchPath_isTheSameDatabase(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres://mira:secret@db.example:5433/venues?sslmode=disable", "postgresql:///venues?host=/tmp&port=5433&user=mira", "host=/tmp port=5433 dbname=venues user=mira",
	} {
		before, err := pgx.ParseConfig(dsn)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := withSearchPath(dsn, "other,public")
		if err != nil {
			t.Fatal(err)
		}
		after, err := pgx.ParseConfig(changed)
		if err != nil {
			t.Fatalf("%s: %v", changed, err)
		}
		if after.Host != before.Host || after.Port != before.Port || after.Database != before.Database || after.User != before.User || after.Password != before.Password {
			t.Errorf("%s is another database", changed)
		}
		if after.RuntimeParams["search_path"] != "other,public" {
			t.Errorf("%s: search path %q", changed, after.RuntimeParams["search_path"])
		}
	}
	if _, err := withSearchPath("mysql://x/y", "a"); len(inventory.FieldErrors(err)) == 0 {
		t.Errorf("another database: %v", err)
	}
}

func TestConfig_namesWhatIsWrong(t *testing.T) {
	t.Parallel()
	err := Config{Clients: []int{0}, For: time.Millisecond}.Validate()
	for _, field := range []string{"clients", "for", "rounds", "daemons", "overdue", "history", "buyers"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%v does not name %s", err, field)
		}
	}
	if _, err := ParseScenario("cold-day"); len(inventory.FieldErrors(err)) == 0 {
		t.Errorf("cold-day: %v", err)
	}
}
