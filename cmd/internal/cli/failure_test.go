package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/fetch"
)

// privateHint names no flag for an address that a server redirects to.
func TestPrivateHint(t *testing.T) {
	refused := &fetch.Error{Err: fetch.ErrRefused}
	redirected := &fetch.Error{Err: fetch.ErrRefused, Hops: []fetch.Hop{{}}}
	redirect := &fetch.Error{Err: fetch.ErrRefused, Status: 302}
	if PrivateHint(refused) == "" || PrivateHint(redirected) != "" || PrivateHint(redirect) != "" {
		t.Errorf("hints %q, %q, %q",
			PrivateHint(refused), PrivateHint(redirected), PrivateHint(redirect))
	}
}

// The hint for a message is that for the error.
func TestPrivateHintOf(t *testing.T) {
	const robots, private = "robots.txt unreachable: http://10.0.0.1/robots.txt: ", "address 10.0.0.1 is not public"
	for message, want := range map[string]bool{
		"refused: " + private: true, robots + "refused: port 9": true,
		robots + "status 503": false, "http://10.0.0.1/: refused: " + private: false,
	} {
		if got := PrivateHintOf(message) != ""; got != want {
			t.Errorf("%q has a hint: %v", message, got)
		}
	}
}

func TestRedact(t *testing.T) {
	for loc, want := range map[string]string{
		"https://u:p@example.com/a@b":  "https://example.com/a@b",
		"https://u:p@q@example.com":    "https://example.com",
		"dir/me@home.xml":              "dir/me@home.xml",
		"https://example.com/?q=a@b":   "https://example.com/?q=a@b",
		"":                             "",
		"standard input":               "standard input",
		"https://u:p@example.com?x#@y": "https://example.com?x#@y",
		"https:u:p@example.com/a":      "https:example.com/a",
		`HTTPS:\\u:p@example.com/a`:    `HTTPS:\\example.com/a`,
		`C:\me@home.xml`:               `C:\me@home.xml`,
	} {
		if got := Redact(loc); got != want {
			t.Errorf("redact(%q) = %q, want %q", loc, got, want)
		}
	}
}

// Text from the web does not control a terminal.
func TestMessagesArePrintable(t *testing.T) {
	var b strings.Builder
	m := &Log{w: &b}
	m.Printf("a\x1b[2Jb\u202ec\u0085")
	if got, want := b.String(), "sitemap: a\ufffd[2Jb\ufffdc\ufffd\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Links and other spellings do not hide that two flags name one file.
func TestDifferentFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("list.txt", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("list.txt", "link.txt"); err != nil && runtime.GOOS != "windows" { // where not everybody may
		t.Fatal(err)
	}
	for _, name := range []string{"list.txt", "./list.txt", filepath.Join(dir, "list.txt"), "link.txt"} {
		if _, err := os.Stat(name); err != nil {
			continue // no link
		}
		if err := DifferentFiles("--from", "list.txt", "--output", "other.txt", "--failed", name); err == nil {
			t.Errorf("%s is taken for another file", name)
		}
	}
	if err := DifferentFiles("--from", "-", "--output", "-", "--failed", "", "--state", "new"); err != nil {
		t.Error(err)
	}
}
