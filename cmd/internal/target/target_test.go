package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTargetLabel(t *testing.T) {
	for target, want := range map[Target]string{
		{Site, "u:p@example.com", ""}:              "example.com",
		{Site, "https://u:p@example.com/", ""}:     "https://example.com/",
		{Sitemap, "https://u:p@example.com/a", ""}: "https://example.com/a",
		{Site, "http:/u:p@example.com/", ""}:       "http:/example.com/",
		{Site, "https//u:p@example.com/", ""}:      "https//example.com/",
		{Site, "example.com/a:b@c", ""}:            "example.com/a:b@c",
		{File, "me@home.xml", ""}:                  "me@home.xml",
		{File, "-", ""}:                            "standard input",
	} {
		if got := target.Label(); got != want {
			t.Errorf("label of %q = %q, want %q", target.Name, got, want)
		}
	}
}

func TestIsMistyped(t *testing.T) {
	for arg, want := range map[string]bool{"sitemap.xlm": true, "SITEMAP.XLM": true, "EXAMPLE.COM": false, "Site.Test": false, "a.xnl": true, "a.tx": true, "server.local": false, "example.org": false, "site.test": false, "intranet": false, "a.b.xlm": false, "host.corp": false} {
		if got := isMistyped(arg); got != want {
			t.Errorf("isMistyped(%q) is %t", arg, got)
		}
	}
}

// The message about a document in place of a list is no document itself.
func TestParseTarget_Long(t *testing.T) {
	_, err := Parse("<urlset>"+strings.Repeat(" <url>", 1000), "")
	if err == nil || len(err.Error()) > 300 {
		t.Error(err)
	}
}

func TestParseTarget(t *testing.T) {
	file := filepath.Join(t.TempDir(), "example.com")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(strings.TrimSuffix(file, "example.com"))
	if err := os.Mkdir("dir", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("mirror.example", 0o700); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		arg, as string
		want    Target
	}{
		{"example.org", "", Target{Site, "example.org", ""}},
		{"example.org:8080", "", Target{Site, "example.org:8080", ""}},
		{"https://example.org", "", Target{Site, "https://example.org", ""}},
		{" https://example.org/a\n", "", Target{Sitemap, "https://example.org/a", ""}},
		{"https://example.org/", "", Target{Site, "https://example.org/", ""}},
		{"HTTP://example.org/", "", Target{Site, "HTTP://example.org/", ""}},
		{"https://example.org/?a=b", "", Target{Site, "https://example.org/?a=b", ""}},
		{"https://example.org/a", "", Target{Sitemap, "https://example.org/a", ""}},
		{"https://example.org/a/", "site", Target{Site, "https://example.org/a/", ""}},
		{"https://example.org", "sitemap", Target{Sitemap, "https://example.org", ""}},
		{"example.org/a.xml", "", Target{Site, "example.org/a.xml", ""}},
		{"example.org/a.xml", "sitemap", Target{Sitemap, "https://example.org/a.xml", ""}},
		{"//example.org/a.xml", "sitemap", Target{Sitemap, "https://example.org/a.xml", ""}},
		{"https://example.org/%zz", "", Target{Sitemap, "https://example.org/%zz", ""}},
		{"u:p@example.org/a.xml", "sitemap", Target{Sitemap, "https://u:p@example.org/a.xml", ""}},
		{"u:p/w@example.org/a.xml", "sitemap", Target{Sitemap, "https://example.org/a.xml", ""}},
		{"münchen.example", "", Target{Site, "münchen.example", ""}},
		{"example.com", "", Target{File, "example.com", ""}},
		{"example.com", "site", Target{Site, "example.com", ""}},
		{"dir", "", Target{File, "dir", ""}},
		{"mirror.example", "", Target{Site, "mirror.example", ""}},
		{"mirror.example/", "", Target{Site, "mirror.example/", ""}},
		{"dir/", "", Target{File, "dir/", ""}},
		{"./mirror.example", "", Target{File, "./mirror.example", ""}},
		{"https://example.org/robots.txt", "", Target{Site, "https://example.org/robots.txt", ""}},
		{"https://example.org/robots.txt", "sitemap", Target{Sitemap, "https://example.org/robots.txt", ""}},
		{"https://example.org/robots.txt?a", "", Target{Site, "https://example.org/robots.txt?a", ""}},
		{"./missing", "", Target{File, "./missing", ""}},
		{"mirror/http://example.org/a.xml", "", Target{File, "mirror/http://example.org/a.xml", ""}},
		{"/missing.xml", "", Target{File, "/missing.xml", ""}},
		{"missing.XML", "", Target{File, "missing.XML", ""}},
		{"public/", "", Target{File, "public/", ""}},
		{"build/site", "", Target{File, "build/site", ""}},
		{"localhost/", "", Target{Site, "localhost/", ""}},
		{"intranet:8080/", "", Target{Site, "intranet:8080/", ""}},
		{"intranet/", "site", Target{Site, "intranet/", ""}},
		{"-", "", Target{File, "-", ""}},
	}
	for _, tt := range tests {
		got, err := Parse(tt.arg, tt.as)
		if tt.want.Given = strings.TrimSpace(tt.arg); err != nil || got != tt.want {
			t.Errorf("parseTarget(%q, %q) = %v, %v, want %v", tt.arg, tt.as, got, err, tt.want)
		}
	}
	for _, arg := range []string{"", "ftp://example.org/", "http:///a", "https://user:secret@ex ample/", "user:secret@ex ample", "https:///user:secret@example.org/", `http://user:secret\@example.org/`, "http:/example.org", "mailto:me@example.org", "1,example.org", "*.example.org"} {
		if got, err := Parse(arg, ""); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("parseTarget(%q) = %v, %v, want an error that keeps secrets", arg, got, err)
		}
	}
}
