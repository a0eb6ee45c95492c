package discover

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
)

const robotsRedirects = 5 // RFC 9309, section 2.3.1.2

// DefaultKnownPaths are tried, in this order, where a site's robots.txt names no
// sitemap. After them, the first two are tried below the path of the site, if it
// has one.
func DefaultKnownPaths() []string {
	return []string{"/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml", "/sitemap-index.xml", "/sitemap.xml.gz", "/sitemap.txt"}
}

var errDisallowed = errors.New("disallowed by robots.txt")

// Find returns the sitemaps of a site: those that its robots.txt names, else the
// first of the known paths that has one and is not disallowed for our agent. Those before
// it are passed over, whatever became of them; URLs tells of those that failed for now.
//
// A site is a host or an http or https URL, of which the path is used for known
// paths only. A host without a scheme is tried by https, then by http if https
// cannot be connected to, or its handshake fails other than by its certificate; with
// credentials, or secrets of the Fetcher's, by https only.
//
// The error is ErrSite, ErrUnreachable, a *NoSitemapError, or ctx's. Where robots.txt
// broke off, the sitemaps that it named before are returned with its *fetch.Error, or, if
// its gzip is damaged, *sitemap.ParseError.
func (c *Client) Find(ctx context.Context, site string) ([]*Sitemap, error) {
	f, err := c.find(ctx, site, &Options{})
	if err != nil {
		return nil, err
	}
	if f.probe != nil {
		f.probe.close()
	}
	// Those of a robots.txt are the cache's, and their grants.
	seeds := make([]*Sitemap, 0, len(f.seeds))
	for _, s := range f.seeds {
		s := *s
		s.Scope.Grants = slices.Clone(s.Scope.Grants)
		seeds = append(seeds, &s)
	}
	return seeds, f.cut
}

// Robots returns the robots.txt of a site, as Find reads it: from the cache if it
// is no older than a day. One that does not exist (a status below 500 other than 407 and 429,
// redirects that lead nowhere, an encoding other than gzip, which nobody asked for) names
// and forbids nothing (RFC 9309, section 2.3.1.3). The error is ErrSite, ErrUnreachable, or
// ctx's; where the robots.txt broke off after it had named sitemaps, what came is returned
// with its *fetch.Error or *sitemap.ParseError.
func (c *Client) Robots(ctx context.Context, site string) (*Robots, error) {
	c.init()
	st, err := parseSite(site)
	if err != nil {
		return nil, err
	}
	robots, _, err := c.siteRobots(ctx, st)
	return robots, err
}

// found are the sitemaps of a site.
type found struct {
	site   site
	robots *Robots
	seeds  []*Sitemap
	cut    error     // by which robots.txt broke off after the seeds
	missed []Attempt // known paths tried before that of the seed, that may have one another time
	probe  *fetched  // of the only seed, whose known path was tried; nil otherwise
}

func (c *Client) find(ctx context.Context, name string, o *Options) (*found, error) {
	c.init()
	st, err := parseSite(name)
	if err != nil {
		return nil, err
	}
	robots, st, err := c.siteRobots(ctx, st)
	if robots == nil {
		return nil, err
	}
	f := &found{site: st, robots: robots, cut: err, seeds: robots.Sitemaps}
	if len(f.seeds) > 0 {
		return f, nil
	}
	return c.tryKnownPaths(ctx, f, o)
}

// siteRobots returns the robots.txt of st, and st with the scheme that it was
// reached by. Neither credentials nor secrets of the Fetcher's go by http because https
// cannot be reached.
func (c *Client) siteRobots(ctx context.Context, st site) (*Robots, site, error) {
	robots, err := c.robotsAt(ctx, st)
	if err == nil || !st.bare || st.user != nil || c.hasSecrets() || !isUnconnected(err) {
		return robots, st, err
	}
	plain := st.withScheme("http")
	robots, plainErr := c.robotsAt(ctx, plain)
	if isUnconnected(plainErr) {
		return nil, st, err // neither can be connected to: what https said comes first
	}
	return robots, plain, plainErr
}

// isUnconnected reports whether http may do where https failed with err.
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

// robotsAt returns the robots.txt of st's origin; with an error, if it broke off after
// it had named sitemaps. Origins are the URLs that the caller named, none if that is
// st. Who comes while it is asked for gets what comes of that.
func (c *Client) robotsAt(ctx context.Context, st site, origins ...string) (*Robots, error) {
	at := st.at("/robots.txt")
	if st.user == nil {
		st.user = st.userAt(origins)
	}
	// What one user may not see, another may.
	key := st.request(at)
	for {
		a, isOurs := c.robots.ask(key)
		if isOurs {
			defer c.robots.end(key, a)
			if a.robots = c.robots.get(key); a.robots != nil {
				c.setDelay(a.robots, st.url)
			} else {
				a.robots, a.err = c.askRobots(ctx, st, at, origins)
			}
			a.counts = ctx.Err() == nil && !errors.Is(a.err, fetch.ErrRefused) // for origins that are not named, say
			return a.robots, a.err
		}
		tellSent(ctx)
		select {
		case <-a.over:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if a.counts {
			return a.robots, a.err
		}
	}
}

// askRobots is robotsAt for who asks for it.
func (c *Client) askRobots(ctx context.Context, st site, at string, origins []string) (*Robots, error) {
	robots, err := c.fetchRobots(ctx, st, at, origins)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if robots != nil {
			if robots.CrawlDelay(c.agent()) > 0 { // else it may be in the rest
				c.setDelay(robots, st.url)
			}
			return robots, err
		}
		return nil, &unreachable{err}
	}
	c.setDelay(robots, st.url)
	c.robots.put(st.request(at), robots)
	return robots, nil
}

// An answer is what the journal and a Summary tell of a response beside its document.
type answer struct {
	URL      string      `json:"url,omitempty"` // that answered
	Status   int         `json:"status,omitempty"`
	Attempts int         `json:"attempts,omitempty"`
	Hops     []fetch.Hop `json:"hops,omitempty"`
	Received int64       `json:"received,omitempty"` // over all fetches
}

// fetchRobots fetches a robots.txt, again where it breaks off. What came to most is
// returned with the error by which it broke off, if it named sitemaps.
func (c *Client) fetchRobots(ctx context.Context, st site, at string, origins []string) (best *Robots, cut error) {
	var received int64
	req := fetch.Request{URL: st.request(at), Origins: origins, MaxRedirects: robotsRedirects, MaxBytes: 2 * MaxRobots}
	for try := 1; ; try++ {
		doc, err := c.get(ctx, req)
		switch {
		case err != nil && best != nil:
			return best, cut
		case isUnavailable(err):
			return &Robots{URL: at, none: err}, nil
		case err != nil:
			return nil, err
		}
		robots, err := parseRobots(doc.Body, doc.URL, at, laterURLs(doc)...)
		req.Waited += doc.Waited()
		received += doc.Received()
		doc.Body.Close()
		if err == nil {
			return robots, nil
		}
		if len(robots.Sitemaps) > 0 && (best == nil || len(robots.Sitemaps) >= len(best.Sitemaps)) {
			best, cut = robots, err
			best.answer = &answer{URL: doc.URL.String(), Status: doc.Status, Attempts: doc.Attempts, Hops: doc.Hops}
		}
		if best != nil {
			best.answer.Received = received
		}
		// One that is silent behind what it names has most likely no more to say.
		isSilent := best != nil && errors.Is(err, fetch.ErrTimeout)
		if try >= c.tries() || isSilent || !errors.Is(err, fetch.ErrBody) {
			return best, cmp.Or(cut, err)
		}
		if err := sleep(ctx, backoff(try)); err != nil {
			return nil, err
		}
	}
}

// laterURLs returns where redirects led to, the URL that answered last.
func laterURLs(doc *fetch.Document) []string {
	if len(doc.Hops) == 0 {
		return nil
	}
	var later []string
	for _, hop := range doc.Hops[1:] {
		later = append(later, hop.URL)
	}
	return append(later, doc.URL.String())
}

// isUnavailable reports whether a robots.txt that cannot be had counts as one
// that does not exist (RFC 9309, sections 2.3.1.2 and 2.3.1.3).
func isUnavailable(err error) bool {
	var fe *fetch.Error
	switch {
	case !errors.As(err, &fe):
		return false
	case errors.Is(err, fetch.ErrStatus):
		return fe.Status < 500 && fe.Status != 429 && fe.Status != 407 // of a proxy
	case errors.Is(err, fetch.ErrRefused):
		return len(fe.Hops) > 0 || fe.Status != 0 // where a redirect leads, not the site itself
	}
	return errors.Is(err, fetch.ErrRedirect) || errors.Is(err, fetch.ErrEncoding)
}

func isTemporary(err error) bool {
	var fe *fetch.Error
	return errors.As(err, &fe) && fe.Temporary()
}

// backoff returns how long to wait before a body that broke off in so many tries is fetched again:
// 1 s, 2 s, and so on to 30 s.
func backoff(tries int) time.Duration { return time.Duration(min(tries, 30)) * time.Second }

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tryKnownPaths looks for a sitemap where sites usually have one.
func (c *Client) tryKnownPaths(ctx context.Context, f *found, o *Options) (*found, error) {
	tried := []Attempt{{f.robots.URL, f.robots.none}}
	for _, loc := range knownLocs(f.site, o) {
		if !f.robots.Allowed(c.agent(), loc) {
			tried = append(tried, Attempt{loc, errDisallowed})
			continue
		}
		if err := o.State.heldBack(loc); err != nil {
			tried = append(tried, Attempt{loc, err})
			continue
		}
		grant, _ := LocationGrant(loc)
		sm := &Sitemap{Loc: loc, Scope: Scope{[]Grant{grant}}}
		doc, err := c.probe(ctx, sm, f.site.request(loc), o)
		if err == nil {
			f.seeds = []*Sitemap{sm}
			f.probe, f.missed = doc, slices.DeleteFunc(tried, func(a Attempt) bool { return !isTemporary(a.Err) })
			return f, nil
		}
		if ctx.Err() != nil {
			return f, ctx.Err()
		}
		tried = append(tried, Attempt{loc, err})
	}
	return f, &NoSitemapError{Site: f.site.url.String(), Tried: tried}
}

// tellMissed tells of missed known paths as of documents, but for those that the walk came to
// later.
func (w *walk) tellMissed() {
	for _, m := range w.missed {
		c := &child{sm: &Sitemap{Loc: m.URL}, plans: &plans{key: keyOf(m.URL)}}
		if w.graph.byKey[c.key] != nil {
			continue
		}
		w.failures.add(&DocumentError{c.sm, m.Err})
		sum := Summary{Err: m.Err}
		sum.answered(m.Err)
		if held := (*heldBack)(nil); errors.As(m.Err, &held) {
			sum.Skipped = ByState
		}
		w.done(c, sum)
		w.state.missed(m.URL, m.Err)
	}
}

// knownLocs returns the locations to try, each once.
func knownLocs(st site, o *Options) []string {
	paths := o.knownPaths()
	if dir := st.dir(); o.KnownPaths == nil && dir != "/" {
		for _, p := range DefaultKnownPaths()[:2] {
			paths = append(paths, dir+p[1:])
		}
	}
	seen := map[string]bool{}
	var locs []string
	for _, p := range paths {
		loc := st.at(p)
		if k := docKey(loc); loc != "" && !seen[k] {
			seen[k] = true
			locs = append(locs, loc)
		}
	}
	return locs
}

// originSite returns the site of an origin.
func originSite(o location.Origin) site {
	return site{url: &url.URL{Scheme: o.Scheme, Host: o.Host}}
}
