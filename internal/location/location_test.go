package location

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
)

func mustParse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// cleanTests are locations in a document at http://www.example.com/dir/map.xml?v=1.
var cleanTests = []struct {
	name, raw, loc string
	codes          []sitemap.Code
	drop           sitemap.Code
}{
	{name: "plain", raw: "https://shop.example/a/b.html?x=1#top",
		loc: "https://shop.example/a/b.html?x=1#top"},
	{name: "as listed", raw: "HTTP://Shop.Example:80/a/../b//c/./%7e?q=%zz1#F",
		loc:   "HTTP://Shop.Example:80/a/../b//c/./%7e?q=%zz1#F",
		codes: []sitemap.Code{sitemap.BadEscape}},
	{name: "no path", raw: "http://shop.example", loc: "http://shop.example"},
	{name: "no path, query", raw: "http://shop.example?x=1", loc: "http://shop.example?x=1"},
	{name: "quotes and brackets", raw: `http://shop.example/?q="a'<b>`,
		loc: `http://shop.example/?q="a'<b>`},
	{name: "backslash in path", raw: `http://shop.example/a\b`, loc: `http://shop.example/a\b`},
	{name: "ampersands", raw: "http://shop.example/?a=1&b=2", loc: "http://shop.example/?a=1&b=2"},
	{name: "IRI", raw: "http://bücher.example/straße?q=ü", loc: "http://bücher.example/straße?q=ü"},
	{name: "no-break space inside", raw: "http://shop.example/a\u00a0b",
		loc: "http://shop.example/a\u00a0b"},
	{name: "underscore in host", raw: "http://my_shop.example/", loc: "http://my_shop.example/"},
	{name: "hyphens in host", raw: "http://R3---sn-x.Example/", loc: "http://R3---sn-x.Example/"},
	{name: "trailing dot", raw: "http://shop.example./", loc: "http://shop.example./"},
	{name: "IPv4", raw: "http://192.0.2.7:8080/a", loc: "http://192.0.2.7:8080/a"},
	{name: "IPv6", raw: "http://[2001:DB8::1]:8080/a", loc: "http://[2001:DB8::1]:8080/a"},
	{name: "empty port", raw: "http://shop.example:/a", loc: "http://shop.example:/a"},
	{name: "escaped host", raw: "http://b%C3%BCcher.example/", loc: "http://b%C3%BCcher.example/"},

	{name: "white space at the ends",
		raw: "\r\n\t \u00a0\u3000\ufeff\u200bhttp://shop.example/a\u200b\u2003 \n",
		loc: "http://shop.example/a"},
	{name: "line break", raw: "http://shop.example/long\n   path",
		loc: "http://shop.example/longpath", codes: []sitemap.Code{sitemap.LocWhitespace}},
	{name: "spaces around a line break", raw: "http://shop.example/a  \r\n\t b",
		loc: "http://shop.example/ab", codes: []sitemap.Code{sitemap.LocWhitespace}},
	{name: "line separator", raw: "http://shop.example/a\u2028b", loc: "http://shop.example/ab",
		codes: []sitemap.Code{sitemap.LocWhitespace}},
	{name: "spaces", raw: "http://shop.example/a  b c", loc: "http://shop.example/a%20%20b%20c",
		codes: []sitemap.Code{sitemap.LocWhitespace}},
	{name: "tab", raw: "http://shop.example/a\tb", loc: "http://shop.example/ab",
		codes: []sitemap.Code{sitemap.LocWhitespace}},
	{name: "control characters", raw: "\x00http://shop.example/\x01a\x7f\u0081b\x1f",
		loc: "http://shop.example/ab", codes: []sitemap.Code{sitemap.ControlChar,
			sitemap.LocWhitespace}},
	{name: "control characters that XML allows", raw: "http://shop.example/a\x7fb\u009f",
		loc: "http://shop.example/ab", codes: []sitemap.Code{sitemap.LocWhitespace}},
	{name: "control characters that XML allows, at the ends", raw: "\u0080http://shop.example/\x7f",
		loc: "http://shop.example/"},
	{name: "control character at the end", raw: "http://shop.example/a\x00",
		loc: "http://shop.example/a", codes: []sitemap.Code{sitemap.ControlChar}},
	{name: "bytes that are not UTF-8", raw: "http://shop.example/caf\xe9\xff",
		loc: "http://shop.example/caf%E9%FF", codes: []sitemap.Code{sitemap.InvalidUTF8}},
	{name: "all at once", raw: "http://shop.example/\xe9 \x02x\n y",
		loc: "http://shop.example/%E9%20xy", codes: []sitemap.Code{sitemap.ControlChar,
			sitemap.InvalidUTF8, sitemap.LocWhitespace}},

	{name: "stray percent", raw: "http://shop.example/100%", loc: "http://shop.example/100%",
		codes: []sitemap.Code{sitemap.BadEscape}},
	{name: "one hex digit", raw: "http://shop.example/%2", loc: "http://shop.example/%2",
		codes: []sitemap.Code{sitemap.BadEscape}},
	{name: "good escapes", raw: "http://shop.example/%2f%C3%A9",
		loc: "http://shop.example/%2f%C3%A9"},
	{name: "double escaped", raw: "http://shop.example/?a=1&amp;b=2",
		loc: "http://shop.example/?a=1&amp;b=2", codes: []sitemap.Code{sitemap.DoubleEscaped}},
	{name: "double escaped by number", raw: "http://shop.example/?a=1&#038;b=2",
		loc: "http://shop.example/?a=1&#038;b=2", codes: []sitemap.Code{sitemap.DoubleEscaped}},
	{name: "double escaped by hex number", raw: "http://shop.example/?a=1&#x26;b=2",
		loc: "http://shop.example/?a=1&#x26;b=2", codes: []sitemap.Code{sitemap.DoubleEscaped}},
	{name: "other references", raw: "http://shop.example/?a=1&lt;&#380;&#;&#x;&amplifier",
		loc: "http://shop.example/?a=1&lt;&#380;&#;&#x;&amplifier"},
	{name: "user name", raw: "http://user@shop.example/", loc: "http://user@shop.example/",
		codes: []sitemap.Code{sitemap.Userinfo}},
	{name: "user name with an at sign", raw: "http://u@v:p w@shop.example/",
		loc: "http://u@v:p%20w@shop.example/", codes: []sitemap.Code{sitemap.LocWhitespace,
			sitemap.Userinfo}},
	{name: "no user name", raw: "http://@shop.example/", loc: "http://@shop.example/"},
	{name: "at sign in path", raw: "http://shop.example/@name", loc: "http://shop.example/@name"},
	{name: "2,048 characters", raw: "http://shop.example/" + strings.Repeat("é", 2028),
		loc: "http://shop.example/" + strings.Repeat("é", 2028)},
	{name: "2,049 characters", raw: "http://shop.example/" + strings.Repeat("é", 2029),
		loc:   "http://shop.example/" + strings.Repeat("é", 2029),
		codes: []sitemap.Code{sitemap.LocTooLong}},
	{name: "8 KiB", raw: "http://shop.example/" + strings.Repeat("a", 8172),
		loc:   "http://shop.example/" + strings.Repeat("a", 8172),
		codes: []sitemap.Code{sitemap.LocTooLong}},
	{name: "over 8 KiB", raw: "http://shop.example/" + strings.Repeat("a", 8173),
		drop: sitemap.LocTooLong},

	{name: "path", raw: "page.html", loc: "http://www.example.com/dir/page.html",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "dot segments", raw: "../x/./y/../z", loc: "http://www.example.com/x/z",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "escaped dot segments", raw: "%2e%2E/x%2e/.%2e/%2e/z", loc: "http://www.example.com/z",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "above the root", raw: "../../../x", loc: "http://www.example.com/x",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "trailing dots", raw: "x/..", loc: "http://www.example.com/dir/",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "one dot", raw: ".", loc: "http://www.example.com/dir/",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "absolute path", raw: "/a/./b/../c?d=../e", loc: "http://www.example.com/a/c?d=../e",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "query", raw: "?page=2", loc: "http://www.example.com/dir/map.xml?page=2",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "fragment", raw: "#top", loc: "http://www.example.com/dir/map.xml?v=1#top",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "network path", raw: "//CDN.Example/x", loc: "http://CDN.Example/x",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "relative IRI", raw: "/straße%zz", loc: "http://www.example.com/straße%zz",
		codes: []sitemap.Code{sitemap.RelativeLoc, sitemap.BadEscape}},
	{name: "percent signs", raw: "%%", loc: "http://www.example.com/dir/%%",
		codes: []sitemap.Code{sitemap.RelativeLoc, sitemap.BadEscape}},
	{name: "colon later", raw: "a/b:c", loc: "http://www.example.com/dir/a/b:c",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "file name like a host", raw: "sitemap.pl", loc: "http://www.example.com/dir/sitemap.pl",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "directory that is no host", raw: "index.php/x",
		loc: "http://www.example.com/dir/index.php/x", codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "host without a scheme", raw: "www.shop.com/x", loc: "http://www.shop.com/x",
		codes: []sitemap.Code{sitemap.SchemeAssumed}},
	{name: "host and port without a scheme", raw: "shop.co.uk:8080/x",
		loc: "http://shop.co.uk:8080/x", codes: []sitemap.Code{sitemap.SchemeAssumed}},
	{name: "IDN without a scheme", raw: "Бухта.рф/x", loc: "http://Бухта.рф/x",
		codes: []sitemap.Code{sitemap.SchemeAssumed}},
	{name: "public suffix is no host", raw: "co.uk/x", loc: "http://www.example.com/dir/co.uk/x",
		codes: []sitemap.Code{sitemap.RelativeLoc}},

	{name: "parameter that is a URL", raw: "s.php;u=http://shop.example/", drop: sitemap.BogusLoc},
	{name: "colon in the first segment", raw: "Тема:x", loc: "http://www.example.com/dir/Тема:x",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "marks of direction", raw: "\u202a\u200fhttp://shop.example/\u200ea\u202c\u2060",
		loc: "http://shop.example/\u200ea"},

	{name: "query that is a URL", raw: "s.php?u=http://shop.example/",
		loc:   "http://www.example.com/dir/s.php?u=http://shop.example/",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "template", raw: "/{{ url }}", drop: sitemap.BogusLoc},
	{name: "template of two kinds", raw: "{% url %}", drop: sitemap.BogusLoc},
	{name: "server tag", raw: "<%= link %>", drop: sitemap.BogusLoc},
	{name: "variable", raw: "${link}/a", drop: sitemap.BogusLoc},
	{name: "dollar", raw: "/a$b", loc: "http://www.example.com/a$b",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "template in a URL", raw: "http://shop.example/{{x}}",
		loc: "http://shop.example/{{x}}"},
	{name: "words", raw: "see the page", drop: sitemap.BogusLoc},
	{name: "words in a path", raw: "/see the page", loc: "http://www.example.com/see%20the%20page",
		codes: []sitemap.Code{sitemap.LocWhitespace, sitemap.RelativeLoc}},
	{name: "words in a relative path", raw: "./the page", loc: "http://www.example.com/dir/the%20page",
		codes: []sitemap.Code{sitemap.LocWhitespace, sitemap.RelativeLoc}},
	{name: "entity", raw: "&unknown;", drop: sitemap.BogusLoc},
	{name: "entity in a path", raw: "&unknown;/a", loc: "http://www.example.com/dir/&unknown;/a",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "letter missing", raw: "htp://shop.example/", drop: sitemap.BogusLoc},
	{name: "first letter missing", raw: "ttps://shop.example/", drop: sitemap.BogusLoc},
	{name: "letter doubled", raw: "HTTTP://shop.example/", drop: sitemap.BogusLoc},
	{name: "semicolon", raw: "https;//shop.example/", drop: sitemap.BogusLoc},
	{name: "full stop", raw: "http.//shop.example/", drop: sitemap.BogusLoc},
	{name: "escaped colon", raw: "https%3A//shop.example/", drop: sitemap.BogusLoc},
	{name: "colon missing", raw: "https//shop.example/", drop: sitemap.BogusLoc},
	{name: "colon misplaced", raw: "http/://shop.example/", drop: sitemap.BogusLoc},
	{name: "colon doubled", raw: "http:://shop.example/", drop: sitemap.BogusLoc},
	{name: "directory called http", raw: "http/a.html", loc: "http://www.example.com/dir/http/a.html",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "scheme with another letter", raw: "hxxp://shop.example/", drop: sitemap.BadScheme},
	{name: "dash", raw: "-", drop: sitemap.BogusLoc},
	{name: "number sign", raw: " # ", drop: sitemap.BogusLoc},
	{name: "fragment", raw: "#top", loc: "http://www.example.com/dir/map.xml?v=1#top",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "www without a slash", raw: "www.shop.example", loc: "http://www.shop.example",
		codes: []sitemap.Code{sitemap.SchemeAssumed}},
	{name: "www with a port", raw: "WWW.shop.example:8080/a", loc: "http://WWW.shop.example:8080/a",
		codes: []sitemap.Code{sitemap.SchemeAssumed}},
	{name: "www alone", raw: "www./a", loc: "http://www.example.com/dir/www./a",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "name without a slash", raw: "shop.com", loc: "http://www.example.com/dir/shop.com",
		codes: []sitemap.Code{sitemap.RelativeLoc}},
	{name: "after a name", raw: "url=http://shop.example/", drop: sitemap.BogusLoc},
	{name: "in quotes", raw: "\"http://shop.example/\"", drop: sitemap.BogusLoc},
	{name: "in angle brackets", raw: "<http://shop.example/>", drop: sitemap.BogusLoc},
	{name: "in brackets", raw: "(https://shop.example/)", drop: sitemap.BogusLoc},
	{name: "letter of another script", raw: "httр://shop.example/", drop: sitemap.BogusLoc},
	{name: "full-width colon", raw: "http：//shop.example/", drop: sitemap.BogusLoc},
	{name: "full-width slashes", raw: "http:／／shop.example/", drop: sitemap.BogusLoc},
	{name: "comma for a dot", raw: "www,shop.com/a", drop: sitemap.BogusLoc},
	{name: "comma for the last dot", raw: "shop,com/a", drop: sitemap.BogusLoc},
	{name: "in a tag", raw: "<a href=\"https://shop.example/\">x</a>", drop: sitemap.BogusLoc},
	{name: "space before the colon", raw: "https ://shop.example/", drop: sitemap.BogusLoc},
	{name: "nothing before the colon", raw: "://shop.example/", drop: sitemap.BadLoc},
	{name: "section in a section", raw: "<![CDATA[http://shop.example/", drop: sitemap.BogusLoc},
	{name: "empty", raw: "", drop: sitemap.EmptyLoc},
	{name: "blank", raw: " \n\u00a0\u200b", drop: sitemap.EmptyLoc},
	{name: "controls only", raw: "\x00", codes: []sitemap.Code{sitemap.ControlChar},
		drop: sitemap.EmptyLoc},
	{name: "None", raw: " None ", drop: sitemap.BogusLoc},
	{name: "null", raw: "NULL", drop: sitemap.BogusLoc},
	{name: "an object", raw: " [object Object]\n", drop: sitemap.BogusLoc},
	{name: "undefined", raw: "undefined", drop: sitemap.BogusLoc},
	{name: "mailto", raw: "mailto:a b@shop.example", drop: sitemap.BadScheme},
	{name: "ftp", raw: "ftp://shop.example/f", drop: sitemap.BadScheme},
	{name: "file", raw: "file:///etc/hosts", drop: sitemap.BadScheme},
	{name: "javascript", raw: "javascript:alert(1)", drop: sitemap.BadScheme},
	{name: "tag", raw: "tag:shop.example,2005:1", drop: sitemap.BadScheme},
	{name: "no host", raw: "http:///path", drop: sitemap.BadLoc},
	{name: "no host but a port", raw: "http://:80/", drop: sitemap.BadLoc},
	{name: "no host but a user", raw: "http://user@/", drop: sitemap.BadLoc},
	{name: "no authority", raw: "http:/shop.example/", drop: sitemap.BogusLoc},
	{name: "backslashes for slashes", raw: `http:\\shop.example\a`, drop: sitemap.BogusLoc},
	{name: "backslash in authority", raw: `http://evil.example\@shop.example/`,
		drop: sitemap.BadLoc},
	{name: "dots only", raw: "http://../", drop: sitemap.BadLoc},
	{name: "space in host", raw: "http://my shop.example/", drop: sitemap.BadLoc},
	{name: "brackets in host", raw: "http://<host>/", drop: sitemap.BadLoc},
	{name: "slash by mapping", raw: "http://shop.example\uff0f.evil.example/",
		drop: sitemap.BadLoc},
	{name: "at sign by mapping", raw: "http://shop.example\uff20evil.example/",
		drop: sitemap.BadLoc},
	{name: "slash by escape", raw: "http://shop.example%2f.evil.example/", drop: sitemap.BadLoc},
	{name: "host not UTF-8", raw: "http://caf\xe9.example/",
		codes: []sitemap.Code{sitemap.InvalidUTF8}, drop: sitemap.BadLoc},
	{name: "port not a number", raw: "http://shop.example:http/", drop: sitemap.BadLoc},
	{name: "port with a sign", raw: "http://shop.example:+80/", drop: sitemap.BadLoc},
	{name: "port too high", raw: "http://shop.example:65536/", drop: sitemap.BadLoc},
	{name: "IPv6 unclosed", raw: "http://[2001:db8::1/", drop: sitemap.BadLoc},
	{name: "IPv6 zone", raw: "http://[fe80::1%25eth0]/", drop: sitemap.BadLoc},
	{name: "IPv4 in brackets", raw: "http://[192.0.2.7]/", drop: sitemap.BadLoc},
	{name: "network path without a host", raw: "///x", drop: sitemap.BadLoc},
}

func TestClean(t *testing.T) {
	r := &Resolver{Base: mustParse(t, "http://www.example.com/dir/map.xml?v=1")}
	for _, test := range cleanTests {
		t.Run(test.name, func(t *testing.T) {
			loc, codes, drop := r.Clean([]byte(test.raw))
			if loc != test.loc || !slices.Equal(codes, test.codes) || drop != test.drop {
				t.Errorf("Clean(%q) = %q, %v, %v; want %q, %v, %v", test.raw, loc, codes, drop,
					test.loc, test.codes, test.drop)
			}
			if _, err := sitemap.ParseLoc(loc); drop == "" && err != nil {
				t.Errorf("ParseLoc(%q): %v", loc, err)
			}
			if ref, ok := r.CleanRef([]byte(test.raw)); ref != test.loc || ok != (test.drop == "") {
				t.Errorf("CleanRef(%q) = %q, %v", test.raw, ref, ok)
			}
		})
	}
}

func TestCleanWithoutBase(t *testing.T) {
	bases := map[string]*Resolver{
		"nil resolver": nil,
		"no base":      {},
		"file":         {Base: mustParse(t, "file:///srv/sitemap.xml")},
		"no host":      {Base: mustParse(t, "http:///sitemap.xml")},
		"relative":     {Base: mustParse(t, "/sitemap.xml")},
	}
	for name, r := range bases {
		if loc, codes, _ := r.Clean([]byte("www.shop.com/x")); loc != "https://www.shop.com/x" ||
			!slices.Equal(codes, []sitemap.Code{sitemap.SchemeAssumed}) {
			t.Errorf("%s: a host gives %q, %v", name, loc, codes)
		}
		for _, raw := range []string{"/a", "page.html", "//cdn.example/x", "?q", "%%"} {
			if loc, codes, drop := r.Clean([]byte(raw)); loc != "" || len(codes) != 0 ||
				drop != sitemap.RelativeLoc {
				t.Errorf("%s: Clean(%q) = %q, %v, %v; want it dropped as %v", name, raw, loc, codes,
					drop, sitemap.RelativeLoc)
			}
		}
		if loc, _, drop := r.Clean([]byte("http://shop.example/%41")); loc != "http://shop.example/%41" || drop != "" {
			t.Errorf("%s: an absolute location gives %q, %v", name, loc, drop)
		}
	}
}

func TestCleanBases(t *testing.T) {
	tests := []struct{ base, ref, want string }{
		{"https://www.example.com", "a", "https://www.example.com/a"},
		{"https://www.example.com", "?q", "https://www.example.com?q"},
		{"https://www.example.com", "#f", "https://www.example.com#f"},
		{"https://www.example.com:8443/a/b/", "../c", "https://www.example.com:8443/a/c"},
		{"https://user:secret@www.example.com/a", "b", "https://www.example.com/b"},
		{"https://www.example.com/caf%C3%A9/map.xml", "b", "https://www.example.com/caf%C3%A9/b"},
		{"https://www.example.com/a/map.xml", "//other.example", "https://other.example"},
		{"https://www.example.com/a/map.xml", "www.shop.com/x", "https://www.shop.com/x"},
	}
	for _, test := range tests {
		r := &Resolver{Base: mustParse(t, test.base)}
		if loc, _, drop := r.Clean([]byte(test.ref)); loc != test.want || drop != "" {
			t.Errorf("%s with base %s gives %q, %v; want %q", test.ref, test.base, loc, drop,
				test.want)
		}
	}
}

// The examples of RFC 3986, sections 5.4.1 and 5.4.2.
func TestResolveReference_RFC3986(t *testing.T) {
	base := mustParse(t, "http://a/b/c/d;p?q")
	tests := map[string]string{
		"g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g",
		"//g": "http://g",
		"?y":  "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s",
		"g#s":   "http://a/b/c/g#s",
		"g?y#s": "http://a/b/c/g?y#s", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x",
		"g;x?y#s": "http://a/b/c/g;x?y#s",
		"":        "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/",
		"..":   "http://a/b/",
		"../":  "http://a/b/",
		"../g": "http://a/b/g", "../..": "http://a/", "../../": "http://a/",
		"../../g":    "http://a/g",
		"../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g",
		"/../g": "http://a/g",
		"g.":    "http://a/b/c/g.", ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..",
		"..g":    "http://a/b/c/..g",
		"./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h",
		"g/../h":    "http://a/b/c/h",
		"g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y",
		"g?y/./x":  "http://a/b/c/g?y/./x",
		"g?y/../x": "http://a/b/c/g?y/../x", "g#s/./x": "http://a/b/c/g#s/./x",
		"g#s/../x": "http://a/b/c/g#s/../x",
	}
	for ref, want := range tests {
		if got := ResolveReference(base, ref); got != want {
			t.Errorf("ResolveReference(%q) = %q, want %q", ref, got, want)
		}
	}
}

func TestCleanAllocates(t *testing.T) {
	r := &Resolver{}
	for _, raw := range []string{"https://www.example.com/a/b.html",
		"https://www.example.com/caf%C3%A9?a=1&b=2", "https://www.example.com/straße-nach-oben"} {
		b := []byte(raw)
		if n := testing.AllocsPerRun(100, func() { r.Clean(b) }); n > 1 {
			t.Errorf("Clean(%q) allocates %v times, want 1", raw, n)
		}
	}
}
