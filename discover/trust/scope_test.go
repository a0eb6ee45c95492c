package trust_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/trust"
)

// location returns the grant of the place of a document.
func location(t testing.TB, doc string) trust.Grant {
	t.Helper()
	scope := trust.Grants(trust.FromHome, doc, nil, nil)
	if len(scope) != 1 {
		t.Fatalf("grants of the location %s: %v", doc, scope)
	}
	return scope[0]
}

// robotsOf returns the scope of a robots.txt.
func robotsOf(loc string) trust.Scope { return trust.Grants(trust.FromRobots, loc, nil, nil) }

// judge reports each verdict of s that differs from want.
func judge(t *testing.T, s trust.Scope, want map[string]trust.Level) {
	t.Helper()
	for loc, level := range want {
		got, by := s.Judge(loc)
		if got != level {
			t.Errorf("%v: %s is %v, want %v", s, loc, got, level)
		}
		switch {
		case got == trust.Untrusted && by != trust.Grant{}:
			t.Errorf("%v: %s is untrusted by %v", s, loc, by)
		case got > trust.Untrusted && !slices.Contains(s, by), got > trust.Variant && by.By != got:
			t.Errorf("%v: %s is %v by %v", s, loc, got, by)
		}
	}
}

// TestScope_SitemapsOrgCrossSubmits is the example of sitemaps.org, "Sitemaps & Cross Submits":
// three hosts that keep their sitemaps on a fourth.
func TestScope_SitemapsOrgCrossSubmits(t *testing.T) {
	hosts := []string{"www.host1.com", "www.host2.com", "www.host3.com"}
	for i, host := range hosts {
		doc := fmt.Sprintf("http://www.sitemaphost.com/sitemap-host%d.xml", i+1)
		alone := trust.Scope{location(t, doc)}
		named := alone.With(robotsOf("http://" + host + "/robots.txt")...)
		for _, other := range hosts {
			level := trust.Untrusted
			if other == host {
				level = trust.Robots
			}
			judge(t, alone, map[string]trust.Level{"http://" + other + "/page": trust.Untrusted})
			judge(t, named, map[string]trust.Level{"http://" + other + "/page": level})
		}
		judge(t, named, map[string]trust.Level{"http://www.sitemaphost.com/page": trust.Location})
	}
}

// TestGrants_SitemapsOrg is the example of sitemaps.org, "Sitemap file location".
func TestGrants_SitemapsOrg(t *testing.T) {
	here := location(t, "http://example.com/catalog/sitemap.xml")
	judge(t, trust.Scope{here}, map[string]trust.Level{
		"http://example.com/catalog/show?item=23":            trust.Location,
		"http://example.com/catalog/show?item=233&user=3453": trust.Location,
		"http://example.com/image/show?item=23":              trust.Untrusted,
		"http://example.com/image/show?item=233&user=3453":   trust.Untrusted,
		// the example leaves it out
		"https://example.com/catalog/page1.php":  trust.Variant,
		"http://example.com:8080/catalog/":       trust.Untrusted,
		"http://example.com/catalog":             trust.Untrusted,
		"http://example.com/catalogue/":          trust.Untrusted,
		"http://example.com/catalog/../image/":   trust.Untrusted,
		"http://example.com/image/../catalog/x":  trust.Location,
		"http://example.com/%63atalog/x":         trust.Location,
		"HTTP://Example.COM.:80/catalog/x#part":  trust.Location,
		"http://user@example.com/catalog/":       trust.Location,
		"http://example.com@other.test/catalog/": trust.Untrusted,
		"http://example.com.other.test/catalog/": trust.Untrusted,
	})
}

func TestScope_Variants(t *testing.T) {
	byLocation := trust.Scope{location(t, "https://example.com/a/s.xml")}
	judge(t, byLocation, map[string]trust.Level{
		"https://example.com/a/x":         trust.Location,
		"http://example.com/a/x":          trust.Variant,
		"https://www.example.com/a/x":     trust.Variant,
		"http://www.example.com/a/x":      trust.Variant,
		"https://www.www.example.com/a/x": trust.Untrusted,
		"https://m.example.com/a/x":       trust.Untrusted,
		"https://www.example.com/b/x":     trust.Untrusted,
		"https://example.com:8443/a/x":    trust.Untrusted,
		"http://www.example.com:80/a/x":   trust.Variant,
		"http://www.example.com:443/a/x":  trust.Untrusted,
	})
	judge(t, robotsOf("https://www.example.com:8443/robots.txt"), map[string]trust.Level{
		"https://www.example.com:8443/x": trust.Robots,
		"http://www.example.com:8443/x":  trust.Robots, // a robots.txt speaks for both schemes
		"https://example.com:8443/x":     trust.Variant,
		"https://www.example.com/x":      trust.Untrusted,
	})
	judge(t, trust.Scope{location(t, "https://example.com:8443/s.xml")}, map[string]trust.Level{
		"https://example.com:8443/x": trust.Location,
		// http and https are variants on default ports only
		"http://example.com:8443/x": trust.Untrusted,
	})
	judge(t, trust.Scope{location(t, "https://[2001:DB8::1]/s.xml")}, map[string]trust.Level{
		"https://[2001:db8:0::1]/x":    trust.Location,
		"http://[2001:db8::1]/x":       trust.Variant,
		"https://[2001:db8::1]:8443/x": trust.Untrusted,
	})
	judge(t, robotsOf("https://bücher.example/robots.txt"), map[string]trust.Level{
		"https://xn--bcher-kva.example/x": trust.Robots,
		"https://BÜCHER.example/x":        trust.Robots,
		"https://www.bücher.example/x":    trust.Variant,
	})
}

func TestScope_NoURL(t *testing.T) {
	scope := robotsOf("https://example.com/robots.txt")
	for _, loc := range []string{
		"", "/", "//example.com/", "example.com/x", "ftp://example.com/", "https://",
		"https://example.com:port/", "mailto:x@example.com",
	} {
		judge(t, scope, map[string]trust.Level{loc: trust.Untrusted})
	}
	judge(t, nil, map[string]trust.Level{"https://example.com/": trust.Untrusted})
}

func TestScope_StrongestGrant(t *testing.T) {
	whole := trust.Grant{Host: "a.test", Dir: "/", By: trust.Robots}
	deep := trust.Grant{Host: "a.test", Dir: "/x/", By: trust.Caller}
	here := trust.Grant{Scheme: "https", Host: "www.a.test", Dir: "/", By: trust.Location}
	weak := trust.Grant{Host: "b.test", Dir: "/", By: trust.Untrusted}
	scope := trust.Scope{here, whole, deep, weak}
	for loc, want := range map[string]trust.Grant{
		"https://a.test/":      whole,
		"https://a.test/x/1":   deep,
		"https://www.a.test/x": here,
		"https://b.test/":      {},
	} {
		if _, got := scope.Judge(loc); got != want {
			t.Errorf("%s: granted by %v, want %v", loc, got, want)
		}
	}
	// Of several variants, the first counts.
	if level, got := scope.Judge("http://www.a.test/x/"); level != trust.Variant || got != here {
		t.Errorf("%v by %v, want %v", level, got, here)
	}
}

func TestScope_With(t *testing.T) {
	whole := trust.Grant{Host: "a.test", Dir: "/", By: trust.Robots}
	part := trust.Grant{Scheme: "https", Host: "a.test", Dir: "/x/", By: trust.Location}
	strong := trust.Grant{Host: "a.test", Dir: "/x/", By: trust.Caller}
	other := trust.Grant{Host: "b.test", Dir: "/", By: trust.Robots}
	for _, tt := range []struct{ scope, add, want trust.Scope }{
		{nil, nil, nil},
		{nil, trust.Scope{whole, whole}, trust.Scope{whole}},
		{trust.Scope{whole}, trust.Scope{part}, trust.Scope{whole}},
		{trust.Scope{part}, trust.Scope{whole}, trust.Scope{part, whole}},
		{trust.Scope{whole}, trust.Scope{strong, part, other}, trust.Scope{whole, strong, other}},
		{
			trust.Scope{part}, trust.Scope{{Host: "a.test", Dir: "/x/y/", By: trust.Location}},
			trust.Scope{part, {Host: "a.test", Dir: "/x/y/", By: trust.Location}},
		},
		{
			trust.Scope{part},
			trust.Scope{{Scheme: "https", Host: "a.test", Dir: "/xy/", By: trust.Location}},
			trust.Scope{part, {Scheme: "https", Host: "a.test", Dir: "/xy/", By: trust.Location}},
		},
	} {
		if got := tt.scope.With(tt.add...); !slices.Equal(got, tt.want) {
			t.Errorf("%v with %v is %v, want %v", tt.scope, tt.add, got, tt.want)
		}
	}
}

func TestScope_WithSharesNoMemory(t *testing.T) {
	grant := func(host string) trust.Grant {
		return trust.Grant{Host: host, Dir: "/", By: trust.Robots}
	}
	s := make(trust.Scope, 0, 8).With(grant("a.test"), grant("b.test"), grant("c.test"))
	x, y := s.With(grant("x.test")), s.With(grant("y.test"))
	if len(s) != 3 || x[3] != grant("x.test") || y[3] != grant("y.test") {
		t.Errorf("%v, with x %v, with y %v", s, x, y)
	}
}

func TestScope_AtMost64Grants(t *testing.T) {
	var grants []trust.Grant
	for i := range 100 {
		grants = append(grants, robotsOf(fmt.Sprintf("https://%d.test/robots.txt", i))...)
	}
	if got := trust.Scope(nil).With(grants...); !slices.Equal(got, grants[:64]) {
		t.Errorf("%d grants: %v", len(got), got)
	}
}

// TestScope_WithKeepsVerdicts: with grants added, a URL has the strongest of the levels that each
// of them gives.
func TestScope_WithKeepsVerdicts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	hosts := []string{"a.test", "www.a.test", "b.test", "a.test:81"}
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for range 2_000 {
		var grants []trust.Grant
		for range 1 + r.IntN(8) {
			grants = append(grants, trust.Grant{
				Scheme: pick("", "http", "https"), Host: pick(hosts...),
				Dir: pick("/", "/x/", "/x/y/", "/z/"), By: trust.Variant + trust.Level(r.IntN(5)),
			})
		}
		loc := pick("http://", "https://") + pick(hosts...) + pick("/", "/x/1", "/x/y/1", "/z/1")
		want := trust.Untrusted
		for _, g := range grants {
			level, _ := trust.Scope{g}.Judge(loc)
			want = max(want, level)
		}
		if got, by := (trust.Scope{}).With(grants...).Judge(loc); got != want {
			t.Errorf("%v: %s is %v by %v, want %v", grants, loc, got, by, want)
		}
	}
}

func TestScope_JSON(t *testing.T) {
	scope := robotsOf("https://host1.test/robots.txt")
	scope = scope.With(location(t, "https://Example.com:443/a/s.xml"))
	text, err := json.Marshal(scope)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"host":"host1.test","dir":"/","by":"robots"},` +
		`{"scheme":"https","host":"example.com","dir":"/a/","by":"location"}]`
	if string(text) != want {
		t.Errorf("JSON %s\nwant %s", text, want)
	}
	var back trust.Scope
	if err := json.Unmarshal(text, &back); err != nil || !slices.Equal(back, scope) {
		t.Errorf("read back as %v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`[{"host":"a.test","dir":"/","by":"sure"}]`), &back); err == nil {
		t.Error("an unknown level is read")
	}
}

func FuzzScope_Judge(f *testing.F) {
	f.Add("https://a.test/x/s.xml", "https://a.test/x/1")
	f.Add("http://a.test:81/x/%2e%2e/y", "http://a.test/x/../x/y?z")
	f.Add("https://a.test:443\\x", "https://u@a.test/x#")
	f.Fuzz(func(t *testing.T, doc, loc string) {
		scope := trust.Grants(trust.FromHome, doc, nil, nil)
		if len(scope) == 0 {
			return
		}
		g := scope[0]
		level, by := trust.Scope{g}.Judge(loc)
		possible := []trust.Level{trust.Untrusted, trust.Variant, trust.Location}
		if !slices.Contains(possible, level) || (level > trust.Untrusted) != (by == g) {
			t.Errorf("%v: %q is %v by %v", g, loc, level, by)
		}
		caller := trust.Grants(trust.FromCaller, doc, nil, nil)
		if len(caller) != 1 || level == trust.Location && !covers(caller[0], loc) {
			t.Errorf("the whole host of %q does not cover %q", doc, loc)
		}
		if again := location(t, g.Scheme+"://"+g.Host+g.Dir+"s.xml"); again != g {
			t.Errorf("%v is %v when it is made of its own text", g, again)
		}
	})
}

func covers(g trust.Grant, loc string) bool {
	level, _ := trust.Scope{g}.Judge(loc)
	return level == g.By
}

func BenchmarkScope_Judge(b *testing.B) {
	for name, site := range map[string]string{
		"host": "https://example.com",
		"port": "https://example.com:8443",
	} {
		b.Run(name, func(b *testing.B) {
			scope := trust.Scope{location(b, site+"/s.xml")}
			scope = scope.With(robotsOf(site + "/robots.txt")...)
			loc := site + "/category/page-123.html"
			b.ReportAllocs()
			for b.Loop() {
				scope.Judge(loc)
			}
		})
	}
}
