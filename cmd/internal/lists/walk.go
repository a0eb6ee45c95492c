// Package lists walks the targets of a command, several at once.
//
// Each file builds on those below it:
//
//	walk.go      commands that walk, and URLs and documents to their formats
//	state.go     begins a run with --state
//	run.go       the targets of a command as tasks of package batch
//	visit.go     one target to URLs, problems and documents
//	walker.go    what the visits of a command share
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

// Print walks the targets, prints the URLs and the table of --documents, and reports at the end
// what else it met.
func (w *Walker) Print(ctx context.Context, targets []target.Target, p output.Printer) error {
	w.fills = true
	p.Begin(w.Out)
	w.Handle = func(v *Visit) Handler {
		return Handler{Page: func(r *batch.URL) error { return v.print(p, r) }}
	}
	w.Read = func(r io.Reader) error {
		for l, err := range batch.Lines(r) {
			switch {
			case err != nil:
			case l.URL != nil:
				err = p.Print(l.URL)
			case l.Document != nil:
				err = w.documents.Print(l.Document)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	end, err := w.openDocuments()
	if err != nil {
		return err
	}
	err = w.Run(ctx, targets)
	err = cmp.Or(err, p.End())
	err = end(err)
	if err != nil || w.Flags.Quiet {
		return err
	}
	w.problems.Print(w.App.Log)
	if n := w.Selector.again; n > 0 {
		w.App.Log.Printf("--unique: %s left out that came before", cli.Plural(n, "URL"))
	}
	return nil
}

// print prints a URL. Visits side by side write lines, which are printed in the order of the list.
// With --state, what is printed of a document stays together.
func (v *Visit) print(p output.Printer, r *batch.URL) error {
	sample, isSample := p.(*output.Sample)
	switch {
	case isSample && !sample.Wants(r.Loc):
		return nil
	case v.Journal != nil:
		v.lines = p.(*output.Format).Append(v.lines, r)
	case v.OneByOne():
		return p.Print(r)
	default:
		v.lines = r.AppendTo(v.lines)
	}
	return v.writeFull()
}

// openDocuments begins the table of --documents, and returns how it ends if the run ends with err.
func (w *Walker) openDocuments() (end func(err error) error, err error) {
	if w.documents == nil {
		return func(err error) error { return err }, nil
	}
	out, err := output.Create(w.App, w.Flags.Documents)
	if err != nil {
		return nil, err
	}
	w.documents.Begin(out)
	return func(err error) error { return out.Finish(cmp.Or(err, w.documents.End())) }, nil
}
