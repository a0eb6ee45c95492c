package parse_test

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/parse"
)

// An unclosed CDATA section ends with its loc, also if everything is in one line.
func TestEntries_SectionLeftOpen(t *testing.T) {
	for _, space := range []string{"", "\n"} {
		var doc strings.Builder
		doc.WriteString("<urlset>")
		var want []string
		for _, loc := range []string{"http://a.example/1", "http://a.example/2",
			"http://a.example/3", "http://a.example/4"} {
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

// An unclosed CDATA section costs no other entry, however many there are before the next section.
// It ends with its element or entry, or at the start of the next entry.
func TestEntries_SectionLeftOpenFar(t *testing.T) {
	const (
		imageHead = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>"
		image     = "<url><loc>http://a.example/1</loc><image:image><image:loc>http://a.example/i</image:loc><image:caption>"
		url       = "<url><loc>http://a.example/plain</loc></url>"
		lastURL   = "<url><loc><![CDATA[http://a.example/last]]></loc></url>"
		item      = "<item><link>http://a.example/1</link><description>"
		plainItem = "<item><description>plain</description><link>http://a.example/plain</link></item>"
		lastItem  = "<item><description><![CDATA[last]]></description><link>http://a.example/last</link></item></channel></rss>"
	)
	for _, test := range []struct{ name, open, plain, last string }{
		{"in a loc", head + "<url><loc><![CDATA[http://a.example/1</loc></url>", url, lastURL +
			foot},
		{"in a caption", imageHead + image + "<![CDATA[x</image:caption></image:image></url>", url,
			lastURL + foot},
		{"in a caption cut by its entry's end", imageHead + image + "<![CDATA[x</url>", url,
			lastURL + foot},
		{"in a caption cut by the next entry", imageHead + image + "<![CDATA[x", url, lastURL +
			foot},
		{"behind a loc", head + "<url><loc>http://a.example/1</loc><![CDATA[</url>", url, lastURL +
			foot},
		{"between entries", head + "<url><loc>http://a.example/1</loc></url><![CDATA[", url,
			lastURL + foot},
		{"before all entries", head + "<![CDATA[<url><loc>http://a.example/1</loc></url>", url,
			lastURL + foot},
		{"in a description", "<rss><channel>" + item + "<![CDATA[x</description></item>", plainItem,
			lastItem},
		{"in a description with tags", "<rss><channel>" + item + "<![CDATA[" +
			strings.Repeat("<p>x</p>", 4000) + "</description></item>", plainItem, lastItem},
		{"in a description cut by its item's end", "<rss><channel>" + item + "<![CDATA[x</item>",
			plainItem, lastItem},
		{"in a description cut by the next item", "<rss><channel>" + item + "<![CDATA[x", plainItem,
			lastItem},
		{"before all items", "<rss><channel><![CDATA[" + item + "</description></item>", plainItem,
			lastItem},
	} {
		for _, n := range []int{1, 1000} {
			doc := test.open + strings.Repeat(test.plain, n) + test.last
			want := "1 " + strings.Repeat("plain ", n) + "last"
			for name, r := range map[string]io.Reader{"whole": strings.NewReader(doc),
				"byte by byte": iotest.OneByteReader(strings.NewReader(doc))} {
				got, codes, err := locs(r)
				if got != want || !strings.Contains(codes, "mismatched_tag") || err != nil {
					t.Errorf("%s, %d, %s: got %.80q, %q, %v", test.name, n, name, got, codes, err)
				}
			}
		}
	}
}

// A CDATA section may hold a document with sections, as an article about feeds does.
func TestEntries_SectionInSection(t *testing.T) {
	for _, text := range []string{
		"<pre><item><title>x</title><description><![CDATA[x]]&gt;</description></item></pre>",
		"<item><link>http://a.example/no</link></item> <script>//<![CDATA[ x //]]&gt;</script>",
		"</item><![CDATA[",
		"<item>x</item> <![CDATA[ ]]]]><![CDATA[>" + strings.Repeat("</p>long ", 9<<10),
		"<item>x</item> <![CDATA[ ]]>" + strings.Repeat("long ", 9<<10) + "<![CDATA[",
	} {
		doc := "<rss xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel><item><link>http://a.example/1</link><content:encoded><![CDATA[" +
			text +
			"]]>\n</content:encoded></item><item><link>http://a.example/2</link></item></channel></rss>"
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(doc),
			"byte by byte": iotest.OneByteReader(strings.NewReader(doc))} {
			if got, codes, err := locs(r); got != "1 2" || codes != "" || err != nil {
				t.Errorf("%.80s, %s: got %q, %q, %v", text, name, got, codes, err)
			}
		}
	}
}

// Skipped extensions cost nothing and report nothing, wherever the window ends in them.
func TestEntries_SkippedSections(t *testing.T) {
	doc := strings.TrimSuffix(head, ">") + " xmlns:x='urn:x'>" + strings.Repeat("\n", 2<<10) +
		"<url><loc>http://a.example/1</loc><x:a>t</x:a>" +
		"<x:b><![CDATA[<url><loc>http://a.example/no</loc></url>]]></x:b><x:c><![CDATA[c]]></x:c></url>" +
		"<url><loc>http://a.example/2</loc></url>" + foot
	o := &sitemap.Options{SkipExtensions: true, Report: func(p sitemap.Problem) { t.Error(p) }}
	for cut := strings.Index(doc, "<url>"); cut < len(doc); cut++ {
		var got []string
		r := io.MultiReader(strings.NewReader(doc[:cut]), strings.NewReader(doc[cut:]))
		for e, err := range parse.Entries(r, o) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Loc)
		}
		if want := []string{"http://a.example/1", "http://a.example/2"}; !slices.Equal(got, want) {
			t.Errorf("cut after %s: got %q", doc[cut-20:cut], got)
		}
	}
}

// A CDATA section after an element that was read quickly is as unclosed as it is otherwise.
func TestEntries_SectionAfterField(t *testing.T) {
	const after = "<![CDATA[<loc>http://a.example/2<![CDATA[]]><x/></loc></url></urlset>"
	for _, before := range []string{"<urlset><url>", "<urlset><url><!-- c -->"} {
		before += "<loc>http://a.example/1</loc>"
		var listed [2][]string
		for i, between := range []string{"<priority>1</priority>", "<priority >1</priority>"} {
			for e := range parse.Entries(strings.NewReader(before+between+after), nil) {
				listed[i] = append(listed[i], e.Loc)
			}
		}
		want := []string{"http://a.example/1", "http://a.example/2"}
		if !slices.Equal(listed[0], want) || !slices.Equal(listed[1], want) {
			t.Errorf("%s: got %q, and %q read by the general reader; want %q", before, listed[0],
				listed[1], want)
		}
	}
}
