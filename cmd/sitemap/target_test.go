package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseTarget(t *testing.T) {
	file := writeFile(t, "example.com", "")
	t.Chdir(strings.TrimSuffix(file, "example.com"))
	if err := os.Mkdir("dir", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("mirror.example", 0o700); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		arg, as string
		want    target
	}{
		{"example.org", "", target{siteTarget, "example.org", ""}},
		{"example.org:8080", "", target{siteTarget, "example.org:8080", ""}},
		{"https://example.org", "", target{siteTarget, "https://example.org", ""}},
		{" https://example.org/a\n", "", target{sitemapTarget, "https://example.org/a", ""}},
		{"https://example.org/", "", target{siteTarget, "https://example.org/", ""}},
		{"HTTP://example.org/", "", target{siteTarget, "HTTP://example.org/", ""}},
		{"https://example.org/?a=b", "", target{siteTarget, "https://example.org/?a=b", ""}},
		{"https://example.org/a", "", target{sitemapTarget, "https://example.org/a", ""}},
		{"https://example.org/a/", "site", target{siteTarget, "https://example.org/a/", ""}},
		{"https://example.org", "sitemap", target{sitemapTarget, "https://example.org", ""}},
		{"example.org/a.xml", "", target{siteTarget, "example.org/a.xml", ""}},
		{"example.org/a.xml", "sitemap", target{sitemapTarget, "https://example.org/a.xml", ""}},
		{"münchen.example", "", target{siteTarget, "münchen.example", ""}},
		{"example.com", "", target{fileTarget, "example.com", ""}},
		{"example.com", "site", target{siteTarget, "example.com", ""}},
		{"dir", "", target{fileTarget, "dir", ""}},
		{"mirror.example", "", target{siteTarget, "mirror.example", ""}},
		{"mirror.example/", "", target{siteTarget, "mirror.example/", ""}},
		{"dir/", "", target{fileTarget, "dir/", ""}},
		{"./mirror.example", "", target{fileTarget, "./mirror.example", ""}},
		{"https://example.org/robots.txt", "", target{siteTarget, "https://example.org/robots.txt", ""}},
		{"https://example.org/robots.txt", "sitemap", target{sitemapTarget, "https://example.org/robots.txt", ""}},
		{"https://example.org/robots.txt?a", "", target{siteTarget, "https://example.org/robots.txt?a", ""}},
		{"./missing", "", target{fileTarget, "./missing", ""}},
		{"/missing.xml", "", target{fileTarget, "/missing.xml", ""}},
		{"missing.XML", "", target{fileTarget, "missing.XML", ""}},
		{"-", "", target{fileTarget, "-", ""}},
	}
	for _, tt := range tests {
		got, err := parseTarget(tt.arg, tt.as)
		if tt.want.given = strings.TrimSpace(tt.arg); err != nil || got != tt.want {
			t.Errorf("parseTarget(%q, %q) = %v, %v, want %v", tt.arg, tt.as, got, err, tt.want)
		}
	}
	for _, arg := range []string{"", "ftp://example.org/", "http:///a", "https://user:secret@ex ample/", "user:secret@ex ample", "https:///user:secret@example.org/"} {
		if got, err := parseTarget(arg, ""); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("parseTarget(%q) = %v, %v, want an error that keeps secrets", arg, got, err)
		}
	}
}

func TestTargetsFrom(t *testing.T) {
	a := &app{ctx: t.Context(), in: strings.NewReader("\ufeff# a comment\n\nexample.org\r\n ftp://x/ \nhttps://example.org/a # a comment\n-\nlast.example")}
	var got []string
	for target, err := range a.targets([]target{{siteTarget, "first", "first"}}, "-", "") {
		if err != nil {
			got = append(got, "error: "+err.Error())
			continue
		}
		got = append(got, target.name)
	}
	want := []string{
		"first", "example.org",
		`error: standard input, line 4: "ftp://x/": want a host, an http or https URL, or a file`,
		"https://example.org/a",
		"error: standard input, line 6: standard input can be read only once", "last.example",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFromUnreadable(t *testing.T) {
	dir, out, state := t.TempDir(), writeFile(t, "out", "precious\n"), filepath.Join(t.TempDir(), "state")
	for _, more := range [][]string{{"-o", out}, {"-o", out, "--state", state}} {
		runArgs(t, append(more, "urls", "--from", dir+"/missing")...).want(t, exitUsage, "", "--from: "+dir+"/missing: no such file")
		runArgs(t, append(more, "urls", "--from", dir)...).want(t, exitFailed, "", "--from: "+dir+": ")
		runArgs(t, append(more, "urls", "--from", writeFile(t, "empty", "# none\n"))...).want(t, exitFailed, "", "no target in it")
	}
	if text, err := os.ReadFile(out); string(text) != "precious\n" {
		t.Errorf("the output holds %q, %v", text, err)
	}
}
