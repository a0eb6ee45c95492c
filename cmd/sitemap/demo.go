package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

const demoHelp = `Walk a site that is built in, as any other site is walked. Two small sites are
served from loopback, www.example.com and www.example.org: a robots.txt with
several Sitemap lines, an index with gzip children and a nested index, RSS 2.0,
Atom 0.3 and 1.0, plain text, a damaged document, one that does not exist, and a
sitemap on the second host that lists URLs of the first, and one URL that it may
not list.

Printed are the tree of sitemaps, the URLs with what entitles each, and what was
refused and why. The exit status is 0 if that is what it should be.`

const demoTarget = "http://www.example.com/"

// demoExpected holds a line for each document, URL and refusal.
//
//go:embed demo/expected.txt
var demoExpected string

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Walk two small sites that are built in",
		Long:  demoHelp,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misuse(cmd, errors.New("demo takes no arguments"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.demo(cmd.Context())
		},
	}
}

// demo walks the demo's site and prints what it met.
func (a *app) demo(ctx context.Context) error {
	out := &output{sink: newSink(a.out)}
	fmt.Fprintf(out, demoIntro, demoTarget)
	d, err := walkDemo(ctx, out)
	if err != nil {
		return err
	}
	d.print(out)
	if err := out.Flush(); err != nil {
		return err
	}
	return d.check(demoExpected)
}

// walkDemo serves and walks the demo's sites, and prints the tree to out.
func walkDemo(ctx context.Context, out *output) (*demo, error) {
	web, err := newDemoWeb()
	if err != nil {
		return nil, err
	}
	defer web.close()
	transport := web.transport()
	defer transport.CloseIdleConnections()
	d := &demo{treeHandler: treeHandler{out: out}}
	w := &walker{
		app:      &app{ctx: ctx, diag: &messages{w: io.Discard}}, // what could not be read is for d to tell
		flags:    &walkFlags{progress: "never"},
		client:   &discover.Client{Fetcher: &fetch.Client{Transport: transport}},
		selector: &selector{},
		handler:  d,
	}
	w.options.Report, w.options.Done = w.report, w.done
	return d, w.run(ctx, []target{{siteTarget, demoTarget}}, out)
}

const demoIntro = `Two sites are served from loopback. This is what 'sitemap tree' and 'sitemap urls'
make of %s:

`

// A demo draws the tree, and prints what else it meets when it has met all.
type demo struct {
	treeHandler
	current  *discover.Sitemap
	urls     strings.Builder
	refused  strings.Builder
	repaired strings.Builder
	facts    []string // as demoExpected
}

func (d *demo) fact(format string, args ...any) {
	d.facts = append(d.facts, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (d *demo) page(r *record) error {
	if r.from != d.current {
		d.current = r.from
		fmt.Fprintf(&d.urls, "  %s\n", r.from)
	}
	fmt.Fprintf(&d.urls, "    %-8s  %s\n", r.trust, strings.TrimSpace(r.Loc+"  "+r.LastMod.String()))
	d.fact("url %s %s %s %v", r.Loc, r.trust, r.sitemap, r.LastMod)
	return nil
}

func (d *demo) problem(s *discover.Sitemap, p sitemap.Problem) {
	switch {
	case p.Code == sitemap.UntrustedLoc:
		fmt.Fprintf(&d.refused, "  %v: %s\n    listed by %s, line %d,\n    which neither a robots.txt nor its own place entitles to list it\n",
			discover.Untrusted, p.Text, s.Loc, p.Pos.Line)
		d.fact("untrusted %s %s", p.Text, s.Loc)
	case p.Dropped:
		fmt.Fprintf(&d.refused, "  %s\n", problemText(s.Loc, p))
	default:
		fmt.Fprintf(&d.repaired, "  %s\n", problemText(s.Loc, p))
	}
}

func (d *demo) document(s *discover.Sitemap, sum *discover.Summary) {
	d.treeHandler.document(s, sum)
	code := "read"
	if sum.Err != nil {
		code = failureCode(sum.Err)
		fmt.Fprintf(&d.refused, "  %s: %s\n", code, documentFailure(s, sum.Err))
	}
	d.fact("document %s %s %s %d", s.Loc, code, sum.Format, sum.Entries)
}

// print prints what comes after the tree.
func (d *demo) print(out io.Writer) {
	fmt.Fprintf(out, "\nThe URLs, below the proof of each sitemap, with what entitles it to list them:\n\n%s", d.urls.String())
	fmt.Fprintf(out, "\nWhat was refused, and why:\n\n%s", d.refused.String())
	fmt.Fprintf(out, "\nWhat was read although it is not as it should be:\n\n%s", d.repaired.String())
}

// check returns an error unless the facts are those expected.
func (d *demo) check(expected string) error {
	want := strings.Split(strings.TrimSpace(expected), "\n")
	for i := range max(len(want), len(d.facts)) {
		switch {
		case i >= len(want):
			return fmt.Errorf("the demo is not what it should be: unexpected %q", d.facts[i])
		case i >= len(d.facts):
			return fmt.Errorf("the demo is not what it should be: missing %q", want[i])
		case want[i] != d.facts[i]:
			return fmt.Errorf("the demo is not what it should be: %q, not %q", d.facts[i], want[i])
		}
	}
	return nil
}
