package parse_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
	"unicode/utf16"

	"github.com/seed-322c453a/sitemap"
)

// shapes are urlsets of which every entry deviates from the plain one in the same way.
var shapes = []struct {
	name     string
	old, new string // the deviation
	problems int    // reported for each entry
}{
	{"plain", "", "", 0},
	{"port", "example.com/", "example.com:8443/", 0},
	{"comment", "<loc>", "<!-- page --><loc>", 0},
	{"cdata-lastmod", "2024-05-06", "<![CDATA[2024-05-06]]>", 0},
	{"attribute", "<url>", `<url id="1">`, 0},
	{"raw-ampersand", "page.html", "page.html?a=1&b=2", 1},
	{"bad-date", "2024-05-06", "13/45/2024", 1},
	{"empty-priority", "0.5", "", 1},
	{"unknown-element", "<loc>", "<title>A page</title><loc>", 0},
	{"spaced-date", "2024-05-06", "2024-05-06 07:08:09", 1},
	{"invalid-utf8", "page.html", "caf\xe9.html", 1},
	{"iri", "page.html", "café.html", 0},
	{"semicolon", "page.html", "page.html?a=1&amp;b=2;c=3", 0},
	{"reference", "page.html", "caf&#233;.html", 0},
	{"space", "page.html", "a page.html", 1},
	{"zone", "2024-05-06", "2024-05-06T07:08:09+0200", 1},
	{"rfc-822-date", "2024-05-06", "Mon, 06 May 2024 07:08:09 GMT", 1},
	{"mobile", "  </url>", "    <mobile:mobile/>\n  </url>", 0},
	{"pagemap", "  </url>", pageMap + "  </url>", 0},
	{"crlf", "\n", "\r\n", 0},
}

const pageMap = `    <PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0">` +
	`<DataObject type="document"><Attribute name="title">A page</Attribute></DataObject></PageMap>` +
	"\n"

// BenchmarkShapes reads documents of 10,000 entries of each shape, with a report, and compares the
// time of an entry with that of a plain one.
func BenchmarkShapes(b *testing.B) {
	plain := 0.0
	run := func(name string, doc []byte, problems int) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			n, reported := 0, 0
			o := &sitemap.Options{Report: func(sitemap.Problem) { reported++ }}
			for b.Loop() {
				reported = 0
				n = count(b, doc, o)
			}
			if n != shapeEntries || reported < problems*n {
				b.Fatalf("%d entries, %d problems", n, reported)
			}
			ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(n)
			if name == "plain" {
				plain = ns
			}
			b.ReportMetric(ns, "ns/entry")
			b.ReportMetric(ns/plain, "×plain")
		})
	}
	for _, s := range shapes {
		run(s.name, shape(s.old, s.new), s.problems)
	}
	run("utf-16", toUTF16(shape("", "")), 0)
	run("latin-1", toLatin1(shape("page.html", "café.html")), 0)
}

const shapeEntries = 10_000

// shape returns a urlset with a part of each entry replaced.
func shape(old, new string) []byte {
	var doc bytes.Buffer
	doc.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
		"<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"" +
		" xmlns:mobile=\"http://www.google.com/schemas/sitemap-mobile/1.0\">\n")
	for i := range shapeEntries {
		entry := fmt.Appendf(nil, "  <url>\n    <loc>https://www.example.com/section/%07d/page.html"+
			"</loc>\n    <lastmod>2024-05-06</lastmod>\n    <changefreq>daily</changefreq>\n"+
			"    <priority>0.5</priority>\n  </url>\n", i)
		if old != "" {
			entry = bytes.ReplaceAll(entry, []byte(old), []byte(new))
		}
		doc.Write(entry)
	}
	doc.WriteString("</urlset>\n")
	return doc.Bytes()
}

// toUTF16 encodes a document in UTF-16, with a BOM.
func toUTF16(doc []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(string(doc))) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

// toLatin1 encodes a document in ISO 8859-1, and declares that.
func toLatin1(doc []byte) []byte {
	var out []byte
	for _, r := range string(bytes.Replace(doc, []byte("UTF-8"), []byte("ISO-8859-1"), 1)) {
		out = append(out, byte(r))
	}
	return out
}
