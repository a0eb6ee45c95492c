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
)

// MaxBytes is how much of a page is read.
const MaxBytes = 1 << 20

// maxLinks is how many sitemaps a page may name.
const maxLinks = 10

// Sitemaps returns the http and https URLs that a page at base names in its head, each once and
// without credentials and fragment. It returns what precedes an error of r.
func Sitemaps(r io.Reader, base *url.URL) []string {
	var locs []string
	for t := html.NewTokenizer(io.LimitReader(r, MaxBytes)); len(locs) < maxLinks; {
		kind := t.Next()
		tag := t.Token()
		if kind == html.ErrorToken || tag.DataAtom == atom.Body {
			break
		}
		if tag.DataAtom != atom.Link || kind == html.EndTagToken {
			continue
		}
		if loc := target(tag, base); loc != "" && !slices.Contains(locs, loc) {
			locs = append(locs, loc)
		}
	}
	return locs
}

// target returns the URL of a link to a sitemap, "" for other links.
func target(link html.Token, base *url.URL) string {
	rel, href := "", ""
	for _, a := range link.Attr {
		switch a.Key {
		case "rel":
			rel = a.Val
		case "href":
			href = strings.TrimSpace(a.Val)
		}
	}
	if href == "" || !slices.Contains(strings.Fields(strings.ToLower(rel)), "sitemap") {
		return ""
	}
	u, err := base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	u.User, u.Fragment = nil, ""
	return u.String()
}
