package discover_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

// A scenario is one of testdata/trust.txt.
type scenario struct {
	name   string
	attack bool
	web    *web
	target []string // the line that says what is walked
	want   []string
}

func readScenarios(t *testing.T) (all []*scenario) {
	t.Helper()
	data, err := os.ReadFile("testdata/trust.txt")
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(string(data)) {
		text = strings.TrimSpace(text)
		if name, ok := strings.CutPrefix(text, "## "); ok {
			s := &scenario{web: newWeb()}
			s.name, s.attack = strings.CutPrefix(name, "attack: ")
			all = append(all, s)
		} else if fields := strings.Fields(text); len(all) > 0 && len(fields) > 1 {
			all[len(all)-1].line(t, fields)
		}
	}
	return all
}

func (s *scenario) line(t *testing.T, f []string) {
	t.Helper()
	switch {
	case f[0] == "=":
		s.want = append(s.want, f[1]+" "+f[2])
	case f[0] == "site" || f[0] == "walk":
		s.target = f
	case f[1] == "robots":
		s.web.serve(f[0], "Sitemap: "+strings.Join(f[2:], "\nSitemap: "))
	case f[1] == "robots-forbid":
		s.web.serve(f[0], "User-agent: *\nDisallow: /\nSitemap: "+strings.Join(f[2:], "\nSitemap: "))
	case f[1] == "urlset":
		s.web.serve(f[0], urlset(f[2:]...))
	case f[1] == "index":
		s.web.serve(f[0], index(f[2:]...))
	case f[1] == "mixed":
		i := slices.Index(f, "child")
		s.web.serve(f[0], mixed(f[2:i], f[i+1:]))
	case f[1] == "home":
		s.web.serve(f[0], "<head><link rel=sitemap href=\""+f[2]+"\"></head>")
	case f[1] == "redirect":
		s.web.redirect(f[0], f[2])
	case f[1] == "status":
		s.web.answer(f[0], answer{status: map[string]int{"404": 404, "503": 503}[f[2]]})
	default:
		t.Fatalf("%s: line %q", s.name, f)
	}
}

func (s *scenario) walk(t *testing.T, concurrency int) *result {
	t.Helper()
	c := s.web.client()
	c.Concurrency = concurrency
	o := discover.Options{MinTrust: trust.Untrusted}
	switch {
	case s.target[0] == "site":
		return s.web.site(t, c, s.target[1], o)
	case s.target[1] != "robots":
		return s.web.walk(t, c, seeds(s.target[1:]...), o)
	}
	var from []*discover.Sitemap
	for _, loc := range s.target[2:] {
		base, err := url.Parse(loc)
		if err != nil {
			t.Fatal(err)
		}
		r, err := robots.Parse(strings.NewReader(s.web.answers[loc](nil).body), base)
		if err != nil {
			t.Fatal(err)
		}
		for _, named := range r.Sitemaps {
			from = append(from, &discover.Sitemap{Loc: named.Loc, RobotsURL: loc, Grants: trust.Grants(trust.FromRobots, loc, nil, nil)})
		}
	}
	return s.web.walk(t, c, from, o)
}

func TestTrust_Scenarios(t *testing.T) {
	all := readScenarios(t)
	attacks := 0
	for _, s := range all {
		if s.attack {
			attacks++
		}
		t.Run(s.name, func(t *testing.T) {
			for _, concurrency := range []int{16, 1} {
				r := s.walk(t, concurrency)
				if r.err != nil {
					t.Error(r.err)
				}
				equal(t, fmt.Sprint("verdicts at concurrency ", concurrency), r.verdicts(), s.want)
				for _, u := range r.urls {
					checkGrant(t, r, u)
				}
			}
		})
	}
	if len(all) < 100 || attacks*3 < len(all) {
		t.Errorf("%d scenarios, %d of them attacks", len(all), attacks)
	}
}

// checkGrant checks that the grant of a URL is one of its document, and gives its level.
func checkGrant(t *testing.T, r *result, u discover.URL) {
	t.Helper()
	if u.Trust == trust.Untrusted {
		if u.Grant != (trust.Grant{}) {
			t.Errorf("%s has the grant %v", u.Loc, u.Grant)
		}
		return
	}
	if scope := r.sums[u.Sitemap.Loc].Scope; !slices.Contains(scope, u.Grant) {
		t.Errorf("%s has the grant %v, its document %v", u.Loc, u.Grant, scope)
	}
	if level, _ := (trust.Scope{u.Grant}).Judge(u.Loc); level != u.Trust {
		t.Errorf("%s has the grant %v, but the level %v", u.Loc, u.Grant, u.Trust)
	}
}

// TestTrust_RandomWebs: the verdicts of a walk are those of a plain reading of the rules, whatever
// Concurrency is.
func TestTrust_RandomWebs(t *testing.T) {
	for seed := range randomWebs(60) {
		w := newRandomWeb(rand.New(rand.NewPCG(seed, 1)))
		want := w.verdicts()
		var first *result
		for _, concurrency := range []int{1, 16} {
			c := w.client()
			c.Concurrency = concurrency
			r := w.walk(t, c, w.seeds, discover.Options{MinTrust: trust.Untrusted, VerifyHosts: -1})
			equal(t, fmt.Sprint("web ", seed, ", concurrency ", concurrency), r.verdicts(), want)
			if first == nil {
				first = r
			}
			equal(t, fmt.Sprint("web ", seed, ": problems"), r.problems, first.problems)
		}
	}
}

// A randomWeb is a web of indexes that refer to each other in all ways, URL sets and redirects.
type randomWeb struct {
	*web
	children, pages map[string][]string
	to              map[string]string // redirects
	seeds           []*discover.Sitemap
}

func newRandomWeb(r *rand.Rand) *randomWeb {
	w := &randomWeb{newWeb(), map[string][]string{}, map[string][]string{}, map[string]string{}, nil}
	hosts := []string{"https://a.test", "https://b.test", "https://www.a.test", "http://a.test"}
	dirs := []string{"/", "/x/", "/x/y/"}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	var locs []string
	for i := range 14 {
		locs = append(locs, fmt.Sprintf("%s%s%d.xml", pick(hosts), pick(dirs), i))
	}
	for i, loc := range locs {
		if i >= 12 {
			w.to[loc] = locs[r.IntN(12)]
			w.redirect(loc, w.to[loc])
			continue
		}
		for range r.IntN(4) {
			w.pages[loc] = append(w.pages[loc], pick(hosts)+pick(dirs)+"page")
		}
		w.serve(loc, urlset(w.pages[loc]...))
		if i < 7 {
			for range 1 + r.IntN(4) {
				w.children[loc] = append(w.children[loc], pick(locs))
			}
			w.serve(loc, mixed(w.pages[loc], w.children[loc]))
		}
	}
	for range 4 {
		robotsURL := pick(hosts) + "/robots.txt"
		grants := trust.Grants(trust.FromRobots, robotsURL, nil, nil)
		for range r.IntN(3) {
			_, host, _ := strings.Cut(pick(hosts), "://")
			grants = append(grants, trust.Grant{
				Scheme: pick([]string{"", "https"}), Host: host, Dir: pick(dirs), By: trust.Verified + trust.Level(r.IntN(4)),
			})
		}
		w.seeds = append(w.seeds, &discover.Sitemap{Loc: pick(locs), RobotsURL: robotsURL, Line: 1, Grants: grants})
	}
	return w
}

// verdicts reads the web by the rules of package trust.
func (w *randomWeb) verdicts() (list []string) {
	bySeeds := map[string][]trust.Scope{}
	for _, s := range w.seeds {
		bySeeds[s.Loc] = append(bySeeds[s.Loc], s.Grants)
	}
	seen := map[string]bool{}
	var visit func(loc string, scope trust.Scope)
	visit = func(loc string, scope trust.Scope) {
		final := loc
		if to := w.to[loc]; to != "" {
			final = to
		}
		if seen[loc] || seen[final] {
			seen[loc] = true
			return
		}
		seen[loc], seen[final] = true, true
		var hops []string
		if final != loc {
			hops = []string{final}
		}
		scope = trust.Grants(trust.FromIndex, loc, hops, scope)
		for _, above := range bySeeds[loc] {
			scope = scope.With(trust.Grants(trust.FromRobots, loc, hops, above)...)
		}
		for _, above := range bySeeds[final] {
			scope = scope.With(trust.Grants(trust.FromRobots, final, nil, above)...)
		}
		for _, p := range w.pages[final] {
			level, _ := scope.Judge(p)
			list = append(list, p+" "+level.String())
		}
		for _, c := range w.children[final] {
			visit(c, scope)
		}
	}
	for _, s := range w.seeds {
		visit(s.Loc, nil)
	}
	return list
}

// TestTrust_MinTrust: pages below MinTrust are dropped, reported and counted.
func TestTrust_MinTrust(t *testing.T) {
	w := newWeb()
	const e, c = "https://www.example.com", "https://cdn.test"
	w.serve(e+"/robots.txt", "Sitemap: "+c+"/s.xml")
	pages := []string{e + "/robots", c + "/location", "https://blog.example.com/verified", "https://example.com/variant", "https://other.test/"}
	w.serve(c+"/s.xml", urlset(pages...))
	w.serve("https://blog.example.com/robots.txt", "Sitemap: "+c+"/s.xml")
	for _, tt := range []struct {
		min       trust.Level
		want      string
		untrusted int
	}{
		{0, "robots location verified variant", 1},
		{trust.Untrusted, "robots location untrusted variant untrusted", 0},
		{trust.Variant, "robots location verified variant", 1},
		{trust.Verified, "robots location verified", 2},
		{trust.Location, "robots location", 3},
		{trust.Robots, "robots", 4},
		{trust.Caller, "", 5},
	} {
		r := w.site(t, nil, e, discover.Options{MinTrust: tt.min})
		var got []string
		for _, u := range r.urls {
			got = append(got, u.Trust.String())
		}
		if tt.min == trust.Untrusted {
			// With every page yielded, what would verify one is asked too.
			tt.want = "robots location verified variant untrusted"
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("MinTrust %v: %q, want %q", tt.min, got, tt.want)
		}
		sum := r.sums[c+"/s.xml"]
		if n := len(r.with("untrusted_loc")); n != tt.untrusted || sum.Problems[sitemap.UntrustedLoc] != n {
			t.Errorf("MinTrust %v: %q, counted %d",
				tt.min, r.problems, sum.Problems[sitemap.UntrustedLoc])
		}
		counted := int64(0)
		for _, n := range sum.ByTrust {
			counted += n
		}
		if counted != 5 || sum.ByTrust[trust.Robots] != 1 || r.err != nil {
			t.Errorf("MinTrust %v: counted %v, %v", tt.min, sum.ByTrust, r.err)
		}
	}
}

// TestTrust_GrantsOfSeeds: a seed has the grants that it was given, or that of the caller if it has
// none and nothing else named it; those of seeds of one document are merged.
func TestTrust_GrantsOfSeeds(t *testing.T) {
	w := newWeb()
	w.serve("https://cdn.test/s.xml",
		urlset("https://a.test/1", "https://b.test/2", "https://cdn.test/3"))
	of := func(u string) trust.Scope { return trust.Grants(trust.FromCaller, u, nil, nil) }
	const cdn = "https://cdn.test/s.xml"
	for name, tt := range map[string]struct {
		from []*discover.Sitemap
		want string
	}{
		"by location only": {[]*discover.Sitemap{{Loc: cdn, RobotsURL: "https://a.test/robots.txt"}}, "untrusted untrusted location"},
		"of an index":      {[]*discover.Sitemap{{Loc: cdn, Referrer: &discover.Sitemap{Loc: "https://a.test/i.xml"}}}, "untrusted untrusted location"},
		"by the caller":    {[]*discover.Sitemap{{Loc: cdn}}, "untrusted untrusted caller"},
		"given":            {[]*discover.Sitemap{{Loc: cdn, Grants: of("https://a.test")}}, "caller untrusted location"},
		"merged":           {[]*discover.Sitemap{{Loc: cdn, Grants: of("https://a.test")}, {Loc: cdn}, {Loc: cdn, Grants: of("https://b.test")}}, "caller caller caller"},
	} {
		before := fmt.Sprintf("%+v", *tt.from[0])
		r := w.walk(t, nil, tt.from, discover.Options{MinTrust: trust.Untrusted})
		var got []string
		for _, u := range r.urls {
			got = append(got, u.Trust.String())
		}
		if strings.Join(got, " ") != tt.want || len(r.problems) > 0 {
			t.Errorf("%s: %q, want %q, %q", name, got, tt.want, r.problems)
		}
		if after := fmt.Sprintf("%+v", *tt.from[0]); after != before {
			t.Errorf("%s: the walk changed %s to %s", name, before, after)
		}
	}
}

// TestTrust_LateGrant: a document that another index would have given more grants after it was read
// has one problem, and is not read again.
func TestTrust_LateGrant(t *testing.T) {
	w := newWeb()
	const s = "https://cdn.test/s.xml"
	w.serve("https://a.test/i.xml", index(s))
	w.serve("https://b.test/i.xml", index(s))
	w.serve("https://c.test/i.xml", index(s, s))
	w.serve(s, urlset("https://b.test/1", "https://cdn.test/2"))
	r := w.walk(t, nil, seeds("https://a.test/i.xml", "https://b.test/i.xml", "https://c.test/i.xml"), discover.Options{})
	equal(t, "verdicts", r.verdicts(), []string{"https://cdn.test/2 location"})
	equal(t, "late", r.with("late_grant"), []string{s + " late_grant " + s})
	if w.hits(s) != 1 {
		t.Errorf("%d requests", w.hits(s))
	}
	// The location of a document that redirected is known.
	w.redirect("https://cdn.test/old.xml", "https://x.test/s.xml")
	w.serve("https://x.test/s.xml", urlset("https://x.test/1"))
	w.serve("https://x.test/i.xml", index("https://cdn.test/old.xml"))
	from := []*discover.Sitemap{{Loc: "https://cdn.test/old.xml", RobotsURL: "https://a.test/robots.txt"}, {Loc: "https://x.test/i.xml", RobotsURL: "https://a.test/robots.txt"}}
	if r := w.walk(t, nil, from, discover.Options{}); len(r.with("late_grant")) > 0 || len(r.urls) != 1 {
		t.Errorf("%q, %q", r.problems, r.verdicts())
	}
	// An index that adds nothing, and a document that lists an index above it, are no problem.
	for _, body := range []string{index("https://a.test/s.xml"), index("https://a.test/i.xml", "https://a.test/s.xml")} {
		w.serve("https://a.test/i.xml", index("https://a.test/s.xml", "https://a.test/j.xml"))
		w.serve("https://a.test/j.xml", body)
		w.serve("https://a.test/s.xml", urlset("https://a.test/1"))
		if r := w.walk(t, nil, seeds("https://a.test/i.xml"), discover.Options{}); len(r.with("late_grant")) > 0 {
			t.Errorf("%q", r.problems)
		}
	}
}

// TestTrust_ChildrenOfMovedIndex: children on the host that an index was asked for, or that served
// it, are not on another host.
func TestTrust_ChildrenOfMovedIndex(t *testing.T) {
	w := newWeb()
	w.redirect("https://a.test/i.xml", "https://b.test/i.xml")
	w.serve("https://b.test/i.xml", index("https://a.test/1", "https://b.test/2", "https://c.test/3"))
	r := w.walk(t, nil, seeds("https://a.test/i.xml"), discover.Options{})
	if got := r.with("foreign_child"); len(got) != 1 || !strings.Contains(got[0], "https://c.test/3") {
		t.Errorf("%q", got)
	}
}

// TestTrust_ForeignChildren: a child on another host is reported and fetched; at most MaxForeign of
// those that no grant covers.
func TestTrust_ForeignChildren(t *testing.T) {
	w := newWeb()
	const n = discover.MaxForeign + 30
	var children []string
	for i := range n {
		loc := fmt.Sprintf("https://h%d.test/s.xml", i)
		children = append(children, loc, "https://a.test/"+fmt.Sprint(i))
		w.serve(loc, urlset(loc+"/p"))
		w.serve(children[2*i+1], urlset("https://a.test/p"))
	}
	w.serve("https://a.test/i.xml", index(children...))
	r := w.walk(t, nil, seeds("https://a.test/i.xml"), discover.Options{MinTrust: trust.Untrusted})
	if got := len(r.with("foreign_child")); got != n {
		t.Errorf("%d problems", got)
	}
	if len(r.urls) != n+discover.MaxForeign {
		t.Errorf("%d URLs", len(r.urls))
	}
	wantLimit(t, r.err, "foreign", discover.MaxForeign, 30)
	if w.hits("https://h0.test/s.xml") != 1 || w.hits(fmt.Sprintf("https://h%d.test/s.xml", n-1)) != 0 {
		t.Error("not the first ones were fetched")
	}
	// Those that a grant covers have no limit.
	from := seeds("https://a.test/i.xml")
	for i := range 30 {
		loc := fmt.Sprintf("https://h%d.test/", i)
		from[0].Grants = from[0].Grants.With(trust.Grants(trust.FromCaller, loc, nil, nil)...)
	}
	if r := w.walk(t, nil, from, discover.Options{MinTrust: trust.Untrusted}); r.err != nil || len(r.urls) != 2*n {
		t.Errorf("with grants: %d URLs, %v", len(r.urls), r.err)
	}
}

// TestVerify_AsksOnce: a host is asked once for a walk, by its own scheme first, and only under the
// registrable domain of the site.
func TestVerify_AsksOnce(t *testing.T) {
	const e, blog = "https://www.example.com", "//blog.example.com"
	w := newWeb()
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/a.xml\nSitemap: "+e+"/b.xml")
	w.serve("https:"+blog+"/robots.txt", "Sitemap: "+e+"/a.xml")
	for _, name := range []string{"/a.xml", "/b.xml"} {
		w.serve(e+name, urlset("http:"+blog+"/1", "https:"+blog+"/2", e+"/3", "https:"+blog+"/4", "https://other.test/5"))
	}
	r := w.site(t, nil, e, discover.Options{VerifyHosts: 1})
	equal(t, "verdicts", r.verdicts(), []string{
		"http:" + blog + "/1 verified", "https:" + blog + "/2 verified", e + "/3 robots", "https:" + blog + "/4 verified",
		e + "/3 robots",
	})
	for _, loc := range []string{"http:" + blog + "/robots.txt", "https:" + blog + "/robots.txt"} {
		if w.hits(loc) != 1 {
			t.Errorf("%s was requested %d times", loc, w.hits(loc))
		}
	}
	if w.hits("https://other.test/robots.txt") != 0 {
		t.Error("a host of another domain was asked")
	}
	w.forget()
	r = w.site(t, nil, e, discover.Options{VerifyHosts: -1})
	if len(r.urls) != 2 || w.hits("https:"+blog+"/robots.txt") != 0 {
		t.Errorf("without VerifyHosts: %q", r.verdicts())
	}
}

// TestVerify_FullScope: a document with as many grants as it can have is read to its end.
func TestVerify_FullScope(t *testing.T) {
	const e, n = "https://www.example.com", 70
	w := newWeb()
	blogs := numbered("https://%d.example.com", n)
	pages := []string{e + "/1"}
	for _, blog := range blogs {
		w.serve(blog+"/robots.txt", "Sitemap: "+e+"/a.xml")
		pages = append(pages, blog+"/")
	}
	w.serve(e+"/a.xml", urlset(append(pages, e+"/2")...))
	r := w.walk(t, nil, seeds(e+"/a.xml"), discover.Options{VerifyHosts: n})
	if untrusted := len(r.with("untrusted_loc")); len(r.urls) < 60 || len(r.urls)+untrusted != n+2 {
		t.Errorf("%d URLs, %d untrusted ones, %v", len(r.urls), untrusted, r.err)
	}
}

// TestVerify_SlowHost: a host that does not answer holds a walk up for 15 s a scheme.
func TestVerify_SlowHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const e, blog = "https://www.example.com", "://blog.example.com"
		w := newWeb()
		w.serve(e+"/a.xml", urlset(e+"/1", "https"+blog+"/2", "https"+blog+"/3", e+"/4"))
		w.answer("https"+blog+"/robots.txt", answer{hang: true})
		w.answer("http"+blog+"/robots.txt", answer{hang: true})
		begun := time.Now()
		r := w.walk(t, nil, seeds(e+"/a.xml"), discover.Options{})
		if d := time.Since(begun); d != 30*time.Second || len(r.urls) != 2 || r.err != nil {
			t.Errorf("%q in %v, %v", r.verdicts(), d, r.err)
		}
	})
}

// TestYielded_MayBeKept: what a walk yields is read in another goroutine while the walk goes on,
// also when a host is verified in the middle of a document.
func TestYielded_MayBeKept(t *testing.T) {
	const e = "https://www.example.com"
	w := newWeb()
	w.serve(e+"/robots.txt", "Sitemap: "+e+"/i.xml")
	w.serve(e+"/i.xml", index(numbered(e+"/%d.xml", 4)...))
	for i := range 4 {
		host := fmt.Sprintf("https://h%d.example.com", i)
		pages := slices.Concat(numbered(e+"/%d", 50), numbered(host+"/%d", 50),
			numbered(e+"/x/%d", 50))
		w.serve(fmt.Sprintf("%s/%d.xml", e, i), urlset(pages...))
		w.serve(host+"/robots.txt", "Sitemap: "+e+"/i.xml")
	}
	urls := make(chan discover.URL, 10_000)
	sums := make(chan discover.Summary, 100)
	var wg sync.WaitGroup
	kept := map[string]int{}
	wg.Go(func() {
		for u := range urls {
			kept[fmt.Sprint(u.Trust, u.Sitemap, u.Sitemap.Grants, u.Sitemap.Referrer, u.Grant, u.LastMod)]++
		}
		for s := range sums {
			kept[fmt.Sprint(s.Scope, s.ByTrust, s.Problems, s.Referrers)]++
		}
	})
	o := &discover.Options{Done: func(_ *discover.Sitemap, s discover.Summary) { sums <- s }}
	n := 0
	for u, err := range w.client().URLs(t.Context(), e, o) {
		if err != nil {
			t.Error(err)
		}
		urls <- u
		n++
	}
	close(urls)
	close(sums)
	wg.Wait()
	if n != 600 || len(kept) < 8 {
		t.Errorf("%d URLs, %d kept", n, len(kept))
	}
}

// TestOnSite: OnSite is about the host of the site, or of what the caller named.
func TestOnSite(t *testing.T) {
	w := newWeb()
	pages := []string{example + "/1", "http://www.example.com/2", "https://cdn.test/3", "https://blog.example.com/4"}
	w.serve(example+"/robots.txt", "Sitemap: https://cdn.test/s.xml")
	w.serve("https://cdn.test/s.xml", urlset(pages...))
	on := func(r *result) (list string) {
		for _, u := range r.urls {
			list += map[bool]string{true: "y", false: "n"}[u.OnSite]
		}
		return list
	}
	o := discover.Options{MinTrust: trust.Untrusted}
	w.serve("https://www.example.com/robots.txt", "Sitemap: https://cdn.test/s.xml")
	for _, site := range []string{example, "https://www.example.com"} {
		if got := on(w.site(t, nil, site, o)); got != "yynn" {
			t.Errorf("site %s: %s", site, got)
		}
	}
	if got := on(w.walk(t, nil, seeds("https://cdn.test/s.xml"), o)); got != "nnyn" {
		t.Errorf("seed of the caller: %s", got)
	}
	from := []*discover.Sitemap{{Loc: "https://cdn.test/s.xml", RobotsURL: example + "/robots.txt"}}
	if got := on(w.walk(t, nil, from, o)); got != "yynn" {
		t.Errorf("seed of a robots.txt: %s", got)
	}
}
