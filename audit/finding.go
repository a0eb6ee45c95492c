package audit

import (
	"strings"

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
	// Pos is the place in the decoded document. It is zero if there is none.
	Pos sitemap.Position
	// Column is the number of the character in the line of Pos, from 1. It is 0 if it is not known.
	Column int
	// Loc is the URL of the entry, if the finding is about one.
	Loc string
	// Text is the value, as it is in the document, at most 256 bytes of it.
	Text string
	// Message is a sentence that names the value.
	Message string
	// Fix says how to mend it.
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

// completed fills in what the rule says, unless that has been done.
func completed(f Finding) Finding {
	f.Loc, f.Text = withoutUser(f.Loc), withoutUser(f.Text)
	if withoutUser(f.Excerpt.Text) != f.Excerpt.Text {
		f.Excerpt = Excerpt{}
	}
	if f.Fix == "" {
		rule, _ := RuleOf(f.Code)
		f.Severity, f.Fix = rule.Severity, rule.Fix
	}
	return f
}

// withoutUser returns text without the user name and password of a URL in it.
func withoutUser(s string) string {
	if strings.IndexByte(s, '@') < 0 {
		return s
	}
	return sitemap.Redact(s)
}

// quoted returns a value in quotes, at most 80 bytes of it.
func quoted(s string) string { return chars.Quote(withoutUser(s)) }
