package discover

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
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

// TestVerificationByOtherURL: a host vouches for an index by whichever URL leads to it, as far
// as it is known by then, and else late.
func TestVerificationByOtherURL(t *testing.T) {
	const e, blog = "https://www.example.com", "https://blog.example.com"
	for _, test := range []struct {
		seeds, kids []string
		verified    bool
	}{
		{[]string{"/new.xml"}, []string{e + "/old.xml", e + "/posts.xml"}, true},
		{[]string{"/new.xml"}, []string{e + "/posts.xml", e + "/old.xml"}, false},
		{[]string{"/old.xml"}, []string{e + "/posts.xml"}, true},
		{[]string{"/posts.xml", "/old.xml"}, []string{e + "/posts.xml"}, false},
	} {
		w := newWeb()
		w.serve(e+"/robots.txt", "Sitemap: "+e+strings.Join(test.seeds, "\nSitemap: "+e))
		w.serve(e+"/new.xml", index(test.kids...))
		w.redirect(e+"/old.xml", e+"/new.xml")
		w.serve(e+"/posts.xml", urlset(blog+"/a"))
		for _, named := range []string{"/old.xml", "/new.xml"} {
			w.serve(blog+"/robots.txt", "Sitemap: "+e+named)
			l := walkSite(w.client(), e, Options{})
			late := slices.ContainsFunc(l.problems, func(p string) bool { return strings.Contains(p, "late_grant blog.example.com/") })
			switch known := named == "/new.xml" && test.seeds[0] != "/posts.xml"; {
			case test.verified || known:
				equal(t, named, l.urls, []string{blog + "/a verified"})
			case len(l.urls) > 0 || !late:
				t.Errorf("%v: %s named: %q, problems %q", test, named, l.urls, l.problems)
			}
		}
	}
}

// TestVerificationThatHangs: a host that does not answer whether it vouches holds a walk up for a
// while only.
func TestVerificationThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const e, blog = "https://www.example.com", "blog.example.com"
		w := newWeb()
		w.serve(e+"/a.xml", urlset(e+"/1", "https://"+blog+"/2", e+"/3"))
		for _, scheme := range []string{"https://", "http://"} {
			w.handle(scheme+blog+"/robots.txt", hang)
		}
		begun := time.Now()
		l := walkFrom(w.client(), named(e+"/a.xml"), Options{})
		if took := time.Since(begun); took != 2*verifyTime || len(l.urls) != 2 {
			t.Errorf("%q in %v", l.urls, took)
		}
	})
}

// TestVerificationByScheme: what a host says by one scheme holds for both, whichever of its URLs
// is listed first.
func TestVerificationByScheme(t *testing.T) {
	const e = "https://www.example.com"
	for name, test := range map[string]struct {
		listed, want []string
		verifyHosts  int
	}{
		"http first":  {[]string{"http://blog.example.com/1", "https://blog.example.com/2", "http://blog.example.com/3"}, []string{"http://blog.example.com/1 verified", "https://blog.example.com/2 verified", "http://blog.example.com/3 verified"}, 1},
		"https first": {[]string{"https://blog.example.com/2", "http://blog.example.com/1"}, []string{"https://blog.example.com/2 verified", "http://blog.example.com/1 verified"}, 1},
		"two hosts":   {[]string{"http://shop.example.com/1", "https://blog.example.com/2"}, nil, 1},
	} {
		w := newWeb()
		w.serve(e+"/robots.txt", "Sitemap: "+e+"/a.xml\nSitemap: "+e+"/b.xml\n")
		w.serve("https://blog.example.com/robots.txt", "Sitemap: "+e+"/a.xml\nSitemap: "+e+"/b.xml\n")
		w.serve(e+"/a.xml", urlset(test.listed...))
		w.serve(e+"/b.xml", urlset("http://blog.example.com/b"))
		want := test.want
		if want != nil {
			want = append(want, "http://blog.example.com/b verified")
		}
		l := walkSite(w.client(), e, Options{VerifyHosts: test.verifyHosts})
		equal(t, name, l.urls, want)
		if n := w.hits("http://blog.example.com/robots.txt"); n > 1 {
			t.Errorf("%s: asked %d times", name, n)
		}
	}
}

// TestLateGrantsAreBounded: documents that all refer to each other get a bounded number of grants of
// each other's locations, and what is left out is told.
func TestLateGrantsAreBounded(t *testing.T) {
	const e, n = "https://example.com/", 2*maxLate + 30
	w := newWeb()
	var locs []string
	for i := range n {
		locs = append(locs, fmt.Sprintf("%s%d/s.xml", e, i))
	}
	for _, loc := range locs {
		w.serve(loc, index(locs...))
	}
	seed := &Sitemap{Loc: locs[0], RobotsURL: e + "robots.txt"}
	l, c := &log{}, w.client()
	c.init()
	walk := newWalk(t.Context(), c, l.options(Options{}), func(URL, error) bool { return true })
	defer walk.close()
	walk.run([]*Sitemap{seed})
	if len(l.done) != n {
		t.Errorf("%d documents", len(l.done))
	}
	most := 0
	for _, r := range walk.graph.byKey {
		most = max(most, len(r.scope.Grants))
	}
	// An index hands its own on to those that it lists.
	if most > 2*maxLate+DefaultMaxDepth+1 {
		t.Errorf("a document has %d grants", most)
	}
	if !l.has(t, "late_grant others are left out") {
		t.Error("that some are left out was not told")
	}
}

// TestLateGrantsOfSeeds: the grants of all seeds that name one document come to it together, late
// or not, however many there are.
func TestLateGrantsOfSeeds(t *testing.T) {
	told := map[string]int{}
	g := graph{report: func(_ *Sitemap, p sitemap.Problem) { told[p.Text]++ }}
	var grants []Grant
	for i := range 3 * maxLate {
		grants = append(grants, Grant{Host: fmt.Sprintf("%d.example", i), Dir: "/", By: ByRobots})
	}
	r, kid := &record{sm: &Sitemap{}}, &record{sm: &Sitemap{}, scope: Scope{grants[:1:1]}}
	r.kids = []*record{kid}
	located, _ := LocationGrant("https://cdn.example/s.xml")
	g.grantLate(r, Scope{append(grants, located)})
	for name, s := range map[string]Scope{"document": r.scope, "child": kid.scope} {
		if missing := s.missing(Scope{grants}); len(missing) > 0 {
			t.Errorf("the %s lacks %d grants", name, len(missing))
		}
	}
	if len(told) != len(grants)+1 || told["others are left out"] != 1 || told[located.String()] > 0 {
		t.Errorf("told %v", told)
	}
}

func isLateGrant(of, host string) func(string) bool {
	return func(problem string) bool {
		return strings.HasPrefix(problem, of+" late_grant ") && strings.Contains(problem, host)
	}
}

// TestLateGrantsLeftOut: where a document lacks grants that were left out, so do those that it refers to
// and that have all that it got; where none was left out, nothing says so.
func TestLateGrantsLeftOut(t *testing.T) {
	const others = "others are left out"
	for extra, want := range []int{0, 1} {
		told := map[string]int{}
		g := graph{byKey: map[key]*record{}, report: func(s *Sitemap, p sitemap.Problem) { told[s.Loc+p.Text]++ }}
		var grants []Grant
		for i := range maxLate + extra {
			grants = append(grants, Grant{Host: fmt.Sprintf("%d.example", i), Dir: "/", By: ByLocation})
		}
		listed := g.begin(hashed("listed"), &Sitemap{Loc: "listed", Scope: Scope{grants[:maxLate:maxLate]}}, nil)
		index := g.begin(hashed("index"), &Sitemap{Loc: "index"}, nil)
		g.meet(index, index.scope, listed)
		g.meet(nil, Scope{grants}, index)
		late := g.begin(hashed("late"), &Sitemap{Loc: "late"}, nil)
		kid := g.begin(hashed("kid"), &Sitemap{Loc: "kid", Scope: index.scope}, index)
		g.meet(kid, kid.scope, late)
		for _, loc := range []string{"index", "listed", "late"} {
			if told[loc+others] != want {
				t.Errorf("%d more: of %s told %d times", extra, loc, told[loc+others])
			}
		}
	}
}
