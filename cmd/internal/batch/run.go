package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/progress"
	"github.com/seed-322c453a/sitemap/discover/state"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// An openRun is a run that a command works on.
type openRun struct {
	app     *cli.App
	flags   *runFlags
	store   *store
	states  batch.States
	record  record
	queue   *queue
	metrics *counters
	log     *slog.Logger // nil without --log
	// progress counts what was done, before this process too.
	progress  progress.Counter
	untrusted atomic.Int64
	ended     atomic.Int64 // tasks
	stop      func()       // ends the display of progress
	closers   []func()
}

// open begins or resumes a run and opens its queue.
func open(a *cli.App, cmd *cobra.Command, flags *runFlags) (r *openRun, err error) {
	ctx := cmd.Context()
	r = &openRun{app: a, flags: flags, metrics: newCounters()}
	defer func() {
		if err = cmp.Or(a.Ended(ctx), err); err != nil {
			r.close()
		}
	}()
	if flags.log != "" {
		r.log = a.Log.Records(flags.log == "json")
	}
	if r.store, err = openStore(ctx, cmd, flags.out); err != nil {
		return r, err
	}
	if hasFile(ctx, r.store, recordFile) {
		const text = "-o %s: it is a run: want -o OUT, the place of all runs, and --run NAME"
		return r, cli.Misuse(cmd, fmt.Errorf(text, flags.out))
	}
	if r.record, err = beginRun(ctx, r.store, flags.run, flags.mode); err != nil {
		return r, err
	}
	if r.record.mode != flags.mode {
		const text = "run %s has the mode %q; begin another one with --run NAME"
		return r, cli.Misuse(cmd, fmt.Errorf(text, flags.run, r.record.mode.String()))
	}
	if r.queue, err = openQueue(ctx, &flags.serverFlags, flags.run, &flags.nats); err != nil {
		return r, err
	}
	r.closers = append(r.closers, r.queue.close)
	if flags.plans && r.queue.begin != nil { // before a worker asks whether the run is over
		if err = r.queue.begin(ctx); err != nil {
			return r, err
		}
	}
	if r.store.isFolder && r.queue.nats != nil { // it cannot refuse a Save of another machine
		r.states, err = natsqueue.OpenStates(ctx, r.queue.nats, &flags.nats)
	} else {
		r.states, err = r.store.states(ctx)
	}
	if err != nil {
		return r, err
	}
	stop, err := r.metrics.serve(flags.metrics, r.queue)
	if err == nil {
		r.closers = append(r.closers, stop)
	}
	return r, err
}

// lock keeps other processes without a queue away from the run in a folder, or from the shard of
// it.
func (r *openRun) lock() error {
	if !r.store.isFolder || r.flags.queue != "" {
		return nil
	}
	name := "run.lock"
	if s := r.flags.shard; s.n > 0 {
		name = fmt.Sprintf("run-%d-of-%d.lock", s.i, s.n)
	}
	lock, err := state.Open(filepath.Join(r.flags.out, r.flags.run, name))
	if errors.Is(err, state.ErrLocked) {
		return fmt.Errorf("%s: another process works on run %s", r.flags.out, r.flags.run)
	}
	if err == nil {
		r.closers = append(r.closers, func() { lock.Close() })
	}
	return err
}

func (r *openRun) close() {
	for _, c := range slices.Backward(r.closers) {
		c()
	}
}

// openList opens a list of targets.
func openList(a *cli.App, list string) (io.ReadCloser, error) {
	in, err := a.Open(list)
	if err == nil {
		return in, nil
	}
	hint := ""
	if errors.Is(err, fs.ErrNotExist) {
		hint = " (LIST is a file of sites; for one site, see sitemap urls)"
	}
	return nil, fmt.Errorf("%s: %s%s", cli.FileName(list), jsonl.Message("", err), hint)
}

// A plan puts the tasks of a list that have no part into a queue.
type plan struct {
	*openRun
	list  string
	in    io.ReadCloser
	isNew bool // the run has no parts yet: planning need not look for any

	put, known, done int64 // domains
	targets          int64 // of the shard
}

// run reads the list.
func (p *plan) run(ctx context.Context) error {
	p.record.Started, p.record.Targets, p.record.BadLines, p.record.Bad = thisSecond(), 0, 0, nil
	if err := p.record.save(ctx, p.store, p.flags.run); err != nil {
		return err
	}
	p.isNew = !hasPart(ctx, p.store, p.flags.run)
	targets := int64(0)
	for task, err := range batch.Plan(p.in, p.flags.run) {
		if line := (*batch.LineError)(nil); errors.As(err, &line) {
			p.record.add(line)
			p.metrics.bad.Inc()
			p.app.Log.Printf("%s, %v", cli.FileName(p.list), line)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %s", cli.FileName(p.list), jsonl.Message("", err))
		}
		targets += int64(len(task.Targets))
		if !p.flags.shard.has(task.Domain) {
			continue
		}
		if err := p.add(ctx, task); err != nil {
			return err
		}
	}
	p.record.Targets = targets
	p.progress.Total.Store(p.targets)
	if err := p.record.save(ctx, p.store, p.flags.run); err != nil {
		return err
	}
	if targets == 0 {
		return fmt.Errorf("%s: no target in it", cli.FileName(p.list))
	}
	return p.queue.End(ctx)
}

// add puts a task into the queue, unless it is done.
func (p *plan) add(ctx context.Context, task batch.Task) error {
	p.targets += int64(len(task.Targets))
	done := false
	var err error
	if !p.isNew {
		w := batch.Worker{Sink: p.store, Retry: p.flags.retry}
		done, err = w.IsDone(ctx, task)
	}
	if err != nil {
		return err
	}
	if done {
		p.done++
		p.progress.Before.Add(int64(len(task.Targets)))
		return nil
	}
	added, err := p.queue.Put(ctx, task)
	if added {
		p.put++
		p.metrics.put.Inc()
	} else {
		p.known++
	}
	return err
}

// isOver reports whether the run had nothing left to do.
func (p *plan) isOver() bool { return p.put == 0 && p.known == 0 }

// report reports that the run is over, with how to begin the next one, or the results of a plan
// alone.
func (p *plan) report() {
	switch {
	case p.isOver():
		name := "run " + p.flags.run
		if s := p.flags.shard; s.n > 0 {
			name = fmt.Sprintf("shard %d/%d of %s", s.i, s.n, name)
		}
		p.app.Log.Printf("%s is over: %s done; --retry walks failed targets again, "+
			"--run NAME begins the next run", name, cli.Plural(p.targets, "site"))
	case !p.flags.works:
		p.app.Log.Printf("%s put, %s in the queue before, %s done before",
			cli.Plural(p.put, "domain"), cli.Thousands(p.known), cli.Thousands(p.done))
	}
}

// employ lets a worker work on the run of a list, and shows progress until end is called.
func (r *openRun) employ(worker *batch.Worker, list string) {
	worker.Queue, worker.Sink, worker.States = measuredQueue{r.queue, r.metrics}, r.store, r.states
	worker.Client.Fetch.Wrap, worker.Job = r.metrics.count, r.inMode(worker.Job)
	worker.Done, worker.Report = r.count, r.warn
	r.progress.Begin(nil, list)
	r.progress.IsList = true
	r.progress.Total.Store(r.progress.Total.Load() / int64(max(1, r.flags.shard.n))) // about
	r.stop = r.progress.Show(r.app, r.flags.Progress, r.flags.quiet || r.log != nil, false)
}

// inMode returns a job that refuses tasks of runs with another mode. A frontier has those of all
// runs.
func (r *openRun) inMode(job batch.Job) batch.Job {
	return func(
		ctx context.Context, w *batch.Worker, t batch.Task, p batch.Part,
	) (batch.Counts, error) {
		if t.Run != r.flags.run {
			rec, err := readRecord(ctx, r.store, t.Run)
			if err == nil && rec.mode != r.flags.mode && !rec.Begun.IsZero() {
				const text = "--queue: %s is of run %s, which has the mode %q: work on that run first"
				err = fmt.Errorf(text, t.Domain, t.Run, rec.mode.String())
			}
			if err != nil {
				return batch.Counts{}, err
			}
		}
		return job(ctx, w, t, p)
	}
}

// count counts a task that is done.
func (r *openRun) count(t batch.Task, c batch.Counts) {
	r.ended.Add(1)
	r.progress.Sites.Add(c.Targets)
	r.progress.URLs.Add(c.URLs)
	r.untrusted.Add(c.Untrusted)
	if c.Failed > 0 {
		r.progress.Failed.Add(1)
	}
	r.metrics.done(c)
	if r.log != nil {
		r.log.Info("done", "domain", t.Domain, "targets", c.Targets, "documents", c.Documents,
			"urls", c.URLs, "failed", c.Failed, "cause", c.Cause)
	}
}

// warn reports a damaged part or state, and a task that cannot be done.
func (r *openRun) warn(t batch.Task, err error) {
	if r.log != nil {
		r.log.Warn(err.Error(), "domain", t.Domain)
		return
	}
	r.app.Log.Printf("%s: %v", t.Domain, err)
}

// end ends the display of progress, and reports the totals unless there was nothing to do.
func (r *openRun) end(idle bool) {
	r.stop()
	if idle || r.flags.quiet {
		return
	}
	r.app.Log.Printf("%s", r.progress.Totals())
	if n := r.untrusted.Load(); n > 0 {
		r.app.Log.Printf("%s", cli.LeftOut(n))
	}
}
