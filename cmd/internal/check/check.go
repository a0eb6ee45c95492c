// Package check is the command sitemap check, which judges sitemaps by the rules of package audit.
//
// Each file builds on those below it:
//
//	check.go    sitemap check, and its rules
//	audit.go    the audit of each target: a site, a sitemap, a folder or a file
//	checker.go  what the audits of a command share, and the table of pages
//	flags.go    the flags of check
package check

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/version"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// Command returns the command sitemap check.
func Command(a *cli.App) *cobra.Command {
	flags := &Flags{}
	cmd := cli.Command("check [flags] TARGET...", nil,
		func(cmd *cobra.Command, args []string) error {
			if flags.rules || flags.explain != "" {
				return printRules(a, cmd, args, flags)
			}
			return run(a, cmd, args, flags)
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
		Width: a.Width(), Note: func(note string) { a.Log.Printf("%s", note) },
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
	c.Printer = findings.New(flags.Format, c.Out, o)
	err = c.Audit(cmd.Context())
	if c.Progress.Sites.Load() == 0 {
		c.Out.EndHead() // no target, no result: an old file stays
	}
	return c.Out.Finish(err)
}

// printRules prints all rules, or the page of one.
func printRules(a *cli.App, cmd *cobra.Command, args []string, flags *Flags) error {
	switch {
	case len(args) > 0 || flags.rules && flags.explain != "":
		return cli.Misuse(cmd, errors.New("--rules and --explain take no TARGET"))
	case flags.Format != "text" && flags.Format != "jsonl":
		const text = "--format: --rules and --explain print text or jsonl, not %s"
		return cli.Misuse(cmd, fmt.Errorf(text, flags.Format))
	}
	rules := audit.Rules()
	if flags.explain != "" {
		r, ok := audit.RuleOf(sitemap.Code(flags.explain))
		if !ok {
			return cli.Misuse(cmd, unknownCode(flags.explain))
		}
		rules = []audit.Rule{r}
	}
	out, err := output.Create(a, flags.Out)
	if err != nil {
		return err
	}
	for _, r := range rules {
		switch {
		case flags.Format == "jsonl":
			out.Write(append(jsonl.Marshal(r), '\n'))
		case flags.explain != "":
			const page = "%s (%s): %s.\n\n%s\n\nFix: %s\n\nSource: %s.\n"
			fmt.Fprintf(out, page, r.Code, r.Severity, r.Summary, r.Why, r.Fix, r.Source)
		default:
			fmt.Fprintf(out, "%-36s %-8s %s\n", r.Code, r.Severity, r.Summary)
		}
	}
	return out.Finish(nil)
}
