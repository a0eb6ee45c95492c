package lists

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
)

// The arguments come first, as they stand. A line that is no target is reported with its number.
func TestPlan(t *testing.T) {
	in := "\ufeff# a comment\n\nexample.org\r\n ftp://x/ \nhttps://example.org/a # a comment\n-\n" +
		"http://localhost:8080/\nrun.go\nwww.last.example\nshop.last.example"
	var reported bytes.Buffer
	a := cli.NewApp(t.Context(), strings.NewReader(in), nil, &reported)
	w := &Walker{App: a, Flags: &Flags{From: "-"}}
	queue := batch.NewMemoryQueue(100)
	w.plan(t.Context(), []target.Target{{Kind: target.Site, Given: "first #1.xml"}}, queue)
	var got []string
	for lease, err := queue.Take(t.Context()); err == nil; lease, err = queue.Take(t.Context()) {
		got = append(got, lease.Task().Domain+" "+strings.Join(lease.Task().Targets, " "))
		lease.Done(t.Context())
	}
	want := []string{
		"target-1 first #1.xml", "example.org example.org", "example.org https://example.org/a",
		"localhost http://localhost:8080/", "target-5 run.go", "last.example www.last.example", "last.example shop.last.example",
	}
	if !slices.Equal(got, want) {
		t.Errorf("planned %q, want %q", got, want)
	}
	for _, want := range []string{
		`standard input, line 4: "ftp://x/": want a host, an http or https URL, or a file`,
		"standard input, line 6: standard input can be read only once",
	} {
		if !strings.Contains(reported.String(), want) {
			t.Errorf("reported %q, not %q", &reported, want)
		}
	}
}
