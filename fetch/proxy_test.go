package fetch_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed-322c453a/sitemap/fetch"
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
func (p *proxy) check(t *testing.T, c *fetch.Client) {
	t.Helper()
	doc, err := c.Get(t.Context(), fetch.Request{URL: "http://public.test/"})
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
		"http://localhost/", "http://app.localhost./", p.URL, "http://127.0.0.1./", "http://127.1/",
		"http://2130706433/", "http://0x7f.1/", "http://127.0.0.01/", "http://localhost../",
	} {
		if _, err := c.Get(t.Context(), fetch.Request{URL: to}); !errors.Is(err, fetch.ErrRefused) {
			t.Errorf("%s: %v, want %v", to, err, fetch.ErrRefused)
		}
	}
	if n := p.asked.Load() - asked; n != 0 {
		t.Errorf("the proxy was asked %d times for what is refused", n)
	}
	if _, err := c.Get(t.Context(), fetch.Request{URL: "http://public.test/?to=http://private.test/"}); !errors.Is(err, fetch.ErrRefused) {
		t.Errorf("redirect: %v, want %v", err, fetch.ErrRefused)
	}
	doc, err = c.Get(t.Context(), fetch.Request{URL: "http://unknown.test/"})
	if err != nil {
		t.Fatalf("host that only the proxy can resolve: %v", err)
	}
	doc.Body.Close()
	if doc, err = c.Get(t.Context(), fetch.Request{URL: "http://8.8.8.8./"}); err != nil {
		t.Fatalf("public address: %v", err)
	}
	doc.Body.Close()
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
	c := &fetch.Client{Proxy: func(r *http.Request) (*url.URL, error) {
		if r.URL.Hostname() == "self.test" {
			return nil, nil
		}
		return to, nil
	}}
	defer c.CloseIdleConnections()
	fetch.Resolve(c, resolver, netip.Prefix{})
	p.check(t, c)
	// The proxy's address is exempt only as a proxy.
	self := "http://self.test:" + to.Port() + "/"
	if _, err := c.Get(t.Context(), fetch.Request{URL: self}); !errors.Is(err, fetch.ErrRefused) {
		t.Errorf("the proxy as a target: %v, want %v", err, fetch.ErrRefused)
	}
	// It is exempt only for requests that go through the proxy, not for what these redirect to.
	named := &fetch.Client{Proxy: func(r *http.Request) (*url.URL, error) {
		if r.URL.Hostname() == "self.test" {
			return nil, nil
		}
		return url.Parse(self)
	}}
	defer named.CloseIdleConnections()
	fetch.Resolve(named, resolver, netip.Prefix{})
	doc, err := named.Get(t.Context(), fetch.Request{URL: "http://public.test/"})
	if err != nil {
		t.Fatalf("through a proxy with a name: %v", err)
	}
	doc.Body.Close()
	if _, err := named.Get(t.Context(), fetch.Request{
		URL: "http://public.test/?to=" + self, Origins: []string{"http://public.test", self},
	}); !errors.Is(err, fetch.ErrRefused) {
		t.Errorf("a redirect to the proxy: %v, want %v", err, fetch.ErrRefused)
	}

	open := &fetch.Client{AllowPrivateNetworks: true, Proxy: http.ProxyURL(to)}
	defer open.CloseIdleConnections()
	doc, err = open.Get(t.Context(), fetch.Request{URL: "http://private.test/"})
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
		c := &fetch.Client{}
		fetch.Resolve(c, resolver, netip.Prefix{})
		p.check(t, c)
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxyOfEnvironment$",
		"-test.count=1")
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
		c := &fetch.Client{Retries: -1}
		fetch.Resolve(c, resolver, netip.Prefix{})
		_, err := c.Get(t.Context(), fetch.Request{URL: "http://public.test/"})
		if !errors.Is(err, fetch.ErrConnect) || strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v, want %v without the password", err, fetch.ErrConnect)
		}
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBadProxyOfEnvironment$",
		"-test.count=1")
	cmd.Env = append(os.Environ(), "FETCH_TEST_PROXY=1", "HTTP_PROXY=http://user:secret@[x", "NO_PROXY=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
