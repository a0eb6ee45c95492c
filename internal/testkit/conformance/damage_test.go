package conformance

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

var (
	damages    = flag.Int("damages", 1_500, "random damages to try")
	step       = flag.Int("step", 5, "bytes between the places of openers to try")
	damageSeed = flag.Uint64("damageseed", 1, "seed of the damages")
)

// A sample is a valid document, entry by entry.
type sample struct {
	name      string
	open, end string
	entries   []string
	sep       string // between entries
	options   sitemap.Options
}

// document returns the document with entry k replaced by b.
func (s *sample) document(k int, b []byte) []byte {
	doc := []byte(s.open)
	for i, e := range s.entries {
		if i == k {
			doc = append(doc, b...)
		} else {
			doc = append(doc, e...)
		}
		doc = append(doc, s.sep...)
	}
	return append(doc, s.end...)
}

func samples() []*sample {
	const n = 6
	sm := `xmlns="` + protocolNS + `"`
	decl := `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	list := []*sample{
		{name: "urlset", open: decl + "<urlset " + sm + ">\n", end: "</urlset>\n", sep: "\n"},
		{name: "compact", open: decl + "<urlset " + sm + ">", end: "</urlset>"},
		{name: "extensions", open: decl + "<urlset " + sm +
			` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"` +
			` xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">` + "\n", end: "</urlset>\n", sep: "\n"},
		{name: "prefixed", open: decl + `<s:urlset xmlns:s="` + protocolNS + "\">\r\n",
			end: "</s:urlset>\r\n", sep: "\r\n"},
		{name: "index", open: decl + "<sitemapindex " + sm + ">\n", end: "</sitemapindex>\n",
			sep: "\n"},
		{name: "rss", open: decl +
			`<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>T</title>` +
			"<link>http://www.example.com/</link>\n", end: "</channel></rss>\n", sep: "\n"},
		{name: "atom", open: decl +
			`<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><link href="http://www.example.com/"/>` + "\n",
			end: "</feed>\n", sep: "\n"},
		{name: "text", sep: "\n",
			options: sitemap.Options{ContentType: "text/plain; charset=utf-8"}},
	}
	for i := range n {
		for _, s := range list {
			s.entries = append(s.entries, sampleEntry(s.name, i))
		}
	}
	base := &url.URL{Scheme: "http", Host: "www.example.com", Path: "/sitemap"}
	for _, s := range list {
		s.options.Base = base
	}
	return list
}

// sampleEntry returns entry i of a sample; all have metadata of their own.
func sampleEntry(name string, i int) string {
	loc := fmt.Sprintf("http://www.example.com/%d/caf\u00e9?a=%d&amp;b=2", i, i)
	date := fmt.Sprintf("2024-05-%02dT07:08:%02dZ", i+1, i+10)
	switch name {
	case "urlset":
		return fmt.Sprintf("<url>\n\t<loc>%s</loc>\n\t<lastmod>%s</lastmod>\n\t<changefreq>%s</changefreq>\n\t<priority>0.%d</priority>\n</url>",
			loc, date, sitemap.ChangeFreq(i+1), i)
	case "compact":
		return fmt.Sprintf("<url><lastmod>%s</lastmod><loc><![CDATA[http://www.example.com/%d]]></loc><priority>0.%d</priority></url>", date, i, i)
	case "extensions":
		return fmt.Sprintf("<url><loc>%s</loc>\n<xhtml:link rel='alternate' hreflang=\"de\" href=\"%s/de\"/>\n<image:image><image:loc>%s.png</image:loc>"+
			"<image:title><![CDATA[No. %d <b>]]></image:title></image:image>\n<!-- no. %d --><news:news><news:publication><news:name>N%d</news:name>"+
			"<news:language>en</news:language></news:publication><news:publication_date>%s</news:publication_date><news:title>T%d</news:title></news:news></url>",
			loc, loc, loc, i, i, i, date, i)
	case "prefixed":
		return fmt.Sprintf("<s:url>\r\n\t<s:loc>%s</s:loc>\r\n\t<s:priority>0.%d</s:priority>\r\n\t<s:lastmod>%s</s:lastmod>\r\n</s:url>", loc, i, date)
	case "index":
		return fmt.Sprintf("<sitemap>\n<loc>%s</loc>\n<lastmod>%s</lastmod>\n</sitemap>", loc, date)
	case "rss":
		return fmt.Sprintf("<item>\n<title>No. %d</title>\n<link>%s</link>\n<guid isPermaLink=\"false\">id-%d</guid>\n<pubDate>%02d May 2024 07:08:09 GMT</pubDate>\n"+
			"<content:encoded><![CDATA[<p>Text %d</p>]]></content:encoded>\n</item>", i, loc, i,
			i+1, i)
	case "atom":
		return fmt.Sprintf("<entry>\n<title>No. %d</title>\n<link rel=\"alternate\" href=\"%s\"/>\n<id>urn:%d</id>\n<updated>%s</updated>\n"+
			"<summary type='html'>&lt;p&gt;Text %d</summary>\n</entry>", i, loc, i, date, i)
	default:
		return fmt.Sprintf("http://www.example.com/%d/caf\u00e9?a=%d&b=2", i, i)
	}
}

// splinters are the strings that damage inserts, apart from random bytes.
var splinters = []string{"<", ">", "</", "/>", "&", "&amp", ";", "\"", "'", "=", "]]>", "-->",
	"<!--", "<![CDATA[", "<?", "?>", "<!", "]", "-", "<url>", "</url>",
	"<loc>", "</loc>", "<item>", "</entry>", "<a", "</a>", " x=\"", "\n", "\r", "\t", " ", "\x00",
	"\x01", "\xff", "\xc3", "\u00a0", "{", "[", "#"}

// damage returns b damaged at random, never unchanged, and a description of the damage.
func damage(rnd *rand.Rand, b string) (damaged []byte, how string) {
	for {
		i := rnd.IntN(len(b))
		n := 1 + rnd.IntN(1+rnd.IntN(len(b)-i))
		switch rnd.IntN(5) {
		case 0:
			how, damaged = "delete", []byte(b[:i]+b[i+n:])
		case 1:
			s := splinters[rnd.IntN(len(splinters))]
			if rnd.IntN(4) == 0 {
				s = string([]byte{byte(rnd.IntN(256)), byte(rnd.IntN(256))}[:1+rnd.IntN(2)])
			}
			how, damaged = "insert", []byte(b[:i]+s+b[i:])
		case 2:
			damaged = []byte(b)
			for range 1 + rnd.IntN(3) {
				damaged[rnd.IntN(len(b))] ^= 1 << rnd.IntN(8)
			}
			how = "flip"
		case 3:
			how, damaged = "duplicate", []byte(b[:i+n]+b[i:])
		default:
			if rnd.IntN(2) == 0 {
				how, damaged = "truncate the start", []byte(b[i+1:])
			} else {
				how, damaged = "truncate", []byte(b[:i])
			}
		}
		if string(damaged) != b {
			return damaged, how
		}
	}
}

// opens reports whether the damaged entry contains markup that starts more often than it ends, or a
// quote without its pair. The package documentation of xmlscan says that such damage may cost a
// neighbor.
func opens(damaged []byte) bool {
	more := func(open, end string) bool {
		return bytes.Count(damaged, []byte(open)) > bytes.Count(damaged, []byte(end))
	}
	return more("<!--", "-->") || more("<![CDATA[", "]]>") || more("<?", "?>") || more("<!", ">")
}

var startsMarkup = regexp.MustCompile(`^\s*<[a-zA-Z!?]`)

// Random damage to one entry of a valid document costs no other entry. To try a million: go test
// ./internal/testkit/conformance -run Damage -damages 1000000.
func TestDamage(t *testing.T) {
	list := samples()
	sound := make([]outcome, len(list))
	for i, s := range list {
		sound[i] = readBytes(s.document(-1, nil), s.options)
		if len(sound[i].entries) != len(s.entries) || sound[i].err != nil ||
			len(sound[i].problems) > 0 {
			t.Fatalf("%s: %d entries, %v, %v", s.name, len(sound[i].entries), sound[i].problems,
				sound[i].err)
		}
	}
	var failures, opened, cost int
	kinds := map[string]int{}
	for i := range *damages {
		rnd := rand.New(rand.NewPCG(*damageSeed, uint64(i)))
		d := rnd.IntN(len(list))
		s, k := list[d], rnd.IntN(len(list[d].entries))
		damaged, how := damage(rnd, s.entries[k])
		if s.name == "text" && k == 0 && startsMarkup.Match(damaged) {
			continue // no text any more: the start of the document decides its format (T17)
		}
		doc := s.document(k, damaged)
		out := readBytes(doc, s.options)
		lost := neighboursLost(sound[d].entries, out.entries, k, len(damaged)-len(s.entries[k]))
		if opens(damaged) {
			opened++
			cost += min(lost, 1)
			lost = max(0, lost-1)
		}
		if lost == 0 {
			continue
		}
		failures++
		kinds[s.name+": "+how]++
		if failures <= 5 {
			t.Errorf("damage %d (%s of entry %d of %s) costs %d neighbours: %q\nerror %v, of document\n%q", i, how, k, s.name, lost, damaged, out.err, doc)
		}
	}
	t.Logf("%d damages; %d cost a neighbour; %d opened a construct, of which %d cost one", *damages,
		failures, opened, cost)
	for _, kind := range sortedKeys(kinds) {
		t.Logf("%6d %s", kinds[kind], kind)
	}
}

// The start of a construct at many places of an entry costs at most one neighbor.
func TestOpeners(t *testing.T) {
	failures := 0
	for _, s := range samples() {
		sound := readBytes(s.document(-1, nil), s.options)
		for n, k := range []int{0, len(s.entries) - 1} {
			for i := n; i <= len(s.entries[k]); i += *step {
				for _, opener := range []string{"<!--", "<![CDATA[", "<?", "<!", "<a b=\""} {
					damaged := []byte(s.entries[k][:i] + opener + s.entries[k][i:])
					if s.name == "text" && startsMarkup.Match(damaged) {
						continue
					}
					out := readBytes(s.document(k, damaged), s.options)
					lost := neighboursLost(sound.entries, out.entries, k, len(opener))
					if lost <= 1 {
						continue
					}
					if failures++; failures <= 5 {
						t.Errorf("%q at byte %d of entry %d of %s costs %d neighbours", opener, i,
							k, s.name, lost)
					}
				}
			}
		}
	}
	if failures > 5 {
		t.Errorf("%d failures in all", failures)
	}
}

// neighboursLost counts the entries of want other than k that got lacks or has changed. The damaged
// entry may have become any number of entries, and the offsets after it have grown by shift.
func neighboursLost(want, got []sitemap.Entry, k, shift int) int {
	before, after := want[:k], want[k+1:]
	n := 0
	for n < len(before) && n < len(got) && sameAt(before[n], got[n], 0) {
		n++
	}
	m := 0
	for m < len(after) && m < len(got)-n &&
		sameAt(after[len(after)-1-m], got[len(got)-1-m], shift) {
		m++
	}
	return len(want) - 1 - n - m
}

// sameAt compares two entries, the second of which is shift bytes further.
func sameAt(a, b sitemap.Entry, shift int) bool {
	a.Pos.Offset += int64(shift)
	a.Pos.Line, b.Pos.Line, a.Pos.Column, b.Pos.Column = 0, 0, 0, 0
	return reflect.DeepEqual(a, b)
}

func TestNeighboursLost(t *testing.T) {
	entries := func(s string) (list []sitemap.Entry) {
		for _, loc := range strings.Fields(s) {
			list = append(list, sitemap.Entry{Loc: loc})
		}
		return list
	}
	for _, c := range []struct {
		got  string
		want int
	}{
		{"a b c d", 0}, {"a c d", 0}, {"a x y c d", 0}, {"a d", 1}, {"", 3}, {"c d", 1},
		{"a b d c", 2}, {"a b c", 2},
	} {
		if lost := neighboursLost(entries("a b c d"), entries(c.got), 1, 0); lost != c.want {
			t.Errorf("%q: %d lost, want %d", c.got, lost, c.want)
		}
	}
}
