package text_test

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
	"github.com/seed-322c453a/sitemap/text"
)

// BenchmarkEntries compares Entries with a bufio.Scanner that copies each line.
func BenchmarkEntries(b *testing.B) {
	lf := gendoc.Bytes(gendoc.Text, sitemap.ProtocolEntries)
	crlf := bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))
	for _, doc := range []struct {
		name string
		text []byte
	}{{"LF", lf}, {"CRLF", crlf}} {
		for _, reader := range []struct {
			name string
			read func([]byte) (lines int)
		}{{"entries", readEntries}, {"scanner", scanLines}} {
			b.Run(doc.name+"/"+reader.name, func(b *testing.B) {
				b.SetBytes(int64(len(doc.text)))
				b.ReportAllocs()
				for b.Loop() {
					if n := reader.read(doc.text); n != sitemap.ProtocolEntries {
						b.Fatalf("%d lines", n)
					}
				}
			})
		}
	}
}

// last keeps the compiler from leaving out the copy of a line.
var last string

func readEntries(doc []byte) (lines int) {
	for e, err := range text.Entries(bytes.NewReader(doc), nil) {
		if err == nil {
			lines++
			last = e.Loc
		}
	}
	return lines
}

func scanLines(doc []byte) (lines int) {
	for s := bufio.NewScanner(bytes.NewReader(doc)); s.Scan(); lines++ {
		last = string(s.Bytes())
	}
	return lines
}
