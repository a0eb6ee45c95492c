package fetch

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"

	"github.com/seed-322c453a/sitemap/internal/spool"
)

// SetTimes sets how long a connection, an answer and a pause in a body may take.
func SetTimes(c *Client, connect, answer, idle time.Duration) {
	c.times = phases{connect, answer, idle}
}

// Connect returns a connection as those of a Client, each of whose writes may take as long as limit.
func Connect(ctx context.Context, addr string, limit time.Duration) (net.Conn, error) {
	n := &network{guard: newGuard(), times: phases{connect: limit}, isOpen: true}
	return n.newTransport().DialContext(ctx, "tcp", addr)
}

// Resolve makes the Client resolve names by r. If allowed is valid, its guard takes the addresses
// in it for public.
func Resolve(c *Client, r *net.Resolver, allowed netip.Prefix) {
	c.init()
	c.guard.resolver = r
	if allowed.IsValid() {
		c.guard.guardian = ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(allowed))
	}
}

// SetRoom sets how many bytes the temporary files of documents may take, of those that are fetched
// ahead and of all others.
func SetRoom(c *Client, size int64) {
	c.init()
	c.room, c.ahead = spool.NewRoom(size), spool.NewRoom(size)
}

// RetryAfter is the duration that the header asks for.
func RetryAfter(h http.Header, now time.Time) time.Duration { return retryAfter(h, now) }

// CheckAddress returns what the guard of a Client says of an address.
func CheckAddress(addr netip.Addr) error { return newGuard().check(addr) }
