package notify

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"testing"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"8.8.8.8":                "",
		"1.1.1.1":                "",
		"223.255.255.255":        "",
		"9.255.255.255":          "",
		"11.0.0.0":               "",
		"100.63.255.255":         "",
		"100.128.0.0":            "",
		"172.15.255.255":         "",
		"172.32.0.0":             "",
		"198.17.255.255":         "",
		"198.20.0.0":             "",
		"2606:4700:4700::1111":   "",
		"2a00:1450:4001::200e":   "",
		"2001:4860:4860::8888":   "",
		"2001:200::1":            "",
		"0.0.0.0":                "this host",
		"0.1.2.3":                "this host",
		"10.0.0.1":               "private",
		"10.255.255.255":         "private",
		"172.16.0.1":             "private",
		"172.31.255.255":         "private",
		"192.168.0.1":            "private",
		"100.64.0.1":             "shared behind a carrier's NAT",
		"100.127.255.255":        "shared behind a carrier's NAT",
		"127.0.0.1":              "loopback",
		"127.255.255.254":        "loopback",
		"169.254.169.254":        "link-local",
		"192.0.0.192":            "reserved for protocols", // a cloud's metadata
		"192.0.2.1":              "documentation",
		"198.51.100.7":           "documentation",
		"203.0.113.7":            "documentation",
		"192.88.99.1":            "6to4",
		"198.18.0.1":             "benchmarking",
		"198.19.255.255":         "benchmarking",
		"224.0.0.1":              "multicast",
		"239.255.255.255":        "multicast",
		"240.0.0.1":              "reserved",
		"255.255.255.255":        "reserved",
		"::":                     "reserved",
		"::1":                    "loopback",
		"::7f00:1":               "reserved", // IPv4-compatible
		"::ffff:127.0.0.1":       "IPv4-mapped",
		"::ffff:8.8.8.8":         "IPv4-mapped",
		"::ffff:0:127.0.0.1":     "IPv4-translated",
		"64:ff9b::a00:1":         "NAT64",
		"64:ff9b::808:808":       "NAT64",
		"64:ff9b:1:abcd::1":      "NAT64",
		"100::1":                 "not global unicast", // discard-only
		"2001::1":                "Teredo",
		"2001:2::1":              "benchmarking",
		"2001:20::1":             "reserved for protocols", // ORCHIDv2
		"2001:db8::1":            "documentation",
		"3fff:fff::1":            "documentation",
		"2002:7f00:1::":          "6to4",
		"2002:808:808::1":        "6to4",
		"2a00:1450::5efe:a00:1":  "ISATAP",
		"2a00::200:5efe:7f00:1":  "ISATAP",
		"4000::1":                "not global unicast",
		"5f00::1":                "not global unicast", // SRv6
		"fc00::1":                "private",
		"fd12:3456::1":           "private",
		"fd00:ec2::254":          "private", // a cloud's metadata
		"fe80::1":                "link-local",
		"fe80::1%eth0":           "link-local",
		"2606:4700:4700::1%eth0": "link-local",
		"fec0::1":                "private",
		"ff02::1":                "multicast",
		"ff0e::1":                "multicast",
	} {
		if got, _ := classify(netip.MustParseAddr(text)); got != want {
			t.Errorf("classify(%s) = %q, want %q", text, got, want)
		}
	}
	if got, never := classify(netip.Addr{}); got == "" || !never {
		t.Error("no address at all is taken for a global one")
	}
}

// FuzzClassify holds the table against an oracle that shares nothing with it.
func FuzzClassify(f *testing.F) {
	for _, text := range []string{
		"8.8.8.8", "10.0.0.1", "100.64.0.1", "::ffff:1.2.3.4", "2002:7f00:1::", "64:ff9b::1", "2001::1",
		"2606:4700::1111", "fe80::1", "ff0e::1", "2001:db8::", "3fff::", "2a00::5efe:7f00:1",
	} {
		f.Add(netip.MustParseAddr(text).AsSlice())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		addr, ok := netip.AddrFromSlice(raw)
		if !ok {
			return
		}
		if meaning, _ := classify(addr); meaning != "" {
			return
		}
		if why := notGlobal(addr); why != "" {
			t.Errorf("%s is allowed: %s", addr, why)
		}
	})
}

// notGlobal looks at the bytes and asks the standard library.
func notGlobal(addr netip.Addr) string {
	ip := net.IP(addr.AsSlice())
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() {
		return "the standard library says so"
	}
	if addr.Is4() {
		n := binary.BigEndian.Uint32(ip)
		switch {
		case n>>24 == 0, n>>24 >= 224:
			return "not unicast"
		case n>>22 == 100<<2|1:
			return "CGNAT"
		case n>>17 == (198<<8|18)>>1:
			return "benchmarking"
		case n>>8 == 192<<16, n>>8 == 192<<16|2, n>>8 == 198<<16|51<<8|100, n>>8 == 203<<16|113, n>>8 == 192<<16|88<<8|99:
			return "set aside"
		}
		return ""
	}
	hi, lo := binary.BigEndian.Uint64(ip[:8]), binary.BigEndian.Uint64(ip[8:])
	switch {
	case addr.Is4In6():
		return "IPv4-mapped"
	case hi>>61 != 1:
		return "outside of 2000::/3, where NAT64 and IPv4-compatible addresses are too"
	case hi>>48 == 0x2002:
		return "6to4"
	case hi>>41 == 0x2001<<7:
		return "Teredo and other protocols"
	case hi>>32 == 0x20010db8, hi>>44 == 0x3fff<<4:
		return "documentation"
	case uint32(lo>>32)&^0x02000000 == 0x5efe:
		return "ISATAP"
	}
	return ""
}

func TestGuard_judge(t *testing.T) {
	t.Parallel()
	allow, err := ParseAllow("allow", []string{"10.1.0.0/16", "192.168.7.7", "169.254.1.0/24", "erp.internal"})
	if err != nil {
		t.Fatal(err)
	}
	own := netip.MustParseAddr("8.8.4.4")
	for name, c := range map[string]struct {
		addr    string
		trusted bool
		ok      bool
	}{
		"global":                        {"8.8.8.8:443", false, true},
		"globalV6":                      {"[2606:4700::1111]:443", false, true},
		"private":                       {"10.0.0.1:443", false, false},
		"privateInTheAllowedPrefix":     {"10.1.2.3:443", false, true},
		"besideTheAllowedAddress":       {"192.168.7.8:443", false, false},
		"allowedAddress":                {"192.168.7.7:443", false, true},
		"mappedFormOfAllowed":           {"[::ffff:10.1.2.3]:443", false, false},
		"linkLocalByPrefix":             {"169.254.1.9:80", false, true},
		"own":                           {"8.8.4.4:443", false, false},
		"ownForATrustedHost":            {"8.8.4.4:8080", true, true},
		"privateForATrustedHost":        {"10.0.0.1:80", true, true},
		"loopbackForATrustedHost":       {"[::1]:80", true, true},
		"metadataForATrustedHost":       {"169.254.169.254:80", true, false},
		"embeddedForATrustedHost":       {"[64:ff9b::a00:1]:80", true, false},
		"unspecifiedForATrustedHost":    {"0.0.0.0:80", true, false},
		"multicastForATrustedHost":      {"224.0.0.1:80", true, false},
		"zoneForATrustedHost":           {"[fe80::1%lo]:80", true, false},
		"notAnAddress":                  {"localhost:80", true, false},
		"withoutPort":                   {"8.8.8.8", false, false},
		"privateBehindNAT64":            {"[64:ff9b::a01:203]:443", false, false},
		"documentationForATrustedHost":  {"192.0.2.1:443", true, false},
		"carrierNATForATrustedHost":     {"100.64.0.1:443", true, true},
		"carrierNATForAnyOther":         {"100.64.0.1:443", false, false},
		"privateV6ForATrustedHost":      {"[fd00::1]:443", true, true},
		"privateV6ForAnyOther":          {"[fd00::1]:443", false, false},
		"sixToFourWithLoopbackEmbedded": {"[2002:7f00:1::]:443", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &guard{allow: allow, trusted: c.trusted, own: func() ([]netip.Addr, error) { return []netip.Addr{own}, nil }}
			err := g.control("tcp4", c.addr, nil)
			if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrAddress) {
				t.Errorf("control(%s) = %v, want ok = %t", c.addr, err, c.ok)
			}
		})
	}
	t.Run("notTCP", func(t *testing.T) {
		t.Parallel()
		if err := (&guard{own: ownAddresses}).control("udp4", "8.8.8.8:443", nil); !errors.Is(err, ErrAddress) {
			t.Errorf("control(udp4) = %v, want ErrAddress", err)
		}
	})
	t.Run("ownAddressesUnreadable", func(t *testing.T) {
		t.Parallel()
		g := &guard{own: func() ([]netip.Addr, error) { return nil, errors.New("netlink") }}
		if err := g.control("tcp4", "8.8.8.8:443", nil); !errors.Is(err, ErrAddress) {
			t.Errorf("control = %v, want ErrAddress: what is not known is refused", err)
		}
	})
	t.Run("thisMachineKnowsItself", func(t *testing.T) {
		t.Parallel()
		own, err := ownAddresses()
		if err != nil || len(own) == 0 {
			t.Fatalf("ownAddresses = %v, %v", own, err)
		}
		for _, a := range own {
			if a.Is4In6() {
				t.Errorf("%s would never equal what is dialled", a)
			}
		}
	})
}
