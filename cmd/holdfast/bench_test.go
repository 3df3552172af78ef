package main

import (
	"encoding/json"
	"slices"
	"testing"

	"holdfast/migrations/pgtest"
)

// testBench measures a little of everything, and leaves the database as it was.
func testBench(t *testing.T, bin string) {
	t.Helper()
	db := pgtest.DB(t)
	env := []string{"HOLDFAST_DB=" + db.URL}
	out := must(t, bin, env, "bench", "--for", "1s", "--clients", "2", "--overdue", "2000", "--history", "1000",
		"--scenario", "hot-day,seats,confirm,sweep", "-o", "json")
	var figures []figureView
	if err := json.Unmarshal([]byte(out), &figures); err != nil {
		t.Fatal(err)
	}
	for _, scenario := range []string{"hot-day/2", "seats/2", "confirm/2", "sweep/2000 buyers"} {
		for _, metric := range []string{"throughput", "p50", "p95", "p99"} {
			if !slices.ContainsFunc(figures, func(f figureView) bool { return f.Scenario == scenario && f.Metric == metric && f.Value > 0 }) {
				t.Errorf("no %s of %s in %v", metric, scenario, figures)
			}
		}
	}
	var left int
	if err := db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'holdfast_bench%'").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d schemas are left, %v", left, err)
	}
	if r := (invocation{args: []string{"bench", "--scenario", "cold-day"}, env: env}).run(t, bin); r.status != statusUsage {
		t.Errorf("a scenario that there is not: %d %s", r.status, r.stderr)
	}
}
