package discover_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
)

const (
	evil   = "https://evil.test"
	victim = "https://victim.test"
	third  = "https://third.test"
)

// An attackWeb is a small web of an attacker, a victim and a third host. The victim has documents
// of its own, open redirects, and a folder in which the attacker has put files. Whatever the
// attacker can write names whatever there is.
type attackWeb struct {
	*web
	header map[string]bool // hosts that got the caller's header
}

func newAttackWeb(r *rand.Rand) *attackWeb {
	w := &attackWeb{newWeb(), map[string]bool{}}
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	pages := func() (locs []string) {
		for range 1 + r.IntN(3) {
			locs = append(locs, pick(evil, victim, third)+pick("/", "/u/", "/x/")+"page")
		}
		return locs
	}
	// The attacker may name its own documents, the victim's, and redirects on the victim.
	targets := []string{
		evil + "/s.xml", evil + "/i.xml", evil + "/x/s.xml", evil + "/go", third + "/s.xml",
		victim + "/s.xml", victim + "/i.xml", victim + "/robots.txt", victim + "/robots.txt?x",
		victim + "/u/s.xml", victim + "/u/i.xml", victim + "/u/robots.txt", victim + "/",
	}
	for _, to := range []string{evil + "/s.xml", evil + "/i.xml", evil + "/x/s.xml", evil + "/robots.txt"} {
		from := victim + "/x/go?" + url.QueryEscape(to)
		targets = append(targets, from, victim+"/go?"+url.QueryEscape(to))
		w.redirect(from, to)
		w.redirect(targets[len(targets)-1], to)
	}
	relative := []string{"/s.xml", "s.xml", "/i.xml", "/u/s.xml", "/x/s.xml", "//victim.test/u/s.xml"}
	named := func() (locs []string) {
		for range 1 + r.IntN(3) {
			locs = append(locs, pick(append(relative, targets...)...))
		}
		return locs
	}
	absolute := func() (locs []string) {
		for range 1 + r.IntN(3) {
			locs = append(locs, pick(targets...))
		}
		return locs
	}
	attacker := func(loc string) {
		switch name := loc[strings.LastIndexByte(loc, '/')+1:]; {
		case name == "" && loc == evil+"/":
			links := ""
			for _, to := range named() {
				links += `<link rel="sitemap" href="` + to + `">`
			}
			w.serve(loc, "<head>"+links+"</head>")
		case r.IntN(4) == 0 && strings.HasPrefix(loc, evil), name == "go":
			w.redirect(loc, pick(append(relative, targets...)...))
		case name == "robots.txt":
			w.serve(loc, "Sitemap: "+strings.Join(named(), "\nSitemap: "))
		case name == "i.xml":
			w.serve(loc, mixed(pages(), absolute()))
		default:
			w.serve(loc, urlset(pages()...))
		}
	}
	for _, loc := range []string{
		"/", "/s.xml", "/i.xml", "/x/s.xml", "/u/s.xml", "/go", "/robots.txt",
	} {
		if r.IntN(5) > 0 {
			attacker(evil + loc)
		}
	}
	for _, loc := range []string{"/u/s.xml", "/u/i.xml", "/u/robots.txt"} {
		attacker(victim + loc)
	}
	// The robots.txt files of the victim and the third host.
	if r.IntN(2) == 0 {
		w.serve(victim+"/robots.txt", "Sitemap: "+pick("/s.xml", "/i.xml", victim+"/s.xml"))
	}
	w.serve(victim+"/s.xml", urlset(victim+"/own", victim+"/x/own"))
	w.serve(victim+"/i.xml", index(victim+"/s.xml"))
	w.serve(third+"/s.xml", urlset(third+"/own"))
	for loc, f := range w.answers {
		w.handle(loc, func(r *http.Request) answer {
			if r.Header.Get("X-Key") != "" {
				w.header[r.URL.Host] = true
			}
			return f(r)
		})
	}
	return w
}

// TestTrust_Attacks: in random small webs with redirects, relative records and links of home pages,
// an attacker's files are credited with no page of the victim, except for pages in the folder where
// the files, or indexes above them, were served. The caller's header is sent to the site alone.
func TestTrust_Attacks(t *testing.T) {
	credited, webs := 0, randomWebs(300)
	for seed := range webs {
		w := newAttackWeb(rand.New(rand.NewPCG(seed, 7)))
		c := w.client()
		c.Concurrency = 1
		c.Fetch.Header = http.Header{"X-Key": {"secret"}}
		o := discover.Options{MinTrust: trust.Untrusted, VerifyHosts: -1,
			KnownPaths: []string{"/go"}}
		site := w.site(t, c, evil, o)
		found, _ := c.Find(t.Context(), evil)
		for _, r := range []*result{site, w.walk(t, c, found, o)} {
			for _, u := range r.urls {
				credited += w.check(t, seed, r, u)
			}
		}
		if w.header["victim.test"] || w.header["third.test"] {
			t.Errorf("web %d: the header went to %v", seed, w.header)
		}
	}
	if credited < int(webs)/3 {
		t.Errorf("only %d pages of other hosts were credited", credited)
	}
}

// check checks the verdict on a page that is not the attacker's. It returns 1 if it is credited.
func (w *attackWeb) check(t *testing.T, seed uint64, r *result, u discover.URL) int {
	t.Helper()
	if strings.HasPrefix(u.Loc, evil) || u.Trust == trust.Untrusted {
		return 0
	}
	owner, _, _ := strings.Cut(strings.TrimPrefix(u.Loc, "https://"), "/")
	for sm := u.Sitemap; sm != nil; sm = sm.Referrer {
		served := r.sums[sm.Loc].FinalURL
		isUpload := strings.HasPrefix(served, victim+"/u/")
		if isUpload && strings.HasPrefix(u.Loc, victim+"/u/") ||
			!isUpload && strings.HasPrefix(served, "https://"+owner+"/") {
			return 1
		}
	}
	t.Errorf("web %d: %s lists %s as %s by %v", seed, u.Sitemap, u.Loc, u.Trust, u.Grant)
	return 1
}

// TestFind_HeaderStaysAtTheSite: Walk(Find(site)) sends the caller's header to the site alone,
// whatever its home page or its robots.txt names.
func TestFind_HeaderStaysAtTheSite(t *testing.T) {
	for name, names := range map[string][2]string{
		"home page":  {example + "/", `<link rel="sitemap" href="https://cdn.test/s.xml">`},
		"robots.txt": {example + "/robots.txt", "Sitemap: https://cdn.test/s.xml"},
	} {
		w := newWeb()
		var got []string
		w.serve(names[0], names[1])
		w.handle("https://cdn.test/s.xml", func(r *http.Request) answer {
			got = append(got, fmt.Sprint(r.Header["X-Key"], r.Header["Authorization"]))
			return answer{body: urlset("https://cdn.test/1")}
		})
		c := w.client()
		c.Fetch = &fetch.Client{Transport: w, Retries: -1, Limiter: free{}, Header: http.Header{"X-Key": {"secret"}}}
		found, err := c.Find(t.Context(), "https://user:secret@example.com")
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v, %v", name, found, err)
		}
		r := w.walk(t, c, found, discover.Options{})
		if len(r.urls) != 1 || slices.ContainsFunc(got, func(s string) bool { return s != "[] []" }) {
			t.Errorf("%s: %q, %v, headers %q", name, r.verdicts(), r.err, got)
		}
		if want := name + " "; name == "home page" && found[0].String() != want+example+"/ → https://cdn.test/s.xml" {
			t.Errorf("%q", found[0].String())
		}
	}
}
