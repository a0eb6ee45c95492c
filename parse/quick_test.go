package parse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
)

// A reading is everything that a document yields and reports.
type reading struct {
	entries  []sitemap.Entry
	problems []sitemap.Problem
	err      string
}

// readAs reads a urlset or sitemapindex with or without the short cut.
func readAs(doc io.Reader, general bool, o sitemap.Options) (r reading) {
	o.Report = func(p sitemap.Problem) { r.problems = append(r.problems, p) }
	in := input.Open(doc, &o)
	defer in.Close()
	format, err := document.Sniff(in, o.Report)
	if err != nil || format != sitemap.URLSet && format != sitemap.SitemapIndex {
		r.err = fmt.Sprint(format, err)
		return r
	}
	d := newDecoder(in, format, document.NewSink(&o, document.NewTally(),
		func(e sitemap.Entry, err error) bool {
			if err != nil {
				r.err = err.Error()
			} else {
				r.entries = append(r.entries, e)
			}
			return true
		}), &o)
	d.quick.disabled = general
	d.read()
	return r
}

// same fails the test unless the document reads the same both ways. If extensions are skipped, only
// the general reader reports their problems.
func same(t *testing.T, doc []byte, o sitemap.Options) {
	t.Helper()
	fast := readAs(bytes.NewReader(doc), false, o)
	general := readAs(bytes.NewReader(doc), true, o)
	if o.SkipExtensions && len(fast.problems) <= len(general.problems) {
		fast.problems, general.problems = nil, nil
	}
	if !reflect.DeepEqual(fast, general) {
		t.Errorf("the short cut differs:\n%+v\nthe general way:\n%+v", fast, general)
	}
}

func TestShortcut(t *testing.T) {
	base, _ := url.Parse("http://www.example.com/")
	for _, kind := range []string{gendoc.URLSet, gendoc.Problems, gendoc.CRLF, gendoc.Prefixed,
		gendoc.CDATA, gendoc.Extensions, gendoc.Index} {
		for _, skip := range []bool{false, true} {
			same(t, gendoc.Bytes(kind, 1_000), sitemap.Options{Base: base, SkipExtensions: skip})
		}
	}
}

// The short cut reads whole entries with extensions of the common shape, after the first entry. The
// general reader would keep the start tag.
func TestShortcut_Extensions(t *testing.T) {
	for _, extension := range []string{
		`<xhtml:link rel="alternate" hreflang="de" href="http://a.example/?a&amp;b"/><xhtml:link rel="alternate" hreflang="fr" href="/fr" />`,
		"<mobile:mobile/>",
		"<image:image><image:loc>http://a.example/i</image:loc><image:title><![CDATA[A & B]]></image:title></image:image>",
		"<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:publication_date>2024-05-06</news:publication_date><news:title>T</news:title></news:news>",
		`<video:video><video:thumbnail_loc>http://a.example/t</video:thumbnail_loc><video:title>T</video:title><video:description>D &lt; E</video:description><video:player_loc allow_embed="yes">http://a.example/p</video:player_loc></video:video>`,
		`<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0"><DataObject type="a"><Attribute name="n">v</Attribute></DataObject></PageMap>`,
	} {
		entry := "<url><loc>http://www.example.com/</loc>" + extension + "</url>"
		in := input.Open(strings.NewReader(extended+entry+entry+"</urlset>"), nil)
		base, _ := url.Parse("http://www.example.com/")
		o := &sitemap.Options{Base: base}
		var d *decoder
		entries := 0
		d = newDecoder(in, sitemap.URLSet, document.NewSink(o, document.NewTally(),
			func(e sitemap.Entry, err error) bool {
				if entries++; e.Extensions == nil || err != nil {
					t.Errorf("%s: %+v, %v", extension, e, err)
				}
				if entries == 2 && d.start != nil {
					t.Errorf("%s: the general reader read %s", extension, d.start)
				}
				d.start = nil // that of the first entry
				return true
			}), o)
		d.read()
		if in.Close(); entries != 2 {
			t.Errorf("%s: %d entries", extension, entries)
		}
	}
}

// extended is the start tag of a urlset that declares the prefixes of extensions.
const extended = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"` +
	` xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"` +
	` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"` +
	` xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"` +
	` xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"` +
	` xmlns:mobile="http://www.google.com/schemas/sitemap-mobile/1.0"` +
	` xmlns:xhtml="http://www.w3.org/1999/xhtml">`

func FuzzShortcut(f *testing.F) {
	for _, entry := range []string{
		"<url><loc>http://a.example/</loc></url>",
		"<url>\n <loc>http://a.example/?a=1&amp;b=2</loc>\n <lastmod>2024-05-06</lastmod>\r\n\t<changefreq>daily</changefreq><priority>0.5</priority></url>",
		"<url><loc><![CDATA[http://a.example/x]]></loc><lastmod>2024-05-06T07:08:09+02:00</lastmod></url>",
		"<url><lastmod>2024</lastmod><loc> http://a.example/é </loc><priority>1</priority></url>",
		`<url><loc>http://a.example/</loc><xhtml:link rel="alternate" href="x>y" hreflang='de'/><image:image><image:loc>http://a.example/i</image:loc></image:image></url>`,
		`<url><loc>http://a.example/</loc><xhtml:link rel="alternate" hreflang="de" href="http://a.example/?a&amp;b"/> <xhtml:link rel="alternate" hreflang="es-419" href="/fr" /><mobile:mobile/></url>`,
		`<url><image:image> <image:loc>http://a.example/i?a&amp;b</image:loc><image:title><![CDATA[T & t]]></image:title><image:caption/></image:image><loc>http://a.example/</loc></url>`,
		`<url><news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication><news:publication_date>2024-05-06</news:publication_date><news:title>T &#169; [t]</news:title><news:keywords>a, b</news:keywords></news:news><loc>http://a.example/</loc></url>`,
		`<url><loc>http://a.example/</loc><video:video><video:thumbnail_loc>http://a.example/t</video:thumbnail_loc><video:title>T &nbsp; t</video:title><video:description>D</video:description><video:player_loc allow_embed="yes">http://a.example/p</video:player_loc><video:restriction relationship="allow">DE FR</video:restriction><video:duration>60</video:duration><video:tvshow><video:show_title>S</video:show_title></video:tvshow></video:video></url>`,
		`<url><loc>http://a.example/</loc><PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0"><DataObject type="a &amp; b" id="1"><Attribute name="n">v</Attribute> <Attribute name="n" value="v"/></DataObject></PageMap></url>`,
		"<url><loc>http://a.example/</loc><loc>http://a.example/2</loc></url>",
		"<url><loc>http://a.example/a b]]></loc><lastmod>13/45/2024</lastmod></url>",
		"<url><loc>http://a.example/x</loc><lastmod>2024<05-06T07:08:09+02:00</lastmod></url>",
		"<url><loc>http://a.example/caf&#233;;&#x26;amp; http://b.example/</loc></url>",
		"<url><loc> none </loc><changefreq>Often</changefreq><priority>high</priority></url>",
		"<url><lastmod>2024-05-06T07:08:09+0200</lastmod><loc>x</loc><priority>&#49;</priority></url>",
		"<url><loc>http://a.example/</lo></url>",
		"<url><loc><![CDATA[http://a.example/1</loc></url><url><loc><![CDATA[http://a.example/2]]></loc></url>",
		"<url/><!-- c --><url><loc>/a</loc><priority>0,5</priority></url>",
		"<url><loc><![CDATA[http://a.example/x]]>\v</loc></url>",
		"<url><loc><![CDATA[http://a.example/x]]>\u00a0\xff</loc><lastmod>2024-05-06\xff</lastmod></url>",
	} {
		f.Add("<url><loc>http://a.example/0</loc></url>"+entry+entry, "http://www.example.com/",
			true)
		f.Add(strings.NewReplacer("</", "</s:", "<url", "<s:url", "<l",
			"<s:l").Replace(entry+entry), "", false)
	}
	f.Fuzz(func(t *testing.T, body, base string, skip bool) {
		o := sitemap.Options{SkipExtensions: skip}
		if u, err := url.Parse(base); err == nil && u.IsAbs() {
			o.Base = u
		}
		same(t, []byte(extended+body+"</urlset>"), o)
	})
}

func FuzzEntries(f *testing.F) {
	for _, kind := range gendoc.Kinds() {
		f.Add(gendoc.Bytes(kind, 2), "text/xml; charset=iso-8859-1")
	}
	f.Add([]byte("\xff\xfe<\x00u\x00r\x00l\x00s\x00e\x00t\x00>\x00"), "")
	f.Fuzz(func(t *testing.T, doc []byte, contentType string) {
		base, _ := url.Parse("http://www.example.com/dir/sitemap.xml")
		o := &sitemap.Options{Base: base, ContentType: contentType,
			Limits: sitemap.Limits{Bytes: 1 << 20}}
		last := int64(-1)
		for e, err := range Entries(bytes.NewReader(doc), o) {
			if err != nil {
				var pe *sitemap.ParseError
				if !errors.As(err, &pe) {
					t.Fatalf("%v is no ParseError", err)
				}
				continue
			}
			if e.Pos.Offset < last || e.Pos.Line < 1 {
				t.Errorf("entry at %+v after one at %d", e.Pos, last)
			}
			last = e.Pos.Offset
			if u, err := e.URL(); err != nil || u.Host == "" {
				t.Errorf("URL of %q: %v, %v", e.Loc, u, err)
			}
		}
		sameUnreported(t, doc, *o)
		sameByByte(t, doc, *o)
	})
}

// sameByByte fails the test unless a document reads the same, problems included, in one piece and
// byte by byte.
func sameByByte(t *testing.T, doc []byte, o sitemap.Options) {
	t.Helper()
	var atOnce, byByte []sitemap.Problem
	o.Report = func(p sitemap.Problem) { atOnce = append(atOnce, p) }
	want := listed(bytes.NewReader(doc), &o)
	o.Report = func(p sitemap.Problem) { byByte = append(byByte, p) }
	if got := listed(iotest.OneByteReader(bytes.NewReader(doc)), &o); !reflect.DeepEqual(got,
		want) || !reflect.DeepEqual(byByte, atOnce) {
		t.Errorf("byte by byte:\n%+v\n%+v\nat once:\n%+v\n%+v", got, byByte, want, atOnce)
	}
}

func TestEntries_ByByte(t *testing.T) {
	documents := 0
	err := filepath.WalkDir("../testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		doc, err := os.ReadFile(path)
		if documents++; err == nil {
			t.Run(path, func(t *testing.T) { sameByByte(t, doc, sitemap.Options{}) })
		}
		return err
	})
	if err != nil || documents < 100 {
		t.Fatalf("%d documents, %v", documents, err)
	}
	const root = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	const url = "<url><loc>http://a.example/</loc></url>"
	for name, doc := range map[string]string{
		"DOCTYPE": `<?xml version="1.0" encoding="utf-8"?><!--` + strings.Repeat("c", 840) +
			`--><!DOCTYPE urlset SYSTEM "x">` + root + strings.Repeat(url, 20),
		"junk": `<?xml version="1.0" encoding="utf-8"?><!--` + strings.Repeat("c", 900) +
			`--><p>x</p>` + root + strings.Repeat(url, 20),
		"CDATA": root +
			strings.Repeat("<url><loc><![CDATA[http://a.example/?a=1&amp;b=2"+strings.Repeat(" ",
				3001),
				300),
		"comment": root + url + strings.Repeat("<!-- xxx\n", 20_000) + url,
	} {
		t.Run(name, func(t *testing.T) { sameByByte(t, []byte(doc), sitemap.Options{}) })
	}
}

// sameUnreported fails the test unless a document yields the same without a Report, where fewer
// problems are looked for.
func sameUnreported(t *testing.T, doc []byte, o sitemap.Options) {
	t.Helper()
	problems := 0
	o.Report = func(sitemap.Problem) { problems++ }
	told := listed(bytes.NewReader(doc), &o)
	o.Report = nil
	if untold := listed(bytes.NewReader(doc), &o); !reflect.DeepEqual(told, untold) {
		t.Errorf("with %d problems reported:\n%+v\nunreported:\n%+v", problems, told, untold)
	}
}

func listed(in io.Reader, o *sitemap.Options) (r reading) {
	for e, err := range Entries(in, o) {
		if err != nil {
			r.err = err.Error()
			break
		}
		r.entries = append(r.entries, e)
	}
	return r
}

func TestEntries_Unreported(t *testing.T) {
	base, _ := url.Parse("http://www.example.com/")
	for _, kind := range gendoc.Kinds() {
		doc := gendoc.Bytes(kind, 40)
		sameUnreported(t, doc, sitemap.Options{Base: base})
		for i := range 100 { // a byte of the text is damaged, in another entry each time
			bad := bytes.Clone(doc)
			bad[(i*7919+500)%len(bad)] = "\x00\xff<&]-"[i%6]
			sameUnreported(t, bad, sitemap.Options{Base: base})
		}
	}
}
