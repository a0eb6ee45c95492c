package trust_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-322c453a/sitemap/discover/trust"
)

func TestGrants_OfRobots(t *testing.T) {
	host := func(h string) trust.Grant { return trust.Grant{Host: h, Dir: "/", By: trust.Robots} }
	for _, tt := range []struct {
		locs []string
		want trust.Scope
	}{
		{[]string{"https://a.test/robots.txt"}, trust.Scope{host("a.test")}},
		{[]string{"https://A.test:8443/robots.txt"}, trust.Scope{host("a.test:8443")}},
		{
			[]string{"https://a.test/robots.txt", "https://www.a.test/robots.txt"},
			trust.Scope{host("a.test"), host("www.a.test")},
		},
		{
			[]string{"http://a.test/robots.txt", "https://a.test/robots.txt"},
			trust.Scope{host("a.test")},
		},
		// RFC 9309, section 2.3: /robots.txt and nothing else.
		{
			[]string{"https://a.test/robots.txt", "https://cdn.test/uploads/robots.txt"},
			trust.Scope{host("a.test")},
		},
		{
			[]string{"https://a.test/robots.txt", "https://b.test/robots.txt?user=1"},
			trust.Scope{host("a.test")},
		},
		{
			[]string{"https://a.test/robots.txt", "https://b.test/robots.txt?"},
			trust.Scope{host("a.test")},
		},
		{
			[]string{"https://a.test/robots.txt", "https://b.test/Robots.txt"},
			trust.Scope{host("a.test")},
		},
		{
			[]string{
				"https://a.test/robots.txt", "https://b.test/x", "https://c.test/robots.txt#x",
			}, trust.Scope{host("a.test"), host("c.test")},
		},
		{[]string{"https://a.test/x/robots.txt"}, nil},
		{[]string{"https://a.test/x/../robots.txt"}, nil},
		{[]string{"https://a.test/robots.txt?x=1"}, nil},
		{[]string{"ftp://a.test/robots.txt"}, nil},
		{[]string{"/robots.txt"}, nil},
		{[]string{""}, nil},
	} {
		if got := trust.Grants(trust.FromRobots, tt.locs[0], tt.locs[1:], nil); !slices.Equal(got, tt.want) {
			t.Errorf("grants of %q: %v, want %v", tt.locs, got, tt.want)
		}
	}
}

// TestGrants: what each source of a document grants, and what redirects do to it.
func TestGrants(t *testing.T) {
	const doc, go_, served = "https://a.test/x/s.xml", "https://a.test/x/go", "https://cdn.test/y/s.xml"
	robots := trust.Scope{{Host: "a.test", Dir: "/", By: trust.Robots}}
	other := trust.Scope{{Host: "b.test", Dir: "/", By: trust.Robots}}
	variant := trust.Scope{{Scheme: "http", Host: "a.test", Dir: "/", By: trust.Location}}
	for _, tt := range []struct {
		by    trust.Source
		asked string
		hops  []string
		above trust.Scope
		want  string
	}{
		{trust.FromRobots, doc, nil, robots, "[a.test/ (robots)]"},
		{trust.FromRobots, doc, nil, other, "[b.test/ (robots) https://a.test/x/ (location)]"},
		{trust.FromRobots, doc, []string{served}, robots, "[a.test/ (robots) https://cdn.test/y/ (location)]"},
		{trust.FromIndex, doc, nil, other, "[b.test/ (robots) https://a.test/x/ (location)]"},
		{trust.FromKnownPath, doc, nil, nil, "[https://a.test/x/ (location)]"},
		{trust.FromCaller, doc, nil, nil, "[a.test/ (caller)]"},
		{trust.FromCaller, "https://user:secret@A.test/x/s.xml?x", nil, nil, "[a.test/ (caller)]"},
		{trust.FromHome, doc, nil, nil, "[https://a.test/x/ (location)]"},
		{trust.FromHome, doc, nil, robots, "[https://a.test/x/ (location)]"},
		// A redirect: the URL requested grants only if what chose it may speak for it.
		{trust.FromKnownPath, go_, []string{served}, nil, "[https://a.test/x/ (location) https://cdn.test/y/ (location)]"},
		{trust.FromCaller, go_, []string{served}, nil, "[a.test/ (caller) https://cdn.test/y/ (location)]"},
		{trust.FromHome, go_, []string{served}, nil, "[https://cdn.test/y/ (location)]"},
		{trust.FromHome, go_, []string{served}, robots, "[https://cdn.test/y/ (location)]"},
		{trust.FromRobots, go_, []string{served}, other, "[b.test/ (robots) https://cdn.test/y/ (location)]"},
		{trust.FromIndex, go_, []string{served}, other, "[b.test/ (robots) https://cdn.test/y/ (location)]"},
		{trust.FromIndex, go_, []string{served}, nil, "[https://cdn.test/y/ (location)]"},
		{trust.FromIndex, go_, []string{served}, variant, "[http://a.test/ (location) https://cdn.test/y/ (location)]"},
		{
			trust.FromIndex, go_, []string{served}, trust.Scope{{Host: "a.test", Dir: "/", By: trust.Verified}},
			"[a.test/ (verified) https://a.test/x/ (location) https://cdn.test/y/ (location)]",
		},
		// Neither a hop in the middle nor what is no URL grants.
		{trust.FromCaller, doc, []string{go_, "https://b.test/", served}, nil, "[a.test/ (caller) https://cdn.test/y/ (location)]"},
		{trust.FromCaller, "example.com", nil, nil, "[]"},
		{trust.FromHome, "ftp://example.com/s.xml", nil, nil, "[]"},
		{trust.FromRobots, "", nil, nil, "[]"},
	} {
		got := trust.Grants(tt.by, tt.asked, tt.hops, tt.above)
		if text := fmt.Sprint(got); text != tt.want {
			t.Errorf("source %d of %s %v below %v: %s, want %s",
				tt.by, tt.asked, tt.hops, tt.above, text, tt.want)
		}
	}
	if len(robots) != 1 || len(other) != 1 {
		t.Error("Grants changed the scope above")
	}
}

// TestGrants_EscapedSlashes: the grant, and its coverage, hold whether a server reads escaped
// slashes and backslashes as slashes or not, and before it removes dot segments or after.
func TestGrants_EscapedSlashes(t *testing.T) {
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
		got := trust.Grants(trust.FromHome, "https://a.test"+tt.path, nil, nil)
		if len(got) > 1 || (len(got) == 1) != (tt.dir != "") || len(got) == 1 && got[0].Dir != tt.dir {
			t.Errorf("grants of %s: %v, want %q", tt.path, got, tt.dir)
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
	judge(t, robotsOf("https://a.test/robots.txt"), map[string]trust.Level{
		"https://a.test/secret/x%2Fy/../../b/z": trust.Robots, // the whole host is granted
	})
}

func TestGrant_String(t *testing.T) {
	for want, g := range map[string]trust.Grant{
		"https://example.com/a/ (location)": location(t, "https://example.com/a/s.xml"),
		"example.com:81/ (robots)":          robotsOf("http://example.com:81/robots.txt")[0],
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
