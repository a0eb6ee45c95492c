package lists

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// Run walks the targets and prints to w.Out. It reports what could not be read as it meets it; an
// error ends the command.
func (w *Walker) Run(ctx context.Context, args []target.Target) error {
	w.Progress.Begin(args, w.Flags.From)
	defer w.Progress.Show(w.App, w.Flags.Progress, w.Flags.Quiet, w.fills && w.Out.File == nil)()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.Flags.maxTime > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, w.Flags.maxTime, cli.ErrMaxTime)
		defer cancel()
	}
	w.run = ctx
	endFailures, err := w.openFailures()
	if err != nil {
		return err
	}
	workErr, endErr := w.work(ctx, args), endFailures()
	if w.Progress.IsList && !w.Flags.Quiet {
		w.App.Log.Line("sitemap: " + w.Progress.Totals())
	}
	return cmp.Or(workErr, endErr)
}

// openFailures opens the file of --failed. It is written in place, so that it has what a run that
// is killed has met.
func (w *Walker) openFailures() (end func() error, err error) {
	if w.Flags.failed == "" {
		return func() error { return nil }, nil
	}
	f, err := os.OpenFile(w.Flags.failed, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	w.failures = w.inOrder(f)
	return func() error { return cmp.Or(w.failures.Close(), f.Close()) }, nil
}

// work does the targets, --parallel of them at once.
func (w *Walker) work(ctx context.Context, args []target.Target) error {
	to, end := w.reader()
	sink := w.inOrder(to)
	queue := batch.NewMemoryQueue(w.Flags.Parallel) // reads little ahead, for --max-urls
	// Nothing waits for it after an error: it may wait for standard input.
	go w.plan(ctx, args, queue)
	worker := &batch.Worker{
		Client: w.Client, Queue: queue, Sink: sink, Store: w.Options.Store, Options: w.Options,
		Parallel: w.Flags.Parallel, Job: w.job,
	}
	err := worker.Run(ctx)
	closeErr := cmp.Or(sink.Close(), end())
	return cmp.Or(w.Ended(ctx), err, closeErr)
}

// reader returns a writer for the lines of all visits in their order, and a function that waits
// until they are printed.
func (w *Walker) reader() (to io.Writer, end func() error) {
	if w.Read == nil || w.OneByOne() || w.Journal != nil {
		return output.WriterFunc(func(p []byte) (int, error) {
			n, err := w.Out.Write(p)
			if !w.Progress.HasRead() {
				w.Out.EndHead() // no result yet: an old file stays
			}
			if err == nil && len(p) < chunk { // the end of a document
				err = w.Out.Flush()
			}
			return n, err
		}), func() error { return nil }
	}
	return pipe(func(r io.Reader) error {
		return cmp.Or(w.Read(flushingReader{r, w.Out}), w.Out.Flush())
	})
}

// A flushingReader flushes the output before it waits for more to print.
type flushingReader struct {
	io.Reader
	out *output.Writer
}

func (r flushingReader) Read(p []byte) (int, error) {
	if err := r.out.Flush(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// pipe returns a writer to what read reads, and a function that waits until it has.
func pipe(read func(io.Reader) error) (to io.Writer, end func() error) {
	r, lines := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := read(r)
		r.CloseWithError(err)
		done <- err
	}()
	return lines, func() error {
		lines.Close()
		return <-done
	}
}

// job visits the targets of a task.
func (w *Walker) job(
	ctx context.Context, worker *batch.Worker, task batch.Task, p batch.Part,
) (batch.Counts, error) {
	failures := io.Discard
	if w.failures != nil {
		part, _ := w.failures.Part(ctx, task) // Write returns its error too
		defer part.Commit(ctx, batch.Counts{})
		failures = part
	}
	for _, name := range task.Targets {
		t, err := w.parse(name)
		if w.Selector.done() {
			err = cli.ErrStopped
		}
		if err = cmp.Or(err, ctx.Err()); err == nil {
			v := &Visit{Walker: w, Target: t, Options: worker.Options, to: p, failures: failures}
			err = v.run(ctx)
		}
		if err != nil {
			return batch.Counts{}, err
		}
	}
	return batch.Counts{}, nil
}

// parse identifies a target.
func (w *Walker) parse(name string) (target.Target, error) {
	if w.Entries {
		return target.Target{Kind: target.File, Name: name, Given: name}, nil
	}
	return target.Parse(name, w.Flags.As)
}

// plan puts the targets into the queue.
func (w *Walker) plan(ctx context.Context, args []target.Target, queue batch.Queue) {
	defer queue.End(ctx)
	list, from, found := batch.List{Domain: w.domain}, w.Flags.From, len(args)
	for _, t := range args {
		list.First = append(list.First, t.Given)
	}
	if r, err := w.App.Open(from); err == nil {
		defer r.Close()
		list.Reader = r
	} else if from != "" {
		found++
		w.fail("--from: "+cli.FileName(from)+":", err)
	}
	for task, err := range list.Tasks("1") {
		found++
		if bad := (*batch.LineError)(nil); errors.As(err, &bad) {
			w.fail(cli.FileName(from)+",", err)
		} else if err != nil {
			w.fail("--from: "+cli.FileName(from)+":", err)
		} else if _, err := queue.Put(ctx, task); err != nil {
			return
		}
	}
	if found == 0 {
		w.fail("--from: "+cli.FileName(from)+":", errors.New("no target in it"))
	}
}

// fail reports a target, or the rest of the list, that could not be read.
func (w *Walker) fail(place string, err error) {
	w.App.Fail("%s %s", place, jsonl.Message("", err))
	w.Progress.Failed.Add(1)
}

// domain returns the domain of a target: those of one are visited one after the other. A file has
// none.
func (w *Walker) domain(name string) (string, error) {
	t, err := w.parse(name)
	switch {
	case err != nil:
		return "", err
	case t.Kind != target.File:
		domain, _ := batch.DomainOf(t.Name) // the visit reports the errors of the host
		return domain, nil
	case w.Journal != nil:
		return "", fmt.Errorf("--state: %s: want sites and URLs of sitemaps, not files", t.Label())
	case t.Name == cli.Stdin && w.Flags.From == cli.Stdin:
		return "", target.ReadsOnce([]string{cli.Stdin, cli.Stdin})
	}
	return "", nil
}
