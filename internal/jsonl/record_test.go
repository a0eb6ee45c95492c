package jsonl_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

func mustTime(t *testing.T, s string) sitemap.Time {
	t.Helper()
	v, err := sitemap.ParseTime(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Parse reads what Append writes.
func TestParse(t *testing.T) {
	for _, r := range []jsonl.Record{
		{Entry: sitemap.Entry{Loc: "http://example.com/"}},
		{
			Entry: sitemap.Entry{
				Loc: "http://example.com/ü?a=\"1\"&b=<2>", Kind: sitemap.Sitemap,
				LastMod: mustTime(t, "2024-05-06T07:08:09.5+02:00"), Published: mustTime(t, "2024"),
				ChangeFreq: sitemap.Weekly, Priority: sitemap.Some(0.0),
				Extensions: &sitemap.Extensions{
					Images: []sitemap.Image{{Loc: "http://example.com/a.png", Caption: "a\nb"}},
					News: []sitemap.News{{
						PublicationName: "N", PublicationDate: mustTime(t, "2024-05-06"), Title: "T",
					}},
					Videos: []sitemap.Video{{
						Title: "V", Duration: sitemap.Some[int64](3), Tags: []string{"x", "y"},
					}},
					Alternates: []sitemap.Alternate{{Hreflang: "de", Href: "http://example.com/de"}},
					Mobile:     true,
				},
			},
			Sitemap: "http://example.com/sitemap.xml", Trust: "robots", OnSite: true,
			Target: "example.com", Fetched: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC),
			Change: discover.Modified,
		},
	} {
		line := jsonl.Append(nil, &r)
		got, err := jsonl.Parse(line)
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%s: parsed %+v, %v; want %+v", line, got, err, r)
		}
	}
	for _, line := range []string{"", "{", `{"loc":1}`, `{"loc":"a","lastmod":"never"}`} {
		if r, err := jsonl.Parse([]byte(line)); err == nil {
			t.Errorf("%q: parsed %+v", line, r)
		}
	}
}
