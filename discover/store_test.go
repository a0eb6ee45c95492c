package discover_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
)

// A mapStore is a Store in a map. It logs all calls, and fails those that a test chooses.
type mapStore struct {
	mu   sync.Mutex
	m    map[string][]byte
	ops  []string             // "put d", "sync"
	fail func(op string) bool // nil: never
}

var errStore = errors.New("the store fails")

func (s *mapStore) op(op string) error {
	s.ops = append(s.ops, op)
	if s.fail != nil && s.fail(op) {
		return errStore
	}
	return nil
}

// kind returns the table of a key.
func kind(key string) string {
	_, rest, _ := strings.Cut(key, "/")
	return rest[:1]
}

func (s *mapStore) Get(key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[key], s.op("get " + kind(key))
}

func (s *mapStore) Put(key string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.op("put " + kind(key)); err != nil {
		return err
	}
	if s.m == nil {
		s.m = map[string][]byte{}
	}
	s.m[key] = slices.Clone(value)
	return nil
}

func (s *mapStore) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.op("sync")
}

const example = "https://example.com"

// A news is a site whose documents change: an index of n children, each with an ETag and with one
// page, whose location and lastmod have the child's version.
type news struct {
	*web
	version []int
	listed  []string // lastmods in the index
}

func newNews(n int) *news {
	s := &news{newWeb(), make([]int, n), slices.Repeat([]string{"2024-01-01"}, n)}
	s.serve(example+"/robots.txt", "Sitemap: "+example+"/index.xml")
	s.tagged(example+"/index.xml", func() string {
		var locs []string
		for i, lastmod := range s.listed {
			locs = append(locs, child(i)+"|"+lastmod)
		}
		return index(locs...)
	})
	for i := range n {
		s.tagged(child(i), func() string { return urlset(page(i, s.version[i])) })
	}
	return s
}

func child(i int) string         { return fmt.Sprintf("%s/%d.xml", example, i) }
func page(i, version int) string { return fmt.Sprintf("%s/%d/v%d", example, i, version) }

// children returns how many children were requested since the last call.
func (s *news) children() (n int) {
	for _, loc := range s.asked() {
		if strings.HasSuffix(loc, ".xml") && loc != example+"/index.xml" {
			n++
		}
	}
	s.forget()
	return n
}

func TestStore_ChangesOfPages(t *testing.T) {
	stores := map[string]func(t *testing.T) discover.Store{
		"map":    func(*testing.T) discover.Store { return &mapStore{} },
		"memory": func(*testing.T) discover.Store { return &state.Memory{} },
		"file": func(t *testing.T) discover.Store {
			db, err := state.Open(filepath.Join(t.TempDir(), "state"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		},
	}
	const a, b, c, d = example + "/a", example + "/b", example + "/c", example + "/d"
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			w := newWeb()
			w.serve(example+"/robots.txt", "Sitemap: "+example+"/s.xml")
			store := open(t)
			for i, step := range []struct {
				pages []string
				want  []string
			}{
				{[]string{a, b + "|2024-01-01", c + "|2024-01-01"}, []string{a + " new", b + " new", c + " new"}},
				{
					[]string{a, b + "|2024-01-02", c + "|2023-12-31", d},
					[]string{a + " unchanged", b + " modified", c + " unchanged", d + " new"},
				},
				// An earlier lastmod has not moved the one that counts; one that appears has.
				{
					[]string{a + "|2024-01-02", b + "|2024-01-02", c + "|2024-01-01", d},
					[]string{a + " modified", b + " unchanged", c + " unchanged", d + " unchanged"},
				},
				// One that disappears and returns has not.
				{[]string{a, c}, []string{a + " unchanged", c + " unchanged"}},
				{[]string{a + "|2024-01-02", b}, []string{a + " unchanged", b + " unchanged"}},
			} {
				w.serve(example+"/s.xml", urlset(step.pages...))
				r := w.site(t, nil, example, discover.Options{Store: store})
				equal(t, fmt.Sprintf("walk %d", i+1), r.changes(), step.want)
				if r.err != nil {
					t.Error(r.err)
				}
			}
			w.serve(example+"/s.xml", urlset(a, b+"|2025-01-01", example+"/e"))
			r := w.site(t, nil, example, discover.Options{Store: store, OnlyChanged: true})
			equal(t, "only changed", r.changes(), []string{b + " modified", example + "/e new"})
		})
	}
}

func TestStore_NoStoreMeansNoChange(t *testing.T) {
	w := newNews(1)
	r := w.site(t, nil, example, discover.Options{OnlyChanged: true, Run: "x"})
	equal(t, "changes", r.changes(), []string{page(0, 0) + " "})
}

// TestStore_PagesMove: a page is known whichever document lists it.
func TestStore_PagesMove(t *testing.T) {
	w, store := newWeb(), &mapStore{}
	w.serve(example+"/robots.txt", "Sitemap: "+example+"/1.xml\nSitemap: "+example+"/2.xml")
	pages := numbered(example+"/%d", 10)
	for offset, want := range []int{10, 1, 1} {
		all := append(numbered(fmt.Sprintf("%s/later-%d-%%d", example, offset), min(offset, 1)),
			pages...)
		pages = all
		w.serve(example+"/1.xml", urlset(all[:5]...))
		w.serve(example+"/2.xml", urlset(all[5:]...))
		r := w.site(t, nil, example, discover.Options{Store: store, OnlyChanged: true})
		if len(r.urls) != want {
			t.Errorf("walk %d: %q", offset+1, r.changes())
		}
	}
}

// TestStore_TwoLastMods: a page that is listed twice with different lastmods, in one document or in
// two, has the later one, and does not change from walk to walk.
func TestStore_TwoLastMods(t *testing.T) {
	const p, one, two = example + "/p", "|2024-01-01", "|2024-02-01"
	for _, documents := range [][][]string{
		{{p + one}, {p + two}}, {{p + two}, {p + one}}, {{p + one, p + two}, nil}, {{p + two, p + one}, nil},
	} {
		w, store := newWeb(), &mapStore{}
		from := seeds(example+"/1.xml", example+"/2.xml")
		w.serve(from[0].Loc, urlset(documents[0]...))
		w.serve(from[1].Loc, urlset(documents[1]...))
		for i, want := range []string{" new", " unchanged", " unchanged"} {
			r := w.walk(t, nil, from, discover.Options{Store: store})
			equal(t, fmt.Sprint(documents, " walk ", i+1), r.changes(), []string{p + want, p + want})
		}
	}
}

// TestStore_SitesAreApart: two sites share a Store, and a page of both is new for each.
func TestStore_SitesAreApart(t *testing.T) {
	w, store := newWeb(), &mapStore{}
	for _, site := range []string{example, "https://www.example.com"} {
		w.serve(site+"/robots.txt", "Sitemap: "+site+"/s.xml")
		w.serve(site+"/s.xml", urlset(example+"/p"))
		r := w.site(t, nil, site, discover.Options{Store: store})
		equal(t, site, r.changes(), []string{example + "/p new"})
	}
	for key := range store.m {
		if !strings.HasPrefix(key, "example.com/") && !strings.HasPrefix(key, "www.example.com/") {
			t.Errorf("key %q", key)
		}
	}
}

// TestStore_SeedsOfOtherHosts: the record of a seed does not depend on the other seeds.
func TestStore_SeedsOfOtherHosts(t *testing.T) {
	w, store := newWeb(), &mapStore{}
	var from, want []string
	for _, host := range []string{"c", "b", "d", "a"} {
		loc := "https://" + host + ".test/"
		w.serve(loc+"i.xml", index(loc+"s.xml"))
		w.serve(loc+"s.xml", urlset(loc))
		from, want = append(from, loc+"i.xml"), append(want, loc+" new")
		r := w.walk(t, nil, seeds(from...), discover.Options{Store: store, OnlyChanged: true})
		equal(t, "with "+host, r.changes(), want[len(want)-1:])
	}
	r := w.walk(t, nil, seeds(from[1]), discover.Options{Store: store})
	equal(t, "b alone", r.changes(), []string{"https://b.test/ unchanged"})
}

// TestStore_SharedIndex: an index of two sites is read for the first one that lists it, although
// the Store remembers it for the other one.
func TestStore_SharedIndex(t *testing.T) {
	w, store := newWeb(), &mapStore{}
	page := ""
	w.serve("https://a.test/i.xml", index("https://b.test/i.xml"))
	w.tagged("https://b.test/i.xml", func() string { return index("https://b.test/s.xml") })
	w.tagged("https://b.test/s.xml", func() string { return urlset(page) })
	b := seeds("https://b.test/i.xml")
	for i, from := range [][]*discover.Sitemap{b, append(seeds("https://a.test/i.xml"), b...)} {
		page = fmt.Sprint("https://b.test/", i)
		r := w.walk(t, nil, from, discover.Options{Store: store, OnlyChanged: true})
		equal(t, fmt.Sprint("walk ", i), r.changes(), []string{page + " new"})
	}
}

// TestStore_SeedOfNoSite: a seed that is no URL fails, and others are remembered all the same.
func TestStore_SeedOfNoSite(t *testing.T) {
	w, store := newWeb(), &mapStore{}
	w.serve(example+"/a.xml", urlset(example+"/1"))
	for _, change := range []string{"new", "unchanged"} {
		r := w.walk(t, nil, seeds("/no-site.xml", example+"/a.xml"), discover.Options{Store: store})
		equal(t, "changes", r.changes(), []string{example + "/1 " + change})
		var failure *discover.DocumentError
		if !errors.As(r.err, &failure) || failure.Sitemap.Loc != "/no-site.xml" {
			t.Errorf("error: %v", r.err)
		}
	}
}

// TestStore_NotModified: 304 keeps what was known, an index's children included. A change in a
// child is found below an index that has not changed.
func TestStore_NotModified(t *testing.T) {
	w, store := newNews(5), &mapStore{}
	clear(w.listed) // the children are listed without lastmods
	o := discover.Options{Store: store, OnlyChanged: true}
	if r := w.site(t, nil, example, o); len(r.urls) != 5 {
		t.Fatalf("%q", r.locs())
	}
	w.children()
	for range 3 {
		r := w.site(t, nil, example, o)
		if len(r.urls) != 0 || r.err != nil || len(r.done) != 6 || w.children() != 5 {
			t.Errorf("nothing has changed: %q, %v, %q", r.locs(), r.err, r.done)
		}
		for loc, sum := range r.sums {
			if !sum.NotModified || sum.Status != 304 {
				t.Errorf("%s: %+v", loc, sum)
			}
		}
	}
	w.version[3]++
	r := w.site(t, nil, example, o)
	equal(t, "changes", r.changes(), []string{page(3, 1) + " new"})
	if !r.sums[example+"/index.xml"].NotModified {
		t.Error("the index was sent again")
	}
	// A walk without OnlyChanged reads and yields everything.
	r = w.site(t, nil, example, discover.Options{Store: store})
	if len(r.urls) != 5 || r.sums[child(1)].NotModified {
		t.Errorf("without OnlyChanged: %q", r.changes())
	}
}

// TestStore_GrantsBelow304: the grants of children do not depend on whether the index was sent.
func TestStore_GrantsBelow304(t *testing.T) {
	w, store := newWeb(), &mapStore{}
	w.redirect(example+"/i.xml", "https://cdn.test/d/i.xml")
	w.tagged("https://cdn.test/d/i.xml", func() string { return index("https://cdn.test/d/s.xml") })
	for i := range 3 {
		p, q := fmt.Sprintf("https://cdn.test/d/%d", i), fmt.Sprintf("%s/%d", example, i)
		w.serve("https://cdn.test/d/s.xml", urlset(p, "https://cdn.test/2", q))
		r := w.walk(t, nil, seeds(example+"/i.xml"),
			discover.Options{Store: store, OnlyChanged: true})
		equal(t, "verdicts", r.verdicts(), []string{p + " location", q + " caller"})
	}
	for key, value := range store.m {
		if strings.Contains(string(value), "grant") || strings.Contains(string(value), "caller") {
			t.Errorf("%q holds %s", key, value)
		}
	}
}

// TestStore_SinceBelow304: what Since leaves out does not depend on whether the index was sent: the
// zone and the precision of the lastmods that it lists are known.
func TestStore_SinceBelow304(t *testing.T) {
	w, store := newNews(5), &mapStore{}
	w.listed = []string{"2024-05-31T12:00:00", "2024-05-31T23:59Z", "2024-05-31T23:59:00Z", "2024-05-31T20:59-03:00", "2024"}
	o := discover.Options{Store: store, OnlyChanged: true,
		Since: time.Date(2024, 5, 31, 23, 59, 30, 0, time.UTC)}
	for i := range 3 {
		r := w.site(t, nil, example, o)
		equal(t, "left out", r.skipped(discover.SkippedSince), []string{child(2)})
		if r.sums[example+"/index.xml"].NotModified != (i > 0) {
			t.Errorf("walk %d: %+v", i+1, r.sums)
		}
	}
}

// TestStore_UnmovedLastModsSkip: after three proofs, documents whose listed lastmod has not moved
// are skipped, except for about one in ten; after 7 days all are requested.
func TestStore_UnmovedLastModsSkip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 200
		w, store := newNews(n), &mapStore{}
		o := discover.Options{Store: store, OnlyChanged: true}
		time.Sleep(25 * 365 * 24 * time.Hour) // the lastmods are not in the future
		w.site(t, nil, example, o)
		w.children()
		time.Sleep(time.Hour)
		seen := map[string]bool{}
		for i := range 5 {
			r := w.site(t, nil, example, o)
			if len(r.urls) != 0 || r.err != nil {
				t.Errorf("%q, %v", r.locs(), r.err)
			}
			skipped := r.skipped(discover.SkippedState)
			asked := w.children()
			if asked+len(skipped) != n || asked < 3 || asked > n/4 {
				t.Errorf("walk %d: %d children requested, %d skipped", i+2, asked, len(skipped))
			}
			for _, loc := range r.done {
				if r.sums[loc].Skipped == "" {
					seen[loc] = true
				}
			}
		}
		if len(seen) < n/5 {
			t.Errorf("five walks requested %d of %d children", len(seen), n)
		}
		// A lastmod that moves is followed.
		w.version[77]++
		w.listed[77] = "2024-02-02"
		equal(t, "moved", w.site(t, nil, example, o).locs(), []string{page(77, 1)})
		w.children()
		time.Sleep(7 * 24 * time.Hour)
		w.site(t, nil, example, o)
		if asked := w.children(); asked != n {
			t.Errorf("after 7 days, %d of %d children were requested", asked, n)
		}
		// A walk without OnlyChanged requests everything.
		w.site(t, nil, example, discover.Options{Store: store})
		if asked := w.children(); asked != n {
			t.Errorf("without OnlyChanged, %d of %d children were requested", asked, n)
		}
	})
}

// TestStore_ThreeProofsFirst: no document is skipped before the lastmods of its host have proved
// right three times, whatever Concurrency is. Then all others are, except for about one in ten.
func TestStore_ThreeProofsFirst(t *testing.T) {
	for concurrency, most := range map[int]int{1: 3, 16: 6} { // 16 fetches three more ahead
		least := 12
		for try := 0; least > most && try < 60; try++ { // the documents that are requested anyway differ
			w, store := newNews(12), &mapStore{}
			for range 2 {
				w.forget()
				c := w.client()
				c.Concurrency = concurrency
				w.site(t, c, example, discover.Options{Store: store, OnlyChanged: true})
			}
			for i := range 3 {
				if w.hits(child(i)) != 1 {
					t.Errorf("concurrency %d: child %d was skipped", concurrency, i)
				}
			}
			least = min(least, w.children())
		}
		if least > most {
			t.Errorf("concurrency %d: at least %d children were requested, want %d",
				concurrency, least, most)
		}
	}
}

// TestStore_WrongLastModEndsSkipping: a document that changed under an unmoved lastmod ends it for
// its host.
func TestStore_WrongLastModEndsSkipping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, store := newNews(20), &mapStore{}
		o := discover.Options{Store: store, OnlyChanged: true}
		w.site(t, nil, example, o)
		w.site(t, nil, example, o)
		w.version[10]++ // the index says nothing of it
		time.Sleep(8 * 24 * time.Hour)
		equal(t, "after 8 days", w.site(t, nil, example, o).locs(), []string{page(10, 1)})
		for range 3 {
			w.children()
			w.site(t, nil, example, o)
			if n := w.children(); n != 20 {
				t.Errorf("%d of 20 children were requested", n)
			}
		}
	})
}

// TestStore_TwoChangesOfADay: a document is requested again on the day of its listed lastmod, and
// still until that day is over everywhere, if the lastmod is only a date. A second change on that day
// proves nothing against the lastmods of the host.
func TestStore_TwoChangesOfADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 40
		w, store := newNews(n), &mapStore{}
		o := discover.Options{Store: store, OnlyChanged: true}
		time.Sleep(25 * 365 * 24 * time.Hour) // the lastmods are not in the future
		for range 2 {
			w.site(t, nil, example, o)
			time.Sleep(time.Hour)
		}
		w.listed[7] = time.Now().Format(time.DateOnly)
		for version := range 10 {
			w.version[7]++
			equal(t, fmt.Sprint("change ", version+1), w.site(t, nil, example, o).locs(),
				[]string{page(7, version+1)})
			time.Sleep(time.Hour)
		}
		w.children()
		time.Sleep(2 * 24 * time.Hour)
		for i := range 4 {
			w.site(t, nil, example, o)
			if asked := w.children(); asked > n/2 {
				t.Errorf("walk %d after that day: %d of %d children were requested", i+1, asked, n)
			}
		}
	})
}

// TestStore_LastModsOfOtherHosts: what the lastmods of one host have proved says nothing of
// another.
func TestStore_LastModsOfOtherHosts(t *testing.T) {
	w, store := newWeb(), &mapStore{}
	var children []string
	for i := range 8 {
		for _, host := range []string{example, "https://a.example.com"} {
			loc := fmt.Sprintf("%s/%d.xml", host, i)
			children = append(children, loc+"|2024")
			w.handle(loc, func(*http.Request) answer { return answer{body: urlset(loc + "/p")} })
		}
	}
	w.serve(example+"/i.xml", index(children...))
	o := discover.Options{Store: store, OnlyChanged: true}
	for range 3 {
		w.forget()
		w.walk(t, nil, seeds(example+"/i.xml"), o)
		// Those of the second host prove wrong.
		for i := range 8 {
			loc := fmt.Sprintf("https://a.example.com/%d.xml", i)
			w.serve(loc, urlset(fmt.Sprintf("%s/%d", loc, len(store.ops))))
		}
	}
	ours, theirs := 0, 0
	for _, loc := range w.asked() {
		if strings.HasPrefix(loc, "https://a.example.com/") {
			theirs++
		} else {
			ours++
		}
	}
	if theirs != 8 || ours >= 8 {
		t.Errorf("%d and %d requests", ours, theirs)
	}
}

// TestStore_PartialDocuments: a document of which something was left out is read again, without
// validators, however its lastmod is.
func TestStore_PartialDocuments(t *testing.T) {
	date := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, o := range map[string]discover.Options{
		"since":  {Since: date},
		"trust":  {MinTrust: trust.Robots},
		"limit":  {Limits: sitemap.Limits{Entries: 1}},
		"report": {},
	} {
		w, store := newWeb(), &mapStore{}
		i, s := example+"/i.xml", example+"/s.xml"
		w.tagged(i, func() string { return index(slices.Repeat([]string{s + "|2024-02-01"}, 1)...) })
		conditional := false
		w.handle(s, func(r *http.Request) answer {
			conditional = r.Header.Get("If-None-Match") != ""
			return answer{
				header: []string{"ETag", `"1"`},
				body:   urlset(example+"/a|2023", "https://other.test/b|2024-02-01"),
			}
		})
		if o.MinTrust == 0 {
			o.MinTrust = trust.Untrusted
		}
		o.Store, o.OnlyChanged = store, true
		for range 4 {
			w.walk(t, nil, seeds(i), o)
		}
		if w.hits(s) != 4 || conditional != (name == "report") {
			t.Errorf("%s: %d requests, conditional %v", name, w.hits(s), conditional)
		}
		// A page that was left out is new once it is yielded.
		r := w.walk(t, nil, seeds(i),
			discover.Options{Store: store, OnlyChanged: true, MinTrust: trust.Untrusted})
		want := map[string]string{
			"since": example + "/a new", "trust": "https://other.test/b new",
			"limit": "https://other.test/b new", "report": "",
		}[name]
		if got := strings.Join(r.changes(), ", "); got != want {
			t.Errorf("%s: then %q, want %q", name, got, want)
		}
	}
}

// TestStore_DamagedDocuments: the pages of a document before it broke are known; the document is
// read again.
func TestStore_DamagedDocuments(t *testing.T) {
	w, store := newWeb(), &mapStore{}
	s := example + "/s.xml"
	w.answer(s, answer{
		header: []string{"ETag", `"1"`}, body: urlset(example + "/a")[:100], cut: errors.New("reset"),
	})
	o := discover.Options{Store: store, OnlyChanged: true}
	r := w.walk(t, nil, seeds(s), o)
	equal(t, "before", r.changes(), []string{example + "/a new"})
	if !errors.Is(r.err, fetch.ErrBody) {
		t.Errorf("error %v", r.err)
	}
	w.tagged(s, func() string { return urlset(example+"/a", example+"/b") })
	equal(t, "after", w.walk(t, nil, seeds(s), o).changes(), []string{example + "/b new"})
}

// TestStore_NoRetryTime: nothing is stored of how long a server asked to wait. The next run asks.
func TestStore_NoRetryTime(t *testing.T) {
	w, store := newNews(3), &mapStore{}
	w.answer(child(1), answer{status: 503, header: []string{"Retry-After", "31536000"}})
	for i := range 2 {
		r := w.site(t, nil, example, discover.Options{Store: store, OnlyChanged: true})
		var we *discover.WalkError
		if !errors.As(r.err, &we) || we.Failed != 1 || w.hits(child(1)) != i+1 {
			t.Errorf("walk %d: %v after %d requests", i+1, r.err, w.hits(child(1)))
		}
	}
	w.serve(child(1), urlset(example+"/late"))
	r := w.site(t, nil, example, discover.Options{Store: store, OnlyChanged: true})
	equal(t, "later", r.changes(), []string{example + "/late new"})
	if r.err != nil {
		t.Error(r.err)
	}
}

// TestStore_ErrorEndsTheWalk: whichever call of a Store fails, the walk ends with that error as its
// last element, after the pages before it, and requests nothing more.
func TestStore_ErrorEndsTheWalk(t *testing.T) {
	const n = 20
	w := newNews(n)
	whole := &mapStore{}
	c := w.client()
	c.Concurrency = 1
	all := w.site(t, c, example, discover.Options{Store: whole, Run: "1"})
	for at := range whole.ops {
		store, calls := &mapStore{}, 0
		store.fail = func(string) bool { calls++; return calls == at+1 }
		w.forget()
		c := w.client()
		c.Concurrency = 1
		r := w.site(t, c, example, discover.Options{Store: store, Run: "1"})
		var we *discover.WalkError
		if !errors.As(r.err, &we) || !errors.Is(r.err, errStore) || we.Failed != 0 {
			t.Errorf("%s, call %d: %v", whole.ops[at], at+1, r.err)
		}
		if len(r.urls) > n || !slices.Equal(r.locs(), all.locs()[:len(r.urls)]) {
			t.Errorf("%s, call %d: %q", whole.ops[at], at+1, r.locs())
		}
		if calls > at+1 || at < len(whole.ops)/2 && len(w.asked()) > 2*n/3 {
			t.Errorf("%s, call %d: %d calls, %d requests",
				whole.ops[at], at+1, calls, len(w.asked()))
		}
	}
	always := &mapStore{fail: func(string) bool { return true }}
	r := w.site(t, nil, example, discover.Options{Store: always})
	if text := r.err.Error(); text != "discover: "+errStore.Error() || len(r.urls) > 0 {
		t.Errorf("error %q after %q", text, r.locs())
	}
}

// TestStore_DonePutSync: Done is called before the puts of its document, and Sync after both, at
// most every 200 ms and at the end.
func TestStore_DonePutSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 40
		w, store := newNews(n), &mapStore{}
		for i := range n {
			w.answer(child(i), answer{body: urlset(page(i, 0)), wait: 30 * time.Millisecond})
		}
		var synced []time.Time
		store.fail = func(op string) bool {
			if op == "sync" {
				synced = append(synced, time.Now())
			}
			return false
		}
		c := w.client()
		c.Concurrency = 1
		w.site(t, c, example, discover.Options{Store: store, Done: func(*discover.Sitemap, discover.Summary) {
			store.op("done")
		}})
		var marks []string
		for _, op := range store.ops {
			if !strings.HasPrefix(op, "get") && op != "put r" && op != "put l" {
				marks = append(marks, op)
			}
		}
		want := []string{"done", "put d"}
		for range n {
			want = append(want, "done", "put u", "put d")
		}
		want = append(want, "sync")
		last := marks[len(marks)-1]
		marks = slices.DeleteFunc(marks[:len(marks)-1], func(op string) bool { return op == "sync" })
		equal(t, "calls", append(marks, last), want)
		if len(synced) < 4 || len(synced) > 8 {
			t.Errorf("%d syncs in %d documents of 30 ms", len(synced), n)
		}
		for i := 1; i < len(synced)-1; i++ {
			if d := synced[i].Sub(synced[i-1]); d < 200*time.Millisecond {
				t.Errorf("synced again after %v", d)
			}
		}
	})
}

// TestStore_RandomWebs: while a random web changes, walks with OnlyChanged yield each page once,
// when it is new, by 304 as without; walks that are stopped lose none.
func TestStore_RandomWebs(t *testing.T) {
	for seed := range randomWebs(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		w := newRandomWeb(r)
		documents := slices.Sorted(maps.Keys(w.answers))
		documents = slices.DeleteFunc(documents, func(loc string) bool { return w.to[loc] != "" })
		for _, loc := range documents {
			w.tagged(loc, func() string { return mixed(w.pages[loc], w.children[loc]) })
		}
		o := discover.Options{Store: &mapStore{}, OnlyChanged: true,
			MinTrust: trust.Level(seed % 3), VerifyHosts: -1}
		seen := map[string]bool{}
		for step := range 5 {
			o.Run = fmt.Sprint(step)
			full := w.walk(t, nil, w.seeds, discover.Options{MinTrust: o.MinTrust, VerifyHosts: -1})
			var got []string
			if stop := r.IntN(6); stop > 0 { // stopped, and its last document forgotten
				kept := 0
				stopped := o
				stopped.Done = func(*discover.Sitemap, discover.Summary) { kept = len(got) }
				for u := range w.client().Walk(t.Context(), w.seeds, &stopped) {
					if got = append(got, u.Loc); len(got) == stop {
						break
					}
				}
				got = got[:kept]
			}
			got = append(got, w.walk(t, nil, w.seeds, o).locs()...)
			var want []string
			for _, loc := range full.locs() {
				if !seen[loc] {
					want = append(want, loc)
				}
			}
			equal(t, fmt.Sprint("web ", seed, ", step ", step), got, want)
			for _, loc := range want {
				seen[loc] = true
			}
			for _, loc := range documents { // the next change
				if r.IntN(4) == 0 {
					w.pages[loc] = append(w.pages[loc], fmt.Sprintf("https://a.test/x/%d-%d", step, r.IntN(50)))
				}
			}
		}
	}
}
