package batch

import (
	"sync/atomic"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A work reports what a worker does.
type work struct {
	*openRun
	untrusted atomic.Int64
	stop      func() // of the display of progress
}

// newWork lets the worker work on the run of a list, and shows progress until end is called.
func newWork(r *openRun, worker *batch.Worker, list string) *work {
	w := &work{openRun: r}
	worker.Queue, worker.Sink, worker.States = measuredQueue{r.queue, r.metrics}, r.store, r.states
	worker.Client.Fetch.Wrap = r.metrics.count
	worker.Done, worker.Report = w.done, w.report
	w.progress.Begin(nil, list)
	w.progress.IsList = true
	w.progress.Total /= int64(max(1, r.flags.shard.n)) // about
	w.stop = w.progress.Show(w.app, w.flags.Progress, w.flags.quiet || w.log != nil, false)
	return w
}

// done counts a task.
func (w *work) done(t batch.Task, c batch.Counts) {
	w.progress.Sites.Add(c.Targets)
	w.progress.URLs.Add(c.URLs)
	w.untrusted.Add(c.Untrusted)
	if c.Failed > 0 {
		w.progress.Failed.Add(1)
	}
	w.metrics.done(c)
	if w.log != nil {
		w.log.Info("done", "domain", t.Domain, "targets", c.Targets, "documents", c.Documents,
			"urls", c.URLs, "failed", c.Failed, "cause", c.Cause)
	}
}

// report reports a damaged part or state, and a task that cannot be done.
func (w *work) report(t batch.Task, err error) {
	if w.log != nil {
		w.log.Warn(err.Error(), "domain", t.Domain)
		return
	}
	w.app.Log.Printf("%s: %v", t.Domain, err)
}

// end ends the display of progress, and reports the totals unless there was nothing to do.
func (w *work) end(idle bool) {
	w.stop()
	if idle || w.flags.quiet {
		return
	}
	w.app.Log.Printf("%s", w.progress.Totals())
	if n := w.untrusted.Load(); n > 0 {
		w.app.Log.Printf("%s left out: see 'sitemap help trust'", cli.Plural(n, "untrusted URL"))
	}
}
