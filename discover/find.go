package discover

import (
	"context"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/parse"
)

// Find returns the sitemaps of a site: those that its robots.txt names. If it names none, Find
// returns the first known path that holds one and that robots.txt does not disallow for our agent.
// Failing that, it returns the first sitemap that the home page names by <link rel="sitemap">.
//
// A site is a host or an http or https URL; its path only serves to find known paths. A host
// without a scheme is tried by https, then by http if https cannot be connected to, or its TLS
// handshake fails for another reason than the certificate. With credentials or
// [fetch.Client.Header] it is tried by https only.
//
// The error is [ErrSite], [ErrUnreachable], a [*NoSitemapError] or ctx's. If robots.txt breaks off,
// Find returns the sitemaps that it named before together with the error.
func (c *Client) Find(ctx context.Context, site string) ([]*Sitemap, error) {
	f, st, err := c.siteRobots(ctx, site, nil)
	if err != nil {
		return nil, err
	}
	if len(f.Sitemaps) > 0 {
		return f.seeds(), f.cut.err
	}
	tried := []Attempt{{f.url, f.none}}
	for sm := range c.candidates(ctx, st, f, &Options{}, &tried) {
		got := c.get(ctx, fetch.Request{URL: sm.Loc, Origins: []string{st.Named()}})
		err := isSitemap(got)
		got.close()
		if err == nil {
			return []*Sitemap{sm}, nil
		}
		tried = append(tried, Attempt{sm.Loc, err})
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, &NoSitemapError{Site: st.URL.String(), Tried: tried}
}

// isSitemap returns nil if the document is a sitemap: it has an entry, or ends without an error.
func isSitemap(got answer) error {
	if got.err != nil {
		return got.err
	}
	d, err := parse.NewReader(got.doc.Body, &sitemap.Options{
		Base: got.doc.URL, ContentType: got.doc.Header.Get("Content-Type"), SkipExtensions: true,
	})
	if err != nil {
		return err
	}
	for _, err := range d.Entries() {
		return err
	}
	return nil
}
