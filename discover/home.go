package discover

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"slices"

	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/homepage"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

// Causes of an [Attempt].
var (
	errDisallowed = errors.New("disallowed by robots.txt")
	errVisited    = errors.New("leads to a document that was tried before")
	errNoLink     = errors.New(`names no sitemap by <link rel="sitemap">`)
)

// candidates yields the locations where a site may have a sitemap: its known paths, and then the
// links of its home page. It adds locations that are not requested to tried.
func (c *Client) candidates(
	ctx context.Context, st siteurl.Site, f *robotsFile, o *Options, tried *[]Attempt,
) iter.Seq[*Sitemap] {
	return func(yield func(*Sitemap) bool) {
		locs := knownLocs(st, o)
		for _, loc := range locs {
			grants := trust.Grants(trust.FromKnownPath, loc, nil, nil)
			if !c.allows(f, loc) {
				*tried = append(*tried, Attempt{loc, errDisallowed})
			} else if !yield(&Sitemap{Loc: loc, Grants: grants}) {
				return
			}
		}
		if len(locs) == 0 || ctx.Err() != nil {
			return
		}
		home := st.At("/")
		links, err := c.linked(ctx, f, home, st.Named())
		if err != nil {
			*tried = append(*tried, Attempt{home, err})
		}
		for _, loc := range links {
			if !slices.Contains(locs, loc) && !yield(&Sitemap{Loc: loc, HomeURL: home}) {
				return
			}
		}
	}
}

// linked returns the sitemaps that a home page names by <link rel="sitemap">.
func (c *Client) linked(
	ctx context.Context, f *robotsFile, home, origin string,
) ([]string, error) {
	if !c.allows(f, home) {
		return nil, errDisallowed
	}
	origins := []string{origin}
	got := c.get(ctx, fetch.Request{URL: home, Origins: origins, MaxBytes: homepage.MaxBytes})
	defer got.close()
	if got.err != nil {
		return nil, got.err
	}
	locs := homepage.Sitemaps(got.doc.Body, got.doc.URL)
	if len(locs) == 0 {
		return nil, errNoLink
	}
	return locs, nil
}

// allows reports whether a robots.txt allows our agent to request a known path.
func (c *Client) allows(f *robotsFile, loc string) bool {
	u, err := url.Parse(loc)
	return err == nil && f.Allowed(c.fetcher().RobotsToken(), u)
}

// knownLocs returns the locations of the known paths, each once.
func knownLocs(st siteurl.Site, o *Options) []string {
	paths := o.KnownPaths
	if paths == nil {
		paths = DefaultKnownPaths()
		if dir := st.Dir(); dir != "/" {
			paths = append(paths, dir+"sitemap.xml", dir+"sitemap_index.xml")
		}
	}
	var locs []string
	for _, p := range paths {
		if loc := st.At(p); loc != "" && !slices.Contains(locs, loc) {
			locs = append(locs, loc)
		}
	}
	return locs
}

// DefaultKnownPaths returns the paths where sites usually have a sitemap. A walk tries them, in
// this order, if it finds none through robots.txt. After them it tries the first two below the path
// of the site, if it has one, and then the sitemaps that the home page names by
// <link rel="sitemap">.
func DefaultKnownPaths() []string {
	return []string{
		"/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml", "/sitemap-index.xml",
		"/sitemap.xml.gz", "/sitemap.txt",
	}
}
