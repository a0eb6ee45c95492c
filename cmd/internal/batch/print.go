package batch

import (
	"fmt"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
)

// A linePrinter prints lines of parts. Its errors are those of the output.
type linePrinter interface {
	line(l batch.Line) error
	end() error
}

// newPrinter returns the printer of a run: of its documents, or of its URLs or findings.
func newPrinter(
	out *output.Writer, flags *cli.PrintFlags, documents bool, m mode,
) (linePrinter, error) {
	switch {
	case documents:
		return newDocumentPrinter(out, flags.Format), nil
	case m.Findings:
		p, err := findings.New(flags.Format, out, findings.Options{NeverBad: true})
		return &findingPrinter{printer: p, codes: map[sitemap.Code]bool{}}, err
	}
	return newURLPrinter(out, flags)
}

// A urlPrinter prints URLs.
type urlPrinter struct {
	out     *output.Writer
	format  output.Format
	raw     bool // print lines as they are
	parquet *output.Parquet
}

func newURLPrinter(out *output.Writer, flags *cli.PrintFlags) (p *urlPrinter, err error) {
	p = &urlPrinter{out: out, raw: flags.Format == "jsonl" && flags.Fields == ""}
	if flags.Format == "parquet" {
		p.parquet, err = output.NewParquet(out, flags.Fields)
		return p, err
	}
	p.format, err = output.FormatOf(flags, true, true)
	out.Begin(p.format.Header)
	return p, err
}

func (p *urlPrinter) line(l batch.Line) (err error) {
	switch {
	case l.URL == nil:
	case p.raw:
		_, err = p.out.Write(l.Text)
	case p.parquet != nil:
		err = p.parquet.Write([]output.ParquetRow{output.RowOf(l.URL)})
	default:
		_, err = p.out.Write(p.format.Append(nil, l.URL))
	}
	return err
}

func (p *urlPrinter) end() error {
	if p.parquet != nil {
		return p.parquet.Close()
	}
	return nil
}

// A documentPrinter prints the sitemaps that were requested or skipped.
type documentPrinter struct {
	out     *output.Writer
	format  string
	parquet *output.DocumentParquet
}

func newDocumentPrinter(out *output.Writer, format string) *documentPrinter {
	p := &documentPrinter{out: out, format: format}
	switch format {
	case "parquet":
		p.parquet = output.NewDocumentParquet(out)
	case "csv":
		out.Begin(output.DocumentHeader())
	}
	return p
}

func (p *documentPrinter) line(l batch.Line) (err error) {
	switch {
	case l.Document == nil:
	case p.parquet != nil:
		err = p.parquet.Write(l.Document)
	case p.format == "csv":
		_, err = p.out.Write(output.AppendDocument(nil, l.Document))
	case p.format == "jsonl":
		_, err = p.out.Write(l.Text)
	default:
		_, err = fmt.Fprintln(p.out, l.Document.Sitemap)
	}
	return err
}

func (p *documentPrinter) end() error {
	if p.parquet != nil {
		return p.parquet.Close()
	}
	return nil
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
		p.ended(l.Target.Target, l.Text, l.Target.Error)
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
	if d.Format != sitemap.SitemapIndex.String() {
		p.totals.URLs += d.Entries
	}
	p.ended(d.Sitemap, text, d.Error)
}

// ended prints a document or target after its findings. An error is not said again where a finding
// says it.
func (p *findingPrinter) ended(name string, text []byte, e *batch.Error) {
	d := &findings.DocumentEnd{Name: cli.FileName(name), JSON: text}
	if e != nil {
		d.Code, d.Message, d.Known = e.Code, e.Message, p.knows(e)
		if !d.Known {
			p.totals.Errors++
		}
	}
	clear(p.codes)
	p.printer.Document(d)
}

// unread are the codes of findings about what could not be read.
var unread = []sitemap.Code{"no_sitemap", "sitemap_unreachable", "sitemap_timeout", "sitemap_status"}

// knows reports whether a finding says an error.
func (p *findingPrinter) knows(e *batch.Error) bool {
	said := func(code sitemap.Code) bool { return p.codes[code] }
	return said(sitemap.Code(e.Code)) || slices.ContainsFunc(unread, said)
}

func (p *findingPrinter) end() error { return p.printer.End(p.totals) }
