package robots_test

import (
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/robots"
)

// The tests of this file check what Google's parser is tested for (github.com/google/robotstxt,
// robots_test.cc), each under its name there. ID tests are of RFC 9309, GoogleOnly tests of what
// Google does beyond it.

// testGoogle checks which paths, separated by blanks, a robots.txt allows and disallows agent.
func testGoogle(t *testing.T, text, agent, allowed, disallowed string) {
	t.Helper()
	r := parse(t, text)
	check := func(paths string, want bool) {
		for path := range strings.FieldsSeq(paths) {
			if got := r.Allowed(agent, mustURL(t, "https://www.example.com"+path)); got != want {
				t.Errorf("%.100q: Allowed(%q, %.100q) = %v", text, agent, path, got)
			}
		}
	}
	check(allowed, true)
	check(disallowed, false)
}

// An empty file and an unnamed crawler have no rules. A URL without a path has the path "/".
func TestGoogle_GoogleOnly_SystemTest(t *testing.T) {
	const text = "User-agent: foobot\nDisallow: /\n"
	for _, tt := range []struct {
		text, agent string
		want        bool
	}{
		{"", "foobot", true}, {text, "", true}, {text, "foobot", false}, {"", "", true},
	} {
		r := parse(t, tt.text)
		if got := r.Allowed(tt.agent, mustURL(t, "https://www.example.com")); got != tt.want {
			t.Errorf("%q: Allowed(%q) = %v", tt.text, tt.agent, got)
		}
	}
}

// Unknown keys are no rules. A missing colon is added where a known key and one word stand alone.
func TestGoogle_ID_LineSyntax_Line(t *testing.T) {
	testGoogle(t, "User-agent: foobot\nDisallow: /\n", "foobot", "", "/a/b")
	testGoogle(t, "agent: foobot\npath: /\n", "foobot", "/a/b", "")
	testGoogle(t, "User-agent foobot\nDisallow /\n", "foobot", "", "/a/b")
	testGoogle(t, "User-agent\tfoobot\nDisallow \t /x # all\n", "foobot", "/a/b", "/x")
	testGoogle(t, "User-agent: foobot\nDisallow the / page\nDisallow\n", "foobot", "/the /", "")
}

// The parser knows these misspellings, though its test does not have them. Google takes any key
// that starts with a known one. Here DisallowAITraining, for one, is a key of its own.
func TestGoogle_FrequentTypos(t *testing.T) {
	for _, key := range []string{"User-agent", "useragent", "User Agent"} {
		testGoogle(t, key+": foobot\nDisallow: /x\n", "foobot", "/", "/x")
	}
	typos := []string{"Dissallow", "dissalow", "Disalow", "diasllow", "DISALLAW"}
	for _, key := range typos {
		testGoogle(t, "User-agent: foobot\n"+key+": /x\n", "foobot", "/", "/x")
	}
	testGoogle(t, "User-agent: *\nDisallowAITraining: /\nAllowed: /x\nDisallow: /x\n", "foobot",
		"/", "/x")
}

// A crawler has all groups that name it. Rules before the first group count for nobody.
func TestGoogle_ID_LineSyntax_Groups(t *testing.T) {
	const text = `Allow: /none/

User-agent: foobot
Disallow: /
Allow: /a/
User-agent: barbot
Disallow: /
Allow: /b/


Allow: /c/
User-agent: bazbot

User-agent: foobot
Allow: /d/
Disallow: /
`
	testGoogle(t, text, "foobot", "/a/1 /d/1", "/b/1 /none/1")
	testGoogle(t, text, "barbot", "/b/1 /c/1", "/d/1 /none/1")
	testGoogle(t, text, "bazbot", "/d/1", "/none/1")
}

// Records that are no rules do not end the User-agent lines of a group.
func TestGoogle_ID_LineSyntax_Groups_OtherRules(t *testing.T) {
	for _, line := range []string{
		"Sitemap: https://a.test/s.xml", "X-Made-Up: yes", "Crawl-delay: 5", "", "# comment",
	} {
		text := "User-agent: barbot\n" + line + "\nUser-agent: *\nDisallow: /\n"
		testGoogle(t, text, "foobot", "", "/")
		testGoogle(t, text, "barbot", "", "/")
	}
}

func TestGoogle_ID_REPLineNamesCaseInsensitive(t *testing.T) {
	const text = "User-agent: foobot\nAllow: /a/\nDisallow: /\n"
	keys := strings.NewReplacer("User-agent", "uSER-aGENT", "Allow", "aLLoW", "Disallow", "dISALLoW")
	for _, text := range []string{strings.ToUpper(text), strings.ToLower(text), keys.Replace(text)} {
		text = strings.ReplaceAll(text, "/A/", "/a/")
		testGoogle(t, text, "foobot", "/a/b", "/b")
	}
}

// Google's callers pass a product token. Allowed takes a whole User-Agent too, and makes a token of
// it, as it does of the name in a file.
func TestGoogle_ID_VerifyValidUserAgentsToObey(t *testing.T) {
	for _, name := range []string{"Foobot", "Foobot-Bar", "Foo_Bar"} {
		text := "User-agent: " + name + "\nDisallow: /\n"
		testGoogle(t, text, name, "", "/")
		for _, other := range []string{"", "ツ", "foobot-b", "foo"} {
			testGoogle(t, text, other, "/", "")
		}
	}
	for _, name := range []string{"Foobot*", " Foobot ", "Foobot/2.1", "Foobot Bar"} {
		testGoogle(t, "User-agent: foobot\nDisallow: /\n", name, "", "/")
		testGoogle(t, "User-agent: "+name+"\nDisallow: /\n", "foobot", "", "/")
	}
}

func TestGoogle_ID_UserAgentValueCaseInsensitive(t *testing.T) {
	for _, name := range []string{"FOO BAR", "foo bar", "FoO bAr"} {
		for _, agent := range []string{"Foo", "foo"} {
			text := "User-agent: " + name + "\nAllow: /a/\nDisallow: /\n"
			testGoogle(t, text, agent, "/a/b", "/b")
		}
	}
}

// The name in a file ends with its first blank. So does the name that Allowed is asked for, while
// Google finds no group for a name with a blank.
func TestGoogle_GoogleOnly_AcceptUserAgentUpToFirstSpace(t *testing.T) {
	const text = "User-agent: *\nDisallow: /\nUser-agent: foo bar\nAllow: /a/\nDisallow: /\n"
	testGoogle(t, text, "foo", "/a/b", "/b")
	testGoogle(t, text, "foo bar", "/a/b", "/b")
	testGoogle(t, text, "bar", "", "/a/b")
	testGoogle(t, "User-agent: * all\nDisallow: /\nUser-agent: *foo\nAllow: /\n", "foo", "", "/")
}

func TestGoogle_ID_GlobalGroups_Secondary(t *testing.T) {
	const all = "User-agent: *\nAllow: /\nUser-agent: foobot\nDisallow: /\n"
	const named = "User-agent: foobot\nAllow: /\nUser-agent: barbot\nDisallow: /\n" +
		"User-agent: bazbot\nDisallow: /\n"
	testGoogle(t, "", "foobot", "/a/b", "")
	testGoogle(t, all, "foobot", "", "/a/b")
	testGoogle(t, all, "barbot", "/a/b", "")
	testGoogle(t, named, "quxbot", "/a/b", "")
}

func TestGoogle_ID_AllowDisallow_Value_CaseSensitive(t *testing.T) {
	testGoogle(t, "User-agent: foobot\nDisallow: /a/\n", "foobot", "/A/b", "/a/b")
	testGoogle(t, "User-agent: foobot\nDisallow: /A/\n", "foobot", "/a/b", "/A/b")
}

func TestGoogle_ID_LongestMatch(t *testing.T) {
	for _, tt := range []struct{ rules, allowed, disallowed string }{
		{"Disallow: /a/b.html\nAllow: /a/", "/a/", "/a/b.html"},
		{"Allow: /a/b.html\nDisallow: /a/", "/a/b.html", "/a/"},
		{"Disallow: \nAllow: ", "/a/b.html", ""},
		{"Disallow: /\nAllow: /", "/a/b.html", ""},
		{"Disallow: /a\nAllow: /a/", "/a/", "/a"},
		{"Disallow: /a/b.html\nAllow: /a/b.html", "/a/b.html", ""},
		{"Allow: /book\nDisallow: /*.html", "/book", "/book.html"},
		{"Allow: /a/book.\nDisallow: /*.html", "/a/book.html", "/a/b.html"},
		{"Disallow: /b\nUser-agent: *\nDisallow: /a/", "/a/b", "/b/a"},
	} {
		testGoogle(t, "User-agent: foobot\n"+tt.rules+"\n", "foobot", tt.allowed, tt.disallowed)
	}
}

// Google compares URLs as they are passed. Allowed normalizes them like rules: by RFC 9309, section
// 2.2.2, characters are escaped before the comparison, and an escaped letter is the letter.
func TestGoogle_ID_Encoding(t *testing.T) {
	const all = "User-agent: foobot\nDisallow: /\nAllow: "
	const query = "/a?b=c&d=http://e.test?f&g"
	testGoogle(t, all+query+"\n", "foobot", query, "/a?b=c")
	for _, path := range []string{"/a/ツ", "/a/%E3%83%84"} {
		testGoogle(t, all+path+"\n", "foobot", "/a/%E3%83%84 /a/ツ", "/a/")
	}
	testGoogle(t, all+"/a/%62%61%7A\n", "foobot", "/a/%62%61%7A /a/baz", "/a/")
}

func TestGoogle_ID_SpecialCharacters(t *testing.T) {
	for _, tt := range []struct{ rules, allowed, disallowed string }{
		{"Disallow: /a/b/c\nAllow: /a/*/d", "/a/c /a//c /a/x/c", "/a/b/c"},
		{"Disallow: /a/b$\nAllow: /a/b/c", "/a/b/c /a/b/ /a/b/d", "/a/b"},
		{"# Disallow: /\nDisallow: /a/b#c\nAllow: /", "/a/c", "/a/b"},
	} {
		testGoogle(t, "User-agent: foobot\n"+tt.rules+"\n", "foobot", tt.allowed, tt.disallowed)
	}
}

// For Google, an Allow of index.html allows its directory too. Here it allows what it says: which
// page a directory shows is a guess, and an Allow that is missed forbids too much, not too little.
func TestGoogle_GoogleOnly_IndexHTMLisDirectory(t *testing.T) {
	testGoogle(t, "User-agent: *\nAllow: /a/index.html\nDisallow: /\n", "foobot",
		"/a/index.html", "/a/ /a/index.htm /b")
}

// Google cuts lines after 16,663 bytes, so a rule becomes a shorter one. Here it stays as it is:
// cut, an Allow would allow more than the site does.
func TestGoogle_GoogleOnly_LineTooLong(t *testing.T) {
	long := "/x/" + strings.Repeat("a", 2083*8)
	testGoogle(t, "User-agent: foobot\nDisallow: "+long+"/qux\n", "foobot",
		"/fux "+long+"/fux", long+"/qux")
	testGoogle(t, "User-agent: foobot\nDisallow: /\nAllow: "+long+"/qux\n", "foobot",
		long+"/qux", "/ "+long+"/fux")
}

// The tables of developers.google.com/search/docs/crawling-indexing/robots/robots_txt.
func TestGoogle_GoogleOnly_DocumentationChecks(t *testing.T) {
	const word = "/fish /fish.html /fish/salmon.html /fishheads /fishheads/yummy.html " +
		"/fish.html?id=anything"
	for _, tt := range []struct{ rules, allowed, disallowed string }{
		{"Allow: /fish\nDisallow: /", word, "/bar /Fish.asp /catfish /?id=fish"},
		{"Allow: /fish*\nDisallow: /", word, "/bar /Fish.asp /catfish /?id=fish"},
		{
			"Allow: /fish/\nDisallow: /",
			"/fish/ /fish/salmon /fish/?salmon /fish/salmon.html /fish/?id=anything",
			"/bar /fish /fish.html /Fish/Salmon.html",
		},
		{
			"Allow: /*.php\nDisallow: /",
			"/filename.php /folder/filename.php /folder/filename.php?parameters " +
				"//folder/any.php.file.html /filename.php/ /index?f=filename.php/",
			"/bar /php/ /index?php /windows.PHP",
		},
		{
			"Allow: /*.php$\nDisallow: /",
			"/filename.php /folder/filename.php",
			"/bar /filename.php?parameters /filename.php/ /filename.php5 /php/ /filename?php " +
				"/aaaphpaaa //windows.PHP",
		},
		{
			"Allow: /fish*.php\nDisallow: /", "/fish.php /fishheads/catfish.php?parameters",
			"/bar /Fish.PHP",
		},
		{"Allow: /p\nDisallow: /", "/page", ""},
		{"Allow: /folder\nDisallow: /folder", "/folder/page", ""},
		{"Allow: /page\nDisallow: /*.htm", "", "/page.htm"},
		{"Allow: /$\nDisallow: /", "/", "/page.htm"},
	} {
		testGoogle(t, "User-agent: foobot\n"+tt.rules+"\n", "foobot", tt.allowed, tt.disallowed)
	}
}

func TestGoogle_ID_LinesNumbersAreCountedCorrectly(t *testing.T) {
	const text = "User-agent: foo\nAllow: /a\nUser-agent: bar\n\n\nSitemap: https://a.test/s.xml\n"
	mixed := strings.NewReplacer("/a\n", "/a\r\n", "bar\n\n", "bar\n\r\n")
	for _, text := range []string{
		text, strings.ReplaceAll(text, "\n", "\r\n"), strings.ReplaceAll(text, "\n", "\r"),
		strings.TrimSpace(text), mixed.Replace(text),
	} {
		if got := strings.Join(lines(parse(t, text)), " "); got != "6 https://a.test/s.xml" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// Google ignores a line within the file that has a byte order mark. Here the mark is white space.
func TestGoogle_ID_UTF8ByteOrderMarkIsSkipped(t *testing.T) {
	const text = "User-agent: foobot\nDisallow: /\n"
	for _, mark := range []string{"\xef\xbb\xbf", "\xef\xbb", "\xef"} {
		testGoogle(t, mark+text, "foobot", "", "/")
	}
	testGoogle(t, "\xef\x11\xbf"+text, "foobot", "/", "") // no mark: the group has no name
	testGoogle(t, "User-agent: foobot\n\xef\xbb\xbfDisallow: /\n", "foobot", "", "/")
}

func TestGoogle_ID_NonStandardLineExample_Sitemap(t *testing.T) {
	const record = "Sitemap: https://a.test/s.xml\n"
	const groups = "User-agent: a\nAllow: /b\nUser-agent: c\n\n"
	want := robots.Record{Loc: "https://a.test/s.xml", Line: 5}
	if r := parse(t, groups+record); len(r.Sitemaps) != 1 || r.Sitemaps[0] != want {
		t.Errorf("at the end: %+v", r.Sitemaps)
	}
	want.Line = 1
	if r := parse(t, record+groups); len(r.Sitemaps) != 1 || r.Sitemaps[0] != want {
		t.Errorf("at the start: %+v", r.Sitemaps)
	}
}

// A rule is compared with path and query. Google also takes URLs without a scheme as strings; here
// net/url reads them.
func TestGoogle_TestGetPathParamsQuery(t *testing.T) {
	for loc, path := range map[string]string{
		"": "/", "/": "/", "/a": "/a", "/a/": "/a/", "?a": "/?a", "/a;b#c": "/a;b",
		"/a/b?c=http://d.test/": "/a/b?c=http://d.test/", "/a/b?c=d&e=f#g": "/a/b?c=d&e=f",
		"//b/c": "//b/c",
	} {
		r := parse(t, "User-agent: *\nDisallow: "+path+"$\n")
		if r.Allowed("foobot", mustURL(t, "https://www.example.com"+loc)) {
			t.Errorf("%q does not have the path %q", loc, path)
		}
	}
}

func TestGoogle_TestMaybeEscapePattern(t *testing.T) {
	for rule, path := range map[string]string{
		"/http://www.example.com": "/http://www.example.com", "/a/b/c": "/a/b/c",
		"/á": "/%C3%A1", "/%aa": "/%AA",
	} {
		testGoogle(t, "User-agent: *\nDisallow: "+rule+"$\n", "foobot", path+"x", path)
	}
}
