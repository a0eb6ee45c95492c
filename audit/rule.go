package audit

import (
	"cmp"
	"slices"

	"github.com/seed-322c453a/sitemap"
)

// A Rule is something that an audit judges.
type Rule struct {
	Code     sitemap.Code
	Severity sitemap.Severity
	Summary  string // what the rule finds, as part of a sentence: "a lastmod that is not a W3C date"
	Why      string // what it leads to
	Fix      string // what to do about it
	Source   string // who says so: a section of the protocol, an RFC, the documentation of an engine
	habit    bool   // a document may have many findings, of one habit of its generator
}

// rules holds all rules. Each is registered in the file of its topic.
var rules = map[sitemap.Code]Rule{}

func register(list ...Rule) struct{} {
	for _, r := range list {
		rules[r.Code] = r
	}
	return struct{}{}
}

// Rules returns all rules, sorted by code: those of reading, those that end a document, and those
// of documents, sites and pages.
func Rules() []Rule {
	all := make([]Rule, 0, len(rules))
	for _, r := range rules {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Rule) int { return cmp.Compare(a.Code, b.Code) })
	return all
}

// RuleOf returns the rule with this code.
func RuleOf(code sitemap.Code) (Rule, bool) {
	r, ok := rules[code]
	return r, ok
}

// of returns the rule with a code of this package, for a finding.
func of(code sitemap.Code) Rule { return rules[code] }

// with returns the rule with another severity, for one of its findings.
func (r Rule) with(s sitemap.Severity) Rule {
	r.Severity = s
	return r
}

// fixedBy returns the rule with the fix for one of its findings.
func (r Rule) fixedBy(fix string) Rule {
	r.Fix = fix
	return r
}

// The severities, for the tables of rules.
const (
	info    = sitemap.SeverityInfo
	warning = sitemap.SeverityWarning
	failure = sitemap.SeverityError
)
