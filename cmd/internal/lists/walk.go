// Package lists walks the targets of a command, several at once.
//
// Each file builds on those below it:
//
//	walk.go      commands that walk
//	print.go     URLs to a format
//	run.go       the targets of a command as tasks of package batch
//	visit.go     one target to URLs, problems and documents
//	walker.go    what the visits of a command share
//	journal.go   what a run with --state keeps
//	save.go      documents as they were served
//	selector.go  which URLs are printed
//	flags.go     the flags of the commands that walk
package lists

import (
	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
)

// Walk walks the targets of a command. Begin sets the Handle of the walker, and may print a header.
func Walk(
	a *cli.App, cmd *cobra.Command, args []string, flags *Flags, begin func(*Walker),
) error {
	targets, err := target.ParseAll(args, flags.From, flags.As)
	if err := cli.UsageOf(cmd, flags.Resolve(cmd), err); err != nil {
		return err
	}
	w, err := NewWalker(a, cmd, flags, &cli.DocumentFlags{})
	if err != nil {
		return err
	}
	if w.Out, err = output.Create(a, flags.Out); err != nil {
		return err
	}
	begin(w)
	return w.Out.Finish(w.Run(cmd.Context(), targets))
}
