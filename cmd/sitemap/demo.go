package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// demoExpected is what the demo prints.
//
//go:embed demo/expected.txt
var demoExpected []byte

func (a *app) demoCommand() *cobra.Command {
	return document(&cobra.Command{
		Use:  "demo",
		Args: exactly(0, "demo takes no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var text bytes.Buffer
			err := runDemo(cmd.Context(), &text)
			if err == nil && !bytes.Equal(text.Bytes(), demoExpected) {
				err = errors.New("the demo is not as expected: its sites or the command have changed")
			}
			out := newOutput(a.out)
			out.Write(text.Bytes())
			return a.finish(out, err)
		},
	})
}

// runDemo serves the sites of the demo, runs commands on them, and prints what they print.
func runDemo(ctx context.Context, to io.Writer) error {
	transport, stop, err := serveDemo()
	if err != nil {
		return err
	}
	defer stop()
	diag := &messages{w: io.Discard}
	a := &app{ctx: ctx, out: to, stderr: io.Discard, diag: diag, transport: transport}
	fmt.Fprint(to, "Two sites are served from loopback, www.example.com and www.example.org.\n")
	for _, step := range []struct {
		title, args string
		command     *cobra.Command
	}{
		{"The sitemaps that robots.txt names, and those that an index lists", "", a.treeCommand()},
		{"The URLs, each with its sitemap and the trust that entitles the sitemap to list it",
			"--format csv --fields loc,lastmod,sitemap,trust", a.urlsCommand()},
		{"What a search engine would refuse, misread or ignore, where, and how to mend it",
			"--disable lastmod_coverage,lastmod_stale", a.checkCommand()},
	} {
		args := append(strings.Fields(step.args), "http://www.example.com/")
		line := step.command.Name() + " " + strings.Join(args, " ")
		fmt.Fprintf(to, "\n%s:\n\n$ sitemap %s\n", step.title, line)
		step.command.SetArgs(args)
		if err := step.command.ExecuteContext(ctx); err != nil {
			return err
		}
	}
	return nil
}
