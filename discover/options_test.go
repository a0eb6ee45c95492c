package discover_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
)

// TestSince: Since leaves out what its lastmod says has ended before.
func TestSince(t *testing.T) {
	o := &discover.Options{Since: time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)}
	for text, want := range map[string]bool{
		"": false, "2023": true, "2024": false, "2024-05": true, "2024-06": false,
		"2024-05-31": true, "2024-06-01": false,
		"2024-05-31T23:59:59Z": true, "2024-06-01T00:00:00Z": false, "2024-06-01T01:00:00+02:00": true,
		// Without a zone it may be 14 hours later.
		"2024-05-31T12:00:00": false, "2024-05-31T09:59:00": true,
	} {
		lastMod, err := sitemap.ParseTime(text)
		if err != nil { // no zone
			lastMod, err = sitemap.ParseTime(text + "Z")
			lastMod = lastMod.AssumeZone()
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got := o.Excludes(lastMod); got != want {
			t.Errorf("Excludes(%q) = %v", text, got)
		}
		var none *discover.Options
		if none.Excludes(lastMod) || (&discover.Options{}).Excludes(lastMod) {
			t.Errorf("without Since, %q is excluded", text)
		}
	}
	w := newWeb()
	w.serve(a("i"), mixed([]string{a("0|2023"), a("1|2025")}, []string{a("old|2024-05"), a("new|2024-06"), a("s")}))
	w.serve(a("old"), urlset(a("2|2025")))
	w.serve(a("new"), urlset(a("3|2024-05-30"), a("4|2024"), a("5")))
	w.serve(a("s"), urlset(a("6|2024-06-01")))
	r := w.walk(t, nil, seeds(a("i")), *o)
	if got := names(r.locs()); got != "1 4 5 6" || r.err != nil || w.hits(a("old")) != 0 {
		t.Errorf("%s, %v", got, r.err)
	}
	equal(t, "skipped", r.skipped(discover.SkippedSince), []string{a("old")})
}

// TestFollow decides for children of indexes, and is called once for each that is listed.
func TestFollow(t *testing.T) {
	w := tree("i: s j t", "j: u, 1", "s:, 2", "t:, 3", "u:, 4")
	var asked []string
	r := w.walk(t, nil, seeds(a("i")), discover.Options{Follow: func(s *discover.Sitemap) bool {
		asked = append(asked, s.Loc)
		return s.Referrer == nil || s.Loc != a("s") && s.Loc != a("u")
	}})
	if got := names(r.locs()) + ", " + names(asked) + ", " + names(r.done); got != "1 3, s j t u, i s j u t" || r.err != nil {
		t.Errorf("%s, %v", got, r.err)
	}
	equal(t, "skipped", r.skipped(discover.SkippedFollow), []string{a("s"), a("u")})
	if w.hits(a("s"))+w.hits(a("u")) > 0 {
		t.Error("a document that is not followed was requested")
	}
	// Listed again and not skipped there, it is read.
	r = w.walk(t, nil, seeds(a("i"), a("s")), discover.Options{Follow: func(s *discover.Sitemap) bool { return s.Loc != a("s") }})
	if got := names(r.locs()); got != "1 4 3 2" {
		t.Errorf("skipped, then named: %s", got)
	}
}

// TestFetched: Fetched is called once for each document, which can be read, before its pages.
func TestFetched(t *testing.T) {
	w := tree("i: s t", "s:, 2", "t:, 3")
	var read []string
	w.walk(t, nil, seeds(a("i")), discover.Options{Fetched: func(s *discover.Sitemap, doc *fetch.Document) {
		r := doc.Again()
		defer r.Close()
		body, err := io.ReadAll(r)
		if err != nil || int64(len(body)) != doc.Received {
			t.Errorf("%s: read %d of %d bytes, %v", s.Loc, len(body), doc.Received, err)
		}
		read = append(read, s.Loc)
	}})
	equal(t, "fetched", read, []string{a("i"), a("s"), a("t")})
}

// TestFetched_Robots: each robots.txt that a walk requests is reported with a nil Sitemap: that of
// the site before all documents, and that of a host that verifies a page while its document is
// read.
func TestFetched_Robots(t *testing.T) {
	const blog = "https://blog.example.com"
	w := newWeb()
	w.serve(example+"/robots.txt", "Sitemap: /s.xml\n")
	w.serve(example+"/s.xml", urlset(example+"/1", blog+"/2"))
	w.serve(blog+"/robots.txt", "Sitemap: "+example+"/s.xml\n")
	var read []string
	o := discover.Options{Fetched: func(s *discover.Sitemap, doc *fetch.Document) {
		r := doc.Again()
		defer r.Close()
		body, err := io.ReadAll(r)
		if err != nil || int64(len(body)) != doc.Received {
			t.Errorf("%v: read %d of %d bytes, %v", doc.URL, len(body), doc.Received, err)
		}
		if (s == nil) != strings.HasSuffix(doc.URL.Path, "/robots.txt") {
			t.Errorf("%v came with the Sitemap %v", doc.URL, s)
		}
		read = append(read, doc.URL.String())
	}}
	c := w.client()
	w.site(t, c, example, o)
	equal(t, "fetched", read, []string{
		example + "/robots.txt", example + "/s.xml", blog + "/robots.txt",
	})
	read = nil
	w.site(t, c, example, o)
	equal(t, "fetched with the robots.txt files in the cache", read, []string{example + "/s.xml"})
}

// TestDone_Summary: what Done says of documents.
func TestDone_Summary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		w.redirect(a("i"), a("x/i"))
		w.serve(a("x/i"), index(a("s|2024-01-01"), a("gone"), a("cut"), a("skip")))
		body := urlset(a("1"), a("2|2023"), "https://b.test/3", a("4"))
		w.answer(a("s"), answer{body: body, wait: 2 * time.Second})
		w.answer(a("gone"), answer{status: 410})
		w.answer(a("cut"), answer{body: urlset(a("5"), a("6"))[:125], cut: errors.New("reset")})
		c := w.client()
		c.Concurrency = 1
		sums, last := map[string]discover.Summary{}, error(nil)
		o := &discover.Options{
			Since:  time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC),
			Done:   func(s *discover.Sitemap, sum discover.Summary) { sums[s.Loc] = sum },
			Follow: func(s *discover.Sitemap) bool { return s.Loc != a("skip") },
		}
		named := &discover.Sitemap{Loc: a("i")}
		for u, err := range c.Walk(t.Context(), []*discover.Sitemap{named}, o) {
			if last = err; err == nil && u.Sitemap.String() != a("i")+" → "+u.Sitemap.Loc {
				t.Errorf("%s comes from %s", u.Loc, u.Sitemap)
			}
			time.Sleep(time.Second) // a slow loop
		}
		i, s, gone, cut := sums[a("i")], sums[a("s")], sums[a("gone")], sums[a("cut")]
		if i.URL != a("i") || i.FinalURL != a("x/i") || len(i.Hops) != 1 || i.Hops[0] != (fetch.Hop{URL: a("i"), Status: 302}) ||
			i.Status != 200 || i.Attempts != 1 || i.Format != sitemap.SitemapIndex || i.Entries != 4 || i.Queued != 4 ||
			len(i.Referrers) != 1 || i.Referrers[0] != named || i.Err != nil || i.Skipped != "" {
			t.Errorf("index: %+v", i)
		}
		if s.Format != sitemap.URLSet || s.Entries != 4 || s.Received != int64(len(body)) || s.Queued != 3 ||
			s.ByTrust[trust.Caller] != 2 || s.ByTrust[trust.Untrusted] != 1 || s.Problems[sitemap.UntrustedLoc] != 1 ||
			s.Elapsed != 4*time.Second || s.LastMods.Count != 1 {
			t.Errorf("URL set: %+v", s)
		}
		if !slices.Equal(s.Scope, i.Scope.With(s.Scope...)) || len(i.Scope) != 1 || i.Scope[0].By != trust.Caller {
			t.Errorf("scopes %v and %v", i.Scope, s.Scope)
		}
		if gone.Status != 410 || gone.FinalURL != "" || gone.Attempts != 1 || !errors.Is(gone.Err, fetch.ErrStatus) || gone.Queued != 2 {
			t.Errorf("failed: %+v", gone)
		}
		if cut.Status != 200 || cut.Entries != 1 || !errors.Is(cut.Err, fetch.ErrBody) || cut.FinalURL != a("cut") {
			t.Errorf("cut short: %+v", cut)
		}
		if skip := sums[a("skip")]; skip.Skipped != discover.SkippedFollow || skip.URL != a("skip") || skip.Status+skip.Attempts != 0 {
			t.Errorf("skipped: %+v", skip)
		}
		var we *discover.WalkError
		if !errors.As(last, &we) || we.Failed != 2 {
			t.Error(last)
		}
	})
}

// TestReport: problems of a robots.txt come with its location, those of documents with theirs.
func TestReport(t *testing.T) {
	w := newWeb()
	w.serve(example+"/robots.txt", "Sitemap: /s.xml\nSitemap: ftp://x.test/\nSitemap: /s.xml\n")
	w.serve(example+"/s.xml",
		"<urlset><url><loc></loc></url><url><loc>"+example+"/1</loc></url></urlset>")
	r := w.site(t, nil, example, discover.Options{})
	got := map[string]int{}
	for _, p := range r.problems {
		fields := strings.Fields(p)
		got[strings.TrimPrefix(fields[0], example)+" "+fields[1]]++
	}
	for _, want := range []string{"/robots.txt bad_scheme", "/robots.txt duplicate_loc", "/s.xml empty_loc"} {
		if got[want] != 1 {
			t.Errorf("no %s in %q", want, r.problems)
		}
	}
	if len(r.urls) != 1 || r.err != nil {
		t.Errorf("%q, %v", r.locs(), r.err)
	}
}

// TestExtensions are decoded, unless SkipExtensions is set.
func TestExtensions(t *testing.T) {
	w := newWeb()
	w.serve(a("s"), `<urlset xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>`+a("1")+
		`</loc><i:image><i:loc>https://b.test/x.png</i:loc></i:image></url></urlset>`)
	for _, skip := range []bool{false, true} {
		r := w.walk(t, nil, seeds(a("s")), discover.Options{SkipExtensions: skip})
		if len(r.urls) != 1 || (r.urls[0].Extensions == nil) != skip || r.err != nil {
			t.Errorf("SkipExtensions %v: %+v, %v", skip, r.urls, r.err)
		}
	}
}

// A customs notes which origins were sent secrets.
type customs struct {
	*web
	mu   sync.Mutex
	sent map[string]bool
}

func (c *customs) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	if user, password, _ := r.BasicAuth(); user == "user" && password == "secret" && r.Header.Get("X-Key") == "secret" {
		c.sent[r.URL.Scheme+"://"+r.URL.Host] = true
	} else if user != "" || r.Header.Get("X-Key") != "" {
		c.sent["only one secret for "+r.URL.String()] = true
	}
	c.mu.Unlock()
	return c.web.RoundTrip(r)
}

// TestSecrets go to the origin that the caller named, and to https of its host, only. They stand in
// nothing that is yielded, reported, returned or stored.
func TestSecrets(t *testing.T) {
	const https, plain = "https://user:secret@example.com", "http://user:secret@example.com"
	for name, tt := range map[string]struct {
		site, seed, robots string
		want               string
	}{
		"site":            {https + "/", "", "Sitemap: /i.xml", "https://example.com"},
		"bare host":       {"user:secret@example.com", "", "Sitemap: /i.xml", "https://example.com"},
		"known path":      {https, "", "", "https://example.com"},
		"http":            {plain, "", "Sitemap: /i.xml", "http://example.com https://example.com"},
		"seed":            {"", https + "/i.xml", "", "https://example.com"},
		"failing seed":    {"", https + "/none.xml", "", "https://example.com"},
		"failing site":    {https, "", "Sitemap: https://user:secret@example.com/none.xml", "https://example.com"},
		"no sitemap":      {https + "/?user:secret", "", "User-agent: *\nDisallow: /", "https://example.com"},
		"redirected seed": {"", https + "/moved.xml", "", "https://example.com"},
	} {
		c := &customs{web: newWeb(), sent: map[string]bool{}}
		for _, origin := range []string{"https://example.com", "http://example.com"} {
			c.serve(origin+"/robots.txt", tt.robots)
			c.serve(origin+"/i.xml", index(
				"https://example.com/1.xml", "http://example.com/2.xml", "https://www.example.com/3.xml",
				"https://example.com/moved.xml", "https://cdn.test/4.xml", "https://example.com:444/5.xml",
				"https://user:secret@example.com/6.xml"))
			c.redirect(origin+"/moved.xml", "https://cdn.test/moved.xml")
			c.serve(origin+"/sitemap.xml", index(origin+"/i.xml"))
		}
		c.serve("https://www.example.com/robots.txt", "")
		c.serve("https://cdn.test/moved.xml", urlset("https://blog.example.com/x"))
		client := c.client()
		client.Fetch.Transport = c
		client.Fetch.Header = http.Header{"X-Key": {"secret"}}
		store := &mapStore{}
		o := discover.Options{Store: store, Run: "1", MinTrust: trust.Untrusted}
		var r *result
		if tt.site != "" {
			r = c.site(t, client, tt.site, o)
		} else {
			r = c.walk(t, client, seeds(tt.seed), o)
		}
		var sent []string
		for origin := range c.sent {
			sent = append(sent, origin)
		}
		slices.Sort(sent)
		if got := strings.Join(sent, " "); got != tt.want {
			t.Errorf("%s: secrets went to %s", name, got)
		}
		shown := fmt.Sprintf("%+v %+v %v %q %q", r.urls, r.sums, r.err, r.problems, r.done)
		for _, sum := range r.sums {
			for _, s := range sum.Referrers {
				shown += fmt.Sprintf("%+v %s", *s, s)
			}
			shown += fmt.Sprintf("%+v %v", sum.Hops, sum.Err)
		}
		for key, value := range store.m {
			shown += key + string(value)
		}
		// A child is listed with credentials; they are the document's own words.
		shown = strings.ReplaceAll(shown, "https://user:secret@example.com/6.xml", "")
		if i := strings.Index(shown, "secret"); i >= 0 {
			t.Errorf("%s: %q", name, shown[max(0, i-80):min(len(shown), i+80)])
		}
	}
}

// TestCrawlDelay: the Crawl-delay for our agent, up to 30 s, holds for the hosts that the
// robots.txt speaks for and their www variants, and for no other.
func TestCrawlDelay(t *testing.T) {
	for asked, want := range map[string]time.Duration{"5": 5 * time.Second, "0.5": time.Second / 2, "86400": 30 * time.Second, "x": 0} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			w.serve("https://www.example.com/robots.txt", "User-agent: other\nCrawl-delay: 17\nUser-agent: sitemap\nCrawl-delay: "+asked+"\nSitemap: https://www.example.com/i.xml")
			var children []string
			for _, host := range []string{"https://www.example.com", "https://example.com", "https://cdn.test"} {
				for i := range 4 {
					children = append(children, fmt.Sprintf("%s/%d", host, i))
				}
			}
			w.serve("https://www.example.com/i.xml", index(children...))
			last, gaps := map[string]time.Time{}, map[string]time.Duration{}
			c := &discover.Client{Fetch: &fetch.Client{Transport: &hookWeb{w, func(r *http.Request) {
				if at, ok := last[r.URL.Host]; ok && r.URL.Path != "/i.xml" {
					if gap, ok := gaps[r.URL.Host]; !ok || time.Since(at) < gap {
						gaps[r.URL.Host] = time.Since(at)
					}
				}
				last[r.URL.Host] = time.Now()
			}}}}
			for _, loc := range children {
				w.serve(loc, urlset(loc+"/p"))
			}
			for range 2 { // the second time robots.txt is in the cache
				begun := time.Now()
				if r := w.site(t, c, "https://www.example.com", discover.Options{}); len(r.urls) != 12 || r.err != nil {
					t.Fatalf("%d URLs, %v", len(r.urls), r.err)
				}
				if d := time.Since(begun); d > 6*want {
					t.Errorf("Crawl-delay %s: the walk took %v", asked, d)
				}
			}
			if gaps["www.example.com"] != want || gaps["example.com"] != want || gaps["cdn.test"] != 0 {
				t.Errorf("Crawl-delay %s: requests %v apart", asked, gaps)
			}
		})
	}
}

// TestCrawlDelay_OfTheVariant: the robots.txt of the www variant, which asks for no delay, ends
// none of the host's own.
func TestCrawlDelay_OfTheVariant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const www = "https://www.example.com"
		w := newWeb()
		w.serve(example+"/robots.txt", "User-agent: *\nCrawl-delay: 7\nSitemap: "+example+"/0.xml\nSitemap: "+example+"/1.xml")
		w.serve(www+"/robots.txt", "User-agent: *\nAllow: /\nSitemap: "+www+"/s.xml")
		for _, loc := range []string{example + "/0.xml", example + "/1.xml", www + "/s.xml"} {
			w.serve(loc, urlset(loc))
		}
		c := &discover.Client{Fetch: &fetch.Client{Transport: w}}
		begun := time.Now()
		for _, site := range []string{example, www, example, www} {
			if r := w.site(t, c, site, discover.Options{}); r.err != nil {
				t.Error(r.err)
			}
		}
		// A robots.txt that does not exist ends no delay either.
		if _, err := c.Robots(t.Context(), "http://example.com"); err != nil {
			t.Error(err)
		}
		if r := w.walk(t, c, seeds(example+"/0.xml"), discover.Options{}); r.err != nil {
			t.Error(r.err)
		}
		// Seven requests to the host: its robots.txt and two documents twice, and these two.
		if d := time.Since(begun); d != 6*7*time.Second {
			t.Errorf("the walks took %v, want 42s", d)
		}
	})
}

// TestBusyDocuments_FailAlone: documents that always answer 503, side by side in an index, fail
// alone, and so does a host that is busy for some seconds.
func TestBusyDocuments_FailAlone(t *testing.T) {
	const n = 200
	for name, tt := range map[string]struct {
		broken func(i int, at time.Duration) bool
		header []string
		failed int
	}{
		"four, without Retry-After": {func(i int, _ time.Duration) bool { return i/4 == 5 }, nil, 4},
		"four that ask for 5 s":     {func(i int, _ time.Duration) bool { return i/4 == 5 }, []string{"Retry-After", "5"}, 4},
		"four that ask for 120 s":   {func(i int, _ time.Duration) bool { return i/4 == 5 }, []string{"Retry-After", "120"}, 4},
		"all for 8 s":               {func(_ int, at time.Duration) bool { return at > 2*time.Second && at < 10*time.Second }, nil, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, begun := newNews(n), time.Now()
			for i := range n {
				w.handle(child(i), func(*http.Request) answer {
					if tt.broken(i, time.Since(begun)) {
						return answer{status: 503, header: tt.header, wait: 100 * time.Millisecond}
					}
					return answer{body: urlset(page(i, 0)), wait: 100 * time.Millisecond}
				})
			}
			r := w.site(t, &discover.Client{Fetch: &fetch.Client{Transport: w}}, example, discover.Options{})
			if len(r.urls) != n-tt.failed {
				t.Errorf("%s: %d of %d sound documents were read: %v", name, len(r.urls), n-tt.failed, r.err)
			}
		})
	}
}

// A hookWeb calls f, one call at a time, before each request.
type hookWeb struct {
	*web
	f func(*http.Request)
}

func (w *hookWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.f(r)
	w.mu.Unlock()
	return w.web.RoundTrip(r)
}

// TestSlowLoop: a loop that takes hours loses nothing.
func TestSlowLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		children := numbered(a("%d"), 5)
		w.serve(a("i"), index(children...))
		for _, loc := range children {
			w.answer(loc, answer{body: urlset(numbered(loc+"/%d", 50)...), wait: time.Second})
		}
		n := 0
		for _, err := range w.client().Walk(t.Context(), seeds(a("i")), nil) {
			if err != nil {
				t.Error(err)
			}
			n++
			time.Sleep(10 * time.Minute)
		}
		if n != 250 || len(w.asked()) != 6 {
			t.Errorf("%d URLs, %d requests", n, len(w.asked()))
		}
	})
}

// TestRetries: a document is requested again by the fetch.Client, and its entries come once.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		n := 0
		w.handle(a("s"), func(*http.Request) answer {
			n++
			body := urlset(a("1"), a("2"), a("3"))
			switch n {
			case 1:
				return answer{status: 503}
			case 2:
				return answer{body: body[:125], cut: errors.New("reset")}
			}
			return answer{body: body}
		})
		c := &discover.Client{Fetch: &fetch.Client{Transport: w}}
		r := w.walk(t, c, seeds(a("s")), discover.Options{})
		if got := names(r.locs()); got != "1 2 3" || r.err != nil || r.sums[a("s")].Attempts != 3 {
			t.Errorf("%s, %v, %d attempts", got, r.err, r.sums[a("s")].Attempts)
		}
	})
}

// TestValidators: a document of which the caller has the current version is not read again.
func TestValidators(t *testing.T) {
	w := newWeb()
	w.serve(a("robots.txt"), "Sitemap: /i")
	w.tagged(a("i"), func() string { return index(a("s")) })
	w.tagged(a("s"), func() string { return urlset(a("1")) })
	kept := map[string]fetch.Validators{}
	o := discover.Options{
		Validators: func(s *discover.Sitemap) fetch.Validators { return kept[s.Loc] },
		Fetched: func(s *discover.Sitemap, doc *fetch.Document) {
			if s != nil {
				kept[s.Loc] = doc.Validators
			}
		},
	}
	if r := w.site(t, nil, a(""), o); names(r.done) != "i s" || len(r.urls) != 1 || r.err != nil {
		t.Errorf("first: read %s, %d URLs, %v", names(r.done), len(r.urls), r.err)
	}
	delete(kept, a("i"))
	r := w.site(t, nil, a(""), o)
	if names(r.done) != "i s" || len(r.urls) != 0 || !r.sums[a("s")].NotModified || r.err != nil {
		t.Errorf("the page list is the same: read %s, %d URLs, %v", names(r.done), len(r.urls), r.err)
	}
	r = w.site(t, nil, a(""), o)
	if names(r.done) != "i" || !r.sums[a("i")].NotModified || r.err != nil {
		t.Errorf("the index is the same: read %s, %v", names(r.done), r.err)
	}
}
