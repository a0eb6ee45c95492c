package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) parseCommand() *cobra.Command {
	var (
		print printFlags
		docs  documentFlags
		limit limits
	)
	cmd := document(&cobra.Command{
		Use: "parse [flags] FILE|-...",
		RunE: func(cmd *cobra.Command, args []string) error {
			suffixErr := print.resolve(cmd, "text", "jsonl", "csv", "parquet")
			f, formatErr := print.records(false, false)
			o, err := docs.options(limit)
			if len(args) == 0 && a.isPiped() {
				args = []string{stdin}
			}
			if len(args) == 0 {
				err = errors.New("no FILE given")
			}
			if limit.depth != 0 || limit.sitemaps != 0 {
				err = errors.New("--limit: want bytes or entries, since nothing is walked")
			}
			if err := usageOf(cmd, suffixErr, formatErr, err, readsOnce(args)); err != nil {
				return err
			}
			w := &walker{
				app: a, flags: &walkFlags{printFlags: print, progress: "never", parallel: 1},
				file: o, entries: true, selector: &selector{},
			}
			w.options.SkipExtensions = !print.wantsExtensions()
			if w.out, err = a.create(print.out); err != nil {
				return err
			}
			var files []target
			for _, name := range args {
				files = append(files, target{fileTarget, name, name})
			}
			if print.format == "parquet" {
				return a.finish(w.out, w.printParquet(cmd.Context(), files))
			}
			w.out.begin(f.header)
			return a.finish(w.out, w.print(cmd.Context(), files, f))
		},
	})
	docs.add(cmd)
	print.add(cmd, "text, jsonl, csv or parquet")
	print.addFields(cmd)
	flagGroup(cmd, "Selection", func(f *pflag.FlagSet) {
		f.Var(&limit, "limit", "read at most this of a document: bytes or entries; units as in 10MiB; "+
			"0 means no limit (default bytes=500MiB, entries=500000)")
	})
	return cmd
}
