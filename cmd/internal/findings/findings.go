// Package findings prints findings of an audit, as text and in the formats that other programs
// read.
//
// Each file builds on those below it:
//
//	findings.go  the formats
//	junit.go     JUnit XML
//	sarif.go     SARIF 2.1.0
//	baseline.go  findings of an earlier run, and the keys of findings
//	lines.go     jsonl, csv and workflow commands of GitHub
//	text.go      text, grouped by rule, with lines of documents
//	printer.go   Printer, and what it prints
package findings

import (
	"io"

	"github.com/seed-322c453a/sitemap"
)

// Formats are the names of the formats.
var Formats = []string{"text", "jsonl", "csv", "sarif", "junit", "github"}

// New returns the printer of one of the formats.
func New(format string, w io.Writer, o Options) Printer {
	out := &writer{Writer: w}
	switch format {
	case "jsonl":
		return &jsonPrinter{out}
	case "csv":
		return withErrors{newCSV(out, o.Raw)}
	case "sarif":
		return withErrors{&sarifPrinter{writer: out, o: o}}
	case "junit":
		return withErrors{newJUnit(out, o)}
	case "github":
		return withErrors{&githubPrinter{out}}
	}
	return withErrors{&textPrinter{w: out, o: o, groups: map[sitemap.Code]*group{}}}
}
