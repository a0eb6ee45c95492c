// Package lists walks the targets of a command, several at once.
//
// Each file builds on those below it:
//
//	walk.go      the targets of a command
//	visit.go     one target to URLs, problems and documents
//	walker.go    what the visits of a command share
//	journal.go   what a run with --state keeps
//	save.go      documents as they were served
//	queue.go     lines that wait for their turn
//	selector.go  which URLs are printed
//	flags.go     the flags of the commands that walk
package lists

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
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
	if w.Flags.Format == "parquet" {
		return w.printParquet(ctx, targets)
	}
	w.Handle = func(v *Visit) Handler {
		var line []byte
		return Handler{Page: func(r *batch.URL) error {
			line = f.Append(line[:0], r)
			_, err := v.Write(line)
			return err
		}}
	}
	return w.walkAll(ctx, targets)
}

// printParquet is Print for a Parquet file.
func (w *Walker) printParquet(ctx context.Context, targets []target.Target) error {
	p, err := output.NewParquet(w.Out, w.Flags.Fields)
	if err != nil {
		return err
	}
	w.Handle = func(v *Visit) Handler {
		var rows []output.ParquetRow
		var failed error
		write := func() {
			if !v.Holds {
				v.Hold()
			}
			failed = cmp.Or(failed, p.Write(rows))
			rows = rows[:0]
		}
		return Handler{
			Page: func(r *batch.URL) error {
				if rows = append(rows, output.RowOf(r)); v.Holds || len(rows) >= 1_000 {
					write()
				}
				return failed
			},
			Document: func(*discover.Sitemap, *discover.Summary) { write() },
			End:      write,
		}
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

// Run walks the targets and prints to w.Out. It reports what could not be read as it meets it; an
// error ends the command.
func (w *Walker) Run(ctx context.Context, args []target.Target) error {
	w.Progress.Begin(args, w.Flags.From)
	defer w.Progress.Show(w.App, w.Flags.Progress, w.Flags.Quiet, w.Out.File == nil)()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	w.Cancel = cancel
	if w.Flags.maxTime > 0 {
		var stop context.CancelFunc
		inner, stop = context.WithTimeoutCause(inner, w.Flags.maxTime, cli.ErrMaxTime)
		defer stop()
	}
	if w.Flags.failed != "" {
		f, err := os.OpenFile(w.Flags.failed, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		w.failures = f
	}
	err := w.targets(inner, args)
	if flushErr := w.Out.Flush(); flushErr != nil && ctx.Err() == nil {
		err = flushErr
	}
	if w.Progress.IsList && !w.Flags.Quiet {
		w.App.Log.Line("sitemap: " + w.Progress.Totals())
	}
	return err
}

// targets visits all targets, --parallel of them at once.
func (w *Walker) targets(ctx context.Context, args []target.Target) error {
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
		slots = make(chan struct{}, max(1, w.Flags.Parallel))

		number int // of the target, from 1
	)
	fail := func(err error) { once.Do(func() { first = err; w.Cancel() }) }
	for t, err := range target.All(w.App, args, w.Flags.From, w.Flags.As) {
		if err == nil && t.Kind == target.File && w.Journal != nil {
			err = fmt.Errorf("--state: %s: want sites and URLs of sitemaps, not files", t.Label())
		}
		if w.Selector.done() {
			fail(cli.ErrStopped)
		}
		slots <- struct{}{} // the visits under way end when ctx does
		if ctx.Err() != nil {
			<-slots
			break
		}
		if err != nil {
			w.App.Fail("%s", jsonl.Message("", err))
			w.Progress.Failed.Add(1)
			<-slots
			continue
		}
		number++
		n := number
		visit := func() {
			defer func() { <-slots }()
			if err := w.visit(ctx, t, n); err != nil {
				fail(err)
			}
		}
		if cap(slots) == 1 || !w.Progress.IsList {
			visit()
		} else {
			wg.Go(visit)
		}
	}
	wg.Wait()
	if first == nil || errors.Is(context.Cause(ctx), cli.ErrMaxTime) {
		first = w.Ended(ctx)
	}
	return first
}
