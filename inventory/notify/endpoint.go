package notify

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"holdfast/inventory"
)

const (
	maxURL  = 2048
	maxHost = 253
)

// Endpoint is a webhook's address as it was configured, checked. It is not the
// last word: who owns the name may point it anywhere later, so what is dialled
// is judged at every dial.
type Endpoint struct {
	url     *url.URL
	trusted bool // its host is on the allow-list by name
}

// ParseEndpoint checks the address of a webhook. It fails with FieldErrors
// about field unless text is an https URL with a full host name or a global
// address, on port 443 or 8443, without user information or fragment. For
// hosts and addresses in allow, plain http, short names and any other port are
// taken too.
func ParseEndpoint(field, text string, allow Allow) (Endpoint, error) {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return Endpoint{}, inventory.Invalid(field, "is missing")
	case len(text) > maxURL:
		return Endpoint{}, inventory.Invalid(field, "is longer than %d characters", maxURL)
	case err != nil:
		return Endpoint{}, inventory.Invalid(field, "is not a URL") // url's own words repeat the text, secrets and all
	case u.Scheme != "https" && u.Scheme != "http":
		return Endpoint{}, inventory.Invalid(field, "must begin with https://")
	case u.Opaque != "" || u.Hostname() == "":
		return Endpoint{}, inventory.Invalid(field, "has no host")
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	addr, err := netip.ParseAddr(host)
	literal := err == nil
	e := Endpoint{url: u, trusted: allow.hasHost(host)}
	listed := e.trusted || literal && allow.hasAddr(addr)

	var problems []error
	refuse := func(format string, args ...any) {
		problems = append(problems, inventory.Invalid(field, format, args...))
	}
	if u.User != nil {
		refuse("must not hold a user name or password; messages are signed instead")
	}
	if u.Fragment != "" || strings.HasSuffix(text, "#") {
		refuse("must not have a fragment (#...)")
	}
	if u.Scheme == "http" && !listed {
		refuse("must be https; plain http is for hosts on the allow-list")
	}
	switch {
	case literal && !listed:
		if meaning, _ := classify(addr); meaning != "" {
			refuse("must not lead to %s, which is %s", addr, meaning)
		}
	case !literal:
		if problem := hostProblem(host, listed); problem != "" {
			refuse("%s", problem)
		}
	}
	if problem := portProblem(u.Port(), listed); problem != "" {
		refuse("%s", problem)
	}
	return e, errors.Join(problems...)
}

func hostProblem(host string, listed bool) string {
	switch {
	case len(host) > maxHost || !hostForm.MatchString(host):
		return "has a host that is not a DNS name in ASCII"
	case endsInNumber(host):
		return "has a host that may be read as an address"
	case listed:
		return ""
	case !strings.Contains(host, ".") || strings.HasSuffix(host, ".localhost"):
		return "needs a full host name; short ones are for the allow-list"
	}
	return ""
}

// portProblem keeps webhooks away from other services that a global address
// may have: databases, mail servers, management ports.
func portProblem(port string, listed bool) string {
	if port == "" {
		return ""
	}
	n, err := strconv.ParseUint(port, 10, 16)
	switch {
	case err != nil || n == 0:
		return "has a port that does not exist"
	case listed || n == 443 || n == 8443:
		return ""
	}
	return "must use port 443 or 8443; other ports are for hosts on the allow-list"
}

// String is the scheme and host: the rest may hold somebody's token.
func (e Endpoint) String() string {
	if e.url == nil {
		return ""
	}
	return e.url.Scheme + "://" + e.url.Host
}
