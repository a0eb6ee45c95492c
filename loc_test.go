package sitemap

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestParseLoc(t *testing.T) {
	tests := []struct{ loc, want string }{
		{"http://example.com/a?b=c#d", "http://example.com/a?b=c#d"},
		{"http://example.com", "http://example.com"},
		{"HTTP://WWW.Example.COM:80/A/../b", "http://www.example.com:80/A/../b"},
		{"http://example.com/%7e%2F%c3%a9", "http://example.com/%7e%2F%c3%a9"},
		{"http://example.com/100%", "http://example.com/100%25"},
		{"http://example.com/%zz?%&%4", "http://example.com/%25zz?%25&%254"},
		{"http://example.com/straße?q=ü#ä", "http://example.com/stra%C3%9Fe?q=%C3%BC#%C3%A4"},
		{"http://example.com/a b\\c<d>\"{e|f}^`g", "http://example.com/a%20b%5Cc%3Cd%3E%22%7Be%7Cf%7D%5E%60g"},
		{"http://example.com/\x00\x7f\xff", "http://example.com/%00%7F%FF"},
		{"http://example.com/?a[]=1", "http://example.com/?a[]=1"},
		{"http://example.com/?", "http://example.com/?"},
		{"http://example.com/#a#b", "http://example.com/#a%23b"},
		{"http://bücher.example/", "http://xn--bcher-kva.example/"},
		{"http://straße.example/", "http://xn--strae-oqa.example/"},
		{"http://BÜCHER.Example:8080/", "http://xn--bcher-kva.example:8080/"},
		{"http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"},
		{"http://www%2Eexample.com/", "http://www.example.com/"},
		{"http://example\u3002com/", "http://example.com/"},
		{"http://r3---sn.Example/", "http://r3---sn.example/"},
		{"http://a_b.example/", "http://a_b.example/"},
		{"http://xn--a.example/", "http://xn--a.example/"},
		{"http://example.com./", "http://example.com./"},
		{"http://[2001:DB8::1]/", "http://[2001:db8::1]/"},
		{"http://[2001:DB8::1]:80/", "http://[2001:db8::1]:80/"},
		{"http://example.com:/", "http://example.com:/"},
		{"http://example.com:0080/", "http://example.com:0080/"},
		{"http://user:pass@example.com/", "http://user:pass@example.com/"},
		{"http://a@b:p%ä\"@example.com/", "http://a%40b:p%25%C3%A4%22@example.com/"},
		{"ftp://example.com/a", "ftp://example.com/a"},
	}
	for _, test := range tests {
		u, err := ParseLoc(test.loc)
		if err != nil {
			t.Errorf("ParseLoc(%q): %v", test.loc, err)
			continue
		}
		if got := u.String(); got != test.want {
			t.Errorf("ParseLoc(%q) = %q, want %q", test.loc, got, test.want)
		}
		if got, err := (Entry{Loc: test.loc}).URL(); err != nil || got.String() != test.want {
			t.Errorf("URL of %q = %v, %v", test.loc, got, err)
		}
	}
}

func TestParseLocErrors(t *testing.T) {
	for _, loc := range []string{
		"", "/a", "example.com/a", "http:/example.com", "http:example.com", "mailto:a@b", "://example.com", "1http://example.com",
		"http://", "http:///a", "http://?a", "http://:80/", "http://user@/", "http://./", "http://\u00ad/",
		"http://exa mple.com/", "http://exa<mple.com/", "http://exa\\mple.com/", "http://a\\@example.com/", "http://exa%mple.com/", "http://a%2fb/", "http://a%00b/", "http://\xff/",
		"http://a\uff0fb/", "http://a\uff20b/", "http://a\u2100b/", "http://xn--a-ä.example/", "http://" + strings.Repeat("ä", 127) + ".example/",
		"http://example.com:80a/", "http://example.com:+80/", "http://example.com:-1/", "http://example.com:65536/", "http://example.com:99999999999999999999/",
		"http://[::1/", "http://::1/", "http://[::1]x/", "http://[127.0.0.1]/", "http://[fe80::1%25eth0]/", "http://[v1.x]/",
	} {
		u, err := ParseLoc(loc)
		var ue *url.Error
		if u != nil || !errors.As(err, &ue) {
			t.Errorf("ParseLoc(%q) = %v, %v; want a *url.Error", loc, u, err)
		}
	}
}

func TestParseLocRedacts(t *testing.T) {
	for _, loc := range []string{
		"http://jane:secret@exa mple.com/a@b",
		"http:/jane:secret@example.com/a@b",
		"http:\\\\jane:secret@example.com/a@b",
		"//jane:secret@example.com/a@b",
		"http://jane:sec@ret:secret@example.com:x/a@b",
	} {
		_, err := ParseLoc(loc)
		if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "sec@ret") || !strings.Contains(err.Error(), "/a@b") {
			t.Errorf("error of ParseLoc(%q): %v", loc, err)
		}
	}
}

func TestRedact(t *testing.T) {
	for loc, want := range map[string]string{
		" \thttp://jane:secret@a.example/b": " \thttp://a.example/b", "\"https://jane:secret@a.example/\"": "\"https://a.example/\"",
		"<a href='http://jane:secret@a.example/'>": "<a href='http://a.example/'>", "\u202ahttp://jane:secret@a.example/": "\u202ahttp://a.example/",
		"http://jane:sec/ret@a.example/b": "http://a.example/b", "http://jane:sec#r?t@a.example/b": "http://a.example/b", " http:jane:secret@a.example": " http:a.example",
		"URL: http://jane:secret@a.example/": "URL: http://a.example/", "http:http://jane:secret@a.example/": "http:http://a.example/", "http://http://jane:secret@a.example/": "http://http://a.example/", "a/b http://jane:secret@a.example/": "a/b http://a.example/",
		"https://a.example/web/https://b.example/@jane": "https://a.example/web/https://b.example/@jane",
		"http://a.example:80/@jane":                     "http://a.example:80/@jane", "http://a.example:/@jane": "http://a.example:/@jane", "http://[::1]/@jane": "http://[::1]/@jane", "http://[::1]:80/@jane": "http://[::1]:80/@jane",
		"http:/jane:secret@a.example/b": "http:/a.example/b", "https//jane:secret@a.example/b": "https//a.example/b", "http/jane:secret@a.example": "http/a.example",
		"https:///jane:secret@a.example/": "https:///a.example/", "htp;//jane:sec/ret@a.example/b": "htp;//a.example/b", "https: //jane@a.example": "https: //a.example",
		"http:\\/\\/jane:secret@a.example": "http:\\/\\/a.example", "http:\\\\jane:secret@a.example": "http:\\\\a.example", "https://http:/jane:secret@a.example/": "https://http:/a.example/", "https://https//jane:secret@a.example/": "https://https//a.example/",
		"jane:secret@a.example/b": "a.example/b", "jane@a.example/b": "a.example/b", "jane:sec/ret@a.example": "a.example", "//jane:secret@a.example": "//a.example", "/jane:secret@a.example": "/a.example", "D\\jane:secret@a.example": "D\\a.example",
		"a.example/@jane:b": "a.example/@jane:b", "a.example/b:c@d": "a.example/b:c@d", "a.example:80/b:c@d": "a.example:80/b:c@d", "localhost/b:c@d": "localhost/b:c@d", "https://intranet/b:c@d": "https://intranet/b:c@d", "[::1]/b:c@d": "[::1]/b:c@d",
		"https://a.example//b:c@d": "https://a.example//b:c@d", "/@jane/b": "/@jane/b", "/b/c:d@e": "/b/c:d@e", "b/@jane": "b/@jane", "b/jane@a.example": "b/jane@a.example", "C:\\jane@home": "C:\\jane@home",
		"mailto:jane@a.example": "mailto:jane@a.example", "mailto:jane:secret@a.example": "mailto:a.example",
		"http://a.example/?u=http://b@c": "http://a.example/?u=http://b@c", "/p?u=http://b@c": "/p?u=http://b@c", "": "", "http://": "http://",
	} {
		if got := Redact(loc); got != want {
			t.Errorf("Redact(%q) = %q, want %q", loc, got, want)
		}
	}
}

// A URL that ParseLoc returns goes unchanged through ParseLoc again, and through net/url.
func FuzzParseLoc(f *testing.F) {
	for _, loc := range []string{"http://example.com/%zz?%#%", "http://ü@bücher.example:80/ü?ü#ü", "https://[::1]:1/", "http://a%2eb", "http://A\u3002b./\x00"} {
		f.Add(loc)
	}
	f.Fuzz(func(t *testing.T, loc string) {
		u, err := ParseLoc(loc)
		if err != nil {
			return
		}
		s := u.String()
		for i := range len(s) {
			if s[i] <= ' ' || s[i] >= 0x7f {
				t.Fatalf("ParseLoc(%q) = %q holds byte %#x", loc, s, s[i])
			}
		}
		again, err := ParseLoc(s)
		if err != nil || again.String() != s {
			t.Fatalf("ParseLoc(%q) = %q, and of that %v, %v", loc, s, again, err)
		}
		if direct, err := url.Parse(s); err != nil || direct.Host != u.Host || direct.EscapedPath() != u.EscapedPath() {
			t.Fatalf("url.Parse(%q) = %v, %v; want host %q, path %q",
				s, direct, err, u.Host, u.EscapedPath())
		}
	})
}
