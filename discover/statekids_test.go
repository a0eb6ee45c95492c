package discover

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// TestStateWideIndex: where a walk goes on, an index that has too many children to keep is read
// anew for them, but its own pages do not come again.
func TestStateWideIndex(t *testing.T) {
	const n = maxKids/7_000 + 1
	var locs []string
	for i := range n {
		locs = append(locs, fmt.Sprintf("https://example.com/%d.xml?%s", i, strings.Repeat("x", 7_000)))
	}
	w := newWeb()
	w.serve("https://example.com/robots.txt", "Sitemap: https://example.com/index.xml")
	w.serve("https://example.com/index.xml", strings.Replace(index(locs...), "<sitemap>", "<url><loc>https://example.com/page</loc></url><sitemap>", 1))
	for i, loc := range locs[:2] {
		w.serve(loc, urlset(fmt.Sprintf("https://example.com/of-%d", i)))
	}
	path := filepath.Join(t.TempDir(), "state")
	var got []string
	for run := range 2 {
		s := openState(t, path)
		o := &Options{State: s, Follow: func(sm *Sitemap) bool { return sm.Loc == locs[0] || sm.Loc == locs[1] }}
		ended := 0
		o.Done = func(*Sitemap, Summary) { ended++ }
		for u, err := range w.client().URLs(t.Context(), "https://example.com", o) {
			if err != nil {
				t.Fatal(err)
			}
			if run == 0 && ended == 2 {
				break // in the second child
			}
			got = append(got, u.Loc)
		}
		s.Abandon()
	}
	if want := []string{"https://example.com/page", "https://example.com/of-0", "https://example.com/of-1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestStateOfManyIndexes: of an index whose children are too many together with those of others, a
// State remembers that it was read, as of one in TestStateWideIndex.
func TestStateOfManyIndexes(t *testing.T) {
	s := openState(t, filepath.Join(t.TempDir(), "state"))
	defer s.Close()
	var list []kid
	for i := range 100_000 {
		list = append(list, kid{Loc: fmt.Sprintf("https://example.com/%d/%s", i, strings.Repeat("x", 50))})
	}
	const n = 10
	for i := range n {
		s.put(&entry{URL: fmt.Sprint(i), Run: 3, Kids: list})
	}
	wide := 0
	for i := range n {
		e := s.entries[fmt.Sprint(i)]
		if e == nil || !e.readBy(3) || e.Wide != (e.Kids == nil) {
			t.Fatalf("%d: %v", i, e)
		}
		if e.Wide {
			wide++
		}
	}
	if wide == 0 || wide == n || s.kids > maxStateKids {
		t.Errorf("%d of %d without children, which take %d bytes", wide, n, s.kids)
	}
}

// TestStateClock: neither a clock that was ahead nor a Retry-After of years leaves a document
// out for longer than a week.
func TestStateClock(t *testing.T) {
	const day = 24 * 60 * 60
	now := time.Date(2026, time.May, 6, 0, 0, 0, 0, time.UTC)
	s := openState(t, filepath.Join(t.TempDir(), "state"))
	defer s.Abandon()
	s.now = func() time.Time { return now }
	s.hosts["example.com"] = &honesty{Right: agreements}
	lastMod, err := sitemap.ParseTime("2026-01-01")
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int64]Skip{-day: ByState, -8 * day: NotSkipped, day: NotSkipped, 3650 * day: NotSkipped} {
		skipped := 0
		for i := range 40 {
			loc := fmt.Sprintf("https://example.com/%d.xml", i)
			s.entries[loc] = &entry{URL: loc, At: now.Unix() + at, LastMod: "2026-01-01"}
			if (&run{s: s, number: 7}).skip(&child{loc: loc, lastMod: lastMod, plans: &plans{}}) == ByState {
				skipped++
			}
		}
		if (skipped > 20) != (want == ByState) || want == NotSkipped && skipped > 0 {
			t.Errorf("read %d s from now: %d of 40 left out", at, skipped)
		}
	}
	for retry, want := range map[int64]Skip{60: ByState, -60: NotSkipped, 6 * day: ByState, 365 * day: NotSkipped} {
		s.entries["x"] = &entry{URL: "x", At: now.Unix(), failure: failure{Err: "busy", Retry: now.Unix() + retry}}
		if got := (&run{s: s, number: 7}).skip(&child{loc: "x", plans: &plans{}}); got != want {
			t.Errorf("to be asked for in %d s: %v, want %v", retry, got, want)
		}
	}
}

// TestStateBoundsChildren: an index whose children take more memory than a State spends on
// them is read anew in each walk, and leaves the file small.
func TestStateBoundsChildren(t *testing.T) {
	const n = maxKids/7_000 + 1
	var locs []string
	for i := range n {
		locs = append(locs, fmt.Sprintf("https://example.com/%d.xml?%s", i, strings.Repeat("x", 7_000)))
	}
	w, conditional := newWeb(), 0
	w.serve("https://example.com/robots.txt", "Sitemap: https://example.com/index.xml")
	w.handle("https://example.com/index.xml", func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			conditional++
		}
		rw.Header().Set("ETag", `"1"`)
		fmt.Fprint(rw, index(locs...))
	})
	path := filepath.Join(t.TempDir(), "state")
	for range 3 {
		s := openState(t, path)
		left, read := 0, 0
		o := &Options{State: s, Follow: func(*Sitemap) bool { return false }, Done: func(_ *Sitemap, sum Summary) {
			if sum.Skipped == ByFollow {
				left++
			} else if sum.Err == nil {
				read++
			}
		}}
		for _, err := range w.client().URLs(t.Context(), "https://example.com", o) {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if left != n || read != 1 {
			t.Errorf("%d documents read, %d children left out, want 1 and %d", read, left, n)
		}
	}
	if conditional > 0 {
		t.Error("the index was asked for with validators")
	}
	if info, err := os.Stat(path); err != nil || info.Size() > maxKids/8 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

// TestFetchedIsNotLeftOut: what was asked for ahead of its index, before the lastmods of its host had
// proved honest, is not left out for them.
func TestFetchedIsNotLeftOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		tagged := func(loc, text string) {
			w.handle(loc, func(rw http.ResponseWriter, r *http.Request) {
				time.Sleep(latency)
				rw.Header().Set("ETag", `"1"`)
				if r.Header.Get("If-None-Match") == `"1"` && text[len(text)-9:] == "</urlset>" {
					rw.WriteHeader(http.StatusNotModified)
					return
				}
				rw.Write([]byte(text))
			})
		}
		var top, leaves []string
		for i := range 4 {
			var kids []string
			for j := range 8 {
				loc := fmt.Sprintf("https://example.com/%d-%d.xml", i, j)
				tagged(loc, urlset(loc+"/p"))
				kids, leaves = append(kids, loc+"|2024-01-01"), append(leaves, loc)
			}
			loc := fmt.Sprintf("https://example.com/%d.xml", i)
			tagged(loc, index(kids...))
			top = append(top, loc)
		}
		tagged("https://example.com/index.xml", index(top...))
		for range 2 {
			clear(w.count)
			s := openState(t, path)
			c := &Client{Concurrency: 4, Fetcher: &fetch.Client{Transport: w, Limiter: unlimited{}}}
			l := walkFrom(c, named("https://example.com/index.xml"), Options{State: s})
			s.Close()
			for _, loc := range leaves {
				if n := w.hits(loc); n > 0 && l.sums[loc].Skipped != NotSkipped {
					t.Errorf("%s: asked for %d times, skipped %v", loc, n, l.sums[loc].Skipped)
				}
			}
			time.Sleep(time.Hour)
		}
	})
}

// TestDocName: a document whose URL is long is told from all others, also when it is brief, and from
// what could be listed.
func TestDocName(t *testing.T) {
	long := "https://example.com/" + strings.Repeat("x", maxDocName)
	whole := &entry{URL: long}
	brief := whole.brief()
	if name := docName(long); whole.name() != name || brief.name() != name || brief.brief().name() != name || len(name) > maxDocName {
		t.Errorf("%q, %q, %q", name, whole.name(), brief.name())
	}
	for _, other := range []string{long + "y", brief.URL, brief.location(), brief.URL + "#" + brief.Rest} {
		if docName(other) == docName(long) {
			t.Errorf("%s has the same name", other)
		}
	}
	if got := brief.location(); !strings.HasSuffix(got, "x…") {
		t.Errorf("location %q", got)
	}
}
