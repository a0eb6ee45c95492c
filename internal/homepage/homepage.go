// Package homepage finds the sitemaps that a page names:
//
//	<link rel="sitemap" href="/sitemap.xml">
package homepage

import (
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/seed-322c453a/sitemap/internal/location"
)

// MaxBytes is how much of a page is read.
const MaxBytes = 1 << 20

// maxLinks is how many sitemaps a page may name.
const maxLinks = 10

// Sitemaps returns the http and https URLs that a page at base names in its head, each once and
// without credentials and fragment. A <base> before them counts. It returns what precedes an error
// of r.
func Sitemaps(r io.Reader, base *url.URL) []string {
	var locs []string
	isBased := false // only the first <base> counts
	for t := html.NewTokenizer(io.LimitReader(r, MaxBytes)); len(locs) < maxLinks; {
		kind := t.Next()
		tag := t.Token()
		if kind == html.ErrorToken || tag.DataAtom == atom.Body {
			break
		}
		rel, href := attributes(tag)
		isBase := tag.DataAtom == atom.Base && !isBased
		isLink := tag.DataAtom == atom.Link && slices.Contains(rel, "sitemap")
		if kind == html.EndTagToken || !isBase && !isLink || href == "" ||
			len(href) > location.MaxLen { // resolving many links with a long base takes long
			continue
		}
		u, err := base.Parse(href)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			continue
		}
		if isBase {
			base, isBased = u, true
			continue
		}
		u.User, u.Fragment = nil, ""
		if loc := u.String(); !slices.Contains(locs, loc) {
			locs = append(locs, loc)
		}
	}
	return locs
}

// attributes returns the words of rel in lower case, and href.
func attributes(tag html.Token) (rel []string, href string) {
	for _, a := range tag.Attr {
		switch a.Key {
		case "rel":
			rel = strings.Fields(strings.ToLower(a.Val))
		case "href":
			href = strings.TrimSpace(a.Val)
		}
	}
	return rel, href
}
