// Package parse is the command sitemap parse, which prints the entries of files.
package parse

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
)

// Command returns the command sitemap parse.
func Command(a *cli.App) *cobra.Command {
	var (
		print cli.PrintFlags
		docs  cli.DocumentFlags
		limit cli.Limit
	)
	cmd := cli.Command("parse [flags] FILE|-...", nil,
		func(cmd *cobra.Command, args []string) error {
			formatErr := print.Resolve(cmd)
			p, fieldsErr := output.NewPrinter(&print, false, false)
			o, err := docs.Options(limit)
			if len(args) == 0 && a.IsPiped() {
				args = []string{cli.Stdin}
			}
			if len(args) == 0 {
				err = errors.New("no FILE given")
			}
			if limit.Depth != 0 || limit.Sitemaps != 0 {
				err = errors.New("--limit: want bytes or entries, since nothing is walked")
			}
			err = cli.UsageOf(cmd, formatErr, fieldsErr, err, target.ReadsOnce(args))
			if err != nil {
				return err
			}
			w := &lists.Walker{
				App: a, Flags: &lists.Flags{
					PrintFlags: print, WalkFlags: cli.WalkFlags{Progress: "never", Parallel: 1},
				},
				File: o, Entries: true, Selector: &lists.Selector{}, Printer: p,
			}
			w.Options.SkipExtensions = !output.WantsExtensions(&print)
			if w.Out, err = output.Create(a, print.Out); err != nil {
				return err
			}
			var files []target.Target
			for _, name := range args {
				files = append(files, target.Target{Kind: target.File, Name: name, Given: name})
			}
			return w.Out.Finish(w.Print(cmd.Context(), files))
		})
	docs.Add(cmd)
	print.Add(cmd, "text, jsonl, csv or parquet")
	print.AddFields(cmd)
	print.AddRaw(cmd)
	f := cmd.Flags()
	f.Var(&limit, "limit",
		"read at most this of a document: bytes or entries; units as in 10MiB; 0 means no limit "+
			"(default bytes=500MiB, entries=500000)")
	cli.Group(cmd, "Selection")
	return cmd
}
