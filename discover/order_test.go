package discover_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// a returns the location of a document of a.test.
func a(name string) string { return "https://a.test/" + name }

// tree serves documents of a.test that name each other: "i: s t, 1 2" is an index of s and t with
// the pages 1 and 2.
func tree(documents ...string) *web {
	w := newWeb()
	for _, d := range documents {
		name, rest, _ := strings.Cut(d, ":")
		children, pages, _ := strings.Cut(rest, ",")
		locs := func(names string) (list []string) {
			for _, name := range strings.Fields(names) {
				list = append(list, a(name))
			}
			return list
		}
		if strings.TrimSpace(children) == "" {
			w.serve(a(name), urlset(locs(pages)...))
		} else {
			w.serve(a(name), mixed(locs(pages), locs(children)))
		}
	}
	return w
}

// names returns the names of locations of a.test.
func names(locs []string) string {
	return strings.ReplaceAll(strings.Join(locs, " "), a(""), "")
}

func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		name  string
		web   *web
		seeds string
		pages string
		done  string
	}{
		{
			"depth first, in document order",
			tree("i: j s k", "j: t u", "k: v", "s:, 3", "t:, 1", "u:, 2", "v:, 4", "w:, 5"),
			"i w", "1 2 3 4 5", "i j t u s k v w",
		},
		{
			"the pages of an index before its children",
			tree("i: s j, 1 2", "s:, 3", "j: t, 4", "t:, 5"), "i", "1 2 3 4 5", "i s j t",
		},
		{"each document once", tree("i: s t s", "s:, 1", "t:, 2"), "i s i", "1 2", "i s t"},
		{"other spellings of a location", tree("i: s %73 s#x", "s:, 1"), "i", "1", "i s"},
		{"an index that lists itself", tree("i: i s", "s:, 1"), "i", "1", "i s"},
		{"a loop", tree("i: j", "j: k, 1", "k: i j s, 2", "s:, 3"), "i", "1 2 3", "i j k s"},
		{"a diamond", tree("i: j k", "j: s t", "k: t s u", "s:, 1", "t:, 2", "u:, 3"), "i", "1 2 3", "i j s t k u"},
		{
			"a document that comes earlier elsewhere", tree("i: j s", "j: s", "s:, 1"), "i", "1", "i j s",
		},
	} {
		for _, concurrency := range []int{1, 2, 16} {
			tt.web.forget()
			c := tt.web.client()
			c.Concurrency = concurrency
			var from []*discover.Sitemap
			for _, name := range strings.Fields(tt.seeds) {
				from = append(from, &discover.Sitemap{Loc: a(name)})
			}
			r := tt.web.walk(t, c, from, discover.Options{})
			what := fmt.Sprintf("%s, concurrency %d", tt.name, concurrency)
			if got := names(r.locs()); got != tt.pages {
				t.Errorf("%s: pages %s, want %s", what, got, tt.pages)
			}
			if got := names(r.done); got != tt.done {
				t.Errorf("%s: documents %s, want %s", what, got, tt.done)
			}
			if r.err != nil {
				t.Errorf("%s: %v", what, r.err)
			}
			asked := tt.web.asked()
			slices.Sort(asked)
			if n := len(asked); n != len(slices.Compact(asked)) {
				t.Errorf("%s: %d requests for %d documents", what, n, len(r.done))
			}
		}
	}
}

// TestOrder_FinalURL: a document is read once, also if two locations lead to it.
func TestOrder_FinalURL(t *testing.T) {
	for _, order := range []string{"s old", "old s", "old older s", "old s older"} {
		w := tree("s:, 1")
		w.redirect(a("old"), a("s"))
		w.redirect(a("older"), a("old"))
		var from []*discover.Sitemap
		for _, name := range strings.Fields(order) {
			from = append(from, &discover.Sitemap{Loc: a(name)})
		}
		r := w.walk(t, nil, from, discover.Options{})
		first, _, _ := strings.Cut(order, " ")
		if got := names(r.locs()) + ", " + names(r.done); got != "1, "+first || r.err != nil {
			t.Errorf("%s: %s, %v", order, got, r.err)
		}
		hops := map[string]int{"s": 0, "old": 1}[first]
		if sum := r.sums[a(first)]; sum.FinalURL != a("s") || len(sum.Hops) != hops {
			t.Errorf("%s: final %s, hops %v", order, sum.FinalURL, sum.Hops)
		}
	}
}

// TestOrder_Seeds: seeds are in the caller's order; nil seeds and repeated ones count once or not.
// TestOrder_FinalURLThatFails: each document that leads to one that cannot be read is reported.
func TestOrder_FinalURLThatFails(t *testing.T) {
	w := tree("i: 1 2 3 s", "s:, 1")
	w.serve(a("home"), "<!doctype html><html><body>Welcome")
	for _, name := range []string{"1", "2", "3"} {
		w.redirect(a(name), a("home"))
	}
	r := w.walk(t, nil, seeds(a("i")), discover.Options{})
	var we *discover.WalkError
	if !errors.As(r.err, &we) || we.Failed != 3 || names(r.locs())+", "+names(r.done) != "1, i 1 2 3 s" {
		t.Errorf("%q, %q, %v", r.locs(), r.done, r.err)
	}
	for _, name := range []string{"1", "2", "3"} {
		if sum := r.sums[a(name)]; sum.FinalURL != a("home") || sum.Err == nil || len(sum.Hops) != 1 {
			t.Errorf("%s: final %s, hops %v, %v", name, sum.FinalURL, sum.Hops, sum.Err)
		}
	}
}

func TestOrder_Seeds(t *testing.T) {
	w := tree("s:, 1", "t:, 2")
	from := []*discover.Sitemap{nil, {Loc: a("t")}, {Loc: " " + a("s") + "\n"}, nil, {Loc: a("t")}}
	r := w.walk(t, nil, from, discover.Options{})
	if got := names(r.locs()); got != "2 1" {
		t.Errorf("pages %s", got)
	}
	if got := r.sums[a("t")].Referrers; len(got) != 2 || got[0] != from[1] || got[1] != from[4] {
		t.Errorf("referrers %v", got)
	}
	if r := w.walk(t, nil, nil, discover.Options{}); len(r.urls) != 0 || r.err != nil {
		t.Errorf("no seeds: %q, %v", r.locs(), r.err)
	}
	r = w.walk(t, nil, seeds("no URL", a("s")), discover.Options{})
	if got := names(r.locs()); got != "1" || !errors.Is(r.err, fetch.ErrRequest) {
		t.Errorf("a seed that is no URL: %s, %v", got, r.err)
	}
}

// TestPrefetch_IsBounded: Concurrency documents are under way at once, those that come next.
func TestPrefetch_IsBounded(t *testing.T) {
	for _, n := range []int{1, 3, 16, 0} {
		synctest.Test(t, func(t *testing.T) {
			w := newWeb()
			children := numbered(a("%d"), 64)
			w.serve(a("i"), index(children...))
			for i, loc := range children {
				// The first ones of a window are the slowest.
				w.answer(loc,
					answer{body: urlset(loc + "/p"), wait: time.Duration(20-i%16) * time.Second})
			}
			c := w.client()
			c.Concurrency = n
			want := n
			if n == 0 {
				want = 16
			}
			i, begun := 0, time.Now()
			for u, err := range c.Walk(t.Context(), seeds(a("i")), nil) {
				if err != nil || u.Sitemap.Loc != children[i] {
					t.Fatalf("%v, %v", u, err)
				}
				i++
				if asked := len(w.asked()) - 1; asked > i+want-1 {
					t.Errorf("concurrency %d: %d documents requested before document %d",
						n, asked, i)
				}
			}
			if w.most != want {
				t.Errorf("concurrency %d: %d requests at once", n, w.most)
			}
			if d := time.Since(begun); d > time.Duration(64/want+1)*20*time.Second {
				t.Errorf("concurrency %d: %v", n, d)
			}
			asked := w.asked()[1:]
			if !slices.Equal(asked, children) && n == 1 {
				t.Errorf("requests %q", asked)
			}
		})
	}
}

// TestPrefetch_NestedIndexes: the children of an inner index are prefetched as those of an outer
// one.
func TestPrefetch_NestedIndexes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		const latency = time.Second
		serve := func(loc, body string) { w.answer(loc, answer{body: body, wait: latency}) }
		indexes := numbered(a("%d"), 10)
		serve(a("i"), index(indexes...))
		for _, loc := range indexes {
			children := numbered(loc+"/%d", 32)
			serve(loc, index(children...))
			for _, c := range children {
				serve(c, urlset(c+"/p"))
			}
		}
		begun := time.Now()
		r := w.walk(t, nil, seeds(a("i")), discover.Options{})
		if len(r.urls) != 320 || r.err != nil {
			t.Fatalf("%d URLs, %v", len(r.urls), r.err)
		}
		// 331 documents, 16 at once, take 21 s; the two levels above cost 2 s, and each inner index
		// up to one, while its children are not known.
		if d := time.Since(begun); d > 34*latency {
			t.Errorf("%v", d)
		}
		if w.most > 2*16 {
			t.Errorf("%d requests at once", w.most)
		}
	})
}

// TestPrefetch_SlowLoop: while the caller's loop is slow, no more than Concurrency documents are
// fetched ahead.
func TestPrefetch_SlowLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		children := numbered(a("%d"), 40)
		w.serve(a("i"), index(children...))
		for _, loc := range children {
			w.serve(loc, urlset(loc+"/p"))
		}
		c := w.client()
		c.Concurrency = 4
		n := 0
		for range c.Walk(t.Context(), seeds(a("i")), nil) {
			n++
			time.Sleep(time.Minute)
			if asked := len(w.asked()) - 1; asked > n+3 {
				t.Fatalf("%d documents requested at document %d", asked, n)
			}
		}
	})
}

// TestBreak: a loop that ends early leaves no goroutine and no open body. A bubble fails if a
// goroutine is left.
func TestBreak(t *testing.T) {
	for stop := range 14 {
		synctest.Test(t, func(t *testing.T) {
			w := tree("i: s t j u", "s:, 1 2 3", "t:, 4", "j: v w", "u:, 5", "v:, 6 7 8", "w:, 9")
			w.answer(a("u"), answer{hang: true})
			w.answer(a("t"), answer{body: urlset(a("4"), a("41"), a("42")), wait: time.Hour})
			n := 0
			for range w.client().Walk(t.Context(), seeds(a("i"), a("none")), nil) {
				if n++; n > stop {
					break
				}
			}
			synctest.Wait()
			if open := w.open.Load(); open != 0 {
				t.Errorf("%d bodies are open", open)
			}
		})
	}
}

// TestCancel: ctx's error is the last element, and nothing is left running.
func TestCancel(t *testing.T) {
	for stop := range 5 {
		synctest.Test(t, func(t *testing.T) {
			w := tree("i: s t u", "s:, 1 2 3", "t:, 4")
			w.answer(a("u"), answer{hang: true})
			why := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			n, last := 0, error(nil)
			if stop == 4 {
				time.AfterFunc(time.Second, func() { cancel(why) })
			}
			for _, err := range w.client().Walk(ctx, seeds(a("i")), nil) {
				if last != nil {
					t.Errorf("%v after %v", err, last)
				}
				if last = err; err == nil {
					n++
				}
				if n > stop {
					cancel(why)
				}
			}
			synctest.Wait()
			if !errors.Is(last, context.Canceled) || n != min(stop+1, 4) || w.open.Load() != 0 {
				t.Errorf("stop %d: %d URLs, %v, %d bodies open", stop, n, last, w.open.Load())
			}
			cancel(nil)
		})
	}
}

// TestPanic: a loop that panics leaves nothing running.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := tree("i: s t", "s:, 1")
		w.answer(a("t"), answer{hang: true})
		c, o := w.client(), &discover.Options{Store: &mapStore{}, Run: "1"}
		for range 2 {
			func() {
				defer func() {
					if recover() != "loop" {
						t.Error("no panic")
					}
				}()
				for _, err := range c.Walk(t.Context(), seeds(a("i")), o) {
					if err != nil {
						t.Error(err)
					}
					panic("loop")
				}
			}()
		}
	})
}

// TestBreak_ClosesBodies: bodies that were fetched ahead are closed. If it were not, the memory for
// bodies would run out, and no temporary file can be made here.
func TestBreak_ClosesBodies(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, none)
	}
	if f, err := os.CreateTemp("", ""); err == nil {
		f.Close()
		t.Fatal("made a temporary file")
	}
	w := newWeb()
	children := numbered(a("%d"), 4)
	w.serve(a("i"), index(children...))
	blanks := strings.Repeat(" ", 6<<20)
	for _, loc := range children {
		w.serve(loc, urlset(loc+"/1", loc+"/2")+blanks)
	}
	c := w.client()
	for stop := range 8 {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		for _, err := range c.Walk(ctx, seeds(a("i")), nil) {
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("walk %d: %v", stop, err)
			}
			if n++; n > stop {
				if stop%2 == 0 {
					break
				}
				cancel()
			}
		}
		cancel()
	}
}

// TestNothingBeforeRange: a sequence that is not ranged over requests nothing.
func TestNothingBeforeRange(t *testing.T) {
	w := tree("s:, 1")
	c := w.client()
	c.URLs(t.Context(), "https://a.test", nil)
	seq := c.Walk(t.Context(), seeds(a("s")), nil)
	if asked := w.asked(); len(asked) != 0 {
		t.Errorf("requested %q", asked)
	}
	for range 2 { // a walk may be ranged over again
		n := 0
		for _, err := range seq {
			if err == nil {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d URLs", n)
		}
	}
}
