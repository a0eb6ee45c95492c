package main

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/net/http/httpguts"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// printFlags are the flags of all commands that print results.
type printFlags struct {
	format string
	out    string
	quiet  bool
}

func (p *printFlags) addPrint(f *pflag.FlagSet, formats string) {
	f.StringVar(&p.format, "format", "text", "`FORMAT` of what is printed: "+formats)
	f.StringVarP(&p.out, "output", "o", "", "print to `FILE`, which takes its name when all is written")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "say only what could not be read")
}

// textOrJSONL refuses other formats.
func (p *printFlags) textOrJSONL() error {
	if p.format == "text" || p.format == "jsonl" {
		return nil
	}
	return fmt.Errorf("no format is called %q; there are text and jsonl", p.format)
}

// documentFlags are the flags of commands that read files.
type documentFlags struct {
	base        string
	contentType string
}

func (d *documentFlags) add(f *pflag.FlagSet) {
	f.StringVar(&d.base, "base", "", "`URL` a file comes from; its relative and scheme-less locations are resolved against it, and dropped without it")
	f.StringVar(&d.contentType, "content-type", "", "media `TYPE` a file came with; its charset is heeded")
}

// options returns the options to read a file with.
func (d *documentFlags) options(l limits) (sitemap.Options, error) {
	o := sitemap.Options{ContentType: d.contentType, Limits: l.document()}
	if d.base == "" {
		return o, nil
	}
	u, err := sitemap.ParseLoc(d.base)
	switch {
	case err != nil:
		return o, fmt.Errorf("--base: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return o, fmt.Errorf("--base: %s: only http and https URLs have sitemaps", quote(sitemap.Redact(d.base)))
	}
	o.Base = u
	return o, nil
}

// walkFlags are the flags of the commands that walk.
type walkFlags struct {
	printFlags
	from, as     string
	allowPrivate bool
	timeout      duration
	retries      int
	retryWait    duration
	concurrency  int
	limit        limits
	userAgent    string
	headers      []string
	proxy        string
	since        string
	follow       string
	match        string
	minTrust     string
	verifyHosts  int
	maxURLs      int64
	unique       bool
	progress     string
	state        string // of urls only
}

func (w *walkFlags) add(f *pflag.FlagSet, formats string) {
	f.SortFlags = false
	w.addPrint(f, formats)
	f.StringVar(&w.progress, "progress", "auto", "`WHEN` to show progress on standard error: auto (on a terminal that does not show what is printed), always or never")
	f.StringVar(&w.from, "from", "", "read further targets from `FILE` (or -), one a line; # starts a comment")
	f.StringVar(&w.as, "as", "", "take targets for a `KIND`: site or sitemap")
	f.StringVar(&w.since, "since", "", "leave out what has not changed since this W3C `DATETIME`, such as 2024-05-06")
	f.StringVar(&w.follow, "follow", "", "of the sitemaps that an index lists, fetch those that match `REGEX`")
	f.StringVar(&w.minTrust, "min-trust", "variant", "least `TRUST` of the URLs: untrusted, variant, verified, location, robots or caller")
	f.IntVar(&w.verifyHosts, "verify-hosts", discover.DefaultVerifyHosts, "ask at most `N` further hosts of the site for their robots.txt, whether it names the sitemap")
	f.Var(&w.limit, "limit", "bound what is read: bytes, entries (both of a document), depth, sitemaps (both of a walk);\nunits as 10MiB; 0 lifts a limit (default bytes=500MiB,entries=500000,depth=10,sitemaps=50001)")
	w.addFetch(f)
}

// addSelect adds the flags that say which URLs are printed.
func (w *walkFlags) addSelect(f *pflag.FlagSet) {
	f.StringVar(&w.match, "match", "", "of the URLs, take those that match `REGEX`")
	f.Int64Var(&w.maxURLs, "max-urls", 0, "stop after `N` URLs")
	f.BoolVar(&w.unique, "unique", false, fmt.Sprintf("take each URL once; remembers %s URLs and says so when it is full", thousands(maxUnique)))
}

// addFetch adds the flags that say how documents are fetched.
func (w *walkFlags) addFetch(f *pflag.FlagSet) {
	f.IntVar(&w.concurrency, "concurrency", 0, "fetch `N` documents at once, from one host too (default 16, of which 4 from one host)")
	w.timeout = duration(fetch.DefaultTimeout)
	f.Var(&w.timeout, "timeout", "longest time for one document with all its attempts; 0 for any")
	f.IntVar(&w.retries, "retries", fetch.DefaultRetries, "retry a failed request `N` times")
	w.retryWait = duration(fetch.DefaultRetryWait)
	f.Var(&w.retryWait, "retry-wait", "longest wait before a retry; a longer Retry-After fails at once")
	f.StringVar(&w.userAgent, "user-agent", "", "User-Agent `TEXT`, with a way to reach you; its first word is looked up in robots.txt")
	f.StringArrayVar(&w.headers, "header", nil, "send this header `FIELD`, 'Name: value'; again for more")
	f.StringVar(&w.proxy, "proxy", "", "`URL` of a proxy (default: of the environment); hosts are looked up here too, unless --allow-private")
	f.BoolVar(&w.allowPrivate, "allow-private", false, "allow loopback, private and other addresses that are not public, and every port")
}

// duration is a time.Duration whose flag also takes a bare number, of seconds.
type duration time.Duration

func (d *duration) Set(s string) error {
	v, err := time.ParseDuration(s)
	if n, numErr := strconv.ParseFloat(s, 64); err != nil && numErr == nil {
		if v, err = time.Duration(n*float64(time.Second)), nil; !(n < math.MaxInt64/float64(time.Second)) {
			return errors.New("out of range")
		}
	}
	if err == nil && v < 0 {
		err = errors.New("negative duration")
	}
	*d = duration(v)
	return err
}

func (d *duration) String() string {
	s := time.Duration(*d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return s
}

// Type names the value in help.
func (d *duration) Type() string { return "DURATION" }

// orNone returns d as a field in which zero means a default and a negative value
// none.
func (d duration) orNone() time.Duration {
	if d == 0 {
		return -1
	}
	return time.Duration(d)
}

// zeroIsNone returns n as a field in which zero means a default and a negative
// value none.
func zeroIsNone(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// fetcher returns what fetches for a walk.
func (w *walkFlags) fetcher() (*fetch.Client, error) {
	c := &fetch.Client{
		UserAgent:            w.userAgent,
		RobotsAgent:          productOf(w.userAgent),
		Timeout:              w.timeout.orNone(),
		Retries:              zeroIsNone(w.retries),
		RetryWait:            w.retryWait.orNone(),
		MaxBytes:             w.limit.bytes,
		AllowPrivateNetworks: w.allowPrivate,
	}
	limiter := &fetch.HostLimiter{MaxPause: w.retryWait.orNone()}
	c.Limiter = limiter
	if n := w.concurrency; n > 0 {
		limiter.Total, limiter.PerHost, limiter.PerAddress = n, n, n
	}
	if w.proxy != "" {
		u, err := url.Parse(w.proxy)
		if err != nil || u.Host == "" {
			return nil, errors.New("--proxy: want the URL of a proxy, as http://host:port")
		}
		c.Proxy = http.ProxyURL(u)
	}
	var err error
	c.Header, err = parseHeaders(w.headers)
	return c, err
}

// productOf returns the first word of a user agent, without its version.
func productOf(agent string) string {
	product, _, _ := strings.Cut(strings.TrimSpace(agent), " ")
	product, _, _ = strings.Cut(product, "/")
	return product
}

// fixedFields are the header fields that a request's URL and way decide.
var fixedFields = map[string]bool{
	"Accept-Encoding": true, "Connection": true, "Content-Length": true, "Host": true, "Range": true,
	"Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

func parseHeaders(fields []string) (http.Header, error) {
	h := http.Header{}
	for _, field := range fields {
		name, value, ok := strings.Cut(field, ":")
		name, value = textproto.CanonicalMIMEHeaderKey(textproto.TrimString(name)), textproto.TrimString(value)
		if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, errors.New("--header: want 'Name: value'")
		}
		if fixedFields[name] || strings.HasPrefix(name, "If-") {
			return nil, errors.New("--header: " + name + " is not for the caller to set")
		}
		h.Add(name, value)
	}
	return h, nil
}

// options returns the options of a walk.
func (w *walkFlags) options() (discover.Options, error) {
	o := discover.Options{
		VerifyHosts: zeroIsNone(w.verifyHosts),
		MaxDepth:    w.limit.depth,
		MaxSitemaps: w.limit.sitemaps,
		Limits:      w.limit.document(),
	}
	if o.MinTrust.UnmarshalText([]byte(w.minTrust)) != nil || o.MinTrust == 0 {
		return o, fmt.Errorf("--min-trust: no trust is called %q; there are untrusted, variant, verified, location, robots and caller", w.minTrust)
	}
	if w.since != "" {
		t, err := sitemap.ParseTime(w.since)
		if err != nil {
			return o, fmt.Errorf("--since: %q is no W3C datetime such as 2024-05-06 or 2024-05-06T07:08:09Z", w.since)
		}
		o.Since = t.Start()
	}
	if w.follow != "" {
		re, err := regexp.Compile(w.follow)
		if err != nil {
			return o, fmt.Errorf("--follow: %w", err)
		}
		o.Follow = func(s *discover.Sitemap) bool { return re.MatchString(s.Loc) }
	}
	return o, nil
}

// check refuses values that mean nothing.
func (w *walkFlags) check() error {
	switch {
	case w.as != "" && w.as != "site" && w.as != "sitemap":
		return fmt.Errorf("--as: want site or sitemap, not %q", w.as)
	case w.progress != "auto" && w.progress != "always" && w.progress != "never":
		return fmt.Errorf("--progress: want auto, always or never, not %q", w.progress)
	case !httpguts.ValidHeaderFieldValue(w.userAgent):
		return errors.New("--user-agent: no value of a header field")
	}
	for _, set := range []struct {
		flag  string
		value int64
	}{
		{"retries", int64(w.retries)}, {"concurrency", int64(w.concurrency)}, {"verify-hosts", int64(w.verifyHosts)}, {"max-urls", w.maxURLs},
	} {
		if set.value < 0 {
			return fmt.Errorf("--%s takes no negative number", set.flag)
		}
	}
	return nil
}

// usageOf turns errors of RunE's own checks into those of usage.
func usageOf(cmd *cobra.Command, errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return misuse(cmd, err)
		}
	}
	return nil
}
