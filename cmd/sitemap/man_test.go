package main

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

var updateMan = flag.Bool("update-man", false, "rewrite docs/man")

const manFolder = "../../docs/man"

// manPages returns the man page of each command, by file name.
func manPages(t *testing.T, cmd *cobra.Command) map[string][]byte {
	t.Helper()
	pages := map[string][]byte{}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	header := &doc.GenManHeader{
		Section: "1", Source: "sitemap", Manual: "sitemap",
		Date: new(time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)),
	}
	if !cmd.Runnable() {
		header.Section = "7"
	}
	header.Title = strings.ToUpper(name)
	var page bytes.Buffer
	cmd.DisableAutoGenTag = true
	cmd.Long = strings.ReplaceAll("\n"+cmd.Long, "\n  ", "\n      ") // verbatim in Markdown
	if err := doc.GenMan(cmd, header, &page); err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(cmd.Long) { // Markdown takes some characters for its own
		if !bytes.Contains(page.Bytes(), []byte(word)) {
			t.Errorf("%s: %q is missing", name, word)
		}
	}
	pages[name+"."+header.Section] = page.Bytes()
	for _, c := range cmd.Commands() {
		if c.Name() == "help" {
			continue
		}
		for name, page := range manPages(t, c) {
			pages[name] = page
		}
	}
	return pages
}

// The man pages are those of the commands: go test ./cmd/sitemap -run TestManPages -update-man.
func TestManPages(t *testing.T) {
	pages := manPages(t, rootCommand(testApp(t)))
	for name, page := range pages {
		path := filepath.Join(manFolder, name)
		if *updateMan {
			if err := os.WriteFile(path, page, 0o644); err != nil {
				t.Error(err)
			}
			continue
		}
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, page) {
			t.Errorf("%s is not up to date: run with -update-man (%v)", path, err)
		}
	}
	kept, err := filepath.Glob(filepath.Join(manFolder, "*"))
	if err != nil || len(kept) != len(pages) {
		t.Errorf("%d pages in %s, want %d (%v)", len(kept), manFolder, len(pages), err)
	}
}

// The Homebrew cask lists the man pages one by one. A page that it lists and that is missing fails
// an installation.
func TestManPages_Cask(t *testing.T) {
	config, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(config)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "- man/"); ok {
			got = append(got, name)
		}
	}
	want := slices.Sorted(maps.Keys(manPages(t, rootCommand(testApp(t)))))
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the cask has the pages %q, want %q", got, want)
	}
}
