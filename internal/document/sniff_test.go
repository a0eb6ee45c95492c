package document

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/input"
)

func TestSniff(t *testing.T) {
	const declared = `<?xml version="1.0" encoding="UTF-8"?>`
	long := strings.Repeat("x", maxJunk+1)
	for _, test := range []struct {
		doc  string
		want string // format, codes of problems, the next bytes
		err  error
	}{
		{`<urlset>`, "urlset [] <urlset", nil},
		{`<?xml version="1.0"?><!-- c --><?p?><sitemapindex a="b">`, "sitemapindex [] <sitemapi",
			nil},
		{" \n<?xml version='1.0'?><urlset/>", "urlset [leading_whitespace] <urlset/>", nil},
		{"\ufeff<urlset/>", "urlset [] <urlset/>", nil},
		{"junk<urlset/>", "urlset [junk_before_root] <urlset/>", nil},
		{"<br><b>Warning</b>: x<urlset/>", "urlset [junk_before_root] <urlset/>", nil},
		{"<!DOCTYPE urlset [<!ENTITY a 'b'>]><urlset/>", "urlset [doctype] <urlset/>", nil},
		{"<!DOCTYPE urlset [<urlset><url><loc><![CDATA[x]]></loc>",
			"urlset [mismatched_tag doctype] <urlset", nil},
		{"<x:URLSET/>", "urlset [] <x:URLSET", nil},
		{"<root>\u00a0<url><loc>", "urlset [missing_root] <root>", nil},
		{"<root><?xml version='1.0'?><url><loc>", "urlset [missing_root] <root>", nil},
		{"<root><!DOCTYPE a><url><loc>", "urlset [missing_root] <root>", nil},
		{"<root><urlset/>", "urlset [wrapped_root] <urlset/>", nil},
		{"<s:Envelope><s:Body><urlset/>", "urlset [wrapped_root] <urlset/>", nil},
		{"<opml><head/><body/></opml>", "", sitemap.ErrUnknownXML},
		{"Error\n<body>x</body>", "", sitemap.ErrHTML},
		{"<div><body>x</body></div>", "", sitemap.ErrHTML},
		{"<rdf:RDF>", "rss [] <rdf:RDF>", nil},
		{"<rss>", "rss [] <rss>", nil},
		{"<feed>", "atom [] <feed>", nil},
		{"<!-- " + strings.Repeat("x", 200_000) + " --><feed>", "atom [] <feed>", nil},
		{"<urlset xmlns='http", "urlset [] <urlset x", nil},
		{"<urlset\txmlns", "urlset [] <urlset\t", nil},
		{"<urlset\r", "urlset [] <urlset\r", nil},
		{declared + "<!DOCTYPE urlset [ <!ENTITY e \"<html>\"> " +
			strings.Repeat("<!ENTITY f \"xxxxxxxxxxxxxxxx\">", 60) + "]><urlset>",
			"urlset [doctype] <urlset", nil},
		{declared + "<?p " + strings.Repeat("<html>", 200) + "?><urlset>", "urlset [] <urlset",
			nil},
		{declared + "\n<![CDATA[" + strings.Repeat("x", 960) + " <urlset> " +
			strings.Repeat("x", 50) + "]]>\n<urlset>", "", sitemap.ErrUnknownXML},
		{"<!-- a -- b --><urlset>", "urlset [mismatched_tag] <urlset", nil},
		{"<!-- \x01 --><urlset>", "urlset [control_char] <urlset", nil},
		{"<!-- c --><?xml version='1.0'?><urlset>", "urlset [mismatched_tag] <urlset", nil},
		{"<?xml version='1.0'?>\n<?xml version='1.0'?><urlset>", "urlset [mismatched_tag] <urlset",
			nil},
		{"junk<?xml version='1.0'?><!-- a -- b --><urlset>", "urlset [junk_before_root] <urlset",
			nil},
		{"http://a.example/1\nhttp://a.example/2\n<html>404</html>\n", "text [] http://a", nil},
		{"http://a.example/1\nhttp://a.example/?q=<feed>\nhttp://a.example/2\n", "text [] http://a",
			nil},
		{"http://a.example/1\nhttp://a.example/?q=<rss>&b=<urlset/>", "text [] http://a", nil},
		{"http://a.example/?q=<feed>\n", "text [] http://a", nil},
		{"http://a.example/?q=<feed", "text [] http://a", nil},
		{"http://a.example/1\n<feed>\n<entry>", "atom [junk_before_root] <feed>", nil},
		{"Warning\n<html>404</html>\n", "", sitemap.ErrHTML},
		{"http://a.example/", "text [] http://a", nil},
		{"# c\nhttp://a.example/", "text [] # c\nhttp", nil},
		{"<http://a.example/>\nhttp://b.example/", "text [] <http://", nil},
		{"[1] x", "text [] [1] x", nil},
		{"", "", sitemap.ErrEmpty},
		{" \u00a0\n", "", sitemap.ErrEmpty},
		{"<html><urlset/>", "", sitemap.ErrHTML},
		{"<!DOCTYPE html><p>", "", sitemap.ErrHTML},
		{"<p>no", "", sitemap.ErrHTML},
		{"<Error/>", "", sitemap.ErrUnknownXML},
		{"<x>" + long + "<urlset/>", "", sitemap.ErrUnknownXML},
		{"<?xml version='1.0'?>", "", sitemap.ErrTruncated},
		{"<?xml version='1.0' enc", "", sitemap.ErrTruncated},
		{declared + "\n<!-- generator", "", sitemap.ErrTruncated},
		{declared + "\n<!-- " + long, "", sitemap.ErrTruncated},
		{declared + "<!DOCTYPE urlset [<!ENTITY a 'b'>]", "", sitemap.ErrTruncated},
		{declared + "<x/><!-- generator", "", sitemap.ErrUnknownXML},
		{`{"a": 1}`, "", sitemap.ErrJSON},
		{`["a"]`, "", sitemap.ErrJSON},
		{"%PDF-1.4\n", "", sitemap.ErrBinary},
		{"PK\x03\x04\x14\x00", "", sitemap.ErrZip},
		{"sitemap.xml" + strings.Repeat("\x00", 246) + "ustar\x00" + strings.Repeat("\x00", 249), "", sitemap.ErrTar},
		{"GIF89a\x01\x00\x01\x00\x80", "", sitemap.ErrBinary},
		{"http://a.example/\n" + strings.Repeat("\x00", 900), "text [] http://a", nil},
		{"http://a.example/\r\n" + strings.Repeat("\x00", 99) + "http://b.example/" +
			strings.Repeat("\x00", 99) + "\r\n", "text [] http://a", nil},
		{strings.Repeat("\x00", 900), "", sitemap.ErrBinary},
		{"sitemap.txt" + strings.Repeat("\x00", 99) + "0000644\x00" + strings.Repeat("\x00", 99) + "x",
			"", sitemap.ErrBinary},
	} {
		for name, in := range map[string]*input.Reader{
			"whole":        input.Open(strings.NewReader(test.doc), nil),
			"byte by byte": input.Open(iotest.OneByteReader(strings.NewReader(test.doc)), nil),
		} {
			var codes []string
			f, err := Sniff(in, func(p sitemap.Problem) { codes = append(codes, string(p.Code)) })
			got := ""
			if err == nil {
				next := in.Window()
				got = fmt.Sprintf("%v %v %s", f, codes,
					next[:min(len(next), max(8, len("<sitemapi")))])
			}
			if !strings.HasPrefix(got, test.want) || (test.want == "") != (got == "") ||
				!errors.Is(err, test.err) {
				t.Errorf("%s: %.60q: %q, %v; want %q, %v", name, test.doc, got, err, test.want,
					test.err)
			}
			in.Close()
		}
	}
}

func TestSniff_JunkPosition(t *testing.T) {
	in := input.Open(strings.NewReader("<?xml version='1.0'?>\n junk\n<urlset>"), nil)
	defer in.Close()
	var got []sitemap.Problem
	if _, err := Sniff(in, func(p sitemap.Problem) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	want := sitemap.Problem{Code: sitemap.JunkBeforeRoot,
		Pos: sitemap.Position{Offset: 23, Line: 2, Column: 2}, Text: "junk\n"}
	if len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestSniff_SourceError(t *testing.T) {
	broken := errors.New("broken")
	in := input.Open(iotest.ErrReader(broken), nil)
	defer in.Close()
	if _, err := Sniff(in, nil); err != broken {
		t.Errorf("err = %v", err)
	}
}

func TestContentType(t *testing.T) {
	for _, test := range []struct {
		media  string
		format sitemap.Format
		layers int
		want   bool
	}{
		{"application/xml", sitemap.URLSet, 0, false},
		{"text/xml; charset=utf-8", sitemap.RSS, 0, false},
		{"text/plain", sitemap.Text, 0, false},
		{"text/plain", sitemap.URLSet, 0, true},
		{"text/html", sitemap.URLSet, 0, true},
		{"application/xml", sitemap.Text, 0, true},
		{"application/rss+xml", sitemap.Atom, 0, true},
		{"application/gzip", sitemap.URLSet, 0, true},
		{"application/x-gzip", sitemap.URLSet, 1, false},
		{"application/xml", sitemap.URLSet, 1, false},
		{"application/octet-stream", sitemap.URLSet, 0, false},
		{"image/png", sitemap.URLSet, 0, true},
		{"", sitemap.URLSet, 0, false},
		{"nonsense", sitemap.URLSet, 0, false},
	} {
		if got := Contradicts(test.media, test.format, test.layers); got != test.want {
			t.Errorf("Contradicts(%q, %v, %d) = %v", test.media, test.format, test.layers, got)
		}
	}
}
