package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) urlsCommand() *cobra.Command {
	flags := &walkFlags{}
	cmd := document(&cobra.Command{
		Use: "urls [flags] TARGET...",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.urls(cmd, args, flags)
		},
	})
	flags.add(cmd, "text, jsonl, csv or parquet")
	flags.addSave(cmd)
	flags.addFields(cmd)
	flagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&flags.state, "state", "",
			"keep in `FILE` what was read: print only changes, and go on after a stop")
		f.BoolVar(&flags.all, "all", false, "with --state, print all URLs, each with its change")
	})
	flags.addURLs(cmd)
	return cmd
}

func (a *app) urls(cmd *cobra.Command, args []string, flags *walkFlags) error {
	suffixErr := flags.resolve(cmd, "text", "jsonl", "csv", "parquet")
	f, formatErr := flags.records(true, flags.all)
	targets, err := parseTargets(args, flags.from, flags.as)
	if flags.state != "" && filepath.Clean(flags.state) == filepath.Clean(flags.out) {
		err = errors.New("--output and --state name the same file")
	}
	for _, t := range targets {
		if flags.state != "" && t.kind == fileTarget {
			err = fmt.Errorf("--state: %s: want sites and URLs of sitemaps, not files", t.label())
		}
	}
	if flags.all && flags.state == "" {
		err = errors.New("--all: without --state all URLs are printed")
	}
	if flags.state != "" && flags.format == "parquet" {
		err = errors.New("--state: a Parquet file cannot be appended to; want text, jsonl or csv")
	}
	if err := usageOf(cmd, suffixErr, formatErr, err); err != nil {
		return err
	}
	w, err := a.newWalker(cmd, flags, &documentFlags{})
	if err != nil {
		return err
	}
	w.options.SkipExtensions = !flags.wantsExtensions()
	if flags.state != "" {
		return a.urlsWithState(cmd.Context(), w, targets, f)
	}
	if w.out, err = a.create(flags.out); err != nil {
		return err
	}
	if flags.format == "parquet" {
		return a.finish(w.out, w.printParquet(cmd.Context(), targets))
	}
	w.out.begin(f.header)
	return a.finish(w.out, w.print(cmd.Context(), targets, f))
}

// urlsWithState walks with a journal.
func (a *app) urlsWithState(ctx context.Context, w *walker, targets []target, f format) error {
	j, resumed, err := openJournal(w.flags.state, w.flags.digest())
	if err != nil {
		return err
	}
	if err := j.keepFormat(w.flags.out, w.flags.format); err != nil {
		j.Close()
		return err
	}
	if w.out, err = a.appendTo(w.flags.out, resumed, j.run.Length); err != nil {
		j.Close()
		return err
	}
	if w.out.length == 0 {
		w.out.begin(f.header)
	}
	w.options.Store, w.options.Run, w.options.OnlyChanged = j, j.run.ID, !w.flags.all
	w.journal, w.selector.taken = j, j.run.URLs
	if w.selector.seen != nil {
		j.remember(w.selector.seen)
	}
	if err = j.attach(w.out, w.selector.count); err == nil {
		err = w.print(ctx, targets, f)
	}
	if err == nil && w.selector.count() == 0 && !a.failed.Load() && !w.flags.quiet {
		a.diag.printf("nothing has changed since the last run")
	}
	return a.finish(w.out, j.finish(err))
}
