package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/sitemap/report"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/parse"
)

// notOfReport are the flags of check that report does not have.
var notOfReport = []string{
	"from", "parallel", "failed", "site-time", "max-time", "format", "all", "verbose", "rules",
	"explain", "state", "fail-on", "baseline",
}

func (a *app) reportCommand() *cobra.Command {
	flags, since := &checkFlags{}, ""
	cmd := document(&cobra.Command{
		Use:  "report [flags] TARGET",
		Args: exactly(1, "want one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.report(cmd, args, flags, since)
		},
	})
	check := &cobra.Command{}
	flags.add(check)
	check.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(notOfReport, f.Name) {
			cmd.Flags().AddFlag(f)
		}
	})
	flagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&since, "since-report", "",
			"show what has changed since the run of check that is in `FILE`, in jsonl")
	})
	return cmd
}

// report draws the audit of a target.
func (a *app) report(cmd *cobra.Command, args []string, flags *checkFlags, since string) error {
	targets, err := parseTargets(args, "", flags.as)
	suffixErr := flags.resolve(cmd, "html")
	if flags.format = "html"; flags.out == "" && isTerminal(a.out) {
		suffixErr = errors.New("name the file to write: -o site.html")
	}
	filter, filterErr := flags.filter()
	err = usageOf(cmd, suffixErr, filterErr, err, flags.checkRoot(targets))
	if err != nil {
		return err
	}
	c := &checker{flags: flags, filter: filter}
	c.filter.never = true // a finding is no failure
	if c.walker, err = a.newWalker(cmd, &flags.walkFlags, &flags.documentFlags); err != nil {
		return err
	}
	out := writerFunc(func(p []byte) (int, error) { return c.out.Write(p) })
	page := report.New(out, targets[0].shown())
	if since != "" {
		if err := readSince(page, since); err != nil {
			return misuse(cmd, fmt.Errorf("--since-report: %s: %s", since, jsonl.Message("", err)))
		}
	}
	c.printer, c.untrusted = page, page.Untrusted
	c.options = audit.Options{
		Agent: flags.agent, Pages: flags.pages.n, Excerpts: true, Limits: flags.limit.document(),
		Walk: c.walker.options, Page: page.Page,
	}
	if c.out, err = a.create(flags.out); err != nil {
		return err
	}
	err = c.audit(cmd.Context(), targets)
	if c.progress.failed.Load() > 0 {
		a.failed.Store(true)
	}
	return a.finish(c.out, err)
}

// readSince reads what an earlier run of check has printed.
func readSince(page *report.Report, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return page.Since(f, name)
}

// pages passes on the pages that a file lists, if they are wanted. Why it cannot be read to its end
// is reported by its audit.
func (x *auditing) pages(open func() (io.ReadCloser, error)) {
	if x.c.options.Page == nil {
		return
	}
	f, err := open()
	if err != nil {
		return
	}
	defer f.Close()
	for e, err := range parse.Entries(f, &x.walker.file) {
		if err == nil && e.Kind == sitemap.Page {
			x.c.options.Page(&discover.URL{Entry: e})
		}
	}
}
