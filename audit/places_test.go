package audit_test

import (
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

// A finding about a field is at the start tag of the field, in each entry, also where the end of what
// is in memory cuts the entry.
func TestDocument_FieldPlaces(t *testing.T) {
	const entries = 5_000
	text := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ` +
		`xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">` + strings.Repeat(
		"\n<url><loc>https://www.example.com/?sid=1</loc><lastmod>2030-01-01</lastmod>"+
			"<news:news>\n\n\n</news:news></url>", entries) + "</urlset>"
	tags := map[sitemap.Code]string{audit.SessionID: "<loc>", audit.LastmodFuture: "<lastmod>"}
	o := audit.Options{Time: testTime, Only: []sitemap.Code{audit.SessionID, audit.LastmodFuture}}
	found, err := collect(audit.Document(source("s.xml", []byte(text)), &o))
	if len(found) != 2*entries || err != nil {
		t.Fatalf("%d findings, %v", len(found), err)
	}
	for i, f := range found {
		if !strings.HasPrefix(text[f.Pos.Offset:], tags[f.Code]) || f.Pos.Line != i/2*4+2 {
			t.Fatalf("%s at %+v: %.20q", f.Code, f.Pos, text[f.Pos.Offset:])
		}
	}
}

// The column of an entry without a location counts characters, also where the end of what is in
// memory cuts the entry.
func TestDocument_EntryPlaces(t *testing.T) {
	const entries = 5_000
	text := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
		strings.Repeat("\n<!--é--><url>\n<lastmod>2030-01-01</lastmod>\n</url>", entries) + "</urlset>"
	o := audit.Options{Time: testTime, Only: []sitemap.Code{sitemap.MissingLoc}}
	found, err := collect(audit.Document(source("s.xml", []byte(text)), &o))
	if len(found) != entries || err != nil {
		t.Fatalf("%d findings, %v", len(found), err)
	}
	for i, f := range found {
		if f.Pos.Line != 3*i+2 || f.Column != 9 {
			t.Fatalf("finding %d is at %d:%d", i, f.Pos.Line, f.Column)
		}
	}
}

// The schema's rules about locations hold in indexes as in urlsets.
func TestDocument_IndexLocations(t *testing.T) {
	text := `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` +
		"<sitemap><loc>https://www.example.com:/s.xml</loc></sitemap></sitemapindex>"
	found, err := collect(audit.Document(source("s.xml", []byte(text)),
		&audit.Options{Time: testTime}))
	if len(found) != 1 || found[0].Code != sitemap.BadLoc || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
}
