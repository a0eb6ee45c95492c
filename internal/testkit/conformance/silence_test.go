package conformance

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

// alterations change one thing that holds data in a document. Each match of the pattern is replaced
// in turn.
var alterations = []struct {
	name    string
	pattern *regexp.Regexp
	with    string
}{
	{"without a tag", regexp.MustCompile(`</?[\w:]+(?: [^<>]*[^<>/])?>`), ""},
	{"without the '<' of a tag", regexp.MustCompile(`<(/?[\w:]+)`), "$1"},
	{"without the '>' of a tag", regexp.MustCompile(`(</?[\w:]+)>`), "$1"},
	{"with another start tag", regexp.MustCompile(`<([\w:]+)([^<>]*>)`), "<${1}x$2"},
	{"with another end tag", regexp.MustCompile(`</([\w:]+)>`), "</${1}x>"},
	{"with another element", regexp.MustCompile(`<(\w+)((?: [^<>]*)?>[^<>]*</)\w+>`),
		"<${1}x$2${1}x>"},
	{"without a text", regexp.MustCompile(`(<[\w:]+>)[^<>]+(</)`), "$1$2"},
	{"with another text", regexp.MustCompile(`(<[\w:]+>)[^<>]+(</)`), "$1?$2"},
	{"without a quote", regexp.MustCompile(`(<[\w:]+[^<>"]*)"([^<>"]*")`), "$1$2"},
	{"without the second quote", regexp.MustCompile(`(<[\w:]+[^<>"]*"[^<>"]*)"`), "$1"},
	{"without a slash", regexp.MustCompile(`</([\w:]+>)`), "<$1"},
}

// whatever are the elements and attributes whose value may be any text, so that another value is
// no defect, and elements that are not read.
var whatever = regexp.MustCompile(`(?i)^<(\w+:)?(title|caption|description|name|language|id|guid|` +
	`summary|content|encoded|author|creator|category|tag|keywords|genres|geo_location|license|` +
	`stock_tickers|uploader|access|comments|rights|x|y|z|a|b|note|generator|uri|email|source|` +
	`copyright|managingeditor|webmaster|ttl|docs|url|width|height|credit|rating|text|p|div|br|` +
	`show_title|video_type|episode_title|price|platform|restriction|subtitle|tagline|info)x?\b`)

var site = &url.URL{Scheme: "http", Host: "www.example.com", Path: "/"}

// problemsOf returns the problems and the error of a document as text, without their places.
func problemsOf(o outcome) string {
	var b strings.Builder
	for _, p := range o.problems {
		fmt.Fprintln(&b, p.Code, p.Field, p.Text, p.Dropped)
	}
	fmt.Fprint(&b, errorCode(o.err))
	return b.String()
}

// essence returns entries without what may hold anything.
func essence(entries []sitemap.Entry) []sitemap.Entry {
	entries = withoutPlaces(entries)
	for i := range entries {
		if e := entries[i].Extensions; e != nil {
			entries[i].Extensions = nil
		}
	}
	return entries
}

// Nothing that held data is dropped in silence: if one thing of a document is removed or altered,
// the entries are the same, or a problem is reported. Feeds may have elements of any name.
func TestNothingIsDroppedInSilence(t *testing.T) {
	read, silent := 0, 0
	for _, dir := range []string{"urlset", "sitemapindex", "rss", "atom"} {
		paths, err := filepath.Glob(filepath.Join("../../../testdata", dir, "*.xml"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d documents, %v", dir, len(paths), err)
		}
		for _, path := range paths {
			doc, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sound := readBytes(doc, sitemap.Options{Base: site})
			told := problemsOf(sound)
			if sound.err != nil || strings.HasSuffix(path, "-cut.xml") { // cut already
				continue
			}
			for _, a := range alterations {
				for _, m := range a.pattern.FindAllSubmatchIndex(doc, -1) {
					renamed := a.name == "with another element" ||
						a.name == "with another start tag" && doc[m[1]-2] == '/'
					if whatever.Match(doc[m[0]:m[1]]) || renamed && (dir == "rss" || dir == "atom") ||
						a.name == "without a text" && regexp.MustCompile(`links?.xml$`).MatchString(path) {
						continue // one of several links, which are reported
					}
					altered := a.pattern.Expand(bytes.Clone(doc[:m[0]]), []byte(a.with), doc, m)
					altered = append(altered, doc[m[1]:]...)
					out := readBytes(altered, sitemap.Options{Base: site})
					read++
					if problemsOf(out) != told ||
						reflect.DeepEqual(essence(out.entries), essence(sound.entries)) {
						continue
					}
					if silent++; silent <= 10 {
						t.Errorf("%s %s, %q, gives other entries:\n%s", path, a.name,
							doc[m[0]:m[1]], altered)
					}
				}
			}
		}
	}
	if read < 1000 {
		t.Errorf("%d altered documents", read)
	}
	t.Logf("%d altered documents, %d silent", read, silent)
}
