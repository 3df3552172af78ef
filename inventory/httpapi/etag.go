package httpapi

import (
	"math"
	"net/http"
	"strconv"
	"strings"

	"holdfast/inventory"
)

// versionTag is the entity tag of a booking: its version.
func versionTag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// errNoIfMatch tells a caller who would overwrite without having looked.
var errNoIfMatch = problem{
	status: http.StatusPreconditionRequired, code: "IF_MATCH_MISSING",
	detail: `send If-Match with the version that you saw, in quotes: it is the ETag of the booking`,
}

// ifMatch reads the version that a change was decided on. It takes one tag of
// ours: a list, a weak tag and * would all be changes of something not seen.
func ifMatch(h http.Header) (int, error) {
	values := h.Values("If-Match")
	switch {
	case len(values) > 1:
		return 0, inventory.Invalid("If-Match", "must be there once")
	case len(values) == 0 || strings.Trim(values[0], " \t") == "":
		return 0, errNoIfMatch
	}
	tag := strings.Trim(values[0], " \t")
	version, err := strconv.Atoi(strings.Trim(tag, `"`))
	if err != nil || version < 1 || version > math.MaxInt32 || tag != versionTag(version) {
		return 0, inventory.Invalid("If-Match", "must be the booking's version in quotes")
	}
	return version, nil
}

// noneMatch reports whether the caller has the document with this weak tag.
func noneMatch(h http.Header, tag string) bool {
	for _, header := range h.Values("If-None-Match") {
		for one := range strings.SplitSeq(header, ",") {
			one = strings.Trim(one, " \t")
			if one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}

// acceptsGzip reports whether an answer may be sent compressed.
func acceptsGzip(h http.Header) bool {
	others := false
	for _, header := range h.Values("Accept-Encoding") {
		for one := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(one, ";")
			switch strings.ToLower(strings.Trim(name, " \t")) {
			case "gzip", "x-gzip":
				return wanted(params)
			case "*":
				others = wanted(params)
			}
		}
	}
	return others
}

// wanted reports whether the parameters of a coding do not forbid it: q=0.
func wanted(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, q, ok := strings.Cut(param, "=")
		if ok && strings.EqualFold(strings.Trim(name, " \t"), "q") {
			weight, err := strconv.ParseFloat(strings.Trim(q, " \t"), 64)
			return err == nil && weight > 0
		}
	}
	return true
}
