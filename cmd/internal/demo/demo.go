// Package demo is the command sitemap demo, a tour that needs no network.
//
// Each file builds on those below it:
//
//	demo.go   sitemap demo
//	watch.go  the scene of sitemap watch
//	site.go   the sites of the demo
package demo

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/check"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/tree"
	"github.com/seed-322c453a/sitemap/cmd/internal/urls"
)

// expected is what the demo prints.
//
//go:embed expected.txt
var expected []byte

// Command returns the command sitemap demo.
func Command(a *cli.App) *cobra.Command {
	return cli.WithHelp(&cobra.Command{
		Use:                   "demo",
		DisableFlagsInUseLine: true,
		Args:                  cli.Exactly(0, "demo takes no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var text bytes.Buffer
			err := run(cmd.Context(), &text)
			if err == nil && !bytes.Equal(text.Bytes(), expected) {
				err = errors.New("the demo is not as expected: its sites or the command have " +
					"changed")
			}
			out := output.New(a)
			out.Write(text.Bytes())
			return out.Finish(err)
		},
	})
}

// run serves the sites of the demo, runs commands on them, and prints what they print.
func run(ctx context.Context, to io.Writer) error {
	transport, stop, err := serve()
	if err != nil {
		return err
	}
	defer stop()
	a := cli.NewApp(ctx, nil, to, io.Discard)
	a.Transport = transport
	fmt.Fprint(to, "Two sites are served from loopback, www.example.com and www.example.org.\n")
	for _, step := range []struct {
		title, args string
		command     *cobra.Command
	}{
		{"The sitemaps that robots.txt names, and those that an index lists", "", tree.Command(a)},
		{"The URLs, each with its sitemap and the trust that entitles the sitemap to list it",
			"--format csv --fields loc,lastmod,sitemap,trust", urls.Command(a)},
		{"What a search engine would refuse, misread or ignore, where, and how to fix it",
			"--disable lastmod_coverage,lastmod_stale", check.Command(a)},
	} {
		args := append(strings.Fields(step.args), "http://www.example.com/")
		line := step.command.Name() + " " + strings.Join(args, " ")
		fmt.Fprintf(to, "\n%s:\n\n$ sitemap %s\n", step.title, line)
		step.command.SetArgs(args)
		if err := step.command.ExecuteContext(ctx); err != nil {
			return err
		}
	}
	return watchSite(ctx, to)
}
