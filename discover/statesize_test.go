package discover

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStateOfManyDocuments: a State remembers all of as many documents as a walk may have by default,
// and of more, or of some with very long URLs, that they were read.
func TestStateOfManyDocuments(t *testing.T) {
	for name, test := range map[string]struct {
		n, long int
		allKept bool
	}{
		"ordinary":  {DefaultMaxSitemaps, 200, true},
		"more":      {2 * DefaultMaxSitemaps, 200, false},
		"long URLs": {8_000, 7_000, false},
	} {
		s := openState(t, filepath.Join(t.TempDir(), "state"))
		pad := strings.Repeat("x", test.long-len("https://example.com/12345?"))
		loc := func(i int) string { return fmt.Sprintf("https://example.com/%05d?%s", i, pad) }
		for range 2 {
			for i := range test.n {
				s.put(&entry{
					URL: loc(i), Final: loc(i), ETag: opaque(pad[:40]), Modified: opaque(pad[:29]),
					Digest: pad[:32], LastMod: pad[:25], Run: 3,
				})
			}
		}
		kept := 0
		for i := range test.n {
			e := s.of(loc(i))
			if e == nil || !e.readBy(3) {
				t.Fatalf("%s: %d: %v", name, i, e)
			}
			if !e.Wide {
				kept++
			}
		}
		if (kept == test.n) != test.allKept || kept < 3_000 || s.size > maxStateSize {
			t.Errorf("%s: %d of %d are kept, in %d bytes", name, kept, test.n, s.size)
		}
		for i := range test.n {
			s.forget(s.of(loc(i)))
		}
		if s.size != 0 {
			t.Errorf("%s: %d bytes of nothing", name, s.size)
		}
		s.Abandon()
	}
}

// TestStateWithoutRoom: where a walk goes on, documents of which there was no room for more than that
// they were read do not come again.
func TestStateWithoutRoom(t *testing.T) {
	const e = "https://example.com/"
	w := newWeb()
	var kids, want []string
	for i := range 4 {
		kids = append(kids, fmt.Sprintf("%s%s%d.xml", e, strings.Repeat("x", 400*(i%2)), i))
		want = append(want, kids[i]+"/p")
		w.tagged(kids[i], urlset(want[i]))
	}
	w.serve(e+"index.xml", index(kids...))
	path := filepath.Join(t.TempDir(), "state")
	for run, share := range [][]string{want[:3], want[3:], want} {
		s := openState(t, path)
		s.size = maxStateSize
		var got []string
		for u, err := range w.client().Walk(t.Context(), named(e+"index.xml"), &Options{State: s}) {
			if err != nil {
				t.Fatal(err)
			}
			if run == 0 && u.Loc == want[3] {
				break
			}
			got = append(got, u.Loc)
		}
		if !slices.Equal(got, share) {
			t.Errorf("walk %d: got %q", run, got)
		}
		s.Abandon()
	}
}

// TestStateWithoutRoomThenChanged: what a document has that was passed over where a walk went on comes
// in the next.
func TestStateWithoutRoomThenChanged(t *testing.T) {
	const e, other = "https://example.com/", "https://other.example/"
	w := newWeb()
	w.tagged(e+"a.xml", urlset(e+"1", other+"1"))
	w.tagged(e+"b.xml", urlset(e+"2"))
	w.serve(e+"index.xml", index(e+"a.xml", e+"b.xml"))
	path := filepath.Join(t.TempDir(), "state")
	for run, want := range [][]string{{e + "1"}, {e + "2"}, {e + "1", e + "new"}, {e + "1", e + "new", other + "1"}} {
		s := openState(t, path)
		seeds := named(e + "index.xml")
		switch run {
		case 0:
			s.size = maxStateSize
		case 1:
			w.tagged(e+"a.xml", urlset(e+"1", e+"new", other+"1"))
		case 3:
			seeds[0].Scope = Scope{[]Grant{{Host: "example.com", Dir: "/", By: ByCaller}, {Host: "other.example", Dir: "/", By: ByCaller}}}
		}
		equal(t, fmt.Sprint("walk ", run), walkBefore(t, w, seeds, s, run == 0, e+"2"), want)
	}
}

// TestStateWithoutRoomOfFailures: a document that failed is not asked for again where the walk goes on,
// and its failure is told.
func TestStateWithoutRoomOfFailures(t *testing.T) {
	const e = "https://example.com/"
	w := newWeb()
	w.status(e+"a.xml", http.StatusNotFound)
	w.serve(e+"b.xml", urlset(e+"2"))
	w.serve(e+"index.xml", index(e+"a.xml", e+"b.xml"))
	path := filepath.Join(t.TempDir(), "state")
	for run, want := range [][]string{nil, {e + "2", "1 failed"}, {e + "1", e + "2"}} {
		s := openState(t, path)
		switch run {
		case 0:
			s.size = maxStateSize
		case 1:
			w.tagged(e+"a.xml", urlset(e+"1"))
		}
		equal(t, fmt.Sprint("walk ", run), walkBefore(t, w, named(e+"index.xml"), s, run == 0, e+"2"), want)
	}
}

// TestStateOfLongURLThatFails: what a State knows of a document with a long URL that was brief and
// then failed is told under its URL, also when the State is opened again.
func TestStateOfLongURLThatFails(t *testing.T) {
	const e = "https://example.com/"
	long := e + "a.xml?" + strings.Repeat("x", maxDocName)
	w := newWeb()
	w.serve(long, urlset(e+"1"))
	w.serve(e+"index.xml", index(long))
	path := filepath.Join(t.TempDir(), "state")
	for run := range 3 {
		s := openState(t, path)
		switch run {
		case 0:
			s.size = maxStateSize
		case 1:
			w.status(long, http.StatusNotFound)
		}
		walkBefore(t, w, named(e+"index.xml"), s, false, "")
		for name, known := range s.entries {
			if known.name() != name {
				t.Errorf("walk %d: %q is kept as %q", run, known.name(), name)
			}
		}
		if s.of(long) == nil {
			t.Errorf("walk %d: not known", run)
		}
		s.Close()
	}
}

// walkBefore returns what a walk yields, before it is stopped at a URL if that is to be, and how many
// documents failed.
func walkBefore(t *testing.T, w *web, seeds []*Sitemap, s *State, stops bool, at string) (got []string) {
	defer s.Abandon()
	for u, err := range w.client().Walk(t.Context(), seeds, &Options{State: s}) {
		var failed *WalkError
		switch {
		case errors.As(err, &failed):
			got = append(got, fmt.Sprint(failed.Failed, " failed"))
		case stops && u.Loc == at:
			return got
		default:
			got = append(got, u.Loc)
		}
	}
	return got
}
