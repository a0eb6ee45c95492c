package batch_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

func mustTime(t *testing.T, s string) sitemap.Time {
	t.Helper()
	v, err := sitemap.ParseTime(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Lines reads what AppendTo writes.
func TestLines_URL(t *testing.T) {
	for _, r := range []batch.URL{
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
			Sitemap: "http://example.com/sitemap.xml", Trust: trust.Robots, OnSite: true,
			Target: "example.com", Fetched: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC),
			Change: discover.Modified,
		},
	} {
		line := string(r.AppendTo(nil))
		n := 0
		for got, err := range batch.Lines(strings.NewReader(line)) {
			if n++; err != nil || !reflect.DeepEqual(*got.URL, r) || string(got.Text) != line {
				t.Errorf("%s: read %+v, %v; want %+v", line, got.URL, err, r)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d lines", line, n)
		}
	}
}

// Lines of each type are read as what they say; those about the part, and of unknown types, are
// left out.
func TestLines_Types(t *testing.T) {
	const text = `{"type":"part","version":1,"run":"1","domain":"a.example"}
{"loc":"https://a.example/1","kind":"page"}
{"type":"document","target":"a.example","sitemap":"https://a.example/s.xml","status":200,"etag":"\"x\"","entries":1,"future":true}
{"type":"target","target":"b.a.example","error":{"code":"timeout","message":"m"}}
{"type":"finding","code":"bad_lastmod","severity":"error","line":3,"column":5,"target":"a.example"}
{"type":"weather"}
{"type":"end","counts":{}}
`
	var got []string
	for l, err := range batch.Lines(strings.NewReader(text)) {
		switch {
		case err != nil:
			t.Fatal(err)
		case l.URL != nil:
			got = append(got, l.URL.Loc)
		case l.Document != nil:
			got = append(got, fmt.Sprint(l.Document.Sitemap, l.Document.Status, l.Document.ETag))
		case l.Target != nil:
			got = append(got, l.Target.Target+string(l.Target.Error.Code))
		case l.Finding != nil:
			got = append(got,
				fmt.Sprint(l.Finding.Code, l.Finding.Severity, l.Finding.Line, l.Finding.Column))
		}
	}
	want := []string{"https://a.example/1", `https://a.example/s.xml200"x"`, "b.a.exampletimeout", "bad_lastmoderror 3 5"}
	if !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

// An invalid line is an error, the last element, with its number.
func TestLines_Errors(t *testing.T) {
	for _, line := range []string{"\n", "{\n", `{"loc":1}` + "\n", `{"loc":"a","lastmod":"never"}` + "\n", `{"loc":"a"}`,
		`{"type":"document","status":"x"}` + "\n", `{"type":"part","version":2}` + "\n"} {
		n, last := 0, error(nil)
		for _, err := range batch.Lines(strings.NewReader("{\"loc\":\"a\",\"kind\":\"page\"}\n" + line)) {
			n, last = n+1, err
		}
		if n != 2 || last == nil || !strings.HasPrefix(last.Error(), "batch: line 2: ") {
			t.Errorf("%q: %d elements, %v", line, n, last)
		}
	}
}
