// Package findings prints what an audit finds, as text and in the formats that other programs read.
//
// The files:
//
//	findings.go  Printer and its formats
//	text.go      text, grouped by rule
//	lines.go     jsonl and csv
//	sarif.go     SARIF 2.1.0
//	junit.go     JUnit XML
//	github.go    workflow commands of GitHub
//	baseline.go  findings of an earlier run
package findings

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
)

// A Printer prints findings. Those in a document come before the document.
type Printer interface {
	// Finding prints a finding in the audit of a target, as it was given.
	Finding(f *audit.Finding, target string)
	Document(d *Document)
	// End prints what comes last. Its error is that of the output.
	End(t Totals) error
}

// A Document is one that has been audited, or that could not be.
type Document struct {
	Name    string
	Text    string            // what it is
	JSON    []byte            // what jsonl prints, with its line end
	Code    string            // of the error that ended it, or ""
	Message string            // of that error
	Known   bool              // a finding says it as well
	Summary *discover.Summary // nil for a target that could not be audited
}

// Totals are counts of a run.
type Totals struct {
	Documents, URLs         int64
	Errors, Warnings, Infos int64
}

// Count counts a finding.
func (t *Totals) Count(s sitemap.Severity) {
	switch s {
	case sitemap.SeverityError:
		t.Errors++
	case sitemap.SeverityWarning:
		t.Warnings++
	default:
		t.Infos++
	}
}

// Options are those of a format.
type Options struct {
	All      bool // text: print all findings of a group
	Verbose  bool // text: print documents without findings
	Color    bool // text: use colours
	FailOn   sitemap.Severity
	NeverBad bool // no finding is a failure, for junit
}

// Formats are the names of the formats.
var Formats = []string{"text", "jsonl", "csv", "sarif", "junit", "github"}

// New returns the printer of a format.
func New(format string, w io.Writer, o Options) (Printer, error) {
	switch format {
	case "text":
		return &textPrinter{w: w, o: o, groups: map[sitemap.Code]*group{}}, nil
	case "jsonl":
		return &jsonPrinter{w: w}, nil
	case "csv":
		return newCSV(w), nil
	case "sarif":
		return newSARIF(w)
	case "junit":
		return &junitPrinter{
			w: w, o: o, index: map[string]int{}, cases: map[junitKey]*junitTexts{},
		}, nil
	case "github":
		return &githubPrinter{w: w}, nil
	}
	return nil, fmt.Errorf("unknown format %q: want %s or %s", format,
		strings.Join(Formats[:len(Formats)-1], ", "), Formats[len(Formats)-1])
}

// OfDocument returns the error that ended a document as a finding.
func OfDocument(d *Document) *audit.Finding {
	rule, _ := audit.RuleOf(sitemap.Code(d.Code))
	return &audit.Finding{
		Code:     sitemap.Code(d.Code),
		Severity: sitemap.SeverityError,
		Sitemap:  d.Name,
		Message:  d.Message,
		Fix:      rule.Fix,
	}
}
