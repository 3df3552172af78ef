package daemon_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"holdfast/migrations/pgtest"
)

// The console asks the database only: there it finds that the daemon is there,
// what it sold, and why it refused.
func TestRun_itsPulseIsInTheDatabase(t *testing.T) {
	t.Parallel()
	s := pgtest.OpenShop(t, pgtest.Capacity(1, 0))
	cfg := config(t, s.DB.URL)
	url := "http://" + cfg.Listener.Addr().String()
	stop := run(t, cfg)
	await(t, "the listener", func() bool { return get(t, http.DefaultClient, url+"/readyz") == http.StatusOK })
	for i, want := range []int{http.StatusCreated, http.StatusConflict} {
		body := fmt.Sprintf(`{"pool":%q,"day":%q,"quantity":1,"buyer":"u-%d"}`, s.Pool.Ref, s.Day, i)
		if status := post(t, url+"/holds", http.Header{"Idempotency-Key": {fmt.Sprintf("k-%d", i)}}, body); status != want {
			t.Errorf("hold %d: %d, want %d", i, status, want)
		}
	}
	await(t, "the pulse of both holds", func() bool {
		l, err := s.Store.Pulses(t.Context(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		placed, refused := 0, 0
		for _, p := range l.Pulses {
			if p.Instance != cfg.Instance {
				t.Errorf("a pulse of %q, want %q", p.Instance, cfg.Instance)
			}
			placed, refused = placed+p.Placed, refused+p.Refused["SOLD_OUT"]
			if p.Answers() > 0 && (p.P50 <= 0 || p.P99 < p.P50) {
				t.Errorf("half within %s, 99 of 100 within %s", p.P50, p.P99)
			}
		}
		return placed == 1 && refused == 1
	})
	if err := stop(); err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
}
