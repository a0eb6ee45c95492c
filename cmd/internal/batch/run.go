package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/progress"
	"github.com/seed-322c453a/sitemap/discover/state"
	natsqueue "github.com/seed-322c453a/sitemap/engines/jetstream"
)

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
	if r.queue, err = openQueue(ctx, &flags.serverFlags, flags.run, &flags.nats); err != nil {
		return r, err
	}
	r.closers = append(r.closers, r.queue.close)
	if r.states, err = openStates(ctx, r.store, r.queue, &flags.nats); err != nil {
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

// lock keeps other processes without a queue from the run in a folder, or from the shard of it. The
// file is empty except for what keeps it locked.
func (r *openRun) lock() error {
	f, ok := r.store.(*folder)
	if !ok || r.flags.queue != "" {
		return nil
	}
	name := "run.lock"
	if s := r.flags.shard; s.n > 0 {
		name = fmt.Sprintf("run-%d-of-%d.lock", s.i, s.n)
	}
	lock, err := state.Open(filepath.Join(f.dir, r.flags.run, name))
	if errors.Is(err, state.ErrLocked) {
		return fmt.Errorf("%s: another process works on run %s", f.dir, r.flags.run)
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
