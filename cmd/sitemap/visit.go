package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/parse"
)

// A visit is the walk of one target. What it prints of a document stays together.
type visit struct {
	*walker
	target  target
	number  int // in the list, from 1
	options discover.Options
	handler handler
	record  record
	from    *discover.Sitemap // the document of the record
	printed string            // the location of a document to read but not to print, if it is read first
	failed  bool              // something could not be read
	unsaved error             // why a document could not be saved
	stop    func()            // ends the walk

	lines []byte // of the document that is read
	holds bool   // walker.printing: lines go to out at once
}

// maxLines is how much of a document's lines wait for its end. Then they go to the output, and other
// visits wait.
const maxLines = 1 << 20

// visit walks one target. An error ends the command.
func (w *walker) visit(ctx context.Context, t target, number int) error {
	v := &visit{walker: w, target: t, number: number, options: w.options}
	v.options.Report, v.options.Done, v.options.Fetched = v.report, v.done, v.fetched
	v.record.Target = t.shown()
	if w.journal != nil {
		v.printed = w.journal.printed(v.record.Target)
	}
	v.handler = w.handle(v)
	defer w.oneAtATime(t)()
	inner, stop := context.WithCancel(ctx)
	defer stop()
	v.stop = stop
	if limit := w.flags.siteTime; limit > 0 {
		inner, stop = context.WithTimeout(inner, limit)
		defer stop()
	}
	err := v.walk(inner)
	if v.unsaved != nil {
		err = v.unsaved
	} else if err != nil && ctx.Err() == nil && inner.Err() != nil {
		v.fail(fmt.Errorf("stopped after %v (--site-time)", w.flags.siteTime), "")
		err = nil
	}
	if err == nil && v.handler.end != nil {
		v.handler.end()
	}
	if flushErr := v.finish(); err == nil {
		err = flushErr
	}
	w.progress.sites.Add(1)
	if v.failed {
		w.progress.failed.Add(1)
		v.noteFailure()
	}
	return err
}

// oneAtATime waits for the visit of another target on the same host, and returns a function that
// lets the next one begin.
func (w *walker) oneAtATime(t target) func() {
	if t.kind == fileTarget || !w.progress.isList {
		return func() {}
	}
	host, _ := w.hosts.LoadOrStore(hostOf(t.name), new(sync.Mutex))
	mu := host.(*sync.Mutex)
	mu.Lock()
	return mu.Unlock
}

// noteFailure writes the target to the file of --failed, as it was given.
func (v *visit) noteFailure() {
	if v.failures != nil {
		v.printing.Lock()
		defer v.printing.Unlock()
		if _, err := io.WriteString(v.failures, v.target.given+"\n"); err != nil {
			v.app.fail("--failed: %v", err)
		}
	}
}

// Write prints lines of the current document.
func (v *visit) Write(p []byte) (int, error) {
	if !v.holds {
		if v.progress.isList && len(v.lines)+len(p) <= maxLines {
			v.lines = append(v.lines, p...)
			return len(p), nil
		}
		v.hold()
	}
	return v.out.Write(p)
}

// hold begins to write to the output at once.
func (v *visit) hold() {
	v.printing.Lock()
	v.holds = true
	v.out.Write(v.lines)
	v.lines = v.lines[:0]
}

// flush ends the lines of a document: it writes them and calls note before other visits may print.
// The lines of targets that are not next in the list wait, unless they are many or noted.
func (v *visit) flush(note func()) error {
	if !v.holds {
		if v.journal == nil && !v.queue.isNext(v.number) {
			return nil
		}
		v.hold()
	}
	defer v.printing.Unlock()
	v.holds = false
	if v.journal != nil && note != nil {
		note()
	}
	return v.out.Flush()
}

// finish ends the lines of the target, and prints those of targets that have waited for it.
func (v *visit) finish() error {
	if !v.holds {
		v.printing.Lock()
	}
	defer v.printing.Unlock()
	v.holds = false
	for _, lines := range v.queue.end(v.number, v.lines) {
		v.out.Write(lines)
	}
	v.lines = nil
	if v.journal != nil {
		v.journal.ended(v.record.Target)
	}
	return v.out.Flush()
}

// walk walks the target.
func (v *visit) walk(ctx context.Context) error {
	switch {
	case v.handler.walk != nil:
		return v.handler.walk(ctx)
	case v.target.kind == fileTarget:
		return v.walkFile(ctx)
	}
	urls := v.client.URLs(ctx, v.target.name, &v.options)
	if v.target.kind == sitemapTarget {
		urls = v.client.Walk(ctx, []*discover.Sitemap{{Loc: v.target.name}}, &v.options)
	}
	for u, err := range urls {
		if err != nil {
			return v.walkFailed(ctx, err)
		}
		if u.Sitemap.Loc == v.printed {
			continue
		}
		r := &v.record
		if u.Sitemap != v.from {
			v.from, r.Sitemap = u.Sitemap, redact(u.Sitemap.Loc)
			v.progress.loc.Store(r.Sitemap)
		}
		r.Entry, r.Trust, r.OnSite = u.Entry, u.Trust.String(), u.OnSite
		if v.flags.all {
			r.Change = u.Change
		}
		if err := v.page(); err != nil {
			return err
		}
	}
	return nil
}

// fetched records when a sitemap was fetched, and saves doc for --save. For a file, doc is nil.
func (v *visit) fetched(s *discover.Sitemap, doc *fetch.Document) {
	if s != nil {
		v.record.Fetched = time.Now().UTC().Truncate(time.Second)
	}
	if v.flags.save == "" || doc == nil {
		return
	}
	if err := saveDocument(v.flags.save, doc); err != nil {
		v.unsaved = fmt.Errorf("--save: %w", err)
		v.stop()
	}
}

// page prints the record if it is taken.
func (v *visit) page() error {
	if v.handler.page == nil || !v.selector.take(v.record.Loc) {
		return nil
	}
	v.progress.urls.Add(1)
	if err := v.handler.page(&v.record); err != nil {
		return err
	}
	if v.selector.done() {
		return errStopped
	}
	return nil
}

// walkFailed reports the last error of a walk. Those of documents were reported before.
func (v *visit) walkFailed(ctx context.Context, err error) error {
	if ended := v.ended(ctx); ended != nil {
		return ended
	}
	var walkErr *discover.WalkError
	if !errors.As(err, &walkErr) {
		v.fail(err, privateHint(err))
		return nil
	}
	v.noteFailed()
	for _, err := range walkErr.Errs {
		if e := (*discover.DocumentError)(nil); !errors.As(err, &e) {
			v.fail(err, limitHint(err))
		}
	}
	return nil
}

// fail reports why the target was not walked, or not to its end.
func (v *visit) fail(err error, hint string) {
	v.noteFailed()
	v.app.fail("%s%s", targetFailure(v.target.label(), err), hint)
	if v.handler.failure != nil {
		v.handler.failure(err)
	}
}

// noteFailed notes that something could not be read. The exit status will be 1.
func (v *visit) noteFailed() {
	v.failed = true
	v.app.failed.Store(true)
}

// report takes a problem of a document.
func (v *visit) report(s *discover.Sitemap, p sitemap.Problem) {
	v.problems.add(s, p)
	if v.handler.problem != nil {
		v.handler.problem(s, p)
	}
}

// done takes the end of a document. It ends the run if the output cannot be written.
func (v *visit) done(s *discover.Sitemap, sum discover.Summary) {
	v.progress.note(&sum)
	if sum.Skipped != discover.SkippedResume {
		v.printed = ""
	}
	if sum.Err != nil {
		v.noteFailed()
		v.app.fail("%s%s", documentFailure(s, sum.Err), v.hint(s, sum.Err))
	}
	if v.handler.document != nil {
		v.handler.document(s, &sum)
	}
	if v.flush(func() { v.journal.note(v.record.Target, s.Loc) }) != nil {
		v.cancel()
	}
}

// countEntries counts the pages of a document, for commands that do not print them.
func (v *visit) countEntries(sum *discover.Summary) {
	if sum.Format != sitemap.SitemapIndex {
		v.progress.urls.Add(sum.Entries)
	}
}

// hint names the flag that may help with a document that could not be read.
func (v *visit) hint(s *discover.Sitemap, err error) string {
	named := s.Referrer == nil && s.RobotsURL == "" && schemeOf(s.Loc) != ""
	switch {
	case named && v.entries:
		return " (parse reads files; see sitemap urls)"
	case named && v.flags.as == "" && errors.Is(err, sitemap.ErrHTML):
		return " (a URL with a path names a sitemap; --as site finds the sitemaps of its site)"
	case named:
		return limitHint(err) + privateHint(err)
	}
	return limitHint(err)
}

// walkFile reads a file. Its URLs are not judged and its children not fetched.
func (v *visit) walkFile(ctx context.Context) error {
	t := v.target
	s := &discover.Sitemap{Loc: t.name}
	v.progress.loc.Store(t.name)
	v.fetched(s, nil)
	v.record = record{Target: v.record.Target, Fetched: v.record.Fetched}
	if !v.entries {
		v.record.Sitemap = t.name
	}
	children := 0
	sum, err := v.readFile(s, func(e *sitemap.Entry) error {
		switch {
		case e.Kind == sitemap.Sitemap && !v.entries:
			children++
			return nil
		case v.options.Excludes(e.LastMod):
			return nil
		}
		v.record.Entry = *e
		return v.page()
	})
	if err = cmp.Or(err, v.ended(ctx)); err != nil {
		return err
	}
	if children > 0 && !v.flags.quiet {
		v.app.diag.printf("%s lists %s, which are not fetched: a file is read alone",
			fileName(t.name), plural(children, "sitemap"))
	}
	v.done(s, sum)
	return nil
}

// readFile reads the entries of a file. Its error is one of entry; that of the file is in the
// summary.
func (v *visit) readFile(
	s *discover.Sitemap, entry func(*sitemap.Entry) error,
) (sum discover.Summary, err error) {
	f, err := v.app.open(s.Loc)
	if err != nil {
		sum.Err = err
		return sum, nil
	}
	defer f.Close()
	o, problems := v.file, map[sitemap.Code]int{}
	o.SkipExtensions = v.options.SkipExtensions
	o.Report = func(p sitemap.Problem) {
		problems[p.Code]++
		v.report(s, p)
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
