package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStateResume: walks that are broken off at random go on, and write each URL
// once in the order of an undisturbed walk.
func TestStateResume(t *testing.T) {
	w := newWeb()
	var indexes, want []string
	for i := range 10 {
		var kids []string
		for j := range 6 {
			loc := fmt.Sprintf("https://example.com/%d-%d.xml", i, j)
			kids = append(kids, loc)
			var pages []string
			for k := range 5 {
				pages = append(pages, fmt.Sprintf("https://example.com/%d/%d/%d", i, j, k))
			}
			want = append(want, pages...)
			w.serve(loc, urlset(pages...))
		}
		loc := fmt.Sprintf("https://example.com/%d.xml", i)
		indexes = append(indexes, loc)
		w.serve(loc, index(kids...))
	}
	w.serve("https://example.com/robots.txt", "Sitemap: https://example.com/index.xml")
	w.serve("https://example.com/index.xml", index(indexes...))
	r := rand.New(rand.NewPCG(7, 7))
	for round := range 10 {
		dir := t.TempDir()
		path, out := filepath.Join(dir, "state"), filepath.Join(dir, "out")
		for run := 0; ; run++ {
			if run > 200 {
				t.Fatal("does not come to an end")
			}
			if resumeRun(t, w.client(), path, out, "https://example.com", r.IntN(120)) {
				break
			}
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Fields(string(text)); !slices.Equal(got, want) {
			t.Errorf("round %d: %d URLs, want %d; in order: %v", round, len(got), len(want), slices.IsSorted(got))
		}
	}
}

// resumeRun walks until it has written stop URLs, and reports whether it came to
// the end. It stops as a killed process does: nothing is closed or flushed.
func resumeRun(t *testing.T, c *Client, path, out, site string, stop int) bool {
	t.Helper()
	state := openState(t, path)
	defer state.Abandon() // the lock of a killed process is gone
	f, err := os.OpenFile(out, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	offset, _, _ := state.Resume("out", site)
	if err := f.Truncate(offset); err != nil {
		t.Fatal(err)
	}
	f.Seek(offset, 0)
	length := offset
	o := &Options{State: state, Done: func(*Sitemap, Summary) { state.Note(length) }}
	n := 0
	for u, err := range c.URLs(context.Background(), site, o) {
		if err != nil {
			t.Fatal(err)
		}
		written, _ := fmt.Fprintln(f, u.Loc)
		length += int64(written)
		if n++; n > stop {
			return false
		}
	}
	return true
}

// TestStateResumeBudgets: what a walk may ask for is spent as if it had not been interrupted,
// and its verdicts are the same.
func TestStateResumeBudgets(t *testing.T) {
	const n = 12
	w := newWeb()
	var kids []string
	for i := range n {
		kid, host := fmt.Sprintf("https://www.example.com/%d.xml", i), fmt.Sprintf("https://h%d.example.com", i)
		kids = append(kids, kid)
		w.serve(kid, urlset(fmt.Sprintf("https://www.example.com/%d", i), host+"/", fmt.Sprintf("https://h%d.example.com/again", i/2)))
		w.serve(host+"/robots.txt", "Sitemap: "+kid+"\nSitemap: https://www.example.com/index.xml")
	}
	w.serve("https://www.example.com/robots.txt", "Sitemap: https://www.example.com/index.xml")
	w.serve("https://www.example.com/index.xml", index(kids...))
	for name, o := range map[string]Options{"hosts": {}, "sitemaps": {MaxSitemaps: 9}, "one host": {VerifyHosts: 1}} {
		o.MinTrust = Untrusted
		walk := func(path string, stop int) (urls []string, err error) {
			state := openState(t, path)
			defer state.Abandon()
			o := o
			o.State = state
			kept := 0
			o.Done = func(_ *Sitemap, s Summary) { kept = len(urls) }
			c := w.client()
			c.Concurrency = 1
			for u, err := range c.URLs(t.Context(), "https://www.example.com", &o) {
				if err != nil {
					return urls, err
				}
				if urls = append(urls, fmt.Sprint(u.Loc, " ", u.Trust)); len(urls) == stop {
					return urls[:kept], nil
				}
			}
			return urls, nil
		}
		want, wantErr := walk(filepath.Join(t.TempDir(), "state"), -1)
		for stop := 1; stop < len(want); stop++ {
			path := filepath.Join(t.TempDir(), "state")
			before, _ := walk(path, stop)
			after, err := walk(path, -1)
			if got := slices.Concat(before, after); !slices.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s: stopped at %d: got %q, %v, want %q, %v", name, stop, got, err, want, wantErr)
			}
		}
	}
}

func TestStatePlan(t *testing.T) {
	w := newWeb()
	for _, site := range []string{"https://a.test", "https://b.test"} {
		w.serve(site+"/robots.txt", "Sitemap: "+site+"/s.xml")
		w.serve(site+"/s.xml", urlset(site+"/1"))
	}
	path := filepath.Join(t.TempDir(), "state")
	sites := []string{"https://a.test", "https://b.test"}
	state := openState(t, path)
	if _, ok, err := state.Resume("out", sites...); ok || err != nil {
		t.Error("nothing to go on with")
	}
	if l := walkSite(w.client(), sites[0], Options{State: state}); len(l.urls) != 1 {
		t.Errorf("first site: %v", l.urls)
	}
	state.Close()
	// Stopped between the two: only the second is left.
	state = openState(t, path)
	if _, ok, err := state.Resume("out", sites...); !ok || err != nil {
		t.Error("the interruption is not known")
	}
	if l := walkSite(w.client(), sites[0], Options{State: state}); len(l.urls) != 0 || l.err != nil {
		t.Errorf("first site again: %v, %v", l.urls, l.err)
	}
	if l := walkSite(w.client(), sites[1], Options{State: state}); len(l.urls) != 1 || l.err != nil {
		t.Errorf("second site: %v, %v", l.urls, l.err)
	}
	if _, ok, err := state.Resume("out", sites...); ok || err != nil {
		t.Error("the plan has come to its end")
	}
	state.Close()
	// The same for sitemaps that the caller names, several at once.
	from := named("https://a.test/s.xml", "https://b.test/s.xml")
	state = openState(t, filepath.Join(t.TempDir(), "state"))
	defer state.Close()
	for range state.walkOnce(w.client(), from) {
		break
	}
	if n := len(slices.Collect(state.walkOnce(w.client(), from))); n != 2 {
		t.Errorf("after a break: %d URLs", n)
	}
}

// TestStateIsOverWhenClosed: walks that have ended yield nothing anew, until Close
// says that what they yielded is safe; and one whose site cannot be walked keeps none
// of the others from coming again.
func TestStateIsOverWhenClosed(t *testing.T) {
	w := newWeb()
	w.serve("https://a.test/robots.txt", "Sitemap: https://a.test/s.xml")
	w.serve("https://a.test/s.xml", urlset("https://a.test/1"))
	path := filepath.Join(t.TempDir(), "state")
	sites := []string{"https://gone.test", "https://a.test"}
	for i, tt := range []struct {
		close  bool
		offset int64 // of the run before
		goesOn bool
		urls   int
	}{
		{false, 0, false, 1},
		{false, 7, true, 0},  // killed after its end
		{true, 7, true, 0},   // and again
		{true, 0, false, 1},  // it was over
		{false, 0, false, 1}, // and so was this
		{false, 7, true, 0},
	} {
		state := openState(t, path)
		offset, goesOn, err := state.Resume("out", sites...)
		if err != nil || offset != tt.offset || goesOn != tt.goesOn {
			t.Errorf("run %d: goes on at %d, %t, want %d, %t", i, offset, goesOn, tt.offset, tt.goesOn)
		}
		n := 0
		for _, site := range sites {
			for _, err := range state.urls(w.client(), site) {
				if err == nil {
					n++
				} else if !errors.Is(err, ErrNoSitemap) {
					t.Error(err)
				}
			}
		}
		if n != tt.urls {
			t.Errorf("run %d: %d URLs, want %d", i, n, tt.urls)
		}
		if tt.close {
			if err := state.Close(); err != nil {
				t.Error(err)
			}
		} else {
			state.journal.f.Close()
		}
	}
}

// TestStateWaitsForBegunWalks: a walk that was interrupted goes on when its site can be
// reached again, however often it could not meanwhile; but not for ever.
func TestStateWaitsForBegunWalks(t *testing.T) {
	for gone, waits := range map[time.Duration]bool{25 * time.Hour: true, 8 * 24 * time.Hour: false} {
		w := newWeb()
		robots, at := http.StatusOK, time.Now()
		w.handle("https://a.test/robots.txt", func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(robots)
			io.WriteString(rw, "Sitemap: https://a.test/1.xml\nSitemap: https://a.test/2.xml\n")
		})
		w.serve("https://a.test/1.xml", urlset("https://a.test/1"))
		w.serve("https://a.test/2.xml", urlset("https://a.test/2"))
		path := filepath.Join(t.TempDir(), "state")
		run := func(last string) (urls []string, offset int64) {
			state := openState(t, path)
			defer state.Close()
			state.now = func() time.Time { return at }
			offset, _, _ = state.Resume("out", "https://a.test")
			for u, err := range state.urls(w.client(), "https://a.test") {
				if err != nil || u.Loc == last {
					break
				}
				urls = append(urls, u.Loc)
			}
			return urls, offset
		}
		if urls, _ := run("https://a.test/2"); len(urls) != 1 {
			t.Fatalf("before the interruption: %q", urls)
		}
		robots, at = http.StatusTooManyRequests, at.Add(gone)
		if urls, offset := run(""); len(urls) != 0 || offset != 7 {
			t.Errorf("%v later, out of reach: %q from %d", gone, urls, offset)
		}
		robots = http.StatusOK
		urls, offset := run("")
		if goesOn := offset == 7; goesOn != waits || urls[len(urls)-1] != "https://a.test/2" {
			t.Errorf("%v later, within reach: %q from %d", gone, urls, offset)
		}
	}
}

// urls walks a site with the State, and notes a length of 7 with each document.
func (s *State) urls(c *Client, site string) iter.Seq2[URL, error] {
	return c.URLs(context.Background(), site, &Options{State: s, Done: func(*Sitemap, Summary) { s.Note(7) }})
}

// TestStateOfLostOutput: a document whose URLs could not be written, so that Done
// ended the walk, is not taken for read.
func TestStateOfLostOutput(t *testing.T) {
	w := newWeb()
	w.serve("https://example.com/a.xml", urlset("https://example.com/1"))
	w.serve("https://example.com/b.xml", urlset("https://example.com/2"))
	path := filepath.Join(t.TempDir(), "state")
	from := named("https://example.com/a.xml", "https://example.com/b.xml")
	state := openState(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	o := &Options{State: state, Done: func(s *Sitemap, _ Summary) {
		if s.Loc == from[1].Loc {
			cancel()
		}
	}}
	var err error
	for _, err = range w.client().Walk(ctx, from, o) {
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the walk ended with %v", err)
	}
	state.Close()
	state = openState(t, path)
	defer state.Close()
	if got := slices.Collect(state.walkOnce(w.client(), from)); !slices.Equal(got, []string{"https://example.com/2"}) {
		t.Errorf("the walk went on with %v", got)
	}
}

// walkOnce yields the locations of a walk with the State.
func (s *State) walkOnce(c *Client, from []*Sitemap) func(func(string) bool) {
	return func(yield func(string) bool) {
		for u, err := range c.Walk(context.Background(), from, &Options{State: s}) {
			if err != nil || !yield(u.Loc) {
				return
			}
		}
	}
}
