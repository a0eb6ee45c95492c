package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
	"golang.org/x/net/idna"
)

const maxHeaderBytes = 256 << 10

type lookupFunc = func(ctx context.Context, host string) ([]netip.Addr, error)

// NewTransport returns a transport as a Client makes it for itself. It connects
// to public unicast addresses only, unless allowPrivate is set; the check is on
// the address that a connection is made to, so that no answer of DNS gets around
// it. Refused are private, loopback, link-local, shared (CGNAT), multicast,
// documentation, benchmarking and reserved ranges of IPv4 and IPv6 (the special
// purpose registries of IANA), IPv4 within IPv6 in all its forms (mapped, NAT64,
// 6to4, Teredo), and the addresses where clouds serve metadata.
//
// It keeps up to 64 idle connections to a host and 128 in all, asks for HTTP/2,
// gives up a header of more than 256 KiB, and does not touch Content-Encoding.
// It uses the proxy of the environment. With one, the host of each request is
// looked up and checked before the proxy is asked for it. Used without a Client,
// a proxy must have a public address too.
func NewTransport(allowPrivate bool) *http.Transport {
	return newGuard(allowPrivate, phases{}.withDefaults()).transport(nil)
}

// A guard refuses addresses.
type guard struct {
	guardian *ssrf.Guardian // nil: everything is allowed
	resolver *net.Resolver  // nil: the default one
	times    phases
	users    func() int64 // attempts and bodies under way; nil: connections are not counted
}

// metadataV4 are addresses of metadata services outside of the special ranges.
var metadataV4 = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"), // Azure
}

func newGuard(allowPrivate bool, times phases) *guard {
	g := &guard{times: times}
	if !allowPrivate {
		// Ports depend on the request, which a dialer does not know: see policy.
		g.guardian = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(metadataV4...))
	}
	return g
}

// check returns an ErrRefused if addr is not public unicast.
func (g *guard) check(addr netip.Addr) error {
	if g.guardian == nil || g.guardian.SafeAddr(addr) == nil {
		return nil
	}
	return refused("address " + addr.String() + " is not public")
}

// control is the net.Dialer.ControlContext that checks what is connected to.
func (g *guard) control(ctx context.Context, network, address string, _ syscall.RawConn) error {
	if g.guardian == nil {
		return nil
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return refused("no TCP address: " + address)
	}
	if err := g.check(to.Addr()); err != nil {
		return err
	}
	if public, ok := ctx.Value(publicKey{}).(*atomic.Pointer[string]); ok {
		public.Store(&address)
	}
	return nil
}

// publicKey is the key of an *atomic.Pointer[string] in the context of one dial: an address
// that may be connected to.
type publicKey struct{}

// dial connects to addr with d. Of several addresses d tells the error of the first, which
// may be a refused one; but where another may be connected to, the host as a whole is not
// refused.
func (g *guard) dial(ctx context.Context, d *net.Dialer, network, addr string) (net.Conn, error) {
	if g.guardian == nil {
		return d.DialContext(ctx, network, addr)
	}
	var public atomic.Pointer[string]
	c, err := d.DialContext(context.WithValue(ctx, publicKey{}, &public), network, addr)
	if a := public.Load(); a != nil && errors.Is(err, ErrRefused) {
		err = errors.New("no connection to " + *a + ", and the host's other addresses are refused")
	}
	return c, err
}

// checkHost looks host up and refuses it if any of its addresses is refused.
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
	ctx, cancel := context.WithTimeout(ctx, g.times.connect)
	defer cancel()
	r := g.resolver
	if r == nil {
		r = net.DefaultResolver
	}
	addrs, err := r.LookupNetIP(ctx, "ip", host)
	for i := range addrs {
		// The resolver may return IPv4 addresses in their 16 byte form.
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, err
}

func (g *guard) transport(proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	direct := &net.Dialer{Timeout: g.times.connect, ControlContext: g.control, Resolver: g.resolver}
	toProxy := &net.Dialer{Timeout: g.times.connect, Resolver: g.resolver}
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		return g.dial(ctx, direct, network, addr)
	}
	open := &conns{users: g.users, keep: g.times.keep}
	return &http.Transport{
		Proxy: g.proxy(proxy),
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if r := routeOf(ctx); r != nil && r.isProxy(addr) {
				return r.open(open.dial(ctx, toProxy.DialContext, network, addr))
			}
			return open.dial(ctx, dial, network, addr)
		},
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
			answer := "the proxy answers " + resp.Status
			switch resp.StatusCode / 100 {
			case 3, 4:
				return &cause{kind: errProxy, detail: answer}
			}
			if resp.StatusCode != http.StatusOK {
				return errors.New(answer)
			}
			return nil
		},
		TLSHandshakeTimeout:    g.times.handshake,
		ResponseHeaderTimeout:  g.times.firstByte,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           maxIdleConns,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        g.times.keep,
		ReadBufferSize:         16 << 10,
		// A dead HTTP/2 connection would fail one request after the other; and a
		// body that nobody reads should not fill more than 128 KiB. A window of the
		// whole connection would let such bodies stop one that is read.
		HTTP2: &http.HTTP2Config{
			SendPingTimeout:           15 * time.Second,
			PingTimeout:               15 * time.Second,
			MaxReceiveBufferPerStream: 128 << 10,
		},
	}
}

// proxy returns inner, or the proxy of the environment, with the check of the
// host that a proxy is asked for.
func (g *guard) proxy(inner func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	inner = orEnvironment(inner)
	return func(req *http.Request) (*url.URL, error) {
		r := routeOf(req.Context())
		if r == nil { // of an http.Client of others
			r = new(route)
		}
		u, err := r.ask(inner, req)
		if err != nil || u == nil {
			return u, err
		}
		if err := g.checkHost(req.Context(), req.URL.Hostname()); err != nil {
			return nil, err
		}
		addr := proxyAddr(u)
		r.proxy.Store(&addr)
		first, rest := g.times.opening(u, req.URL.Scheme)
		r.first.Store(int64(first))
		r.rest.Store(int64(rest))
		return u, nil
	}
}

// orEnvironment returns proxy, or that of the environment if it is nil.
func orEnvironment(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	if proxy == nil {
		return proxyOfEnvironment
	}
	return proxy
}

// proxyOfEnvironment is http.ProxyFromEnvironment, but for an error that would
// show the credentials of a proxy.
func proxyOfEnvironment(req *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(req)
	if err != nil {
		return nil, errors.New("the proxy that the environment names cannot be read")
	}
	return u, nil
}

// A route carries, in the context of one attempt, the proxy that the attempt goes through,
// which is asked for once, and its address, so that this very connection is not checked. An
// attempt that names the proxy's address as its own target has none. It counts too how often
// the attempt connects.
type route struct {
	once  sync.Once
	url   *url.URL
	err   error
	proxy atomic.Pointer[string]
	dials atomic.Int32 // since the attempt got a connection
	first atomic.Int64 // of phases.opening
	rest  atomic.Int64
}

// ask returns the proxy for req.
func (r *route) ask(proxy func(*http.Request) (*url.URL, error), req *http.Request) (*url.URL, error) {
	r.once.Do(func() { r.url, r.err = proxy(req) })
	return r.url, r.err
}

type routeKey struct{}

func withRoute(ctx context.Context) (context.Context, *route) {
	r := new(route)
	return context.WithValue(ctx, routeKey{}, r), r
}

func routeOf(ctx context.Context) *route {
	r, _ := ctx.Value(routeKey{}).(*route)
	return r
}

func (r *route) isProxy(addr string) bool {
	p := r.proxy.Load()
	return p != nil && strings.EqualFold(*p, addr)
}

// proxyAddr returns the address that net/http dials for a proxy.
func proxyAddr(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	host := u.Hostname()
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return net.JoinHostPort(host, port)
}

// errProxy is the kind of what a proxy refuses, which it would refuse again.
var errProxy = errors.New("refused by the proxy")

func refused(why string) error {
	return &cause{kind: ErrRefused, detail: "refused: " + why}
}
