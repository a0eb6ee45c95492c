package batch

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/discover"
)

// walkFlags are the flags of commands that walk.
type walkFlags struct {
	cli.WalkFlags
	workers int
	grace   time.Duration
}

func (w *walkFlags) add(cmd *cobra.Command) {
	w.Parallel, w.SiteTime = 16, time.Hour
	w.WalkFlags.Add(cmd, "domains")
	w.AddMatch(cmd)
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.DurationVar(&w.grace, "grace", 0,
			"`TIME` for domains under way to end after SIGTERM; the others are handed back")
	})
	cli.FlagGroup(cmd, "Politeness", func(f *pflag.FlagSet) {
		f.IntVar(&w.workers, "workers", 0,
			"`N` processes share the run: each sends only 8/N requests at once to "+
				"one address, at least 1 (default 1, or the number of shards)")
	})
	cli.NotNegative(cmd, "grace", "workers")
}

func workCommand(a *cli.App) *cobra.Command {
	flags, walks, wait := &runFlags{}, &walkFlags{}, false
	cmd := cli.WithHelp(&cobra.Command{
		Use:  "work [flags]",
		Args: cli.Exactly(0, "want no argument: the sites come from the queue"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return workAlone(a, cmd, flags, walks, wait)
		},
	})
	flags.add(cmd)
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.BoolVar(&wait, "wait", false, "when the crawl of a frontier is done, wait for more")
		f.DurationVar(&flags.refetch, "refetch", 0,
			"make a frontier hand out a domain again after `TIME`, for the next --run")
	})
	cli.NotNegative(cmd, "refetch")
	walks.add(cmd)
	return cmd
}

// workAlone does the tasks of a queue.
func workAlone(
	a *cli.App, cmd *cobra.Command, flags *runFlags, walks *walkFlags, wait bool,
) error {
	var err error
	switch {
	case flags.queue == "":
		err = errNoQueue
	case wait && isNATS(flags.queue):
		err = errors.New("--wait needs a URLFrontier: a run over NATS ends when its plan is done")
	}
	if err := cli.UsageOf(cmd, err); err != nil {
		return err
	}
	worker, err := walks.worker(a, cmd, flags, 0)
	if err != nil {
		return err
	}
	r, err := open(a, cmd, flags, 0)
	if err != nil {
		return err
	}
	defer r.close()
	if r.queue.endsHere && !wait {
		r.queue.End(cmd.Context())
	}
	w := newWork(r, worker, walks.Progress, "", 0)
	err = w.run(cmd.Context())
	w.end(false)
	return cmp.Or(a.Ended(cmd.Context()), err)
}

// A work is a worker with its reports.
type work struct {
	*openRun
	worker    *batch.Worker
	untrusted atomic.Int64
	stop      func() // of the display of progress
}

// worker returns the worker for the flags. Shards is the number of shards, or 0.
func (w *walkFlags) worker(
	a *cli.App, cmd *cobra.Command, flags *runFlags, shards int,
) (*batch.Worker, error) {
	workers := max(1, cmp.Or(w.workers, shards))
	client, options, err := w.Walk(a, max(1, 8/workers))
	matches, matchErr := w.Matcher()
	if err := cli.UsageOf(cmd, flags.check(), err, matchErr); err != nil {
		return nil, err
	}
	a.Linger(w.grace)
	options.OnlyChanged = flags.Changed
	worker := &batch.Worker{
		Client: client, Options: options,
		Select:   func(u *discover.URL) bool { return matches(u.Loc) },
		Parallel: w.Parallel, SiteTime: w.SiteTime, Grace: w.grace,
		Retry: flags.retry,
	}
	if flags.Findings {
		worker.Job = batch.Findings(audit.Options{Agent: "Googlebot", Limits: w.Limit.Document()})
	}
	return worker, nil
}

// reportEvery is how often the totals are reported where standard error is no terminal.
const reportEvery = time.Minute

// newWork returns the work on a run, and shows progress until end is called. Shards is how many
// processes share the list, or 0.
func newWork(r *openRun, worker *batch.Worker, show, list string, shards int) *work {
	w := &work{openRun: r, worker: worker}
	w.worker.Queue = measuredQueue{r.queue, r.metrics}
	w.worker.Sink, w.worker.States = r.store, r.states
	w.worker.Client.Fetch.Wrap = r.metrics.count
	w.worker.Done, w.worker.Report = w.done, w.report
	w.progress.Begin(nil, list)
	w.progress.IsList = true
	w.progress.Total /= int64(max(1, shards)) // about
	w.stop = w.progress.Show(w.app, show, w.flags.quiet || w.log != nil, false)
	return w
}

// run works. If no progress is shown, it reports the totals now and then.
func (w *work) run(ctx context.Context) error {
	if w.log != nil || !cli.IsTerminal(w.app.Err) {
		ticker := time.NewTicker(reportEvery)
		defer ticker.Stop()
		ended := make(chan struct{})
		defer close(ended)
		go func() {
			for {
				select {
				case <-ticker.C:
					w.totals()
				case <-ended:
					return
				}
			}
		}()
	}
	return w.worker.Run(ctx)
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

// totals reports the totals.
func (w *work) totals() {
	if !w.flags.quiet {
		w.app.Log.Line("sitemap: " + w.progress.Totals())
	}
}

// end ends the display of progress, and reports the totals unless there was nothing to do.
func (w *work) end(idle bool) {
	w.stop()
	if idle {
		return
	}
	w.totals()
	if n := w.untrusted.Load(); n > 0 && !w.flags.quiet {
		w.app.Log.Printf("%s left out: see 'sitemap help trust'", cli.Plural(n, "untrusted URL"))
	}
}
