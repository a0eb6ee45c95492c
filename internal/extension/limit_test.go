package extension_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/extension"
	"github.com/seed-322c453a/sitemap/parse"
)

const open = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
 xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
 xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:media="http://search.yahoo.com/mrss/" xmlns:p="http://www.google.com/schemas/sitemap-pagemap/1.0" xmlns:x="urn:x">`

// extended reads a document of one page with these extensions and one without. It returns the
// extensions of the first page and the number of bad_extension problems.
func extended(t *testing.T, extensions string) (ext *sitemap.Extensions, bad int) {
	t.Helper()
	doc := open + "<url><loc>http://a.example/1</loc>" + extensions +
		"</url><url><loc>http://a.example/2</loc></url></urlset>"
	o := &sitemap.Options{Report: func(p sitemap.Problem) {
		if p.Code != sitemap.BadExtension {
			t.Errorf("problem %v %q", p.Code, p.Text)
		}
		bad++
	}}
	var entries []sitemap.Entry
	for e, err := range parse.Entries(strings.NewReader(doc), o) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	if len(entries) != 2 || entries[0].Extensions == nil || entries[1].Extensions != nil {
		t.Fatalf("%d entries: %v", len(entries), entries)
	}
	return entries[0].Extensions, bad
}

func TestLimits_Records(t *testing.T) {
	for name, c := range map[string]struct {
		record string
		count  func(*sitemap.Extensions) int
	}{
		"images": {"<image:image><image:loc>http://a.example/%d.jpg</image:loc></image:image>",
			func(e *sitemap.Extensions) int { return len(e.Images) }},
		"alternates": {`<xhtml:link rel="alternate" href="http://a.example/%d"/>`,
			func(e *sitemap.Extensions) int { return len(e.Alternates) }},
		"videos": {"<video:video><video:thumbnail_loc>http://a.example/t</video:thumbnail_loc><video:title>%d</video:title><video:description>d</video:description><video:player_loc>http://a.example/p</video:player_loc></video:video>",
			func(e *sitemap.Extensions) int { return len(e.Videos) }},
		"news": {"<news:news><news:publication><news:name>n</news:name><news:language>en</news:language></news:publication><news:publication_date>2024</news:publication_date><news:title>%d</news:title></news:news>",
			func(e *sitemap.Extensions) int { return len(e.News) }},
		"objects": {`<p:DataObject id="%d"/>`,
			func(e *sitemap.Extensions) int { return len(e.PageMap) }},
		"media": {`<media:content medium="image" url="http://a.example/%d"/>`,
			func(e *sitemap.Extensions) int { return len(e.Images) }},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := range extension.MaxRecords + 5 {
				fmt.Fprintf(&b, c.record, i)
			}
			ext, bad := extended(t, b.String())
			if n := c.count(ext); n != extension.MaxRecords || bad != 1 {
				t.Errorf("%d kept, %d problems; want %d, 1", n, bad, extension.MaxRecords)
			}
		})
	}
}

func TestLimits_Other(t *testing.T) {
	ext, bad := extended(t, strings.Repeat("<x:y/>", extension.MaxElements+5))
	if len(ext.Other) != extension.MaxElements || bad != 1 {
		t.Errorf("%d elements kept, %d problems", len(ext.Other), bad)
	}
	ext, bad = extended(t, strings.Repeat("<x:y>"+strings.Repeat("t", 1<<10)+"</x:y>", 70))
	size := 0
	for _, el := range ext.Other {
		size += len(el.Text)
	}
	if size != extension.MaxOtherText || bad != 1 {
		t.Errorf("%d bytes kept, %d problems", size, bad)
	}
	ext, bad = extended(t, strings.Repeat("<x:y>", 1000)+strings.Repeat("</x:y>", 1000))
	depth := 0
	for els := ext.Other; len(els) > 0; els = els[0].Children {
		depth++
	}
	if depth != extension.MaxOtherDepth || bad != 1 {
		t.Errorf("%d deep, %d problems", depth, bad)
	}
}

func TestLimits_Text(t *testing.T) {
	caption := strings.Repeat("c", 10<<10)
	ext, bad := extended(t,
		strings.Repeat("<image:image><image:loc>http://a.example/i</image:loc><image:caption>"+caption+"</image:caption></image:image>", 200))
	size := 0
	for _, img := range ext.Images {
		size += len(img.Loc) + len(img.Caption)
	}
	if size > extension.MaxText || size < extension.MaxText-len(caption) || bad != 1 {
		t.Errorf("%d bytes kept, %d problems", size, bad)
	}
}

// Deeply nested groups need little stack.
func TestLimits_NestedGroups(t *testing.T) {
	const n = 100_000
	ext, _ := extended(t, strings.Repeat("<media:group>",
		n)+`<media:content medium="image" url="http://a.example/deep"/>`+strings.Repeat("</media:group>", n)+
		`<media:content medium="image" url="http://a.example/i"/>`)
	if len(ext.Images) != 1 || ext.Images[0].Loc != "http://a.example/i" {
		t.Errorf("images %v", ext.Images)
	}
}

// An excess of text is reported once, not for each value that is left out.
func TestLimits_TextOnce(t *testing.T) {
	long := "http://a.example/%d" + strings.Repeat("x", 8000)
	for _, record := range []string{
		`<media:content medium="image" url="` + long + `"/>`,
		"<image:image><image:loc>" + long + "</image:loc></image:image>",
	} {
		var b strings.Builder
		for i := range 300 {
			fmt.Fprintf(&b, record, i)
		}
		ext, bad := extended(t, b.String())
		if n := len(ext.Images); n < 100 || n > 140 || bad != 1 {
			t.Errorf("%.30s: %d images, %d problems", record, n, bad)
		}
	}
}
