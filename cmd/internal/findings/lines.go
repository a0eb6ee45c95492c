package findings

import (
	"strconv"

	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A problemLine is a finding as jsonl prints it.
type problemLine struct {
	Type string `json:"type"`
	batch.Finding
}

func lineOf(f *audit.Finding, target string) problemLine {
	return problemLine{"problem", batch.Finding{
		Code: f.Code, Severity: f.Severity, Sitemap: f.Sitemap, Line: f.Pos.Line, Column: f.Column,
		Loc: f.Loc, Text: f.Text, Message: f.Message, Fix: f.Fix, Dropped: f.Dropped,
		Target: target,
	}}
}

// A totalLine is the last line of jsonl.
type totalLine struct {
	Type      string `json:"type"`
	Documents int64  `json:"documents"`
	URLs      int64  `json:"urls"`
	Errors    int64  `json:"errors"`
	Warnings  int64  `json:"warnings"`
	Infos     int64  `json:"infos"`
	Judged    *int64 `json:"pages_judged,omitempty"` // nil without --pages
}

// A jsonPrinter prints one object a line.
type jsonPrinter struct {
	*writer
	pages bool // pages are judged
}

func (p *jsonPrinter) print(v any) { p.Write(append(jsonl.Marshal(v), '\n')) }

func (p *jsonPrinter) Finding(f *audit.Finding, target string) { p.print(lineOf(f, target)) }

func (p *jsonPrinter) Document(d *DocumentEnd) { p.Write(d.JSON) }

func (p *jsonPrinter) End(t Totals) error {
	line := totalLine{"total", t.Documents, t.URLs, t.Errors, t.Warnings, t.Infos, nil}
	if p.pages {
		line.Judged = &t.Judged
	}
	p.print(line)
	return p.err
}

// A csvPrinter prints a row for each finding and for each error that ended a document.
type csvPrinter struct {
	*writer
	raw bool
}

func newCSV(w *writer, raw bool) *csvPrinter {
	p := &csvPrinter{w, raw}
	p.row("code", "severity", "sitemap", "line", "column", "loc", "text", "message", "fix",
		"dropped", "target")
	return p
}

// row prints a row. Unless it is raw, no cell controls a terminal or is a formula.
func (p *csvPrinter) row(cells ...string) {
	if !p.raw {
		for i, cell := range cells {
			cells[i] = cli.Harmless(cell, "\n\t")
		}
	}
	p.Write(output.AppendRow(nil, p.raw, cells...))
}

func (p *csvPrinter) Finding(f *audit.Finding, target string) {
	p.row(string(f.Code), f.Severity.String(), f.Sitemap, strconv.Itoa(f.Pos.Line),
		strconv.Itoa(f.Column), f.Loc, f.Text, f.Message, f.Fix,
		strconv.FormatBool(f.Dropped), target)
}
