package httpapi

import (
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"holdfast/inventory"
	"holdfast/timezone"
)

// Limits says how often may be asked. Callbacks, health and readiness are never
// limited.
type Limits struct {
	PerClient Rate // all requests of one API client
	PerBuyer  Rate // requests for one buyer of a client: holds and waiting rooms
	PerIP     Rate // all requests from one address, a /64 of IPv6

	// TrustedProxies are those whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
}

// maxHops is how many addresses of X-Forwarded-For are looked at.
const maxHops = 16

// limits applies Limits. Its clock is the machine's: nothing here is promised
// to anybody.
type limits struct {
	clients *limiter[int64]
	buyers  *limiter[buyerOfClient]
	ips     *limiter[netip.Addr]
	trusted []netip.Prefix
	clock   timezone.Clock
	counted *admissionMetrics
}

type buyerOfClient struct {
	client int64
	buyer  buyerHash
}

func newLimits(l Limits, clock timezone.Clock, counted *admissionMetrics) *limits {
	return &limits{
		clients: newLimiter[int64](l.PerClient), buyers: newLimiter[buyerOfClient](l.PerBuyer), ips: newLimiter[netip.Addr](l.PerIP),
		trusted: l.TrustedProxies, clock: clock, counted: counted,
	}
}

// ofAddress counts a request of whoever sent it, before anything is read of it.
func (l *limits) ofAddress(r *http.Request) error {
	if l.ips == nil {
		return nil
	}
	addr, ok := l.sender(r)
	if !ok {
		return nil // a unix socket has no address
	}
	return l.refuse("ip", l.ips.take(addr, l.clock.Now()))
}

// ofClient counts a request of a client that has shown its token.
func (l *limits) ofClient(c inventory.Client) error {
	if l.clients == nil {
		return nil
	}
	return l.refuse("client", l.clients.take(c.ID, l.clock.Now()))
}

// ofBuyer counts a request for a buyer.
func (l *limits) ofBuyer(c inventory.Client, buyer buyerHash) error {
	if l.buyers == nil {
		return nil
	}
	return l.refuse("buyer", l.buyers.take(buyerOfClient{c.ID, buyer}, l.clock.Now()))
}

// refuse says when to ask again: those who were turned away together come back
// apart. It does not say what the limit is.
func (l *limits) refuse(by string, wait time.Duration) error {
	if wait == 0 {
		return nil
	}
	l.counted.limited.WithLabelValues(by).Inc()
	least := max(time.Second, time.Duration(math.Ceil(wait.Seconds()))*time.Second)
	return problem{
		status: http.StatusTooManyRequests, code: "TOO_MANY_REQUESTS", title: "too many requests",
		detail: "ask again later, and less often", after: least + time.Duration(rand.Int64N(int64(least)+1)),
	}
}

// sender is the address that a request counts for: the peer, or the last one in
// X-Forwarded-For that is no proxy of ours, if the peer is one. What a proxy
// passed on that is no address counts for that proxy.
func (l *limits) sender(r *http.Request) (netip.Addr, bool) {
	addr, ok := parseSender(r.RemoteAddr)
	if !ok || !l.isTrusted(addr) {
		return counted(addr), ok
	}
	hops := 0
	for _, line := range slices.Backward(r.Header.Values("X-Forwarded-For")) {
		for line != "" && hops < maxHops {
			rest, last, found := cutLast(line)
			hop, ok := parseSender(last)
			if !ok {
				return counted(addr), true
			}
			if addr = hop; !l.isTrusted(addr) {
				return counted(addr), true
			}
			if hops++; !found {
				break
			}
			line = rest
		}
	}
	return counted(addr), true
}

// cutLast splits a list at its last comma.
func cutLast(list string) (rest, last string, found bool) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", strings.TrimSpace(list), false
	}
	return list[:i], strings.TrimSpace(list[i+1:]), true
}

// parseSender reads an address with or without a port.
func parseSender(text string) (netip.Addr, bool) {
	if len(text) > 64 {
		return netip.Addr{}, false
	}
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}, false
	}
	return addr.Unmap().WithZone(""), true
}

func (l *limits) isTrusted(addr netip.Addr) bool {
	return slices.ContainsFunc(l.trusted, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// counted is what an address counts as: whoever has one IPv6 address has 2^64.
func counted(addr netip.Addr) netip.Addr {
	if addr.Is6() {
		prefix, _ := addr.Prefix(64) // 64 bits are there
		return prefix.Addr()
	}
	return addr
}
