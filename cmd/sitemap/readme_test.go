package main

import (
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

// What the README shows of the command is what it prints.
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
	if n != 2 {
		t.Errorf("%d commands with output", n)
	}
}

// The README's program compiles.
func TestReadmePrograms(t *testing.T) {
	blocks := readmeBlocks(t)
	n := 0
	for _, b := range blocks {
		if b.kind != "go" {
			continue
		}
		n++
		dir := t.TempDir()
		file := filepath.Join(dir, "main.go")
		if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(dir, "program.exe")
		if out, err := exec.Command("go", "build", "-o", program, file).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
	if n != 1 {
		t.Errorf("%d programs", n)
	}
}

// The README's further commands have flags that there are.
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
