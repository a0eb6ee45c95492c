package batch

import (
	"reflect"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/trust"
)

func usualURL(t testing.TB) *URL {
	lastMod, err := sitemap.ParseTime("2024-05-06T07:08:09+02:00")
	if err != nil {
		t.Fatal(err)
	}
	return &URL{
		Entry: sitemap.Entry{
			Loc: "http://example.com/a?b=1&c=2", LastMod: lastMod,
			ChangeFreq: sitemap.Daily, Priority: sitemap.Some(0.8),
		},
		Sitemap: "http://example.com/s.xml", Trust: trust.Robots, OnSite: true, Target: "example.com",
		Fetched: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), Change: "new",
	}
}

// FuzzPlain compares the short cut for usual lines with encoding/json, so it is within the package.
func FuzzPlain(f *testing.F) {
	for _, line := range []string{
		string(usualURL(f).AppendTo(nil)), `{"loc":"http://example.com/","kind":"page"}`, `{}`, `{"loc":"a",}`, `{"loc":"a"`,
		`{"loc":"a","loc":"b"}`, `{"priority":1e5}`, `{"priority":01}`, `{"priority":-1}`, `{"on_site":false}`, `{"on_site":1}`,
		`{"loc":"\u00e4"}`, "{\"loc\":\"\xff\"}", `{"LOC":"a"}`, `{"lastmod":""}`, `{"zone_assumed":true,"lastmod":"2024-05-06T07:08:09Z"}`,
		`{"fetched":"x"}`, `{"kind":"other"}`, `{"mobile":true}`, `{"loc": "a"}`, `{"loc":"a"}{`, `{"loc":"a}`, `{"changefreq":"daily"}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var got URL
		if !got.parsePlain([]byte(line)) {
			return
		}
		if want, err := decodeURL([]byte(line)); err != nil || !reflect.DeepEqual(&got, want) {
			t.Errorf("%q: read %+v; encoding/json %+v, %v", line, got, want, err)
		}
	})
}

// The short cut reads the lines of URLs without extensions.
func TestPlain(t *testing.T) {
	got := new(URL)
	if want := usualURL(t); !got.parsePlain(want.AppendTo(nil)) || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
}

func BenchmarkParseURL(b *testing.B) {
	line := usualURL(b).AppendTo(nil)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := parseURL(line); err != nil {
			b.Fatal(err)
		}
	}
}
