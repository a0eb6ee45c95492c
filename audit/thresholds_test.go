package audit_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

const (
	urlsetStart = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" ` +
		`xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" ` +
		`xmlns:xhtml="http://www.w3.org/1999/xhtml">`
	urlsetEnd = `</urlset>`
)

// entries returns a urlset of n entries with what each has beside its loc.
func entries(n int, extra func(i int) string) string {
	var b strings.Builder
	b.WriteString(urlsetStart)
	for i := range n {
		fmt.Fprintf(&b, "<url><loc>https://www.example.com/%d</loc>%s</url>\n", i, extra(i))
	}
	return b.String() + urlsetEnd
}

func one(format string, args ...any) string {
	return entries(1, func(int) string { return fmt.Sprintf(format, args...) })
}

func lastmod(t time.Time) string { return "<lastmod>" + t.Format(time.RFC3339) + "</lastmod>" }

func video(parts string) string {
	return one("<video:video><video:thumbnail_loc>https://www.example.com/t</video:thumbnail_loc><video:title>T</video:title>"+
		"<video:content_loc>https://www.example.com/v</video:content_loc>%s</video:video>", parts)
}

func newsEntry(date time.Time) string {
	return "<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>" +
		"<news:publication_date>" + date.Format(time.RFC3339) + "</news:publication_date><news:title>T</news:title></news:news>"
}

// thresholds hold, for each number in a rule, a document at the last value without a finding (0),
// and one at the first with a finding (1).
var thresholds = []struct {
	code sitemap.Code
	text func(more int) string
}{
	{audit.LastmodAllEqual, func(more int) string { // how many
		return entries(20+more, func(int) string { return "<lastmod>2026-01-01</lastmod>" })
	}},
	{audit.LastmodAllEqual, func(more int) string { // which share
		return entries(100, func(i int) string {
			return lastmod(testTime.AddDate(0, 0, -max(0, i-93-more)))
		})
	}},
	{audit.LastmodAllEqual, func(more int) string { // within which time
		return entries(30, func(i int) string { return lastmod(testTime.Add(time.Duration(i%2*(61-more)) * time.Second)) })
	}},
	{audit.LastmodFuture, func(more int) string {
		return one("%s", lastmod(testTime.Add(24*time.Hour+time.Duration(more)*time.Second)))
	}},
	{audit.LastmodStale, func(more int) string {
		return one("%s", lastmod(testTime.Add(-365*24*time.Hour-time.Duration(2*more)*time.Second)))
	}},
	{audit.LastmodCoverage, func(more int) string { // from one half on
		return entries(10, func(i int) string {
			if i < 4+more {
				return "<lastmod>2026-01-01</lastmod>"
			}
			return ""
		})
	}},
	{audit.PriorityAllEqual, func(more int) string {
		return entries(20+more, func(int) string { return "<priority>0.4</priority>" })
	}},
	{audit.NewsTooOld, func(more int) string {
		return one("%s", newsEntry(testTime.Add(-48*time.Hour-time.Duration(2*more)*time.Second)))
	}},
	{audit.NewsInFuture, func(more int) string {
		return one("%s", newsEntry(testTime.Add(24*time.Hour+time.Duration(more)*time.Second)))
	}},
	{audit.NewsTooMany, func(more int) string {
		return entries(1_000+more, func(int) string { return newsEntry(testTime) })
	}},
	{audit.ImageTooMany, func(more int) string {
		return one("%s", strings.Repeat("<image:image><image:loc>https://www.example.com/i</image:loc></image:image>", 1_000+more))
	}},
	{audit.VideoTooManyTags, func(more int) string { return video(strings.Repeat("<video:tag>a</video:tag>", 32+more)) }},
	{audit.VideoDescriptionTooLong, func(more int) string {
		return video("<video:description>" + strings.Repeat("ü", 2_048+more) +
			"</video:description>")
	}},
	{audit.VideoBadDuration, func(more int) string { return video(fmt.Sprintf("<video:duration>%d</video:duration>", 28_800+more)) }},
	{audit.VideoBadDuration, func(more int) string { return video(fmt.Sprintf("<video:duration>%d</video:duration>", 1-more)) }},
	{audit.VideoBadRating, func(more int) string { return video(fmt.Sprintf("<video:rating>5.%d</video:rating>", more)) }},
	{audit.XDefaultMissing, func(more int) string {
		links := ""
		for _, code := range []string{"de", "en", "fr"}[:2+more] {
			links += `<xhtml:link rel="alternate" hreflang="` + code + `" href="https://www.example.com/0"/>`
		}
		return one("%s", links)
	}},
	{sitemap.BadLoc, func(more int) string { // 12 characters
		return urlsetStart + "<url><loc>http://a.io/x"[:len("<url><loc>http://a.io/")-more] +
			"</loc></url>" + urlsetEnd
	}},
	{audit.StagingHost, func(more int) string { // one page of 20
		text := entries(19+more, func(int) string { return "" })
		return strings.Replace(text, urlsetEnd,
			"<url><loc>https://staging.example.com/</loc></url>"+urlsetEnd, 1)
	}},
}

// Each number in a rule is what its documentation says.
func TestThresholds(t *testing.T) {
	for i, test := range thresholds {
		for more, want := range []bool{false, true} {
			src := source("https://www.example.com/s.xml", []byte(test.text(more)))
			found, err := collect(audit.Document(src, &audit.Options{Time: testTime}))
			if got := slices.Contains(codes(found), test.code); got != want || err != nil {
				t.Errorf("%d: %s with %d more: found %t, %v", i, test.code, more, got, err)
			}
		}
	}
}

// A lastmod within a minute of the response is the time of the request.
func TestThresholds_FetchTime(t *testing.T) {
	for seconds, want := range map[int]bool{60: true, 61: false} {
		text := entries(2, func(i int) string { return lastmod(testTime.Add(time.Duration(-i*seconds) * time.Second)) })
		src := source("s.xml", []byte(text))
		src.Date = testTime
		found, _ := collect(audit.Document(src, &audit.Options{Time: testTime}))
		if got := slices.Contains(codes(found), audit.LastmodIsFetchTime); got != want {
			t.Errorf("%d seconds: %t", seconds, got)
		}
	}
}

// A page may be modified a day after its lastmod.
func TestThresholds_PageDelay(t *testing.T) {
	for seconds, want := range map[int]bool{0: false, 1: true} {
		page := http.Header{"Last-Modified": {testTime.Add(24*time.Hour + time.Duration(seconds)*time.Second).Format(http.TimeFormat)}}
		site := &counted{hits: map[string]int{}, web: web{
			"https://www.example.com/robots.txt": {"200", nil, []byte("Sitemap: https://www.example.com/s.xml\n")},
			"https://www.example.com/s.xml":      {"200", http.Header{"Content-Type": {"text/xml"}}, []byte(one("%s", lastmod(testTime.Add(-time.Second))))},
			"https://www.example.com/0":          {"200", page, []byte("page")},
		}}
		found, err := collect(audit.Site(t.Context(), client(site),
			"https://www.example.com/", &audit.Options{Pages: -1, Time: testTime}))
		if got := slices.Contains(codes(found), audit.PageLastmodDiffers); got != want || err != nil {
			t.Errorf("%d seconds: %t, %v", seconds, got, err)
		}
	}
}

// A habit is reported a hundred times, and then once with the number of further ones. Dropped
// entries are reported each time.
func TestDocument_Habits(t *testing.T) {
	for n, want := range map[int]int{100: 100, 101: 101, 250: 101} {
		text := entries(n, func(int) string { return "<priority>0.5</priority><lastmod>2026-01-01</lastmod>" })
		found, _ := collect(audit.Document(source("s.xml", []byte(text)),
			&audit.Options{Only: []sitemap.Code{audit.ElementOrder}}))
		if len(found) != want {
			t.Errorf("%d entries: %d findings", n, len(found))
		}
		if n == 250 && !strings.Contains(found[100].Message, "150 more") {
			t.Errorf("%+v", found[100])
		}
	}
	text := strings.ReplaceAll(entries(150, func(int) string { return "" }), "https://", "")
	text = strings.ReplaceAll(text, "www.example.com/", "mailto:")
	found, _ := collect(audit.Document(source("s.xml", []byte(text)),
		&audit.Options{Only: []sitemap.Code{sitemap.BadScheme}}))
	if len(found) != 150 || !found[149].Dropped {
		t.Errorf("%d findings", len(found))
	}
}

func TestOptions_OnlyAndDisable(t *testing.T) {
	text := one("<priority>9</priority><lastmod>never</lastmod>")
	for _, test := range []struct {
		only, disable []sitemap.Code
		want          string
	}{
		{nil, nil, "[bad_lastmod bad_priority element_order]"},
		{[]sitemap.Code{"bad_lastmod", "element_order"}, nil, "[bad_lastmod element_order]"},
		{nil, []sitemap.Code{"bad_lastmod"}, "[bad_priority element_order]"},
		{[]sitemap.Code{"bad_lastmod", "element_order"}, []sitemap.Code{"bad_lastmod"}, "[element_order]"},
	} {
		o := &audit.Options{Only: test.only, Disable: test.disable, Time: testTime}
		found, err := collect(audit.Document(source("s.xml", []byte(text)), o))
		if got := fmt.Sprint(codes(found)); got != test.want || err != nil {
			t.Errorf("%v, %v: %s, want %s, %v", test.only, test.disable, got, test.want, err)
		}
	}
}

// A single document is judged by its own location, if that is known, and by what it shows itself.
func TestDocument_Alone(t *testing.T) {
	for _, test := range []struct {
		base, locs string
		want       string // codes with severities
	}{
		{"https://www.example.com/a/s.xml", "https://www.example.com/a/b", ""},
		{"https://www.example.com/a/s.xml", "https://www.example.com/b", "untrusted_loc warning"},
		{"https://www.example.com/s.xml", "http://www.example.com/b", "untrusted_loc warning"},
		{"https://www.example.com/s.xml", "https://www.example.com:8443/b", "untrusted_loc warning"},
		{"https://www.example.com/s.xml", "https://other.example.net/b", "untrusted_loc error"},
		{"https://www.example.com/s.xml", "http://localhost/b", "local_host error"},
		{"", "https://a.example.com/ https://b.example.com/", "mixed_hosts warning"},
		{"", "http://localhost:4000/ http://localhost:4000/b", "local_host error"},
		{"", "http://[::1]/", "local_host error"},
		{"", "http://nas.local/", ""},
		{"", "http://localhost:4000/ https://a.example.com/", "local_host error"},
		{"", "http://10.0.0.1/x https://a.example.com/", "local_host error"},
		{"http://localhost:4000/s.xml", "http://localhost:4000/b", ""},
	} {
		var b strings.Builder
		b.WriteString(urlsetStart)
		for loc := range strings.FieldsSeq(test.locs) {
			b.WriteString("<url><loc>" + loc + "</loc></url>")
		}
		src := source("s.xml", []byte(b.String()+urlsetEnd))
		if test.base != "" {
			src.Base, _ = url.Parse(test.base)
		}
		found, err := collect(audit.Document(src, &audit.Options{Time: testTime}))
		got := ""
		for _, f := range found {
			got = strings.TrimSpace(got + " " + string(f.Code) + " " + f.Severity.String())
			if f.Pos.Line == 0 || f.Column == 0 {
				t.Errorf("%+v has no place", f)
			}
		}
		if got != test.want || err != nil {
			t.Errorf("%s: %s: %q, want %q, %v", test.base, test.locs, got, test.want, err)
		}
	}
}

// The pages of one document name each other.
func TestDocument_Returns(t *testing.T) {
	const link = `<xhtml:link rel="alternate" hreflang="%s" href="https://www.example.com/%d"/>`
	for want, back := range map[int]string{1: "", 0: fmt.Sprintf(link, "en", 0) + fmt.Sprintf(link, "de", 1)} {
		text := entries(2, func(i int) string {
			if i == 0 {
				return fmt.Sprintf(link, "en", 0) + fmt.Sprintf(link, "de", 1)
			}
			return back
		})
		found, _ := collect(audit.Document(source("s.xml", []byte(text)),
			&audit.Options{Only: []sitemap.Code{audit.HreflangNoReturn}}))
		if len(found) != want || want > 0 && found[0].Loc != "https://www.example.com/1" {
			t.Errorf("%v", found)
		}
	}
}

// A page that is repeated without its alternates has one finding. So has a date that cannot be meant.
func TestDocument_OneFinding(t *testing.T) {
	const link = `<xhtml:link rel="alternate" hreflang="%s" href="https://www.example.com/%d"/>`
	both := fmt.Sprintf(link, "en", 0) + fmt.Sprintf(link, "de", 1)
	repeated := strings.Replace(entries(2, func(int) string { return both }), urlsetEnd,
		"<url><loc>https://www.example.com/1</loc></url>"+urlsetEnd, 1)
	for text, want := range map[string]string{
		repeated:                             "duplicate_loc warning",
		one("<lastmod>1970-01-01</lastmod>"): "implausible_lastmod warning",
	} {
		found, err := collect(audit.Document(source("s.xml", []byte(text)), &audit.Options{Time: testTime}))
		if got := said(found); got != want || err != nil {
			t.Errorf("%s: %s, want %s, %v", text, got, want, err)
		}
	}
}

func TestDuplicates_Spellings(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"https://example.com/a", "https://example.com/a", "duplicate_loc warning"},
		{"https://example.com/a", "http://www.example.com:80/a", "same_page_variants warning"},
		{"https://example.com/a?b", "https://example.com/a?b#c", "same_page_variants warning"},
		{"https://example.com/%7ea", "https://example.com/~a", "same_page_variants warning"},
		{"https://example.com/x/../a", "https://example.com/a", "same_page_variants warning"},
		{"https://example.com", "https://example.com/", "same_page_variants warning"},
		{"https://example.com?a", "https://example.com/?a", "same_page_variants warning"},
		{"https://example.com/\u00e9", "https://example.com/%c3%a9", "same_page_variants warning"},
		{"https://example.com/%c3%a9", "https://example.com/%C3%A9", "same_page_variants warning"},
		{"https://example.com/%C3%A9/", "https://example.com/%c3%a9", "same_page_variants info"},
		{"https://example.com/a/", "https://example.com/a", "same_page_variants info"},
		{"https://example.com/A?b", "https://example.com/a?b", "same_page_variants info"},
		{"https://example.com/a?B", "https://example.com/a?b", ""},
		{"https://example.com/a", "https://example.com/b", ""},
	} {
		text := urlsetStart + "<url><loc>" + test.a + "</loc></url><url><loc>" + test.b +
			"</loc></url>" + urlsetEnd
		o := &audit.Options{Only: []sitemap.Code{sitemap.DuplicateLoc, audit.SamePageVariants}}
		found, _ := collect(audit.Document(source("s.xml", []byte(text)), o))
		got := ""
		for _, f := range found {
			got += string(f.Code) + " " + f.Severity.String()
		}
		if got != test.want {
			t.Errorf("%s and %s: %q, want %q", test.a, test.b, got, test.want)
		}
	}
}
