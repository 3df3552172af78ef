package httpapi

import (
	"net/http"
	"testing"
)

func TestAcceptsGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "x-gzip": true, "deflate, gzip": true, "gzip;q=1.0": true, "gzip; q=0.1": true, "br;q=1,gzip;q=.5": true,
		"gzip;q=0": false, "gzip; Q=0.000": false, "*": true, "*;q=0": false, "identity": false, "gzip;q=0,*": false, "*;q=0, gzip": true,
		"gzip;q=nan": false, "gzip;q=x": false, "gzipped": false, ",,": false, "br": false,
	} {
		if got := acceptsGzip(http.Header{"Accept-Encoding": {header}}); got != want {
			t.Errorf("Accept-Encoding: %s = %t, want %t", header, got, want)
		}
	}
}

func TestNoneMatch(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		`W/"a"`: true, `"a"`: true, `*`: true, `"b", W/"a"`: true, `W/"b"`: false, `a`: false, ``: false, `"a`: false, `"A"`: false,
	} {
		if got := noneMatch(http.Header{"If-None-Match": {header}}, `W/"a"`); got != want {
			t.Errorf("If-None-Match: %s = %t, want %t", header, got, want)
		}
	}
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]int{`"1"`: 1, ` "42" `: 42, `"2147483647"`: 2147483647} {
		if got, err := ifMatch(http.Header{"If-Match": {header}}); err != nil || got != want {
			t.Errorf("If-Match: %s = %d, %v, want %d", header, got, err, want)
		}
	}
	for header, want := range map[string]int{
		``: 428, `  `: 428, `"0"`: 422, `"-1"`: 422, `"+1"`: 422, `"01"`: 422, `1`: 422, `"1`: 422, `""1""`: 422, `W/"1"`: 422, `*`: 422, `"1", "2"`: 422,
		`"x"`: 422, `""`: 422, `"2147483648"`: 422, `"99999999999999999999"`: 422, `"1.0"`: 422, `"1" `: 0,
	} {
		_, err := ifMatch(http.Header{"If-Match": {header}})
		got := 0
		if err != nil {
			got = problemOf(err).status
		}
		if got != want {
			t.Errorf("If-Match: %s = %d, want %d", header, got, want)
		}
	}
	if _, err := ifMatch(http.Header{"If-Match": {`"1"`, `"1"`}}); err == nil {
		t.Error("two headers were taken")
	}
}
