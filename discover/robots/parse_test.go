package robots_test

import (
	"bytes"
	"compress/gzip"
	"errors"

	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/robots"
)

const robotsURL = "https://www.example.com/robots.txt"

func mustURL(t testing.TB, loc string) *url.URL {
	t.Helper()
	u, err := url.Parse(loc)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// parse reads text as the robots.txt at robotsURL.
func parse(t testing.TB, text string) *robots.File {
	t.Helper()
	r, err := robots.Parse(strings.NewReader(text), mustURL(t, robotsURL))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines returns the Sitemaps as "3 https://…".
func lines(r *robots.File) []string {
	var got []string
	for _, s := range r.Sitemaps {
		got = append(got, fmt.Sprintf("%d %s", s.Line, s.Loc))
	}
	return got
}

// codes returns the codes of the Problems, in order.
func codes(r *robots.File) string {
	var got []string
	for _, p := range r.Problems {
		got = append(got, string(p.Code))
	}
	return strings.Join(got, " ")
}

func utf16LE(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

// TestParse_SitemapsOrgExample is the example of sitemaps.org, "Specifying the Sitemap location in
// your robots.txt file".
func TestParse_SitemapsOrgExample(t *testing.T) {
	r := parse(t, "User-agent: *\nDisallow: /private\n"+
		"Sitemap: http://www.example.com/sitemap.xml\nAllow: /\n")
	want := robots.Record{Loc: "http://www.example.com/sitemap.xml", Line: 3}
	if len(r.Sitemaps) != 1 || r.Sitemaps[0] != want || len(r.Problems) != 0 {
		t.Errorf("got %+v, problems %v, want %+v", r.Sitemaps, r.Problems, want)
	}
}

func TestParse_Base(t *testing.T) {
	const text = "Sitemap: /a/s.xml\nSitemap: https://cdn.test/s.xml\n"
	for base, want := range map[string]string{
		"https://example.com":                        "https://example.com/a/s.xml",
		"https://example.com/":                       "https://example.com/a/s.xml",
		"https://example.com:8443/robots.txt":        "https://example.com:8443/a/s.xml",
		"https://user:secret@example.com/robots.txt": "https://example.com/a/s.xml",
	} {
		r, err := robots.Parse(strings.NewReader(text), mustURL(t, base))
		if err != nil || len(r.Sitemaps) != 2 || r.Sitemaps[0].Loc != want {
			t.Errorf("base %s: %+v, %v, want %s", base, r.Sitemaps, err, want)
		}
	}
	r, err := robots.Parse(strings.NewReader(text), nil)
	if err != nil || len(r.Sitemaps) != 1 || r.Sitemaps[0].Line != 2 || codes(r) != "relative_loc" {
		t.Errorf("no base: %+v, %v, problems %q", r.Sitemaps, err, codes(r))
	}
}

func TestParse_Positions(t *testing.T) {
	r := parse(t, "User-agent: *\r\nSitemap:\rSitemap: mailto:x\n\nSitemap: none\n")
	want := []sitemap.Problem{
		{
			Code: sitemap.EmptyLoc, Pos: sitemap.Position{Offset: 15, Line: 2}, Field: "sitemap",
			Dropped: true,
		},
		{
			Code: sitemap.BadScheme, Pos: sitemap.Position{Offset: 24, Line: 3}, Field: "sitemap",
			Text: "mailto:x", Dropped: true,
		},
		{
			Code: sitemap.BogusLoc, Pos: sitemap.Position{Offset: 43, Line: 5}, Field: "sitemap",
			Text: "none", Dropped: true,
		},
	}
	if !slices.Equal(r.Problems, want) {
		t.Errorf("got  %+v\nwant %+v", r.Problems, want)
	}
}

// TestParse_RFC9309_2_5: at least 500 KiB are read, and no more; a line that the limit cuts is
// ignored.
func TestParse_RFC9309_2_5(t *testing.T) {
	head := "Sitemap: https://a.test/1\n"
	text := head + strings.Repeat("# no\n", robots.MaxBytes/5-10)
	text += "Sitemap: https://a.test/2?" + strings.Repeat("x", 300) + "\nSitemap: https://a.test/3\n"
	r := parse(t, text)
	if got := lines(r); !slices.Equal(got, []string{"1 https://a.test/1"}) || codes(r) != "too_large" {
		t.Errorf("sitemaps %q, problems %q", got, codes(r))
	}
	last := "\nSitemap: https://a.test/last"
	r = parse(t, head+strings.Repeat("x", robots.MaxBytes-len(head)-len(last))+last)
	if got := lines(r); len(got) != 2 || codes(r) != "" {
		t.Errorf("of 500 KiB: sitemaps %q, problems %q", got, codes(r))
	}
	endless := io.MultiReader(strings.NewReader(head), endlessReader{})
	r, err := robots.Parse(endless, mustURL(t, robotsURL))
	if err != nil || len(r.Sitemaps) != 1 || codes(r) != "too_large" {
		t.Errorf("endless: %+v, %v", r, err)
	}
}

type endlessReader struct{}

func (endlessReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestParse_AtMost1000Problems(t *testing.T) {
	var b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&b, "Sitemap: /%d\n", i)
	}
	r := parse(t, b.String())
	if len(r.Sitemaps) != 30_000 || len(r.Problems) != 1_000 {
		t.Errorf("%d sitemaps, %d problems", len(r.Sitemaps), len(r.Problems))
	}
}

func TestParse_ReaderFails(t *testing.T) {
	failure := errors.New("line is down")
	text := "Sitemap: https://a.test/1\nSitemap: https://a.test/2"
	in := io.MultiReader(strings.NewReader(text), iotest.ErrReader(failure))
	r, err := robots.Parse(in, mustURL(t, robotsURL))
	if !errors.Is(err, failure) || !slices.Equal(lines(r), []string{"1 https://a.test/1"}) {
		t.Errorf("got %q, %v", lines(r), err)
	}
	cut := gzipped("Sitemap: https://a.test/1\n" + strings.Repeat("# comment\n", 10))
	r, err = robots.Parse(strings.NewReader(cut[:len(cut)-12]), mustURL(t, robotsURL))
	if !errors.Is(err, sitemap.ErrTruncated) || r == nil {
		t.Errorf("cut gzip: %+v, %v", r, err)
	}
}

func TestParse_ExcerptsHaveNoCredentials(t *testing.T) {
	for value, want := range map[string]string{
		"ftp://user:secret@a.test/s.xml": "ftp://a.test/s.xml",
		"https://user:secret@a.test/1 " +
			"https://u:secret@a.test/2": "https://a.test/1 https://a.test/2",
		"https://a.test/?x,https://user:secret@a.test/2":            "https://a.test/?x, https://a.test/2",
		"http:/user:secret@a.test/s.xml":                            "http:/a.test/s.xml",
		"ftp://user:secret" + strings.Repeat("x", 300) + "@a.test/": "ftp://a.test/",
		"https://a.test/s.xml ask " +
			"admin@a.test": "https://a.test/s.xml ask admin@a.test",
		"ftp://a.test/" + strings.Repeat("é", 200): "ftp://a.test/" + strings.Repeat("é", 121),
	} {
		r := parse(t, "Sitemap: "+value+"\n")
		if len(r.Problems) == 0 || r.Problems[0].Text != want {
			t.Errorf("%q: problems %+v, want the text %q", value, r.Problems, want)
		}
		for _, p := range r.Problems {
			if strings.Contains(p.Text, "secret") {
				t.Errorf("%q: %q has a password", value, p.Text)
			}
		}
	}
}

// TestParse_OfTheFile: a problem of the whole file drops no record.
func TestParse_OfTheFile(t *testing.T) {
	for _, text := range []string{"<html>", strings.Repeat("# no\n", robots.MaxBytes/5+1)} {
		r := parse(t, text)
		if len(r.Problems) != 1 || r.Problems[0].Dropped || r.Problems[0].Pos.Line != 0 {
			t.Errorf("problems %+v, want one of the file", r.Problems)
		}
	}
}
