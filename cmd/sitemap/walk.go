package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A handler prints what the visit of one target meets. A file is a document whose Sitemap has only
// a Loc, its name. Functions that are nil are not called.
type handler struct {
	page     func(r *record) error // with each URL that is taken; r must not be kept
	problem  func(s *discover.Sitemap, p sitemap.Problem)
	document func(s *discover.Sitemap, sum *discover.Summary) // when a document has ended
	failure  func(err error)                                  // of the target as a whole
	end      func()
	walk     func(ctx context.Context) error // walks the target otherwise
}

// A walker walks the targets of a command, several at once.
type walker struct {
	app      *app
	flags    *walkFlags
	file     sitemap.Options // of files; Report is set for each
	entries  bool            // print all entries of files, also the sitemaps that they list
	client   *discover.Client
	options  discover.Options
	selector *selector
	handle   func(v *visit) handler
	progress progress
	problems tally
	failures io.Writer // takes targets that failed, or nil
	cancel   context.CancelFunc
	hosts    sync.Map // of targets: a *sync.Mutex each

	printing sync.Mutex // held by the visit that writes to out
	out      *output
	journal  *journal // nil without --state
	queue    queue
}

// newWalker returns the walker that the flags describe.
func (a *app) newWalker(
	cmd *cobra.Command, flags *walkFlags, docs *documentFlags,
) (*walker, error) {
	w := &walker{app: a, flags: flags, selector: &selector{max: flags.maxURLs}}
	client, clientErr := flags.client()
	if client != nil {
		client.MaxBytes, client.Transport = flags.limit.bytes, a.transport
		if client.Limiter == nil && flags.parallel > 8 {
			client.Limiter = &fetch.HostLimiter{Total: 2 * flags.parallel}
		}
	}
	w.client = &discover.Client{Fetch: client, Concurrency: flags.concurrency}
	var optionsErr, fileErr, matchErr error
	w.options, optionsErr = flags.options()
	w.file, fileErr = docs.options(flags.limit)
	w.selector.match, matchErr = compile("match", flags.match)
	var excludeErr error
	w.selector.not, excludeErr = compile("exclude", flags.exclude)
	if flags.unique {
		w.selector.seen = &urlSet{hashes: map[uint64]bool{}, full: func() {
			a.diag.printf("--unique: more than %s URLs; further ones may be printed again",
				thousands(maxUnique))
		}}
	}
	return w, usageOf(cmd, flags.check(), clientErr, optionsErr, fileErr, matchErr,
		excludeErr)
}

// printLines walks for a command that prints text or jsonl, with the handlers that handle returns.
func (a *app) printLines(
	cmd *cobra.Command, args []string, flags *walkFlags, docs *documentFlags,
	handle func(*visit) handler,
) error {
	targets, err := parseTargets(args, flags.from, flags.as)
	suffixErr := flags.resolve(cmd, "text", "jsonl")
	if err := usageOf(cmd, suffixErr, flags.textOrJSONL(), err); err != nil {
		return err
	}
	w, err := a.newWalker(cmd, flags, docs)
	if err != nil {
		return err
	}
	if w.out, err = a.create(flags.out); err != nil {
		return err
	}
	w.handle = handle
	return a.finish(w.out, w.run(cmd.Context(), targets))
}

// print walks the targets, prints the URLs, and reports at the end what else it met.
func (w *walker) print(ctx context.Context, targets []target, f format) error {
	w.handle = func(v *visit) handler {
		var line []byte
		return handler{page: func(r *record) error {
			line = f.append(line[:0], r)
			_, err := v.Write(line)
			return err
		}}
	}
	return w.walkAll(ctx, targets)
}

// printParquet is print for a Parquet file.
func (w *walker) printParquet(ctx context.Context, targets []target) error {
	p, err := newParquet(w.out, w.flags.fields)
	if err != nil {
		return err
	}
	w.handle = func(v *visit) handler {
		var rows []parquetRow
		var failed error
		write := func() {
			if !v.holds {
				v.hold()
			}
			failed = cmp.Or(failed, p.write(rows))
			rows = rows[:0]
		}
		return handler{
			page: func(r *record) error {
				if rows = append(rows, rowOf(r)); v.holds || len(rows) >= 1_000 {
					write()
				}
				return failed
			},
			document: func(*discover.Sitemap, *discover.Summary) { write() },
			end:      write,
		}
	}
	err = w.walkAll(ctx, targets)
	return cmp.Or(err, p.w.Close())
}

// walkAll runs a walker that prints URLs, and reports at the end what else it met.
func (w *walker) walkAll(ctx context.Context, targets []target) error {
	err := w.run(ctx, targets)
	if err != nil || w.flags.quiet {
		return err
	}
	w.problems.print(w.app.diag)
	if n := w.selector.again; n > 0 {
		w.app.diag.printf("--unique: %s left out that came before", plural(n, "URL"))
	}
	return nil
}

// run walks the targets and prints to w.out. It reports what could not be read as it meets it; an
// error ends the command.
func (w *walker) run(ctx context.Context, args []target) error {
	w.progress.begin(args, w.flags.from)
	defer w.app.show(&w.progress, w.flags.progress, w.flags.quiet, w.out.file == nil)()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	w.cancel = cancel
	if w.flags.maxTime > 0 {
		var stop context.CancelFunc
		inner, stop = context.WithTimeoutCause(inner, w.flags.maxTime, errMaxTime)
		defer stop()
	}
	if w.flags.failed != "" {
		f, err := os.OpenFile(w.flags.failed, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		w.failures = f
	}
	err := w.targets(inner, args)
	if flushErr := w.out.Flush(); flushErr != nil && ctx.Err() == nil {
		err = flushErr
	}
	if w.progress.isList && !w.flags.quiet {
		w.app.diag.line("sitemap: " + w.progress.totals())
	}
	return err
}

// targets visits all targets, --parallel of them at once.
func (w *walker) targets(ctx context.Context, args []target) error {
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
		slots = make(chan struct{}, max(1, w.flags.parallel))

		number int // of the target, from 1
	)
	fail := func(err error) { once.Do(func() { first = err; w.cancel() }) }
	for t, err := range w.app.targets(args, w.flags.from, w.flags.as) {
		if err == nil && t.kind == fileTarget && w.journal != nil {
			err = fmt.Errorf("--state: %s: want sites and URLs of sitemaps, not files", t.label())
		}
		if w.selector.done() {
			fail(errStopped)
		}
		slots <- struct{}{} // the visits under way end when ctx does
		if ctx.Err() != nil {
			<-slots
			break
		}
		if err != nil {
			w.app.fail("%s", jsonl.Message("", err))
			w.progress.failed.Add(1)
			<-slots
			continue
		}
		number++
		n := number
		visit := func() {
			defer func() { <-slots }()
			if err := w.visit(ctx, t, n); err != nil {
				fail(err)
			}
		}
		if cap(slots) == 1 || !w.progress.isList {
			visit()
		} else {
			wg.Go(visit)
		}
	}
	wg.Wait()
	if first == nil || errors.Is(context.Cause(ctx), errMaxTime) {
		first = w.ended(ctx)
	}
	return first
}

// errMaxTime ends a run whose time is over. What it has printed stands.
var errMaxTime = errors.New("stopped after --max-time; what was read is printed")

// ended returns why the run ends, or nil.
func (w *walker) ended(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errMaxTime) && w.app.ctx.Err() == nil {
		return errMaxTime
	}
	return w.app.ended(ctx)
}
