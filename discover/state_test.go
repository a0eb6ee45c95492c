package discover

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
)

// changing is a site whose documents have versions, ETags and lastmods.
type changing struct {
	*web
	version map[string]int
	lastmod map[string]string // as the index lists it
}

const changingChildren = 30

func newChanging() *changing {
	c := &changing{newWeb(), map[string]int{}, map[string]string{}}
	c.serve("https://example.com/robots.txt", "Sitemap: https://example.com/index.xml")
	c.handle("https://example.com/index.xml", func(rw http.ResponseWriter, r *http.Request) {
		c.answer(rw, r, "index.xml", c.index())
	})
	for i := range changingChildren {
		name := fmt.Sprintf("%d.xml", i)
		c.lastmod[name] = "2024-01-01"
		c.handle("https://example.com/"+name, func(rw http.ResponseWriter, r *http.Request) {
			c.answer(rw, r, name, urlset(fmt.Sprintf("https://example.com/%d/v%d", i, c.version[name])))
		})
	}
	return c
}

func (c *changing) index() string {
	var locs []string
	for i := range changingChildren {
		name := fmt.Sprintf("%d.xml", i)
		locs = append(locs, "https://example.com/"+name+"|"+c.lastmod[name])
	}
	return index(locs...)
}

func (c *changing) answer(rw http.ResponseWriter, r *http.Request, name, text string) {
	tag := fmt.Sprintf("%q", fmt.Sprintf("%s-%d-%s", name, c.version[name], c.lastmod[name]))
	if name == "index.xml" {
		tag = fmt.Sprintf("%q", fmt.Sprint(c.version[name]))
	}
	rw.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		rw.WriteHeader(http.StatusNotModified)
		return
	}
	rw.Write([]byte(text))
}

func (c *changing) walk(t *testing.T, path string) *log {
	t.Helper()
	state := openState(t, path)
	defer state.Close()
	cl := c.client()
	cl.Concurrency = 1
	c.count = map[string]int{}
	return walkSite(cl, "https://example.com", Options{State: state})
}

func openState(t *testing.T, path string) *State {
	t.Helper()
	s, err := OpenState(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStateYieldsWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state")
		c := newChanging()
		if l := c.walk(t, path); len(l.urls) != changingChildren || l.err != nil {
			t.Fatalf("first walk: %d URLs, %v", len(l.urls), l.err)
		}
		time.Sleep(time.Hour)
		// Nothing changed: 304 everywhere, until the lastmods have proved honest.
		l := c.walk(t, path)
		fetched := 0
		for i := range changingChildren {
			fetched += c.hits(fmt.Sprintf("https://example.com/%d.xml", i))
		}
		if len(l.urls) != 0 || l.err != nil || fetched < agreements || fetched > 15 {
			t.Errorf("second walk: %v, %v, %d children fetched", l.urls, l.err, fetched)
		}
		if s := l.sums["https://example.com/index.xml"]; !s.NotModified || s.Status != 304 {
			t.Errorf("the index: %+v", s)
		}
		// A child changes, the index does with it.
		time.Sleep(time.Hour)
		c.version["index.xml"]++
		c.version["20.xml"]++
		c.lastmod["20.xml"] = "2024-02-02"
		l = c.walk(t, path)
		equal(t, "changed", l.locs(), []string{"https://example.com/20/v1"})
		// A child changes behind a 304 on its index and without a lastmod: each is
		// asked for after a week.
		c.version["3.xml"]++
		time.Sleep(trustAge + time.Hour)
		l = c.walk(t, path)
		equal(t, "changed unseen", l.locs(), []string{"https://example.com/3/v1"})
		// That was a lie: now all are asked for, for 30 days.
		time.Sleep(time.Hour)
		c.walk(t, path)
		for i := range changingChildren {
			if n := c.hits(fmt.Sprintf("https://example.com/%d.xml", i)); n != 1 {
				t.Errorf("after the lie, %d.xml was fetched %d times", i, n)
			}
		}
	})
}

func TestStateKeepsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state")
		c := newChanging()
		c.handle("https://example.com/5.xml", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", "86400")
			rw.WriteHeader(http.StatusServiceUnavailable)
		})
		l := c.walk(t, path)
		var we *WalkError
		if !errors.As(l.err, &we) || we.Failed != 1 {
			t.Fatalf("first walk: %v", l.err)
		}
		l = c.walk(t, path)
		if c.hits("https://example.com/5.xml") != 0 || !errors.As(l.err, &we) || we.Failed != 1 {
			t.Errorf("within the Retry-After: %d requests, %v", c.hits("https://example.com/5.xml"), l.err)
		}
		time.Sleep(25 * time.Hour)
		c.serve("https://example.com/5.xml", urlset("https://example.com/5/late"))
		l = c.walk(t, path)
		if !slices.Contains(l.locs(), "https://example.com/5/late") || l.err != nil {
			t.Errorf("after it: %v, %v", l.urls, l.err)
		}
	})
}

// TestStateKeepsMissedPaths is TestStateKeepsFailures for a known path, before another one has a
// sitemap.
func TestStateKeepsMissedPaths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const e = "https://example.com"
		w := newWeb()
		w.handle(e+"/sitemap.xml", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", "3600")
			rw.WriteHeader(http.StatusServiceUnavailable)
		})
		w.serve(e+"/sitemap_index.xml", urlset(e+"/1"))
		walk := stateWalks(t, w, e)
		for i, want := range []int{1, 1, 1, 2} {
			before := w.hits(e + "/sitemap.xml")
			l := walk(1)
			if len(l.urls) != 1 || !errors.Is(l.err, fetch.ErrStatus) || w.hits(e+"/sitemap.xml") != want {
				t.Errorf("walk %d: %q, %v, asked %d times", i+1, l.urls, l.err, w.hits(e+"/sitemap.xml"))
			}
			if skipped := l.sums[e+"/sitemap.xml"].Skipped; (skipped == ByState) != (before == want) {
				t.Errorf("walk %d: skipped %v", i+1, skipped)
			}
			time.Sleep(25 * time.Minute)
		}
	})
}

func TestStateOfRedirectedDocuments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	w := newWeb()
	w.redirect("https://example.com/s.xml", "https://cdn.test/d/s.xml")
	w.handle("https://cdn.test/d/s.xml", func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"1"` {
			rw.Header().Set("ETag", `"1"`)
			rw.WriteHeader(http.StatusNotModified)
			return
		}
		rw.Header().Set("ETag", `"1"`)
		rw.Write([]byte(index("https://cdn.test/d/child.xml")))
	})
	w.serve("https://cdn.test/d/child.xml", urlset("https://cdn.test/d/1", "https://cdn.test/2"))
	for i := range 3 {
		state := openState(t, path)
		l := walkFrom(w.client(), named("https://example.com/s.xml"), Options{State: state})
		state.Close()
		// Grants are told anew: also below an index that has not changed.
		equal(t, fmt.Sprint("walk ", i), l.urls, []string{"https://cdn.test/d/1 location"})
	}
}

func TestStateFile(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("precious\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenState(other); !errors.Is(err, errNoState) {
		t.Errorf("another file: %v", err)
	}
	older := filepath.Join(dir, "older")
	if err := os.WriteFile(older, []byte("{\"t\":\"sitemap-state\",\"v\":2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenState(older); !errors.Is(err, errVersion) {
		t.Errorf("a State of an older version: %v", err)
	}
	if text, _ := os.ReadFile(other); string(text) != "precious\n" {
		t.Error("another file was changed")
	}
	if _, err := OpenState(filepath.Join(dir, "no", "such")); err == nil {
		t.Error("opened in no directory")
	}
	if _, err := OpenState(dir); !errors.Is(err, errNotAFile) {
		t.Errorf("a directory: %v", err)
	}
	path := filepath.Join(dir, "state")
	c := newChanging()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	c.walk(t, path)
	c.walk(t, link) // which stays one
	if target, err := os.Readlink(link); target != path {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Whatever the end of the file that was written, it can be read, and the walk
	// goes on.
	for cut := 0; cut <= len(whole); cut += 1 + len(whole)/97 {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		state := openState(t, path)
		l := walkSite(c.client(), "https://example.com", Options{State: state})
		if l.err != nil {
			t.Errorf("cut at %d: %v", cut, l.err)
		}
		if err := state.Close(); err != nil {
			t.Error(err)
		}
		again := openState(t, path)
		if n := len(again.entries); n != changingChildren+1 {
			t.Errorf("cut at %d: %d documents", cut, n)
		}
		again.Close()
	}
	// It is compacted.
	for range 20 {
		c.walk(t, path)
	}
	openState(t, path).Close()
	if info, _ := os.Stat(path); info.Size() > 2*int64(len(whole)) {
		t.Errorf("%d bytes, at first %d", info.Size(), len(whole))
	}
}

// TestHonesty: three agreements prove a host, one lie takes that back for 30 days,
// after which it takes three more.
func TestNilState(t *testing.T) {
	var s *State
	s.Note(1)
	if offset, ok, err := s.Resume("out", "https://example.com"); offset != 0 || ok || err != nil {
		t.Errorf("Resume = %d, %v, %v", offset, ok, err)
	}
	if l := walkSite(newChanging().client(), "https://example.com", Options{State: s}); len(l.urls) != changingChildren || l.err != nil {
		t.Errorf("%d URLs, %v", len(l.urls), l.err)
	}
	if err := errors.Join(s.Abandon(), s.Close()); err != nil {
		t.Error(err)
	}
}

func TestHonesty(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	ago := func(days int) int64 { return now.AddDate(0, 0, -days).Unix() }
	for _, tt := range []struct {
		h    *honesty
		want bool
	}{
		{nil, false},
		{&honesty{Right: 2}, false},
		{&honesty{Right: 3}, true},
		{&honesty{Right: 3, Wrong: ago(29)}, false},
		{&honesty{Right: 3, Wrong: ago(31)}, true},
		{&honesty{Right: 2, Wrong: ago(31)}, false},
		{&honesty{Right: 3, Wrong: ago(-300)}, true}, // by a clock that was wrong
	} {
		if got := tt.h.proved(now); got != tt.want {
			t.Errorf("%+v: proved %t", tt.h, got)
		}
	}
	s := openState(t, filepath.Join(t.TempDir(), "state"))
	defer s.Close()
	s.now = func() time.Time { return now }
	tell := func(moved, changed bool) honesty {
		old, e := &entry{LastMod: "1", Digest: "a"}, &entry{LastMod: "1", Digest: "a"}
		if moved {
			e.LastMod = "2"
		}
		if changed {
			e.Digest = "b"
		}
		s.judgeHost("a.test", old, e)
		return *s.hosts["a.test"]
	}
	for i, tt := range []struct {
		moved, changed bool
		want           honesty
	}{
		{false, false, honesty{Right: 1}},
		{true, true, honesty{Right: 2}},
		{true, false, honesty{Right: 2}}, // moved for nothing: costs a fetch, no more
		{false, false, honesty{Right: 3}},
		{false, false, honesty{Right: 3}},
		{false, true, honesty{Wrong: now.Unix()}},
		{true, true, honesty{Right: 1, Wrong: now.Unix()}},
	} {
		if got := tell(tt.moved, tt.changed); got != tt.want {
			t.Errorf("step %d: %+v, want %+v", i, got, tt.want)
		}
	}
	// Digests with extensions and without are not compared.
	before := *s.hosts["a.test"]
	s.judgeHost("a.test", &entry{LastMod: "1", Digest: "a"}, &entry{LastMod: "1", Digest: bareDigest + "a"})
	if *s.hosts["a.test"] != before {
		t.Errorf("other digests: %+v, before %+v", *s.hosts["a.test"], before)
	}
}

// TestStateOfLies: how many documents are left out after one has changed under an unmoved lastmod
// does not depend on how far ahead was looked.
func TestStateOfLies(t *testing.T) {
	for _, concurrency := range []int{1, 3, 16} {
		c := newChanging()
		path := filepath.Join(t.TempDir(), "state")
		for range agreements + 1 {
			c.walk(t, path)
		}
		for i := range changingChildren {
			c.version[fmt.Sprintf("%d.xml", i)]++
		}
		state := openState(t, path)
		asked := &run{s: state, number: state.last + 1}
		first := 0
		for first = range changingChildren {
			if asked.checked(fmt.Sprintf("https://example.com/%d.xml", first)) {
				break
			}
		}
		cl := c.client()
		cl.Concurrency = concurrency
		l := walkSite(cl, "https://example.com", Options{State: state})
		state.Close()
		if len(l.urls) != changingChildren-first {
			t.Errorf("concurrency %d: %d URLs, want those from %d on", concurrency, len(l.urls), first)
		}
	}
}

// TestStateChecks: about one in ten documents is asked for in spite of its lastmod,
// others in each run, so that each has its turn.
func TestStateChecks(t *testing.T) {
	const documents, runs = 1_000, 100
	seen := map[int]bool{}
	for number := range runs {
		r, n := &run{number: number}, 0
		for i := range documents {
			if r.checked(fmt.Sprintf("https://example.com/%d.xml", i)) {
				seen[i] = true
				n++
			}
		}
		if n < documents*6/100 || n > documents*14/100 {
			t.Errorf("run %d: %d of %d documents", number, n, documents)
		}
	}
	if len(seen) < documents*99/100 {
		t.Errorf("in %d runs, only %d of %d documents had their turn", runs, len(seen), documents)
	}
}

// TestStateDigest: a digest tells changed entries, and nothing else of a document.
func TestStateDigest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	digests := map[string]string{}
	for _, text := range []string{
		urlset("https://example.com/1|2024-01-01"),
		"<!-- made at 12:00 -->" + urlset("https://example.com/1|2024-01-01"),
		urlset("https://example.com/1|2024-01-02"),
		urlset("https://example.com/2|2024-01-01"),
	} {
		w := newWeb()
		w.serve("https://example.com/s.xml", text)
		s := openState(t, path)
		if l := walkFrom(w.client(), named("https://example.com/s.xml"), Options{State: s}); l.err != nil {
			t.Fatal(l.err)
		}
		digests[text] = s.entries["https://example.com/s.xml"].Digest
		s.Close()
	}
	distinct := map[string]bool{}
	for _, d := range digests {
		distinct[d] = true
	}
	if len(digests) != 4 || len(distinct) != 3 {
		t.Errorf("%d digests of %d documents: %v", len(distinct), len(digests), digests)
	}
}

func TestStateTimes(t *testing.T) {
	for _, s := range []string{"", "2024", "2024-05", "2024-05-06", "2024-05-06T07:08:00Z", "2024-05-06T07:08:00Z'", "2024-05-06T07:08:09.123+02:00", "2024-05-06T07:08:09Z?", "2024-05-06T07:08:00Z'?"} {
		if got := timeText(parseText(s)); got != s {
			t.Errorf("%q comes back as %q", s, got)
		}
	}
	if !parseText("2024-05-06T07:08:09Z?").ZoneAssumed() {
		t.Error("the assumed zone is lost")
	}
	if minute, _ := sitemap.ParseTime("2024-05-06T07:08+02:00"); parseText(timeText(minute)) != minute {
		t.Error("that there were no seconds is lost")
	}
	if !parseText("no time").IsZero() {
		t.Error("read no time")
	}
}
