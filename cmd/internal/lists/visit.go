package lists

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
	"github.com/seed-322c453a/sitemap/parse"
)

// run walks the target and writes to v.to, or with --state to the output. An error ends the
// command.
func (v *Visit) run(ctx context.Context) error {
	w := v.Walker
	v.Options.Report = w.Problems.Reporter()
	v.Options.Done, v.Options.Fetched = v.done, v.Fetched
	v.Record.Target = v.Target.Shown()
	if w.Journal != nil {
		v.printed, v.to = w.Journal.printed(v.Record.Target), w.Out
	}
	v.handler = w.Handle(v)
	inner, stop := context.WithCancel(ctx)
	defer stop()
	v.stop = stop
	if limit := w.Flags.SiteTime; limit > 0 {
		inner, stop = context.WithTimeout(inner, limit)
		defer stop()
	}
	err := v.walk(inner)
	if v.broken != nil {
		err = v.broken
	} else if err != nil && ctx.Err() == nil && inner.Err() != nil {
		if w.Journal != nil {
			v.lines = nil // of a document that the next run reads, or another target
			w.Selector.forget(v.taken.urls, v.taken.hashes)
		}
		v.fail(late(w.Flags.SiteTime, "--site-time"), "")
		err = nil
	}
	// When --max-time is over, the results so far are printed.
	isLate := err != nil && v.broken == nil && errors.Is(w.ended(), cli.ErrMaxTime)
	if isLate && v.handler.Failure != nil {
		v.handler.Failure(late(w.Flags.maxTime, "--max-time"))
	}
	if (err == nil || isLate) && v.handler.End != nil {
		v.handler.End()
	}
	err = v.end(err)
	w.Progress.Sites.Add(1)
	if v.cause != nil {
		w.Progress.Failed.Add(1)
		v.noteFailure()
	}
	return err
}

// late is the error of a visit that a flag has bounded.
func late(limit time.Duration, flag string) error {
	return fmt.Errorf("stopped after %v (%s): %w", limit, flag, fetch.ErrTimeout)
}

// Write prints lines of the current document.
func (v *Visit) Write(p []byte) (int, error) {
	v.lines = append(v.lines, p...)
	return len(p), v.writeFull()
}

// writeFull writes the lines if they are many.
func (v *Visit) writeFull() error {
	if len(v.lines) < chunk || v.Journal != nil && len(v.lines) < journalChunk {
		return nil
	}
	return v.flush()
}

// flush writes the lines.
func (v *Visit) flush() error {
	if v.Journal != nil && !v.holds {
		v.Journal.printing.Lock()
		v.holds = true
	}
	if len(v.lines) == 0 {
		return nil
	}
	_, err := v.to.Write(v.lines)
	v.lines = v.lines[:0]
	return err
}

// EndDocument writes the lines of a document, and notes it in the journal before other visits may
// print. If that fails, the walk ends.
func (v *Visit) EndDocument(loc string) {
	err := v.flush()
	if v.Journal != nil {
		err = cmp.Or(err, v.Journal.note(v.Record.Target, loc, &v.taken))
		err = cmp.Or(err, v.release())
	} else if v.OneByOne() {
		err = cmp.Or(err, v.Out.Flush())
	}
	v.abandon(err)
}

// abandon ends the walk, and then the run, if err is not nil.
func (v *Visit) abandon(err error) {
	if err != nil {
		v.broken = cmp.Or(v.broken, err)
		v.stop()
	}
}

// release lets other visits print to the journal's output.
func (v *Visit) release() error {
	defer v.Journal.printing.Unlock()
	v.holds = false
	return v.Out.Flush()
}

// end ends the lines of the target, whose walk ended with err.
func (v *Visit) end(err error) error {
	err = cmp.Or(err, v.flush())
	if v.Journal != nil {
		v.Journal.ended(v.Record.Target, err)
		err = cmp.Or(err, v.release())
	}
	return err
}

// walk walks the target.
func (v *Visit) walk(ctx context.Context) error {
	switch {
	case v.handler.Walk != nil:
		return v.handler.Walk(ctx)
	case v.Target.Kind == target.File && !v.Entries && target.IsDir(v.Target.Name):
		return v.walkFolder(ctx)
	case v.Target.Kind == target.File:
		return v.walkFile(ctx)
	}
	return v.walkSite(ctx, v.Client)
}

// walkFolder walks the site in a folder.
func (v *Visit) walkFolder(ctx context.Context) error {
	f, err := target.OpenFolder(v.Target.Name, "", v.Client.Fetch, &v.Options)
	if err != nil {
		v.fail(err, "")
		return nil
	}
	defer f.Close()
	v.Target = f.Target
	return v.walkSite(ctx, f.Client)
}

// walkSite walks a site or a sitemap.
func (v *Visit) walkSite(ctx context.Context, client *discover.Client) error {
	for u, err := range v.Target.URLs(ctx, client, &v.Options) {
		if err != nil {
			return v.WalkFailed(ctx, err, v.fail)
		}
		if u.Sitemap.Loc == v.printed {
			continue
		}
		r := &v.Record
		if u.Sitemap != v.from {
			v.from, r.Sitemap = u.Sitemap, cli.Redact(u.Sitemap.Loc)
			v.Progress.Loc.Store(r.Sitemap)
		}
		r.Entry, r.Trust, r.OnSite = u.Entry, u.Trust, u.OnSite
		if v.Flags.All {
			r.Change = u.Change
		}
		if err := v.page(); err != nil {
			return err
		}
	}
	return nil
}

// Fetched notes when a sitemap was fetched, and saves doc for --save. For a file, doc is nil.
func (v *Visit) Fetched(s *discover.Sitemap, doc *fetch.Document) {
	if s != nil {
		v.Record.Fetched = time.Now().UTC().Truncate(time.Second)
	}
	if v.Flags.save == "" || doc == nil {
		return
	}
	if err := saveDocument(v.Flags.save, doc); err != nil {
		v.abandon(fmt.Errorf("--save: %w", err))
	}
}

// page prints the record if it is taken.
func (v *Visit) page() error {
	if v.handler.Page == nil {
		return nil
	}
	hash, ok := v.Selector.take(v.Record.Loc)
	switch {
	case !ok && v.Selector.done(): // else the document would count as printed
		return cli.ErrStopped
	case !ok:
		return nil
	}
	if v.Journal != nil {
		v.taken.urls++
		if v.Flags.Unique {
			v.taken.hashes = append(v.taken.hashes, hash)
		}
	}
	v.Progress.URLs.Add(1)
	if err := v.handler.Page(&v.Record); err != nil {
		return err
	}
	if v.Selector.done() {
		return cli.ErrStopped
	}
	return nil
}

// WalkFailed passes the last error of a walk to fail, with a hint. Those of documents were reported
// before.
func (v *Visit) WalkFailed(
	ctx context.Context, err error, fail func(err error, hint string),
) error {
	if ended := v.App.Ended(ctx); ended != nil {
		return ended
	}
	var walkErr *discover.WalkError
	if !errors.As(err, &walkErr) {
		fail(err, cli.PrivateHint(err))
		return nil
	}
	for _, err := range walkErr.Errs {
		if e := (*discover.DocumentError)(nil); !errors.As(err, &e) {
			fail(err, cli.LimitHint(err))
		}
	}
	return nil
}

// fail reports why the target was not walked, or not to its end.
func (v *Visit) fail(err error, hint string) {
	v.NoteCause(v.Target.Label(), err)
	v.App.Fail("%s%s", cli.TargetFailure(v.Target.Label(), err), hint)
	if v.handler.Failure != nil {
		v.handler.Failure(err)
	}
}

// done takes the end of a document. It ends the run if the output cannot be written.
func (v *Visit) done(s *discover.Sitemap, sum discover.Summary) {
	v.Progress.Note(&sum)
	if sum.Err != nil {
		v.NoteCause(cli.FileName(s.Loc), sum.Err)
		v.App.Fail("%s%s", cli.DocumentFailure(s, sum.Err), v.Hint(s, sum.Err))
	}
	if v.handler.Document != nil {
		v.handler.Document(s, &sum)
	}
	v.abandon(v.noteDocument(s, &sum))
	v.EndDocument(s.Loc)
}

// CountEntries counts the pages of a document, for commands that do not print them.
func (v *Visit) CountEntries(sum *discover.Summary) {
	if sum.Format != sitemap.SitemapIndex {
		v.Progress.URLs.Add(sum.Entries)
	}
}

// Hint names the flag that may help with a document that could not be read.
func (v *Visit) Hint(s *discover.Sitemap, err error) string {
	named := s.Referrer == nil && s.RobotsURL == "" && !siteurl.IsBare(s.Loc)
	switch {
	case named && v.Entries:
		return " (parse reads files; see sitemap urls)"
	case named && v.Flags.As == "" && errors.Is(err, sitemap.ErrHTML):
		return " (a URL with a path names a sitemap; --as site finds the sitemaps of its site)"
	case named:
		return cli.LimitHint(err) + cli.PrivateHint(err)
	}
	return cli.LimitHint(err)
}

// walkFile reads a file. Its URLs are not judged and its children not fetched.
func (v *Visit) walkFile(ctx context.Context) error {
	t := v.Target
	s := &discover.Sitemap{Loc: t.Name}
	v.Progress.Loc.Store(t.Name)
	v.Fetched(s, nil)
	v.Record = batch.URL{Target: v.Record.Target, Fetched: v.Record.Fetched}
	if !v.Entries {
		v.Record.Sitemap = t.Name
	}
	o, problems, children := v.File, map[sitemap.Code]int{}, 0
	o.SkipExtensions = v.Options.SkipExtensions
	o.Report = func(p sitemap.Problem) {
		problems[p.Code]++
		v.Options.Report(s, p)
	}
	var doc *parse.Reader
	f, err := v.App.Open(t.Name)
	if err == nil {
		defer f.Close()
		doc, err = parse.NewReader(f, &o)
	}
	sum := discover.Summary{Err: err, Fetched: v.Record.Fetched}
	sum.Problems = problems
	if err == nil {
		for e, err := range doc.Entries() {
			switch {
			case err != nil:
				sum.Err = err
			case e.Kind == sitemap.Sitemap && !v.Entries:
				children++
			case !v.Options.Excludes(e.LastMod):
				v.Record.Entry = e
				if err := v.page(); err != nil {
					return err
				}
			}
		}
		sum.Summary = doc.Summary()
	}
	if ended := v.App.Ended(ctx); ended != nil {
		return ended
	}
	if children > 0 && !v.Flags.Quiet {
		v.App.Log.Printf("%s lists %s, which are not fetched: a file is read alone",
			cli.FileName(t.Name), cli.Plural(children, "sitemap"))
	}
	v.done(s, sum)
	return nil
}

// noteDocument prints a document that has ended to the table of --documents.
func (v *Visit) noteDocument(s *discover.Sitemap, sum *discover.Summary) error {
	if v.documents == nil {
		return nil
	}
	d := batch.NewDocument(v.Record.Target, s, sum, cmp.Or(v.Options.MinTrust, trust.Variant))
	if v.Journal == nil && !v.OneByOne() {
		v.lines = d.AppendTo(v.lines)
		return nil
	}
	return cmp.Or(v.flush(), v.documents.Print(d)) // one visit at a time
}
