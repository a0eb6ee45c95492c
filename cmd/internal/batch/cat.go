package batch

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// catFlags are the flags of batch cat.
type catFlags struct {
	cli.PrintFlags
	documents bool
}

func catCommand(a *cli.App) *cobra.Command {
	flags := &catFlags{}
	cmd := cli.WithHelp(&cobra.Command{
		Use:  "cat [flags] OUT/RUN",
		Args: cli.Exactly(1, "want one OUT/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error { return cat(a, cmd, args[0], flags) },
	})
	flags.PrintFlags.Add(cmd, "text, jsonl, csv, parquet, sarif, junit or github")
	flags.AddRows(cmd)
	cli.FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&flags.documents, "documents", false,
			"print a table of the sitemaps, not their URLs")
	})
	cmd.Flags().Lookup("format").DefValue, flags.Format = "jsonl", "jsonl"
	return cmd
}

// check returns an error for flags that do not apply to a run of this mode.
func (c *catFlags) check(m mode) error {
	forFindings := c.Format == "sarif" || c.Format == "junit" || c.Format == "github"
	switch {
	case forFindings && (!m.Findings || c.documents):
		return fmt.Errorf("--format %s: only for the findings of a run with --check", c.Format)
	case c.Format == "parquet" && m.Findings && !c.documents:
		return errors.New("--format parquet: findings are printed as text, jsonl, csv, sarif, " +
			"junit or github")
	case (c.Rows != "" || c.Sample != 0) && (m.Findings || c.documents):
		return errors.New("--rows, --sample: only for the URLs of a run")
	case c.Fields != "" && m.Findings:
		return errors.New("--fields: findings have no fields to choose")
	case m.Findings && !c.documents:
		return nil
	case c.documents:
		_, err := output.NewDocuments(&c.PrintFlags)
		return err
	}
	_, err := output.NewPrinter(&c.PrintFlags, true, true)
	return err
}

// cat prints the parts of a run.
func cat(a *cli.App, cmd *cobra.Command, location string, flags *catFlags) error {
	formatErr := flags.Resolve(cmd)
	s, run, err := findRun(a, cmd, location)
	if err != nil {
		return err
	}
	rec, err := readRecord(a.Context, s, run)
	if err != nil {
		return err
	}
	if err := cli.UsageOf(cmd, formatErr, flags.check(rec.mode)); err != nil {
		return err
	}
	if rec.Changed && !flags.Quiet {
		a.Log.Printf("run %s has only URLs that were new or modified since the run before", run)
	}
	out, err := output.Create(a, flags.Out)
	if err != nil {
		return err
	}
	p, err := newPrinter(out, &flags.PrintFlags, flags.documents, rec.mode)
	if err == nil {
		err = printParts(a, s, run, p)
		err = cmp.Or(err, p.end())
	}
	return out.Finish(err)
}

// findRun returns the run that OUT/RUN names.
func findRun(a *cli.App, cmd *cobra.Command, location string) (store, string, error) {
	out, run, err := splitRun(location)
	if err != nil {
		return nil, "", cli.Misuse(cmd, err)
	}
	s, err := openStore(a.Context, out)
	if err != nil {
		return nil, "", err
	}
	if !hasRun(a.Context, s, run) {
		return nil, "", errNoParts(location)
	}
	return s, run, nil
}

// printParts prints the lines of all parts of a run. A part that cannot be read is reported.
func printParts(a *cli.App, s store, run string, p linePrinter) error {
	for part, partErr := range s.Parts(a.Context, run) {
		if err := a.Context.Err(); err != nil {
			return err
		}
		if partErr == nil {
			for line, err := range batch.ReadPart(a.Context, s, part) {
				if partErr = err; err != nil {
					break
				}
				if err := p.line(line); err != nil {
					return err
				}
			}
		}
		if partErr != nil {
			a.Fail("%s", jsonl.Message("", partErr))
		}
	}
	return nil
}
