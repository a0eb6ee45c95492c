package findings

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
)

// A sarifPrinter collects findings for one report in SARIF 2.1.0 (OASIS).
type sarifPrinter struct {
	w     io.Writer
	run   *sarif.Run
	rules map[sitemap.Code]bool
}

func newSARIF(w io.Writer) (*sarifPrinter, error) {
	run := sarif.NewRunWithInformationURI("sitemap", "https://www.sitemaps.org/protocol.html")
	kind := "unicodeCodePoints"
	run.ColumnKind = &kind
	run.Results = []*sarif.Result{}
	return &sarifPrinter{w, run, map[sitemap.Code]bool{}}, nil
}

// sarifLevel returns the level of a severity.
func sarifLevel(s sitemap.Severity) string {
	if s == sitemap.SeverityInfo {
		return "note"
	}
	return s.String()
}

// rule adds the rule of a finding to the report.
func (p *sarifPrinter) rule(code sitemap.Code) {
	if p.rules[code] {
		return
	}
	p.rules[code] = true
	r, _ := audit.RuleOf(code)
	text := func(s string) *sarif.MultiformatMessageString {
		return sarif.NewMultiformatMessageString().WithText(s)
	}
	p.run.AddRule(string(code)).
		WithShortDescription(text(r.Summary)).
		WithFullDescription(text(r.Why)).
		WithHelp(text(r.Fix + " Source: " + r.Source + ".")).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(sarifLevel(r.Severity)))
}

func (p *sarifPrinter) Finding(f *audit.Finding, _ string) {
	p.rule(f.Code)
	where := sarif.NewPhysicalLocation().
		WithArtifactLocation(sarif.NewSimpleArtifactLocation(reference(f.Sitemap)))
	if f.Pos.Line > 0 {
		region := sarif.NewRegion().WithStartLine(f.Pos.Line)
		if f.Column > 0 {
			region.WithStartColumn(f.Column)
		}
		if f.Excerpt.Text != "" {
			region.WithSnippet(sarif.NewArtifactContent().WithText(f.Excerpt.Text))
		}
		where.WithRegion(region)
	}
	properties := sarif.NewPropertyBag()
	properties.Add("loc", f.Loc).Add("text", f.Text).Add("fix", f.Fix).Add("dropped", f.Dropped)
	result := p.run.CreateResultForRule(string(f.Code)).
		WithLevel(sarifLevel(f.Severity)).
		WithMessage(sarif.NewTextMessage(f.Message)).
		WithProperties(properties)
	result.AddLocation(sarif.NewLocationWithPhysicalLocation(where))
}

// reference returns the name of a document as a URI reference.
func reference(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	return (&url.URL{Path: filepath.ToSlash(name)}).String()
}

func (p *sarifPrinter) Document(d *DocumentEnd) {
	if d.Code != "" && !d.Known {
		p.Finding(OfDocument(d), "")
	}
}

func (p *sarifPrinter) End(Totals) error {
	report := sarif.NewReport()
	report.AddRun(p.run)
	return report.PrettyWrite(p.w)
}
