package robots_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover/robots"
)

// A pathTest is whether the crawler "foobot" may fetch a path by some rules for all crawlers.
type pathTest struct {
	rules, path string
	want        bool
}

func testPaths(t *testing.T, tests []pathTest) {
	t.Helper()
	for _, tt := range tests {
		r := parse(t, "User-agent: *\n"+tt.rules+"\nUser-agent: other\nAllow: /\n")
		u, err := sitemap.ParseLoc("https://www.example.com" + tt.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Allowed("foobot", u); got != tt.want {
			t.Errorf("%q: Allowed(%q) = %v", tt.rules, tt.path, got)
		}
	}
}

// The table of RFC 9309, section 2.2.2, of paths that match.
func TestRobots_RFC9309_2_2_2_Matching(t *testing.T) {
	testPaths(t, []pathTest{
		{"Disallow: /foo/bar?baz=quz", "/foo/bar?baz=quz", false},
		// reserved characters differ from their escapes
		{"Disallow: /foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", true},
		{
			"Disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3a%2f%2ffoo.bar",
			false,
		},
		{"Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", false},
		{"Disallow: /foo/bar/ツ", "/foo/bar/ツ", false},
		{"Disallow: /foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", false},
		{"Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", false},
		{"Disallow: /foo/bar/baz", "/foo/bar/%62%61%7A", false},
	})
}

// Section 2.2.2: matching starts with the first octet, is case-sensitive, and the rule with the
// most octets counts; Allow wins a tie; no match and /robots.txt are allowed.
func TestRobots_RFC9309_2_2_2_Precedence(t *testing.T) {
	testPaths(t, []pathTest{
		{"Disallow: /a", "/b", true},
		{"Disallow: /", "/robots.txt", true},
		{"Disallow: /robots.txt", "/robots.txt", true},
		{"Disallow: /", "/robots.txt?x", false},
		{"Disallow: /Foo", "/foo", true},
		{"Disallow: /b", "/a/b", true},
		{"Disallow: /p\nAllow: /p", "/p", true},
		{"Allow: /p\nDisallow: /p", "/p", true},
		{"Disallow: /p\nAllow: /", "/p", false},
		{"Disallow: /\nAllow: /p", "/p", true},
		{"Allow: /\nDisallow: /*", "/a", false},
		{"Disallow: /*\nAllow: /a", "/a", true},
		{"Allow: /%7Ea\nDisallow: /~a", "/~a", true},
		{"Disallow: /x", "//x", true},
		{"Disallow: x", "/x", true},
		{"Disallow: /x?q=", "/y", true},
		{"Disallow: /x?q=", "/x?q=1", false},
		{"Disallow: /x?", "/x", true},
		{"Disallow: /x?", "/x?", false},
		{"Disallow: /", "", false},
		{"Disallow:", "/x", true},
		{"Allow: /x # but this\nDisallow: /", "/x", true},
		// a value is all up to the end of the line
		{"Disallow: /x y", "/x", true},
		{"Disallow: /x \ty # z", "/x%20%09y/z", true},
	})
}

// Section 2.2.3: "#" ends a line, "$" stands for the end of the path, "*" for any octets; escaped,
// the latter two stand for themselves.
func TestRobots_RFC9309_2_2_3(t *testing.T) {
	testPaths(t, []pathTest{
		{"Allow: /this/path/exactly$\nDisallow: /", "/this/path/exactly", true},
		{"Allow: /this/path/exactly$\nDisallow: /", "/this/path/exactly/not", false},
		{"Allow: /this/*/exactly\nDisallow: /", "/this/a/b/exactly", true},
		{"Allow: /this/*/exactly\nDisallow: /", "/this/exactly", false},
		{"Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-*.html", false},
		{"Disallow: /path/file-with-a-%2A.html", "/path/file-with-a-x.html", true},
		{"Disallow: /path/foo-%24", "/path/foo-$", false},
		{"Disallow: /path/foo-%24", "/path/foo-", true},
	})
}

// Section 5.1 and 5.2 are the simple example and the longest match.
func TestRobots_RFC9309_5_1_SimpleExample(t *testing.T) {
	r := parse(t, `User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
`)
	for _, tt := range []struct {
		agent, path string
		want        bool
	}{
		{"other", "/a.gif", false},
		{"other", "/a.gif?x", true},
		{"other", "/example/x", false},
		{"other", "/publications/", true},
		{"other", "/x", true},
		{"foobot", "/x", false},
		{"foobot", "/example/page.html", true},
		{"foobot", "/example/allowed.gif", true},
		{"foobot", "/example/x.gif", false},
		{"barbot", "/example/page.html", false},
		{"barbot", "/example/x", true},
		{"bazbot", "/example/page.html", false},
		{"BAZBOT/2.1", "/a.gif", true},
		{"quxbot", "/example/", true}, {"quxbot", "/a.gif", true},
	} {
		if got := r.Allowed(tt.agent, mustURL(t, "https://www.example.com"+tt.path)); got != tt.want {
			t.Errorf("Allowed(%q, %q) = %v", tt.agent, tt.path, got)
		}
	}
}

func TestRobots_RFC9309_5_2_LongestMatch(t *testing.T) {
	r := parse(t, "User-Agent: foobot\nAllow: /example/page/\n"+
		"Disallow: /example/page/disallowed.gif\n")
	if r.Allowed("foobot", mustURL(t, "https://www.example.com/example/page/disallowed.gif")) {
		t.Error("the most specific rule does not count")
	}
	if !r.Allowed("foobot", mustURL(t, "https://www.example.com/example/page/x")) {
		t.Error("the less specific rule does not count")
	}
}

func TestRobots_Wildcards(t *testing.T) {
	testPaths(t, []pathTest{
		{"Disallow: *", "/a", false},
		{"Disallow: **", "/a", false},
		{"Disallow: *$", "/a", false},
		{"Disallow: $", "/", true},
		{"Disallow: $", "/a", true},
		{"Disallow: /private*x", "/public/private1x", true},
		{"Disallow: /sitemap.xml$", "/x/sitemap.xml", true},
		{"Disallow: /b/*.xml", "/a/b/x.xml", true},
		{"Disallow: /*.pdf$", "/a.pdf", false},
		{"Disallow: /*.pdf$", "/a.pdf.pdf", false},
		{"Disallow: /*.pdf$", "/a.pdf?x", true},
		{"Disallow: /a$b", "/a", true},
		{"Disallow: /a$b", "/a$b", false},
		{"Disallow: /a$*", "/a$b", false},
		{"Disallow: /a*b*c", "/abXc", false},
		{"Disallow: /a*b*c$", "/abcd", true},
		{"Disallow: /a*bb$", "/abb", false},
		{"Disallow: /ab*b$", "/ab", true},
		{"Disallow: *b", "/a/b", false}, {"Disallow: /a*b", "/b/a/b", true},
	})
}

func TestRobots_Escapes(t *testing.T) {
	testPaths(t, []pathTest{
		{"Disallow: /%7Ejoe/", "/~joe/", false},
		{"Disallow: /~ann", "/%7eann/x", false},
		{"Disallow: /a%3cd", "/a%3Cd", false},
		{"Disallow: /a<d", "/a%3cd", false},
		{"Disallow: /b/c%2Fd", "/b/c%2fd", false},
		{"Disallow: /b/c%2Fd", "/b/c/d", true},
		{"Disallow: /100%", "/100%", false},
		{"Disallow: /%4", "/%4", false},
		{"Disallow: /a+b", "/a%20b", true},
		{"Disallow: /a%20b", "/a%20b", false},
		{"Disallow: /caf\xe9", "/caf%E9", false},
	})
}

func TestRobots_OtherOrigins(t *testing.T) {
	r := parse(t, "User-agent: *\nDisallow: /private\n")
	for loc, want := range map[string]bool{
		"https://www.example.com/":               true,
		"https://WWW.Example.com.:443/":          true,
		"https://user@www.example.com/":          true,
		"https://www.example.com/private":        false,
		"http://www.example.com/":                false,
		"https://example.com/":                   false,
		"https://www.example.com:8443/":          false,
		"https://other.test/":                    false,
		"https://other.test/robots.txt":          false,
		"ftp://www.example.com/":                 false,
		"/":                                      false,
		"mailto:webmaster@www.example.com":       false,
		"https://www.example.com:443/robots.txt": true,
	} {
		if got := r.Allowed("foobot", mustURL(t, loc)); got != want {
			t.Errorf("Allowed(%q) = %v", loc, got)
		}
	}
	nowhere, err := robots.Parse(strings.NewReader("User-agent: *\nDisallow: /private\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*robots.File{nowhere, {}} {
		for _, loc := range []string{"https://a.test/", "http://b.test:80/x", "/x"} {
			if !r.Allowed("foobot", mustURL(t, loc)) {
				t.Errorf("without a base, %s is not allowed", loc)
			}
		}
	}
	if nowhere.Allowed("foobot", mustURL(t, "https://a.test/private")) {
		t.Error("without a base, rules do not count")
	}
}

// TestRobots_HostileRules: the time of a query is linear in the rules and the path. An exponential
// or quadratic one would not end.
func TestRobots_HostileRules(t *testing.T) {
	path := "https://www.example.com/" + strings.Repeat("a", 8_000)
	for name, text := range hostile() {
		r := parse(t, text)
		if !r.Allowed("foobot", mustURL(t, path)) {
			t.Errorf("%s: not allowed", name)
		}
		if r.Allowed("foobot", mustURL(t, "https://www.example.com/first")) {
			t.Errorf("%s: the first rule is lost", name)
		}
	}
}

// TestRobots_MaxRules: a file has 20,000 rules, and those after them are not asked.
func TestRobots_MaxRules(t *testing.T) {
	for n, want := range map[int]bool{19_999: false, 20_000: true} {
		r := parse(t, "User-agent: *\n"+strings.Repeat("Disallow: /a\n", n)+"Disallow: /last\n")
		if got := r.Allowed("foobot", mustURL(t, "https://www.example.com/last")); got != want {
			t.Errorf("after %d rules, the last one allows: %t", n, got)
		}
	}
}

// hostile returns files of 500 KiB.
func hostile() map[string]string {
	const head = "User-agent: *\nDisallow: /first\n"
	fill := func(line string, end string) string {
		return head + strings.Repeat(line, (robots.MaxBytes-len(head)-len(end)-20)/len(line)) + end
	}
	var agents strings.Builder
	agents.WriteString(head)
	for i := range 8_000 {
		fmt.Fprintf(&agents, "User-agent: bot%d\n", i)
	}
	agents.WriteString(strings.Repeat("User-agent: *\n", 8_000))
	return map[string]string{
		"one pattern of " +
			"wildcards": head + "Disallow: /" + strings.Repeat("a*", robots.MaxBytes/2-100) + "b\n",
		"one pattern of " +
			"asterisks": head + "Disallow: /" + strings.Repeat("*", robots.MaxBytes-100) + "b\n",
		"one long " +
			"literal": head + "Disallow: " +
			"/*" + strings.Repeat("a", robots.MaxBytes-100) + "b\n",
		"many patterns":         fill("Disallow: /*a*a*a*a*a*a*a*a*b\n", ""),
		"many short patterns":   fill("Disallow:*b\n", ""),
		"many groups":           fill("User-agent: *\nDisallow: /*b\n", ""),
		"many agents and rules": agents.String() + strings.Repeat("Disallow: /b\n", 15_000),
		"many delays":           agents.String() + strings.Repeat("Crawl-delay: 1\n", 15_000),
	}
}

// referenceAllowed is what RFC 9309 says of a path, by regular expressions.
func referenceAllowed(rules []string, path string) bool {
	longest, allowed := -1, true
	for _, rule := range rules {
		key, value, _ := strings.Cut(rule, ": ")
		pattern, anchored := strings.CutSuffix(value, "$")
		expr := "^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
		if anchored {
			expr += "$"
		}
		n := len(value)
		counts := n > longest || n == longest && key == "Allow"
		if counts && regexp.MustCompile(expr).MatchString(path) {
			longest, allowed = n, key == "Allow"
		}
	}
	return allowed
}

func TestRobots_AgreesWithReference(t *testing.T) {
	patterns := strings.Fields("/ /a /a/ /a/b /* /*b /a*$ /a$ /*/b$ /a*b* /$ /b" +
		" /ab /a?x /*? *b */b$ /a.b /*.b$")
	paths := strings.Fields("/ /a /a/ /a/b /ab /b /a/b/c /a?x /a?y /c /aab /a.b /axb /b/a /x/a/b /a?")
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		var text strings.Builder
		rules := map[string][]string{}
		for range 1 + rnd.IntN(3) {
			agent := []string{"*", "a", "foobot"}[rnd.IntN(3)]
			fmt.Fprintf(&text, "User-agent: %s\n", agent)
			for range 1 + rnd.IntN(4) {
				rule := []string{"Allow", "Disallow"}[rnd.IntN(2)] + ": " + patterns[rnd.IntN(len(patterns))]
				text.WriteString(rule + "\n")
				rules[agent] = append(rules[agent], rule)
			}
		}
		r := parse(t, text.String())
		for _, agent := range []string{"foobot", "a", "other"} {
			group, ok := rules[agent]
			if !ok {
				group = rules["*"]
			}
			path := paths[rnd.IntN(len(paths))]
			got := r.Allowed(agent, mustURL(t, "https://www.example.com"+path))
			if want := referenceAllowed(group, path); got != want {
				t.Errorf("%q: Allowed(%q, %q) = %v, want %v", text.String(), agent, path, got, want)
			}
		}
	}
}

// matchReference matches by trying every way, in exponential time.
func matchReference(pattern, path string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return path == ""
	case pattern[0] == '*':
		return matchReference(pattern[1:], path) || path != "" && matchReference(pattern, path[1:])
	}
	return path != "" && pattern[0] == path[0] && matchReference(pattern[1:], path[1:])
}

func FuzzAllowed(f *testing.F) {
	f.Add("/a*b$", "/axb")
	f.Add("/*aab*b", "/aaab/ab")
	f.Add("/a**$", "/")
	f.Add("/ab*b$", "/ab")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		pattern, path = "/"+pattern, "/"+path
		plain := regexp.MustCompile(`^[/a-z0-9.]{1,40}$`)
		literals := strings.NewReplacer("*", "", "$", "").Replace(pattern)
		if !plain.MatchString(path) || !plain.MatchString(literals) {
			return
		}
		if strings.Count(pattern, "*") > 5 || strings.Contains(strings.TrimSuffix(pattern, "$"), "$") {
			return
		}
		r := parse(t, "User-agent: *\nDisallow: "+pattern+"\n")
		got := r.Allowed("foobot", &url.URL{Scheme: "https", Host: "www.example.com", Path: path})
		if want := !matchReference(pattern, path) || path == "/robots.txt"; got != want {
			t.Errorf("Disallow: %s: Allowed(%q) = %v", pattern, path, got)
		}
	})
}

func BenchmarkRobots_Allowed(b *testing.B) {
	files := hostile()
	files["common"] = "User-agent: *\nDisallow: /private/\nDisallow: /*.pdf$\n"
	for name, text := range files {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			r, u := parse(b, text), mustURL(b, "https://www.example.com/aaaaaaaaaaa/page.html?id=7")
			b.ReportAllocs()
			for b.Loop() {
				r.Allowed("foobot", u)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	files := hostile()
	files["common"] = "User-agent: *\nDisallow: /private/\nDisallow: /*.pdf$\n" +
		"Sitemap: https://www.example.com/sitemap.xml\n"
	for name, text := range files {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				parse(b, text)
			}
		})
	}
}

// Paths answers as Allowed does, and is nil for a file without rules.
func TestPaths(t *testing.T) {
	base, _ := url.Parse("https://example.com/robots.txt")
	f, err := robots.Parse(strings.NewReader("User-agent: a\nDisallow: /x*y$\nAllow: /x/ok\nUser-agent: *\n"), base)
	if err != nil {
		t.Fatal(err)
	}
	allows := f.Paths("a")
	for _, path := range []string{"/", "/x/y", "/x/y?a", "/x%2Fy", "/x/ok/y", "/x/ü/y", "/robots.txt"} {
		u, err := base.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := allows(u.RequestURI()), f.Allowed("a", u); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
	if f.Paths("b") != nil {
		t.Error("there are rules for b")
	}
}
