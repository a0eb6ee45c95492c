package feed_test

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
	"time"
	"unicode/utf16"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/feed"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
	"github.com/seed-322c453a/sitemap/parse"
)

const twoItems = `<rss version="2.0"><channel><item><link>http://a.example/é</link></item><item><link>http://a.example/2</link></item></channel></rss>`

var twoLocs = []string{"http://a.example/é", "http://a.example/2"}

// locs reads a feed to its end.
func locs(r io.Reader, o *sitemap.Options) (locs []string, err error) {
	for e, err := range feed.Entries(r, o) {
		if err != nil {
			return locs, err
		}
		locs = append(locs, e.Loc)
	}
	return locs, nil
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// The package reads raw bytes without package parse.
func TestEntries_RawBytes(t *testing.T) {
	latin1 := strings.ReplaceAll(`<?xml version="1.0" encoding="iso-8859-1"?>`+twoItems, "é",
		"\xe9")
	var wide []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + twoItems)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for name, doc := range map[string][]byte{
		"UTF-8": []byte(twoItems), "byte order mark": []byte("\ufeff" + twoItems),
		"gzip":       gzipped([]byte(twoItems)),
		"ISO 8859-1": []byte(latin1), "UTF-16": wide, "UTF-16 in gzip": gzipped(wide),
	} {
		if got, err := locs(bytes.NewReader(doc), nil); err != nil || !slices.Equal(got, twoLocs) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestEntries_Errors(t *testing.T) {
	for name, c := range map[string]struct {
		doc  []byte
		want error
		n    int
	}{
		"urlset": {[]byte("<urlset><url><loc>http://a.example/</loc></url></urlset>"),
			sitemap.ErrNotSitemap, 0},
		"text":           {[]byte("http://a.example/"), sitemap.ErrNotSitemap, 0},
		"HTML":           {[]byte("<!DOCTYPE html><html><body>not found</body></html>"), sitemap.ErrHTML, 0},
		"empty":          {nil, sitemap.ErrEmpty, 0},
		"truncated":      {[]byte(twoItems[:len(twoItems)-8]), sitemap.ErrTruncated, 2},
		"truncated gzip": {gzipped([]byte(twoItems))[:90], sitemap.ErrTruncated, 0},
	} {
		got, err := locs(bytes.NewReader(c.doc), nil)
		var pe *sitemap.ParseError
		if !errors.Is(err, c.want) || !errors.As(err, &pe) || len(got) < c.n {
			t.Errorf("%s: %q, %v, want %v", name, got, err, c.want)
		}
	}
}

// The error of the reader is returned unchanged, after everything that was read.
func TestEntries_ReaderError(t *testing.T) {
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader(twoItems[:strings.Index(twoItems, "</item>")+10]),
		iotest.ErrReader(broken))
	got, err := locs(r, nil)
	if !errors.Is(err, broken) || !slices.Equal(got, twoLocs[:1]) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestEntries_Limit(t *testing.T) {
	got, err := locs(strings.NewReader(twoItems),
		&sitemap.Options{Limits: sitemap.Limits{Entries: 1}})
	if !errors.Is(err, sitemap.ErrTooManyEntries) || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
}

// The interval that a feed asks for is in the Summary.
func TestRefresh(t *testing.T) {
	const minute, hour, day = time.Minute, time.Hour, 24 * time.Hour
	const item = "<item><link>http://a.example/1</link></item>"
	const spaces = " xmlns:sy='http://purl.org/rss/1.0/modules/syndication/'" +
		" xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
	rss := func(elements string) string {
		return "<rss" + spaces + "><channel>" + elements + item + "</channel></rss>"
	}
	sy := func(period, frequency string) string {
		return "<sy:updatePeriod>" + period + "</sy:updatePeriod><sy:updateFrequency>" + frequency +
			"</sy:updateFrequency>"
	}
	for _, test := range []struct {
		doc  string
		want time.Duration
	}{
		{rss(""), 0},
		{rss("<ttl> 60\n</ttl>"), hour},
		{rss("<ttl><![CDATA[90]]></ttl>"), 90 * minute},
		{rss(item + "<ttl>60</ttl>"), hour},
		{rss("<ttl>0</ttl>"), 0},
		{rss("<ttl>-60</ttl>"), 0},
		{rss("<ttl>soon</ttl>"), 0},
		{rss("<ttl/>"), 0},
		{rss("<ttl>60"), hour},
		{rss("<ttl>60<title>News</title>"), 0},
		{rss("<ttl>99999999999999999999999</ttl>"), (1<<24 - 1) * minute},
		{rss("<image><ttl>60</ttl></image>"), 0},
		{rss("<item><ttl>60</ttl><link>http://a.example/0</link></item>"), 0},
		{rss("<sy:updatePeriod>hourly</sy:updatePeriod>"), hour},
		{rss("<sy:updatePeriod>\n\tDaily\n</sy:updatePeriod>"), day},
		{rss("<sy:updatePeriod>weekly</sy:updatePeriod>"), 7 * day},
		{rss("<sy:updatePeriod>monthly</sy:updatePeriod>"), 30 * day},
		{rss("<sy:updatePeriod>yearly</sy:updatePeriod>"), 365 * day},
		{rss("<sy:updatePeriod>never</sy:updatePeriod>"), 0},
		{rss(sy("hourly", "2")), 30 * minute},
		{rss("<updateFrequency>4</updateFrequency><updatePeriod>daily</updatePeriod>"), 6 * hour},
		{rss(sy("daily", "0")), day},
		{rss(sy("daily", "-2")), day},
		{rss(sy("daily", "often")), day},
		{rss(sy("hourly", "99999999999999999999999")), hour / (1<<24 - 1)},
		{rss("<ttl>60</ttl>" + sy("daily", "1")), day},
		{rss("<ttl>60</ttl>" + sy("hourly", "2")), hour},
		{"<rdf:RDF xmlns='http://purl.org/rss/1.0/'" + spaces + "><channel>" + sy("daily", "3") +
			"</channel>" + item + "</rdf:RDF>", 8 * hour},
		{"<feed xmlns='http://www.w3.org/2005/Atom'" + spaces + ">" + sy("weekly", "7") +
			"<entry><link href='http://a.example/1'/></entry></feed>", day},
	} {
		for _, r := range []io.Reader{
			strings.NewReader(test.doc), iotest.OneByteReader(strings.NewReader(test.doc)),
		} {
			d, err := parse.NewReader(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			last := ""
			for e, err := range d.Entries() {
				if err != nil {
					t.Errorf("%s: %v", test.doc, err)
				}
				last = e.Loc
			}
			if got := d.Summary().Refresh; got != test.want || last != "http://a.example/1" {
				t.Errorf("%s: %v, last entry %q; want %v", test.doc, got, last, test.want)
			}
		}
	}
}

func TestEntries_Break(t *testing.T) {
	for _, kind := range []string{gendoc.RSS, gendoc.Atom} {
		doc := bytes.NewReader(gendoc.Bytes(kind, 2000))
		n := 0
		for range feed.Entries(doc, nil) {
			if n++; n == 3 {
				break
			}
		}
		if n != 3 || doc.Len() == 0 {
			t.Errorf("%s: %d entries, %d bytes left", kind, n, doc.Len())
		}
	}
}

func TestEntries_SkipExtensions(t *testing.T) {
	for _, skip := range []bool{false, true} {
		n := 0
		for e, err := range feed.Entries(bytes.NewReader(gendoc.Bytes(gendoc.RSS, 50)),
			&sitemap.Options{SkipExtensions: skip}) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; (e.Extensions == nil) != skip {
				t.Errorf("skip %v: extensions %v", skip, e.Extensions)
			}
		}
		if n != 50 {
			t.Errorf("%d entries", n)
		}
	}
}

// An item with megabytes of content is read in the memory of one window.
func TestEntries_LongContent(t *testing.T) {
	body := strings.Repeat("<p>A & B ]] > </p>\n", 200_000)
	doc := `<rss xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item><title>long</title><content:encoded><![CDATA[` + body[:900_000] +
		"]]></content:encoded><link>http://a.example/1</link></item><item><description>" +
		strings.ReplaceAll(strings.ReplaceAll(body, "&", "&amp;"), "<", "&lt;") +
		"</description><link>http://a.example/2</link></item></channel></rss>"
	got, err := locs(strings.NewReader(doc), nil)
	if want := []string{"http://a.example/1", "http://a.example/2"}; err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestEntries_Allocations(t *testing.T) {
	const n = 1000
	for _, c := range []struct {
		kind string
		most float64
	}{{gendoc.RSS, 2}, {gendoc.Atom, 2}} {
		doc := gendoc.Bytes(c.kind, n)
		got := testing.AllocsPerRun(5, func() {
			for _, err := range feed.Entries(bytes.NewReader(doc), nil) {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
		if got/n > c.most {
			t.Errorf("%s: %.2f allocations an entry, want %v at most", c.kind, got/n, c.most)
		}
	}
}

func BenchmarkEntries(b *testing.B) {
	for _, kind := range []string{gendoc.RSS, gendoc.Atom} {
		b.Run(kind, func(b *testing.B) {
			doc := gendoc.Bytes(kind, 10_000)
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range feed.Entries(bytes.NewReader(doc), nil) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func ExampleEntries() {
	const doc = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.com/blog/">
  <entry><link href="first"/><updated>2024-05-06T07:08:09Z</updated></entry>
  <entry><link href="https://example.com/second"/><published>2024-05-07</published></entry>
</feed>`
	base := &url.URL{Scheme: "https", Host: "example.com", Path: "/feed.atom"}
	for e, err := range feed.Entries(strings.NewReader(doc), &sitemap.Options{Base: base}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Loc, e.LastMod)
	}
	// Output:
	// https://example.com/blog/first 2024-05-06T07:08:09Z
	// https://example.com/second 2024-05-07
}

// An entry in the content of another one belongs to the content, unless the content is unclosed.
func TestEntries_EntryInContent(t *testing.T) {
	for _, test := range []struct {
		entries string
		want    []string
	}{
		{`<entry><content type="application/xml"><entry xmlns="http://www.w3.org/2005/Atom"><link href="http://a.example/no"/></entry></content><link href="http://a.example/1"/></entry>`, []string{"http://a.example/1", "http://a.example/last"}},
		{`<entry><content type="application/xml"><feed><entry><link href="http://a.example/no"/></entry></feed></content><link href="http://a.example/1"/></entry>`, []string{"http://a.example/1", "http://a.example/last"}},
		{`<entry><link href="http://a.example/1"/><content>x</entry>`,
			[]string{"http://a.example/1", "http://a.example/last"}},
		{`<entry><link href="http://a.example/1"/><content>x`,
			[]string{"http://a.example/1", "http://a.example/last"}},
		{`<entry><link href="http://a.example/1"/><content>x</entry><entry xmlns="http://www.w3.org/2005/Atom"><link href="http://a.example/2"/><content>y</content></entry>`,
			[]string{"http://a.example/1", "http://a.example/2", "http://a.example/last"}},
	} {
		doc := `<feed xmlns="http://www.w3.org/2005/Atom">` + test.entries +
			`<entry><link href="http://a.example/last"/><content>z</content></entry></feed>`
		if got, err := locs(iotest.HalfReader(strings.NewReader(doc)), nil); err != nil ||
			!slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, %v; want %q", test.entries, got, err, test.want)
		}
	}
}
