package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/seed-322c453a/sitemap/examples/internal/site"
)

func TestWalk(t *testing.T) {
	a, b := site.New(t, site.Pages()), site.New(t, map[string]string{
		"/robots.txt": "Sitemap: HOST/sitemap.xml",
		"/sitemap.xml": `<urlset xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url>` +
			`<loc>HOST/c</loc><i:image><i:loc>HOST/1.png</i:loc></i:image></url></urlset>`,
	})
	var file bytes.Buffer
	w := parquet.NewGenericWriter[row](&file)
	walk(t.Context(), site.Client(), []string{a.URL, b.URL}, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[row](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		line := strings.TrimPrefix(r.Loc, r.Site)
		if r.LastMod != nil {
			line += " " + r.LastMod.UTC().Format(time.DateOnly)
		}
		for _, image := range r.Images {
			line += " " + strings.TrimPrefix(image, r.Site)
		}
		got = append(got, line)
	}
	slices.Sort(got)
	if want := []string{"/a 2024-05-06", "/b", "/c /1.png"}; !slices.Equal(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}
