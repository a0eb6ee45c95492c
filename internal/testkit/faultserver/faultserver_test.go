package faultserver

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The package comment and the table of faults agree.
func TestDocumented(t *testing.T) {
	src, err := os.ReadFile("faultserver.go")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(src), "\npackage faultserver")
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^//\t([a-z0-9-]+) `).FindAllStringSubmatch(head, -1) {
		documented = append(documented, m[1])
	}
	names := Names()
	slices.Sort(documented)
	slices.Sort(names)
	if !slices.Equal(documented, names) {
		t.Errorf("documented faults %q, want %q", documented, names)
	}
}

func TestOK(t *testing.T) {
	s := New()
	ts := httptest.NewServer(s)
	defer ts.Close()
	defer s.Close()
	for _, path := range []string{"/fault/ok", "/fault/ok/sitemap.xml"} {
		resp, err := http.Get(ts.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || !bytes.Equal(body, Document()) {
			t.Errorf("%s: status %d, %d bytes, error %v; want 200, %d bytes, none", path,
				resp.StatusCode, len(body), err, len(Document()))
		}
		if n := s.Hits(path); n != 1 {
			t.Errorf("Hits(%q) = %d, want 1", path, n)
		}
	}
	resp, err := http.Get(ts.URL + "/elsewhere")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 404 {
		t.Errorf("/elsewhere: status %d, want 404", resp.StatusCode)
	}
}

func TestDocuments(t *testing.T) {
	if n := bytes.Count(Document(), []byte("<url>")); n != Entries {
		t.Errorf("Document has %d entries, want %d", n, Entries)
	}
	if n := bytes.Count(Noisy(), []byte("<url>")); n != Entries {
		t.Errorf("Noisy has %d entries, want %d", n, Entries)
	}
	for _, n := range []int{1, 2, 5} {
		z := bomb(n)
		r, err := gzip.NewReader(bytes.NewReader(z))
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(r); err != nil || len(data) != n<<20 ||
			len(bytes.Trim(data, " ")) != 0 {
			t.Errorf("bomb(%d) of %d bytes: %d bytes, %v; want as many MiB of spaces", n, len(z),
				len(data), err)
		}
	}
	if z := Gzip(Noisy()); len(z) < 20_000 {
		t.Errorf("Noisy compresses to %d bytes, want more than buffers hide", len(z))
	}
}
