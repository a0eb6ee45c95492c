package lists

import (
	"cmp"
	"context"
	"io"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
)

// Print walks the targets, prints the URLs, and reports at the end what else it met.
func (w *Walker) Print(ctx context.Context, targets []target.Target, f output.Format) error {
	if w.Flags.Format == "parquet" {
		return w.printParquet(ctx, targets)
	}
	w.Handle = func(v *Visit) Handler {
		return Handler{Page: func(r *batch.URL) error {
			v.lines = f.Append(v.lines, r)
			return v.writeFull()
		}}
	}
	return w.walkAll(ctx, targets)
}

// printParquet is Print for a Parquet file. Of visits side by side, it makes the rows from lines.
func (w *Walker) printParquet(ctx context.Context, targets []target.Target) error {
	p, err := output.NewParquet(w.Out, w.Flags.Fields)
	if err != nil {
		return err
	}
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
	err = w.walkAll(ctx, targets)
	return cmp.Or(err, p.Close())
}

// walkAll runs a walker that prints URLs, and reports at the end what else it met.
func (w *Walker) walkAll(ctx context.Context, targets []target.Target) error {
	err := w.Run(ctx, targets)
	if err != nil || w.Flags.Quiet {
		return err
	}
	w.problems.Print(w.App.Log)
	if n := w.Selector.again; n > 0 {
		w.App.Log.Printf("--unique: %s left out that came before", cli.Plural(n, "URL"))
	}
	return nil
}
