// Package lists walks the targets of a command, several at once.
//
// Each file builds on those below it:
//
//	walk.go      commands that walk, and URLs to a format
//	state.go     begins a run with --state
//	run.go       the targets of a command as tasks of package batch
//	visit.go     one target to URLs, problems and documents
//	failures.go  the file of --failed
//	table.go     the table of --documents
//	walker.go    what the visits of a command share
//	side.go      files beside the output
//	journal.go   what a run with --state keeps
//	save.go      documents as they were served
//	selector.go  which URLs are printed
//	flags.go     the flags of the commands that walk
package lists

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
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

// Print walks the targets, prints the URLs, and reports at the end what else it met.
func (w *Walker) Print(ctx context.Context, targets []target.Target, p output.Printer) error {
	w.fills = true
	p.Begin(w.Out)
	w.Handle = func(v *Visit) Handler {
		return Handler{Page: func(r *batch.URL) error { return v.print(p, r) }}
	}
	if _, isFormat := p.(*output.Format); !isFormat {
		w.Read = func(r io.Reader) error {
			return readLines(r, func(l batch.Line) error { return p.Print(l.URL) })
		}
	}
	err := w.Run(ctx, targets)
	err = cmp.Or(err, p.End())
	if err != nil || w.Flags.Quiet {
		return err
	}
	w.problems.Print(w.App.Log)
	if n := w.Selector.again; n > 0 {
		w.App.Log.Printf("--unique: %s left out that came before", cli.Plural(n, "URL"))
	}
	return nil
}

// print prints a URL. For a printer that prints one after the other, those of visits side by side are
// lines first.
func (v *Visit) print(p output.Printer, r *batch.URL) error {
	switch p := p.(type) {
	case *output.Format:
		v.lines = p.Append(v.lines, r)
		return v.writeFull()
	case *output.Sample:
		if !p.Wants(r.Loc) {
			return nil
		}
	}
	if v.OneByOne() {
		return p.Print(r)
	}
	v.lines = r.AppendTo(v.lines)
	return v.writeFull()
}
