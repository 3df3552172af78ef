package notify

import "net/netip"

// globalV6 is all of IPv6 that has been given out as global unicast.
var globalV6 = netip.MustParsePrefix("2000::/3")

// special is address space that is not somebody else's host on the internet,
// by the special-purpose registries of IANA; the first row that fits names it.
// What embeds an IPv4 address is refused whole, since a gateway would turn it
// into that address.
var special = []struct {
	prefix  netip.Prefix
	meaning string
	never   bool // not even for a host that is trusted by name
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this host", true},
	{netip.MustParsePrefix("10.0.0.0/8"), "private", false},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared behind a carrier's NAT", false},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback", false},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local", true}, // cloud metadata
	{netip.MustParsePrefix("172.16.0.0/12"), "private", false},
	{netip.MustParsePrefix("192.0.0.0/24"), "reserved for protocols", true},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation", true},
	{netip.MustParsePrefix("192.31.196.0/24"), "reserved for protocols", true},
	{netip.MustParsePrefix("192.52.193.0/24"), "reserved for protocols", true},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4", true},
	{netip.MustParsePrefix("192.168.0.0/16"), "private", false},
	{netip.MustParsePrefix("192.175.48.0/24"), "reserved for protocols", true},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking", true},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation", true},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation", true},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast", true},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved", true},

	{netip.MustParsePrefix("::1/128"), "loopback", false},
	{netip.MustParsePrefix("::ffff:0:0/96"), "IPv4-mapped", true},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "IPv4-translated", true},
	{netip.MustParsePrefix("64:ff9b::/96"), "NAT64", true},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "NAT64", true},
	{netip.MustParsePrefix("::/8"), "reserved", true}, // :: itself and IPv4-compatible too
	{netip.MustParsePrefix("2001::/32"), "Teredo", true},
	{netip.MustParsePrefix("2001:2::/48"), "benchmarking", true},
	{netip.MustParsePrefix("2001::/23"), "reserved for protocols", true},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation", true},
	{netip.MustParsePrefix("2002::/16"), "6to4", true},
	{netip.MustParsePrefix("2620:4f:8000::/48"), "reserved for protocols", true},
	{netip.MustParsePrefix("3fff::/20"), "documentation", true},
	{netip.MustParsePrefix("fc00::/7"), "private", false},
	{netip.MustParsePrefix("fe80::/10"), "link-local", true},
	{netip.MustParsePrefix("fec0::/10"), "private", false},
	{netip.MustParsePrefix("ff00::/8"), "multicast", true},
}

// classify says what addr is: "" for an address that is somebody's host on the
// internet, else why it is not. never means that trusting the host by name
// does not change that.
//
// A NAT64 gateway with a prefix of its own network cannot be told from any
// other address.
func classify(addr netip.Addr) (meaning string, never bool) {
	switch {
	case !addr.IsValid():
		return "not an address", true
	case addr.Zone() != "":
		return "link-local", true
	}
	for _, s := range special {
		// An IPv4 prefix does not contain the mapped form, which has its own row.
		if s.prefix.Contains(addr) {
			return s.meaning, s.never
		}
	}
	if addr.Is4() {
		return "", false
	}
	if !globalV6.Contains(addr) {
		return "not global unicast", true
	}
	if b := addr.As16(); b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
		return "ISATAP", true
	}
	return "", false
}
