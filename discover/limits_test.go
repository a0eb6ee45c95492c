package discover_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

// wantLimit checks that err says what one limit left out.
func wantLimit(t *testing.T, err error, what discover.Limit, most, left int) {
	t.Helper()
	var we *discover.WalkError
	var le *discover.LimitError
	if !errors.As(err, &we) || !errors.As(err, &le) || !errors.Is(err, discover.ErrLimit) {
		t.Errorf("error %v", err)
		return
	}
	if *le != (discover.LimitError{What: what, Max: most, Left: left}) || we.Failed != left {
		t.Errorf("limit %+v of %d failures, want %s %d: %d", *le, we.Failed, what, most, left)
	}
}

func TestLimits_MaxDepth(t *testing.T) {
	w := newWeb()
	for i := range 14 {
		w.serve(a(fmt.Sprint("i", i)), mixed([]string{a(fmt.Sprint(i))}, []string{a(fmt.Sprint("i", i+1)), a(fmt.Sprint("s", i))}))
		w.serve(a(fmt.Sprint("s", i)), urlset(a(fmt.Sprint(i))))
	}
	for most, want := range map[int]int{0: 10, 1: 1, 5: 5, -1: 14} {
		r := w.walk(t, nil, seeds(a("i0")), discover.Options{MaxDepth: most})
		if most < 0 {
			var le *discover.LimitError
			if errors.As(r.err, &le) || len(r.urls) != 28 {
				t.Errorf("MaxDepth %d: %d URLs, %v", most, len(r.urls), r.err)
			}
			w.forget()
			continue
		}
		if len(r.urls) != 2*want+1 {
			t.Errorf("MaxDepth %d: %d URLs", most, len(r.urls))
		}
		wantLimit(t, r.err, "depth", want, 2)
		if w.hits(a(fmt.Sprint("i", want+1))) > 0 {
			t.Errorf("MaxDepth %d: requested deeper", most)
		}
		w.forget()
	}
}

// TestLimits_MaxSitemaps: no more documents are requested, also not ahead; documents that are
// skipped or known do not count.
func TestLimits_MaxSitemaps(t *testing.T) {
	w := newWeb()
	children := numbered(a("%d"), 30)
	for _, loc := range children {
		w.serve(loc, urlset(loc+"/p"))
	}
	w.serve(a("i"), index(append([]string{children[0]}, children...)...))
	o := discover.Options{MaxSitemaps: 10, Follow: func(s *discover.Sitemap) bool { return s.Loc != children[1] }}
	r := w.walk(t, nil, seeds(a("i")), o)
	if n := len(w.asked()); n != 10 || len(r.urls) != 9 {
		t.Errorf("%d requests, %d URLs", n, len(r.urls))
	}
	wantLimit(t, r.err, "sitemaps", 10, 20)
	if got, want := r.err.Error(), "discover: 20 sitemaps could not be read: limit of the walk: sitemaps 10: 20 left out"; got != want {
		t.Errorf("error %q", got)
	}
	if r := w.walk(t, nil, seeds(a("i")), discover.Options{MaxSitemaps: 31}); r.err != nil {
		t.Error(r.err)
	}
}

// TestLimits_KnownPaths: known paths without a sitemap do not count.
func TestLimits_KnownPaths(t *testing.T) {
	w := tree("wp-sitemap.xml: s t", "s:, 1", "t:, 2")
	w.redirect(a("sitemap.xml"), a("robots.txt"))
	r := w.site(t, nil, a(""), discover.Options{MaxSitemaps: 2})
	if got := names(r.locs()); got != "1" {
		t.Errorf("pages %s", got)
	}
	wantLimit(t, r.err, "sitemaps", 2, 1)
}

// TestLimits_Memory: whatever indexes list, at most 32 MiB of locations wait for their turn; what
// finds no room is in the error.
func TestLimits_Memory(t *testing.T) {
	if n := discover.MaxQueued(); n != 32<<20 {
		t.Errorf("%d bytes may wait", n)
	}
	for _, tt := range []struct {
		name                     string
		memory, children, length int
	}{
		{"long locations", 4 << 20, 320, 4_000},
		{"wide indexes", 4 << 20, 3_750, 0},
	} {
		discover.SetMaxQueued(t, tt.memory)
		w := newWeb()
		listed, list := 0, index(numbered("@%d", tt.children)...)
		endless := &anyWeb{web: w, f: func(r *http.Request) answer {
			h := fnv.New64a()
			h.Write([]byte(r.URL.Path))
			listed += tt.children
			prefix := fmt.Sprintf("%s/%x-%s", example, h.Sum64(), strings.Repeat("x", tt.length))
			return answer{body: strings.ReplaceAll(list, "@", prefix)}
		}}
		c := w.client()
		c.Fetch.Transport = endless
		c.Concurrency = 1
		queued := 0
		r := w.walk(t, c, seeds(example+"/i"), discover.Options{MaxSitemaps: 4, Done: func(_ *discover.Sitemap, s discover.Summary) {
			queued = max(queued, s.Queued)
		}})
		if most := tt.memory / (300 + tt.length); queued > most || queued < most/2 {
			t.Errorf("%s: %d documents waited, want up to %d", tt.name, queued, most)
		}
		left := map[discover.Limit]int{}
		var we *discover.WalkError
		if !errors.As(r.err, &we) {
			t.Fatal(r.err)
		}
		for _, err := range we.Errs {
			var le *discover.LimitError
			if errors.As(err, &le) {
				left[le.What] = le.Left
			}
		}
		// All but the three children that were read are accounted for.
		if left["memory"] == 0 || left["sitemaps"] == 0 || left["memory"]+left["sitemaps"]+left["depth"] != listed-3 || we.Failed != listed-3 {
			t.Errorf("%s: %v of %d left out", tt.name, left, listed)
		}
	}
}

// An anyWeb answers every URL.
type anyWeb struct {
	*web
	f func(*http.Request) answer
}

func (w *anyWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	w.handle(r.URL.String(), w.f)
	return w.web.RoundTrip(r)
}

// TestLimits_EndlessChain: an index that lists a further one each time ends at MaxDepth.
func TestLimits_EndlessChain(t *testing.T) {
	w := newWeb()
	c := w.client()
	c.Fetch.Transport = &anyWeb{web: w, f: func(r *http.Request) answer {
		return answer{body: index(r.URL.String()+"x", r.URL.String()+"?", r.URL.String())}
	}}
	r := w.walk(t, c, seeds(example+"/i"), discover.Options{})
	wantLimit(t, r.err, "depth", 10, 1)
	if len(w.asked()) != 11 {
		t.Errorf("%d requests", len(w.asked()))
	}
}

// TestLimits_OfDocuments: Limits end a document, whose entries until then are kept, and the walk
// goes on.
func TestLimits_OfDocuments(t *testing.T) {
	zipped := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(s))
		z.Close()
		return b.String()
	}
	many := urlset(numbered(a("%d"), 100)...)
	blanks := strings.Repeat(" ", 4<<20)
	for name, tt := range map[string]struct {
		body   string
		limits sitemap.Limits
		want   error
		atMost int
	}{
		"entries":          {many, sitemap.Limits{Entries: 7}, sitemap.ErrTooManyEntries, 7},
		"bytes":            {many, sitemap.Limits{Bytes: 2_000}, sitemap.ErrTooLarge, 50},
		"bytes of gzip":    {zipped(blanks + many), sitemap.Limits{Bytes: 1 << 20}, sitemap.ErrTooLarge, 0},
		"gzip in gzip":     {zipped(zipped(blanks + many)), sitemap.Limits{Bytes: 1 << 20}, sitemap.ErrTooLarge, 0},
		"one endless loc":  {"<urlset><url><loc>" + a("") + strings.Repeat("x", 2<<20), sitemap.Limits{Bytes: 1 << 20}, sitemap.ErrTooLarge, 0},
		"within the limit": {many, sitemap.Limits{Entries: 100, Bytes: int64(len(many))}, nil, 100},
	} {
		w := newWeb()
		w.serve(a("s"), tt.body)
		w.serve(a("t"), urlset(a("last")))
		r := w.walk(t, nil, seeds(a("s"), a("t")), discover.Options{Limits: tt.limits})
		n := len(r.urls) - 1
		if !errors.Is(r.err, tt.want) || r.urls[n].Loc != a("last") || n > tt.atMost || n < tt.atMost/5 || int64(n) != r.sums[a("s")].Entries {
			t.Errorf("%s: %d URLs, %v", name, n, r.err)
		}
	}
}

// TestWalkError_IsBounded: a walk counts all failures and keeps the first 16.
func TestWalkError_IsBounded(t *testing.T) {
	w := newWeb()
	w.serve(a("i"), index(numbered(a("%d"), 100)...))
	r := w.walk(t, nil, seeds(a("i")), discover.Options{})
	var we *discover.WalkError
	if !errors.As(r.err, &we) || we.Failed != 100 || len(we.Errs) != 16 || len(r.done) != 101 {
		t.Fatalf("%v, %d documents", r.err, len(r.done))
	}
	for i, err := range we.Errs {
		var de *discover.DocumentError
		if !errors.As(err, &de) || de.Sitemap.Loc != a(fmt.Sprint(i)) || de.Sitemap.Referrer.Loc != a("i") {
			t.Errorf("error %d: %v", i, err)
		}
	}
	const not = "status 404 Not Found"
	want := "discover: 100 sitemaps could not be read: " + a("0: ") + not + "; " + a("1: ") + not + "; " + a("2: ") + not + "; ..."
	if got := r.err.Error(); got != want {
		t.Errorf("error %q", got)
	}
	store := &mapStore{fail: func(op string) bool { return op == "put d" }}
	r = w.walk(t, nil, seeds(a("i")), discover.Options{Store: store})
	if !errors.As(r.err, &we) || we.Failed != 0 || len(we.Errs) != 1 || we.Errs[0] != errStore {
		t.Errorf("where the Store fails: %v", r.err)
	}
}

// TestSeeds_OfManyHosts: what a document costs does not grow with the number of hosts.
func TestSeeds_OfManyHosts(t *testing.T) {
	perDocument := func(hosts int) uint64 {
		w := newWeb()
		locs := numbered("https://h%d.test:8443/s.xml", hosts)
		for _, loc := range locs {
			w.serve(loc, urlset(loc+"/p", "https://other.example/"))
		}
		o := discover.Options{MinTrust: trust.Untrusted}
		before := allocated()
		r := w.walk(t, nil, seeds(locs...), o)
		if len(r.urls) != 2*hosts || r.err != nil {
			t.Errorf("%d pages, %v", len(r.urls), r.err)
		}
		return (allocated() - before) / uint64(hosts)
	}
	few, many := perDocument(250), perDocument(2_000)
	if many > 2*few {
		t.Errorf("%d bytes a document for 2,000 hosts, %d for 250", many, few)
	}
}

// allocated returns the bytes that were allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestSeeds_OfOneHost: what a document costs does not grow with the number of seeds.
func TestSeeds_OfOneHost(t *testing.T) {
	w := newWeb()
	locs := numbered("https://example.com:8443/%d.xml", 1000)
	for _, loc := range locs {
		w.serve(loc, urlset(loc+"/p"))
	}
	allocs := testing.AllocsPerRun(1, func() {
		if r := w.walk(t, nil, seeds(locs...), discover.Options{}); len(r.urls) != len(locs) || r.err != nil {
			t.Errorf("%d pages, %v", len(r.urls), r.err)
		}
	})
	if most := float64(500 * len(locs)); allocs > most {
		t.Errorf("%v allocations, want at most %v", allocs, most)
	}
	r := w.walk(t, nil, seeds(" "+locs[0]+"\n"), discover.Options{})
	if len(r.urls) != 1 || r.err != nil {
		t.Errorf("blanks around a seed with a port: %d pages, %v", len(r.urls), r.err)
	}
}
