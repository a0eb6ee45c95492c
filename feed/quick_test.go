package feed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/gen/gendoc"
	"github.com/seed-322c453a/sitemap/internal/input"
)

// outcome returns what a feed gives, with its entries read quickly or not, and
// checks what holds of all entries.
func outcome(t *testing.T, doc []byte, contentType string, general bool) string {
	t.Helper()
	var b strings.Builder
	o := &sitemap.Options{
		Base:        &url.URL{Scheme: "http", Host: "www.example.com", Path: "/feed"},
		ContentType: contentType,
		Report: func(p sitemap.Problem) {
			fmt.Fprintf(&b, "%v %v %q %q %v\n", p.Code, p.Pos, p.Field, p.Text, p.Dropped)
		},
	}
	in := input.Open(bytes.NewReader(doc), o)
	defer in.Close()
	if err := sniffFeed(in, o.Report); err != nil {
		return err.Error()
	}
	offset := int64(-1)
	d := newDocument(in, o, func(e sitemap.Entry, err error) bool {
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
			return false
		}
		if _, err := e.URL(); err != nil {
			t.Errorf("URL of %q: %v", e.Loc, err)
		}
		if e.Pos.Offset <= offset {
			t.Errorf("%q: offset %d is not behind %d", e.Loc, e.Pos.Offset, offset)
		}
		offset = e.Pos.Offset
		ext, err := json.Marshal(e.Extensions)
		fmt.Fprintf(&b, "%v %s %v %v %s %v\n", e.Pos, e.Loc, e.LastMod, e.Published, ext, err)
		return true
	})
	d.general = general
	d.read()
	return b.String()
}

func documents(t testing.TB) map[string][]byte {
	docs := map[string][]byte{}
	for _, dir := range []string{"rss", "atom"} {
		paths, err := filepath.Glob("../testdata/" + dir + "/*.xml")
		if err != nil || len(paths) == 0 {
			t.Fatalf("no documents in %s: %v", dir, err)
		}
		for _, path := range paths {
			doc, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			docs[path] = doc
		}
	}
	return docs
}

func TestQuick_SameAsGeneral(t *testing.T) {
	docs := documents(t)
	docs["generated rss"] = gendoc.Bytes(gendoc.RSS, 200)
	docs["generated atom"] = gendoc.Bytes(gendoc.Atom, 500)
	for name, doc := range docs {
		if quick, general := outcome(t, doc, "", false), outcome(t, doc, "", true); quick != general {
			t.Errorf("%s: quickly\n%s\nelse\n%s", name, quick, general)
		}
	}
}

// Of a generated document, all entries but the first and those cut by the window
// are of the common shape: the quick way must not be lost silently.
func TestQuick_IsTaken(t *testing.T) {
	for _, kind := range []string{gendoc.RSS, gendoc.Atom} {
		o := new(sitemap.Options)
		in := input.Open(bytes.NewReader(gendoc.Bytes(kind, 100)), o)
		if err := sniffFeed(in, nil); err != nil {
			t.Fatal(err)
		}
		n, general := 0, 0
		var d *document
		d = newDocument(in, o, func(sitemap.Entry, error) bool {
			n++
			if d.r.Depth() > 2 {
				general++
			}
			return true
		})
		d.read()
		if n != 100 || d.odd > 2 {
			t.Errorf("%s: %d entries, the last %d of them not read quickly", kind, n, d.odd)
		}
		in.Close()
	}
}

func FuzzEntries(f *testing.F) {
	for _, doc := range documents(f) {
		f.Add(doc, "")
	}
	f.Add(gendoc.Bytes(gendoc.RSS, 2), "text/xml; charset=iso-8859-1")
	f.Add(gendoc.Bytes(gendoc.Atom, 2), "application/atom+xml; charset=utf-16")
	f.Fuzz(func(t *testing.T, doc []byte, contentType string) {
		if quick, general := outcome(t, doc, contentType, false), outcome(t, doc, contentType, true); quick != general {
			t.Errorf("quickly\n%s\nelse\n%s", quick, general)
		}
	})
}
