// Package lists walks the targets of a command, several at once.
//
// Each file builds on those below it:
//
//	walk.go      commands that walk, and URLs to a format
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

// Print walks the targets, prints the URLs, and reports at the end what else it met.
func (w *Walker) Print(ctx context.Context, targets []target.Target, f output.Format) error {
	w.fills = true
	var rows *output.Parquet
	if w.Flags.Format == "parquet" {
		var err error
		if rows, err = w.parquet(); err != nil {
			return err
		}
	} else {
		w.Handle = func(v *Visit) Handler {
			return Handler{Page: func(r *batch.URL) error {
				v.lines = f.Append(v.lines, r)
				return v.writeFull()
			}}
		}
	}
	err := w.Run(ctx, targets)
	if rows != nil {
		err = cmp.Or(err, rows.Close())
	}
	if err != nil || w.Flags.Quiet {
		return err
	}
	w.problems.Print(w.App.Log)
	if n := w.Selector.again; n > 0 {
		w.App.Log.Printf("--unique: %s left out that came before", cli.Plural(n, "URL"))
	}
	return nil
}

// parquet prints URLs to a Parquet file. Those of visits side by side are lines before they are rows.
func (w *Walker) parquet() (*output.Parquet, error) {
	p, err := output.NewParquet(w.Out, w.Flags.Fields)
	row := make([]output.ParquetRow, 1)
	write := func(r *batch.URL) error {
		row[0] = output.RowOf(r)
		return p.Write(row)
	}
	w.Handle = func(v *Visit) Handler {
		return Handler{Page: func(r *batch.URL) error {
			if w.OneByOne() {
				return write(r)
			}
			v.lines = r.AppendTo(v.lines)
			return v.writeFull()
		}}
	}
	w.Read = func(r io.Reader) error {
		for l, err := range batch.Lines(r) {
			if err == nil {
				err = write(l.URL)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return p, err
}
