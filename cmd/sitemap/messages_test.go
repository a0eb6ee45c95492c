package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

var update = flag.Bool("update", false, "write testdata/messages.txt")

// Each wrong command line in testdata/messages.txt is answered by the message below it, with the
// status of wrong usage. So the file is a table of what a user can provoke, for people to read.
func TestMessages(t *testing.T) {
	table, err := os.ReadFile("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := filepath.Abs("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"s.xml": urlset("https://example.com/"), "empty.txt": "\n", "list.txt": "example.com\n",
		"urls.jsonl": `{"loc":"https://example.com/"}` + "\n", "text.txt": "text\n", "site/robots.txt": "",
	} {
		os.MkdirAll(filepath.Dir(name), 0o755)
		writeTo(t, name, text)
	}
	var got strings.Builder
	for line := range strings.Lines(string(table)) {
		args, ok := strings.CutPrefix(line, "$ sitemap")
		if !ok {
			continue
		}
		r := runArgs(t, strings.Fields(args)...)
		if r.status != cli.ExitUsage || r.out != "" {
			t.Errorf("%s: exit status %d, printed %q", strings.TrimSpace(line), r.status, r.out)
		}
		got.WriteString(line + r.err + "\n")
	}
	if *update {
		writeTo(t, golden, got.String())
	} else if got.String() != string(table) {
		t.Errorf("go test -run TestMessages -update writes the messages of today:\n%s", got.String())
	}
}
