package discover

import (
	"slices"
	"strings"
	"testing"
)

// TestLateGrantOfDroppedURLs: a document all of whose URLs were dropped has late grants as
// others have.
func TestLateGrantOfDroppedURLs(t *testing.T) {
	w := newWeb()
	w.serve("https://www.example.com/robots.txt", "Sitemap: https://www.example.com/i1.xml\nSitemap: https://d.example.net/i2.xml\n")
	for _, loc := range []string{"https://www.example.com/i1.xml", "https://d.example.net/i2.xml"} {
		w.serve(loc, index("https://c.example.org/map.xml"))
	}
	w.serve("https://c.example.org/map.xml", urlset("https://d.example.net/page"))
	l := walkSite(w.client(), "https://www.example.com", Options{})
	if len(l.urls) != 0 || !slices.ContainsFunc(l.problems, isLateGrant("https://c.example.org/map.xml", "d.example.net")) {
		t.Errorf("%q, problems %q", l.urls, l.problems)
	}
}

// TestLateVerification: a host that would verify a document by the index that lists it
// again has a late grant.
func TestLateVerification(t *testing.T) {
	for _, second := range []string{"https://www.example.com/i2.xml", "https://www.example.com/i3.xml"} {
		w := newWeb()
		w.serve("https://www.example.com/robots.txt", "Sitemap: https://www.example.com/i1.xml\nSitemap: https://www.example.com/i2.xml\n")
		w.serve("https://www.example.com/i1.xml", index("https://www.example.com/doc.xml"))
		w.serve("https://www.example.com/i2.xml", index("https://www.example.com/doc.xml"))
		w.serve("https://www.example.com/doc.xml", urlset("https://shop.example.com/x"))
		w.serve("https://shop.example.com/robots.txt", "Sitemap: "+second)
		l := walkSite(w.client(), "https://www.example.com", Options{})
		late := slices.ContainsFunc(l.problems, isLateGrant("https://www.example.com/doc.xml", "shop.example.com"))
		if named := strings.Contains(second, "i2"); len(l.urls) != 0 || late != named {
			t.Errorf("%s named: %q, problems %q", second, l.urls, l.problems)
		}
	}
}

func isLateGrant(of, host string) func(string) bool {
	return func(problem string) bool {
		return strings.HasPrefix(problem, of+" late_grant ") && strings.Contains(problem, host)
	}
}
