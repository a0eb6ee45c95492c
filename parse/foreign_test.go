package parse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/parse"
)

// An entry within an element that declares its own namespace belongs to that element, if its end
// tag follows within 16 KiB.
func TestEntries_ForeignFarEnd(t *testing.T) {
	far := strings.Repeat("x", 15<<10)
	for _, doc := range []string{
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><g xmlns="urn:x"><url><loc>http://a.example/no</loc></url><note>` + far + `</note></g><loc>http://a.example/1</loc><lastmod>2024-01-01</lastmod></url><url><loc>http://a.example/2</loc></url></urlset>`,
		`<rss version="2.0"><channel><item><list xmlns="urn:x"><item><link>http://a.example/no</link></item><note>` + far + `</note></list><link>http://a.example/1</link><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate></item><item><link>http://a.example/2</link></item></channel></rss>`,
		`<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>x:1</id><list xmlns="urn:x"><entry><link href="http://a.example/no"/></entry><note>` + far + `</note></list><link href="http://a.example/1"/><updated>2024-01-01T00:00:00Z</updated></entry><entry><link href="http://a.example/2"/></entry></feed>`,
	} {
		var got []string
		o := &sitemap.Options{Report: func(p sitemap.Problem) {
			if p.Code != sitemap.BadExtension { // there is more text than an entry keeps
				got = append(got, string(p.Code))
			}
		}}
		for e, err := range parse.Entries(iotest.HalfReader(strings.NewReader(doc)), o) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Loc+" "+e.LastMod.Start().Format(time.DateOnly))
		}
		if want := []string{"http://a.example/1 2024-01-01",
			"http://a.example/2 0001-01-01"}; !slices.Equal(got, want) {
			t.Errorf("%.60s: got %q, want %q", doc, got, want)
		}
	}
}

// The search for a missing end of such an element is bounded.
func TestEntries_ForeignWithoutEnd(t *testing.T) {
	const n = 20_000
	var doc strings.Builder
	doc.WriteString(`<urlset>`)
	for i := range n {
		fmt.Fprintf(&doc, `<url><loc>http://a.example/%d</loc><x%d xmlns="urn:x">`, i, i)
	}
	got := 0
	for e, err := range parse.Entries(strings.NewReader(doc.String()), nil) {
		if want := fmt.Sprint("http://a.example/", got); err == nil && e.Loc != want {
			t.Fatalf("got %s, want %s", e.Loc, want)
		}
		if err == nil {
			got++
		}
	}
	if got != n {
		t.Errorf("%d entries, want %d", got, n)
	}
}

// Fields and entries in the document's own namespace within an extension belong to the extension if
// it is closed.
func TestEntries_OwnNamesInExtensions(t *testing.T) {
	urlset := func(s string) string {
		return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:x="urn:x">` + s +
			`<url><loc>http://a.example/last</loc></url></urlset>`
	}
	rss := func(s string) string {
		return `<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:x="urn:x"><channel>` + s +
			`<item><link>http://a.example/last</link></item></channel></rss>`
	}
	long := strings.Repeat("long ", 3<<10)
	for _, test := range []struct{ doc, want string }{
		{urlset(`<url><loc>http://a.example/1</loc><image:image><image:loc>http://a.example/1.png</image:loc><image:title>The <loc>http://a.example/no</loc> tag</image:title></image:image><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><loc>http://a.example/1</loc><image:image><image:loc>http://a.example/1.png</image:loc><image:title>The <loc>http://a.example/no</loc>` + long + `</image:title></image:image><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><loc>http://a.example/1</loc><image:image><loc>http://a.example/1.png</loc><url>http://a.example/one.png</url></image:image><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><x:data><loc>http://a.example/no</loc><url>u</url></x:data><loc>http://a.example/1</loc><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><x:data><loc>http://a.example/no</loc><url a="b"> u <x:y/><loc>http://a.example/no</loc></url></x:data><loc>http://a.example/1</loc><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><x:data><loc>http://a.example/no</loc><url/><!-- </url> --><![CDATA[</url>]]></x:data><loc>http://a.example/1</loc><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><loc>http://a.example/1</loc><x:data><loc><url xmlns="urn:y"><x:y/></url></loc></x:data><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><loc>http://a.example/1</loc><image:image><image:loc>http://a.example/1.png</image:loc><image:title>a<image:title>b</image:title><loc>http://a.example/no</loc></image:title></image:image><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><loc>http://a.example/1</loc><image:image><loc>http://a.example/<loc xmlns="">no</loc></loc></image:image><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><loc>http://a.example/1</loc><image:image><image:loc>http://a.example/1.png</image:loc><image:title>a<image:title>b</image:title></image:image><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><x:data><loc>http://a.example/1</loc><lastmod>2024-05-06</lastmod></url>`),
			"1 2024-05-06"},
		{urlset(`<url><loc>http://a.example/1</loc><x:data>text<lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><x:data><url><loc>http://a.example/no</loc></url></x:data><loc>http://a.example/1</loc><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{rss(`<item><x:related><item><link>http://a.example/no</link></item></x:related><link>http://a.example/1</link><pubDate>6 May 2024 07:08:09 GMT</pubDate></item>`), "1 2024-05-06"},
		{urlset(`<url><br><br><loc>http://a.example/1</loc><title>text<lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><data><loc>http://a.example/no</loc></data><loc>http://a.example/1</loc><lastmod>2024-05-06</lastmod></url>`), "1 2024-05-06"},
		{urlset(`<url><loc>http://a.example/1</loc><lastmod>2024-05-06</lastmod><image><loc>http://a.example/1.png</loc></url>`), "1 2024-05-06"},
		{urlset(`<url><loc>http://a.example/1</loc><lastmod>2024-05-06</lastmod><image:image><image:loc>http://a.example/1.png</image:loc><image:title>a</b> c<lastmod>2020-01-01</lastmod></image:title></image:image></url>`), "1 2024-05-06"},
		{urlset(`<url><loc>http://a.example/1</loc><lastmod>2024-05-06</lastmod><image:image><image:loc>http://a.example/1.png<lastmod>2020-01-01</lastmod><image:title>a</image:title></image:image></url>`), "1 2024-05-06"},
		{rss(`<item><a>text<b><link>http://a.example/1</link><pubDate>6 May 2024 07:08:09 GMT</pubDate></item>`), "1 2024-05-06"},
		{`<feed><entry><a>text<link href="http://a.example/1"/><updated>2024-05-06</updated></entry><entry><link href="http://a.example/last"/><source><updated>2024-05-06</updated></entry></feed>`, "1 2024-05-06"},
		{urlset(`<url><image:image><image:loc>http://a.example/1.png</image:loc><loc>http://a.example/1</loc><lastmod>2024-05-06</lastmod>` + strings.Repeat("<x:y/>", 1000) + `</url>`), "1 2024-05-06"},
		{rss(`<item><media:description>see <link>http://a.example/no</link> ok</media:description><link>http://a.example/1</link><pubDate>6 May 2024 07:08:09 GMT</pubDate></item>`), "1 2024-05-06"},
		{rss(`<item><media:content url="http://a.example/1.png"><media:title>see <link>http://a.example/no</link></media:title></media:content><link>http://a.example/1</link><pubDate>6 May 2024 07:08:09 GMT</pubDate></item>`), "1 2024-05-06"},
		{rss(`<item><dc:date>2024-05-06 <link>http://a.example/no</link></dc:date><link>http://a.example/1</link></item>`), "1 0001-01-01"},
		{rss(`<item><dc:date>2024-05-06<link>http://a.example/1</link></item>`), "1 2024-05-06"},
		{rss(`<item><x:related><link>http://a.example/no</link><item>about</item></x:related><link>http://a.example/1</link><pubDate>6 May 2024 07:08:09 GMT</pubDate></item>`), "1 2024-05-06"},
		{`<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><s:url><s:loc>http://a.example/1</s:loc><image:image><s:loc>http://a.example/no</s:loc></image:image><s:lastmod>2024-05-06</s:lastmod></s:url><s:url><s:loc>http://a.example/last</s:loc></s:url></s:urlset>`, "1 2024-05-06"},
		{`<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><s:url><s:loc>http://a.example/1</s:loc><image:image><image:loc>http://a.example/1.png</image:loc></image:image><image:image/>http://a.example/no<s:lastmod>2024-05-06</s:lastmod></s:url><s:url><s:loc>http://a.example/last</s:loc></s:url></s:urlset>`, "1 2024-05-06"},
	} {
		for _, skip := range []bool{false, true} {
			var got []string
			for e, err := range parse.Entries(iotest.HalfReader(strings.NewReader(test.doc)),
				&sitemap.Options{SkipExtensions: skip}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, strings.TrimPrefix(e.Loc,
					"http://a.example/")+" "+e.LastMod.Start().Format(time.DateOnly))
			}
			if want := []string{test.want, "last 0001-01-01"}; !slices.Equal(got, want) {
				t.Errorf("skip=%v: got %q, want %q, of %.400s", skip, got, want, test.doc)
			}
		}
	}
}

// An element in a field is reported, and its text belongs to the field.
func TestEntries_ElementInField(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.example/</loc><lastmod>2024-05-0<a>6</a></lastmod><priority>0.<b/>5</priority><changefreq>da<i>ily</i></changefreq></url></urlset>`,
			"unknown_element lastmod, unknown_element priority, unknown_element changefreq, 2024-05-06 daily 0.5"},
		{`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.<b>example/</b></loc></url></urlset>`, "element_in_loc loc,   null"},
		{`<rss version="2.0"><channel><item><link>http://a.example/</link><pubDate>6 May 2024 <b>07:08:09 GMT</b></pubDate></item></channel></rss>`, "mismatched_tag pubDate, 2024-05-06T07:08:09Z  null"},
		{`<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="http://a.example/"/><updated>2024-05-06T<b/>07:08:09Z</updated></entry></feed>`, "mismatched_tag updated, 2024-05-06T07:08:09Z  null"},
	} {
		var got []string
		o := &sitemap.Options{Report: func(p sitemap.Problem) {
			got = append(got, string(p.Code)+" "+p.Field)
		}}
		for e, err := range parse.Entries(strings.NewReader(test.doc), o) {
			if err != nil || e.Loc != "http://a.example/" {
				t.Fatal(e.Loc, err)
			}
			p, _ := e.Priority.MarshalJSON()
			got = append(got, e.LastMod.String()+" "+e.ChangeFreq.String()+" "+string(p))
		}
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("got %q, want %q", s, test.want)
		}
	}
}

// Comments and instructions after the root are read like those before it.
func TestEntries_BehindRoot(t *testing.T) {
	const doc = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.example/</loc></url></urlset>`
	for _, test := range []struct{ tail, want string }{
		{"\n<!-- a --><?pi b?>\n", ""},
		{"<!-- a -- b -->", "mismatched_tag 108"},
		{"<!-- \x01 -->\n<?pi \x02?>", "control_char 113 control_char 124"},
		{"<!-- \ufffe -->", "control_char 113"},
		{"<??>", "mismatched_tag 108"},
		{"<a b=c \x01>", "junk_after_root 108"},
		{"\n&x;", "junk_after_root 109"},
	} {
		var got []string
		o := &sitemap.Options{Report: func(p sitemap.Problem) {
			got = append(got, fmt.Sprint(p.Code, " ", p.Pos.Offset))
		}}
		for _, err := range parse.Entries(strings.NewReader(doc+test.tail), o) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%q: got %q, want %q", test.tail, s, test.want)
		}
	}
}

// A well-formed document is never reported to lack an end tag.
func TestEntries_NestedIsNotMismatched(t *testing.T) {
	for _, inside := range []string{
		`<image:image><image:loc>http://a.example/1.png</image:loc><image:image><image:loc>http://a.example/2.png</image:loc></image:image></image:image>`,
		`<image:image><image:loc>http://a.example/1.png</image:loc><image:title>a<image:title>b</image:title></image:title></image:image>`,
		`<image:image><image:loc>http://a.example/1.png</image:loc><image:title>a<loc>b</loc></image:title></image:image>`,
		`<xhtml:link rel="alternate" hreflang="de" href="http://a.example/de"><xhtml:b>c</xhtml:b></xhtml:link>`,
	} {
		doc := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"><url><loc>http://a.example/</loc>` + inside + `</url></urlset>`
		report := func(p sitemap.Problem) {
			if p.Code == sitemap.MismatchedTag {
				t.Errorf("%s: %s at %q", inside, p.Code, p.Text)
			}
		}
		for _, err := range parse.Entries(strings.NewReader(doc),
			&sitemap.Options{Report: report}) {
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// A field without an end tag ends at the next element, and an empty location after a good one takes
// nothing from it.
func TestEntries_FieldsLeftOpen(t *testing.T) {
	const (
		urlset = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">`
		rss    = `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>`
		atom   = `<feed xmlns="http://www.w3.org/2005/Atom">`
		image  = `<image:image><image:loc>http://a.example/1.png</image:loc></image:image>`
	)
	for _, test := range []struct{ doc, want, codes string }{
		{urlset + `<url><loc>http://a.example/1` + image +
			`<lastmod>2024-05-06</lastmod></url></urlset>`, "http://a.example/1 2024-05-06 1",
			"mismatched_tag"},
		{urlset + `<url><loc>http://a.example/1</loc><lastmod>2024-05-06` + image +
			`</url></urlset>`, "http://a.example/1 2024-05-06 1", "mismatched_tag"},
		{urlset + `<url><loc>http://a.example/1` + image +
			`</loc><lastmod>2024-05-06</lastmod></url></urlset>`,
			"http://a.example/1http://a.example/1.png 2024-05-06 0", "element_in_loc"},
		{urlset + `<url><loc>http://a.example/1<loc><lastmod>2024-05-06</lastmod>` + image +
			`</url></urlset>`, "http://a.example/1 2024-05-06 1",
			"mismatched_tag mismatched_tag empty_loc"},
		{urlset +
			`<url><loc>http://a.example/1</loc><loc/><lastmod>2024-05-06</lastmod></url></urlset>`,
			"http://a.example/1 2024-05-06 0", "empty_loc"},
		{rss + `<item><link>http://a.example/1<dc:date>2024-05-06</dc:date></item></channel></rss>`,
			"http://a.example/1 2024-05-06 0", "mismatched_tag"},
		{rss +
			`<item><link/>http://a.example/1<dc:date>2024-05-06</dc:date></item></channel></rss>`,
			"http://a.example/1 2024-05-06 0", "text_as_loc"},
		{rss + `<item>http://a.example/no<link>/1</link></item></channel></rss>`, "",
			"relative_loc"},
		{atom +
			`<entry><link href="http://a.example/1"/><updated>2024-05-06</updated><title>x<source><link href="http://a.example/no"/></source></entry></feed>`, "http://a.example/1 2024-05-06 0",
			"nonstandard_lastmod mismatched_tag"},
	} {
		var got, codes []string
		o := &sitemap.Options{Report: func(p sitemap.Problem) {
			codes = append(codes, string(p.Code))
		}}
		for e, err := range parse.Entries(strings.NewReader(test.doc), o) {
			if err != nil {
				t.Fatal(err)
			}
			images := 0
			if e.Extensions != nil {
				images = len(e.Extensions.Images)
			}
			got = append(got, fmt.Sprint(e.Loc, " ", e.LastMod, " ", images))
		}
		if s, c := strings.Join(got, ", "), strings.Join(codes, " "); s != test.want ||
			c != test.codes {
			t.Errorf("%s:\n got %s, %s\nwant %s, %s", test.doc, s, c, test.want, test.codes)
		}
	}
}
