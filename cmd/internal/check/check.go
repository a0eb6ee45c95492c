// Package check is the command sitemap check, which judges sitemaps by the rules of package audit.
//
// Each file builds on those below it:
//
//	check.go     sitemap check
//	rules.go     check --rules and --explain
//	audit.go     the audit of each target
//	folder.go    a site in a folder
//	site.go      a site or a sitemap
//	file.go      a file
//	document.go  the findings in a document, and its end
//	checker.go   what the audits of a command share, and the table of pages
//	flags.go     the flags of check, and the findings that count
package check

import (
	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/version"
	"github.com/seed-322c453a/sitemap/discover/state"
)

// Command returns the command sitemap check.
func Command(a *cli.App) *cobra.Command {
	flags := &Flags{}
	cmd := cli.WithHelp(&cobra.Command{
		Use: "check [flags] TARGET...",
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.rules || flags.explain != "" {
				return printRules(a, cmd, args, flags)
			}
			return run(a, cmd, args, flags)
		},
	})
	flags.Add(cmd)
	return cmd
}

func run(a *cli.App, cmd *cobra.Command, args []string, flags *Flags) error {
	c, err := New(a, cmd, args, flags, flags.Resolve(cmd))
	if err != nil {
		return err
	}
	c.Options.Excerpts = flags.Format == "text" || flags.Format == "sarif"
	o := findings.Options{
		All: flags.All, Verbose: flags.verbose, FailOn: c.failOn,
		Color: a.HasColor() && flags.Out == "", Raw: flags.Raw, Version: version.Number(),
		Width: a.Width(), Pages: flags.pages != 0,
		Note: func(note string) { a.Log.Printf("%s", note) },
	}
	if flags.State != "" {
		store, err := state.Open(flags.State)
		if err != nil {
			return err
		}
		defer store.Close()
		c.Options.Store = store
	}
	if c.Out, err = output.Create(a, flags.Out); err != nil {
		return err
	}
	if c.Printer, err = findings.New(flags.Format, c.Out, o); err == nil {
		err = c.Audit(cmd.Context())
	}
	return c.Out.Finish(err)
}
