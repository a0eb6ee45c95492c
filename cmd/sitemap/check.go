package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/sitemap/findings"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/state"
	"github.com/seed-322c453a/sitemap/fetch"
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
	flags    *checkFlags
	options  audit.Options
	filter   filter
	printer  findings.Printer
	totals   findings.Totals
	findings int    // in the document that is audited
	dir      string // the folder that is audited, or ""
}

func (a *app) check(cmd *cobra.Command, args []string, flags *checkFlags) error {
	targets, err := parseTargets(args, flags.from, flags.as)
	c := &checker{flags: flags}
	var filterErr error
	c.filter, filterErr = flags.filter()
	if err := usageOf(cmd, filterErr, err, flags.checkRoot(targets)); err != nil {
		return err
	}
	if c.walker, err = a.newWalker(cmd, &flags.walkFlags, &flags.documentFlags); err != nil {
		return err
	}
	text := flags.format == "text"
	c.options = audit.Options{
		Agent: flags.agent, Pages: flags.pages.n, Excerpts: text || flags.format == "sarif",
		Limits: flags.limit.document(), Walk: c.walker.options,
	}
	c.options.Walk.Report, c.options.Walk.Done = nil, c.done
	o := findings.Options{
		All: flags.all, Verbose: flags.verbose, FailOn: c.filter.failOn, NeverBad: c.filter.never,
		Color: isTerminal(a.out) && flags.out == "" && os.Getenv("NO_COLOR") == "" &&
			os.Getenv("TERM") != "dumb",
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
	if c.out, err = a.create(flags.out); err != nil {
		return err
	}
	c.printer, _ = findings.New(flags.format, c.out, o)
	c.handler.target = c.target
	err = c.run(cmd.Context(), targets)
	if endErr := c.printer.End(c.totals); err == nil {
		err = endErr
	}
	return a.finish(c.out, err)
}

// target audits one target.
func (c *checker) target(ctx context.Context, t target) error {
	switch {
	case t.kind == fileTarget && isDir(t.name):
		return c.folder(ctx, t.name, "")
	case t.kind == fileTarget:
		return c.file(ctx, t)
	case c.flags.root != "":
		return c.folder(ctx, c.flags.root, t.name)
	}
	return c.walk(ctx, t, c.client, &c.options)
}

// walk audits a site or a sitemap.
func (c *checker) walk(
	ctx context.Context,
	t target,
	client *discover.Client,
	o *audit.Options,
) error {
	found := audit.Site(ctx, client, t.name, o)
	if t.kind == sitemapTarget {
		found = audit.Sitemaps(ctx, client, []*discover.Sitemap{{Loc: t.name}}, o)
	}
	for f, err := range found {
		if err != nil {
			return c.failed(ctx, t, err)
		}
		c.finding(&f)
	}
	return c.app.ended(ctx)
}

// finding prints a finding that is wanted.
func (c *checker) finding(f *audit.Finding) {
	if !c.filter.wants(f.Code) || c.filter.baseline.Has(f) {
		return
	}
	c.findings++
	c.totals.Count(f.Severity)
	if c.filter.fails(f.Severity) {
		c.app.failed = true
	}
	if c.dir != "" && (c.flags.format == "github" || c.flags.format == "sarif") {
		f.Sitemap = c.pathOf(f.Sitemap) // which these show beside the lines of files
	}
	c.printer.Finding(f)
}

// done takes the end of a document of a walk.
func (c *checker) done(s *discover.Sitemap, sum discover.Summary) {
	c.progress.ended.Add(1)
	c.progress.queued.Store(int64(sum.Queued))
	c.progress.bytes.Add(sum.Received)
	c.progress.loc.Store(s.Loc)
	c.document(redact(s.Loc), "", &sum, c.hint(s, sum.Err))
	if c.out.Flush() != nil {
		c.cancel()
	}
}

// failed reports the last error of a walk. Those of documents were reported before.
func (c *checker) failed(ctx context.Context, t target, err error) error {
	if ended := c.app.ended(ctx); ended != nil {
		return ended
	}
	var walkErr *discover.WalkError
	if !errors.As(err, &walkErr) {
		c.document(t.label(), t.label(), &discover.Summary{Err: err}, privateHint(err))
		return nil
	}
	for _, err := range walkErr.Errs {
		if e := (*discover.DocumentError)(nil); !errors.As(err, &e) {
			c.document(t.label(), t.label(), &discover.Summary{Err: err}, limitHint(err))
		}
	}
	return nil
}

// file audits a file.
func (c *checker) file(ctx context.Context, t target) error {
	open, closeFile, err := c.opener(t.name)
	var sum discover.Summary
	if err == nil {
		defer closeFile()
		c.progress.loc.Store(t.name)
		src := audit.Source{
			Name: redact(
				t.name,
			), Open: open, Base: c.walker.file.Base, ContentType: c.walker.file.ContentType,
			Done: func(s sitemap.Summary) { sum.Summary = s },
		}
		for f, docErr := range audit.Document(src, &c.options) {
			if docErr != nil {
				err = docErr
				break
			}
			c.finding(&f)
		}
	}
	if ended := c.app.ended(ctx); ended != nil {
		return ended
	}
	sum.Err = err
	c.progress.ended.Add(1)
	c.document(redact(t.name), "", &sum, limitHint(err))
	return nil
}

// opener returns a function that opens a file as often as it is called. Standard input is copied to
// a temporary file first.
func (c *checker) opener(
	name string,
) (open func() (io.ReadCloser, error), closeFile func(), err error) {
	if name != stdin {
		return func() (io.ReadCloser, error) { return c.app.open(name) }, func() {}, nil
	}
	in, err := c.app.open(stdin)
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
	size, err := io.Copy(f, in)
	if err != nil {
		remove()
		return nil, nil, err
	}
	open = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(f, 0, size)), nil }
	return open, remove, nil
}

// A documentLine is a document as "check --format jsonl" prints it.
type documentLine struct {
	Type     string     `json:"type"`
	Sitemap  string     `json:"sitemap"`
	Format   string     `json:"format,omitempty"`
	Encoding string     `json:"encoding,omitempty"`
	Entries  int64      `json:"entries"`
	Problems int        `json:"problems"`
	Skipped  string     `json:"skipped,omitempty"`
	Target   string     `json:"target,omitempty"` // a target that could not be walked
	Status   int        `json:"status,omitempty"`
	Failed   bool       `json:"failed,omitempty"` // nothing of it could be read
	Error    *lineError `json:"error,omitempty"`
}

// document prints a document, or a target that could not be audited.
func (c *checker) document(name, target string, sum *discover.Summary, hint string) {
	d := &documentLine{
		Type: "document", Sitemap: name, Format: sum.Format.String(), Encoding: sum.Encoding,
		Entries: sum.Entries, Problems: c.findings, Skipped: skipped(sum), Target: target,
		Status: sum.Status, Error: errorOf(name, sum.Err),
	}
	c.findings = 0
	d.Failed = sum.Err != nil && d.Format == "" && d.Entries == 0 &&
		!errors.Is(sum.Err, discover.ErrLimit)
	line := &findings.Document{
		Name: fileName(name),
		Text: d.text(sum),
		JSON: append(marshal(d), '\n'),
	}
	if target == "" {
		c.totals.Documents++
		if sum.Format != sitemap.SitemapIndex {
			c.totals.URLs += sum.Entries
		}
	}
	if d.Error != nil {
		line.Code, line.Message = d.Error.Code, d.Error.Message+hint
		line.Known = c.isKnown(sum.Err)
		if f := c.flags.format; f != "text" && f != "github" { // which programs read
			c.app.diag.printf("%s: %s", line.Name, line.Message)
		}
		if !line.Known {
			c.totals.Errors++
			c.app.failed = c.app.failed || c.filter.fails(sitemap.SeverityError)
		}
	}
	c.printer.Document(line)
}

// isKnown reports whether a finding says that a document could not be read, or whether nobody wants
// to know.
func (c *checker) isKnown(err error) bool {
	var fe *fetch.Error
	return errors.Is(err, discover.ErrNoSitemap) ||
		!c.filter.wants(sitemap.Code(failureCode(err))) ||
		errors.As(err, &fe) && !errors.Is(err, discover.ErrUnreachable)
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

// printRules prints all rules, or the page of one.
func (a *app) printRules(cmd *cobra.Command, args []string, flags *checkFlags) error {
	switch {
	case len(args) > 0 || flags.rules && flags.explain != "":
		return misuse(cmd, errors.New("--rules and --explain stand alone"))
	case flags.format != "text" && flags.format != "jsonl":
		return misuse(cmd, fmt.Errorf("unknown format %q: want text or jsonl", flags.format))
	}
	rules := audit.Rules()
	if flags.explain != "" {
		r, ok := audit.RuleOf(sitemap.Code(flags.explain))
		if !ok {
			return misuse(cmd, unknownCode(flags.explain))
		}
		rules = []audit.Rule{r}
	}
	out, err := a.create(flags.out)
	if err != nil {
		return err
	}
	for _, r := range rules {
		switch {
		case flags.format == "jsonl":
			out.Write(
				append(
					marshal(ruleLine{r.Code, r.Severity, r.Summary, r.Why, r.Fix, r.Source}),
					'\n',
				),
			)
		case flags.explain != "":
			fmt.Fprintf(
				out,
				"%s (%s): %s.\n\n%s\n\nFix: %s\n\nSource: %s.\n",
				r.Code,
				r.Severity,
				r.Summary,
				r.Why,
				r.Fix,
				r.Source,
			)
		default:
			fmt.Fprintf(out, "%-36s %-8s %s\n", r.Code, r.Severity, r.Summary)
		}
	}
	return a.finish(out, nil)
}

// A ruleLine is a rule as "check --rules --format jsonl" prints it.
type ruleLine struct {
	Code     sitemap.Code     `json:"code"`
	Severity sitemap.Severity `json:"severity"`
	Summary  string           `json:"summary"`
	Why      string           `json:"why"`
	Fix      string           `json:"fix"`
	Source   string           `json:"source"`
}
