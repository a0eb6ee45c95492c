package discover

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

// maxCrawlDelay is the longest Crawl-delay that is kept.
const maxCrawlDelay = 30 * time.Second

// otherRobotsTime is how long the robots.txt of a host is waited for that the caller has not named.
const otherRobotsTime = 15 * time.Second

// Robots returns the robots.txt of a site, from the cache if it is not older than a day.
//
// A robots.txt that does not exist names and forbids nothing (RFC 9309, section 2.3.1.3): the
// status is below 500 but not 407 or 429, a redirect leads nowhere, or it has an unknown
// Content-Encoding. Missing says which. The error is [ErrSite], [ErrUnreachable] or ctx's. If the
// file breaks off after it has named sitemaps, Robots returns the part that was read, together with
// the error.
//
// If site was found in a document, pass the URLs that the user named: see
// [fetch.Request.Origins]. Then secrets go to their origins only, and Robots waits for at most 15
// seconds.
func (c *Client) Robots(
	ctx context.Context, site string, named ...string,
) (*robots.File, error) {
	f, _, err := c.siteRobots(ctx, site, nil, named...)
	if err != nil {
		return nil, err
	}
	return f.File, f.cut.err
}

// siteRobots returns the robots.txt of a site, and the site with the scheme that it was reached by.
// A host named without a scheme is tried by https, then by http if https cannot be connected to;
// with credentials or header fields of the caller, which http would give away, by https only. A
// refused connection for https is retried only after http has failed too. If the caller named other
// URLs, the site is tried only as it stands.
func (c *Client) siteRobots(
	ctx context.Context, name string, o *Options, named ...string,
) (*robotsFile, siteurl.Site, error) {
	st, err := siteurl.Parse(name)
	if err != nil {
		return nil, st, fmt.Errorf("discover: %w: %w", ErrSite, err)
	}
	if len(named) > 0 {
		f, err := c.otherRobots(ctx, st, named, o)
		return f, st, err
	}
	private := st.User != nil || len(c.fetcher().Header) > 0
	st.Bare = st.Bare && !private
	f, err := c.robotsAt(ctx, st, []string{st.Named()}, o)
	if err == nil || !st.Bare || !isUnconnected(err) {
		return f, st, err
	}
	st.Bare = false
	plain := st.WithScheme("http")
	f, plainErr := c.robotsAt(ctx, plain, []string{plain.Named()}, o)
	if !isUnconnected(plainErr) {
		return f, plain, plainErr
	}
	if wasTriedOnce(err) {
		f, err = c.robotsAt(ctx, st, []string{st.Named()}, o)
	}
	return f, st, err // neither scheme works: report https, which was tried first
}

// otherRobots is robotsAt for a host that the caller has not named, which is waited for less long.
func (c *Client) otherRobots(
	ctx context.Context, st siteurl.Site, named []string, o *Options,
) (*robotsFile, error) {
	inner, cancel := context.WithTimeout(ctx, otherRobotsTime)
	defer cancel()
	f, err := c.robotsAt(inner, st, named, o)
	if err != nil && inner.Err() != nil && ctx.Err() == nil {
		err = &unreachableError{err}
	}
	return f, err
}

// wasTriedOnce reports whether err was not retried because of [fetch.Request.FailFast].
func wasTriedOnce(err error) bool {
	var fe *fetch.Error
	return errors.As(err, &fe) && fe.Attempts == 1 && fe.Temporary() && !fe.Timeout()
}

// isUnconnected reports whether http may work where https failed with err.
func isUnconnected(err error) bool {
	var (
		certificate *tls.CertificateVerificationError
		dns         *net.DNSError
	)
	if errors.As(err, &certificate) || errors.As(err, &dns) && dns.IsNotFound {
		return false
	}
	return errors.Is(err, fetch.ErrConnect)
}

// robotsAt returns the robots.txt of st's origin. Origins are the URLs that the caller named.
func (c *Client) robotsAt(
	ctx context.Context, st siteurl.Site, origins []string, o *Options,
) (*robotsFile, error) {
	at := st.At("/robots.txt")
	// A robots.txt that was requested with credentials, or with header fields for named origins,
	// may differ from that of other requests.
	private := strings.Contains(strings.Join(origins, " "), "@") ||
		len(c.fetcher().Header) > 0 && !slices.Contains(origins, st.Named())
	if !private {
		if f := c.robots.Get(at); f != nil {
			c.keepDelay(f)
			return f, nil
		}
	}
	f, err := c.fetchRobots(ctx, fetch.Request{URL: at, Origins: origins, FailFast: st.Bare}, o)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &unreachableError{err}
	case f.cut.err == nil && !private:
		c.robots.Put(at, f)
	}
	c.keepDelay(f)
	return f, nil
}

// fetchRobots fetches the robots.txt that req names.
func (c *Client) fetchRobots(
	ctx context.Context, req fetch.Request, o *Options,
) (*robotsFile, error) {
	at := req.URL
	req.MaxRedirects = 5               // RFC 9309, section 2.3.1.2
	req.MaxBytes = 2 * robots.MaxBytes // robots.Parse reports what is above its own limit
	got := c.get(ctx, req)
	defer got.close()
	hops := got.hops()
	if got.doc != nil {
		o.fetched(nil, got.doc)
	}
	f := &robotsFile{url: at, scope: trust.Grants(trust.FromRobots, at, hops, nil)}
	asked, _ := url.Parse(at)
	switch {
	case isUnavailable(got.err):
		f.File, _ = robots.Parse(strings.NewReader(""), asked) // it forbids nothing
		f.none, f.Missing = got.err, got.err
		return f, nil
	case got.err != nil:
		return nil, got.err
	}
	file, err := robots.Parse(got.doc.Body, spokenFor(asked, hops))
	f.File = file.For(asked)
	isCut := err != nil && !errors.Is(err, sitemap.ErrTooLarge)
	switch {
	case len(f.Sitemaps) == 0 && isCut:
		return nil, err
	case len(f.Sitemaps) == 0:
		f.none = noSitemapReason(f.File)
		if len(hops) > 0 { // the target may be the real site
			f.none = fmt.Errorf("%w (redirected to %s)", f.none, hops[len(hops)-1])
		}
	case isCut:
		f.cut = answer{doc: got.doc, err: err}
	}
	return f, nil
}

// spokenFor returns the last URL that a robots.txt speaks for, of the one that was asked and those
// that redirects led to. Relative records are resolved against it. A response under another path or
// query does not show where the owner's files are.
func spokenFor(asked *url.URL, hops []string) *url.URL {
	base := asked
	for _, hop := range hops {
		scope := trust.Grants(trust.FromRobots, hop, nil, nil)
		if len(scope) > 0 && scope[0].By == trust.Robots {
			base, _ = url.Parse(hop) // fetch has parsed it
		}
	}
	return base
}

var (
	errNamesNone = errors.New("names no sitemap")
	errHTML      = errors.New("names no sitemap: an HTML page instead of a robots.txt")
	errUnusable  = errors.New("names no sitemap: its Sitemap records hold no usable URL")
)

// noSitemapReason returns why a robots.txt names no sitemap.
func noSitemapReason(r *robots.File) error {
	for _, p := range r.Problems {
		switch {
		case p.Code == sitemap.RobotsHTML:
			return errHTML
		case p.Dropped:
			return errUnusable
		}
	}
	return errNamesNone
}

// isUnavailable reports whether a robots.txt that cannot be fetched counts as one that does not
// exist (RFC 9309, sections 2.3.1.2 and 2.3.1.3).
func isUnavailable(err error) bool {
	var fe *fetch.Error
	switch {
	case !errors.As(err, &fe):
		return false
	case errors.Is(err, fetch.ErrStatus):
		return fe.Status < 500 && fe.Status != 429 && fe.Status != 407 // 407 is a proxy's
	case errors.Is(err, fetch.ErrRefused):
		return len(fe.Hops) > 0 || fe.Status != 0 // a redirect leads there; the site was reached
	}
	return errors.Is(err, fetch.ErrRedirect) || errors.Is(err, fetch.ErrEncoding)
}

// keepDelay passes the Crawl-delay of a robots.txt to the limiter. It holds for the hosts that the
// robots.txt speaks for, and for their www variants unless their own robots.txt was read.
func (c *Client) keepDelay(f *robotsFile) {
	if f.Missing != nil {
		return
	}
	delay := min(f.CrawlDelay(c.fetcher().RobotsToken()), maxCrawlDelay)
	for _, g := range f.scope {
		c.setDelay(g.Host, delay)
		if www := wwwVariant(g.Host); delay > 0 && !c.hasRobots(www) {
			c.setDelay(www, delay)
		}
	}
}

// hasRobots reports whether the cache has a robots.txt of a host.
func (c *Client) hasRobots(host string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if f := c.robots.Get(scheme + host + "/robots.txt"); f != nil && f.Missing == nil {
			return true
		}
	}
	return false
}

// setDelay sets the delay of a host in both schemes.
func (c *Client) setDelay(host string, delay time.Duration) {
	for _, scheme := range []string{"http", "https"} {
		c.fetcher().SetDelay(&url.URL{Scheme: scheme, Host: host}, delay)
	}
}

// wwwVariant returns the host with a leading "www." added or removed.
func wwwVariant(host string) string {
	if bare, ok := strings.CutPrefix(host, "www."); ok {
		return bare
	}
	return "www." + host
}
