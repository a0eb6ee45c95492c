package main

import (
	"os"
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
