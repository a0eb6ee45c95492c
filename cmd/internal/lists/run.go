// Package lists walks the targets of a command, several at once.
//
// Each file builds on those below it:
//
//	run.go       commands that walk, with --state too: targets to tasks, URLs to formats
//	visit.go     one target to URLs, problems and documents
//	failures.go  targets that could not be read, for --failed
//	walker.go    what the visits of a command share
//	journal.go   what a run with --state keeps
//	save.go      documents as they were served
//	selector.go  which URLs are printed
//	flags.go     the flags of the commands that walk
package lists

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// Walk walks the targets of a command. Prepare refuses flags that contradict each other, and sets
// the Handle or the Printer of the walker.
func Walk(
	a *cli.App, cmd *cobra.Command, args []string, flags *Flags,
	prepare func(*Walker, []target.Target) error,
) error {
	formatErr := flags.Resolve(cmd)
	targets, err := target.ParseAll(args, flags.From, flags.As)
	if err := cli.UsageOf(cmd, formatErr, err); err != nil {
		return err
	}
	w, err := NewWalker(a, cmd, flags, &cli.DocumentFlags{})
	if err != nil {
		return err
	}
	if err := cli.UsageOf(cmd, prepare(w, targets)); err != nil {
		return err
	}
	if flags.State != "" {
		err = w.OpenJournal()
	} else {
		w.Out, err = output.Create(a, flags.Out)
	}
	if err != nil {
		return err
	}
	if w.Printer != nil {
		err = w.Print(cmd.Context(), targets)
	} else {
		w.Out.Begin(w.Header)
		err = w.Run(cmd.Context(), targets)
	}
	if w.Journal != nil {
		err = w.Journal.Finish(err)
	}
	return w.Out.Finish(err)
}

// Print walks the targets, prints the URLs and the table of --documents, and reports at the end
// what else it met.
func (w *Walker) Print(ctx context.Context, targets []target.Target) error {
	p := w.Printer
	p.Begin(w.Out)
	w.Handle = func(v *Visit) Handler { return Handler{Page: v.print} }
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
	var documents *output.Writer
	if w.documents != nil {
		out, err := output.Create(w.App, w.Flags.Documents)
		if err != nil {
			return err
		}
		w.documents.Begin(out)
		documents = out
	}
	err := w.Run(ctx, targets)
	err = cmp.Or(err, p.End())
	if documents != nil {
		err = documents.Finish(cmp.Or(err, w.documents.End()))
	}
	if err != nil || w.Flags.Quiet {
		return err
	}
	if n := w.Selector.again; n > 0 {
		w.App.Log.Printf("--unique: %s left out that came before", cli.Plural(n, "URL"))
	}
	if w.Journal != nil && w.Selector.Count() == 0 && !w.App.Failed.Load() {
		w.App.Log.Printf("nothing has changed since the last run")
	}
	return nil
}

// print prints a URL. Visits side by side write lines, which are printed in the order of the list.
// With --state, what is printed of a document stays together.
func (v *Visit) print(r *batch.URL) error {
	sample, isSample := v.Printer.(*output.Sample)
	switch {
	case isSample && !sample.Wants(r.Loc):
		return nil
	case v.Journal != nil:
		v.lines = v.Printer.(*output.Lines[batch.URL]).Append(v.lines, r)
	case v.OneByOne():
		return v.Printer.Print(r)
	default:
		v.lines = r.AppendTo(v.lines)
	}
	return v.writeFull()
}

// Run walks the targets and prints to w.Out. It reports each failure to read when it happens; an
// error ends the command.
func (w *Walker) Run(ctx context.Context, args []target.Target) error {
	w.Progress.Begin(args, w.Flags.From)
	fills := w.Printer != nil && w.Out.File == nil // a terminal with lines
	defer w.Progress.Show(w.App, w.Flags.Progress, w.Flags.Quiet, fills)()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if w.Flags.maxTime > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, w.Flags.maxTime, cli.ErrMaxTime)
		defer cancel()
	}
	w.ended = func() error { return w.App.Ended(ctx) }
	var failed *os.File // written in place, so that it has what a run that is killed has met
	var err error
	if name := w.Flags.failed; name != "" {
		failed, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		w.failures = w.inOrder(failed)
	}
	err = w.work(ctx, args)
	if failed != nil {
		err = cmp.Or(err, w.failures.Close(), failed.Close())
	}
	if w.Progress.IsList && !w.Flags.Quiet {
		w.App.Log.Line("sitemap: " + w.Progress.Totals())
	}
	if err == nil && !w.Flags.Quiet {
		w.Problems.Print(w.App.Log)
	}
	return err
}

// work does the targets, --parallel of them at once.
func (w *Walker) work(ctx context.Context, args []target.Target) error {
	w.lines = bufio.NewReaderSize(nil, 64<<10)
	sink := w.inOrder(output.WriterFunc(w.write))
	queue := batch.NewMemoryQueue(w.Flags.Parallel) // reads little ahead, for --max-urls
	// Nothing waits for it after an error: it may wait for standard input.
	go w.plan(ctx, args, queue)
	worker := &batch.Worker{
		Client: w.Client, Queue: queue, Sink: sink, Options: w.Options, Parallel: w.Flags.Parallel,
		Job: w.job,
	}
	err := worker.Run(ctx)
	closeErr := sink.Close()
	return cmp.Or(w.App.Ended(ctx), err, closeErr)
}

// write prints what visits side by side have written, in the order of the list.
func (w *Walker) write(p []byte) (n int, err error) {
	if w.Read != nil {
		n, err = len(p), w.readLines(p)
	} else if n, err = w.Out.Write(p); !w.Progress.HasRead() {
		w.Out.EndHead() // no result yet: an old file stays
	}
	return n, cmp.Or(err, w.Out.Flush())
}

// readLines prints the lines in p. It keeps the beginning of the last one until it is whole.
func (w *Walker) readLines(p []byte) error {
	w.rest = append(w.rest, p...)
	end := bytes.LastIndexByte(w.rest, '\n') + 1
	w.lines.Reset(bytes.NewReader(w.rest[:end]))
	err := w.Read(w.lines)
	w.rest = append(w.rest[:0], w.rest[end:]...)
	return err
}

// job visits the targets of a task.
func (w *Walker) job(
	ctx context.Context, worker *batch.Worker, task batch.Task, p batch.Part,
) (batch.Counts, error) {
	var failures io.Writer
	if w.failures != nil {
		part, _ := w.failures.Part(ctx, batch.Stored{Task: task}) // Write returns its error too
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
			w.Progress.Total.Add(-1)
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
		return batch.DomainOf(t.Name)
	case w.Journal != nil:
		return "", fmt.Errorf("--state: %s: want sites and URLs of sitemaps, not files", t.Label())
	case t.Name == cli.Stdin && w.Flags.From == cli.Stdin:
		return "", target.ReadsOnce([]string{cli.Stdin, cli.Stdin})
	}
	return "", nil
}

// OpenJournal opens the file of --state and the output, and resumes the last run if that was
// stopped. The command ends the journal with its Finish.
func (w *Walker) OpenJournal() error {
	f, err := state.Open(w.Flags.State)
	if err != nil {
		return err
	}
	j := &journal{File: f}
	if err := j.begin(w); err != nil {
		f.Close()
		return err
	}
	w.Journal = j
	w.Selector.taken.Store(j.run.URLs)
	w.Options.Store, w.Options.Run, w.Options.OnlyChanged = j, j.run.ID, !w.Flags.All
	w.Selector.known = j.knows
	if err := cmp.Or(j.write(), j.Sync()); err != nil {
		return w.Out.Finish(j.Finish(err))
	}
	return nil
}

// begin begins a run or goes on with it, and opens the output. That may not hold lines of another
// format, or other columns, already.
func (j *journal) begin(w *Walker) error {
	value, err := j.Get(runKey)
	if err != nil {
		return err
	}
	digest := w.Flags.digest()
	resumed := json.Unmarshal(value, &j.run) == nil && !j.run.Ended && j.run.Digest == digest
	if !resumed {
		j.run = runRecord{ID: rand.Text(), Digest: digest, Output: j.run.Output,
			Format: j.run.Format}
	}
	if j.run.Last == nil {
		j.run.Last = map[string]string{}
	}
	out, format := w.Flags.Out, w.Flags.Format
	if lines, ok := w.Printer.(*output.Lines[batch.URL]); ok && lines.Header != "" {
		format += " with " + strings.TrimSpace(lines.Header)
	}
	info, err := os.Stat(out)
	if err == nil && info.Size() > 0 && out == j.run.Output && format != j.run.Format {
		return fmt.Errorf("%s holds %s, not %s: name another file", out, j.run.Format, format)
	}
	j.run.Output, j.run.Format = out, format
	j.out, err = output.Append(w.App, out, resumed, j.run.Length)
	w.Out = j.out
	return err
}
