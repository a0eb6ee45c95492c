package audit_test

import (
	"fmt"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
)

// Findings in a document come in the order of their places, except those about all of it.
func TestDocument_Order(t *testing.T) {
	text := entries(300, func(i int) string {
		return "<priority>9</priority><lastmod>never</lastmod>" +
			strings.Repeat("<image:image></image:image>", i%7) + "<changefreq>often</changefreq>"
	})
	o := &audit.Options{Only: []sitemap.Code{sitemap.BadPriority, sitemap.BadLastMod, audit.ImageMissingLoc, sitemap.BadChangeFreq}}
	found, err := collect(audit.Document(source("s.xml", []byte(text)), o))
	byOffset := func(a, b audit.Finding) int { return int(a.Pos.Offset - b.Pos.Offset) }
	if len(found) < 1_500 || !slices.IsSortedFunc(found, byOffset) || err != nil {
		t.Errorf("%d findings, %v", len(found), err)
	}
	for _, f := range found {
		tag := "<" + map[sitemap.Code]string{sitemap.BadPriority: "priority>", sitemap.BadLastMod: "lastmod>",
			audit.ImageMissingLoc: "image:image>", sitemap.BadChangeFreq: "changefreq>"}[f.Code]
		line := strings.Split(text, "\n")[f.Pos.Line-1]
		if !strings.HasPrefix(text[f.Pos.Offset:], tag) || !strings.HasPrefix(line[f.Column-1:], tag) || !strings.Contains(line, f.Loc+"<") {
			t.Fatalf("%+v is not at %s", f, tag)
		}
	}
}

// A defect that is reported once a name has the place of the first one. After a thousand names it
// is no longer reported.
func TestDocument_OnceAName(t *testing.T) {
	attribute := func(n int) func(int) string {
		return func(i int) string { return fmt.Sprintf("<lastmod a%d='1'>2026-11-01</lastmod>", i%n) }
	}
	for n, want := range map[int]int{1: 1, 5: 5, 90: 90, 2_000: 101} { // a hundred, and how many follow
		o := &audit.Options{Only: []sitemap.Code{audit.UnknownAttribute}}
		found, err := collect(audit.Document(source("s.xml", []byte(entries(3_000, attribute(n)))),
			o))
		if len(found) != want || err != nil || found[0].Text != "a0" || found[0].Pos.Line != 1 {
			t.Errorf("%d names: %d findings, %v", n, len(found), err)
		}
		if n == 2_000 && !strings.Contains(found[100].Message, "900 more") {
			t.Errorf("%s", found[100].Message)
		}
	}
}

// A sitemap in a directory that no robots.txt names may list what is in the directory only.
func TestSite_Outside(t *testing.T) {
	const above = "untrusted_loc warning"
	for _, test := range []struct {
		sitemap, page, robots, want string
	}{
		{"s.xml", "1", "", ""},
		{"a/s.xml", "a/1", "", ""},
		{"a/s.xml", "a/b/1", "", ""},
		{"a/s.xml", "a/../a/1", "", ""},
		{"a/s.xml", "1", "", above},
		{"a/s.xml", "ab/1", "", above},
		{"a/s.xml", "a/../1", "", above},
		{"a/b/s.xml", "a/1", "", above},
		{"a/s.xml", "1", "Sitemap: " + home + "a/s.xml", ""},
		{"a/feed", "1", "", ""}, // which is where its program puts it
	} {
		docs := map[string]string{"robots.txt": test.robots,
			"a/feed": "<rss version='2.0'><channel><item><link>" + home + test.page + "</link></item></channel></rss>"}
		if test.sitemap != "a/feed" {
			docs[test.sitemap] = wholeURLSet(home+test.page, home+test.page+"2")
		}
		w := siteOf(docs)
		o := &audit.Options{Only: []sitemap.Code{sitemap.UntrustedLoc}}
		found, err := collect(audit.Sitemaps(t.Context(), client(w),
			[]*discover.Sitemap{{Loc: home + test.sitemap}}, o))
		if got := said(found); got != test.want || err != nil {
			t.Errorf("%+v: %s, %v", test, got, err)
		}
		if len(found) == 1 && !strings.HasPrefix(found[0].Message, "2 URLs are not in ") {
			t.Errorf("%s", found[0].Message)
		}
	}
}

// A sample has pages of each sitemap: as many of each, or all of a small one.
func TestSite_Strata(t *testing.T) {
	for _, test := range []struct {
		pages int
		sizes []int
		want  []int
	}{
		{10, []int{100, 100}, []int{5, 5}},
		{9, []int{100, 100}, []int{5, 4}},
		{10, []int{2, 100}, []int{2, 8}},
		{10, []int{2, 2}, []int{2, 2}},
		{2, []int{5, 5, 5}, []int{1, 1, 0}},
		{30, []int{1, 7, 100}, []int{1, 7, 22}},
	} {
		docs := map[string]string{"robots.txt": ""}
		var seeds []*discover.Sitemap
		for i, size := range test.sizes {
			name := fmt.Sprintf("%d.txt", i)
			for n := range size {
				docs[name] += fmt.Sprintf("%s%d/%d\n", home, i, n)
			}
			seeds = append(seeds, &discover.Sitemap{Loc: home + name})
		}
		got := make([]int, len(test.sizes))
		o := &audit.Options{Pages: test.pages, Judged: func(p audit.PageResult) { got[p.Loc[len(home)]-'0']++ }}
		if _, err := collect(audit.Sitemaps(t.Context(), client(siteOf(docs)), seeds, o)); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%+v: %v, %v", test, got, err)
		}
	}
}

// The memory for the children of indexes does not depend on the length of their locations.
func TestSite_LongChildren(t *testing.T) {
	docs := map[string]string{"robots.txt": ""}
	for i := range 4 {
		name := fmt.Sprintf("%d.xml", i)
		docs["robots.txt"] += "Sitemap: " + home + name + "\n"
		var locs []string
		for n := range 250 {
			locs = append(locs, fmt.Sprintf("https://cdn.test/%d/%d/%08000d", i, n, 0))
		}
		docs[name] = indexOf(locs...)
	}
	docs["robots.txt"] += "Sitemap: " + home + "last.txt\n"
	docs["last.txt"] = home
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // for what the first one has left in pools
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	w := siteOf(docs)
	docs = nil
	before, most := heap(), int64(0)
	o := &audit.Options{Only: []sitemap.Code{audit.UntrustedHost}}
	o.Walk.Done = func(sm *discover.Sitemap, _ discover.Summary) {
		if sm.Loc == home+"last.txt" {
			most = heap() - before
		}
	}
	collect(audit.Site(t.Context(), client(w), home, o))
	if most == 0 || most > 4<<20 {
		t.Errorf("1,000 children of 8,000 bytes take %d bytes", most)
	}
}

// A robots.txt is judged at its place, by the audit of a site as by that of the file.
func TestSite_RobotsLines(t *testing.T) {
	for lines, want := range map[string]string{
		"":                               "",
		"# a comment":                    "",
		"Site-map: https://a.net/s.xml":  "nonstandard_key warning",
		"User-agent: *\nDisallow: a":     "nonstandard_rule warning",
		"User-agent: *\nDisallow: *.pdf": "",
		"Sitemap: /s.xml":                "relative_loc error",
		"Sitemap: ":                      "empty_loc error",
	} {
		text := "Sitemap: " + home + "t.xml\n" + lines
		w := siteOf(map[string]string{"robots.txt": text, "t.xml": wholeURLSet(home + "1")})
		found, _ := auditSite(t, w, audit.Options{})
		found = slices.DeleteFunc(found, func(f audit.Finding) bool { return f.Sitemap != home+"robots.txt" || f.Code == audit.SitemapStatus })
		if got := said(found); got != want {
			t.Errorf("%q: %s, want %s", lines, got, want)
		}
		src := source(home+"robots.txt", []byte(text))
		src.Base, _ = url.Parse(src.Name)
		if file, err := collect(audit.Robots(src, nil)); !slices.Equal(found, file) || err != nil {
			t.Errorf("%q: %v of the site, %v of the file, %v", lines, found, file, err)
		}
		for _, f := range found {
			if n := strings.Count(text, "\n") + 1; f.Pos.Line != n {
				t.Errorf("%q: line %d, want %d", lines, f.Pos.Line, n)
			}
		}
	}
}
