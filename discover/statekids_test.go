package discover

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
