// Package golden tests readers of documents with files. The result of reading a document is in a
// file next to it whose name ends in .golden, with one line for each entry, problem and error.
package golden

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// An Entries reads a document: the Entries function of package parse, feed or text.
type Entries func(r io.Reader, o *sitemap.Options) iter.Seq2[sitemap.Entry, error]

// Run reads each document in dir, whole and in other pieces, and compares the result with the
// golden file. The location of a document NAME is http://www.example.com/NAME. With the flag
// -update, Run writes the golden files.
func Run(t *testing.T, dir string, read Entries) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	documents := 0
	for _, path := range paths {
		if strings.HasSuffix(path, ".golden") {
			continue
		}
		documents++
		t.Run(filepath.Base(path), func(t *testing.T) { runFile(t, path, read) })
	}
	if documents == 0 {
		t.Fatalf("no documents in %s", dir)
	}
}

func runFile(t *testing.T, path string, read Entries) {
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse("http://www.example.com/" + filepath.Base(path))
	if err != nil {
		t.Fatal(err)
	}
	got := Lines(read, bytes.NewReader(doc), base)
	file := strings.TrimSuffix(path, filepath.Ext(path)) + ".golden"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for name, in := range map[string]func(io.Reader) io.Reader{
		"OneByteReader": iotest.OneByteReader, "HalfReader": iotest.HalfReader,
		"DataErrReader": iotest.DataErrReader,
	} {
		if other := Lines(read, in(bytes.NewReader(doc)), base); other != got {
			t.Errorf("through %s: got\n%s\nwhole\n%s", name, other, got)
		}
	}
}

// Lines returns the result of reading a document, one line for each entry, problem and error, in
// their order.
func Lines(read Entries, r io.Reader, base *url.URL) string {
	var b strings.Builder
	o := &sitemap.Options{Base: base, Report: func(p sitemap.Problem) { writeProblem(&b, p) }}
	for e, err := range read(r, o) {
		if err != nil {
			fmt.Fprintf(&b, "error %v\n", err)
			continue
		}
		writeEntry(&b, e)
	}
	return b.String()
}

func writeProblem(b *strings.Builder, p sitemap.Problem) {
	fmt.Fprintf(b, "%d:%d problem %v", p.Pos.Line, p.Pos.Offset, p.Code)
	if p.Field != "" {
		fmt.Fprintf(b, " in %s", p.Field)
	}
	if p.Text != "" {
		fmt.Fprintf(b, " %q", p.Text)
	}
	if p.Dropped {
		b.WriteString(" dropped")
	}
	b.WriteByte('\n')
}

func writeEntry(b *strings.Builder, e sitemap.Entry) {
	fmt.Fprintf(b, "%d:%d %v %s", e.Pos.Line, e.Pos.Offset, e.Kind, e.Loc)
	for _, f := range []struct{ name, value string }{
		{"lastmod", e.LastMod.String()}, {"published", e.Published.String()},
		{"changefreq", e.ChangeFreq.String()},
	} {
		if f.value != "" {
			fmt.Fprintf(b, " %s=%s", f.name, f.value)
		}
	}
	if p, ok := e.Priority.Get(); ok {
		fmt.Fprintf(b, " priority=%v", p)
	}
	if e.Extensions != nil {
		// Do not escape HTML, so that locations are readable.
		var ext strings.Builder
		enc := json.NewEncoder(&ext)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(e.Extensions); err != nil {
			fmt.Fprintf(b, " %v", err)
		}
		b.WriteString(" " + strings.TrimSpace(ext.String()))
	}
	b.WriteByte('\n')
}
