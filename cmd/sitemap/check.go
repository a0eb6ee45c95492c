package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/sitemap/findings"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

func (a *app) checkCommand() *cobra.Command {
	flags := &checkFlags{}
	cmd := document(&cobra.Command{
		Use: "check [flags] TARGET...",
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.rules || flags.explain != "" {
				return a.printRules(cmd, args, flags)
			}
			return a.check(cmd, args, flags)
		},
	})
	flags.add(cmd)
	return cmd
}

// A checker audits the targets of a command.
type checker struct {
	*walker
	flags   *checkFlags
	options audit.Options
	filter  filter
	printer findings.Printer // used by the visit that holds walker.printing
	totals  findings.Totals  // as well
	// untrusted, if set, takes the pages that sitemaps may not list
	untrusted func(loc string)
	hidden    atomic.Int64 // findings that were not asked for
}

func (a *app) check(cmd *cobra.Command, args []string, flags *checkFlags) error {
	targets, err := parseTargets(args, flags.from, flags.as)
	c := &checker{flags: flags}
	var filterErr error
	c.filter, filterErr = flags.filter()
	suffixErr := flags.resolve(cmd, findings.Formats...)
	if err := usageOf(cmd, suffixErr, filterErr, err, flags.checkRoot(targets)); err != nil {
		return err
	}
	if c.walker, err = a.newWalker(cmd, &flags.walkFlags, &flags.documentFlags); err != nil {
		return err
	}
	text := flags.format == "text"
	c.options = audit.Options{
		Agent: flags.agent, Pages: flags.pages.n, Excerpts: text || flags.format == "sarif",
		Limits: flags.limit.document(), Walk: c.walker.options,
		Only: codesOf(c.filter.only), Disable: codesOf(c.filter.disabled),
	}
	o := findings.Options{
		All: flags.all, Verbose: flags.verbose, FailOn: c.filter.failOn, NeverBad: c.filter.never,
		Color: a.hasColor() && flags.out == "",
	}
	if _, err := findings.New(flags.format, io.Discard, o); err != nil {
		return misuse(cmd, err)
	}
	if flags.state != "" {
		store, err := state.Open(flags.state)
		if err != nil {
			return err
		}
		defer store.Close()
		c.options.Store = store
	}
	a.judges = true
	if c.out, err = a.create(flags.out); err != nil {
		return err
	}
	c.printer, _ = findings.New(flags.format, c.out, o)
	return a.finish(c.out, c.audit(cmd.Context(), targets))
}

// audit audits the targets and ends the printer.
func (c *checker) audit(ctx context.Context, targets []target) error {
	c.handle = func(v *visit) handler {
		x := &auditing{visit: v, c: c}
		return handler{walk: x.walk, end: x.print}
	}
	err := cmp.Or(c.run(ctx, targets), c.printer.End(c.totals))
	if n := c.hidden.Load(); n > 0 && c.flags.format == "text" {
		fmt.Fprintf(c.out, "%s not shown: --all shows them\n", plural(int(n), "habit"))
	}
	return err
}

// hasColor reports whether standard output is a terminal that shows colours.
func (a *app) hasColor() bool {
	return isTerminal(a.out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// An auditing is the audit of one target.
type auditing struct {
	*visit
	c       *checker
	pending []audit.Finding // that are not printed yet
	found   int             // in the document that is audited
	dir     string          // the folder that is audited, or ""
	host    string          // whose it is
}

// maxPending is how many findings wait for the end of their document. Then they are printed, and
// other visits wait.
const maxPending = 10_000

// walk audits the target.
func (x *auditing) walk(ctx context.Context) error {
	t := x.target
	switch {
	case t.kind == fileTarget && isDir(t.name):
		return x.folder(ctx, t.name, "")
	case t.kind == fileTarget:
		return x.file(ctx)
	case x.c.flags.root != "":
		return x.folder(ctx, x.c.flags.root, t.name)
	}
	return x.site(ctx, t, x.client, x.c.options)
}

// site audits a site or a sitemap.
func (x *auditing) site(
	ctx context.Context, t target, client *discover.Client, o audit.Options,
) error {
	o.Walk.Done, o.Walk.Fetched, o.Walk.Report = x.done, x.fetched, nil
	if untrusted := x.c.untrusted; untrusted != nil {
		o.Walk.Report = func(_ *discover.Sitemap, p sitemap.Problem) {
			if p.Code == sitemap.UntrustedLoc {
				untrusted(p.Text)
			}
		}
	}
	found := audit.Site(ctx, client, t.name, &o)
	if t.kind == sitemapTarget {
		found = audit.Sitemaps(ctx, client, []*discover.Sitemap{{Loc: t.name}}, &o)
	}
	for f, err := range found {
		if err != nil {
			return x.walkFailed(ctx, err)
		}
		x.finding(&f)
	}
	return x.ended(ctx)
}

// finding keeps a finding that is wanted.
func (x *auditing) finding(f *audit.Finding) {
	if !x.c.filter.wants(f.Code) || x.c.filter.baseline.Has(f) {
		return
	}
	if isHabit(f.Code) && !x.c.flags.all && x.c.filter.only == nil {
		x.c.hidden.Add(1)
		return
	}
	x.found++
	if x.c.filter.fails(f.Severity) {
		x.app.failed.Store(true)
	}
	f.Sitemap = x.shownName(f.Sitemap)
	x.pending = append(x.pending, *f)
	if x.holds || len(x.pending) > maxPending || !x.progress.isList {
		x.print()
	}
}

// isHabit reports whether a finding describes a site rather than a defect. It is shown if asked for.
func isHabit(code sitemap.Code) bool {
	return code == audit.LastmodCoverage || code == audit.PriorityAllEqual
}

// print prints the findings that are kept. Other visits wait until the next flush.
func (x *auditing) print() {
	if !x.holds {
		x.hold()
	}
	for i := range x.pending {
		f := &x.pending[i]
		x.c.totals.Count(f.Severity)
		x.c.printer.Finding(f, x.record.Target)
	}
	x.pending = x.pending[:0]
}

// done takes the end of a document of a walk.
func (x *auditing) done(s *discover.Sitemap, sum discover.Summary) {
	x.progress.note(&sum)
	x.progress.loc.Store(s.Loc)
	x.document(redact(s.Loc), &sum, x.hint(s, sum.Err), true)
}

// walkFailed reports the last error of a walk. Those of documents were reported before.
func (x *auditing) walkFailed(ctx context.Context, err error) error {
	if ended := x.ended(ctx); ended != nil {
		return ended
	}
	var walkErr *discover.WalkError
	if !errors.As(err, &walkErr) {
		x.targetFailed(err, privateHint(err))
		return nil
	}
	for _, err := range walkErr.Errs {
		if e := (*discover.DocumentError)(nil); !errors.As(err, &e) {
			x.targetFailed(err, limitHint(err))
		}
	}
	return nil
}

// targetFailed prints a target that could not be audited.
func (x *auditing) targetFailed(err error, hint string) {
	x.document(x.target.label(), &discover.Summary{Err: err}, hint, false)
}

// file audits a file.
func (x *auditing) file(ctx context.Context) error {
	name := x.target.name
	open, closeFile, err := x.opener(name)
	var sum discover.Summary
	if err == nil {
		defer closeFile()
		x.progress.loc.Store(name)
		src := audit.Source{
			Name: redact(name), Open: open, Base: x.walker.file.Base,
			ContentType: x.walker.file.ContentType,
			Done:        func(s sitemap.Summary) { sum.Summary = s },
		}
		for f, docErr := range audit.Document(src, &x.c.options) {
			if docErr != nil {
				err = docErr
				break
			}
			x.finding(&f)
		}
		x.pages(open)
	}
	if ended := x.ended(ctx); ended != nil {
		return ended
	}
	sum.Err = err
	x.progress.note(&sum)
	x.document(redact(name), &sum, limitHint(err), true)
	return nil
}

// opener returns a function that opens a file as often as it is called. Standard input and pipes are
// copied to a temporary file first.
func (x *auditing) opener(
	name string,
) (open func() (io.ReadCloser, error), closeFile func(), err error) {
	if info, err := os.Stat(name); name != stdin && (err != nil || info.Mode().IsRegular()) {
		return func() (io.ReadCloser, error) { return x.app.open(name) }, func() {}, nil
	}
	in, err := x.app.open(name)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	f, err := os.CreateTemp("", "sitemap-*")
	if err != nil {
		return nil, nil, err
	}
	remove := func() {
		f.Close()
		os.Remove(f.Name())
	}
	os.Remove(f.Name()) // which some systems allow only once it is closed
	limit := x.flags.limit.bytes
	if limit <= 0 {
		limit = 10 * sitemap.ProtocolBytes
	}
	size, err := io.Copy(f, io.LimitReader(in, limit+1))
	if err != nil {
		remove()
		return nil, nil, err
	}
	open = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(f, 0, size)), nil }
	return open, remove, nil
}

// A documentLine is a document as "check --format jsonl" prints it.
type documentLine struct {
	Type     string       `json:"type"`
	Sitemap  string       `json:"sitemap"`
	Format   string       `json:"format,omitempty"`
	Encoding string       `json:"encoding,omitempty"`
	Entries  int64        `json:"entries"`
	Problems int          `json:"problems"`
	Skipped  string       `json:"skipped,omitempty"`
	Target   string       `json:"target"`
	Status   int          `json:"status,omitempty"`
	Failed   bool         `json:"failed,omitempty"` // nothing of it could be read
	Error    *jsonl.Error `json:"error,omitempty"`
}

// document prints a document, or with isDocument unset a target that could not be audited.
func (x *auditing) document(name string, sum *discover.Summary, hint string, isDocument bool) {
	d := &documentLine{
		Type: "document", Sitemap: name, Format: sum.Format.String(), Encoding: sum.Encoding,
		Entries: sum.Entries, Problems: x.found, Skipped: skipped(sum), Target: x.record.Target,
		Status: sum.Status, Error: jsonl.ErrorOf(name, sum.Err),
	}
	d.Failed = sum.Err != nil && d.Format == "" && d.Entries == 0 &&
		!errors.Is(sum.Err, discover.ErrLimit)
	line := &findings.Document{
		Name: fileName(x.shownName(name)), Text: d.text(sum), JSON: append(jsonl.Marshal(d), '\n'),
	}
	x.found = 0
	x.print()
	t := &x.c.totals
	if isDocument {
		line.Summary = sum
		t.Documents++
		if sum.Format != sitemap.SitemapIndex {
			t.URLs += sum.Entries
		}
		x.countEntries(sum)
	}
	if d.Error != nil {
		x.visit.failed = true
		line.Code, line.Message = d.Error.Code, d.Error.Message+hint
		line.Known = x.c.isKnown(sum.Err)
		if f := x.c.flags.format; f != "text" && f != "github" { // which programs read
			x.app.diag.printf("%s: %s", line.Name, line.Message)
		}
		if !line.Known {
			t.Errors++
			if x.c.filter.fails(sitemap.SeverityError) {
				x.app.failed.Store(true)
			}
		}
	}
	x.c.printer.Document(line)
	if x.flush(nil) != nil {
		x.cancel()
	}
}

// isKnown reports whether a finding says that a document could not be read, or whether nobody wants
// to know. --only leaves such errors alone: what was not read was not judged.
func (c *checker) isKnown(err error) bool {
	if c.filter.disabled[audit.CodeOf(err)] {
		return true
	}
	if errors.Is(err, discover.ErrNoSitemap) {
		code := audit.CodeOf(err)
		return c.filter.wants(code) || c.filter.disabled[code]
	}
	var fe *fetch.Error
	if !errors.As(err, &fe) || errors.Is(err, discover.ErrUnreachable) {
		return false
	}
	code := sitemap.Code("sitemap_unreachable")
	switch {
	case errors.Is(err, fetch.ErrTimeout), errors.Is(err, fetch.ErrHostDown):
		code = "sitemap_timeout"
	case errors.Is(err, fetch.ErrStatus):
		code = "sitemap_status"
	}
	return c.filter.wants(code) || c.filter.disabled[code]
}

// text returns the line of a document, after its name.
func (d *documentLine) text(sum *discover.Summary) string {
	switch {
	case d.Skipped != "":
		return "left out (" + d.Skipped + ")"
	case d.Format == "":
		return plural(d.Problems, "finding")
	}
	return strings.Join(
		[]string{d.Format, d.Encoding, listed(sum), plural(d.Problems, "finding")},
		", ",
	)
}
