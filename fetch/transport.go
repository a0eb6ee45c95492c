package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
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
	return (&network{guard: newGuard(), times: defaultPhases}).newTransport()
}

// phases bound the waits of one attempt.
type phases struct {
	connect time.Duration // to connect, for the TLS handshake, and for a write
	answer  time.Duration // from the connection to the header of the response
	idle    time.Duration // from one read of the body to the next
}

// forAnswer bounds an attempt until its response.
func (p phases) forAnswer() time.Duration { return 2*p.connect + p.answer }

var defaultPhases = phases{10 * time.Second, 30 * time.Second, 30 * time.Second}

// A network holds the settings for connections.
type network struct {
	guard     *guard
	proxy     func(*http.Request) (*url.URL, error) // nil: that of the environment
	connectTo map[string]string
	rootCAs   *x509.CertPool
	insecure  bool
	times     phases
	isOpen    bool // to private addresses too
}

// A transportPair sends the requests of one Client: open those that [Client.Map] applies to, and
// guarded all others. With one transport for both, a request without a mapping could reuse a
// connection to a private server.
type transportPair struct{ guarded, open *http.Transport }

func (n network) newTransportPair() *transportPair {
	open := n
	open.isOpen = true
	return &transportPair{n.newTransport(), open.newTransport()}
}

func (t *transportPair) RoundTrip(req *http.Request) (*http.Response, error) {
	if x := exchangeOf(req.Context()); x != nil && x.mapped != "" && x.mapped == req.URL.Host {
		return t.open.RoundTrip(req)
	}
	return t.guarded.RoundTrip(req)
}

// CloseIdleConnections closes those of both, for [http.Client.CloseIdleConnections].
func (t *transportPair) CloseIdleConnections() {
	t.guarded.CloseIdleConnections()
	t.open.CloseIdleConnections()
}

func (n *network) newTransport() *http.Transport {
	return &http.Transport{
		TLSClientConfig: &tls.Config{
			RootCAs: n.rootCAs, InsecureSkipVerify: n.insecure, CipherSuites: cipherSuites(),
		},
		Proxy:                  n.proxyOf,
		OnProxyConnectResponse: checkTunnel,
		DialContext:            n.connect,
		TLSHandshakeTimeout:    n.times.connect,
		ResponseHeaderTimeout:  n.times.answer,
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

// cipherSuites returns the suites of TLS 1.2 that browsers accept: those of crypto/tls and, as the
// last resort, those without forward secrecy. Some old servers have no other.
func cipherSuites() []uint16 {
	ids := []uint16{
		tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
		tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_RSA_WITH_AES_256_CBC_SHA,
	}
	for _, suite := range tls.CipherSuites() {
		ids = append(ids, suite.ID)
	}
	return ids
}

// A writer is a connection whose writes end. TLS and HTTP/2 answer a server while they read, with
// locks held, so that no context would end the read if the server did not read the answers.
type writer struct {
	net.Conn
	limit time.Duration // of one write
}

func (w writer) Write(p []byte) (int, error) {
	w.SetWriteDeadline(time.Now().Add(w.limit))
	n, err := w.Conn.Write(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.Close()
	}
	return n, err
}

// connect is dial with writes that end.
func (n *network) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := n.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return writer{conn, n.times.connect}, nil
}

// dial connects to an address that the guard allows, to the one that connectTo has for it, or to
// the proxy of the request.
func (n *network) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := &net.Dialer{Timeout: n.times.connect, Resolver: n.guard.resolver}
	if x := exchangeOf(ctx); x != nil {
		host, _, _ := net.SplitHostPort(addr)
		if proxy := x.proxy.Load(); proxy != nil && strings.EqualFold(*proxy, host) {
			return d.DialContext(ctx, network, addr)
		}
	}
	to, isNamed := n.endpoint(addr)
	if !isNamed && !n.isOpen {
		d.ControlContext = n.guard.control
	}
	return d.DialContext(ctx, network, to)
}

// endpoint returns addr, or the address that connectTo has for it, and whether that names the host.
func (n *network) endpoint(addr string) (to string, isNamed bool) {
	host, port, _ := net.SplitHostPort(strings.ToLower(addr))
	for _, key := range []string{
		net.JoinHostPort(host, port), net.JoinHostPort(host, ""), ":" + port, ":",
	} {
		if to, ok := n.connectTo[key]; ok {
			toHost, toPort, _ := net.SplitHostPort(to)
			return net.JoinHostPort(cmp.Or(toHost, host), cmp.Or(toPort, port)), toHost != ""
		}
	}
	return addr, false
}

// parseConnectTo returns m with the hosts of its keys in lower-case ASCII, as in requests.
func parseConnectTo(m map[string]string) (map[string]string, error) {
	lower := make(map[string]string, len(m))
	for from, to := range m {
		for _, addr := range []string{from, to} {
			if _, _, err := net.SplitHostPort(addr); err != nil {
				return nil, &cause{kind: ErrRequest, detail: "bad ConnectTo", err: err}
			}
		}
		if u, err := sitemap.ParseLoc("http://" + from); err == nil { // it names a host
			from = u.Host
		}
		lower[strings.ToLower(from)] = to
	}
	return lower, nil
}

// proxyOf returns the proxy for a request, or nil; connectTo needs none. It checks the host that
// the proxy is to connect to.
func (n *network) proxyOf(req *http.Request) (*url.URL, error) {
	port := "443"
	if req.URL.Scheme == "http" {
		port = "80"
	}
	addr := net.JoinHostPort(req.URL.Hostname(), cmp.Or(req.URL.Port(), port))
	if to, isNamed := n.endpoint(addr); isNamed || to != addr {
		return nil, nil
	}
	find := n.proxy
	if find == nil {
		find = proxyOfEnvironment
	}
	u, err := find(req)
	if err != nil || u == nil {
		return u, err
	}
	if !n.isOpen {
		if err := n.guard.checkHost(req.Context(), req.URL.Hostname()); err != nil {
			return nil, err
		}
	}
	if x := exchangeOf(req.Context()); x != nil {
		host := u.Hostname()
		x.proxy.Store(&host)
	}
	return u, nil
}

// checkTunnel returns the error of a proxy that does not connect to the host of an https URL.
func checkTunnel(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	return &tunnelError{resp.StatusCode}
}

func proxyOfEnvironment(req *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(req)
	if err != nil { // its text would show the credentials of the proxy
		return nil, errors.New("the proxy that the environment names cannot be read")
	}
	return u, nil
}
