// Package urls is the command sitemap urls, which prints the URLs of sites and files.
package urls

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
)

// Command returns the command sitemap urls.
func Command(a *cli.App) *cobra.Command {
	flags := &lists.Flags{}
	cmd := cli.Command("urls [flags] TARGET...", nil,
		func(cmd *cobra.Command, args []string) error { return run(a, cmd, args, flags) })
	flags.Add(cmd, "text, jsonl, csv or parquet")
	flags.AddDocuments(cmd)
	flags.AddRows(cmd)
	flags.AddRaw(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.State, "state", "",
		"remember URLs in `FILE`: print only changes, and resume after a stop")
	f.BoolVar(&flags.All, "all", false, "with --state, print all URLs, each with its change")
	cli.Group(cmd, "Output")
	flags.AddURLs(cmd)
	return cmd
}

func run(a *cli.App, cmd *cobra.Command, args []string, flags *lists.Flags) error {
	return lists.Walk(a, cmd, args, flags, func(w *lists.Walker, targets []target.Target) error {
		w.Options.SkipExtensions = !output.WantsExtensions(&flags.PrintFlags)
		p, err := output.NewPrinter(&flags.PrintFlags, true, flags.All)
		w.Printer = p
		return cmp.Or(err, checkFlags(flags, targets))
	})
}

// checkFlags reports flags that contradict each other.
func checkFlags(flags *lists.Flags, targets []target.Target) error {
	switch {
	case flags.Sample > 0 && flags.MaxURLs > 0:
		return errors.New("want --sample or --max-urls, not both: the first URLs are not random")
	case flags.Normalize && !flags.Unique:
		return errors.New("--normalize needs --unique, which compares the URLs")
	case flags.All && flags.State == "":
		return errors.New("--all needs --state FILE; without it, all URLs are printed anyway")
	case flags.State == "":
		return nil
	case flags.Format == "parquet":
		return errors.New("--state: a Parquet file cannot be appended to; want text, jsonl or csv")
	case flags.Sample > 0 || flags.Rows != "":
		return errors.New("--state: want URLs, not --sample or --rows")
	}
	for _, t := range targets {
		if t.Kind == target.File {
			return fmt.Errorf("--state: %s: want sites and URLs of sitemaps, not files", t.Label())
		}
	}
	return nil
}
