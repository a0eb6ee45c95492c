package discover_test

import (
	"errors"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
)

// refusal is the error of a connection to a port where nobody listens.
var refusal = answer{err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}

// TestSite_RefusedHTTPS: a bare host that refuses https is asked by http at once. If that fails
// too, https is retried.
func TestSite_RefusedHTTPS(t *testing.T) {
	const byHTTPS, byHTTP = example + "/robots.txt", "http://example.com/robots.txt"
	for name, tt := range map[string]struct {
		https, http []answer // the last one again and again
		site        string
		want        []string // requests for robots.txt
		at          string   // where it was found
		waits       bool
	}{
		"http only": {
			[]answer{refusal}, []answer{{}}, "example.com", []string{byHTTPS, byHTTP}, byHTTP, false,
		},
		"restarting": {
			[]answer{refusal, {}}, []answer{refusal}, "example.com",
			[]string{byHTTPS, byHTTP, byHTTP, byHTTP, byHTTPS}, byHTTPS, true,
		},
		"neither": {
			[]answer{refusal}, []answer{refusal}, "example.com",
			[]string{byHTTPS, byHTTP, byHTTP, byHTTP, byHTTPS, byHTTPS, byHTTPS}, "", true,
		},
		"with a scheme": {
			[]answer{refusal, {}}, []answer{{}}, example, []string{byHTTPS, byHTTPS}, byHTTPS, true,
		},
		"with a user": {
			[]answer{refusal, {}}, []answer{{}}, "u:p@example.com", []string{byHTTPS, byHTTPS}, byHTTPS, true,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			for loc, answers := range map[string][]answer{byHTTPS: tt.https, byHTTP: tt.http} {
				w.handle(loc, func(*http.Request) answer {
					a := answers[0]
					answers = answers[min(1, len(answers)-1):]
					if a.err == nil {
						a.body = "Sitemap: /s.xml"
					}
					return a
				})
			}
			start := time.Now()
			c := w.client()
			c.Fetch.Retries = 2
			found, err := c.Find(t.Context(), tt.site)
			if (err == nil) != (tt.at != "") || err == nil && found[0].RobotsURL != tt.at {
				t.Errorf("%s: found %v, %v; want robots.txt at %q", name, found, err, tt.at)
			}
			if err != nil && !strings.Contains(err.Error(), "https://") {
				t.Errorf("%s: %v, want the error of https", name, err)
			}
			asked := slices.DeleteFunc(w.asked(), func(s string) bool { return !strings.HasSuffix(s, "/robots.txt") })
			if waits := time.Since(start) > 0; waits != tt.waits || !slices.Equal(asked, tt.want) {
				t.Errorf("%s: requested %q with waits %t, want %q with %t",
					name, asked, waits, tt.want, tt.waits)
			}
		})
	}
}

// TestURLs_Mapped: a walk of a server that stands for a public site speaks of that site.
func TestURLs_Mapped(t *testing.T) {
	w := newWeb()
	w.serve("http://localhost:3000/robots.txt", "Sitemap: /index.xml")
	w.redirect("http://localhost:3000/index.xml", "/moved.xml")
	w.serve("http://localhost:3000/moved.xml",
		index(example+"/a/1.xml", "http://localhost:3000/2.xml"))
	w.serve("http://localhost:3000/a/1.xml", urlset(example+"/a/1", "http://localhost:3000/a/2"))
	c := w.client()
	c.Fetch.Map = map[string]string{example: "http://localhost:3000"}
	r := w.site(t, c, "example.com", discover.Options{})
	if want := []string{example + "/a/1"}; !slices.Equal(r.locs(), want) {
		t.Errorf("URLs %q, want %q", r.locs(), want)
	}
	if len(r.urls) > 0 && r.urls[0].Sitemap.Referrer.RobotsURL != example+"/robots.txt" {
		t.Errorf("found by %q", r.urls[0].Sitemap.Referrer.RobotsURL)
	}
	// Only what is mapped is requested from a port that no caller named.
	if slices.Contains(w.asked(), "http://localhost:3000/2.xml") || r.err == nil {
		t.Errorf("requested %q, error %v", w.asked(), r.err)
	}
}

// A Transport that ends its goroutine, as with testing.T.Fatal, fails its documents and stops no walk,
// even if it does so for more documents than a host may have requests.
func TestTransportGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := tree("i: q r s t u v", "q:, 1", "r:, 1", "s:, 1", "t:, 1", "u:, 1", "v:, 2")
		for _, name := range []string{"q", "r", "s", "t", "u"} {
			w.handle(a(name), func(*http.Request) answer { runtime.Goexit(); return answer{} })
		}
		c := w.client()
		c.Fetch.Limiter = nil
		var got []string
		var last error
		for u, err := range c.Walk(t.Context(), seeds(a("i")), nil) {
			if last = err; err == nil {
				got = append(got, u.Loc)
			}
		}
		var e *discover.WalkError
		if !slices.Equal(got, []string{a("2")}) || !errors.As(last, &e) || e.Failed != 5 {
			t.Errorf("%q, %v, want %s and five errors", got, last, a("2"))
		}
	})
}
