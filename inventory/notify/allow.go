package notify

import (
	"errors"
	"net/netip"
	"regexp"
	"strings"

	"holdfast/inventory"
)

// Allow lists receivers inside the own network, for installations that have
// their shop there. The zero value allows none.
//
// A prefix allows every address in it, whatever it is. A host allows plain
// http, any port, and private, loopback and own addresses for that name; not
// link-local ones, where clouds keep their credentials, and not those that
// embed another address.
type Allow struct {
	prefixes []netip.Prefix
	hosts    map[string]bool
}

var hostForm = regexp.MustCompile(`^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// ParseAllow reads addresses ("10.1.2.3"), prefixes ("10.1.0.0/16") and host
// names ("erp.internal"). It fails with one FieldError about field for each
// entry that is none of these, or too wide to be meant.
func ParseAllow(field string, entries []string) (Allow, error) {
	allow := Allow{hosts: map[string]bool{}}
	var problems []error
	for _, entry := range entries {
		if err := allow.add(strings.ToLower(strings.TrimSpace(entry))); err != nil {
			problems = append(problems, inventory.Invalid(field, "%q %s", entry, err))
		}
	}
	return allow, errors.Join(problems...)
}

func (a *Allow) add(entry string) error {
	if addr, err := netip.ParseAddr(entry); err == nil {
		if addr.Zone() != "" || addr.Is4In6() {
			return errors.New("must be written without a zone and not as IPv4 in IPv6")
		}
		a.prefixes = append(a.prefixes, netip.PrefixFrom(addr, addr.BitLen()))
		return nil
	}
	if strings.Contains(entry, "/") {
		prefix, err := netip.ParsePrefix(entry)
		switch {
		case err != nil:
			return errors.New("is not a prefix such as 10.1.0.0/16")
		case prefix.Addr().Is4In6():
			return errors.New("must not be written as IPv4 in IPv6")
		case prefix.Bits() < 7: // fc00::/7 is the widest that is anybody's own
			return errors.New("is too wide")
		}
		a.prefixes = append(a.prefixes, prefix.Masked())
		return nil
	}
	host := strings.TrimSuffix(entry, ".")
	if !hostForm.MatchString(host) || endsInNumber(host) || len(host) > maxHost {
		return errors.New("is neither an address, nor a prefix, nor a host name")
	}
	a.hosts[host] = true
	return nil
}

func (a Allow) hasAddr(addr netip.Addr) bool {
	for _, p := range a.prefixes {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

func (a Allow) hasHost(host string) bool { return a.hosts[host] }

// endsInNumber is true for what some resolvers read as an IPv4 address:
// 2130706433, 0x7f.1, 127.1, 0177.0.0.1.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if strings.HasPrefix(last, "0x") {
		return strings.Trim(last[2:], "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}
