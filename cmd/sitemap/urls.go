package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/discover"
)

func (a *app) urlsCommand() *cobra.Command {
	flags := &walkFlags{}
	cmd := document(&cobra.Command{
		Use: "urls [flags] TARGET...",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.urls(cmd, args, flags)
		},
	})
	flags.add(cmd, "text, jsonl or csv")
	flagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVar(&flags.state, "state", "",
			"keep in `FILE` what was read: print only changes, and go on after a stop")
	})
	flags.addURLs(cmd)
	return cmd
}

func (a *app) urls(cmd *cobra.Command, args []string, flags *walkFlags) error {
	f, formatErr := walkFormatOf(flags.format)
	targets, err := parseTargets(args, flags.from, flags.as)
	if flags.state != "" && filepath.Clean(flags.state) == filepath.Clean(flags.out) {
		err = errors.New("--output and --state name the same file")
	}
	for _, t := range targets {
		if flags.state != "" && t.kind == fileTarget {
			err = fmt.Errorf("--state: %s: want sites and URLs of sitemaps, not files", t.label())
		}
	}
	if err := usageOf(cmd, formatErr, err); err != nil {
		return err
	}
	w, err := a.newWalker(cmd, flags, &documentFlags{})
	if err != nil {
		return err
	}
	w.options.SkipExtensions = flags.format != "jsonl"
	if flags.state != "" {
		return a.urlsWithState(cmd.Context(), w, targets, f)
	}
	if w.out, err = a.create(flags.out); err != nil {
		return err
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
	w.options.Store, w.options.Run, w.options.OnlyChanged = j, j.run.ID, true
	w.printed, w.selector.taken = j.run.Last, j.run.URLs
	remember := func() {}
	if w.selector.seen != nil {
		remember = j.remember(w.selector.seen)
	}
	w.handler.document = func(s *discover.Sitemap, _ *discover.Summary) {
		j.note(s.Loc, w.selector.taken)
		remember()
	}
	if err = j.attach(w.out); err == nil {
		err = w.print(ctx, targets, f)
	}
	return a.finish(w.out, j.finish(err))
}
