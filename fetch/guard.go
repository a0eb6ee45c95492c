package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// NewTransport returns a transport like the one that a [Client] makes for itself. It connects to
// public unicast addresses only. The check is on the address of each connection, after name
// resolution, so no answer of DNS gets around it.
//
// Refused are private, loopback, link-local, shared (CGNAT), multicast, documentation, benchmarking
// and reserved ranges (IANA's special-purpose registries), IPv4 within IPv6 in all its forms, and
// the addresses where clouds serve metadata.
//
// It keeps up to 64 idle connections to a host and 128 in all, asks for HTTP/2, refuses a header of
// more than 256 KiB and leaves Content-Encoding alone. It uses the proxy of the environment. Used
// without a Client, it needs a proxy with a public address.
func NewTransport() *http.Transport {
	return newGuard(false).transport(nil, defaultPhases)
}

// phases bound the waits of one attempt.
type phases struct {
	connect time.Duration // to connect, and again for the TLS handshake
	answer  time.Duration // from the connection to the header of the response
	idle    time.Duration // from one read of the body to the next
}

// forAnswer bounds an attempt until its response.
func (p phases) forAnswer() time.Duration { return 2*p.connect + p.answer }

var defaultPhases = phases{10 * time.Second, 30 * time.Second, 30 * time.Second}

// A guard refuses addresses that are not public.
type guard struct {
	guardian *ssrf.Guardian // nil: every address is allowed
	resolver *net.Resolver  // nil: the default one
}

// metadataV4 are addresses of metadata services outside the special-purpose ranges.
var metadataV4 = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"), // Azure
}

func newGuard(allowPrivate bool) *guard {
	if allowPrivate {
		return &guard{}
	}
	// The policy checks ports, which depend on the request.
	return &guard{guardian: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(metadataV4...))}
}

// check returns an ErrRefused if addr is not public unicast.
func (g *guard) check(addr netip.Addr) error {
	if g.guardian == nil || g.guardian.SafeAddr(addr) == nil {
		return nil
	}
	return refused("address " + addr.String() + " is not public")
}

// control is the net.Dialer.ControlContext that checks each address.
func (g *guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	if g.guardian == nil {
		return nil
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return refused("not a TCP address: " + address)
	}
	return g.check(to.Addr())
}

// checkHost resolves host and refuses it if one of its addresses is refused.
func (g *guard) checkHost(ctx context.Context, host string) error {
	if g.guardian == nil {
		return nil
	}
	addrs, err := g.lookup(ctx, host)
	if err != nil {
		return err
	}
	for _, a := range addrs {
		if err := g.check(a); err != nil {
			return err
		}
	}
	return nil
}

// lookup returns the addresses of host, which may be one itself.
func (g *guard) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, defaultPhases.connect)
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

// A proxyFunc returns the proxy for a request, or nil.
type proxyFunc = func(*http.Request) (*url.URL, error)

func (g *guard) transport(proxy proxyFunc, times phases) *http.Transport {
	direct := &net.Dialer{Timeout: times.connect, ControlContext: g.control, Resolver: g.resolver}
	toProxy := &net.Dialer{Timeout: times.connect, Resolver: g.resolver}
	return &http.Transport{
		Proxy: g.proxy(proxy),
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if x := exchangeOf(ctx); x != nil {
				host, _, _ := net.SplitHostPort(addr)
				if proxy := x.proxy.Load(); proxy != nil && strings.EqualFold(*proxy, host) {
					return toProxy.DialContext(ctx, network, addr)
				}
			}
			return direct.DialContext(ctx, network, addr)
		},
		TLSHandshakeTimeout:    times.connect,
		ResponseHeaderTimeout:  times.answer,
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           128,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        time.Minute,
		ReadBufferSize:         16 << 10,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout: 15 * time.Second,
			PingTimeout:     15 * time.Second,
		},
	}
}

// proxy returns inner, or the proxy of the environment, with a check of the host that the proxy is
// to connect to.
func (g *guard) proxy(inner proxyFunc) proxyFunc {
	if inner == nil {
		inner = func(req *http.Request) (*url.URL, error) {
			u, err := http.ProxyFromEnvironment(req)
			if err != nil { // its text would show the credentials of the proxy
				return nil, errors.New("the proxy that the environment names cannot be read")
			}
			return u, nil
		}
	}
	return func(req *http.Request) (*url.URL, error) {
		u, err := inner(req)
		if err != nil || u == nil {
			return u, err
		}
		if err := g.checkHost(req.Context(), req.URL.Hostname()); err != nil {
			return nil, err
		}
		if x := exchangeOf(req.Context()); x != nil {
			host := u.Hostname()
			x.proxy.Store(&host)
		}
		return u, nil
	}
}
