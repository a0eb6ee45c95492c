// Package report is the command sitemap report, which draws the audit of a site as one HTML file.
// The file loads nothing and runs no script but its own.
//
// Each file builds on those below it:
//
//	command.go  sitemap report
//	page.go     the page, by page.html with style.css and script.js
//	since.go    what has changed since an earlier audit
//	charts.go   bars, fetches, and sitemaps by their entries
//	report.go   Report, and what it collects
package report

import (
	"cmp"
	"io"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/audit"
	"github.com/seed-322c453a/sitemap/cmd/internal/findings"
	"github.com/seed-322c453a/sitemap/cmd/internal/stats"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/pattern"
)

// A Report collects the findings of the audit of one target, and prints them as a page. It is a
// [findings.Printer]. It is not safe for concurrent use.
type Report struct {
	w      io.Writer
	target string
	begun  time.Time

	documents   []*auditedDocument // those that have findings only as well
	byName      map[string]*auditedDocument
	groups      map[sitemap.Code]*group
	failures    []string // why the target could not be audited to its end
	read        bool     // something of a document could be read
	pages       int64
	dated       int64          // pages with a lastmod
	months      map[name]int64 // pages by the month of their lastmod
	directories map[name]int64 // pages by their first directory
	hosts       map[name]int64 // pages by host, and what entitles sitemaps to list them
	earlier     *earlierRun    // nil if there is no earlier audit
}

// An auditedDocument is a sitemap, or whatever else has findings.
type auditedDocument struct {
	Name              string
	*discover.Summary // nil if it is no sitemap that was audited
	Error             string
	Begun             time.Duration // since the report's begin
	Found             findings.Totals
}

// A group holds the findings of one rule.
type group struct {
	Code     sitemap.Code
	Severity sitemap.Severity
	Count    int64
	Examples []audit.Finding
}

// A name is what pages or documents are counted by: one word, or two.
type name struct{ Name, Note string }

const (
	maxExamples = 20     // findings of a rule that are shown
	maxNames    = 10_000 // of one kind that are counted separately
)

// New returns a report about a target, which is printed to w. The target is audited from now on.
func New(w io.Writer, target string) *Report {
	return &Report{
		w: w, target: target, begun: time.Now(), byName: map[string]*auditedDocument{},
		groups: map[sitemap.Code]*group{}, months: map[name]int64{},
		directories: map[name]int64{}, hosts: map[name]int64{},
	}
}

// document returns the document with a name.
func (r *Report) document(name string) *auditedDocument {
	d := r.byName[name]
	if d == nil {
		d = &auditedDocument{Name: name}
		r.byName[name] = d
		r.documents = append(r.documents, d)
	}
	return d
}

// Finding takes a finding.
func (r *Report) Finding(f *audit.Finding, _ string) {
	r.add(f)
	if r.earlier != nil {
		r.earlier.compare(f)
	}
}

// An earlierRun is the earlier audit of a target.
type earlierRun struct {
	name      string
	findings  map[findings.Key]int64 // how often, without those that were found again
	fresh     map[sitemap.Code]int64 // findings that it did not have
	gone      map[sitemap.Code]int64 // findings that were not found again
	documents map[string]findings.Line
}

// compare counts a finding as fresh if the earlier audit lacks it. If a key has more findings than
// before, the surplus is fresh.
func (e *earlierRun) compare(f *audit.Finding) {
	key := findings.KeyOf(f.Code, f.Sitemap, f.Loc, f.Text)
	if e.findings[key] == 0 {
		e.fresh[f.Code]++
		return
	}
	e.findings[key]--
	e.gone[f.Code]--
}

// Problem takes a problem of a walk. It counts the pages that a sitemap may not list.
func (r *Report) Problem(_ *discover.Sitemap, p sitemap.Problem) {
	if p.Code == sitemap.UntrustedLoc {
		host, _ := stats.Split(p.Text)
		count(r.hosts, name{host, trust.Untrusted.String()})
	}
}

// add adds a finding to its group and its document.
func (r *Report) add(f *audit.Finding) {
	g := r.groups[f.Code]
	if g == nil {
		g = &group{Code: f.Code, Severity: f.Severity}
		r.groups[f.Code] = g
	}
	if g.Count++; len(g.Examples) < maxExamples {
		g.Examples = append(g.Examples, *f)
	}
	r.document(f.Sitemap).Found.Count(f.Severity)
}

// Document takes a document that has been audited, or a target that could not be.
func (r *Report) Document(d *findings.DocumentEnd) {
	if f := d.Finding(); f != nil {
		r.add(f)
	}
	if d.Summary == nil {
		r.failures = append(r.failures, d.Name+": "+d.Message)
		return
	}
	doc := r.document(d.Name)
	doc.Summary, doc.Error = d.Summary, d.Message
	doc.Begun = max(0, time.Since(r.begun)-doc.Elapsed)
	r.read = r.read || doc.Format != sitemap.UnknownFormat || d.Code == ""
}

// Page takes a page that a sitemap lists.
func (r *Report) Page(u *discover.URL) {
	r.pages++
	if !u.LastMod.IsZero() {
		r.dated++
		count(r.months, name{stats.Month(u.LastMod), ""})
	}
	host, directory := stats.Split(u.Loc)
	count(r.directories, name{directory, ""})
	count(r.hosts, name{host, cmp.Or(u.Trust.String(), "not judged")})
}

// escapes matches characters of a URL that are escaped.
var escapes = pattern.Of(`(%[0-9A-Fa-f]{2})+`)

// readable returns a text with the characters that the escapes of URLs stand for, where they can be
// seen: /мир for /%D0%BC%D0%B8%D1%80. Links and excerpts keep the escapes.
func readable(text string) string {
	return escapes().ReplaceAllStringFunc(text, func(escaped string) string {
		plain, err := url.PathUnescape(escaped)
		if err == nil && !strings.ContainsFunc(plain, isHidden) {
			return plain
		}
		return escaped
	})
}

// isHidden reports whether a character is invisible or invalid, or would look like an escape.
func isHidden(r rune) bool {
	return r == '%' || r == unicode.ReplacementChar || !unicode.IsPrint(r)
}

// count adds one to the number of n, or of others if there are too many names.
func count(numbers map[name]int64, n name) {
	if _, ok := numbers[n]; !ok && len(numbers) >= maxNames {
		n.Name = "(others)"
	}
	numbers[n]++
}
