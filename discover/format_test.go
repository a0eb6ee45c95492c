package discover_test

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
)

// TestStore_OtherFormat: what another version has stored counts as absent, and is reported once.
func TestStore_OtherFormat(t *testing.T) {
	w, store := newNews(5), &mapStore{}
	o := discover.Options{Store: store, OnlyChanged: true}
	w.site(t, nil, example, o)
	for key, value := range store.m {
		if value[0] != 1 {
			t.Errorf("the value of %q begins with %q", key, value[0])
		}
		value[0] = 2
	}
	r := w.site(t, nil, example, o)
	if len(r.urls) != 5 || r.err != nil || len(r.with("store_format")) != 1 {
		t.Errorf("%q, %v, %q", r.changes(), r.err, r.problems)
	}
	r = w.site(t, nil, example, o)
	if len(r.urls) != 0 || len(r.problems) != 0 {
		t.Errorf("then %q, %q", r.changes(), r.problems)
	}
}

// TestStore_DamagedRecords: a record that is damaged counts as absent: its document is read again.
func TestStore_DamagedRecords(t *testing.T) {
	for _, damage := range []func([]byte) []byte{
		func([]byte) []byte { return []byte{} },
		func(v []byte) []byte { return v[:1] },
		func(v []byte) []byte { return v[:len(v)-1] },
		func(v []byte) []byte { return append(v, 'x') },
	} {
		w, store := newNews(5), &mapStore{}
		o := discover.Options{Store: store, OnlyChanged: true}
		w.site(t, nil, example, o)
		for key, value := range store.m {
			store.m[key] = damage(slices.Clone(value))
		}
		if r := w.site(t, nil, example, o); len(r.urls) != 5 || r.err != nil {
			t.Errorf("%q, %v", r.changes(), r.err)
		}
	}
}

// TestStore_MissingPart: where a part of the children of an index is missing, the index fails, and
// is read in the next run.
func TestStore_MissingPart(t *testing.T) {
	const n = 3_000
	w, store := newWeb(), &mapStore{}
	w.tagged(example+"/i.xml", func() string { return index(numbered(example+"/a-rather-long-name/%d.xml", n)...) })
	o := discover.Options{Store: store, OnlyChanged: true, Follow: func(*discover.Sitemap) bool { return false }}
	for i, want := range []int{n, -1, n, n} {
		parts := 0
		for key := range store.m {
			if kind(key) == "c" {
				if parts++; i == 1 {
					delete(store.m, key)
				}
			}
		}
		if i == 1 && parts == 0 {
			t.Fatal("no part is stored")
		}
		r := w.walk(t, nil, seeds(example+"/i.xml"), o)
		if got := len(r.skipped(discover.SkippedFollow)); want >= 0 && (got != want || r.err != nil) || want < 0 && r.err == nil {
			t.Errorf("walk %d: %d children, %v", i+1, got, r.err)
		}
	}
}

// TestStore_RunOfOtherClient: two walks of one Run and Store cannot be under way, whatever their
// Clients.
func TestStore_RunOfOtherClient(t *testing.T) {
	w, o := newNews(3), discover.Options{Store: &state.Memory{}, Run: "7"}
	c := w.client()
	c.Concurrency = 1
	for range c.URLs(t.Context(), example, &o) {
		if r := w.site(t, w.client(), example, o); !errors.Is(r.err, discover.ErrRunning) {
			t.Errorf("%q, %v", r.locs(), r.err)
		}
		break
	}
	if r := w.site(t, nil, example, o); r.err != nil {
		t.Errorf("afterwards: %v", r.err)
	}
}

// TestStore_LastModInTheFuture counts as none until its time has come, for pages and for children
// of an index.
func TestStore_LastModInTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it is 2000-01-01
		w, store := newNews(1), &mapStore{}
		o := discover.Options{Store: store, OnlyChanged: true}
		const p = example + "/p"
		for i, step := range []struct{ lastMod, want string }{
			{"2030-01-01", " new"},
			{"2030-01-01", ""},
			{"1999-05-05", " modified"},
			{"2030-01-01", ""},
			{"1999-06-06T00:00:00Z", " modified"},
			{"2000-03-01", ""},
			{"sleep", ""},
			{"2000-03-01", " modified"},
			{"2000-03-01", ""},
		} {
			if step.lastMod == "sleep" {
				time.Sleep(100 * 24 * time.Hour)
				continue
			}
			w.serve(child(0), urlset(p+"|"+step.lastMod))
			w.listed[0] = "2040-01-01" // and stays so
			var want []string
			if step.want != "" {
				want = []string{p + step.want}
			}
			equal(t, fmt.Sprint("walk ", i+1), w.site(t, nil, example, o).changes(), want)
		}
		for range 5 { // the lastmod of the index proves nothing right
			w.site(t, nil, example, o)
		}
		w.forget()
		w.site(t, nil, example, o)
		if w.hits(child(0)) != 1 {
			t.Error("a child was skipped by a lastmod in the future")
		}
	})
}

// TestStore_ChangedRedirect: validators go to the URL that answered with them, and to no other to
// which a redirect leads now.
func TestStore_ChangedRedirect(t *testing.T) {
	w, store := newWeb(), &mapStore{}
	const s, one, two = example + "/s.xml", example + "/1.xml", example + "/2.xml"
	w.redirect(s, one)
	w.answer(one, answer{header: []string{"Last-Modified", "Tue, 02 Jan 2024 00:00:00 GMT"}, body: urlset(example + "/a")})
	o := discover.Options{Store: store, OnlyChanged: true}
	w.walk(t, nil, seeds(s), o)
	w.redirect(s, two)
	w.handle(two, func(r *http.Request) answer { // an older file
		if r.Header.Get("If-Modified-Since") != "" {
			return answer{status: 304}
		}
		return answer{body: urlset(example+"/a", example+"/b")}
	})
	r := w.walk(t, nil, seeds(s), o)
	equal(t, "changes", r.changes(), []string{example + "/b new"})
	if r.err != nil {
		t.Error(r.err)
	}
}

// TestIndexLastModOld: where a page is dated after what the index says of its document, this is
// reported once a document. IgnoreIndexLastMod reads all children.
func TestIndexLastModOld(t *testing.T) {
	w := newWeb()
	w.serve(example+"/robots.txt", "Sitemap: "+example+"/index.xml")
	w.serve(example+"/index.xml", index(
		child(0)+"|2024-01-01", child(1)+"|2024-06-01", child(2)+"|2024-06-01T10:00:00Z", child(3), child(4)+"|2024",
	))
	w.serve(child(0), urlset(page(0, 0)+"|2024-08-08"))
	w.serve(child(1),
		urlset(page(1, 0)+"|2024-06-01", page(1, 1)+"|2024-06-02T08:00:00-05:00", page(1, 2)))
	w.serve(child(2), urlset(page(2, 0)+"|2024-08-08", page(2, 1)+"|2024-08-09"))
	w.serve(child(3), urlset(page(3, 0)+"|2024-08-08"))
	w.serve(child(4), urlset(page(4, 0)+"|2024-08-08", page(4, 1)+"|2999"))
	o := discover.Options{Since: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)}
	r := w.site(t, nil, example, o)
	equal(t, "problems", r.with("index_lastmod_old"), []string{child(2) + " index_lastmod_old 2024-08-08"})
	if len(r.urls) != 8 || r.sums[child(2)].Problems[sitemap.IndexLastModOld] != 1 {
		t.Errorf("%q", r.locs())
	}
	o.IgnoreIndexLastMod = true
	r = w.site(t, nil, example, o)
	equal(t, "problems with all children", r.with("index_lastmod_old"), []string{
		child(0) + " index_lastmod_old 2024-08-08", child(2) + " index_lastmod_old 2024-08-08",
	})
	if len(r.urls) != 9 || r.urls[0].Loc != page(0, 0) {
		t.Errorf("%q", r.locs())
	}
}

// TestStore_IgnoreIndexLastMod: with it, no document is skipped by the lastmod that an index lists.
func TestStore_IgnoreIndexLastMod(t *testing.T) {
	const n = 30
	w, o := newNews(n), discover.Options{Store: &mapStore{}, OnlyChanged: true}
	for range 3 {
		w.site(t, nil, example, o)
	}
	w.children()
	o.IgnoreIndexLastMod = true
	w.site(t, nil, example, o)
	if asked := w.children(); asked != n {
		t.Errorf("%d of %d children were requested", asked, n)
	}
}

// TestStore_LargeDocument: a document of more pages than the protocol allows is compared with the
// walk before like any other, and takes little room in the Store.
func TestStore_LargeDocument(t *testing.T) {
	const n = 60_000
	w, store := newWeb(), &mapStore{}
	list := func(from int) string {
		var b strings.Builder
		for i := from; i < from+n; i++ {
			fmt.Fprintf(&b, "%s/%d\n", example, i)
		}
		return b.String()
	}
	o := discover.Options{Store: store, OnlyChanged: true}
	for i, want := range []int{n, 0, 10} {
		w.serve(example+"/s.txt", list(10*(i/2)))
		got := 0
		for _, err := range w.client().Walk(t.Context(), seeds(example+"/s.txt"), &o) {
			if err != nil {
				t.Fatal(err)
			}
			got++
		}
		if got != want {
			t.Errorf("walk %d: %d pages, want %d", i+1, got, want)
		}
		size := 0
		for _, value := range store.m {
			size += len(value)
		}
		if size > 24*n {
			t.Errorf("walk %d: %d bytes are stored", i+1, size)
		}
		store.ops = nil
	}
}

// An unequalStore is a Store whose values cannot be compared.
type unequalStore map[string][]byte

func (s unequalStore) Get(key string) ([]byte, error) { return s[key], nil }
func (s unequalStore) Put(key string, value []byte) error {
	s[key] = value
	return nil
}
func (unequalStore) Sync() error { return nil }

func TestStore_NotComparable(t *testing.T) {
	w := newNews(1)
	r := w.site(t, nil, example, discover.Options{Store: unequalStore{}, Run: "1"})
	if r.err == nil || !strings.Contains(r.err.Error(), "unequalStore") || len(r.urls) > 0 {
		t.Errorf("%q, %v", r.locs(), r.err)
	}
}

// TestStore_QueuedRecords: what the Store says of documents that wait for their turn is not held:
// their children are as many as a record has room for.
func TestStore_QueuedRecords(t *testing.T) {
	const indexes = 50
	w, store := newWeb(), &mapStore{}
	locs := append([]string{example + "/gone.xml"}, numbered(example+"/%d.xml", indexes)...)
	w.serve(example+"/i.xml", index(locs...))
	list := index(numbered(example+"/x/%d-"+strings.Repeat("x", 2_000), 30)...)
	for _, loc := range locs[1:] {
		w.serve(loc, list)
	}
	o := discover.Options{Store: store, Run: "1", Follow: func(s *discover.Sitemap) bool { return !strings.Contains(s.Loc, "/x/") }}
	w.walk(t, nil, seeds(example+"/i.xml"), o)
	before, most := heap(), int64(0)
	w.handle(example+"/gone.xml", func(*http.Request) answer {
		return answer{status: 404}
	})
	n := 0
	o.Done = func(*discover.Sitemap, discover.Summary) {
		if n++; n == 3 { // the failed document was asked again, others were looked at
			most = heap() - before
		}
	}
	w.walk(t, nil, seeds(example+"/i.xml"), o)
	if most > 2<<20 {
		t.Errorf("%d bytes are held", most)
	}
}

// heap returns the bytes that are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestStore_EndlessIndex: the record of an index is bounded by the memory limit of the walk.
func TestStore_EndlessIndex(t *testing.T) {
	discover.SetMaxQueued(t, 4<<20)
	const n = 15_000
	w, store := newWeb(), &mapStore{}
	var b strings.Builder
	b.WriteString("<sitemapindex>")
	for i := range n {
		fmt.Fprintf(&b, "<sitemap><loc>%s/a-rather-long-name-of-a-sitemap/%d.xml</loc></sitemap>", example, i)
	}
	b.WriteString("</sitemapindex>")
	w.serve(example+"/i.xml", b.String())
	listed := 0
	o := discover.Options{Store: store, Run: "1", MaxSitemaps: 1, Done: func(_ *discover.Sitemap, s discover.Summary) {
		listed = max(listed, s.Queued)
	}}
	for i := range 2 { // the second goes on
		r := w.walk(t, nil, seeds(example+"/i.xml"), o)
		left := 0
		var we *discover.WalkError
		if !errors.As(r.err, &we) {
			t.Fatalf("walk %d: %v", i+1, r.err)
		}
		for _, err := range we.Errs {
			var le *discover.LimitError
			if errors.As(err, &le) {
				left += le.Left
			}
		}
		if left != n || we.Failed != n {
			t.Errorf("walk %d: %d left out: %v", i+1, left, r.err)
		}
	}
	size, largest := 0, 0
	for _, value := range store.m {
		size, largest = size+len(value), max(largest, len(value))
	}
	if size > 7<<20/8 || largest > 128<<10 || listed < 50_000/8 {
		t.Errorf("%d bytes stored, %d in one value, of %d children that found room",
			size, largest, listed)
	}
}
