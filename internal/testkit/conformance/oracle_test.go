package conformance

import (
	"bytes"
	"errors"
	"net/url"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/testkit/gen/gendoc"
)

var oracleBase = &url.URL{Scheme: "http", Host: "www.example.com", Path: "/a/sitemap.xml"}

// compare reads a document both ways. It returns false if the document is not comparable.
func compare(t *testing.T, doc []byte) bool {
	t.Helper()
	want, err := referenceEntries(doc, oracleBase)
	if err != nil {
		return false
	}
	out := readBytes(doc, sitemap.Options{Base: oracleBase, SkipExtensions: true})
	if out.err != nil {
		t.Fatalf("error %v, where encoding/xml has none, of\n%q", out.err, doc)
	}
	for i := range max(len(want), len(out.entries)) {
		switch {
		case i >= len(want):
			t.Fatalf("entry %d is %+v, which encoding/xml has not, of\n%q", i, out.entries[i], doc)
		case i >= len(out.entries):
			t.Fatalf("no entry %d, where encoding/xml has %+v, of\n%q", i, want[i], doc)
		}
		got := out.entries[i]
		got.Pos = sitemap.Position{}
		if !sameEntry(got, want[i]) {
			t.Fatalf("entry %d is %+v, where encoding/xml has %+v, of\n%q", i, got, want[i], doc)
		}
	}
	return true
}

// FuzzEncodingXML compares our entries with those of encoding/xml for documents that its strict
// mode accepts.
func FuzzEncodingXML(f *testing.F) {
	for i := range 4 * len(mutations) {
		doc, _, _ := generate(i)
		f.Add(doc)
	}
	for _, kind := range gendoc.Kinds() {
		f.Add(gendoc.Bytes(kind, 2))
	}
	for _, s := range samples() {
		f.Add(s.document(-1, nil))
	}
	f.Add([]byte("<urlset><url><loc>http://www.example.com/1/</loc><loc></loc>" +
		"<lastmod>2024-05-06</lastmod></url></urlset>"))
	f.Fuzz(func(t *testing.T, doc []byte) { compare(t, doc) })
}

// Our entries agree with those of encoding/xml for the generated documents and the samples. Most of
// those must be comparable, or the comparison shows nothing.
func TestEncodingXML(t *testing.T) {
	compared, documents := 0, *damages/10
	for i := range documents {
		if doc, _, _ := generate(i); compare(t, doc) {
			compared++
		}
	}
	if compared < documents/3 {
		t.Errorf("%d of %d generated documents compared", compared, documents)
	}
	for _, kind := range gendoc.Kinds() {
		if doc := gendoc.Bytes(kind, 300); compare(t, doc) == (kind == gendoc.Text ||
			kind == gendoc.Problems) {
			t.Errorf("%s: compared or not, against expectation", kind)
		}
	}
	for _, s := range samples() {
		if compare(t, s.document(-1, nil)) == (s.name == "text") {
			t.Errorf("%s: compared or not, against expectation", s.name)
		}
	}
}

func TestReferenceSetsAside(t *testing.T) {
	for _, doc := range []string{
		"text<urlset/>", "<urlset/><urlset/>", "<x:urlset/>", "<urlset><?p <?></urlset>",
		"<urlset><url><url></url></url></urlset>", "<html/>",
		"<urlset><!-- ]]> --><url><loc><![CDATA[a<![CDATA[b]]></loc></url></urlset>",
	} {
		if _, err := referenceEntries([]byte(doc), oracleBase); !errors.Is(err, errSetAside) {
			t.Errorf("%s: %v, want it set aside", doc, err)
		}
	}
	if _, err := referenceEntries(bytes.Repeat([]byte("<a>"), 3), oracleBase); err == nil ||
		errors.Is(err, errSetAside) {
		t.Errorf("a document that ends early: %v, want encoding/xml's error", err)
	}
}
