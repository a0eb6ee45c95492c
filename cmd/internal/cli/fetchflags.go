package cli

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/http/httpguts"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// FetchFlags are the flags for requests.
type FetchFlags struct {
	client      fetch.Client // as far as its fields are flags
	Concurrency int
	headers     []string
	proxy       string
	cacert      string
	connectTo   []string
	mapped      []string
}

// Add adds the flags to a command.
func (n *FetchFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&n.client.Timeout, "timeout", 5*time.Minute,
		"longest `TIME` for one document with all its attempts; 0 means no limit")
	f.IntVar(&n.client.Retries, "retries", 2, "retry a failed request `N` times")
	f.StringVar(&n.proxy, "proxy", "",
		"`URL` of a proxy (default: HTTP_PROXY, HTTPS_PROXY and NO_PROXY)")
	f.StringVar(&n.cacert, "cacert", "",
		"trust the certificate authorities in `FILE` (PEM) beside those of the system")
	f.BoolVar(&n.client.Insecure, "insecure", false, "accept every certificate; for tests")
	f.Var((*list)(&n.connectTo), "connect-to",
		"with `PAIR` as HOST:PORT:HOST2:PORT2, connect to HOST2:PORT2 for URLs of HOST:PORT, as "+
			"curl does; an empty HOST or PORT matches any; repeatable")
	f.Var((*list)(&n.mapped), "map",
		"with `URL=URL2`, request URL2 in place of URL, and so each URL below it, such as from a "+
			"preview of the site; repeatable")
	f.BoolVar(&n.client.AllowPrivateNetworks, "allow-private", false,
		"allow loopback, private and other addresses that are not public, and every port")
	f.VarP((*list)(&n.headers), "header", "H",
		"send this header `FIELD`, 'Name: value'; repeatable")
	Group(cmd, "Network")
	f.StringVarP(&n.client.UserAgent, "user-agent", "A", "",
		"User-Agent `TEXT` with a way to reach you; its first word is the name in robots.txt")
	f.IntVar(&n.Concurrency, "concurrency", 0,
		"send `N` requests at once, also to one host (default 16 or more, of which 4 to one host)")
	f.DurationVar(&n.client.Delay, "delay", 0,
		"least `TIME` between two requests to a host, even if its robots.txt asks for less; raise "+
			"it if a host answers 429")
	f.DurationVar(&n.client.RetryWait, "retry-wait", time.Minute,
		"longest `TIME` to wait before a retry; if Retry-After asks for more, the request fails")
	Group(cmd, "Politeness")
	NotNegative(cmd, "timeout", "retries", "concurrency", "delay", "retry-wait")
}

// Client returns the client that fetches.
func (n *FetchFlags) Client() (*fetch.Client, error) {
	c := &n.client
	product, _, _ := strings.Cut(strings.TrimSpace(c.UserAgent), " ")
	c.RobotsAgent, _, _ = strings.Cut(product, "/")
	c.Timeout, c.RetryWait = orNegative(c.Timeout), orNegative(c.RetryWait)
	c.Retries = orNegative(c.Retries)
	if !httpguts.ValidHeaderFieldValue(c.UserAgent) {
		return nil, errors.New("--user-agent: not the value of a header field")
	}
	if n := n.Concurrency; n > 0 {
		c.Limiter = &fetch.HostLimiter{Total: n, PerHost: n, PerAddress: n}
	}
	if n.proxy != "" {
		u, err := url.Parse(n.proxy)
		if err != nil || u.Host == "" || !proxyScheme().MatchString(u.Scheme) {
			return nil, errors.New("--proxy: want the URL of a proxy, such as http://host:port")
		}
		c.Proxy = http.ProxyURL(u)
	}
	var errs [4]error
	c.Header, errs[0] = parseHeaders(n.headers)
	if n.cacert != "" {
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		c.RootCAs, errs[1] = ReadAuthorities("--cacert", n.cacert, roots)
	}
	c.ConnectTo, errs[2] = parseConnectTo(n.connectTo)
	c.Map, errs[3] = parseMap(n.mapped)
	return c, cmp.Or(errs[:]...)
}

// ReadAuthorities adds the certificate authorities in a file, the value of a flag, to roots. It
// returns nil if no file is named.
func ReadAuthorities(flag, file string, roots *x509.CertPool) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err == nil && !roots.AppendCertsFromPEM(pem) {
		err = fmt.Errorf("%s: no certificate in PEM", file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return roots, nil
}

// proxyScheme matches the schemes of proxies.
var proxyScheme = pattern.Of(`^(https?|socks5h?)$`)

var connection = pattern.Of(`^((?:\[[^]]+\]|[^]:[]*):\d*):((?:\[[^]]+\]|[^]:[]*):\d*)$`)

// parseConnectTo reads the values of --connect-to.
func parseConnectTo(values []string) (map[string]string, error) {
	to := map[string]string{}
	for _, v := range values {
		m := connection().FindStringSubmatch(v)
		if m == nil {
			return nil, fmt.Errorf("--connect-to: %q: want HOST:PORT:HOST2:PORT2", v)
		}
		to[m[1]] = m[2]
	}
	return to, nil
}

// parseMap reads the values of --map.
func parseMap(values []string) (map[string]string, error) {
	to := map[string]string{}
	for _, v := range values {
		from, target, _ := strings.Cut(v, "=")
		for _, s := range []string{from, target} {
			u, err := sitemap.ParseLoc(s)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil ||
				strings.ContainsAny(s, "?#") {
				return nil, errors.New("--map: want URL=URL2, without credentials, query and " +
					"fragment")
			}
		}
		to[from] = target
	}
	return to, nil
}
