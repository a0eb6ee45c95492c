package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/watch"
)

// watchSite watches a third site while it changes. Time is short: each sitemap is due at once.
func watchSite(ctx context.Context, to io.Writer) error {
	const line = "watch --once --state watch.db www.example.net"
	dir, err := os.MkdirTemp("", "sitemap-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprint(to, "\nWhat changes on a third site, www.example.net, from run to run:\n")
	for _, scene := range []struct{ title, pages string }{
		{"the first run remembers its pages", "/ /news/1 /news/2"},
		{"it publishes a page", "/ /news/1 /news/2 /news/3"},
		{"a page vanishes", "/ /news/2 /news/3"},
	} {
		fmt.Fprintf(to, "\n$ sitemap %s    # %s\n", line, scene.title)
		a := cli.NewApp(ctx, nil, to, io.Discard)
		a.Transport = listing(strings.Fields(scene.pages))
		cmd := watch.Command(a)
		cmd.SetArgs([]string{"--once", "--state", filepath.Join(dir, "watch.db"), "--min", "1ns",
			"--max", "1ns", "www.example.net"})
		if err := cmd.ExecuteContext(ctx); err != nil {
			return err
		}
	}
	return nil
}

// A listing answers for a site whose text sitemap lists these paths.
type listing []string

func (l listing) RoundTrip(r *http.Request) (*http.Response, error) {
	text := "Sitemap: /sitemap.txt"
	if r.URL.Path != "/robots.txt" {
		text = ""
		for _, path := range l {
			text += "https://www.example.net" + path + "\n"
		}
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: r,
		Body: io.NopCloser(strings.NewReader(text)),
	}, nil
}
