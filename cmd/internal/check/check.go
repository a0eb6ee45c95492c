package check

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
	"github.com/seed-322c453a/sitemap/parse"
)

func Command(a *cli.App) *cobra.Command {
	flags := &Flags{}
	cmd := cli.WithHelp(&cobra.Command{
		Use: "check [flags] TARGET...",
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.rules || flags.explain != "" {
				return printRules(a, cmd, args, flags)
			}
			return run(a, cmd, args, flags)
		},
	})
	flags.Add(cmd)
	return cmd
}

// A Checker audits the targets of a command.
type Checker struct {
	*lists.Walker
	Targets []target.Target
	Options audit.Options
	Printer findings.Printer // used by the visit that holds walker.printing
	flags   *Flags
	filter  filter
	totals  findings.Totals // used as the printer is
}

// New returns the Checker of a command line. FormatErr is what is wrong with its format.
func New(
	a *cli.App, cmd *cobra.Command, args []string, flags *Flags, formatErr error,
) (*Checker, error) {
	targets, err := target.ParseAll(args, flags.From, flags.As)
	filter, filterErr := flags.filter()
	if err := cli.UsageOf(cmd, formatErr, filterErr, err, flags.checkRoot(targets)); err != nil {
		return nil, err
	}
	w, err := lists.NewWalker(a, cmd, &flags.Flags, &flags.DocumentFlags)
	if err != nil {
		return nil, err
	}
	return &Checker{
		Walker: w, Targets: targets, flags: flags, filter: filter,
		Options: audit.Options{
			Agent: flags.agent, Pages: flags.pages.n, Limits: flags.Limit.Document(), Walk: w.Options,
		},
	}, nil
}

func run(a *cli.App, cmd *cobra.Command, args []string, flags *Flags) error {
	c, err := New(a, cmd, args, flags, flags.Resolve(cmd, findings.Formats...))
	if err != nil {
		return err
	}
	c.Options.Excerpts = flags.Format == "text" || flags.Format == "sarif"
	o := findings.Options{
		All: flags.All, Verbose: flags.verbose, FailOn: c.filter.failOn, NeverBad: c.filter.never,
		Color: a.HasColor() && flags.Out == "",
	}
	if _, err := findings.New(flags.Format, io.Discard, o); err != nil {
		return cli.Misuse(cmd, err)
	}
	if flags.State != "" {
		store, err := state.Open(flags.State)
		if err != nil {
			return err
		}
		defer store.Close()
		c.Options.Store = store
	}
	a.Judges = true
	if c.Out, err = output.Create(a, flags.Out); err != nil {
		return err
	}
	c.Printer, _ = findings.New(flags.Format, c.Out, o)
	return c.Out.Finish(c.Audit(cmd.Context()))
}

// Audit audits the targets and ends the printer.
func (c *Checker) Audit(ctx context.Context) error {
	c.Handle = func(v *lists.Visit) lists.Handler {
		x := &targetAudit{Visit: v, c: c}
		return lists.Handler{Walk: x.walk, End: x.print}
	}
	err := c.Run(ctx, c.Targets)
	return cmp.Or(err, c.Printer.End(c.totals))
}

// A targetAudit is the audit of one target.
type targetAudit struct {
	*lists.Visit
	c       *Checker
	pending []audit.Finding // that are not printed yet
	found   int             // in the document that is audited
	dir     string          // the folder that is audited, or ""
	host    string          // whose it is
}

// maxPending is how many findings wait for the end of their document. Then they are printed, and
// other visits wait.
const maxPending = 10_000

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

// site audits a site or a sitemap.
func (x *targetAudit) site(
	ctx context.Context, t target.Target, client *discover.Client, o audit.Options,
) error {
	o.Walk.Done, o.Walk.Fetched, o.Walk.Report = x.done, x.Fetched, nil
	found := audit.Site(ctx, client, t.Name, &o)
	if t.Kind == target.Sitemap {
		found = audit.Sitemaps(ctx, client, []*discover.Sitemap{{Loc: t.Name}}, &o)
	}
	for f, err := range found {
		if err != nil {
			return x.walkFailed(ctx, err)
		}
		x.finding(&f)
	}
	return x.Ended(ctx)
}

// finding keeps a finding that is wanted.
func (x *targetAudit) finding(f *audit.Finding) {
	if !x.c.filter.wants(f.Code) || x.c.filter.baseline.Has(f) {
		return
	}
	x.found++
	if x.c.filter.fails(f.Severity) {
		x.App.Failed.Store(true)
	}
	f.Sitemap = x.shownName(f.Sitemap)
	x.pending = append(x.pending, *f)
	if x.Holds || len(x.pending) > maxPending || !x.Progress.IsList {
		x.print()
	}
}

// print prints the findings that are kept. Other visits wait until the next flush.
func (x *targetAudit) print() {
	if !x.Holds {
		x.Hold()
	}
	for i := range x.pending {
		f := &x.pending[i]
		x.c.totals.Count(f.Severity)
		x.c.Printer.Finding(f, x.Record.Target)
	}
	x.pending = x.pending[:0]
}

// done takes the end of a document of a walk.
func (x *targetAudit) done(s *discover.Sitemap, sum discover.Summary) {
	x.Progress.Note(&sum)
	x.Progress.Loc.Store(s.Loc)
	x.document(cli.Redact(s.Loc), &sum, x.Hint(s, sum.Err), true)
}

// walkFailed reports the last error of a walk. Those of documents were reported before.
func (x *targetAudit) walkFailed(ctx context.Context, err error) error {
	if ended := x.Ended(ctx); ended != nil {
		return ended
	}
	var walkErr *discover.WalkError
	if !errors.As(err, &walkErr) {
		x.targetFailed(err, cli.PrivateHint(err))
		return nil
	}
	for _, err := range walkErr.Errs {
		if e := (*discover.DocumentError)(nil); !errors.As(err, &e) {
			x.targetFailed(err, cli.LimitHint(err))
		}
	}
	return nil
}

// targetFailed prints a target that could not be audited.
func (x *targetAudit) targetFailed(err error, hint string) {
	x.document(x.Target.Label(), &discover.Summary{Err: err}, hint, false)
}

// file audits a file.
func (x *targetAudit) file(ctx context.Context) error {
	name := x.Target.Name
	open, closeFile, err := x.opener(name)
	var sum discover.Summary
	if err == nil {
		defer closeFile()
		x.Progress.Loc.Store(name)
		src := audit.Source{
			Name: cli.Redact(name), Open: open, Base: x.Walker.File.Base,
			ContentType: x.Walker.File.ContentType,
			Done:        func(s sitemap.Summary) { sum.Summary = s },
		}
		for f, docErr := range audit.Document(src, &x.c.Options) {
			if docErr != nil {
				err = docErr
				break
			}
			x.finding(&f)
		}
		x.pages(open)
	}
	if ended := x.Ended(ctx); ended != nil {
		return ended
	}
	sum.Err = err
	x.Progress.Note(&sum)
	x.document(cli.Redact(name), &sum, cli.LimitHint(err), true)
	return nil
}

// opener returns a function that opens a file as often as it is called. Standard input and pipes are
// copied to a temporary file first.
func (x *targetAudit) opener(
	name string,
) (open func() (io.ReadCloser, error), closeFile func(), err error) {
	if info, err := os.Stat(name); name != cli.Stdin && (err != nil || info.Mode().IsRegular()) {
		return func() (io.ReadCloser, error) { return x.App.Open(name) }, func() {}, nil
	}
	in, err := x.App.Open(name)
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
	limit := x.Flags.Limit.Bytes
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
func (x *targetAudit) document(name string, sum *discover.Summary, hint string, isDocument bool) {
	d := &documentLine{
		Type: "document", Sitemap: name, Format: sum.Format.String(), Encoding: sum.Encoding,
		Entries: sum.Entries, Problems: x.found, Skipped: cli.Skipped(sum), Target: x.Record.Target,
		Status: sum.Status, Error: jsonl.ErrorOf(name, sum.Err),
	}
	d.Failed = sum.Err != nil && d.Format == "" && d.Entries == 0 &&
		!errors.Is(sum.Err, discover.ErrLimit)
	line := &findings.Document{
		Name: cli.FileName(x.shownName(name)), Text: d.text(sum), JSON: append(jsonl.Marshal(d), '\n'),
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
		x.CountEntries(sum)
	}
	if d.Error != nil {
		x.Visit.Failed = true
		line.Code, line.Message = d.Error.Code, d.Error.Message+hint
		line.Known = x.c.isKnown(sum.Err)
		if f := x.c.flags.Format; f != "text" && f != "github" { // which programs read
			x.App.Log.Printf("%s: %s", line.Name, line.Message)
		}
		if !line.Known {
			t.Errors++
			if x.c.filter.fails(sitemap.SeverityError) {
				x.App.Failed.Store(true)
			}
		}
	}
	x.c.Printer.Document(line)
	if x.Flush(nil) != nil {
		x.Cancel()
	}
}

// isKnown reports whether a finding says that a document could not be read, or whether nobody wants
// to know. --only leaves such errors alone: what was not read was not judged.
func (c *Checker) isKnown(err error) bool {
	if c.filter.disabled[sitemap.Code(jsonl.Code(err))] {
		return true
	}
	if errors.Is(err, discover.ErrNoSitemap) {
		return c.filter.wants("no_sitemap") || c.filter.disabled["no_sitemap"]
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
		return cli.Plural(d.Problems, "finding")
	}
	return strings.Join(
		[]string{d.Format, d.Encoding, cli.Listed(sum), cli.Plural(d.Problems, "finding")}, ", ")
}

// pages passes on the pages that a file lists, if they are wanted. Why it cannot be read to its end
// is reported by its audit.
func (x *targetAudit) pages(open func() (io.ReadCloser, error)) {
	if x.c.Options.Page == nil {
		return
	}
	f, err := open()
	if err != nil {
		return
	}
	defer f.Close()
	for e, err := range parse.Entries(f, &x.Walker.File) {
		if err == nil && e.Kind == sitemap.Page {
			x.c.Options.Page(&discover.URL{Entry: e})
		}
	}
}
