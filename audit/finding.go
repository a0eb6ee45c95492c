package audit

import (
	"fmt"
	"iter"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// A Finding is one place where a rule is broken.
type Finding struct {
	Code     sitemap.Code
	Severity sitemap.Severity
	// Sitemap is the location of the document, or of the robots.txt, or the name of the file. It is
	// the URL of the site if the finding is about no document.
	Sitemap string
	// Pos is the place in the decoded document. It is zero if the finding has no place.
	Pos sitemap.Position
	// Column is the number of the character in the line of Pos, from 1. It is 0 if it is not known.
	Column int
	// Loc is the URL of the entry, if the finding is about one.
	Loc string
	// Text is the value as it is in the document, at most 256 bytes of it.
	Text string
	// Message is a sentence that names the value.
	Message string
	// Fix is a sentence that says how to fix the defect.
	Fix string
	// Dropped reports whether an entry was dropped because of it.
	Dropped bool
	// Excerpt is the line of the document around the place, if [Options.Excerpts] is set.
	Excerpt Excerpt
}

// An Excerpt is the part of a line around a place.
type Excerpt struct {
	Text  string // at most 120 bytes
	Caret int    // the index of the place in Text
}

// A place is where a finding is.
type place struct {
	sitemap string // document
	loc     string // URL of the entry, or ""
	pos     sitemap.Position
	column  int // in characters
	excerpt Excerpt
	dropped bool // an entry was dropped because of what is there
}

// of returns the place with the URL of its entry.
func (p place) of(loc string) place {
	p.loc = loc
	return p
}

// A tally counts places, and remembers the first one.
type tally struct {
	count int
	first place
}

func (t *tally) add(at func() place) {
	if t.count++; t.count == 1 {
		t.first = at()
	}
}

// addAll adds the places of another tally.
func (t *tally) addAll(other tally) {
	if t.count == 0 {
		t.first = other.first
	}
	t.count += other.count
}

// A reporter reports the findings of rules.
type reporter struct {
	o       *Options
	found   func(Finding) // receives each finding
	stopped bool          // the caller wants no further findings
}

// report reports a defect at a place, with the value and a sentence that names it.
func (r *reporter) report(rule Rule, at place, text, format string, args ...any) {
	if r.stopped || !r.o.wants(rule.Code) {
		return
	}
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	f := Finding{
		Code: rule.Code, Severity: rule.Severity, Fix: rule.Fix, Message: format,
		Sitemap: sitemap.Redact(at.sitemap), Loc: sitemap.Redact(at.loc),
		Pos: at.pos, Column: at.column, Excerpt: at.excerpt, Dropped: at.dropped,
		Text: sitemap.Redact(chars.Excerpt(text)),
	}
	if sitemap.Redact(f.Excerpt.Text) != f.Excerpt.Text {
		f.Excerpt = Excerpt{}
	}
	r.found(f)
}

// sequence returns the findings that an audit reports, and then its error.
func sequence(o *Options, audit func(r *reporter) error) iter.Seq2[Finding, error] {
	if o == nil {
		o = new(Options)
	}
	return func(yield func(Finding, error) bool) {
		r := &reporter{o: o}
		r.found = func(f Finding) { r.stopped = r.stopped || !yield(f, nil) }
		if err := audit(r); err != nil && !r.stopped {
			yield(Finding{}, err)
		}
	}
}

// quoted returns a value in quotes, at most 80 bytes of it.
func quoted[T ~string | ~[]byte](s T) string { return chars.Quote(sitemap.Redact(string(s))) }

// plural returns "1 URL is" or "12 URLs are".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
