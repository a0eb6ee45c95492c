// Package gendoc writes documents for measurements and tests. They are large, valid (except for
// kind Problems), and the same for the same arguments.
package gendoc

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
)

// The kinds of documents.
const (
	URLSet = "urlset" // loc, lastmod, changefreq, priority; 210 bytes per entry
	// as URLSet, with a problem in every hundredth entry; all entries can be read
	Problems   = "problems"
	CRLF       = "crlf"       // as URLSet, indented by CR LF and tabs
	Prefixed   = "prefixed"   // as URLSet, with <s:url> and so on
	CDATA      = "cdata"      // as URLSet, with locs in CDATA sections
	Extensions = "extensions" // images, hreflang links and news; 1,300 bytes per entry
	Index      = "index"      // a sitemapindex: loc and lastmod; 140 bytes per entry
	Text       = "text"       // one URL per line
	RSS        = "rss"        // RSS 2.0 with CDATA bodies; 2.7 kB per item
	Atom       = "atom"       // Atom 1.0
)

type format struct {
	open, end string
	entry     func(m *maker, i int)
}

const (
	xmlDecl = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	ns      = `http://www.sitemaps.org/schemas/sitemap/0.9`
	urlset  = xmlDecl + `<urlset xmlns="` + ns + `">` + "\n"
)

var formats = map[string]format{
	URLSet:   {urlset, "</urlset>\n", (&style{nl: "\n"}).url},
	Problems: {urlset, "</urlset>\n", (&style{nl: "\n", problems: true}).url},
	CRLF: {xmlDecl + "<urlset xmlns=\"" + ns + "\">\r\n", "</urlset>\r\n",
		(&style{nl: "\r\n", indent: "\t"}).url},
	Prefixed: {xmlDecl + `<s:urlset xmlns:s="` + ns + `">` + "\n", "</s:urlset>\n",
		(&style{nl: "\n", prefix: "s:"}).url},
	CDATA: {urlset, "</urlset>\n", (&style{nl: "\n", cdata: true}).url},
	Extensions: {xmlDecl + `<urlset xmlns="` + ns +
		`" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"` +
		` xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"` +
		` xmlns:xhtml="http://www.w3.org/1999/xhtml">` + "\n",
		"</urlset>\n", (*maker).extended},
	Index: {xmlDecl + `<sitemapindex xmlns="` + ns + `">` + "\n", "</sitemapindex>\n",
		(*maker).sitemap},
	Text: {"", "", (*maker).line},
	RSS: {xmlDecl +
		`<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"` +
		` xmlns:dc="http://purl.org/dc/elements/1.1/">` +
		"\n<channel>\n<title>Example</title>\n<link>https://www.example.com/</link>\n" +
		"<description>Generated</description>\n",
		"</channel>\n</rss>\n", (*maker).item},
	Atom: {xmlDecl + `<feed xmlns="http://www.w3.org/2005/Atom">` +
		"\n<title>Example</title>\n<id>urn:example:feed</id>\n" +
		`<link rel="self" href="https://www.example.com/feed.atom"/>` +
		"\n<updated>2024-05-06T07:08:09Z</updated>\n",
		"</feed>\n", (*maker).atomEntry},
}

// Kinds returns the kinds of documents, sorted.
func Kinds() []string {
	kinds := make([]string, 0, len(formats))
	for k := range formats {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	return kinds
}

// Write writes a document of n entries to w. The bytes depend only on kind, n and seed. It fails on
// an unknown kind, and with the errors of w.
func Write(w io.Writer, kind string, n int, seed uint64) error {
	f, ok := formats[kind]
	if !ok {
		return fmt.Errorf("gendoc: no kind %q", kind)
	}
	const chunk = 64 << 10
	m := &maker{b: make([]byte, 0, chunk+8<<10),
		rnd: rand.New(rand.NewPCG(seed, uint64(len(kind))))}
	m.s(f.open)
	for i := range n {
		f.entry(m, i)
		if len(m.b) >= chunk {
			if _, err := w.Write(m.b); err != nil {
				return err
			}
			m.b = m.b[:0]
		}
	}
	m.s(f.end)
	_, err := w.Write(m.b)
	return err
}

// Bytes returns a document of n entries, always the same. It panics on an
// unknown kind.
func Bytes(kind string, n int) []byte {
	var b bytes.Buffer
	if err := Write(&b, kind, n, 1); err != nil {
		panic(err)
	}
	return b.Bytes()
}
