package config

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
)

// Rate is a limit: PerSecond in the long run, Burst at once. The zero Rate is no
// limit.
type Rate struct {
	PerSecond float64
	Burst     int
}

const (
	leastPerSecond = 0.001
	mostPerSecond  = 1_000_000
	longestBurst   = 86_400 // seconds until a burst that was used up is earned again

	rateForm  = problem(`must be 0, or a rate such as "20/s burst 40"`)
	rateSmall = problem(`must be from 0.001/s to 1000000/s`)
	rateBurst = problem(`must earn its burst again within 86400 s`)
)

// ParseRate reads "20/s", "20/s burst 40", "0.5/s burst 1", or "0" and "off" for
// no limit. Without a burst it is two seconds' worth. A rate that is so low, or a
// burst so high, that the limiter could not reckon with it is refused.
func ParseRate(s string) (Rate, error) {
	words := strings.Fields(s)
	switch {
	case len(words) == 1 && (words[0] == "0" || words[0] == "off"):
		return Rate{}, nil
	case len(words) != 1 && (len(words) != 3 || words[1] != "burst"):
		return Rate{}, rateForm
	}
	number, ok := strings.CutSuffix(words[0], "/s")
	per, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil {
		return Rate{}, rateForm
	}
	if !(per >= leastPerSecond && per <= mostPerSecond) { // NaN is neither
		return Rate{}, rateSmall
	}
	r := Rate{PerSecond: per, Burst: int(math.Ceil(2 * per))}
	if len(words) == 3 {
		if r.Burst, err = strconv.Atoi(words[2]); err != nil || r.Burst < 1 || r.Burst > mostPerSecond {
			return Rate{}, rateForm
		}
	}
	if float64(r.Burst) > longestBurst*per {
		return Rate{}, rateBurst
	}
	return r, nil
}

func (r Rate) String() string {
	if r == (Rate{}) {
		return "0"
	}
	return fmt.Sprintf("%s/s burst %d", strconv.FormatFloat(r.PerSecond, 'f', -1, 64), r.Burst)
}

func rate(field func(*Config) *Rate) func(*Config, string) error {
	return func(c *Config, s string) (err error) {
		*field(c), err = ParseRate(s)
		return err
	}
}

// setTrustedProxies reads prefixes and single addresses. IPv4 is compared as IPv4,
// however it is spelled. Everybody is no proxy of ours: then whoever asks could
// say who he is.
func setTrustedProxies(c *Config, s string) error {
	var texts []string
	if err := list(func(*Config) *[]string { return &texts })(c, s); err != nil {
		return err
	}
	c.TrustedProxies = nil
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if addr, addrErr := netip.ParseAddr(text); addrErr == nil {
			addr = addr.Unmap().WithZone("")
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err == nil {
			prefix, err = unmapped(prefix)
		}
		if err != nil {
			return problem("must be addresses or prefixes such as 10.0.0.0/8")
		}
		if prefix.Bits() == 0 {
			return problem("must not be everybody")
		}
		c.TrustedProxies = append(c.TrustedProxies, prefix.Masked())
	}
	return nil
}

// unmapped returns a prefix of IPv4 that was spelled as one of IPv6 as what it is.
func unmapped(p netip.Prefix) (netip.Prefix, error) {
	if !p.Addr().Is4In6() {
		return p, nil
	}
	return p.Addr().Unmap().Prefix(p.Bits() - mappedBits) // an error if it is less
}

// mappedBits is how much of a mapped address comes before its IPv4 address.
const mappedBits = 96
