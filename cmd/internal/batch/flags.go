package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/progress"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

// placeFlags name the place of a run.
type placeFlags struct {
	serverFlags
	out, run string
}

func (p *placeFlags) add(cmd *cobra.Command) {
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.StringVar(&p.run, "run", "1", "`NAME` of the run; another name begins another run")
		f.StringVar(&p.queue, "queue", "",
			"workers share the queue at `URL`: nats://HOST:PORT, several separated by commas, or "+
				"urlfrontier://HOST:PORT/CRAWL")
	})
	cli.FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVarP(&p.out, "output", "o", "",
			"the parts are in `OUT`/RUN, the states beside them: a folder, or s3://BUCKET/PREFIX")
	})
	p.serverFlags.add(cmd)
}

func (p *placeFlags) check() error {
	if p.out == "" {
		return errors.New("want -o OUT, the folder or bucket of the parts")
	}
	if err := batch.CheckRun(p.run); err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	return p.serverFlags.check()
}

// runFlags are the flags of commands that work on a run.
type runFlags struct {
	placeFlags
	mode
	retry    bool
	lease    time.Duration
	patience time.Duration
	metrics  string
	log      string
	quiet    bool
}

func (r *runFlags) add(cmd *cobra.Command) {
	r.placeFlags.add(cmd)
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.BoolVar(&r.retry, "retry", false,
			"walk targets that failed in the run again; with --queue, plan and work both need it")
		f.DurationVar(&r.lease, "lease", time.Minute,
			"with --queue, `TIME` after which the domains of a silent worker go to others")
		f.DurationVar(&r.patience, "patience", 10*time.Minute,
			"with NATS, `TIME` to wait for a broker that does not answer")
	})
	cli.FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&r.Changed, "changed", false,
			"the run has only URLs that are new or modified since the run before")
		f.BoolVar(&r.Findings, "check", false,
			"write the findings of 'sitemap check' in place of URLs")
		f.StringVar(&r.metrics, "metrics", "",
			"serve /metrics, /healthz and /readyz at `ADDRESS`, such as :9090")
		f.StringVar(&r.log, "log", "",
			"log on standard error as `FORMAT` text or json, with a record for each domain")
		f.BoolVarP(&r.quiet, "quiet", "q", false,
			"on standard error, report only what is wrong with LIST, parts and states")
	})
	cli.OneOf(cmd, "log", "text", "json")
	cli.Positive(cmd, "patience")
}

func (r *runFlags) check() error {
	switch {
	case r.Changed && r.Findings:
		return errors.New("want --check or --changed, not both: --check judges all pages")
	case r.lease < natsqueue.MinLease:
		return fmt.Errorf("--lease: want at least %v", natsqueue.MinLease)
	}
	return r.placeFlags.check()
}

// An openRun is a run that a command works on.
type openRun struct {
	app     *cli.App
	flags   *runFlags
	store   store
	states  batch.States
	record  record
	queue   *queue
	metrics *counters
	log     *slog.Logger // nil without --log
	// progress counts what was done, before this process too.
	progress progress.Counter
	closers  []func()
}

// open begins or resumes a run and opens its queue. Replicas is 0 to keep the number.
func open(a *cli.App, cmd *cobra.Command, flags *runFlags, replicas int) (r *openRun, err error) {
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
	if r.store, err = openStore(ctx, flags.out); err != nil {
		return r, err
	}
	if r.record, err = beginRun(ctx, r.store, flags.run, flags.mode); err != nil {
		return r, err
	}
	if r.record.mode != flags.mode {
		const text = "run %s has the mode %q; begin another one with --run NAME"
		return r, cli.Misuse(cmd, fmt.Errorf(text, flags.run, r.record.mode.String()))
	}
	o := &natsqueue.Options{Lease: flags.lease, Replicas: replicas, Patience: flags.patience}
	if r.queue, err = openQueue(ctx, &flags.serverFlags, flags.run, o); err != nil {
		return r, err
	}
	if r.queue.close != nil {
		r.closers = append(r.closers, r.queue.close)
	}
	if r.states, err = openStates(ctx, r.store, r.queue, o); err != nil {
		return r, err
	}
	stop, err := r.metrics.serve(flags.metrics, r.queue)
	if err == nil {
		r.closers = append(r.closers, stop)
	}
	return r, err
}

// openStates opens the states of a store. With NATS and a folder, NATS keeps them, since a folder
// has no fence for several machines.
func openStates(
	ctx context.Context, s store, q *queue, o *natsqueue.Options,
) (batch.States, error) {
	if _, ok := s.(*folder); ok && q.nats != nil {
		return natsqueue.OpenStates(ctx, q.nats, o)
	}
	return s.States(ctx)
}

func (r *openRun) close() {
	for _, c := range slices.Backward(r.closers) {
		c()
	}
}
