package audit_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
	"github.com/seed-322c453a/sitemap/parse"
)

// BenchmarkDocument compares an audit with parsing.
func BenchmarkDocument(b *testing.B) {
	for _, kind := range []string{gendoc.URLSet, gendoc.Index, gendoc.Text, gendoc.Extensions, gendoc.RSS} {
		benchmarkDocument(b, kind, gendoc.Bytes(kind, 10_000))
	}
	alternates := func(i int) string {
		s := ""
		for _, lang := range []string{"", "/de", "/fr", "/it"} {
			s += fmt.Sprintf(`<xhtml:link rel="alternate" hreflang="%s" href="https://www.example.com%s/%d"/>`,
				cmp.Or(strings.TrimPrefix(lang, "/"), "x-default"), lang, i)
		}
		return s + fmt.Sprintf("<image:image><image:loc>https://www.example.com/%d.jpg</image:loc></image:image>", i)
	}
	benchmarkDocument(b, "sound-extensions", []byte(entries(10_000, alternates)))
	date := func(int) string { return "<lastmod>24 March</lastmod>" }
	benchmarkDocument(b, "finding-an-entry", []byte(entries(10_000, date)))
}

func benchmarkDocument(b *testing.B, name string, text []byte) {
	b.Run(name+"/parse", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			for range parse.Entries(bytes.NewReader(text), &sitemap.Options{Report: func(sitemap.Problem) {}}) {
			}
		}
	})
	b.Run(name+"/audit", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			for _, err := range audit.Document(source("sitemap.xml", text), nil) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// source returns a document in memory.
func source(name string, text []byte) audit.Source {
	return audit.Source{Name: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	}}
}
