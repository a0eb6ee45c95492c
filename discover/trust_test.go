package discover

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

// A scenario is one of testdata/trust.txt.
type scenario struct {
	name   string
	attack bool
	web    *web
	target []string // the line that says what is walked
	want   []string
}

func readScenarios(t *testing.T) []*scenario {
	t.Helper()
	data, err := os.ReadFile("testdata/trust.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []*scenario
	for text := range strings.Lines(string(data)) {
		text = strings.TrimSpace(text)
		if name, ok := strings.CutPrefix(text, "## "); ok {
			s := &scenario{web: newWeb()}
			s.name, s.attack = strings.CutPrefix(name, "attack: ")
			all = append(all, s)
			continue
		}
		if fields := strings.Fields(text); len(all) > 0 && len(fields) > 1 {
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
		pages, children := urlset(f[2:i]...), index(f[i+1:]...)
		s.web.serve(f[0], strings.TrimSuffix(children, "</sitemapindex>")+pages[strings.Index(pages, "<url>"):strings.Index(pages, "</urlset>")]+"</sitemapindex>")
	case f[1] == "redirect":
		s.web.redirect(f[0], f[2])
	case f[1] == "status":
		s.web.status(f[0], map[string]int{"404": http.StatusNotFound, "503": http.StatusServiceUnavailable}[f[2]])
	default:
		t.Fatalf("%s: line %q", s.name, f)
	}
}

// walk walks the scenario.
func (s *scenario) walk(t *testing.T, concurrency int) *log {
	t.Helper()
	c := s.web.client()
	c.Concurrency = concurrency
	o := Options{MinTrust: Untrusted}
	switch {
	case s.target[0] == "site":
		return walkSite(c, s.target[1], o)
	case s.target[1] != "robots":
		return walkFrom(c, named(s.target[1:]...), o)
	}
	var from []*Sitemap
	for _, loc := range s.target[2:] {
		base, err := url.Parse(loc)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := s.web.RoundTrip((&http.Request{URL: base}).WithContext(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		robots, err := ParseRobots(resp.Body, base)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		from = append(from, robots.Sitemaps...)
	}
	return walkFrom(c, from, o)
}

func TestTrustScenarios(t *testing.T) {
	all := readScenarios(t)
	attacks := 0
	for _, s := range all {
		if s.attack {
			attacks++
		}
		t.Run(s.name, func(t *testing.T) {
			l := s.walk(t, 16)
			if l.err != nil {
				t.Error(l.err)
			}
			equal(t, "verdicts", l.urls, s.want)
		})
	}
	if len(all) < 100 || attacks*3 < len(all) {
		t.Errorf("%d scenarios, %d of them attacks", len(all), attacks)
	}
}

// TestTrustIsIndependentOfConcurrency: the same verdicts in the same order,
// however many documents are fetched at once.
func TestTrustIsIndependentOfConcurrency(t *testing.T) {
	for _, s := range readScenarios(t) {
		for _, concurrency := range []int{1, 2, 5} {
			if l := s.walk(t, concurrency); !slices.Equal(l.urls, s.want) {
				t.Errorf("%s: at concurrency %d: %q", s.name, concurrency, l.urls)
			}
		}
	}
	for seed := range uint64(30) {
		w, seeds := randomWeb(rand.New(rand.NewPCG(seed, 1)))
		var first *log
		for _, concurrency := range []int{1, 3, 16} {
			c := w.client()
			c.Concurrency = concurrency
			l := walkFrom(c, seeds, Options{MinTrust: Untrusted, VerifyHosts: -1})
			if first == nil {
				first = l
			}
			if !slices.Equal(l.urls, first.urls) || !slices.Equal(l.problems, first.problems) {
				t.Errorf("web %d: concurrency %d differs from 1", seed, concurrency)
			}
		}
	}
}

// TestLateGrants: whatever the order of the seeds and of the children, each URL
// that another order would have trusted more is listed by a document that has a
// late grant, or that is below one.
func TestLateGrants(t *testing.T) {
	late := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		w, seeds := randomWeb(r)
		best, found := map[string]Trust{}, []map[string]*verdict{}
		for range 4 {
			got := verdicts(w.client(), seeds)
			for k, v := range got {
				best[k] = max(best[k], v.trust)
			}
			found = append(found, got)
			r.Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
		}
		for i, got := range found {
			for k, v := range got {
				if v.late {
					late++
				}
				if v.trust < best[k] && !v.late {
					t.Errorf("web %d, order %d: %s is %v, in another order %v, and nothing is late", seed, i, k, v.trust, best[k])
				}
			}
		}
	}
	if late == 0 {
		t.Error("no grant was late in any web")
	}
}

// A verdict is that on a URL of one document.
type verdict struct {
	trust Trust
	late  bool // a document on the way to it has a late grant
}

func verdicts(c *Client, seeds []*Sitemap) map[string]*verdict {
	late := map[*Sitemap]bool{}
	at := map[string]*Sitemap{}
	got := map[string]*verdict{}
	o := &Options{MinTrust: Untrusted, VerifyHosts: -1}
	o.Report = func(s *Sitemap, p sitemap.Problem) {
		if p.Code.String() == "late_grant" {
			late[s] = true
		}
	}
	for u, err := range c.Walk(context.Background(), seeds, o) {
		if err == nil {
			k := u.Sitemap.Loc + " " + u.Loc
			at[k], got[k] = u.Sitemap, &verdict{trust: u.Trust}
		}
	}
	for k, s := range at {
		for ; s != nil; s = s.Referrer {
			got[k].late = got[k].late || late[s]
		}
	}
	return got
}

// randomWeb returns a web of documents on a few hosts, indexes that refer to each
// other in all ways, and seeds that some robots.txt files name.
func randomWeb(r *rand.Rand) (*web, []*Sitemap) {
	w := newWeb()
	hosts := []string{"https://a.test", "https://b.test", "https://c.test", "http://a.test"}
	dirs := []string{"/", "/x/", "/x/y/"}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	var locs []string
	for i := range 12 {
		locs = append(locs, fmt.Sprintf("%s%s%d.xml", pick(hosts), pick(dirs), i))
	}
	for i, loc := range locs {
		if i < 7 {
			var kids []string
			for range 1 + r.IntN(4) {
				kids = append(kids, pick(locs))
			}
			w.serve(loc, index(kids...))
			continue
		}
		var pages []string
		for range 4 {
			pages = append(pages, pick(hosts)+pick(dirs)+"page")
		}
		slices.Sort(pages)
		w.serve(loc, urlset(slices.Compact(pages)...))
	}
	var seeds []*Sitemap
	for range 4 {
		host := pick(hosts)
		seeds = append(seeds, &Sitemap{Loc: pick(locs), RobotsURL: host + "/robots.txt", Line: 1, Scope: Scope{RobotsGrants(host + "/robots.txt")}})
	}
	return w, seeds
}

func TestScopeIsAPlainValue(t *testing.T) {
	g, ok := LocationGrant("https://Example.com:443/a/./b/../s.xml?x=/y/")
	if want := (Grant{"https", "example.com", "/a/", ByLocation}); !ok || g != want {
		t.Errorf("LocationGrant = %+v, want %+v", g, want)
	}
	scope := Scope{RobotsGrants("https://host1.test/robots.txt")}.With(g)
	text, err := json.Marshal(scope)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"grants":[{"host":"host1.test","dir":"/","by":"robots"},{"scheme":"https","host":"example.com","dir":"/a/","by":"location"}]}`
	if string(text) != want {
		t.Errorf("JSON %s\nwant %s", text, want)
	}
	var back Scope
	if err := json.Unmarshal(text, &back); err != nil || !slices.Equal(back.Grants, scope.Grants) {
		t.Errorf("read back as %+v, %v", back, err)
	}
	for loc, want := range map[string]Trust{
		"http://host1.test/x": ByRobots, "https://example.com/a/x": ByLocation, "https://example.com/": Untrusted,
		"ftp://host1.test/": Untrusted, "//host1.test/": Untrusted, "": Untrusted, "host1.test/x": Untrusted,
	} {
		if got := back.Trust(loc); got != want {
			t.Errorf("Trust(%q) = %v, want %v", loc, got, want)
		}
	}
	if (Scope{}).Trust("https://host1.test/") != Untrusted {
		t.Error("an empty scope trusts")
	}
	if got, want := g.String(), "https://example.com/a/ (location)"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

// TestEscapedSlashes: a grant by location, and what it covers, hold however the slashes and
// backslashes that are escaped are read, before the dot segments are removed or after.
func TestEscapedSlashes(t *testing.T) {
	for _, tt := range []struct{ path, dir string }{ // "" for no grant
		{"/uploads%2Fs.xml", "/uploads/"},
		{"/uploads\\s.xml", "/uploads/"},
		{"/users/bob/x%2Fy/../s.xml", "/users/bob/x/"},
		{"/users/bob/x%2Fy%2Fz/../../../s.xml", "/users/bob/"},
		{"/users/bob/x%5cy%5Cz/../%2e%2e/.%2E/s.xml", "/users/bob/"},
		{"/users/bob/x%2Fy%5Cz/../../../s.xml", "/users/bob/"},
		{"/a/x%2F..%2F..%2Fusers%2Fbob%2Fs.xml", ""},
		{"/a/..%2Fb%2Fs.xml", ""},
		{"/a/x\\..\\..\\b\\s.xml", ""},
		{"/a/x%2F../../b/s.xml", ""},
		{"/a/b/../s.xml", "/a/"},
	} {
		g, ok := LocationGrant("https://a.test" + tt.path)
		if ok != (tt.dir != "") || g.Dir != tt.dir {
			t.Errorf("LocationGrant of %s is %v, %v, want %q", tt.path, g, ok, tt.dir)
		}
	}
	scope := Scope{[]Grant{{Scheme: "https", Host: "a.test", Dir: "/b/", By: ByLocation}}}
	for path, want := range map[string]Trust{
		"/b/x%2Fy": ByLocation, "/b/c/x%2Fy/../z": ByLocation, "/c/../b/z": ByLocation, "/b/c/../z": ByLocation,
		"/secret/x%2Fy/../../b/z": Untrusted, "/secret/x\\y/../../b/z": Untrusted, "/b/x%2F..%2F..%2Fsecret": Untrusted,
		"/b/../x%2Fy": Untrusted, "/secret/x%5cy/%2e%2e/.%2e/b/z": Untrusted,
	} {
		if got := scope.Trust("https://a.test" + path); got != want {
			t.Errorf("Trust of %s is %v, want %v", path, got, want)
		}
		if got, _ := newJudge(scope, nil).trust("https://a.test" + path); got != want {
			t.Errorf("a judge says %v of %s, want %v", got, path, want)
		}
	}
	whole := Scope{RobotsGrants("https://a.test/robots.txt")}
	if got := whole.Trust("https://a.test/secret/x%2Fy/../../b/z"); got != ByRobots {
		t.Errorf("Trust of a host's own is %v", got)
	}
}

// TestDocKeyOfEscapedSlashes: paths that some servers tell apart have keys of their own.
func TestDocKeyOfEscapedSlashes(t *testing.T) {
	const crafted = "https://a.test/users/bob/x%2Fy%2Fz/../../../s.xml"
	if docKey(crafted) == docKey("https://a.test/s.xml") {
		t.Error("another document has the key of /s.xml")
	}
	if docKey(crafted) != docKey("https://A.test:443/%75sers/bob/x%2fy%2fz/%2e%2e/../../s.xml#x") {
		t.Error("two spellings of a document have keys of their own")
	}
}

func TestScopeWith(t *testing.T) {
	whole := Grant{Host: "a.test", Dir: "/", By: ByRobots}
	part := Grant{Scheme: "https", Host: "a.test", Dir: "/x/", By: ByLocation}
	strong := Grant{Host: "a.test", Dir: "/x/", By: ByCaller}
	s := Scope{[]Grant{whole}}
	if got := s.With(part); len(got.Grants) != 1 {
		t.Errorf("a grant that adds nothing was added: %v", got)
	}
	a, b := s.With(strong), s.With(Grant{Host: "b.test", Dir: "/", By: ByRobots})
	if a.Grants[1] != strong || b.Grants[1].Host != "b.test" || len(s.Grants) != 1 {
		t.Errorf("scopes share memory: %v %v %v", s, a, b)
	}
	if got := a.Trust("https://a.test/x/1"); got != ByCaller {
		t.Errorf("the strongest is %v", got)
	}
	if got := (Scope{[]Grant{part}}).missing(a); len(got) != 2 {
		t.Errorf("missing %v", got)
	}
}

func TestTrustText(t *testing.T) {
	for _, tr := range []Trust{0, Untrusted, ByVariant, ByVerification, ByLocation, ByRobots, ByCaller} {
		text, err := tr.MarshalText()
		var back Trust
		if err != nil || back.UnmarshalText(text) != nil || back != tr {
			t.Errorf("%v comes back as %v", tr, back)
		}
	}
	if !(Untrusted < ByVariant && ByVariant < ByVerification && ByVerification < ByLocation && ByLocation < ByRobots && ByRobots < ByCaller) {
		t.Error("not ordered")
	}
	var tr Trust
	if tr.UnmarshalText([]byte("sure")) == nil {
		t.Error("read an unknown trust")
	}
	if got := Trust(99).String(); got != "invalid" {
		t.Errorf("String of 99 is %q", got)
	}
}

// FuzzJudge: a judge says what Scope.Trust does.
func FuzzJudge(f *testing.F) {
	f.Add("https://a.test/x/1", "https://www.a.test/", "https://a.test/x/s.xml")
	f.Add("http://a.test/x/%2e%2e/y", "http://a.test/x/../x/y?z", "https://A.test./x/s.xml")
	f.Add("https://a.test:443\\x", "https://u@a.test/x#", "https://a.test")
	f.Fuzz(func(t *testing.T, first, second, served string) {
		scope := Scope{RobotsGrants("https://a.test/robots.txt")}
		if g, ok := LocationGrant(served); ok {
			scope = scope.With(g, Grant{Host: g.Host, Dir: "/deep/", By: ByCaller})
		}
		j := newJudge(scope, nil)
		for _, loc := range []string{first, second, first, second + "/x", first + "?"} {
			if got, _ := j.trust(loc); got != scope.Trust(loc) {
				t.Errorf("%q: judge says %v, the scope %v", loc, got, scope.Trust(loc))
			}
		}
	})
}
