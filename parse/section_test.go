package parse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/parse"
)

// A CDATA section that is left open ends with its loc, also where all stands in one line.
func TestEntries_SectionLeftOpen(t *testing.T) {
	for _, space := range []string{"", "\n"} {
		var doc strings.Builder
		doc.WriteString("<urlset>")
		var want []string
		for _, loc := range []string{"http://a.example/1", "http://a.example/2", "http://a.example/3", "http://a.example/4"} {
			end := "]]>"
			if strings.HasSuffix(loc, "2") {
				end = ""
			}
			doc.WriteString("<url><loc><![CDATA[" + loc + end + "</loc></url>" + space)
			want = append(want, loc)
		}
		doc.WriteString("</urlset>")
		var got []string
		codes := map[sitemap.Code]bool{}
		o := &sitemap.Options{Report: func(p sitemap.Problem) { codes[p.Code] = true }}
		for e, err := range parse.Entries(strings.NewReader(doc.String()), o) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Loc)
		}
		if !slices.Equal(got, want) || !codes[sitemap.MismatchedTag] {
			t.Errorf("%q between: got %q, %v", space, got, codes)
		}
	}
}
