package sitemap_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/parse"
)

// TestJSON checks that entries and problems survive a round trip.
func TestJSON(t *testing.T) {
	const doc = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>http://a.example/1</loc><lastmod>2024-05-06T07:08:09.5+02:00</lastmod><changefreq>daily</changefreq><priority>0</priority><image:image><image:loc>http://a.example/1.png</image:loc></image:image></url>
<url><loc>http://a.example/2</loc><lastmod>2024-05</lastmod><priority>high</priority></url>
<sitemap><loc>http://a.example/3.xml</loc></sitemap></urlset>`
	var values []any
	o := &sitemap.Options{Report: func(p sitemap.Problem) { values = append(values, &p) }}
	for e, err := range parse.Entries(strings.NewReader(doc), o) {
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, &e)
	}
	values = append(values,
		&sitemap.Summary{Format: sitemap.RSS, Problems: map[sitemap.Code]int{sitemap.BadLoc: 2}})
	if len(values) < 6 {
		t.Fatalf("only %d values", len(values))
	}
	for _, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		back := reflect.New(reflect.TypeOf(v).Elem()).Interface()
		if err := json.Unmarshal(text, back); err != nil || !reflect.DeepEqual(back, v) {
			t.Errorf("%s is read as %+v, %v", text, back, err)
		}
	}
	for _, v := range []any{new(sitemap.Kind), new(sitemap.Format), new(sitemap.ChangeFreq),
		new(sitemap.Severity)} {
		if err := json.Unmarshal([]byte(`"no such name"`), v); err == nil {
			t.Errorf("%T: no error", v)
		}
	}
}
