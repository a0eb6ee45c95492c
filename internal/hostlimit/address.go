package hostlimit

import (
	"context"
	"net/netip"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// addresses bounds the requests to each address. It holds only those that are in use.
type addresses struct {
	most int64 // slots of each

	mu    sync.Mutex
	inUse map[string]*addressSlots
}

// addressSlots are the slots of one address.
type addressSlots struct {
	*semaphore.Weighted
	users int // requests that have a slot or wait for one
}

// acquire waits for a slot of the address with this key.
func (a *addresses) acquire(ctx context.Context, key string) error {
	a.mu.Lock()
	slots := a.inUse[key]
	if slots == nil {
		slots = &addressSlots{Weighted: semaphore.NewWeighted(a.most)}
		a.inUse[key] = slots
	}
	slots.users++
	a.mu.Unlock()
	err := slots.Acquire(ctx, 1)
	if err != nil {
		a.leave(key, 0)
	}
	return err
}

// leave ends the use of a number of slots, 1 or 0, by one request.
func (a *addresses) leave(key string, held int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	slots := a.inUse[key]
	slots.Release(held)
	if slots.users--; slots.users == 0 {
		delete(a.inUse, key)
	}
}

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
