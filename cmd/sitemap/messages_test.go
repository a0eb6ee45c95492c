package main

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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
		"urls.jsonl": `{"loc":"https://example.com/"}` + "\n", "text.txt": "text\n", "local.txt": "127.0.0.1:1\n", "site/robots.txt": "",
	} {
		os.MkdirAll(filepath.Dir(name), 0o755)
		writeTo(t, name, text)
	}
	for _, mode := range []string{"--check", "--changed"} { // runs 1 and 2
		runArgs(t, "batch", "local.txt", "-o", "made", "-q", "--allow-private", "--retries", "0", mode, "--run",
			map[string]string{"--check": "1", "--changed": "2"}[mode]).want(t, cli.ExitOK, "")
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
		t.Errorf("go test -run TestMessages -update writes the messages of today:\n%s",
			got.String())
	}
}

// Each message in the command's code that begins as one about wrong usage does is in
// testdata/messages.txt.
func TestMessages_AreComplete(t *testing.T) {
	table, err := os.ReadFile("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	for message, place := range messages(t) {
		words := regexp.MustCompile(`%[^a-z]*[a-z]`).Split(message, -1)
		for i, w := range words {
			words[i] = regexp.QuoteMeta(w)
		}
		if apart[message] == "" && !regexp.MustCompile(strings.Join(words, `(?s:.*?)`)).Match(table) {
			t.Errorf("%s: %q is provoked by no line of testdata/messages.txt", place, message)
		}
	}
}

// apart are messages that no line of a table can provoke, and why.
var apart = map[string]string{
	"no FILE given":                                 "on a terminal only",
	"name the file to write: -o site.html":          "on a terminal only",
	"--queue: %s cannot be reached":                 "by a server that is down",
	"want whsec_ and base64":                        "by a variable of the environment",
	"--user-agent: not the value of a header field": "by a control character",
}

// misuse matches messages about wrong usage, if they say more than what they wrap.
var misuse = regexp.MustCompile(`^(--.*: [^%]|--.*: %q: |want |unknown |no [A-Z]|name )`)

// messages returns the messages about wrong usage in the code of the command, with their places.
func messages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir("../internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			fun, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || fun.Sel.Name != "New" && fun.Sel.Name != "Errorf" {
				return true
			}
			lit, ok := call.Args[0].(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(lit.Value)
			if err == nil && misuse.MatchString(text) {
				found[text] = fset.Position(lit.Pos()).String()
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 40 {
		t.Fatalf("%d messages found", len(found))
	}
	return found
}
