package fetch_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// newTLSServer returns a server on loopback for example.com, whose certificate authority no system
// knows, and that authority. It answers with the Host of the request and its path.
func newTLSServer(t *testing.T) (*httptest.Server, *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	s.Config.ErrorLog = quiet
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s, roots
}

func echo(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host+r.URL.Path) }

// publicClient returns a Client that may not connect to loopback.
func publicClient(t *testing.T) *fetch.Client {
	c := &fetch.Client{Proxy: noProxy, Limiter: &countingLimiter{}, Retries: -1}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// body returns the body of a document.
func body(t *testing.T, c *fetch.Client, u string) string {
	t.Helper()
	doc := get(t, c, u)
	defer doc.Body.Close()
	b, err := io.ReadAll(doc.Body)
	if err != nil {
		t.Errorf("%s: %v", u, err)
	}
	return string(b)
}

func wantRefused(t *testing.T, c *fetch.Client, urls ...string) {
	t.Helper()
	for _, u := range urls {
		if _, err := c.Get(t.Context(), fetch.Request{URL: u}); !errors.Is(err, fetch.ErrRefused) {
			t.Errorf("%s: %v, want %v", u, err, fetch.ErrRefused)
		}
	}
}

func TestClient_Certificates(t *testing.T) {
	s, roots := newTLSServer(t)
	for _, c := range []*fetch.Client{{RootCAs: roots}, {Insecure: true}} {
		c.AllowPrivateNetworks, c.Proxy = true, noProxy
		defer c.CloseIdleConnections()
		if got, want := body(t, c, s.URL+"/a"), s.Listener.Addr().String()+"/a"; got != want {
			t.Errorf("RootCAs %t, Insecure %t: body %q, want %q",
				c.RootCAs != nil, c.Insecure, got, want)
		}
	}
}

// A server is read also if it has no suite with forward secrecy. If it has one, that is chosen.
func TestClient_OldServer(t *testing.T) {
	const old, better = tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
	for _, suites := range [][]uint16{{old}, {old, better}} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, tls.CipherSuiteName(r.TLS.CipherSuite))
		}))
		s.TLS = &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: suites}
		s.StartTLS()
		defer s.Close()
		c := newClient(t)
		c.Insecure = true
		if got, want := body(t, c, s.URL), tls.CipherSuiteName(suites[len(suites)-1]); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestClient_ConnectTo(t *testing.T) {
	s, roots := newTLSServer(t)
	addr := s.Listener.Addr().String()
	host, port, _ := net.SplitHostPort(addr)
	for _, from := range []string{"example.com:443", "EXAMPLE.com:", "ｅxample.com:443", ":443", ":"} {
		c := publicClient(t)
		c.RootCAs, c.ConnectTo = roots, map[string]string{from: addr}
		if from == ":443" {
			c.ConnectTo["other.example:"] = "127.0.0.1:1"
		}
		if got := body(t, c, "https://Example.com/a"); got != "example.com/a" {
			t.Errorf("%q: body %q, want that for example.com", from, got)
		}
	}

	c := publicClient(t)
	c.RootCAs, c.ConnectTo = roots, map[string]string{"example.com:443": addr, ":80": ":" + port}
	body(t, c, "https://example.com/")
	wantRefused(t, c, "https://"+addr+"/", "https://localhost:"+port+"/", "http://localhost/")

	both := publicClient(t)
	both.RootCAs = roots
	both.ConnectTo = map[string]string{"example.com:": host + ":", ":443": "127.0.0.1:1", ":": ":1"}
	if got := body(t, both, "https://example.com:"+port+"/a"); got != "example.com:"+port+"/a" {
		t.Errorf("empty port in a value: body %q", got)
	}
}

// What ConnectTo names, a host or only a port, is connected to without the proxy.
func TestClient_ConnectToBesideProxy(t *testing.T) {
	s, roots := newTLSServer(t)
	p := newProxy(t)
	to, _ := url.Parse(p.URL)
	c := publicClient(t)
	c.Proxy, c.RootCAs = http.ProxyURL(to), roots
	c.ConnectTo = map[string]string{"example.com:443": s.Listener.Addr().String()}
	if got := body(t, c, "https://example.com/a"); got != "example.com/a" {
		t.Errorf("body %q, want that for example.com", got)
	}
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c = publicClient(t)
	c.Proxy, c.RootCAs = http.ProxyURL(to), roots
	c.ConnectTo = map[string]string{":443": ":" + port}
	_, resolver := newNameServer(map[string][]string{"example.com": {"127.0.0.1"}})
	fetch.Resolve(c, resolver, netip.MustParsePrefix("127.0.0.1/32"))
	if got := body(t, c, "https://example.com/a"); got != "example.com/a" {
		t.Errorf("another port: body %q, want that for example.com", got)
	}
	if n := p.asked.Load(); n != 0 {
		t.Errorf("the proxy was asked %d times, want none", n)
	}
}

// A tunnel is a proxy that answers each CONNECT with a connection to one server.
type tunnel struct {
	to    string
	hosts chan string // that were asked for
}

func (p *tunnel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.hosts <- r.Host
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer server.Close()
	w.WriteHeader(http.StatusOK)
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	go func() {
		io.Copy(server, buffered)
		server.Close()
	}()
	io.Copy(client, server)
}

// Only the proxy, on a private address, can resolve example.com.
func TestProxy_ResolvesNames(t *testing.T) {
	s, roots := newTLSServer(t)
	p := &tunnel{s.Listener.Addr().String(), make(chan string, 10)}
	server := httptest.NewServer(p)
	defer server.Close()
	to, _ := url.Parse(server.URL)
	_, resolver := newNameServer(nil)
	var sent atomic.Int32
	c := publicClient(t)
	c.Proxy, c.RootCAs = http.ProxyURL(to), roots
	c.Wrap = func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			sent.Add(1)
			return next.RoundTrip(r)
		})
	}
	fetch.Resolve(c, resolver, netip.Prefix{})
	if got := body(t, c, "https://example.com/a"); got != "example.com/a" {
		t.Errorf("body %q, want that for example.com", got)
	}
	if host := <-p.hosts; host != "example.com:443" {
		t.Errorf("the proxy was asked for %q, want example.com:443", host)
	}
	wantRefused(t, c, "https://localhost/", "https://127.0.0.1/")
	if n := sent.Load(); n != 2 {
		t.Errorf("the wrapper saw %d requests, want 2", n)
	}
}

// A proxy that does not connect to a host says so with a status. It is asked again, unless the status
// is final.
func TestProxy_RefusesTunnel(t *testing.T) {
	for _, tt := range []struct {
		status   int
		attempts int
	}{
		{502, 2}, {503, 2}, {403, 1}, {407, 1},
	} {
		var asked atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(
			func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.WriteHeader(tt.status)
			},
		))
		to, _ := url.Parse(server.URL)
		c := publicClient(t)
		c.Proxy, c.Retries, c.RetryWait = http.ProxyURL(to), 1, time.Millisecond
		_, resolver := newNameServer(nil)
		fetch.Resolve(c, resolver, netip.Prefix{})
		_, err := c.Get(t.Context(), fetch.Request{URL: "https://example.com/"})
		want := fmt.Sprintf("cannot connect: proxy: status %d %s",
			tt.status, http.StatusText(tt.status))
		if !errors.Is(err, fetch.ErrConnect) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%d: %v, want %q", tt.status, err, want)
		}
		if n := int(asked.Load()); n != tt.attempts {
			t.Errorf("%d: asked %d times, want %d", tt.status, n, tt.attempts)
		}
		server.Close()
	}
}
