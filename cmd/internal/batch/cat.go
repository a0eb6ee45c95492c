package batch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// catFlags are the flags of batch cat.
type catFlags struct {
	cli.PrintFlags
	documents bool
	all       bool
}

func catCommand(a *cli.App) *cobra.Command {
	flags := &catFlags{}
	cmd := cli.Command("cat [flags] OUT/RUN", cli.Exactly(1, "want one OUT/RUN"),
		func(cmd *cobra.Command, args []string) error { return cat(a, cmd, args[0], flags) })
	flags.PrintFlags.Add(cmd, "text, jsonl, csv, parquet, sarif, junit or github")
	flags.AddRows(cmd)
	f := cmd.Flags()
	f.BoolVar(&flags.documents, "documents", false, "print a table of the sitemaps, not their URLs")
	f.BoolVar(&flags.all, "all", false,
		"in text, print all findings, not only the first five of a rule and document")
	cli.Group(cmd, "Output")
	cmd.Flags().Lookup("format").DefValue, flags.Format = "jsonl", "jsonl"
	return cmd
}

// cat prints the parts of a run.
func cat(a *cli.App, cmd *cobra.Command, location string, flags *catFlags) error {
	formatErr := flags.Resolve(cmd)
	s, run, rec, err := findRun(a.Context, cmd, location)
	if err != nil {
		return err
	}
	p, err := flags.printer(rec.mode)
	if err := cli.UsageOf(cmd, formatErr, err); err != nil {
		return err
	}
	if rec.Changed && !flags.Quiet {
		a.Log.Printf("run %s has only URLs that were new or modified since the run before", run)
	}
	out, err := output.Create(a, flags.Out)
	if err != nil {
		return err
	}
	p.Begin(out)
	err = printParts(a, s, run, p)
	return out.Finish(cmp.Or(err, p.End()))
}

// printParts prints the lines of all parts of a run. A part that cannot be read is reported.
func printParts(a *cli.App, s *store, run string, p output.Printer[batch.Line]) error {
	all := func(batch.Stored) bool { return true }
	for line, err := range linesOf(a.Context, s, run, all) {
		if ended := a.Context.Err(); ended != nil {
			return ended
		}
		if err != nil {
			a.Fail("%s", jsonl.Message("", err))
		} else if err := p.Print(&line); err != nil {
			return err
		}
	}
	return nil
}

// A valuePrinter prints the lines of parts that are about a value.
type valuePrinter[S any] struct {
	output.Printer[S]
	of func(l *batch.Line) *S
}

// Print prints the value of a line.
func (p valuePrinter[S]) Print(l *batch.Line) error {
	if s := p.of(l); s != nil {
		return p.Printer.Print(s)
	}
	return nil
}

// printer returns the printer of a run of this mode: of its documents, or of its URLs or findings.
// It refuses flags that do not apply to these.
func (c *catFlags) printer(m mode) (p output.Printer[batch.Line], err error) {
	ofFindings := m.Findings && !c.documents
	forFindings := c.Format == "sarif" || c.Format == "junit" || c.Format == "github"
	switch {
	case forFindings && !ofFindings:
		return p, fmt.Errorf("--format %s: only for the findings of a run with --check", c.Format)
	case c.Format == "parquet" && ofFindings:
		return p, errors.New("--format parquet: findings are printed as text, jsonl, csv, sarif, " +
			"junit or github")
	case (c.Rows != "" || c.Sample != 0) && (m.Findings || c.documents):
		return p, errors.New("--rows, --sample: only for the URLs of a run")
	case c.Fields != "" && m.Findings:
		return p, errors.New("--fields: findings have no fields to choose")
	case ofFindings:
		return &findingPrinter{flags: c, codes: map[sitemap.Code]bool{}}, nil
	case c.documents:
		of := func(l *batch.Line) *batch.Document { return l.Document }
		d, err := output.NewDocuments(&c.PrintFlags)
		return valuePrinter[batch.Document]{d, of}, err
	}
	u, err := output.NewPrinter(&c.PrintFlags, true, true)
	return valuePrinter[batch.URL]{u, func(l *batch.Line) *batch.URL { return l.URL }}, err
}

// A findingPrinter prints findings as sitemap check does.
type findingPrinter struct {
	flags   *catFlags
	printer findings.Printer
	totals  findings.Totals
	codes   map[sitemap.Code]bool // of findings since the last document or target
}

// Begin makes out the output.
func (p *findingPrinter) Begin(out *output.Writer) {
	o := findings.Options{All: p.flags.all, FailOn: sitemap.SeverityError}
	p.printer = findings.New(p.flags.Format, out, o)
}

// Print prints a finding, or the end of a document or target.
func (p *findingPrinter) Print(l *batch.Line) error {
	end := &findings.DocumentEnd{JSON: l.Text}
	switch {
	case l.Finding != nil:
		p.finding(l.Finding)
	case l.Document != nil:
		d := l.Document
		end.Name, end.Target, end.IsDocument = d.Sitemap, d.Target, true
		if d.Format != sitemap.SitemapIndex {
			end.URLs = d.Entries
		}
		p.ended(end, d.Error)
	case l.Target != nil:
		end.Name, end.Target = l.Target.Target, l.Target.Target
		p.ended(end, l.Target.Error)
	}
	return nil
}

func (p *findingPrinter) finding(f *batch.Finding) {
	p.codes[f.Code] = true
	p.totals.Count(f.Severity)
	p.printer.Finding(&audit.Finding{
		Code: f.Code, Severity: f.Severity, Sitemap: f.Sitemap, Pos: sitemap.Position{Line: f.Line},
		Column: f.Column, Loc: f.Loc, Text: f.Text, Message: f.Message, Fix: f.Fix,
		Dropped: f.Dropped,
	}, f.Target)
}

// ended prints a document or target after its findings. It omits an error that a finding has
// reported.
func (p *findingPrinter) ended(d *findings.DocumentEnd, e *batch.Error) {
	d.Name = cli.FileName(d.Name)
	if e != nil {
		d.Code, d.Message, d.Known = e.Code, e.Message, p.knows(e)
	}
	clear(p.codes)
	p.totals.CountDocument(d)
	p.printer.Document(d)
}

// unread are the codes of findings about documents that could not be read.
var unread = []sitemap.Code{
	"no_sitemap", "sitemap_unreachable", "sitemap_timeout", "sitemap_status",
}

// knows reports whether a finding has reported an error.
func (p *findingPrinter) knows(e *batch.Error) bool {
	said := func(code sitemap.Code) bool { return p.codes[code] }
	return said(e.Code) || slices.ContainsFunc(unread, said)
}

// End prints the totals.
func (p *findingPrinter) End() error { return p.printer.End(p.totals) }
