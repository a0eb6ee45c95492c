package discover

import (
	"testing"

	"github.com/seed-322c453a/sitemap/fetch"
)

// The location of a seed has no credentials, and is kept where it cannot be read.
func TestSeedLoc(t *testing.T) {
	for loc, want := range map[string]string{
		" https://example.com/s.xml\n":            "https://example.com/s.xml",
		"https://user:secret@example.com/s.xml":   "https://example.com/s.xml",
		"https://example.com/a@b.xml":             "https://example.com/a@b.xml",
		"https://user:secret@example.com:port/":   "https://example.com:port/",
		"https://user:secret@bücher.example/ä":    "https://xn--bcher-kva.example/%C3%A4",
		"https://example.com/%zz/a@b?q=ä b&c=%20": "https://example.com/%zz/a@b?q=ä b&c=%20",
	} {
		if got := seedLoc(&Sitemap{Loc: loc}); got != want {
			t.Errorf("%q: %q, want %q", loc, got, want)
		}
	}
}

// The site of a seed is that of the robots.txt or home page that led to it, else its own.
func TestSeedSite(t *testing.T) {
	byRobots := &Sitemap{Loc: "https://cdn.example/index.xml", RobotsURL: "https://a.example/robots.txt"}
	byHome := &Sitemap{Loc: "https://cdn.example/index.xml", HomeURL: "https://b.example/"}
	alone := &Sitemap{Loc: "https://cdn.example/index.xml"}
	for want, s := range map[string]*Sitemap{
		"a.example":   {Loc: "https://other.example/s.xml", Referrer: byRobots},
		"b.example":   {Loc: "https://other.example/s.xml", Referrer: byHome},
		"cdn.example": {Loc: "https://other.example/s.xml", Referrer: alone},
		"d.example":   {Loc: "https://other.example/s.xml", Referrer: alone, HomeURL: "https://d.example/"},
	} {
		if st, err := seedSite(s); err != nil || st.Host() != want {
			t.Errorf("%+v: %v, %v; want %s", s, st, err, want)
		}
	}
}

// A Client without a fetch.Client limits the requests to one host too.
func TestClient_Concurrency(t *testing.T) {
	for n, want := range map[int]int{1: 1, 3: 3, 9: 4} {
		c := &Client{Concurrency: n}
		if l := c.fetcher().Limiter.(*fetch.HostLimiter); l.Total != n || l.PerHost != want {
			t.Errorf("Concurrency %d: %d requests, %d to a host; want %d",
				n, l.Total, l.PerHost, want)
		}
	}
	if c := (&Client{}); c.fetcher().Limiter != nil {
		t.Error("a limiter of its own without Concurrency")
	}
}
