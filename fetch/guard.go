package fetch

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"github.com/seed-322c453a/sitemap/internal/chars"
)

// A guard refuses addresses that are not public.
type guard struct {
	guardian *ssrf.Guardian
	resolver *net.Resolver // nil: the default one
}

// metadataV4 are addresses of metadata services outside the special-purpose ranges.
var metadataV4 = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"), // Azure
}

func newGuard() *guard {
	// The policy checks ports, which depend on the request.
	return &guard{guardian: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(metadataV4...))}
}

// check returns an ErrRefused if addr is not public unicast.
func (g *guard) check(addr netip.Addr) error {
	if g.guardian.SafeAddr(addr) == nil {
		return nil
	}
	return refused("address " + addr.String() + " is not public")
}

// control is the net.Dialer.ControlContext that checks each address.
func (g *guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return refused("not a TCP address: " + address)
	}
	return g.check(to.Addr())
}

// checkHost refuses a host that a proxy would connect to, if it is known to have an address that is
// refused. A name that does not resolve here is for the proxy to judge, unless it may be an address
// to that one: no public name has a digit after its last dot, but 127.1 and 0x7f000001 have.
func (g *guard) checkHost(ctx context.Context, host string) error {
	name := strings.ToLower(strings.TrimRight(host, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	_, notAddr := netip.ParseAddr(name)
	if name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		notAddr != nil && strings.IndexAny(last, "0123456789") == 0 {
		return refused("host " + chars.Clip(host, 64) + " is not public")
	}
	addrs, err := g.lookup(ctx, name)
	if err != nil {
		return ctx.Err()
	}
	for _, a := range addrs {
		if err := g.check(a); err != nil {
			return err
		}
	}
	return nil
}

// lookupTime bounds a lookup that may fail: a proxy may be the only one to resolve names.
const lookupTime = 2 * time.Second

// lookup returns the addresses of host, which may be one itself.
func (g *guard) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	r := g.resolver
	if r == nil {
		r = net.DefaultResolver
	}
	addrs, err := r.LookupNetIP(ctx, "ip", host)
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, err
}
