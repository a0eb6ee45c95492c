package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/parse"
)

// A handler prints what a walk over targets meets. A file is a document whose
// Sitemap has nothing but its name for a Loc.
type handler interface {
	begin(t target)
	// page is called with each URL that is taken. It may keep nothing of r. An
	// error ends the command.
	page(r *record) error
	problem(s *discover.Sitemap, p sitemap.Problem)
	// document is called when a document has ended.
	document(s *discover.Sitemap, sum *discover.Summary)
	// failure is called with what could not be read of a target beyond documents.
	failure(t target, err error)
	end(t target)
}

// A walker walks the targets of a command.
type walker struct {
	app      *app
	flags    *walkFlags
	file     sitemap.Options // for files; Report is set for each
	client   *discover.Client
	options  discover.Options
	selector *selector
	handler  handler
	progress *progress
	problems tally
	record   record
}

// newWalker returns the walker that the flags describe.
func (a *app) newWalker(cmd *cobra.Command, flags *walkFlags, docs *documentFlags) (*walker, error) {
	w := &walker{app: a, flags: flags}
	var fetcher discover.Fetcher
	var err [5]error
	err[0] = flags.check()
	fetcher, err[1] = flags.fetcher()
	w.options, err[2] = flags.options()
	w.file, err[3] = docs.options(flags.limit)
	w.selector, err[4] = flags.selector(func() {
		a.diag.printf("--unique: more than %s URLs; those that come now are taken though they may have come before", thousands(maxUnique))
	})
	w.client = &discover.Client{Fetcher: fetcher, Concurrency: flags.concurrency}
	w.options.Report = w.report
	w.options.Done = w.done
	return w, usageOf(cmd, err[:]...)
}

// run walks the targets and prints to out. What could not be read is said as it is
// met; the error is one that ends the command.
func (w *walker) run(ctx context.Context, args []target, out *output) error {
	w.progress = w.app.startProgress(w.flags)
	defer w.progress.stop()
	if w.progress != nil && w.app.terminal && isTerminal(w.app.stderr) && out.file == nil {
		defer out.divert(w.progress.bars)()
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	out.failed = cancel
	err := w.targets(inner, args)
	if failed := out.Flush(); err == nil || failed != nil && ctx.Err() == nil {
		err = failed
	}
	return err
}

func (w *walker) targets(ctx context.Context, args []target) error {
	for t, err := range w.app.targets(args, w.flags.from, w.flags.as) {
		if w.selector.done() { // before an interruption
			return errStopped
		}
		if err != nil {
			if ended := w.app.ended(ctx); ended != nil {
				return ended
			}
			w.app.fail("%s", failureText(err))
			continue
		}
		w.handler.begin(t)
		err := w.walk(ctx, t)
		w.handler.end(t)
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) walk(ctx context.Context, t target) error {
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
		r := &w.record
		if u.Sitemap != r.from {
			r.from, r.sitemap = u.Sitemap, redact(u.Sitemap.Loc)
			w.progress.at(r.sitemap)
		}
		r.Entry, r.trust, r.onSite = u.Entry, u.Trust.String(), u.OnSite
		if err := w.page(); err != nil {
			return err
		}
	}
	return nil
}

// page hands on the record if it is taken.
func (w *walker) page() error {
	if !w.selector.take(w.record.Loc) {
		return nil
	}
	w.progress.url()
	if err := w.handler.page(&w.record); err != nil {
		return err
	}
	if w.selector.done() {
		return errStopped
	}
	return nil
}

// failed tells the last error of a walk. That of a document was told before.
func (w *walker) failed(ctx context.Context, t target, err error) error {
	if ended := w.app.ended(ctx); ended != nil {
		return ended
	}
	w.app.failed = true
	var walkErr *discover.WalkError
	if !errors.As(err, &walkErr) {
		w.app.diag.printf("%s%s", targetFailure(t, err), w.flags.targetHint(t, err))
		w.handler.failure(t, err)
		return nil
	}
	for _, err := range walkErr.Errs {
		if errors.Is(err, discover.ErrLimit) {
			w.app.diag.printf("%s: %s%s", t.label(), failureText(err), limitHint(err))
			w.handler.failure(t, err)
		}
	}
	return nil
}

// targetFailure returns why a target was not walked.
func targetFailure(t target, err error) string {
	var none *discover.NoSitemapError
	if !errors.As(err, &none) {
		return t.label() + ": " + failureText(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v; tried:", none.Site, discover.ErrNoSitemap)
	for _, try := range none.Tried {
		fmt.Fprintf(&b, "\n  %s: %s", try.URL, strings.TrimPrefix(failureText(try.Err), try.URL+": "))
	}
	return b.String()
}

func (w *walker) report(s *discover.Sitemap, p sitemap.Problem) {
	w.problems.add(s, p)
	w.handler.problem(s, p)
}

func (w *walker) done(s *discover.Sitemap, sum discover.Summary) {
	w.progress.document(s, &sum)
	if sum.Err != nil {
		w.app.fail("%s%s", documentFailure(s, sum.Err), w.hint(s, sum.Err))
	}
	w.handler.document(s, &sum)
}

// hint says which flag may help with a document that could not be read.
func (w *walker) hint(s *discover.Sitemap, err error) string {
	named := s.Referrer == nil && s.RobotsURL == "" && schemeOf(s.Loc) != ""
	switch {
	case !named:
		return limitHint(err)
	case w.flags.as == "" && errors.Is(err, sitemap.ErrHTML):
		return " (a URL with a path is taken for a sitemap; --as site looks for the sitemaps of its site)"
	}
	return limitHint(err) + w.flags.privateHint(err)
}

// documentFailure returns why a document could not be read, and who refers to it.
func documentFailure(s *discover.Sitemap, err error) string {
	loc := fileName(s.Loc)
	text := loc + ": " + failureTextOf(loc, err)
	if s.Referrer == nil && s.RobotsURL == "" {
		return text
	}
	return text + " (" + strings.TrimSuffix(s.String(), " → "+loc) + ")"
}

// walkFile reads a file. Its URLs are not judged and its children not fetched.
func (w *walker) walkFile(ctx context.Context, t target) error {
	s := &discover.Sitemap{Loc: t.name}
	w.record = record{from: s, sitemap: t.name}
	w.progress.at(fileName(t.name))
	o := w.file
	o.SkipExtensions = w.options.SkipExtensions
	o.Report = func(p sitemap.Problem) { w.report(s, p) }
	children := 0
	sum, err := w.app.readFile(ctx, t.name, &o, func(e *sitemap.Entry) error {
		if e.Kind == sitemap.Sitemap {
			children++
			return nil
		}
		if w.options.LeavesOut(e.LastMod) {
			return nil
		}
		w.record.Entry = *e
		return w.page()
	})
	if err != nil {
		return err
	}
	if children > 0 && !w.flags.quiet {
		w.app.diag.printf("%s lists %s; what a file lists is not fetched, only what a URL does", fileName(t.name), plural(children, "sitemap"))
	}
	w.done(s, sum)
	return nil
}

// readFile reads a file of entries. The error is one that ends the command; why
// the file could not be read is in the summary.
func (a *app) readFile(ctx context.Context, name string, o *sitemap.Options, entry func(*sitemap.Entry) error) (sum discover.Summary, err error) {
	f, err := a.open(name)
	if err != nil {
		sum.Err = err
		return sum, a.ended(ctx)
	}
	defer f.Close()
	counted, problems := *o, map[sitemap.Code]int{}
	counted.Report = func(p sitemap.Problem) {
		problems[p.Code]++
		if o.Report != nil {
			o.Report(p)
		}
	}
	doc, err := parse.NewReader(&interruptible{ctx, f}, &counted)
	if err != nil {
		sum.Err, sum.Problems = err, problems
		return sum, a.ended(ctx)
	}
	for e, err := range doc.Entries() {
		if err != nil {
			sum.Err = err
			break
		}
		if err := entry(&e); err != nil {
			return sum, err
		}
	}
	sum.Summary = doc.Summary()
	return sum, a.ended(ctx)
}

// ended returns why ctx has ended, or is about to since the command was interrupted: a context
// ends a moment before those made of it.
func (a *app) ended(ctx context.Context) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	return ctx.Err()
}

// An interruptible reader fails when ctx ends.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// redact returns a URL without user name and password, also one that is mistyped, and the name
// of a file as it is.
func redact(loc string) string {
	before, _, ok := strings.Cut(loc, "@")
	if !ok {
		return loc
	}
	scheme, _, colon := strings.Cut(before, ":")
	isURL := strings.Contains(before, "://") || strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
	if colon && (isURL || !exists(loc)) {
		return sitemap.Redact(loc)
	}
	return loc
}
