package findings

import (
	"io"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/discover"
)

// A Printer prints findings. Those in a document come before the document.
type Printer interface {
	// Finding prints a finding in the audit of a target, as it was given.
	Finding(f *audit.Finding, target string)
	Document(d *DocumentEnd)
	// End prints the totals. Its error is that of the output.
	End(t Totals) error
}

// A DocumentEnd is a document that has been audited, or could not be, as it is printed.
type DocumentEnd struct {
	Name   string
	Target string // as it was given
	// IsDocument is false for a target that could not be audited.
	IsDocument bool
	URLs       int64             // that it lists
	Text       string            // its description
	JSON       []byte            // its line in jsonl, with the line end
	Code       sitemap.Code      // of the error that ended it, or ""
	Message    string            // of that error
	Known      bool              // a finding has reported it as well
	Summary    *discover.Summary `json:"-"`
}

// Totals are counts of a run.
type Totals struct {
	Documents int64  `json:"documents"`
	URLs      int64  `json:"urls"`
	Errors    int64  `json:"errors"`
	Warnings  int64  `json:"warnings"`
	Infos     int64  `json:"infos"`
	Judged    *int64 `json:"pages_judged,omitempty"` // nil without --pages
}

// Options are those of a format.
type Options struct {
	All     bool              // text: print all findings of a group
	Verbose bool              // text: print documents without findings
	Color   bool              // text: use colours
	Width   int               // text: columns that excerpts are cut to, 0 for no limit
	Raw     bool              // csv: leave cells as they are
	FailOn  sitemap.Severity  // junit: the least one of a failure
	Version string            // sarif: of the command
	Note    func(note string) // sarif: receives a note about findings left out, unless it is nil
}

// NoFailure is more severe than any finding, for Options.FailOn.
const NoFailure = sitemap.SeverityError + 1

// A writer writes until there is an error, which it keeps.
type writer struct {
	io.Writer
	err error
}

func (w *writer) Write(p []byte) (n int, err error) {
	if w.err == nil {
		n, w.err = w.Writer.Write(p)
	}
	return n, w.err
}

// Document and End are those of formats that print nothing then.
func (w *writer) Document(*DocumentEnd) {}

func (w *writer) End(Totals) error { return w.err }

// A withErrors also prints the errors that ended documents, as findings.
type withErrors struct{ Printer }

func (p withErrors) Document(d *DocumentEnd) {
	if f := d.Finding(); f != nil {
		p.Finding(f, d.Target)
	}
	p.Printer.Document(d)
}

// Count counts a finding.
func (t *Totals) Count(s sitemap.Severity) {
	*[...]*int64{&t.Infos, &t.Warnings, &t.Errors}[s]++
}

// CountDocument counts a document, and the error that ended it.
func (t *Totals) CountDocument(d *DocumentEnd) {
	if d.IsDocument {
		t.Documents++
	}
	t.URLs += d.URLs
	if d.Finding() != nil {
		t.Errors++
	}
}

// Finding returns the error that ended a document as a finding, or nil if there is none or a
// finding has reported it.
func (d *DocumentEnd) Finding() *audit.Finding {
	if d.Code == "" || d.Known {
		return nil
	}
	rule, _ := audit.RuleOf(d.Code)
	return &audit.Finding{
		Code: d.Code, Severity: sitemap.SeverityError, Sitemap: d.Name,
		Message: d.Message, Fix: rule.Fix,
	}
}
