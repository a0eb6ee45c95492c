package report

import (
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/cmd/internal/check"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
)

// notOfReport are the flags of check that report does not have.
var notOfReport = []string{
	"from", "parallel", "failed", "raw", "site-time", "max-time", "format", "all", "verbose",
	"rules", "explain", "state", "fail-on", "baseline",
}

// Command returns the command sitemap report.
func Command(a *cli.App) *cobra.Command {
	flags, since := &check.Flags{}, ""
	cmd := cli.Command("report [flags] TARGET", cli.Exactly(1, "want one TARGET"),
		func(cmd *cobra.Command, args []string) error {
			return run(a, cmd, args, flags, since)
		})
	check := &cobra.Command{}
	flags.Add(check)
	check.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(notOfReport, f.Name) {
			cmd.Flags().AddFlag(f)
		}
	})
	cmd.Flags().StringVar(&since, "since-report", "",
		"show what has changed since the run of check that is in `FILE`, in jsonl")
	cli.Group(cmd, "Output")
	return cmd
}

// run draws the audit of a target.
func run(a *cli.App, cmd *cobra.Command, args []string, flags *check.Flags, since string) error {
	suffixErr := flags.ResolveSuffix(cmd, "html")
	if flags.Format = "html"; flags.Out == "" && cli.IsTerminal(a.Out) {
		suffixErr = errors.New("name the file to write: -o site.html")
	}
	flags.FailOn = "never" // a finding is no failure
	c, err := check.New(a, cmd, args, flags, suffixErr)
	if err != nil {
		return err
	}
	if c.Out, err = output.Create(a, flags.Out); err != nil {
		return err
	}
	page := New(c.Out, c.Targets[0].Shown())
	read := func(r io.Reader) error { return page.Since(r, since) }
	err = check.ReadEarlier("--since-report", since, read)
	if err != nil {
		return c.Out.Finish(cli.Misuse(cmd, err))
	}
	c.Printer, c.Options.Excerpts = page, true
	c.Options.Page, c.Options.Walk.Report = page.Page, page.Problem
	err = c.Audit(cmd.Context())
	if c.Progress.Failed.Load() > 0 {
		a.Failed.Store(true)
	}
	return c.Out.Finish(err)
}
