package audit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/seed-322c453a/sitemap"
)

// ruleOf returns the rule about a problem of reading. If the schema judges the value differently,
// its severity applies.
func (j *judge) ruleOf(p sitemap.Problem) Rule {
	rule, text := of(p.Code), strings.Trim(p.Text, " \t\r\n")
	switch {
	case p.Code == sitemap.MismatchedTag:
		return malformed(p.Text)
	case p.Code == sitemap.UndeclaredPrefix:
		return undeclared(p.Text)
	case p.Code == sitemap.BogusLoc && isNearURL(text) && template(text) == "":
		return rule.fixedBy("Write only the URL, with its scheme and two slashes, and no quotes: " +
			"https://www.example.com/page.")
	case p.Code == sitemap.MissingLoc && j.format == sitemap.RSS:
		return rule.fixedBy(of(sitemap.GuidAsLoc).Fix)
	case p.Code == sitemap.MissingLoc && j.format == sitemap.Atom:
		return rule.fixedBy(of(sitemap.IDAsLoc).Fix)
	case p.Code == sitemap.NonstandardLastMod && isFeed(j.format):
		return rule.fixedBy(of(sitemap.BadFeedDate).Fix)
	case p.Code == sitemap.NonstandardLastMod && j.hasSchema() && isW3CDate(text),
		p.Code == sitemap.NonstandardPriority && decimal().MatchString(text):
		return rule.with(info) // white space around it, or more digits
	case p.Code == sitemap.ImplausibleLastMod && j.hasSchema() && farZone().MatchString(text):
		return rule.with(failure) // the schema has no such zone
	}
	return rule
}

// isNearURL reports whether a text that is not a URL seems to be meant as one.
func isNearURL(text string) bool {
	return strings.Contains(text, "//") || strings.Contains(strings.ToLower(text), "http")
}

// problem reports a problem of reading, unless another finding is about the same defect.
func (j *judge) problem(p sitemap.Problem) {
	at := j.at(p.Pos)
	switch p.Code {
	case sitemap.UnknownNamespace:
		if hasSmartQuotes(p.Text) {
			return
		}
	case sitemap.MismatchedTag:
		if p.Text == "<!--" {
			j.once["comment"] = true
		}
	case sitemap.EncodingFallback:
		j.fallback = p
		return
	case sitemap.StrayText, sitemap.ForeignElement:
		isSame := func(f Finding) bool { return f.Pos == p.Pos }
		if j.once["comment"] || slices.ContainsFunc(j.held, isSame) || j.isInUnknown(p.Pos.Offset) {
			return // "comment": one without its end
		}
	case sitemap.ZoneAssumed:
		if j.hasSchema() && !isW3CDate(strings.TrimSpace(p.Text)+"Z") { // a nonstandard_lastmod
			return
		}
	case sitemap.NoEntries:
		if j.head.pos.Line > 0 {
			at = j.head
		}
	case sitemap.WrappedRoot:
		j.once["wrapped"] = true
	case sitemap.JunkAfterRoot:
		if j.once["wrapped"] && strings.HasPrefix(p.Text, "</") { // an end tag around the root
			return
		}
	case sitemap.BogusLoc:
		if t := template(p.Text); t != "" && !j.first(t) {
			return
		}
	}
	if p.Dropped || !j.isRepeat(of(p.Code), at) {
		at.dropped = p.Dropped
		j.report(j.ruleOf(p), at, p.Text, "%s", p.Message())
	}
}

// isInUnknown reports whether text at an offset follows the start tag of an element that is neither
// the root nor an entry. That the schema does not have the element is the finding.
func (j *judge) isInUnknown(offset int64) bool {
	if !j.holds(offset) {
		return false
	}
	before := bytes.TrimRight(j.in.Start()[:offset-j.base()], " \t\r\n")
	tag := bytes.LastIndexByte(before, '<')
	if tag < 0 || !bytes.HasSuffix(before, []byte(">")) || bytes.HasSuffix(before, []byte("/>")) {
		return false
	}
	at := j.base() + int64(tag)
	return slices.ContainsFunc(j.held, func(f Finding) bool {
		return f.Code == sitemap.UnknownElement && f.Pos.Offset == at
	})
}
