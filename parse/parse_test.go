package parse_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
	"github.com/seed-322c453a/sitemap/parse"
)

const (
	head = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	foot = `</urlset>`
)

// locs returns the paths of a document's locations, the codes of its problems, and its error.
func locs(r io.Reader) (paths, codes string, err error) {
	var p, c []string
	report := func(p sitemap.Problem) { c = append(c, string(p.Code)) }
	for e, e2 := range parse.Entries(r, &sitemap.Options{Report: report}) {
		if e2 != nil {
			err = e2
			continue
		}
		p = append(p, strings.TrimPrefix(e.Loc, "http://a.example/"))
	}
	return strings.Join(p, " "), strings.Join(c, " "), err
}

// The second of three entries is damaged.
func TestEntries_Resynchronises(t *testing.T) {
	const a, c = "<url><loc>http://a.example/a</loc></url>",
		"<url><loc>http://a.example/c</loc></url>"
	for _, test := range []struct{ name, entry, want string }{
		{"no end tag", "<url><loc>http://a.example/b</loc>", "a b c"},
		{"no end tags", "<url><loc>http://a.example/b", "a b c"},
		{"no start tag", "<loc>http://a.example/b</loc></url>", "a c"},
		{"no start tags", "http://a.example/b</loc></url>", "a c"},
		{"another end tag", "<url><loc>http://a.example/b</lco></url>", "a b c"},
		{"another start tag", "<urx><loc>http://a.example/b</loc></url>", "a c"},
		{"start tag cut", "<url<loc>http://a.example/b</loc></url>", "a b c"},
		{"end tag cut", "<url><loc>http://a.example/b</loc</url", "a b c"},
		{"an entry in an entry", "<url><url><loc>http://a.example/b</loc></url></url>", "a b c"},
		{"an open extension",
			"<url><loc>http://a.example/b</loc><image:image><image:loc>http://a.example/i</url>",
			"a b c"},
		{"an open extension without end",
			"<url><loc>http://a.example/b</loc><image:image><image:loc>http://a.example/i",
			"a b c"},
		{"an open comment", "<url><!-- <loc>http://a.example/b</loc></url>", "a b c"},
		{"an open section", "<url><loc><![CDATA[http://a.example/b</loc></url>", "a b c"},
		{"an open instruction", "<url><?x <loc>http://a.example/b</loc></url>", "a b c"},
		{"an open quote", `<url a="><loc>http://a.example/b</loc></url>`, "a b c"},
		{"an open declaration", "<url><!X <loc>http://a.example/b</loc></url>", "a b c"},
		{"an open DOCTYPE", "<!DOCTYPE x [<url><loc><![CDATA[http://a.example/b]]></loc></url>",
			"a b c"},
		{"a stray end tag in loc", "<url><loc>http://a.example/</x>b</loc></url>", "a b c"},
		{"a stray lt in loc", "<url><loc>http://a.example/b<c</loc></url>", "a b<c c"},
		{"nothing but junk", "<<>></><url <loc &;", "a c"},
	} {
		t.Run(test.name, func(t *testing.T) {
			doc := head + a + test.entry + c + foot
			got, codes, err := locs(strings.NewReader(doc))
			if got != test.want || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
			if codes == "" {
				t.Error("nothing was reported")
			}
			if byByte, _, _ := locs(iotest.OneByteReader(strings.NewReader(doc))); byByte != got {
				t.Errorf("byte by byte: got %q, want %q", byByte, got)
			}
		})
	}
}

func TestEntries_MetadataStaysWithItsEntry(t *testing.T) {
	doc := head + `<url><lastmod>2024-01-01</lastmod><priority>0.1</priority></url>` +
		`<url><loc>http://a.example/a</loc><changefreq>daily</changefreq><loc>http://a.example/b</loc><priority>0.2</priority></url>` +
		`<url><priority>0.3</priority><loc>http://a.example/c</loc>` +
		`<url><loc>http://a.example/d</loc></url>` + foot
	var got []string
	for e, err := range parse.Entries(strings.NewReader(doc), nil) {
		if err != nil {
			t.Fatal(err)
		}
		p, _ := e.Priority.MarshalJSON()
		got = append(got,
			e.Loc[len("http://a.example/"):]+" "+e.LastMod.String()+" "+e.ChangeFreq.String()+" "+string(p))
	}
	want := "a  daily null|b   0.2|c   0.3|d   null"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got %q, want %q", s, want)
	}
}

func TestEntries_Errors(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		r    io.Reader
		want error
		locs string
	}{
		{"empty", strings.NewReader(" \n"), sitemap.ErrEmpty, ""},
		{"HTML", strings.NewReader("<!DOCTYPE html><html>"), sitemap.ErrHTML, ""},
		{"JSON", strings.NewReader(`{"error": 404}`), sitemap.ErrJSON, ""},
		{"XML", strings.NewReader(`<Error><Code>NoSuchKey</Code></Error>`), sitemap.ErrUnknownXML,
			""},
		{"image", strings.NewReader("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), sitemap.ErrBinary, ""},
		{"text", strings.NewReader("not found"), sitemap.ErrNoURLs, ""},
		{"cut in a loc", strings.NewReader(head +
			"<url><loc>http://a.example/a</loc></url><url><loc>http://a.example/b"),
			sitemap.ErrTruncated, "a"},
		{"cut in an end tag", strings.NewReader(head + "<url><loc>http://a.example/a</lo"),
			sitemap.ErrTruncated, "a"},
		{"UTF-16 cut within a letter of an end tag",
			strings.NewReader(utf16le(head+"<url><loc>http://a.example/a</lo") + "c"),
			sitemap.ErrTruncated, "a"},
		{"cut in a bare text",
			strings.NewReader(head + "<url>http://a.example/a</url><url>http://a.example/b"),
			sitemap.ErrTruncated, "a"},
		{"cut behind a bare text", strings.NewReader(head + "<url>http://a.example/a</ur"),
			sitemap.ErrTruncated, "a"},
		{"cut behind a guid",
			strings.NewReader("<rss><channel><item><guid>http://a.example/a</guid></it"),
			sitemap.ErrTruncated, "a"},
		{"cut where a link may follow",
			strings.NewReader("<rss><channel><item><guid>http://a.example/a</guid><"),
			sitemap.ErrTruncated, ""},
		{"reader",
			io.MultiReader(strings.NewReader(head+"<url><loc>http://a.example/a</loc></url><url>"),
				iotest.ErrReader(broken)), broken, "a"},
		{"reader at once", iotest.ErrReader(broken), broken, ""},
	} {
		got, _, err := locs(test.r)
		if got != test.locs || !errors.Is(err, test.want) {
			t.Errorf("%s: %q, %v; want %q, %v", test.name, got, err, test.locs, test.want)
		}
		var pe *sitemap.ParseError
		if isParse := errors.As(err, &pe); isParse == (test.want == broken) {
			t.Errorf("%s: %v is a ParseError: %v", test.name, err, isParse)
		}
	}
}

// utf16le returns s as UTF-16, little-endian, with a byte order mark.
func utf16le(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return string(b)
}

// A document that ends within markup just ends early.
func TestEntries_Cut(t *testing.T) {
	for _, end := range []string{"", "<", "<lo", "<!", "<!-", "<!-- b", "<!-- b --", "<?x", "<?x ?",
		"<loc><![CDATA[http://a.example/b", "<loc><![CDATA[http://a.example/b]]",
		"<loc>http://a.example/b", `<loc a="`} {
		got, codes, err := locs(strings.NewReader(head +
			"<url><loc>http://a.example/a</loc></url><url>" + end))
		if got != "a" || codes != "" || !errors.Is(err, sitemap.ErrTruncated) {
			t.Errorf("%s: %q, %q, %v", end, got, codes, err)
		}
	}
}

func TestEntries_BreakBetweenLocs(t *testing.T) {
	n := 0
	for range parse.Entries(strings.NewReader(head+"<url><loc>http://a.example/1</loc><loc>http://a.example/2</loc></url>"+foot), nil) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d entries after a break at the first", n)
	}
}

func TestReader_EntriesTwice(t *testing.T) {
	d, err := parse.NewReader(strings.NewReader(head+"<url><loc>http://a.example/1</loc></url><url><loc>http://a.example/2</loc></url>"+foot), nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range d.Entries() {
		n++
		for e, err := range d.Entries() { // while the first is
			if err == nil {
				t.Errorf("within: %v", e)
			}
		}
	}
	if n != 2 {
		t.Errorf("%d entries, want 2", n)
	}
	for e, err := range d.Entries() {
		if err == nil {
			t.Errorf("a second time: %v", e)
		}
	}
	if n := len(d.Summary().Problems); n != 0 {
		t.Errorf("problems: %v", d.Summary().Problems)
	}
}

func TestEntries_Break(t *testing.T) {
	r := &counter{r: bytes.NewReader(gendoc.Bytes(gendoc.URLSet, 5_000))}
	for range parse.Entries(r, nil) {
		break
	}
	if r.n > 256<<10 {
		t.Errorf("%d bytes were read for one entry", r.n)
	}
}

type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func TestReader_Summary(t *testing.T) {
	doc := head +
		`<url><loc>http://a.example/a</loc><lastmod>2024-01-01</lastmod></url><url><loc>http://a.example/b</loc><lastmod>2024-01-01</lastmod></url>` +
		`<url><loc>http://a.example/c</loc><lastmod>9999-01-01T00:00:00Z</lastmod></url><url><lastmod>never</lastmod></url>` + foot
	d, err := parse.NewReader(strings.NewReader(doc), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Format() != sitemap.URLSet {
		t.Errorf("Format = %v", d.Format())
	}
	before := d.Summary()
	for _, err := range d.Entries() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if before.Entries != 0 || len(before.Problems) != 0 {
		t.Errorf("the Summary before the entries has become %+v", before)
	}
	s := d.Summary()
	if s.Entries != 3 || s.Bytes != int64(len(doc)) || s.Encoding != "utf-8" ||
		s.Format != sitemap.URLSet {
		t.Errorf("Summary = %+v", s)
	}
	if want := (sitemap.LastMods{Count: 3, Equal: 2, Future: 1, DateOnly: 2}); s.LastMods != want {
		t.Errorf("LastMods = %+v, want %+v", s.LastMods, want)
	}
	if s.Problems[sitemap.MissingLoc] != 1 || s.Problems[sitemap.BadLastMod] != 1 {
		t.Errorf("Problems = %v", s.Problems)
	}
}

func TestSniff(t *testing.T) {
	for prefix, want := range map[string]sitemap.Format{
		head: sitemap.URLSet, "<sitemapindex>": sitemap.SitemapIndex, "<rss version='2.0'>": sitemap.RSS,
		"<rdf:RDF>": sitemap.RSS, "<feed>": sitemap.Atom, "http://a.example/": sitemap.Text,
		"<!-- x --><URLSET>": sitemap.URLSet,
	} {
		if got, err := parse.Sniff([]byte(prefix)); got != want || err != nil {
			t.Errorf("Sniff(%q) = %v, %v; want %v", prefix, got, err, want)
		}
	}
	if _, err := parse.Sniff([]byte("<html>")); !errors.Is(err, sitemap.ErrHTML) {
		t.Errorf("Sniff of HTML: %v", err)
	}
}

// Elements of other namespaces around entries are kept, with their attributes.
func TestReader_Other(t *testing.T) {
	doc, err := os.ReadFile("../testdata/urlset/foreign-elements.xml")
	if err != nil {
		t.Fatal(err)
	}
	d, err := parse.NewReader(bytes.NewReader(doc), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range d.Entries() {
		if err != nil {
			t.Fatal(err)
		}
	}
	attr := func(name, value string) sitemap.Attribute {
		return sitemap.Attribute{Name: name, Value: value}
	}
	name := sitemap.Element{Space: "urn:x", Name: "name", Text: "N"}
	want := []sitemap.Element{
		{Space: "urn:x", Name: "generator", Text: "G  2",
			Attrs:    []sitemap.Attribute{attr("version", "1.2"), attr("x:mode", "a&b")},
			Children: []sitemap.Element{name}},
		{Space: "urn:y", Name: "meta", Text: "text"},
		{Space: "urn:x", Name: "group", Children: []sitemap.Element{name}},
		{Space: "urn:x", Name: "generator", Text: "again"},
	}
	if got := d.Summary().Other; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Of very many elements of other namespaces around entries, some are kept, and all their entries
// are read.
func TestReader_OtherLimit(t *testing.T) {
	const n = 1000
	group := `<x:group a="b"><url><loc>http://a.example/</loc></url>t</x:group>`
	doc := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:x="urn:x">` +
		strings.Repeat(group, n) + strings.Repeat("<x:deep>", n) +
		`<url><loc>http://a.example/</loc></url>` + strings.Repeat("</x:deep>", n) + `</urlset>`
	d, err := parse.NewReader(strings.NewReader(doc), nil)
	if err != nil {
		t.Fatal(err)
	}
	entries := 0
	for _, err := range d.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		entries++
	}
	if got := len(d.Summary().Other); entries != n+1 || got != 100 {
		t.Errorf("%d entries, %d elements", entries, got)
	}
}
