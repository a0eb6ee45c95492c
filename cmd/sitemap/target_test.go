package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
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
		{"example.org", "", target{siteTarget, "example.org"}},
		{"example.org:8080", "", target{siteTarget, "example.org:8080"}},
		{"https://example.org", "", target{siteTarget, "https://example.org"}},
		{" https://example.org/a\n", "", target{sitemapTarget, "https://example.org/a"}},
		{"https://example.org/", "", target{siteTarget, "https://example.org/"}},
		{"HTTP://example.org/", "", target{siteTarget, "HTTP://example.org/"}},
		{"https://example.org/?a=b", "", target{siteTarget, "https://example.org/?a=b"}},
		{"https://example.org/a", "", target{sitemapTarget, "https://example.org/a"}},
		{"https://example.org/a/", "site", target{siteTarget, "https://example.org/a/"}},
		{"https://example.org", "sitemap", target{sitemapTarget, "https://example.org"}},
		{"example.org/a.xml", "", target{siteTarget, "example.org/a.xml"}},
		{"example.org/a.xml", "sitemap", target{sitemapTarget, "https://example.org/a.xml"}},
		{"münchen.example", "", target{siteTarget, "münchen.example"}},
		{"example.com", "", target{fileTarget, "example.com"}},
		{"example.com", "site", target{siteTarget, "example.com"}},
		{"dir", "", target{fileTarget, "dir"}},
		{"mirror.example", "", target{siteTarget, "mirror.example"}},
		{"mirror.example/", "", target{siteTarget, "mirror.example/"}},
		{"dir/", "", target{fileTarget, "dir/"}},
		{"./mirror.example", "", target{fileTarget, "./mirror.example"}},
		{"https://example.org/robots.txt", "", target{siteTarget, "https://example.org/robots.txt"}},
		{"https://example.org/robots.txt", "sitemap", target{sitemapTarget, "https://example.org/robots.txt"}},
		{"https://example.org/robots.txt?a", "", target{siteTarget, "https://example.org/robots.txt?a"}},
		{"./missing", "", target{fileTarget, "./missing"}},
		{"/missing.xml", "", target{fileTarget, "/missing.xml"}},
		{"-", "", target{fileTarget, "-"}},
	}
	for _, tt := range tests {
		got, err := parseTarget(tt.arg, tt.as)
		if err != nil || got != tt.want {
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
	a := &app{in: strings.NewReader("\ufeff# a comment\n\nexample.org\r\n ftp://x/ \nhttps://example.org/a # a comment\n-\n" +
		strings.Repeat("x", maxTargetLine+1) + "\nlast.example")}
	var got []string
	for target, err := range a.targets([]target{{siteTarget, "first"}}, "-", "") {
		if err != nil {
			got = append(got, "error: "+err.Error())
			continue
		}
		got = append(got, target.name)
	}
	want := []string{
		"first", "example.org",
		`error: standard input, line 4: "ftp://x/": only http and https URLs can be fetched`,
		"https://example.org/a",
		"error: standard input, line 6: standard input cannot be a target in a list read from it",
		"error: standard input, line 7: line too long", "last.example",
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
		runArgs(t, append(more, "urls", "--from", writeFile(t, "empty", "# none\n"))...).want(t, exitFailed, "", "names no target")
	}
	if text, err := os.ReadFile(out); string(text) != "precious\n" {
		t.Errorf("the output holds %q, %v", text, err)
	}
}

// TestOutputOfNothing: where nothing could be read, the file of -o stays as it was.
func TestOutputOfNothing(t *testing.T) {
	out := writeFile(t, "out", "precious\n")
	for _, args := range [][]string{
		{"urls", "--allow-private", "http://127.0.0.1:1/"}, {"urls", "--format", "csv", "missing.xml"}, {"parse", "missing.xml"},
	} {
		if r := runArgs(t, append(args, "-o", out)...); r.status != exitFailed || !strings.Contains(r.err, "left as it was") {
			t.Errorf("%v: status %d, said %q", args, r.status, r.err)
		}
	}
	if text, err := os.ReadFile(out); string(text) != "precious\n" {
		t.Errorf("the output holds %q, %v", text, err)
	}
}

func TestContextReader(t *testing.T) {
	text := strings.Repeat("0123456789", 50_000)
	for _, r := range []io.Reader{
		strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text)),
	} {
		got, err := io.ReadAll(&contextReader{ctx: t.Context(), r: r})
		if err != nil || string(got) != text {
			t.Errorf("%T: got %d bytes, %v, want %d", r, len(got), err, len(text))
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(&contextReader{ctx: t.Context(), r: iotest.ErrReader(broken)}); err != broken {
		t.Errorf("got %v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	blocked, w := io.Pipe()
	defer w.Close()
	r := &contextReader{ctx: ctx, r: blocked}
	go cancel()
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
