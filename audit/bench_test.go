package audit_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
	"github.com/seed-322c453a/sitemap/parse"
)

// BenchmarkDocument compares an audit with parsing.
func BenchmarkDocument(b *testing.B) {
	for _, kind := range []string{gendoc.URLSet, gendoc.Index, gendoc.Text, gendoc.Extensions, gendoc.RSS} {
		text := gendoc.Bytes(kind, 10_000)
		b.Run(kind+"/parse", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for range parse.Entries(bytes.NewReader(text), nil) {
				}
			}
		})
		b.Run(kind+"/audit", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for f, err := range audit.Document(source("sitemap.xml", text), nil) {
					if err != nil {
						b.Fatal(err)
					}
					if n++; n < 4 && b.N < 2 {
						b.Log(f.Pos, f.Column, f.Code, f.Message)
					}
				}
			}
		})
	}
}

// source returns a document in memory.
func source(name string, text []byte) audit.Source {
	return audit.Source{Name: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	}}
}
