package parse_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
	"github.com/seed-322c453a/sitemap/parse"
)

// BenchmarkEntries reads generated documents of each shape.
func BenchmarkEntries(b *testing.B) {
	for _, kind := range []string{"urlset", "problems", "crlf", "prefixed", "cdata", "extensions",
		"index", "text", "rss", "atom"} {
		b.Run(kind, func(b *testing.B) { benchmarkEntries(b, kind, nil) })
	}
	b.Run("extensions-skipped", func(b *testing.B) {
		benchmarkEntries(b, "extensions", &sitemap.Options{SkipExtensions: true})
	})
	b.Run("urlset-with-port", func(b *testing.B) {
		plain := document("urlset")
		ported := bytes.ReplaceAll(plain, []byte("://www.example.com/"),
			[]byte("://www.example.com:8443/"))
		if len(ported) == len(plain) {
			b.Fatal("no location has a port")
		}
		benchmarkDocument(b, ported, nil)
	})
}

// sizes are the numbers of entries in some of the documents.
var sizes = map[string]int{"extensions": 40_000, "rss": 10_000, "atom": 10_000}

func document(kind string) []byte {
	n := 50_000
	if s, ok := sizes[kind]; ok {
		n = s
	}
	return gendoc.Bytes(kind, n)
}

func benchmarkEntries(b *testing.B, kind string, o *sitemap.Options) {
	benchmarkDocument(b, document(kind), o)
}

func benchmarkDocument(b *testing.B, doc []byte, o *sitemap.Options) {
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n = count(b, doc, o)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
}

// BenchmarkGzip reads the first document of BenchmarkEntries deflated, next to the decompressor
// alone.
func BenchmarkGzip(b *testing.B) {
	doc := document("urlset")
	var deflated bytes.Buffer
	w := gzip.NewWriter(&deflated)
	if _, err := w.Write(doc); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("decompressor", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		var z gzip.Reader
		buffer := make([]byte, 64<<10)
		for b.Loop() {
			if err := z.Reset(bytes.NewReader(deflated.Bytes())); err != nil {
				b.Fatal(err)
			}
			for {
				if _, err := z.Read(buffer); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("entries", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			count(b, deflated.Bytes(), nil)
		}
	})
}

// BenchmarkSmall reads a document of 100 entries.
func BenchmarkSmall(b *testing.B) {
	doc := gendoc.Bytes("urlset", 100)
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		count(b, doc, nil)
	}
}

// count reads all entries of a document.
func count(b *testing.B, doc []byte, o *sitemap.Options) (n int) {
	for _, err := range parse.Entries(bytes.NewReader(doc), o) {
		if err != nil {
			b.Fatal(err)
		}
		n++
	}
	return n
}

// BenchmarkEncodingXML reads the first document with encoding/xml, for comparison.
func BenchmarkEncodingXML(b *testing.B) {
	doc := document("urlset")
	b.Run("DecodeElement", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			decodeElements(b, doc)
		}
	})
	b.Run("RawToken", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		b.ReportAllocs()
		for b.Loop() {
			d := xml.NewDecoder(bytes.NewReader(doc))
			for {
				if _, err := d.RawToken(); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func decodeElements(b *testing.B, doc []byte) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			b.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "url" {
			continue
		}
		var e struct {
			Loc        string  `xml:"loc"`
			LastMod    string  `xml:"lastmod"`
			ChangeFreq string  `xml:"changefreq"`
			Priority   float64 `xml:"priority"`
		}
		if err := d.DecodeElement(&e, &start); err != nil {
			b.Fatal(err)
		}
		if _, err := sitemap.ParseTime(e.LastMod); err != nil {
			b.Fatal(err)
		}
	}
}
