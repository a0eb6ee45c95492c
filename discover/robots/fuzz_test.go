package robots_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/robots"
)

func FuzzParse(f *testing.F) {
	for _, tt := range parseTests {
		if len(tt.text) < 1000 {
			f.Add(tt.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := robots.Parse(strings.NewReader(text), mustURL(t, robotsURL))
		if err != nil { // damaged gzip
			return
		}
		last := 0
		for _, s := range r.Sitemaps {
			if s.Line < last {
				t.Errorf("line %d after %d", s.Line, last)
			}
			last = s.Line
			if _, err := sitemap.ParseLoc(s.Loc); err != nil {
				t.Errorf("%q: %v", s.Loc, err)
			}
		}
		for _, p := range r.Problems {
			isOf := p.Field == "sitemap" || p.Code == sitemap.NonstandardRule
			if len(p.Text) > 256 || !isOf || p.Pos.Offset > int64(2*len(text)) {
				t.Errorf("problem %+v", p)
			}
		}
		if u := mustURL(t, robotsURL); !r.Allowed("foobot", u) {
			t.Error("robots.txt is not allowed")
		}
		if d := r.CrawlDelay("foobot"); d < 0 || d > 24*time.Hour {
			t.Errorf("delay %v", d)
		}
		for _, o := range r.Other("foobot") {
			if o.Key == "" || o.Line < 1 || !utf8.ValidString(o.Key+o.Value) {
				t.Errorf("other record %+v", o)
			}
		}
		if !utf8.ValidString(text) || codes(r) != "" || !strings.ContainsAny(text, "\r\n") {
			return // a file on one line is split where a key follows
		}
		// A further record loses none, and is not lost.
		const first = "Sitemap: https://first.test/s.xml\n"
		more := parse(t, first+text)
		if n := len(more.Sitemaps); n == 0 || n < len(r.Sitemaps) ||
			more.Sitemaps[0].Loc != "https://first.test/s.xml" {
			t.Errorf("%q, after one more record %q", lines(r), lines(more))
		}
	})
}
