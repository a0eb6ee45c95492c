// Package batch is the command sitemap batch, which walks long lists of sites and can be stopped at any
// time.
//
// Each file builds on those below it:
//
//	batch.go  sitemap batch
//	read.go   batch status and batch cat
//	run.go    what run.json says, and shards
package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/progress"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// batchFlags are the flags of batch.
type batchFlags struct {
	cli.SelectFlags
	cli.FetchFlags
	out      string
	shard    shard
	again    bool
	parallel int
	siteTime time.Duration
	progress string
	quiet    bool
}

// Command returns the command sitemap batch.
func Command(a *cli.App) *cobra.Command {
	flags := &batchFlags{}
	cmd := cli.WithHelp(&cobra.Command{
		Use:  "batch [flags] FILE",
		Args: cli.Exactly(1, "want one FILE of targets, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return run(a, cmd, args[0], flags) },
	})
	cli.FlagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.Var(&flags.shard, "shard", "walk only the domains of shard `I/N`, I from 0 to N-1")
		f.BoolVar(&flags.again, "again", false,
			"when a run is over, begin another one, which prints what has changed")
		f.IntVar(&flags.parallel, "parallel", 16, "walk `N` domains at once")
		f.DurationVar(&flags.siteTime, "site-time", time.Hour,
			"longest `TIME` for one target; what came is in the part")
	})
	cli.FlagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVarP(&flags.out, "output", "o", "", "write the parts to `FOLDER`")
		f.StringVar(&flags.progress, "progress", "auto",
			"`WHEN` to show progress on standard error: auto (on a terminal), always or never")
		f.BoolVarP(&flags.quiet, "quiet", "q", false,
			"on standard error, report only lines of FILE that are no targets")
	})
	flags.SelectFlags.Add(cmd)
	flags.FetchFlags.Add(cmd)
	cmd.AddCommand(statusCommand(a), catCommand(a))
	return cmd
}

// run walks the sites of a list and writes their parts.
func run(a *cli.App, cmd *cobra.Command, list string, flags *batchFlags) error {
	var flagErr error
	switch {
	case flags.out == "":
		flagErr = errors.New("name the folder to write: -o parts/")
	case flags.parallel < 1 || flags.siteTime < 0:
		flagErr = errors.New("--parallel, --site-time: want a positive number")
	}
	client, clientErr := flags.Client()
	options, optionsErr := flags.Options()
	if err := cli.UsageOf(cmd, flagErr, clientErr, optionsErr); err != nil {
		return err
	}
	client.MaxBytes, client.Transport = flags.Limit.Bytes, a.Transport
	if client.Limiter == nil {
		client.Limiter = &fetch.HostLimiter{Total: 2 * flags.parallel}
	}
	in, err := a.Open(list)
	if err != nil {
		return fmt.Errorf("%s: %s", cli.FileName(list), jsonl.Message("", err))
	}
	defer in.Close()
	b := &batching{app: a, list: list, flags: flags, queue: batch.NewMemoryQueue(1_000)}
	if b.folder, err = batch.OpenFolder(flags.out); err != nil {
		return err
	}
	lock, err := lockRun(flags.out, flags.shard)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := b.begin(); err != nil {
		return err
	}
	defer b.progress.Show(a, flags.progress, flags.quiet, false)()
	options.OnlyChanged = b.run.Run > 1
	w := &batch.Worker{
		Client: &discover.Client{Fetch: client, Concurrency: flags.Concurrency},
		Queue:  b.queue, Sink: b.folder, States: b.folder, Options: options,
		Parallel: flags.parallel, SiteTime: flags.siteTime, Done: b.done, Report: b.report,
	}
	group, ctx := errgroup.WithContext(cmd.Context())
	group.Go(func() error { return b.plan(ctx, in) })
	group.Go(func() error { return w.Run(ctx) })
	if err = group.Wait(); err == nil {
		err = b.end()
	}
	if !flags.quiet {
		a.Log.Line("sitemap: " + b.progress.Totals())
		if n := b.run.Counts.Untrusted; n > 0 {
			a.Log.Printf("%s left out: see 'sitemap help trust'", cli.Plural(n, "untrusted URL"))
		}
	}
	return cmp.Or(a.Ended(cmd.Context()), err)
}

// A batching is one call of batch.
type batching struct {
	app      *cli.App
	list     string
	flags    *batchFlags
	folder   *batch.Folder
	queue    *batch.MemoryQueue
	run      batchRun
	progress progress.Counter
}

// begin goes on with the run in the folder, or begins another one.
func (b *batching) begin() (err error) {
	if b.run, err = readRun(b.flags.out, b.flags.shard); err != nil {
		return err
	}
	if b.run.Run == 0 || b.flags.again && !b.run.Ended.IsZero() {
		b.run = batchRun{Run: b.run.Run + 1, Begun: thisSecond(), Shard: b.flags.shard.String()}
	}
	b.run.Started, b.run.Ended = thisSecond(), time.Time{}
	b.progress.Begin(nil, b.list)
	b.progress.Total /= int64(max(1, b.flags.shard.n)) // about: plan counts them
	b.run.Targets = b.progress.Total
	return b.run.save(b.flags.out, b.flags.shard)
}

// plan puts the tasks that have no part into the queue.
func (b *batching) plan(ctx context.Context, in io.Reader) error {
	defer b.queue.End(ctx)
	total := int64(0)
	for task, err := range batch.Plan(in, b.run.name()) {
		if e := (*batch.LineError)(nil); errors.As(err, &e) {
			b.app.Fail("%s, %v", cli.FileName(b.list), e)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %s", cli.FileName(b.list), jsonl.Message("", err))
		}
		if !b.flags.shard.has(task.Domain) {
			continue
		}
		n := int64(len(task.Targets))
		total += n
		switch done, err := batch.IsDone(ctx, b.folder, task); {
		case err != nil:
			return err
		case done:
			b.progress.Sites.Add(n)
		default:
			if _, err := b.queue.Put(ctx, task); err != nil {
				return err
			}
		}
	}
	b.run.Targets = total
	return nil
}

// done counts a task.
func (b *batching) done(_ batch.Task, c batch.Counts) {
	b.progress.Sites.Add(c.Targets)
	b.progress.URLs.Add(c.URLs)
	if c.Failed > 0 {
		b.progress.Failed.Add(1)
	}
}

// report reports a damaged part or state, and a task that cannot be done.
func (b *batching) report(t batch.Task, err error) { b.app.Log.Printf("%s: %v", t.Domain, err) }

// end notes that the run is over.
func (b *batching) end() error {
	if _, err := b.run.count(b.folder, b.flags.shard); err != nil {
		return err
	}
	b.run.Ended = thisSecond()
	return b.run.save(b.flags.out, b.flags.shard)
}
