package trust_test

import (
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/trust"
)

func TestOfRobots(t *testing.T) {
	host := func(h string) trust.Grant { return trust.Grant{Host: h, Dir: "/", By: trust.Robots} }
	for _, tt := range []struct {
		locs []string
		want []trust.Grant
	}{
		{[]string{"https://a.test/robots.txt"}, []trust.Grant{host("a.test")}},
		{[]string{"https://A.test:8443/robots.txt"}, []trust.Grant{host("a.test:8443")}},
		{
			[]string{"https://a.test/robots.txt", "https://www.a.test/robots.txt"},
			[]trust.Grant{host("a.test"), host("www.a.test")},
		},
		{
			[]string{"http://a.test/robots.txt", "https://a.test/robots.txt"},
			[]trust.Grant{host("a.test")},
		},
		// RFC 9309, section 2.3: /robots.txt and nothing else.
		{
			[]string{"https://a.test/robots.txt", "https://cdn.test/uploads/robots.txt"},
			[]trust.Grant{host("a.test")},
		},
		{
			[]string{"https://a.test/robots.txt", "https://b.test/robots.txt?user=1"},
			[]trust.Grant{host("a.test")},
		},
		{
			[]string{"https://a.test/robots.txt", "https://b.test/robots.txt?"},
			[]trust.Grant{host("a.test")},
		},
		{
			[]string{"https://a.test/robots.txt", "https://b.test/Robots.txt"},
			[]trust.Grant{host("a.test")},
		},
		{
			[]string{
				"https://a.test/robots.txt", "https://b.test/x", "https://c.test/robots.txt#x",
			}, []trust.Grant{host("a.test"), host("c.test")},
		},
		{[]string{"https://a.test/sitemap.xml"}, nil},
		{[]string{"https://a.test/x/../robots.txt"}, nil},
		{[]string{"ftp://a.test/robots.txt"}, nil},
		{[]string{"/robots.txt"}, nil},
		{[]string{""}, nil},
	} {
		if got := trust.OfRobots(tt.locs[0], tt.locs[1:]...); !slices.Equal(got, tt.want) {
			t.Errorf("OfRobots(%q) = %v, want %v", tt.locs, got, tt.want)
		}
	}
}

func TestOfCaller(t *testing.T) {
	got, ok := trust.OfCaller("https://user:secret@Example.com/a/b/s.xml?x")
	if want := (trust.Grant{Host: "example.com", Dir: "/", By: trust.Caller}); !ok || got != want {
		t.Errorf("got %v, %v, want %v", got, ok, want)
	}
	for _, loc := range []string{"", "example.com", "ftp://example.com/s.xml"} {
		if got, ok := trust.OfCaller(loc); ok || got != (trust.Grant{}) {
			t.Errorf("OfCaller(%q) = %v, %v", loc, got, ok)
		}
		if got, ok := trust.OfLocation(loc); ok || got != (trust.Grant{}) {
			t.Errorf("OfLocation(%q) = %v, %v", loc, got, ok)
		}
	}
}

// TestOfLocation_EscapedSlashes: the grant, and its coverage, hold whether a server reads escaped
// slashes and backslashes as slashes or not, and before it removes dot segments or after.
func TestOfLocation_EscapedSlashes(t *testing.T) {
	for _, tt := range []struct{ path, dir string }{ // "" for no grant
		{"/a/./b/../s.xml?x=/y/", "/a/"},
		{"/uploads%2Fs.xml", "/uploads/"},
		{"/uploads\\s.xml", "/uploads/"},
		{"/users/bob/x%2Fy/../s.xml", "/users/bob/x/"},
		{"/users/bob/x%2Fy%2Fz/../../../s.xml", "/users/bob/"},
		{"/users/bob/x%5cy%5Cz/../%2e%2e/.%2E/s.xml", "/users/bob/"},
		{"/users/bob/x%2Fy%5Cz/../../../s.xml", "/users/bob/"},
		{"/a/x%2F..%2F..%2Fusers%2Fbob%2Fs.xml", ""},
		{"/a/..%2Fb%2Fs.xml", ""},
		{"/a/x\\..\\..\\b\\s.xml", ""},
		{"/a/x%2F../../b/s.xml", ""},
	} {
		g, ok := trust.OfLocation("https://a.test" + tt.path)
		if ok != (tt.dir != "") || g.Dir != tt.dir {
			t.Errorf("OfLocation of %s is %v, %v, want %q", tt.path, g, ok, tt.dir)
		}
	}
	part := trust.Grant{Scheme: "https", Host: "a.test", Dir: "/b/", By: trust.Location}
	judge(t, trust.Scope{part}, map[string]trust.Level{
		"https://a.test/b/x%2Fy":                      trust.Location,
		"https://a.test/b/c/x%2Fy/../z":               trust.Location,
		"https://a.test/c/../b/z":                     trust.Location,
		"https://a.test/b/c/../z":                     trust.Location,
		"https://a.test/secret/x%2Fy/../../b/z":       trust.Untrusted,
		"https://a.test/secret/x\\y/../../b/z":        trust.Untrusted,
		"https://a.test/b/x%2F..%2F..%2Fsecret":       trust.Untrusted,
		"https://a.test/b/../x%2Fy":                   trust.Untrusted,
		"https://a.test/secret/x%5cy/%2e%2e/.%2e/b/z": trust.Untrusted,
	})
	judge(t, trust.OfRobots("https://a.test/robots.txt"), map[string]trust.Level{
		"https://a.test/secret/x%2Fy/../../b/z": trust.Robots, // the whole host is granted
	})
}

func TestGrant_String(t *testing.T) {
	for want, g := range map[string]trust.Grant{
		"https://example.com/a/ (location)": location(t, "https://example.com/a/s.xml"),
		"example.com:81/ (robots)":          trust.OfRobots("http://example.com:81/robots.txt")[0],
	} {
		if got := g.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLevel_Text(t *testing.T) {
	all := []trust.Level{
		0, trust.Untrusted, trust.Variant, trust.Verified, trust.Location, trust.Robots, trust.Caller,
	}
	names := []string{"", "untrusted", "variant", "verified", "location", "robots", "caller"}
	for i, want := range names {
		text, err := all[i].MarshalText()
		var back trust.Level
		if err != nil || string(text) != want || back.UnmarshalText(text) != nil || back != all[i] {
			t.Errorf("%q comes back as %q", want, back)
		}
	}
	if !slices.IsSorted(all) {
		t.Errorf("not ordered: %v", all)
	}
	if got := trust.Level(99).String(); got != "invalid" {
		t.Errorf("Level(99) is %q", got)
	}
}
