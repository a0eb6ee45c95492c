package discover_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

// newLarge returns a site with nested indexes, pages beside children, documents that redirect, that
// are listed twice and that fail, and pages that two documents list.
func newLarge() *web {
	w := newWeb()
	s := func(name string) string { return example + "/" + name + ".xml" }
	pages := func(name string) []string { return numbered(example+"/"+name+"/%d", 3) }
	w.serve(example+"/robots.txt",
		"Sitemap: "+s("moved")+"\nSitemap: "+s("top")+"\nSitemap: "+s("last"))
	w.serve(s("top"), index(s("i"), s("a"), s("gone"), s("j"), s("a")))
	w.serve(s("i"), mixed(pages("i"), []string{s("b"), s("c")}))
	w.serve(s("j"), index(s("k")))
	w.serve(s("k"), index(s("d"), s("b"), s("new")))
	for _, name := range []string{"a", "b", "c", "d", "new"} {
		w.serve(s(name), urlset(pages(name)...))
	}
	w.redirect(s("moved"), s("new"))
	w.serve(s("last"), urlset(slices.Concat(pages("last"), pages("a"))...))
	return w
}

// An output is what a program has written, which it can truncate.
type output struct {
	lines []string
	kept  int // lines of documents that have ended
}

// walk walks a site with a new Client, and stops after n URLs.
func (out *output) walk(t *testing.T, w *web, o discover.Options, stop int) error {
	t.Helper()
	out.lines = out.lines[:out.kept]
	o.Done = func(*discover.Sitemap, discover.Summary) { out.kept = len(out.lines) }
	n := 0
	for u, err := range w.client().URLs(t.Context(), example, &o) {
		if err != nil {
			return err
		}
		if out.lines = append(out.lines, fmt.Sprint(u.Loc, " ", u.Change)); len(out.lines) > 1000 {
			t.Fatal("does not end")
		}
		if n++; n == stop {
			return nil
		}
	}
	return nil
}

// TestRun_GoesOn: wherever a walk was stopped, the same Run goes on: each URL is yielded once, in
// order, and no document that had ended is requested again.
func TestRun_GoesOn(t *testing.T) {
	w, want := newLarge(), &output{}
	end := want.walk(t, w, discover.Options{Store: &mapStore{}}, -1)
	if len(want.lines) < 20 || end == nil {
		t.Fatalf("%q, %v", want.lines, end)
	}
	for stop := 1; stop <= len(want.lines); stop++ {
		for _, onlyChanged := range []bool{false, true} {
			o := discover.Options{Store: &mapStore{}, Run: "7", OnlyChanged: onlyChanged}
			var got output
			got.walk(t, w, o, stop)
			finished := documentsOf(o.Store)
			w.forget()
			err := got.walk(t, w, o, -1)
			equal(t, fmt.Sprint("stopped after ", stop, ", only changed: ", onlyChanged), got.lines, want.lines)
			if fmt.Sprint(err) != fmt.Sprint(end) {
				t.Errorf("stopped after %d: %v, want %v", stop, err, end)
			}
			for _, loc := range finished {
				if loc != example+"/new.xml" && w.hits(loc) > 0 { // a redirect leads to new.xml
					t.Errorf("stopped after %d: %s was read again", stop, loc)
				}
			}
		}
	}
}

// documentsOf returns the documents that have ended.
func documentsOf(s discover.Store) (locs []string) {
	for key, value := range s.(*mapStore).m {
		if kind(key) == "d" {
			loc, _, _ := strings.Cut(strings.TrimPrefix(string(value), `{"url":"`), `"`)
			locs = append(locs, loc)
		}
	}
	return locs
}

// TestRun_GoesOnAgainAndAgain: a walk that is stopped after every URL ends all the same.
func TestRun_GoesOnAgainAndAgain(t *testing.T) {
	w, want, got := newLarge(), &output{}, &output{}
	want.walk(t, w, discover.Options{Store: &mapStore{}}, -1)
	db, err := state.Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 100 {
		// Seven URLs at a time: more than the largest document has.
		if err := got.walk(t, w, discover.Options{Store: db, Run: "7"}, 7); err != nil {
			break
		}
	}
	equal(t, "URLs", got.lines, want.lines)
}

// TestRun_GoesOnAfterKill: the values that Sync made durable are enough: the output up to the
// length that Done put into the same Store, and the rest, hold each URL once.
func TestRun_GoesOnAfterKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLarge()
		for loc, f := range w.answers { // so slow that each document is synced
			a := f(nil)
			a.wait = 250 * time.Millisecond
			w.answer(loc, a)
		}
		store := &mapStore{}
		var durable []map[string][]byte
		store.fail = func(op string) bool {
			if op == "sync" {
				durable = append(durable, maps.Clone(store.m))
			}
			return false
		}
		walk := func(store *mapStore, lines []string) []string {
			c := w.client()
			c.Concurrency = 1
			o := &discover.Options{Store: store, Run: "7", Done: func(*discover.Sitemap, discover.Summary) {
				store.Put("output/length", []byte{byte(len(lines))})
			}}
			for u, err := range c.URLs(t.Context(), example, o) {
				if err == nil {
					lines = append(lines, u.Loc)
				}
			}
			return lines
		}
		want := walk(store, nil)
		for i, m := range durable {
			length := 0
			if v := m["output/length"]; v != nil {
				length = int(v[0])
			}
			got := walk(&mapStore{m: m}, slices.Clone(want[:length]))
			equal(t, fmt.Sprint("after sync ", i+1), got, want)
		}
		if len(durable) < 10 {
			t.Errorf("%d syncs", len(durable))
		}
	})
}

// TestRun_GoesOnAfterCancel: a document whose Done ended the walk counts as ended.
func TestRun_GoesOnAfterCancel(t *testing.T) {
	w, store := newNews(3), &mapStore{}
	ctx, cancel := context.WithCancel(t.Context())
	o := &discover.Options{Store: store, Run: "7", Done: func(s *discover.Sitemap, _ discover.Summary) {
		if s.Loc == child(1) {
			cancel()
		}
	}}
	var got []string
	var last error
	for u, err := range w.client().URLs(ctx, example, o) {
		if last = err; err == nil {
			got = append(got, u.Loc)
		}
	}
	if !errors.Is(last, context.Canceled) || len(got) != 2 {
		t.Errorf("%q, %v", got, last)
	}
	r := w.site(t, nil, example, *o)
	equal(t, "then", r.locs(), []string{page(2, 0)})
}

// TestRun_ChangesAreTheSame: a page that was modified before a walk was stopped is modified after
// it went on too, in another document.
func TestRun_ChangesAreTheSame(t *testing.T) {
	w, store := newWeb(), &mapStore{}
	const p, q = example + "/p", example + "/q"
	from := seeds(example+"/1.xml", example+"/2.xml")
	for i, lastMod := range []string{"2024", "2025"} {
		w.serve(from[0].Loc, urlset(p+"|"+lastMod, fmt.Sprint(q, i)))
		w.serve(from[1].Loc, urlset(p+"|"+lastMod, fmt.Sprint(q, i), p+"|2023"))
		o := discover.Options{Store: store, Run: lastMod, OnlyChanged: true}
		change := []string{" new", " modified"}[i]
		n := 0
		for range w.client().Walk(t.Context(), from, &o) {
			if n++; n == 3 {
				break
			}
		}
		want := []string{p + change, fmt.Sprint(q, i, " new"), p + change}
		equal(t, lastMod, w.walk(t, nil, from, o).changes(), want)
	}
}

// TestRun_FailuresAreReportedAgain: a document that broke off after its first page before the walk
// was stopped is in its error, and is not requested again.
func TestRun_FailuresAreReportedAgain(t *testing.T) {
	w, store := newNews(4), &mapStore{}
	w.answer(child(1), answer{body: strings.TrimSuffix(urlset(page(1, 0)), "</urlset>")})
	o := discover.Options{Store: store, Run: "7"}
	for u := range w.client().URLs(t.Context(), example, &o) {
		if u.Loc == page(2, 0) {
			break
		}
	}
	r := w.site(t, nil, example, o)
	var we *discover.WalkError
	if !errors.As(r.err, &we) || we.Failed != 1 || !strings.Contains(r.err.Error(), child(1)) ||
		!strings.Contains(r.err.Error(), "too early") || w.hits(child(1)) != 1 {
		t.Errorf("%v after %d requests", r.err, w.hits(child(1)))
	}
	equal(t, "skipped", r.skipped(discover.SkippedResume), []string{example + "/index.xml", child(0), child(1)})
}

// TestRun_OutageIsOver: documents that failed before their first entry are requested again when the
// run goes on, and come once.
func TestRun_OutageIsOver(t *testing.T) {
	const n = 90
	w, store := newNews(n), &mapStore{}
	sound := w.answers[child(50)]
	for i := 30; i < n; i++ {
		w.answer(child(i), answer{status: 503})
	}
	o := discover.Options{Store: store, Run: "7"}
	first := w.site(t, nil, example, o)
	var we *discover.WalkError
	if !errors.As(first.err, &we) || we.Failed != 60 {
		t.Fatal(first.err)
	}
	for i := 30; i < n; i++ {
		w.answer(child(i), answer{body: urlset(page(i, 0))})
	}
	w.handle(child(50), sound)
	w.forget()
	second := w.site(t, nil, example, o)
	var want []string
	for i := 30; i < n; i++ {
		want = append(want, page(i, 0))
	}
	equal(t, "when it goes on", second.locs(), want)
	if second.err != nil || w.hits(child(3)) > 0 || len(first.urls) != 30 {
		t.Errorf("%d URLs, then %v", len(first.urls), second.err)
	}
	equal(t, "when it is over", w.site(t, nil, example, o).locs(), nil)
}

// TestRun_CutDocumentsAreSound: a walk that goes on after a document that broke off, but had pages,
// finds the site to have a sitemap, and tries no known path.
func TestRun_CutDocumentsAreSound(t *testing.T) {
	for _, robots := range []string{"", "Sitemap: /sitemap.xml"} {
		w, store := newWeb(), &mapStore{}
		w.serve(example+"/robots.txt", robots)
		w.serve(example+"/sitemap.xml", strings.TrimSuffix(urlset(example+"/1"), "</urlset>"))
		w.serve(example+"/sitemap_index.xml", urlset(example+"/2"))
		for range 2 {
			r := w.site(t, nil, example, discover.Options{Store: store, Run: "1"})
			var we *discover.WalkError
			if !errors.As(r.err, &we) || w.hits(example+"/sitemap_index.xml") != 0 {
				t.Errorf("robots.txt %q: %q, %v", robots, r.locs(), r.err)
			}
		}
	}
}

// TestRun_AnotherRunBegins: another Run, or none, begins at the first document.
func TestRun_AnotherRunBegins(t *testing.T) {
	w, store := newNews(3), &mapStore{}
	for _, tt := range []struct {
		run  string
		want int
	}{{"7", 3}, {"7", 0}, {"8", 3}, {"", 3}, {"", 3}, {"8", 3}} {
		r := w.site(t, nil, example, discover.Options{Store: store, Run: tt.run})
		if len(r.urls) != tt.want || r.err != nil {
			t.Errorf("run %q: %q, %v", tt.run, r.locs(), r.err)
		}
	}
	// The seeds are part of the name.
	from := seeds(child(0), child(1))
	for i, want := range []int{2, 0, 1} {
		if i == 2 {
			from = from[:1]
		}
		if r := w.walk(t, nil, from, discover.Options{Store: store, Run: "7"}); len(r.urls) != want {
			t.Errorf("seeds, walk %d: %q", i+1, r.locs())
		}
	}
}

// TestRun_VerdictsAreTheSame: a walk that goes on gives the verdicts of one that was not stopped.
func TestRun_VerdictsAreTheSame(t *testing.T) {
	w := newWeb()
	w.serve("https://www.example.com/robots.txt", "Sitemap: https://www.example.com/i.xml")
	w.redirect("https://www.example.com/i.xml", "https://cdn.test/x/i.xml")
	w.serve("https://cdn.test/x/i.xml", index(numbered("https://cdn.test/y/%d.xml", 5)...))
	for i := range 5 {
		w.serve(fmt.Sprintf("https://cdn.test/y/%d.xml", i), urlset(
			fmt.Sprintf("https://www.example.com/%d", i), fmt.Sprintf("https://blog.example.com/%d", i),
			fmt.Sprintf("https://cdn.test/x/%d", i), fmt.Sprintf("https://cdn.test/%d", i)))
	}
	w.serve("https://blog.example.com/robots.txt", "Sitemap: https://cdn.test/x/i.xml")
	o := discover.Options{MinTrust: trust.Untrusted}
	want := w.site(t, nil, "https://www.example.com", o).verdicts()
	for stop := 4; stop <= 20; stop += 4 {
		o.Store, o.Run = &mapStore{}, "7"
		var got []string
		for u := range w.client().URLs(t.Context(), "https://www.example.com", &o) {
			if len(got) == stop {
				break
			}
			got = append(got, u.Loc+" "+u.Trust.String())
		}
		got = append(got, w.site(t, nil, "https://www.example.com", o).verdicts()...)
		equal(t, fmt.Sprint("stopped after ", stop), got, want)
	}
}

// TestRun_TwiceAtOnce: one Run of a site cannot be walked twice at once.
func TestRun_TwiceAtOnce(t *testing.T) {
	w, store := newNews(3), &mapStore{}
	c := w.client()
	c.Concurrency = 1 // the first walk has no body open while others are counted
	o := discover.Options{Store: store, Run: "7"}
	others := []struct {
		o    discover.Options
		want error
	}{
		{o, discover.ErrRunning},
		{discover.Options{Store: store, Run: "8"}, nil},
		{discover.Options{Store: store}, nil},
		{discover.Options{Store: &mapStore{}, Run: "7"}, nil},
		{discover.Options{Run: "7"}, nil},
	}
	for range c.URLs(t.Context(), example, &o) {
		for i, other := range others {
			if r := w.site(t, c, example, other.o); !errors.Is(r.err, other.want) {
				t.Errorf("walk %d: %v, want %v", i, r.err, other.want)
			}
		}
		// Other seeds are another walk.
		if r := w.walk(t, c, seeds(child(2)), o); r.err != nil {
			t.Error(r.err)
		}
		break
	}
	if r := w.site(t, c, example, o); r.err != nil {
		t.Errorf("after the first has ended: %v", r.err)
	}
}

// TestStore_WalksSideBySide: walks may share a Store.
func TestStore_WalksSideBySide(t *testing.T) {
	w, store := newNews(20), &mapStore{}
	c := w.client()
	results := make(chan int)
	for range 4 {
		go func() {
			n := 0
			for _, err := range c.URLs(t.Context(), example, &discover.Options{Store: store, OnlyChanged: true}) {
				if err != nil {
					t.Error(err)
				}
				n++
			}
			results <- n
		}()
	}
	sum := 0
	for range 4 {
		sum += <-results
	}
	if sum < 20 {
		t.Errorf("%d URLs in all", sum)
	}
	if r := w.site(t, c, example, discover.Options{Store: store, OnlyChanged: true}); len(r.urls) != 0 || r.err != nil {
		t.Errorf("then %q, %v", r.changes(), r.err)
	}
}

// TestStore_IndexShrinks: an index is listed as another walk reads it between the plan for it and
// its turn.
func TestStore_IndexShrinks(t *testing.T) {
	w, store := newNews(3), &mapStore{}
	w.serve(example+"/robots.txt", "Sitemap: "+child(0)+"\nSitemap: "+example+"/index.xml")
	listed := []string{child(1), child(2)}
	for i := range 80 { // their record takes several parts
		listed = append(listed, child(i)+strings.Repeat("x", 1_900))
	}
	w.tagged(example+"/index.xml", func() string { return index(listed...) })
	o := discover.Options{Store: store, OnlyChanged: true}
	w.site(t, nil, example, o)
	var other *result
	mine := o
	mine.Done = func(sm *discover.Sitemap, _ discover.Summary) {
		if sm.Loc == child(0) {
			w.tagged(example+"/index.xml", func() string { return index(listed[:2]...) })
			other = w.site(t, nil, example, o)
		}
	}
	for _, err := range w.client().URLs(t.Context(), example, &mine) {
		if err != nil {
			t.Error(err)
		}
	}
	if other.err != nil {
		t.Error(other.err)
	}
}

// TestRun_RandomWebs: wherever a walk of a random web is stopped, it goes on with the same pages
// and verdicts, and one of an unchanged web with OnlyChanged yields nothing.
func TestRun_RandomWebs(t *testing.T) {
	for seed := range randomWebs(6) {
		w := newRandomWeb(rand.New(rand.NewPCG(seed, 2)))
		want := w.verdicts()
		for stop := 1; stop <= len(want); stop++ {
			var got []string
			kept := 0
			o := discover.Options{Store: &mapStore{}, Run: "1", MinTrust: trust.Untrusted,
				VerifyHosts: -1}
			o.Done = func(*discover.Sitemap, discover.Summary) { kept = len(got) }
			for u := range w.client().Walk(t.Context(), w.seeds, &o) {
				if len(got) == stop {
					break
				}
				got = append(got, u.Loc+" "+u.Trust.String())
			}
			o.Done = nil
			got = append(got[:kept], w.walk(t, nil, w.seeds, o).verdicts()...)
			equal(t, fmt.Sprint("web ", seed, ", stopped after ", stop), got, want)
			o.Run, o.OnlyChanged = "2", true
			if r := w.walk(t, nil, w.seeds, o); len(r.urls) > 0 || r.err != nil {
				t.Errorf("web %d: then %q, %v", seed, r.changes(), r.err)
			}
		}
	}
}
