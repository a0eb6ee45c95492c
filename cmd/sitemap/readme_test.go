package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A fence is a fenced block of the README.
type fence struct{ kind, text string }

func readmeBlocks(t *testing.T) []fence {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []fence
	for i, part := range strings.Split("\n"+string(text), "\n```") {
		if i%2 == 1 {
			kind, body, _ := strings.Cut(part, "\n")
			blocks = append(blocks, fence{kind, body + "\n"})
		}
	}
	return blocks
}

// The README shows the output that the command prints.
func TestReadmeCommands(t *testing.T) {
	blocks := readmeBlocks(t)
	t.Chdir("../..")
	n := 0
	for _, b := range blocks {
		line, want, _ := strings.Cut(b.text, "\n")
		args, ok := strings.CutPrefix(line, "$ sitemap ")
		if b.kind != "console" || !ok {
			continue
		}
		n++
		got := runArgs(t, strings.Fields(args)...).out
		if head, cut := strings.CutSuffix(want, "...\n"); cut && strings.HasPrefix(got, head) {
			continue
		}
		if got != want {
			t.Errorf("sitemap %s: printed\n%s\nthe README has\n%s", args, got, want)
		}
	}
	if n != 1 {
		t.Errorf("%d commands with output", n)
	}
}

// The README's programs print what stands below them. One build has them all, since linking takes
// longest.
func TestReadmePrograms(t *testing.T) {
	blocks := readmeBlocks(t)
	text, want := readmeHead, map[string]string{}
	for i, b := range blocks {
		if b.kind != "go" || i+1 == len(blocks) {
			continue
		}
		name := fmt.Sprint(len(want))
		// The program walks a site of the test's, without a network.
		program := strings.Replace(b.text, "var c discover.Client",
			"c := discover.Client{Fetch: &site}", 1)
		text += "func init() { programs[`" + name + "`] = func() {\n" + program + "} }\n"
		want[name] = blocks[i+1].text
	}
	if len(want) != 2 {
		t.Fatalf("%d programs", len(want))
	}
	dir := t.TempDir()
	file, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program.exe")
	writeTo(t, file, text)
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, file)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range want {
		got, err := exec.Command(program, name).CombinedOutput()
		if err != nil || string(got) != text {
			t.Errorf("program %s prints, %v\n%s\nthe README has\n%s", name, err, got, text)
		}
	}
}

// readmeHead is what stands before the programs of the README.
const readmeHead = `package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"testing/fstest"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/parse"
)

var (
	_    = log.Print
	_    = parse.Entries
	_    = strings.NewReader
	_    discover.Client
	ctx  = context.Background()
	site = fetch.Client{Transport: http.NewFileTransportFS(fstest.MapFS{
		"robots.txt": {Data: []byte("Sitemap: https://example.com/sitemap.xml")},
		"sitemap.xml": {Data: []byte("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>" +
			"<url><loc>https://example.com/</loc><lastmod>2024-05-06</lastmod></url>" +
			"<url><loc>https://example.com/news/launch</loc><lastmod>2024-05-06T07:08:09+02:00</lastmod></url>" +
			"<url><loc>https://www.example.com/about</loc></url>" +
			"<url><loc>https://example.org/</loc></url></urlset>")},
	})}
)

var programs = map[string]func(){}

func main() { programs[os.Args[1]]() }

`

// The README's events of watch are lines that submit reads.
func TestReadmeEvents(t *testing.T) {
	for _, b := range readmeBlocks(t) {
		if b.kind != "" || !strings.HasPrefix(b.text, "+ ") {
			continue
		}
		events := strings.NewReader(b.text)
		r := runWith(t, events, "submit", "--indexnow", "0123abcd4567", "--dry-run", "-")
		want := `"https://example.com/news/3","https://example.com/","https://example.com/news/1"]`
		if r.status != cli.ExitOK || !strings.Contains(r.out, want) {
			t.Errorf("exit status %d, printed %q, said %q", r.status, r.out, r.err)
		}
		return
	}
	t.Error("no events")
}

// The flags in the README's further commands exist.
func TestReadmeFlags(t *testing.T) {
	for _, b := range readmeBlocks(t) {
		for line := range strings.Lines(b.text) {
			args, ok := strings.CutPrefix(line, "sitemap ")
			if !ok {
				continue
			}
			args, _, _ = strings.Cut(args, "#")
			fields := strings.Fields(args)
			if r := runArgs(t, append(fields, "--help")...); r.status != cli.ExitOK {
				t.Errorf("sitemap %s: said %q", args, r.err)
			}
		}
	}
}
