// Package batch is the command sitemap batch, which walks the sites of long lists: in one process,
// in shards, or by workers on many machines.
//
// Each file builds on those below it:
//
//	command.go  sitemap batch and its commands
//	emit.go     batch emit
//	cat.go      batch cat
//	print.go    the lines of parts as URLs, documents and findings
//	status.go   batch status
//	failed.go   batch status --failed
//	summary.go  what a run has done, by its parts
//	work.go     workers
//	plan.go     the tasks of a list
//	flags.go    flags of the commands that make parts
//	lease.go    what becomes of tasks, as metrics
//	metrics.go  metrics and health
//	queue.go    queues by their URL
//	server.go   the flags that name a queue and its server
//	record.go   what a run is, beside its parts
//	store.go    where parts are
//	folder.go   a store of files
//	shard.go    shards of a list
package batch

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// Command returns the command sitemap batch.
func Command(a *cli.App) *cobra.Command {
	flags, tasks, walks := &runFlags{}, &planFlags{}, &walkFlags{}
	cmd := cli.WithHelp(&cobra.Command{
		Use:  "batch [flags] LIST",
		Args: cli.Exactly(1, "want one LIST of targets, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return planAndWork(a, cmd, args[0], flags, tasks, walks)
		},
	})
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.Var(&tasks.shard, "shard", "walk only the domains of shard `I/N`, I from 0 to N-1")
	})
	flags.add(cmd)
	tasks.add(cmd)
	walks.add(cmd)
	cmd.AddCommand(planCommand(a), workCommand(a), statusCommand(a), catCommand(a), emitCommand(a))
	return cmd
}

// planAndWork walks the sites of a list.
func planAndWork(
	a *cli.App, cmd *cobra.Command, list string, flags *runFlags, tasks *planFlags,
	walks *walkFlags,
) error {
	if tasks.shard.n > 0 && flags.queue != "" {
		return cli.Misuse(cmd, errors.New("want --shard or --queue, not both: with a queue, "+
			"workers share the list anyway"))
	}
	worker, err := walks.worker(a, cmd, flags, tasks.shard.n)
	if err != nil {
		return err
	}
	in, err := openList(a, list)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := open(a, cmd, flags, tasks.replicas)
	if err != nil {
		return err
	}
	defer r.close()
	if f, ok := r.store.(*folder); ok && flags.queue == "" {
		lock, err := f.lock(flags.run, tasks.shard)
		if err != nil {
			return err
		}
		defer lock.Close()
	}
	p := &plan{openRun: r, list: list, shard: tasks.shard}
	w := newWork(r, worker, walks.Progress, list, tasks.shard.n)
	group, ctx := errgroup.WithContext(cmd.Context())
	group.Go(func() error { return p.run(ctx, in) })
	group.Go(func() error { return w.run(ctx) })
	err = group.Wait()
	w.end(err == nil && p.isOver())
	if err == nil && p.isOver() {
		p.reportOver()
	}
	return cmp.Or(a.Ended(cmd.Context()), err)
}
