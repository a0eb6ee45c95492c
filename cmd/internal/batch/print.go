package batch

import (
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
)

// A linePrinter prints lines of parts. Its errors are those of the output.
type linePrinter struct {
	line func(l batch.Line) error
	end  func() error
}

// newPrinter returns the printer of a run to out: of its documents, or of its URLs or findings.
func newPrinter(
	out *output.Writer, flags *cli.PrintFlags, documents bool, m mode,
) (linePrinter, error) {
	switch {
	case documents:
		t, err := output.NewDocuments(flags)
		if err != nil {
			return linePrinter{}, err
		}
		t.Begin(out)
		return linePrinter{func(l batch.Line) error {
			if l.Document == nil {
				return nil
			}
			return t.Print(l.Document)
		}, t.End}, nil
	case m.Findings:
		o := findings.Options{FailOn: findings.NoFailure}
		printer, err := findings.New(flags.Format, out, o)
		p := &findingPrinter{printer: printer, codes: map[sitemap.Code]bool{}}
		return linePrinter{p.line, p.end}, err
	}
	p, err := output.NewPrinter(flags, true, true)
	if err != nil {
		return linePrinter{}, err
	}
	p.Begin(out)
	return linePrinter{func(l batch.Line) error {
		if l.URL == nil {
			return nil
		}
		return p.Print(l.URL)
	}, p.End}, nil
}

// A findingPrinter prints findings as sitemap check does.
type findingPrinter struct {
	printer findings.Printer
	totals  findings.Totals
	codes   map[sitemap.Code]bool // of findings since the last document or target
}

func (p *findingPrinter) line(l batch.Line) error {
	switch {
	case l.Finding != nil:
		p.finding(l.Finding)
	case l.Document != nil:
		p.document(l.Document, l.Text)
	case l.Target != nil:
		p.ended(l.Target.Target, l.Target.Target, l.Text, l.Target.Error)
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

func (p *findingPrinter) document(d *batch.Document, text []byte) {
	p.totals.Documents++
	if d.Format != sitemap.SitemapIndex {
		p.totals.URLs += d.Entries
	}
	p.ended(d.Sitemap, d.Target, text, d.Error)
}

// ended prints a document or target after its findings. It leaves out an error that a finding has
// reported.
func (p *findingPrinter) ended(name, target string, text []byte, e *batch.Error) {
	d := &findings.DocumentEnd{Name: cli.FileName(name), Target: target, JSON: text}
	if e != nil {
		d.Code, d.Message, d.Known = e.Code, e.Message, p.knows(e)
		if !d.Known {
			p.totals.Errors++
		}
	}
	clear(p.codes)
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

func (p *findingPrinter) end() error { return p.printer.End(p.totals) }
