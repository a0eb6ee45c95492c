package audit

import (
	"slices"
	"strings"

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
}

// Rules returns all rules, sorted by code: those of reading, those that end a document, and those
// of documents, sites and pages.
func Rules() []Rule { return slices.Clone(rules) }

// RuleOf returns the rule with this code.
func RuleOf(code sitemap.Code) (Rule, bool) {
	i, ok := slices.BinarySearchFunc(rules, code, func(r Rule, code sitemap.Code) int {
		return strings.Compare(string(r.Code), string(code))
	})
	if !ok {
		return Rule{}, false
	}
	return rules[i], true
}

// rules are all rules, sorted by code.
var rules = sorted(readingRules, endingRules, documentRules, extensionRules, siteRules, pageRules)

func sorted(groups ...[]Rule) []Rule {
	all := slices.Concat(groups...)
	slices.SortFunc(
		all,
		func(a, b Rule) int { return strings.Compare(string(a.Code), string(b.Code)) },
	)
	return all
}

// The severities, for the tables of rules.
const (
	info    = sitemap.SeverityInfo
	warning = sitemap.SeverityWarning
	failure = sitemap.SeverityError
)
