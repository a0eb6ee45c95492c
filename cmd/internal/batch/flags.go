package batch

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/engines/jetstream"
)

// placeFlags say where a run is.
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
		f.StringVarP(&p.out, "output", "o", "", "the parts are in `FOLDER`/RUN, the states beside them")
	})
	p.serverFlags.add(cmd)
}

func (p *placeFlags) check() error {
	if p.out == "" {
		return errors.New("name the folder of the parts: -o OUT")
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
	quiet    bool
}

func (r *runFlags) add(cmd *cobra.Command) {
	r.placeFlags.add(cmd)
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.BoolVar(&r.retry, "retry", false, "do again what has failed in the run")
	})
	cli.FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&r.Changed, "changed", false,
			"the run has only URLs that are new or modified since the run before")
		f.BoolVar(&r.Findings, "check", false, "the run has findings, as of 'sitemap check', not URLs")
		f.StringVar(&r.metrics, "metrics", "",
			"serve /metrics, /healthz and /readyz at `ADDRESS`, such as :9090")
		f.BoolVarP(&r.quiet, "quiet", "q", false,
			"on standard error, report only what is wrong with LIST, parts and states")
	})
}

func (r *runFlags) addLease(cmd *cobra.Command) {
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.DurationVar(&r.lease, "lease", time.Minute,
			"with --queue, `TIME` after which the domains of a silent worker go to others")
		f.DurationVar(&r.patience, "patience", 10*time.Minute,
			"with NATS, `TIME` to wait for a broker that does not answer")
	})
}

func (r *runFlags) check() error {
	switch {
	case r.Changed && r.Findings:
		return errors.New("--check judges all; it does not go with --changed")
	case r.lease < jetstream.MinLease:
		return fmt.Errorf("--lease: want at least %v", jetstream.MinLease)
	case r.patience <= 0:
		return errors.New("--patience: want a positive time")
	}
	return r.placeFlags.check()
}

// An openRun is a run that a command works on.
type openRun struct {
	app     *cli.App
	flags   *runFlags
	store   *folder
	record  record
	queue   *queue
	metrics *metrics
}

// open begins a run or goes on with it, and opens its queue. Replicas are 0 for as many as before.
func open(a *cli.App, cmd *cobra.Command, flags *runFlags, replicas int) (*openRun, error) {
	r := &openRun{app: a, flags: flags, metrics: newMetrics()}
	var err error
	if r.store, err = openFolder(flags.out); err != nil {
		return nil, err
	}
	r.record, err = beginRun(r.store, flags.run, flags.mode)
	if other := (*modeError)(nil); errors.As(err, &other) {
		return nil, cli.Misuse(cmd, err)
	}
	if err != nil {
		return nil, err
	}
	o := &jetstream.Options{Lease: flags.lease, Replicas: replicas, Patience: flags.patience}
	r.queue, err = openQueue(cmd.Context(), &flags.serverFlags, flags.run, o)
	return r, cmp.Or(a.Ended(cmd.Context()), err)
}

func (r *openRun) close() {
	if r.queue.close != nil {
		r.queue.close()
	}
}
