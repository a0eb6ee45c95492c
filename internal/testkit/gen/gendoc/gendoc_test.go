package gendoc

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"
)

// entryNames are the names of entries.
var entryNames = map[string]bool{"url": true, "sitemap": true, "item": true, "entry": true}

func TestDocuments(t *testing.T) {
	const n = 500 // entries, which have each of the problems

	sizes := map[string][2]int{ // bytes an entry
		URLSet: {200, 220}, Extensions: {1200, 1400}, Index: {130, 150}, RSS: {2550, 2850},
	}
	for _, kind := range Kinds() {
		t.Run(kind, func(t *testing.T) {
			doc := Bytes(kind, n)
			if got := count(t, kind, doc); got != n {
				t.Errorf("%d entries, want %d", got, n)
			}
			if s, ok := sizes[kind]; ok && (len(doc)/n < s[0] || len(doc)/n > s[1]) {
				t.Errorf("%d bytes an entry, want %d to %d", len(doc)/n, s[0], s[1])
			}
			if !bytes.Equal(doc, Bytes(kind, n)) {
				t.Error("not the same twice")
			}
		})
	}
}

func count(t *testing.T, kind string, doc []byte) (n int) {
	t.Helper()
	if kind == Text {
		return bytes.Count(doc, []byte("\n"))
	}
	d := xml.NewDecoder(bytes.NewReader(doc))
	d.Strict = kind != Problems
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && entryNames[e.Name.Local] {
			n++
		}
	}
}

func TestSeed(t *testing.T) {
	var a, b bytes.Buffer
	if err := errors.Join(Write(&a, URLSet, 10, 1), Write(&b, URLSet, 10, 2)); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two seeds give the same document")
	}
}

func TestUnknownKind(t *testing.T) {
	if err := Write(io.Discard, "none", 1, 1); err == nil {
		t.Error("no error")
	}
}

type fullWriter struct{}

func (fullWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteError(t *testing.T) {
	for _, n := range []int{1, 1000} {
		if err := Write(fullWriter{}, URLSet, n, 1); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%d entries: %v, want the writer's error", n, err)
		}
	}
}
