package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// batchFlags are the flags of batch.
type batchFlags struct {
	selectFlags
	fetchFlags
	out      string
	shard    shard
	again    bool
	parallel int
	siteTime time.Duration
	progress string
	quiet    bool
}

func (a *app) batchCommand() *cobra.Command {
	flags := &batchFlags{}
	cmd := document(&cobra.Command{
		Use:  "batch [flags] FILE",
		Args: exactly(1, "want one FILE of targets, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.batch(cmd, args[0], flags) },
	})
	flagGroup(cmd, "Target", func(f *pflag.FlagSet) {
		f.Var(&flags.shard, "shard", "walk only the domains of shard `I/N`, I from 0 to N-1")
		f.BoolVar(&flags.again, "again", false,
			"when a run is over, begin another one, which prints what has changed")
		f.IntVar(&flags.parallel, "parallel", 16, "walk `N` domains at once")
		f.DurationVar(&flags.siteTime, "site-time", time.Hour,
			"longest `TIME` for one target; what came is in the part")
	})
	flagGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVarP(&flags.out, "output", "o", "", "write the parts to `FOLDER`")
		f.StringVar(&flags.progress, "progress", "auto",
			"`WHEN` to show progress on standard error: auto (on a terminal), always or never")
		f.BoolVarP(&flags.quiet, "quiet", "q", false,
			"on standard error, report only lines of FILE that are no targets")
	})
	flags.selectFlags.add(cmd)
	flags.fetchFlags.add(cmd)
	cmd.AddCommand(a.batchStatusCommand(), a.batchCatCommand())
	return cmd
}

// A shard is one of several parts of a list.
type shard struct{ i, n int }

func (s *shard) String() string {
	if s.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.i, s.n)
}

func (s *shard) Type() string { return "string" }

func (s *shard) Set(text string) error {
	i, n, _ := strings.Cut(text, "/")
	var iErr, nErr error
	s.i, iErr = strconv.Atoi(i)
	s.n, nErr = strconv.Atoi(n)
	if iErr != nil || nErr != nil || s.i < 0 || s.i >= s.n {
		return errors.New("want I/N, with I from 0 to N-1")
	}
	return nil
}

// has reports whether a domain is in the shard.
func (s *shard) has(domain string) bool { return s.n == 0 || batch.Shard(domain, s.n) == s.i }

// batch walks the sites of a list and writes their parts.
func (a *app) batch(cmd *cobra.Command, list string, flags *batchFlags) error {
	var flagErr error
	switch {
	case flags.out == "":
		flagErr = errors.New("name the folder to write: -o parts/")
	case flags.parallel < 1 || flags.siteTime < 0:
		flagErr = errors.New("--parallel, --site-time: want a positive number")
	}
	client, clientErr := flags.client()
	options, optionsErr := flags.options()
	if err := usageOf(cmd, flagErr, clientErr, optionsErr); err != nil {
		return err
	}
	client.MaxBytes, client.Transport = flags.limit.bytes, a.transport
	if client.Limiter == nil {
		client.Limiter = &fetch.HostLimiter{Total: 2 * flags.parallel}
	}
	in, err := a.open(list)
	if err != nil {
		return fmt.Errorf("%s: %s", fileName(list), jsonl.Message("", err))
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
	defer a.show(&b.progress, flags.progress, flags.quiet, false)()
	options.OnlyChanged = b.run.Run > 1
	w := &batch.Worker{
		Client: &discover.Client{Fetch: client, Concurrency: flags.concurrency},
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
		a.diag.line("sitemap: " + b.progress.totals())
		if n := b.run.Counts.Untrusted; n > 0 {
			a.diag.printf("%s left out: see 'sitemap help trust'", plural(n, "untrusted URL"))
		}
	}
	return cmp.Or(a.ended(cmd.Context()), err)
}

// A batching is one call of batch.
type batching struct {
	app      *app
	list     string
	flags    *batchFlags
	folder   *batch.Folder
	queue    *batch.MemoryQueue
	run      batchRun
	progress progress
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
	b.progress.begin(nil, b.list)
	b.progress.total /= int64(max(1, b.flags.shard.n)) // about: plan counts them
	b.run.Targets = b.progress.total
	return b.run.save(b.flags.out, b.flags.shard)
}

// plan puts the tasks that have no part into the queue.
func (b *batching) plan(ctx context.Context, in io.Reader) error {
	defer b.queue.End(ctx)
	total := int64(0)
	for task, err := range batch.Plan(in, b.run.name()) {
		if e := (*batch.LineError)(nil); errors.As(err, &e) {
			b.app.fail("%s, %v", fileName(b.list), e)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %s", fileName(b.list), jsonl.Message("", err))
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
			b.progress.sites.Add(n)
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
	b.progress.sites.Add(c.Targets)
	b.progress.urls.Add(c.URLs)
	if c.Failed > 0 {
		b.progress.failed.Add(1)
	}
}

// report reports a damaged part or state, and a task that cannot be done.
func (b *batching) report(t batch.Task, err error) { b.app.diag.printf("%s: %v", t.Domain, err) }

// end notes that the run is over.
func (b *batching) end() error {
	if _, err := b.run.count(b.folder, b.flags.shard); err != nil {
		return err
	}
	b.run.Ended = thisSecond()
	return b.run.save(b.flags.out, b.flags.shard)
}
