package audit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A counted is a transport that counts requests by URL.
type counted struct {
	web
	mu   sync.Mutex
	hits map[string]int
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.hits[r.URL.String()]++
	c.mu.Unlock()
	return c.web.RoundTrip(r)
}

// missingPages is a site with n pages that do not exist, in two sitemaps.
func missingPages(n int) *counted {
	var maps [2]strings.Builder
	for i := range n {
		fmt.Fprintf(&maps[i%2], "https://www.example.com/%d\n", i)
	}
	plain := http.Header{"Content-Type": {"text/plain"}}
	return &counted{hits: map[string]int{}, web: web{
		"https://www.example.com/robots.txt": {"200", plain, []byte("Sitemap: https://www.example.com/a.txt\nSitemap: https://www.example.com/b.txt\n")},
		"https://www.example.com/a.txt":      {"200", plain, []byte(maps[0].String())},
		"https://www.example.com/b.txt":      {"200", plain, []byte(maps[1].String())},
	}}
}

func client(transport http.RoundTripper) *discover.Client {
	return &discover.Client{Fetch: &fetch.Client{Transport: transport, Retries: -1}}
}

// A secretWeb notes the hosts that receive a secret header field.
type secretWeb struct {
	web
	mu  sync.Mutex
	got map[string]bool
}

func (w *secretWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Cookie") != "" {
		w.mu.Lock()
		w.got[r.Method+" "+r.URL.Host+" "+r.URL.Path] = true
		w.mu.Unlock()
	}
	return w.web.RoundTrip(r)
}

// Header fields of the caller go to the pages of the site, and not to the robots.txt of other hosts
// and ports that a sitemap lists.
func TestSite_HeaderStaysAtTheSite(t *testing.T) {
	for _, name := range []string{"https://www.example.com/", "www.example.com"} {
		w := &secretWeb{got: map[string]bool{}, web: siteOf(map[string]string{
			"robots.txt": "Sitemap: https://www.example.com/i.xml",
			"i.xml":      indexOf(home+"a.xml", "https://evil.test/b.xml"),
			"a.xml":      wholeURLSet(home+"1", "https://evil.test/1", "https://sub.example.com/1", "https://www.example.com:8443/1"),
		})}
		c := client(w)
		c.Fetch.Header = http.Header{"Cookie": {"secret"}}
		w.web["https://evil.test/b.xml"] = w.web[home+"a.xml"]
		if _, err := collect(audit.Site(t.Context(), c, name, &audit.Options{Pages: -1, Walk: discover.Options{MinTrust: trust.Untrusted}})); err != nil {
			t.Fatal(err)
		}
		for request := range w.got {
			if !strings.HasPrefix(request, "GET www.example.com /") {
				t.Errorf("%s: the secret goes to %s", name, request)
			}
		}
		if !w.got["GET www.example.com /1"] {
			t.Errorf("%s: the page is requested without the header: %v", name, w.got)
		}
	}
}

// Each sitemap that the caller names is named: the pages of its host get the header fields.
func TestSitemaps_HeaderOfEach(t *testing.T) {
	w := &secretWeb{got: map[string]bool{}, web: siteOf(map[string]string{"a.xml": wholeURLSet(home + "1")})}
	w.web["https://b.test/b.xml"] = section{status: "200", body: []byte(wholeURLSet("https://b.test/1"))}
	c := client(w)
	c.Fetch.Header = http.Header{"Cookie": {"secret"}}
	from := []*discover.Sitemap{{Loc: home + "a.xml"}, {Loc: "https://b.test/b.xml"}}
	if _, err := collect(audit.Sitemaps(t.Context(), c, from, &audit.Options{Pages: -1})); err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{"GET www.example.com /1", "GET b.test /1", "GET b.test /robots.txt"} {
		if !w.got[request] {
			t.Errorf("%s: without the header", request)
		}
	}
}

// An audit that was stopped judges each page once, and the next one all pages again.
func TestSite_PagesGoOn(t *testing.T) {
	const n = 200
	site := missingPages(n)
	o := &audit.Options{Pages: -1, Store: new(state.Memory)}
	judged := map[string]int{}
	for f, err := range audit.Site(t.Context(), client(site), "https://www.example.com/", o) {
		if err != nil {
			t.Fatal(err)
		}
		if judged[f.Loc]++; len(judged) == 100 {
			break
		}
	}
	for f, err := range audit.Site(t.Context(), client(site), "https://www.example.com/", o) {
		if err != nil {
			t.Fatal(err)
		}
		judged[f.Loc]++
	}
	again := 0
	for i := range n {
		loc := fmt.Sprintf("https://www.example.com/%d", i)
		if judged[loc] == 0 {
			t.Errorf("%s was not judged", loc)
		}
		if site.hits[loc] > 1 {
			again++
		}
	}
	if again > 20 { // those that were under way
		t.Errorf("%d pages were requested again", again)
	}
	site.hits = map[string]int{}
	collect(audit.Site(t.Context(), client(site), "https://www.example.com/", o))
	if len(site.hits) != n+3 {
		t.Errorf("%d requests after an audit that ended", len(site.hits))
	}
}

// What an audit that was stopped has judged by other rules is judged again.
func TestSite_PagesGoOnByOtherRules(t *testing.T) {
	const n = 100
	site, o := missingPages(n), audit.Options{Pages: -1, Store: new(state.Memory)}
	ctx, stop := context.WithCancel(t.Context())
	first := o
	first.Disable = []sitemap.Code{audit.PageNotFound}
	judged := 0
	first.Judged = func(audit.PageResult) {
		if judged++; judged == n/2 {
			stop()
		}
	}
	collect(audit.Site(ctx, client(site), home, &first))
	if found, err := collect(audit.Site(t.Context(), client(site), home, &o)); len(found) != n || err != nil {
		t.Errorf("%d of %d pages are missing, %v", len(found), n, err)
	}
}

// A sample is drawn from all sitemaps alike, and is the same each time.
func TestSite_Sample(t *testing.T) {
	site := missingPages(1_000)
	site.web["https://www.example.com/b.txt"] = section{"200", nil, []byte("https://www.example.com/1\nhttps://www.example.com/3\nhttps://www.example.com/5\n")}
	var first string
	for range 2 {
		found, err := collect(audit.Site(t.Context(), client(site),
			"https://www.example.com/", &audit.Options{Pages: 10}))
		of := map[string]int{}
		var locs []string
		for _, f := range found {
			of[f.Sitemap]++
			locs = append(locs, f.Loc)
		}
		if of["https://www.example.com/a.txt"] != 7 || of["https://www.example.com/b.txt"] != 3 || err != nil {
			t.Errorf("%v, %v", of, err)
		}
		if got := strings.Join(locs, " "); first != "" && got != first {
			t.Errorf("%s, then %s", first, got)
		} else {
			first = got
		}
	}
}

// An audit whose context ends while its pages are judged is not complete.
func TestSite_CancelAmongPages(t *testing.T) {
	src := audit.Source{Name: "a.txt", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("https://www.example.com/1\nhttps://www.example.com/2\n")), nil
	}}
	for name, start := range map[string]func(context.Context, *audit.Options) iter.Seq2[audit.Finding, error]{
		"Site": func(ctx context.Context, o *audit.Options) iter.Seq2[audit.Finding, error] {
			return audit.Site(ctx, client(missingPages(20)), "https://www.example.com/", o)
		},
		"Pages": func(ctx context.Context, o *audit.Options) iter.Seq2[audit.Finding, error] {
			return audit.Pages(ctx, client(missingPages(20)), src, o)
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		judged := 0
		o := &audit.Options{Pages: -1, Judged: func(audit.PageResult) { judged++; cancel() }}
		if _, err := collect(start(ctx, o)); judged != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: judged %d, error %v, want 1 and %v", name, judged, err, context.Canceled)
		}
	}
}

// A caller that breaks off leaves nothing running, at whatever finding.
func TestSite_Break(t *testing.T) {
	synctest.Test(t, testSiteBreak) // it fails if a goroutine is left
}

func testSiteBreak(t *testing.T) {
	site := missingPages(100)
	site.web["https://www.example.com/b.txt"] = site.web["https://www.example.com/a.txt"]
	for stop := 1; stop < 150; stop += 7 {
		n := 0
		for range audit.Site(context.Background(), client(site), "https://www.example.com/", &audit.Options{Pages: -1}) {
			if n++; n == stop {
				break
			}
		}
		if n > stop {
			t.Fatalf("%d findings after a break at %d", n, stop)
		}
	}
}

type brokenStore struct{ state.Memory }

var errStore = errors.New("disk full")

func (*brokenStore) Put(string, []byte) error { return errStore }

// An error of the Store is the last element, after all findings, or in it beside those of documents.
func TestSite_StoreFails(t *testing.T) {
	for unread, want := range map[bool]int{false: 4, true: 3} {
		site := missingPages(4)
		if unread {
			delete(site.web, "https://www.example.com/b.txt")
		}
		found, err := collect(audit.Site(t.Context(), client(site),
			"https://www.example.com/", &audit.Options{Pages: -1, Store: new(brokenStore)}))
		isUnread := errors.As(err, new(*discover.DocumentError))
		if !errors.Is(err, errStore) || isUnread != unread || len(found) != want {
			t.Errorf("%d findings, %v", len(found), err)
		}
	}
}

// The functions of the walk are called, Done after the findings in its document.
func TestSite_CallsTheWalksFunctions(t *testing.T) {
	site := missingPages(4)
	site.web["https://www.example.com/a.txt"] = section{"200", nil, []byte("https://www.example.com/1\nno URL\nhttps://elsewhere.example/\n")}
	var order []string
	o := &audit.Options{Walk: discover.Options{
		Fetched: func(_ *discover.Sitemap, d *fetch.Document) { order = append(order, "fetched "+d.URL.String()) },
		Report:  func(_ *discover.Sitemap, p sitemap.Problem) { order = append(order, "report "+string(p.Code)) },
		Done: func(s *discover.Sitemap, sum discover.Summary) {
			order = append(order, fmt.Sprint("done ", sum.Entries))
		},
	}}
	for f, err := range audit.Site(t.Context(), client(site), "https://www.example.com/", o) {
		order = append(order, fmt.Sprint("found ", f.Code, err))
	}
	got := strings.Join(order, ", ")
	want := "fetched https://www.example.com/robots.txt, fetched https://www.example.com/a.txt, report junk_line, report untrusted_loc, found junk_line<nil>, done 2, " +
		"fetched https://www.example.com/b.txt, done 2, found untrusted_host<nil>, found url_in_several_sitemaps<nil>"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A folder for temporary files that cannot be written is an error after all findings.
func TestSite_TempDir(t *testing.T) {
	site := missingPages(10)
	for i := range 2 { // together more pages than are held in memory
		var urls strings.Builder
		for n := range 49_000 {
			fmt.Fprintf(&urls, "https://www.example.com/%d/%d\n", i, n)
		}
		name := fmt.Sprintf("https://www.example.com/large%d.txt", i)
		site.web[name] = section{"200", nil, []byte(urls.String())}
		site.web["https://www.example.com/robots.txt"] = section{
			"200", nil, append(site.web["https://www.example.com/robots.txt"].body, "Sitemap: "+name+"\n"...),
		}
	}
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := &audit.Options{TempDir: file}
	if _, err := collect(audit.Site(t.Context(), client(site), "https://www.example.com/", o)); err == nil {
		t.Error("no error")
	}
}

// A sample has each page once, however often and in however many sitemaps it is listed.
func TestSite_SampleOfCopies(t *testing.T) {
	site := missingPages(20)
	copies := strings.Repeat("https://www.example.com/gone\n", 100)
	for _, name := range []string{"a", "b"} {
		u := "https://www.example.com/" + name + ".txt"
		site.web[u] = section{"200", nil, append([]byte(copies), site.web[u].body...)}
	}
	found, _ := collect(
		audit.Site(
			t.Context(),
			client(site),
			"https://www.example.com/",
			&audit.Options{Pages: 10},
		),
	)
	judged := map[string]int{}
	for _, f := range found {
		if f.Code == "page_not_found" {
			judged[f.Loc]++
		}
	}
	if len(judged) != 10 || judged["https://www.example.com/gone"] > 1 {
		t.Errorf("%v", judged)
	}
}
