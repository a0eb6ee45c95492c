package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/parse"
)

// A handler prints what a walk meets. A file is a document whose Sitemap has only a Loc, its name.
// Functions that are nil are not called.
type handler struct {
	page     func(r *record) error // with each URL that is taken; r must not be kept
	problem  func(s *discover.Sitemap, p sitemap.Problem)
	document func(s *discover.Sitemap, sum *discover.Summary) // when a document has ended
	failure  func(t target, err error)                        // of a whole target
	end      func(t target)
	target   func(ctx context.Context, t target) error // walks a target otherwise
}

// A walker walks the targets of a command.
type walker struct {
	app      *app
	flags    *walkFlags
	file     sitemap.Options // of files; Report is set for each
	entries  bool            // print all entries of files, also the sitemaps that they list
	client   *discover.Client
	options  discover.Options
	selector *selector
	handler  handler
	out      *output
	progress progress
	problems tally
	record   record
	printed  string // the location of a document to read but not to print, if it is read first
	cancel   context.CancelFunc
}

// newWalker returns the walker that the flags describe.
func (a *app) newWalker(
	cmd *cobra.Command, flags *walkFlags, docs *documentFlags,
) (*walker, error) {
	w := &walker{app: a, flags: flags, selector: &selector{max: flags.maxURLs}}
	client, clientErr := flags.client()
	if client != nil {
		client.MaxBytes, client.Transport = flags.limit.bytes, a.transport
	}
	w.client = &discover.Client{Fetch: client, Concurrency: flags.concurrency}
	var optionsErr, fileErr, matchErr error
	w.options, optionsErr = flags.options()
	w.options.Report, w.options.Done = w.report, w.done
	w.file, fileErr = docs.options(flags.limit)
	w.selector.match, matchErr = compile("match", flags.match)
	if flags.unique {
		w.selector.seen = &urlSet{hashes: map[uint64]bool{}, full: func() {
			a.diag.printf("--unique: more than %s URLs; further ones may be printed again",
				thousands(maxUnique))
		}}
	}
	return w, usageOf(cmd, flags.check(), clientErr, optionsErr, fileErr, matchErr)
}

// printLines walks for a command that prints text or jsonl, with the handler that handle sets.
func (a *app) printLines(
	cmd *cobra.Command, args []string, flags *walkFlags, docs *documentFlags, handle func(*walker),
) error {
	targets, err := parseTargets(args, flags.from, flags.as)
	if err := usageOf(cmd, flags.textOrJSONL(), err); err != nil {
		return err
	}
	w, err := a.newWalker(cmd, flags, docs)
	if err != nil {
		return err
	}
	if w.out, err = a.create(flags.out); err != nil {
		return err
	}
	handle(w)
	return a.finish(w.out, w.run(cmd.Context(), targets))
}

// print walks the targets, prints the URLs, and reports at the end what else it met.
func (w *walker) print(ctx context.Context, targets []target, f format) error {
	var line []byte
	w.handler.page = func(r *record) error {
		line = f.append(line[:0], r)
		_, err := w.out.Write(line)
		return err
	}
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
	defer w.app.show(&w.progress, w.flags.progress, w.flags.quiet, w.out)()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	w.cancel = cancel
	err := w.targets(inner, args)
	if flushErr := w.out.Flush(); flushErr != nil && ctx.Err() == nil {
		err = flushErr
	}
	return err
}

func (w *walker) targets(ctx context.Context, args []target) error {
	for t, err := range w.app.targets(args, w.flags.from, w.flags.as) {
		if err == nil && t.kind == fileTarget && w.flags.state != "" && w.handler.target == nil {
			err = fmt.Errorf("--state: %s: want sites and URLs of sitemaps, not files", t.label())
		}
		if w.selector.done() {
			return errStopped
		}
		if ended := w.app.ended(ctx); ended != nil {
			return ended
		}
		if err != nil {
			w.app.fail("%s", failureText("", err))
			continue
		}
		if err := w.walk(ctx, t); err != nil {
			return err
		}
		if w.handler.end != nil {
			w.handler.end(t)
		}
	}
	return nil
}

// walk walks one target.
func (w *walker) walk(ctx context.Context, t target) error {
	if w.handler.target != nil {
		return w.handler.target(ctx, t)
	}
	if t.kind == fileTarget {
		return w.walkFile(ctx, t)
	}
	urls := w.client.URLs(ctx, t.name, &w.options)
	if t.kind == sitemapTarget {
		urls = w.client.Walk(ctx, []*discover.Sitemap{{Loc: t.name}}, &w.options)
	}
	for u, err := range urls {
		if err != nil {
			return w.failed(ctx, t, err)
		}
		if u.Sitemap.Loc == w.printed {
			continue
		}
		r := &w.record
		if u.Sitemap != r.from {
			r.from, r.sitemap = u.Sitemap, redact(u.Sitemap.Loc)
			w.progress.loc.Store(r.sitemap)
		}
		r.Entry, r.trust, r.onSite = u.Entry, u.Trust.String(), u.OnSite
		if err := w.page(); err != nil {
			return err
		}
	}
	return nil
}

// page prints the record if it is taken.
func (w *walker) page() error {
	if w.handler.page == nil || !w.selector.take(w.record.Loc) {
		return nil
	}
	w.progress.urls.Add(1)
	if err := w.handler.page(&w.record); err != nil {
		return err
	}
	if w.selector.done() {
		return errStopped
	}
	return nil
}

// failed reports the last error of a walk. Those of documents were reported before.
func (w *walker) failed(ctx context.Context, t target, err error) error {
	if ended := w.app.ended(ctx); ended != nil {
		return ended
	}
	var walkErr *discover.WalkError
	if !errors.As(err, &walkErr) {
		w.targetFailed(t, targetFailure(t.label(), err)+privateHint(err), err)
		return nil
	}
	w.app.failed = true
	for _, err := range walkErr.Errs {
		if e := (*discover.DocumentError)(nil); !errors.As(err, &e) {
			w.targetFailed(t, targetFailure(t.label(), err)+limitHint(err), err)
		}
	}
	return nil
}

func (w *walker) targetFailed(t target, message string, err error) {
	w.app.fail("%s", message)
	if w.handler.failure != nil {
		w.handler.failure(t, err)
	}
}

// report takes a problem of a document.
func (w *walker) report(s *discover.Sitemap, p sitemap.Problem) {
	w.problems.add(s, p)
	if w.handler.problem != nil {
		w.handler.problem(s, p)
	}
}

// done takes the end of a document. It ends the walk if the output cannot be written.
func (w *walker) done(s *discover.Sitemap, sum discover.Summary) {
	w.progress.ended.Add(1)
	w.progress.queued.Store(int64(sum.Queued))
	w.progress.bytes.Add(sum.Received)
	if sum.Skipped != discover.SkippedResume {
		w.printed = ""
	}
	if sum.Err != nil {
		w.app.fail("%s%s", documentFailure(s, sum.Err), w.hint(s, sum.Err))
	}
	if w.handler.document != nil {
		w.handler.document(s, &sum)
	}
	if w.out.Flush() != nil {
		w.cancel()
	}
}

// hint names the flag that may help with a document that could not be read.
func (w *walker) hint(s *discover.Sitemap, err error) string {
	named := s.Referrer == nil && s.RobotsURL == "" && schemeOf(s.Loc) != ""
	switch {
	case named && w.entries:
		return " (parse reads files; see sitemap urls)"
	case named && w.flags.as == "" && errors.Is(err, sitemap.ErrHTML):
		return " (a URL with a path names a sitemap; --as site finds the sitemaps of its site)"
	case named:
		return limitHint(err) + privateHint(err)
	}
	return limitHint(err)
}

// walkFile reads a file. Its URLs are not judged and its children not fetched.
func (w *walker) walkFile(ctx context.Context, t target) error {
	s := &discover.Sitemap{Loc: t.name}
	w.progress.loc.Store(t.name)
	w.record = record{from: s}
	if !w.entries {
		w.record.sitemap = t.name
	}
	children := 0
	sum, err := w.readFile(s, func(e *sitemap.Entry) error {
		switch {
		case e.Kind == sitemap.Sitemap && !w.entries:
			children++
			return nil
		case w.options.Excludes(e.LastMod):
			return nil
		}
		w.record.Entry = *e
		return w.page()
	})
	if err = cmp.Or(err, w.app.ended(ctx)); err != nil {
		return err
	}
	if children > 0 && !w.flags.quiet {
		w.app.diag.printf("%s lists %s, which are not fetched: a file is read alone",
			fileName(t.name), plural(children, "sitemap"))
	}
	w.done(s, sum)
	return nil
}

// readFile reads the entries of a file. Its error is one of entry; that of the file is in the
// summary.
func (w *walker) readFile(
	s *discover.Sitemap, entry func(*sitemap.Entry) error,
) (sum discover.Summary, err error) {
	f, err := w.app.open(s.Loc)
	if err != nil {
		sum.Err = err
		return sum, nil
	}
	defer f.Close()
	o, problems := w.file, map[sitemap.Code]int{}
	o.SkipExtensions = w.options.SkipExtensions
	o.Report = func(p sitemap.Problem) {
		problems[p.Code]++
		w.report(s, p)
	}
	doc, err := parse.NewReader(f, &o)
	if err != nil {
		sum.Err, sum.Problems = err, problems
		return sum, nil
	}
	for e, err := range doc.Entries() {
		if err != nil {
			sum.Err = err
		} else if err := entry(&e); err != nil {
			return sum, err
		}
	}
	sum.Summary = doc.Summary()
	return sum, nil
}
