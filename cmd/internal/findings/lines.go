package findings

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/batch"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/output"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A problemLine is a finding as jsonl prints it.
type problemLine struct {
	Type string `json:"type"`
	*batch.Finding
}

// A totalLine is the last line of jsonl.
type totalLine struct {
	Type string `json:"type"`
	Totals
}

// A jsonPrinter prints one object a line.
type jsonPrinter struct{ *writer }

func (p *jsonPrinter) print(v any) { p.Write(append(jsonl.Marshal(v), '\n')) }

func (p *jsonPrinter) Finding(f *audit.Finding, target string) {
	p.print(problemLine{"problem", batch.NewFinding(f, target)})
}

func (p *jsonPrinter) Document(d *DocumentEnd) { p.Write(d.JSON) }

func (p *jsonPrinter) End(t Totals) error {
	p.print(totalLine{"total", t})
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

// A githubPrinter prints the workflow commands that GitHub shows beside the lines of a file.
type githubPrinter struct{ *writer }

var (
	dataEscaper     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer(":", "%3A", ",", "%2C")
)

func (p *githubPrinter) Finding(f *audit.Finding, _ string) {
	command := f.Severity.String()
	if f.Severity == sitemap.SeverityInfo {
		command = "notice"
	}
	name := dataEscaper.Replace(printable(filepath.ToSlash(f.Sitemap)))
	place := "file=" + propertyEscaper.Replace(name)
	if f.Pos.Line > 0 {
		place += fmt.Sprintf(",line=%d", f.Pos.Line)
		if f.Column > 0 {
			place += fmt.Sprintf(",col=%d", f.Column)
		}
	}
	message := f.Message
	if f.Loc != "" && !strings.Contains(message, f.Loc) {
		message += "\n" + f.Loc
	}
	if f.Fix != "" {
		message += "\n" + f.Fix
	}
	fmt.Fprintf(p, "::%s %s,title=%s::%s\n", command, place,
		f.Code, dataEscaper.Replace(cli.Harmless(message, "\r\n\t")))
}
