package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A proxy counts and answers the requests that it gets.
type proxy struct {
	*httptest.Server
	asked atomic.Int32
}

func newProxy(t *testing.T) *proxy {
	p := new(proxy)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		io.WriteString(w, "of "+r.URL.Host)
	}))
	t.Cleanup(p.Close)
	return p
}

// checkProxied asks c, which uses p, for what it may have and what it may not.
func (p *proxy) check(t *testing.T, c *Client) {
	t.Helper()
	doc, err := c.Get(t.Context(), Request{URL: "http://public.test/"})
	if err != nil {
		t.Fatalf("public host: %v", err)
	}
	body, _ := io.ReadAll(doc.Body)
	doc.Body.Close()
	if string(body) != "of public.test" {
		t.Errorf("public host: body %q, want that of the proxy", body)
	}
	asked := p.asked.Load()
	for _, to := range []string{
		"http://private.test/", "https://private.test/", "http://mixed.test/", "http://10.0.0.1/", "http://127.0.0.1/",
		p.URL,
	} {
		if _, err := c.Get(t.Context(), Request{URL: to}); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v, want %v", to, err, ErrRefused)
		}
	}
	if n := p.asked.Load() - asked; n != 0 {
		t.Errorf("the proxy was asked %d times for what is refused", n)
	}
	if _, err := c.Get(t.Context(), Request{URL: "http://public.test/?to=http://private.test/"}); !errors.Is(err, ErrRefused) {
		t.Errorf("redirect: %v, want %v", err, ErrRefused)
	}
	if _, err := c.Get(t.Context(), Request{URL: "http://unknown.test/"}); !errors.Is(err, ErrConnect) {
		t.Errorf("unknown host: %v, want %v", err, ErrConnect)
	}
}

var proxyNames = map[string][]string{
	"public.test":  {"8.8.8.8 2606:4700:4700::1111"},
	"private.test": {"192.168.0.1"},
	"mixed.test":   {"8.8.8.8 fd00::1"},
	"self.test":    {"127.0.0.1"},
}

func TestProxy(t *testing.T) {
	p := newProxy(t)
	to, _ := url.Parse(p.URL)
	_, resolver := newNameServer(proxyNames)
	c := &Client{resolver: resolver, Proxy: func(r *http.Request) (*url.URL, error) {
		if r.URL.Hostname() == "self.test" {
			return nil, nil
		}
		return to, nil
	}}
	defer c.CloseIdleConnections()
	p.check(t, c)
	// The proxy's address is exempt only as a proxy.
	self := "http://self.test:" + to.Port() + "/"
	if _, err := c.Get(t.Context(), Request{URL: self}); !errors.Is(err, ErrRefused) {
		t.Errorf("the proxy as a target: %v, want %v", err, ErrRefused)
	}

	open := &Client{AllowPrivateNetworks: true, Proxy: http.ProxyURL(to)}
	defer open.CloseIdleConnections()
	doc, err := open.Get(t.Context(), Request{URL: "http://private.test/"})
	if err != nil {
		t.Fatalf("with AllowPrivateNetworks: %v", err)
	}
	doc.Body.Close()
}

// TestProxyOfEnvironment runs itself in a process of its own, since net/http reads
// the environment once.
func TestProxyOfEnvironment(t *testing.T) {
	p := newProxy(t)
	if os.Getenv("FETCH_TEST_PROXY") != "" {
		p.URL = os.Getenv("HTTP_PROXY")
		_, resolver := newNameServer(proxyNames)
		c := &Client{resolver: resolver}
		p.check(t, c)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestProxyOfEnvironment$", "-test.count=1")
	cmd.Env = append(os.Environ(), "FETCH_TEST_PROXY=1", "HTTP_PROXY="+p.URL, "HTTPS_PROXY="+p.URL, "NO_PROXY=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if p.asked.Load() == 0 {
		t.Error("the proxy of the environment was not asked")
	}
}

// TestBadProxyOfEnvironment names a proxy that cannot be read, with a password.
func TestBadProxyOfEnvironment(t *testing.T) {
	if os.Getenv("FETCH_TEST_PROXY") != "" {
		_, resolver := newNameServer(proxyNames)
		c := &Client{resolver: resolver, Retries: -1}
		_, err := c.Get(t.Context(), Request{URL: "http://public.test/"})
		if !errors.Is(err, ErrConnect) || strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v, want %v without the password", err, ErrConnect)
		}
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestBadProxyOfEnvironment$", "-test.count=1")
	cmd.Env = append(os.Environ(), "FETCH_TEST_PROXY=1", "HTTP_PROXY=http://user:secret@[x", "NO_PROXY=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestProxyServesHostsAtOnce: of what goes through a proxy, no host waits for another.
func TestProxyServesHostsAtOnce(t *testing.T) {
	const hosts = DefaultTotal
	var arrived sync.WaitGroup
	arrived.Add(hosts)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Done()
		arrived.Wait()
		io.WriteString(w, r.Host)
	}))
	t.Cleanup(s.Close)
	to, _ := url.Parse(s.URL)
	c := &Client{AllowPrivateNetworks: true, Proxy: http.ProxyURL(to), Timeout: 30 * time.Second, Retries: -1}
	defer c.CloseIdleConnections()
	var wg sync.WaitGroup
	for i := range hosts {
		wg.Go(func() {
			doc, err := c.Get(t.Context(), Request{URL: fmt.Sprintf("http://%d.test/", i)})
			if err != nil {
				t.Error(err)
				return
			}
			doc.Body.Close()
		})
	}
	wg.Wait()
}

// TestProxyIsAskedOnce: of two proxies in turn, each gets half of the requests.
func TestProxyIsAskedOnce(t *testing.T) {
	const requests = 10
	var hits [2]atomic.Int64
	var proxies [2]*url.URL
	for i := range proxies {
		s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits[i].Add(1) }))
		t.Cleanup(s.Close)
		proxies[i], _ = url.Parse(s.URL)
	}
	var calls atomic.Int64
	c := &Client{AllowPrivateNetworks: true, Retries: -1, Proxy: func(*http.Request) (*url.URL, error) {
		return proxies[calls.Add(1)%2], nil
	}}
	defer c.CloseIdleConnections()
	for i := range requests {
		doc, err := c.Get(t.Context(), Request{URL: fmt.Sprintf("http://%d.test/", i)})
		if err != nil {
			t.Fatal(err)
		}
		doc.Body.Close()
	}
	if a, b, n := hits[0].Load(), hits[1].Load(), calls.Load(); a != requests/2 || b != requests/2 || n != requests {
		t.Errorf("%d and %d requests, %d calls", a, b, n)
	}
}

// TestProxyAnswers: what a proxy answers instead of a connection is told; what it refuses is
// not asked for again.
func TestProxyAnswers(t *testing.T) {
	s := newSite(t)
	for _, tt := range []struct {
		status string
		want   string // in the error
		asked  int32
	}{
		{"407 Proxy Authentication Required", "the proxy answers 407 Proxy Authentication Required", 1},
		{"403 Forbidden", "the proxy answers 403 Forbidden", 1},
		{"429 Too Many Requests", "the proxy answers 429 Too Many Requests", 1},
		{"302 Found", "the proxy answers 302 Found", 1},
		{"502 Bad Gateway", "the proxy answers 502 Bad Gateway", 3},
		{"502", "the proxy answers 502", 3},
		{"204 No Content", "the proxy answers 204 No Content", 3},
	} {
		var asked atomic.Int32
		p := newTunneller(t, s.Listener.Addr().String(), func(c net.Conn, r *bufio.Reader) {
			asked.Add(1)
			http.ReadRequest(r)
			io.WriteString(c, "HTTP/1.1 "+tt.status+"\r\nContent-Length: 0\r\n\r\n")
		})
		c := newClient(t)
		c.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: p.addr})
		_, err := c.Get(t.Context(), Request{URL: "https://93.184.215.14/"})
		if !errors.Is(err, ErrConnect) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %v", tt.status, err, ErrConnect)
		}
		var e *Error
		if n := asked.Load(); n != tt.asked || !errors.As(err, &e) || e.Temporary() != (n > 1) {
			t.Errorf("%s: asked %d times, %v, want %d", tt.status, n, err, tt.asked)
		}
	}
}

// TestProxyLooksUp: where all addresses are allowed, a proxy alone looks hosts up; its own name
// may be spelled in capitals.
func TestProxyLooksUp(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(s.Close)
	to, _ := url.Parse(s.URL)
	names, resolver := newNameServer(map[string][]string{"proxy.test": {"127.0.0.1"}, "PROXY.test": {"127.0.0.1"}, "public.test": {"93.184.215.14"}})
	to.Host = "PROXY.test:" + to.Port()
	for _, private := range []bool{true, false} {
		c := &Client{AllowPrivateNetworks: private, Proxy: http.ProxyURL(to), resolver: resolver, Retries: -1}
		doc, err := c.Get(t.Context(), Request{URL: "http://public.test/"})
		if err != nil {
			t.Fatalf("AllowPrivateNetworks %v: %v", private, err)
		}
		doc.Body.Close()
		c.CloseIdleConnections()
		names.mu.Lock()
		n := names.asked["public.test"]
		names.mu.Unlock()
		if private && n != 0 || !private && n == 0 {
			t.Errorf("AllowPrivateNetworks %v: looked up %d times", private, n)
		}
	}
}

// TestLookupTakesTime: a name that is looked up for long takes of the document's time.
func TestLookupTakesTime(t *testing.T) {
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	c := &Client{resolver: resolver, Timeout: 200 * time.Millisecond, Retries: -1}
	start := time.Now()
	_, err := c.Get(t.Context(), Request{URL: "http://slow.test/"})
	if took := time.Since(start); !errors.Is(err, ErrTimeout) || !errors.Is(err, ErrConnect) || took > 4*time.Second {
		t.Errorf("after %v: %v", took, err)
	}
}
