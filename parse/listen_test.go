package parse_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
	doc "github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/input"
	"github.com/seed-322c453a/sitemap/internal/xmlscan"
	"github.com/seed-322c453a/sitemap/parse"
)

// A recorder writes down what it hears, with the last call for each element.
type recorder struct {
	text  string
	heard []string
	in    *input.Reader
	last  int64
}

func (r *recorder) Start(in *input.Reader)    { r.in = in }
func (r *recorder) Root(root *xmlscan.Reader) { r.heard = append(r.heard, string(root.Raw())) }

func (r *recorder) End() { r.heard = append(r.heard, "end") }

func (r *recorder) Entry(offset int64, fields []doc.Field) {
	s := "0 <url>"
	for _, f := range fields {
		name := []string{"", "loc", "lastmod", "changefreq", "priority"}[f.Kind]
		value, isThere := strings.CutPrefix(r.text[f.Offset:], "<"+name+">")
		if value, _, _ = strings.Cut(value, "</"); !isThere {
			value = "at a wrong offset"
		}
		s += " " + name + "=" + value
	}
	r.heard, r.last = append(r.heard, s), offset
}

func (r *recorder) Extension(int64, []byte, []sitemap.Alternate, []int64, []sitemap.Image) bool {
	return false
}

func (r *recorder) Element(x *xmlscan.Reader, depth int) {
	if at := x.Offset(); at == r.last {
		r.heard = r.heard[:len(r.heard)-1]
	} else {
		r.last = at
	}
	r.heard = append(r.heard, fmt.Sprintf("%d %s", depth, x.Raw()))
}

func (r *recorder) Text(text []byte, isRaw bool, depth int) {
	if s := strings.TrimSpace(string(text)); s != "" {
		r.heard = append(r.heard, fmt.Sprintf("%d %t %s", depth, isRaw, s))
	}
}

// A listener hears each element and each text of entries with its depth, whatever shape they have.
func TestReader_Listen(t *testing.T) {
	const head = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">`
	const first = "<url><loc>http://z.example/</loc></url>" // the short cut starts after it
	const heardFirst = "0 <url> | 1 <loc> | 1 true http://z.example/"
	for body, want := range map[string]string{
		`<url><loc>http://a.example/</loc><lastmod>2024-05-06</lastmod></url>`:                                        "0 <url> loc=http://a.example/ lastmod=2024-05-06",
		`<url><!-- c --><priority>0.5</priority><loc><![CDATA[http://a.example/]]></loc></url>`:                       "0 <url> priority=0.5 loc=<![CDATA[http://a.example/]]>",
		`<url><loc>http://a.example/</loc><image:image><image:loc>http://a.example/i</image:loc></image:image></url>`: "0 <url> loc=http://a.example/ | 1 <image:image> | 2 <image:loc> | 2 true http://a.example/i",
		`<url><loc>&#233;http://a.example/</loc><changefreq>daily</changefreq></url>`:                                 "0 <url> | 1 <loc> | 1 true &#233;http://a.example/ | 1 <changefreq> | 1 true daily",
		`<url><loc>http://a.example/</loc><changefreq> daily</changefreq></url>`:                                      "0 <url> loc=http://a.example/ | 1 <changefreq> | 1 true daily",
		`<url id="1"><loc>http://a.example/</loc><lastmod>2024-05-06</lastmod></url>`:                                 `0 <url id="1"> | 1 <loc> | 1 true http://a.example/ | 1 <lastmod> | 1 true 2024-05-06`,
		`<url><loc>http://a.example/<lastmod>2024</lastmod></url>`:                                                    "0 <url> | 1 <loc> | 1 true http://a.example/ | 1 <lastmod> | 1 true 2024",
		`<url><xhtml:link rel="a"/><xhtml:link rel="b"/><loc>http://a.example/</loc></url>`:                           `0 <url> | 1 <xhtml:link rel="a"/> | 1 <xhtml:link rel="b"/> | 1 <loc> | 1 true http://a.example/`,
		`<url><loc>http://a.example/</loc><url xmlns="urn:x"><note>n</note></url><lastmod>2024</lastmod></url>`:       `0 <url> loc=http://a.example/ | 1 <url xmlns="urn:x"> | 2 <note> | 2 true n | 1 <lastmod> | 1 true 2024`,
		`<url><loc>http://a.example/</loc>x<url><loc>http://b.example/</loc></url>`:                                   "0 <url> loc=http://a.example/ | 0 true x | 0 <url> | 1 <loc> | 1 true http://b.example/",
	} {
		text := head + first + body + "</urlset>" + strings.Repeat(" ", 40)
		for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
			heard := &recorder{text: text, last: -1}
			d, err := parse.NewReader(wrap(strings.NewReader(text)), nil)
			if err != nil {
				t.Fatal(err)
			}
			d.Listen(heard)
			for range d.Entries() {
			}
			if got := strings.Join(heard.heard, " | "); got != head+" | "+heardFirst+" | "+want+" | end" {
				t.Errorf("%s:\n%s\nwant\n%s", body, got, want)
			}
		}
	}
}
