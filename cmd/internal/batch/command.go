// Package batch is the command sitemap batch, which walks the sites of long lists: in one process,
// in shards, or by workers on many machines.
//
// Each file builds on those below it:
//
//	command.go  sitemap batch and its commands
//	emit.go     batch emit
//	cat.go      batch cat: the lines of parts as URLs, documents and findings
//	status.go   batch status: what a run has done, by its parts, and what has failed
//	run.go      a run that a command works on: its plan, and what a worker reports
//	flags.go    flags of the commands that make parts
//	metrics.go  metrics and health, and how tasks end
//	queue.go    queues by their URL, and the flags for their servers
//	store.go    where parts are, and the records of runs
package batch

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// Command returns the command sitemap batch.
func Command(a *cli.App) *cobra.Command {
	cmd := runCommand(a, "batch [flags] LIST", &runFlags{plans: true, works: true})
	cmd.AddCommand(
		runCommand(a, "plan [flags] LIST", &runFlags{plans: true}),
		runCommand(a, "work [flags]", &runFlags{works: true}),
		statusCommand(a), catCommand(a), emitCommand(a),
	)
	return cmd
}

// runCommand returns a command that plans a run, works on it, or both.
func runCommand(a *cli.App, use string, flags *runFlags) *cobra.Command {
	args := cli.Exactly(1, "want one LIST of targets, or - for standard input")
	if !flags.plans {
		args = cli.Exactly(0, "want no argument: the sites come from the queue")
	}
	cmd := cli.Command(use, args,
		func(cmd *cobra.Command, args []string) error {
			return execute(a, cmd, strings.Join(args, ""), flags)
		})
	flags.add(cmd)
	return cmd
}

// execute plans the run of a list, works on it, or both.
func execute(a *cli.App, cmd *cobra.Command, list string, flags *runFlags) error {
	var worker *batch.Worker
	err := flags.check()
	if flags.works && err == nil {
		worker, err = flags.worker(a)
	}
	if err := cli.UsageOf(cmd, err); err != nil {
		return err
	}
	var in io.ReadCloser
	if flags.plans {
		if in, err = openList(a, list); err != nil {
			return err
		}
		defer in.Close()
	}
	r, err := open(a, cmd, flags)
	if err != nil {
		return err
	}
	defer r.close()
	if err := r.lock(); err != nil {
		return err
	}
	p := &plan{openRun: r, list: list, in: in}
	ctx := cmd.Context()
	group, inner := errgroup.WithContext(ctx)
	if flags.works {
		r.employ(worker, list)
		group.Go(func() error { return worker.Run(inner) })
	}
	if flags.plans {
		group.Go(func() error { return p.run(inner) })
	} else if r.queue.frontier != nil && !flags.wait {
		group.Go(func() error { return endCrawl(inner, r.queue.frontier) })
	}
	err = group.Wait()
	if flags.works {
		r.end(err == nil && flags.plans && p.isOver())
	}
	if err == nil && flags.plans && flags.works {
		err = checkDone(ctx, p)
	}
	if err == nil && flags.plans && !flags.quiet {
		p.report()
	}
	return cmp.Or(a.Ended(ctx), err)
}

// checkDone returns an error if the queue is empty and sites of the list are not done. It looks for
// their parts if other workers may have done them.
func checkDone(ctx context.Context, p *plan) error {
	if p.known == 0 && p.ended.Load() >= p.put {
		return nil
	}
	s, err := summarize(ctx, p.app, p.store, p.flags.run)
	if err == nil && s.Done < s.Sites {
		const text = "run %s: the queue has lost %s that it had: give the command again"
		err = fmt.Errorf(text, s.Run, cli.Plural(s.Sites-s.Done, "site"))
	}
	return err
}
