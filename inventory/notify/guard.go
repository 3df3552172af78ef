package notify

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

// ErrAddress says that a name led to an address that webhooks must not reach.
var ErrAddress = errors.New("this address may not be called")

// guard judges every address at the moment it is dialled, after the name was
// resolved: a check of the name beforehand could be told another address.
type guard struct {
	allow   Allow
	trusted bool                         // the endpoint's host is allowed by name
	own     func() ([]netip.Addr, error) // addresses of this machine
}

// control is the Control of a net.Dialer.
func (g *guard) control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("%w: %s is not TCP", ErrAddress, network)
	}
	dialled, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: it cannot be read", ErrAddress)
	}
	return g.judge(dialled.Addr())
}

// judge fails with ErrAddress unless addr may be called.
func (g *guard) judge(addr netip.Addr) error {
	meaning, never := classify(addr)
	switch {
	case g.allow.hasAddr(addr), g.trusted && !never:
		return nil
	case meaning != "":
		return fmt.Errorf("%w: %s is %s", ErrAddress, addr, meaning)
	}
	// Own addresses change while the program runs, so they are read each time;
	// connections are kept, so that is seldom.
	own, err := g.own()
	if err != nil {
		return fmt.Errorf("%w: the addresses of this machine cannot be read", ErrAddress)
	}
	if slices.Contains(own, addr) {
		return fmt.Errorf("%w: %s is this machine's own", ErrAddress, addr)
	}
	return nil
}

// ownAddresses returns the addresses of this machine's interfaces.
func ownAddresses() ([]netip.Addr, error) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	own := make([]netip.Addr, 0, len(addrs))
	for _, a := range addrs {
		ipNet, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		if addr, ok := netip.AddrFromSlice(ipNet.IP); ok {
			own = append(own, addr.Unmap())
		}
	}
	return own, nil
}
