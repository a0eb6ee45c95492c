package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// Audit audits the targets and ends the printer.
func (c *Checker) Audit(ctx context.Context) error {
	c.Handle = func(v *lists.Visit) lists.Handler {
		return lists.Handler{Walk: (&targetAudit{Visit: v, c: c}).walk}
	}
	c.Read = c.read
	if err := c.openTable(); err != nil {
		return err
	}
	runErr, endErr := c.Run(ctx, c.Targets), c.Printer.End(c.totals)
	err := cmp.Or(runErr, endErr)
	if c.table != nil {
		err = c.table.Finish(err)
	}
	isText := c.flags.Format == "text"
	if n := c.totals.Judged; n != nil {
		judged := fmt.Sprintf("%d of %s judged", *n, cli.Plural(c.totals.URLs, "page"))
		if isText {
			fmt.Fprintln(c.Out, judged)
		} else {
			c.App.Log.Printf("%s", judged)
		}
	}
	if n := c.hidden.Load(); n > 0 && isText {
		fmt.Fprintf(c.Out, "%s of lastmod_coverage or priority_all_equal not shown: --all shows them\n",
			cli.Plural(n, "finding"))
	}
	return err
}

// walk audits the target.
func (x *targetAudit) walk(ctx context.Context) error {
	t := x.Target
	switch {
	case t.Kind == target.File && target.IsDir(t.Name):
		return x.folder(ctx, t.Name, "")
	case t.Kind == target.File:
		return x.file(ctx)
	case x.c.flags.root != "":
		return x.folder(ctx, x.c.flags.root, t.Name)
	}
	return x.site(ctx, t, x.Client, x.c.Options)
}

const rootHint = " (name the site: --root DIR URL)"

// folder audits the site in a folder. Without a URL, files in the folder name the site.
func (x *targetAudit) folder(ctx context.Context, dir, at string) error {
	o := x.c.Options
	f, err := target.OpenFolder(dir, at, x.Client.Fetch, &o.Walk)
	if relative := (*target.RelativeError)(nil); errors.As(err, &relative) {
		x.App.Log.Printf("%s: %v%s", dir, err, rootHint)
		x.Target.Name = filepath.Join(dir, relative.Sitemap)
		return x.file(ctx)
	}
	if errors.Is(err, target.ErrFolder) {
		x.targetFailed(err, rootHint)
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	o.Files, o.FilesPath = f.Files(), f.Path
	o.Disable = slices.Clip(o.Disable)
	if f.Path != "/" { // the robots.txt of the site is elsewhere
		o.Disable = append(o.Disable, audit.NotInRobots)
	}
	if at != "" { // the caller says that the site is there
		o.Disable = append(o.Disable, audit.LocalHost)
	}
	if format := x.c.flags.Format; format == "github" || format == "sarif" {
		x.dir, x.root = dir, f
	}
	return x.site(ctx, f.Target, f.Client, o)
}

// site audits a site or a sitemap.
func (x *targetAudit) site(
	ctx context.Context, t target.Target, client *discover.Client, o audit.Options,
) error {
	o.Walk.Done, o.Walk.Fetched, o.Judged = x.done, x.Fetched, x.page
	found := audit.Site(ctx, client, t.Name, &o)
	if t.Kind == target.Sitemap {
		found = audit.Sitemaps(ctx, client, []*discover.Sitemap{{Loc: t.Name}}, &o)
	}
	for f, err := range found {
		if err != nil {
			return x.WalkFailed(ctx, err, x.targetFailed)
		}
		x.finding(&f)
	}
	return x.App.Ended(ctx)
}

// done handles the end of a document in a walk.
func (x *targetAudit) done(s *discover.Sitemap, sum discover.Summary) {
	x.Progress.Note(&sum)
	x.Progress.Loc.Store(s.Loc)
	x.document(cli.Redact(s.Loc), &sum, x.Hint(s, sum.Err), true)
}

// file audits a file.
func (x *targetAudit) file(ctx context.Context) error {
	name := x.Target.Name
	x.Progress.Loc.Store(name)
	var sum discover.Summary
	src := audit.Source{
		Name: cli.Redact(name), Base: x.Walker.File.Base, ContentType: x.Walker.File.ContentType,
		Open: func() (io.ReadCloser, error) { return x.App.Open(name) },
		Done: func(s sitemap.Summary) { sum.Summary = s },
	}
	o := x.c.Options
	o.Judged = x.page
	found := audit.Pages(ctx, x.Client, src, &o)
	if filepath.Base(name) == "robots.txt" {
		found = audit.Robots(src, &o)
	}
	for f, err := range found {
		if sum.Err = err; err == nil {
			x.finding(&f)
		}
	}
	if ended := x.App.Ended(ctx); ended != nil {
		return ended
	}
	x.Progress.Note(&sum)
	x.document(cli.Redact(name), &sum, cli.LimitHint(sum.Err), true)
	return nil
}

// A targetAudit is the audit of one target.
type targetAudit struct {
	*lists.Visit
	c     *Checker
	found int // in the document that is audited
	// In formats that show findings beside the lines of files, the folder that is audited.
	dir  string
	root *target.Folder
}

// finding prints a finding that is wanted. A finding that describes a site rather than a defect is
// wanted only with --all or --only.
func (x *targetAudit) finding(f *audit.Finding) {
	if x.c.baseline.Has(f) {
		return
	}
	describes := f.Code == audit.LastmodCoverage || f.Code == audit.PriorityAllEqual
	if describes && !x.c.flags.All && x.c.Options.Only == nil {
		x.c.hidden.Add(1)
		return
	}
	x.found++
	f.Sitemap = x.shownName(f.Sitemap)
	if f.Code == audit.PageNotListed && x.root != nil {
		f.Sitemap = filepath.Join(x.dir, filepath.FromSlash(f.Text))
	}
	x.print(&result{Target: x.Record.Target, Finding: f})
}

// page prints the outcome for a page.
func (x *targetAudit) page(p audit.PageResult) { x.print(&result{Page: &p}) }

// print prints a result now, or when it is the turn of the target.
func (x *targetAudit) print(r *result) {
	if x.OneByOne() {
		x.c.print(r)
	} else {
		x.Write(append(jsonl.Marshal(r), '\n'))
	}
}

// targetFailed prints a target that could not be audited.
func (x *targetAudit) targetFailed(err error, hint string) {
	x.document(x.Target.Label(), &discover.Summary{Err: err}, hint, false)
}

// A documentLine is a document as "check --format jsonl" prints it.
type documentLine struct {
	Type     string           `json:"type"`
	Sitemap  string           `json:"sitemap"`
	Format   string           `json:"format,omitempty"`
	Encoding string           `json:"encoding,omitempty"`
	Entries  int64            `json:"entries"`
	Problems int              `json:"problems"`
	Skipped  discover.Skipped `json:"skipped,omitempty"`
	Target   string           `json:"target"`
	Status   int              `json:"status,omitempty"`
	Failed   bool             `json:"failed,omitempty"` // it could not be read at all
	Error    *jsonl.Error     `json:"error,omitempty"`
}

// text returns the line of a document, after its name.
func (d *documentLine) text(sum *discover.Summary) string {
	switch {
	case d.Skipped != "":
		return fmt.Sprintf("left out (%s)", d.Skipped)
	case d.Format == "":
		return cli.Plural(d.Problems, "finding")
	}
	return strings.Join(
		[]string{d.Format, d.Encoding, cli.Listed(sum), cli.Plural(d.Problems, "finding")}, ", ")
}

// document prints a document, or with isDocument unset a target that could not be audited.
func (x *targetAudit) document(name string, sum *discover.Summary, hint string, isDocument bool) {
	line := &documentLine{
		Type: "document", Sitemap: name, Format: sum.Format.String(), Encoding: sum.Encoding,
		Entries: sum.Entries, Problems: x.found, Skipped: sum.Skipped, Target: x.Record.Target,
		Status: sum.Status, Error: jsonl.ErrorOf(name, sum.Err),
	}
	line.Failed = sum.Err != nil && line.Format == "" && line.Entries == 0 &&
		!errors.Is(sum.Err, discover.ErrLimit)
	d := &findings.DocumentEnd{
		Name: x.shownName(name), Target: line.Target, Text: line.text(sum),
		JSON: append(jsonl.Marshal(line), '\n'), IsDocument: isDocument,
	}
	x.found = 0
	if isDocument {
		d.Summary = sum
		if sum.Format != sitemap.SitemapIndex && sum.Format != sitemap.UnknownFormat {
			d.URLs = sum.Entries
		}
		x.CountEntries(sum)
	}
	if e := line.Error; e != nil {
		x.NoteCause(name, sum.Err)
		d.Code, d.Message, d.Known = e.Code, e.Message+hint, x.c.isKnown(sum.Err)
		if f := x.c.flags.Format; f != "text" && f != "github" { // formats for programs
			x.App.Log.Printf("%s: %s", cli.FileName(d.Name), d.Message)
		}
	}
	x.print(&result{Document: d})
	x.EndDocument(name)
}

// shownName returns the name of a document in findings. Beside the lines of files, it is the path
// in the folder, if the document is there.
func (x *targetAudit) shownName(loc string) string {
	if x.root == nil {
		return loc
	}
	if u, err := url.Parse(loc); err == nil {
		if name, ok := x.root.FileAt(u); ok {
			return filepath.Join(x.dir, filepath.FromSlash(name))
		}
	}
	return loc
}
