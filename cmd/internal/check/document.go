package check

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/lists"
	"github.com/seed-322c453a/sitemap/cmd/internal/target"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/jsonl"
)

// A targetAudit is the audit of one target.
type targetAudit struct {
	*lists.Visit
	c     *Checker
	found int    // in the document that is audited
	dir   string // the folder that is audited, or ""
	root  *target.Folder
}

// isHabit reports whether a finding describes a site rather than a defect. It is shown if asked
// for.
func isHabit(code sitemap.Code) bool {
	return code == audit.LastmodCoverage || code == audit.PriorityAllEqual
}

// finding prints a finding that is wanted.
func (x *targetAudit) finding(f *audit.Finding) {
	if x.c.baseline.Has(f) {
		return
	}
	if isHabit(f.Code) && !x.c.flags.All && x.c.Options.Only == nil {
		x.c.hidden.Add(1)
		return
	}
	x.found++
	x.c.fail(f.Severity)
	f.Sitemap = x.shownName(f.Sitemap)
	if f.Code == audit.PageNotListed && x.isBesideLines() {
		f.Sitemap = filepath.Join(x.dir, filepath.FromSlash(f.Text))
	}
	r := &result{Target: x.Record.Target, Finding: f}
	r.Totals.Count(f.Severity)
	x.print(r)
}

// page counts the outcome for a page.
func (x *targetAudit) page(p audit.PageResult) {
	r := &result{Page: &p}
	if p.Reason == "" {
		r.Totals.Judged = 1
	}
	x.print(r)
}

// print prints a result now, or when it is the turn of the target.
func (x *targetAudit) print(r *result) {
	if x.OneByOne() {
		x.c.print(r)
	} else {
		x.Write(append(jsonl.Marshal(r), '\n'))
	}
}

// targetFailed prints a target that could not be audited.
func (x *targetAudit) targetFailed(err error, hint string) {
	x.document(x.Target.Label(), &discover.Summary{Err: err}, hint, false)
}

// A documentLine is a document as "check --format jsonl" prints it.
type documentLine struct {
	Type     string       `json:"type"`
	Sitemap  string       `json:"sitemap"`
	Format   string       `json:"format,omitempty"`
	Encoding string       `json:"encoding,omitempty"`
	Entries  int64        `json:"entries"`
	Problems int          `json:"problems"`
	Skipped  string       `json:"skipped,omitempty"`
	Target   string       `json:"target"`
	Status   int          `json:"status,omitempty"`
	Failed   bool         `json:"failed,omitempty"` // it could not be read at all
	Error    *jsonl.Error `json:"error,omitempty"`
}

// text returns the line of a document, after its name.
func (d *documentLine) text(sum *discover.Summary) string {
	switch {
	case d.Skipped != "":
		return "left out (" + d.Skipped + ")"
	case d.Format == "":
		return cli.Plural(d.Problems, "finding")
	}
	return strings.Join(
		[]string{d.Format, d.Encoding, cli.Listed(sum), cli.Plural(d.Problems, "finding")}, ", ")
}

// document prints a document, or with isDocument unset a target that could not be audited.
func (x *targetAudit) document(name string, sum *discover.Summary, hint string, isDocument bool) {
	d := &documentLine{
		Type: "document", Sitemap: name, Format: sum.Format.String(), Encoding: sum.Encoding,
		Entries: sum.Entries, Problems: x.found, Skipped: cli.Skipped(sum), Target: x.Record.Target,
		Status: sum.Status, Error: jsonl.ErrorOf(name, sum.Err),
	}
	d.Failed = sum.Err != nil && d.Format == "" && d.Entries == 0 &&
		!errors.Is(sum.Err, discover.ErrLimit)
	line := &findings.DocumentEnd{
		Name: cli.FileName(x.shownName(name)), Target: d.Target, Text: d.text(sum),
		JSON: append(jsonl.Marshal(d), '\n'),
	}
	x.found = 0
	r := &result{Document: line}
	t := &r.Totals
	if isDocument {
		line.Summary = sum
		t.Documents++
		if sum.Format != sitemap.SitemapIndex && sum.Format != sitemap.UnknownFormat {
			t.URLs += sum.Entries
		}
		x.CountEntries(sum)
	}
	if d.Error != nil {
		x.NoteCause(name, sum.Err)
		line.Code, line.Message = d.Error.Code, d.Error.Message+hint
		line.Known = x.c.isKnown(sum.Err)
		if f := x.c.flags.Format; f != "text" && f != "github" { // formats for programs
			x.App.Log.Printf("%s: %s", line.Name, line.Message)
		}
		if !line.Known {
			t.Errors++
			x.c.fail(sitemap.SeverityError)
		}
	}
	x.print(r)
	x.EndDocument(name)
}

// isBesideLines reports whether a folder is audited, in a format that shows findings beside the
// lines of its files.
func (x *targetAudit) isBesideLines() bool {
	format := x.c.flags.Format
	return x.dir != "" && (format == "github" || format == "sarif")
}

// shownName returns the name of a document in findings. Beside the lines of files, it is the path
// in the folder, if the document is there.
func (x *targetAudit) shownName(loc string) string {
	if !x.isBesideLines() {
		return loc
	}
	u, err := url.Parse(loc)
	if err != nil {
		return loc
	}
	if name, ok := x.root.FileAt(u); ok {
		return filepath.Join(x.dir, filepath.FromSlash(name))
	}
	return loc
}
