package hostlimit

import (
	"context"
	"net/netip"
	"slices"
)

// A Lookup returns the addresses of a host.
type Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

// addressKey returns the key for the address of the host with this name: the lowest of several, as
// a network of 64 bits for IPv6. If the address cannot be known, it returns the key of the host.
func (h *host) addressKey(ctx context.Context, name string, lookup Lookup) string {
	h.mu.Lock()
	key := h.address
	h.mu.Unlock()
	if key != "" {
		return key
	}
	key = h.key
	if a, err := netip.ParseAddr(name); err == nil {
		key = networkOf(a)
	} else if lookup != nil {
		addrs, err := lookup(ctx, name)
		if ctx.Err() != nil {
			return key // nothing was learnt
		}
		if err == nil && len(addrs) > 0 {
			key = networkOf(slices.MinFunc(addrs, netip.Addr.Compare))
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.address = key
	return key
}

func networkOf(a netip.Addr) string {
	a = a.Unmap()
	if p, err := a.Prefix(64); a.Is6() && err == nil {
		return p.String()
	}
	return a.String()
}
