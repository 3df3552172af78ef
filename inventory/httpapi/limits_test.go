package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestLimits_sender(t *testing.T) {
	t.Parallel()
	l := &limits{trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::/48")}}
	for name, c := range map[string]struct {
		peer      string
		forwarded []string
		want      string // "" = nobody
	}{
		"direct":                     {"192.0.2.1:1234", nil, "192.0.2.1"},
		"directSaysSomethingElse":    {"192.0.2.1:1234", []string{"203.0.113.9"}, "192.0.2.1"},
		"throughOurProxy":            {"10.0.0.1:1234", []string{"203.0.113.9"}, "203.0.113.9"},
		"proxySaysNothing":           {"10.0.0.1:1234", nil, "10.0.0.1"},
		"whatStandsLeftIsTheirs":     {"10.0.0.1:1234", []string{"1.1.1.1, 203.0.113.9"}, "203.0.113.9"},
		"throughTwoOfOurs":           {"10.0.0.1:1234", []string{"1.1.1.1, 203.0.113.9, 10.9.9.9"}, "203.0.113.9"},
		"inTwoHeaders":               {"10.0.0.1:1234", []string{"203.0.113.9", "10.9.9.9 ,10.9.9.8"}, "203.0.113.9"},
		"onlyOurs":                   {"10.0.0.1:1234", []string{"10.1.1.1, 10.9.9.9"}, "10.1.1.1"},
		"withPort":                   {"10.0.0.1:1234", []string{"203.0.113.9:80"}, "203.0.113.9"},
		"noAddressCountsForTheProxy": {"10.0.0.1:1234", []string{"203.0.113.9, unknown"}, "10.0.0.1"},
		"noAddressBehindAnother":     {"10.0.0.1:1234", []string{"x\x1b[2J, 10.9.9.9"}, "10.9.9.9"},
		"empty":                      {"10.0.0.1:1234", []string{""}, "10.0.0.1"},
		"v6IsASlash64":               {"[2001:db8:7:1::5]:1234", nil, "2001:db8:7:1::"},
		"v6ThroughV6Proxy":           {"[2001:db8:1::1]:1234", []string{"2001:db8:7:1:a:b:c:d"}, "2001:db8:7:1::"},
		"v6InBrackets":               {"10.0.0.1:1234", []string{"[2001:db8:7:2::9]:443"}, "2001:db8:7:2::"},
		"v4InV6IsV4":                 {"[::ffff:192.0.2.1]:1234", nil, "192.0.2.1"},
		"v4InV6IsOurProxy":           {"[::ffff:10.0.0.1]:1234", []string{"203.0.113.9"}, "203.0.113.9"},
		"zoneDoesNotCount":           {"[fe80::1%eth0]:1234", nil, "fe80::"},
		"longListEnds":               {"10.0.0.1:1234", []string{"203.0.113.9" + strings.Repeat(",10.0.0.2", 100)}, "10.0.0.2"},
		"unixSocket":                 {"@", nil, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		r.Header["X-Forwarded-For"] = c.forwarded
		got, ok := l.sender(r)
		if ok != (c.want != "") || ok && got.String() != c.want {
			t.Errorf("%s: %s, %v; want %q", name, got, ok, c.want)
		}
	}
}

// The queue that an alert waits for can come about: all who wait in it are
// requests in flight.
func TestSlots_alertCanFire(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../cmd/holdfast/ops/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`holdfast_hold_queue_length > (\d+)`).FindSubmatch(rules)
	if found == nil {
		t.Fatal("no alert of the queue")
	}
	if n, err := strconv.Atoi(string(found[1])); err != nil || n > maxRequests*3/4 {
		t.Errorf("the alert fires above %d of %d requests, %v", n, maxRequests, err)
	}
	if !strings.Contains(string(rules), "of the "+strconv.Itoa(maxRequests)+" requests that it takes at once") {
		t.Errorf("the alert says another number than %d requests", maxRequests)
	}
}
