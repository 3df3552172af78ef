package daemon_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"holdfast/cmd/holdfast/ops"
	"holdfast/inventory/httpapi"
	"holdfast/migrations/pgtest"
)

// family is a metric as the daemon exports it.
type family struct {
	help, kind string
	labels     map[string]bool
}

// scrape reads the daemon's metrics.
func scrape(t *testing.T, address string) map[string]family {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("/metrics = %d, %v", res.StatusCode, err)
	}
	families := map[string]family{}
	for line := range strings.Lines(string(text)) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 4)
		if len(words) == 4 && words[0] == "#" {
			f := families[words[2]]
			if words[1] == "HELP" {
				f.help, f.labels = words[3], map[string]bool{}
			} else {
				f.kind = words[3]
			}
			families[words[2]] = f
			continue
		}
		name, labels, _ := strings.Cut(words[0], "{")
		for _, found := range labelName.FindAllStringSubmatch(labels, -1) {
			families[familyOf(families, name)].labels[found[1]] = true
		}
	}
	return families
}

var labelName = regexp.MustCompile(`([a-z_]+)="`)

// familyOf is the family of a name in a file or a line; "" if there is none.
func familyOf(families map[string]family, name string) string {
	if f, ok := families[name]; ok && f.kind != "histogram" {
		return name
	}
	for _, suffix := range []string{"_bucket", "_count", "_sum"} {
		if base, cut := strings.CutSuffix(name, suffix); cut && families[base].kind == "histogram" {
			return base
		}
	}
	return ""
}

// busy is a daemon that has counted something of everything there is.
func busy(t *testing.T) map[string]family {
	t.Helper()
	s := pgtest.OpenShop(t)
	late := s.Hold(t, "u-late", 2)
	later := s.After(t, 11*time.Minute)
	if _, err := later.SweepHolds(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	pgtest.Deliver(t, later, pgtest.Captured(late, "pay_late"))

	cfg := config(t, s.DB.URL)
	cfg.Metrics = listen(t)
	cfg.Limits = httpapi.Limits{PerBuyer: httpapi.Rate{PerSecond: 0.001, Burst: 2}}
	api, metrics := "http://"+cfg.Listener.Addr().String(), cfg.Metrics.Addr().String()
	stop := run(t, cfg)
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	hold := func(buyer string) int {
		return post(t, api+"/holds", http.Header{"Idempotency-Key": {uuid.NewString()}},
			`{"pool":"harbour/main","day":"`+s.Day.String()+`","quantity":1,"buyer":"`+buyer+`"}`)
	}
	for _, want := range []int{http.StatusCreated, http.StatusConflict, http.StatusTooManyRequests} { // one per buyer; two at once
		if got := hold("u-1"); got != want {
			t.Fatalf("hold = %d, want %d", got, want)
		}
	}
	b := s.Hold(t, "u-pays", 1)
	if got := patch(t, api+"/bookings/"+b.ID.String(), `"1"`, `{"quantity":2}`); got != http.StatusOK {
		t.Fatalf("move = %d", got)
	}
	if got := post(t, api+"/bookings/"+b.ID.String()+"/pay", http.Header{"Idempotency-Key": {"k-pay"}}, ""); got != http.StatusAccepted {
		t.Fatalf("pay, with a provider that is away = %d", got)
	}
	if got := post(t, api+"/payments/webhook", nil, "from nobody"); got != http.StatusUnauthorized {
		t.Fatalf("callback = %d", got)
	}
	var families map[string]family
	await(t, "a run of the check", func() bool {
		families = scrape(t, metrics)
		_, checked := families["holdfast_violations"]
		return checked
	})
	return families
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	families := busy(t)
	t.Run("namedByOps", func(t *testing.T) { t.Parallel(); testNamedByOps(t, families) })
	t.Run("sayWhatTheyAre", func(t *testing.T) { t.Parallel(); testSayWhatTheyAre(t, families) })
}

var metricName = regexp.MustCompile(`\b(?:holdfast|go|process)_[a-z0-9_]+`)

// What the dashboard and the alerts ask for is what the daemon tells, and the
// dashboard shows all that it tells.
func testNamedByOps(t *testing.T, families map[string]family) {
	t.Helper()
	matchers := regexp.MustCompile(`((?:holdfast|go|process)_[a-z0-9_]+)\{([^}]*)\}`)
	matched := regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	grouped := regexp.MustCompile(`(?:by|on) \(([a-z, _]*)\)`)
	shown := map[string]bool{}
	for file, text := range map[string]string{"the dashboard": expressions(t), "the alerts": string(ops.Alerts)} {
		names := metricName.FindAllString(text, -1)
		if len(names) < 20 {
			t.Fatalf("%s names %d metrics: the search is broken", file, len(names))
		}
		for _, name := range names {
			is := familyOf(families, name)
			if is == "" {
				t.Errorf("%s asks for %s, which no daemon exports", file, name)
			}
			if file == "the dashboard" {
				shown[is] = true
			}
		}
		for _, m := range matchers.FindAllStringSubmatch(text, -1) {
			for _, label := range matched.FindAllStringSubmatch(m[2], -1) {
				if !families[familyOf(families, m[1])].labels[label[1]] {
					t.Errorf("%s asks for the label %s of %s, which has %v", file, label[1], m[1], families[familyOf(families, m[1])].labels)
				}
			}
		}
		for _, m := range grouped.FindAllStringSubmatch(text, -1) {
			for label := range strings.SplitSeq(m[1], ", ") {
				if label != "instance" && label != "le" && !anyHas(families, label) {
					t.Errorf("%s groups by %s, which no metric has", file, label)
				}
			}
		}
	}
	for name := range families {
		if strings.HasPrefix(name, "holdfast_") && !shown[name] {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}

func anyHas(families map[string]family, label string) bool {
	for _, f := range families {
		if f.labels[label] {
			return true
		}
	}
	return false
}

// expressions are those of the dashboard, a line each.
func expressions(t *testing.T) string {
	t.Helper()
	var d struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	if err := json.Unmarshal(ops.Dashboard, &d); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all.WriteString(target.Expr + "\n")
		}
	}
	return all.String()
}

// Every metric says what it is, in the units and names that Prometheus knows.
func testSayWhatTheyAre(t *testing.T, families map[string]family) {
	t.Helper()
	for name, f := range families {
		if !strings.HasPrefix(name, "holdfast_") {
			continue
		}
		if len(f.help) < 20 || !strings.HasSuffix(f.help, ".") {
			t.Errorf("%s has the help %q", name, f.help)
		}
		if (f.kind == "counter") != strings.HasSuffix(name, "_total") {
			t.Errorf("%s is a %s", name, f.kind)
		}
		if regexp.MustCompile(`_(milliseconds|ms|minutes|percent|kb|mb)(_|$)`).MatchString(name) {
			t.Errorf("%s is not in base units", name)
		}
		for _, label := range []string{"job", "instance", "buyer", "booking", "path", "client"} {
			if f.labels[label] {
				t.Errorf("%s has the label %s, which is Prometheus' own or takes many values", name, label)
			}
		}
	}
}

func patch(t *testing.T, url, version, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-Match", version)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}
