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
	case p.Code == sitemap.UnknownNamespace && j.format == sitemap.RSS:
		return rule.fixedBy(`Write the root without a namespace of its own: <rss version="2.0">.`)
	case (p.Code == sitemap.MissingNamespace || p.Code == sitemap.UnknownNamespace) &&
		j.format == sitemap.Atom:
		return rule.fixedBy("Declare the namespace in the root: <feed " +
			`xmlns="http://www.w3.org/2005/Atom">.`)
	case p.Code == sitemap.DoubleEscaped && j.format == sitemap.Text:
		return rule.fixedBy("Write & for &amp;: a text sitemap is not XML.")
	case p.Code == sitemap.MisplacedElement && slices.Contains(entryTags, text):
		return rule.fixedBy("Correct the name of the root, or move the entry to another " +
			"document: a urlset has url elements, a sitemapindex has sitemap elements.")
	case (p.Code == sitemap.NonstandardLastMod || p.Code == sitemap.ZoneAssumed) && isFeed(j.format):
		return rule.fixedBy(of(sitemap.BadFeedDate).Fix)
	case p.Code == sitemap.NonstandardLastMod && j.hasSchema() && isW3CDate(text),
		p.Code == sitemap.NonstandardPriority && decimal().MatchString(text):
		return rule.with(info) // white space around it, or more digits
	case p.Code == sitemap.ImplausibleLastMod && j.hasSchema() && farZone().MatchString(text):
		return rule.with(failure) // the schema has no such zone
	}
	return rule
}

// entryTags are the tags that start entries. They are misplaced if the root has another name.
var entryTags = []string{"<url>", "<sitemap>"}

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

// merge keeps only the first tag that is missing or malformed, and values at other places, of the
// findings between two offsets, since the rest may be consequences. The tag of an entry, where that
// starts, is about the entry before.
func (j *judge) merge(from, to int64) {
	isOf := func(f Finding) bool {
		at, isStart := f.Pos.Offset, isTag(f) && slices.Contains(entryTags, f.Text)
		return at > j.head.pos.Offset && f.Code != sitemap.MissingNamespace &&
			(from < at && at < to || at == to && isStart || at == from && !isStart)
	}
	root := slices.IndexFunc(j.held, func(f Finding) bool { return isTag(f) && isOf(f) })
	if root < 0 {
		return
	}
	isOpened := func(f Finding) bool {
		return f.Pos.Offset == from && j.held[root].Text == strings.Replace(f.Text, "<", "</", 1)
	}
	if slices.ContainsFunc(j.held, isOpened) {
		j.held = slices.Delete(j.held, root, root+1) // <url><url></url></url>
		j.merge(from, to)
		return
	}
	kept, tag, at, isDropped := j.held[:0], j.held[root], 0, false
	for i, f := range j.held {
		if i == root {
			at = len(kept)
		} else if isOf(f) && (!isValue(f) || f.Pos == tag.Pos) {
			isDropped = isDropped || f.Dropped
			continue
		}
		kept = append(kept, f)
	}
	kept[at].Dropped = kept[at].Dropped || isDropped
	j.held = kept
}

// isTag reports whether a finding is about a tag that is missing or malformed.
func isTag(f Finding) bool {
	return f.Code == sitemap.MismatchedTag || f.Code == SmartQuotes
}

// isValue reports whether a finding is about a value that no tag has damaged.
func isValue(f Finding) bool {
	text := strings.TrimSpace(f.Text)
	return text != "" && text == f.Text && !strings.ContainsAny(text, `<>"”`) &&
		!slices.Contains(aboutMarkup, f.Code)
}

// aboutMarkup are codes whose findings have a text that is no value.
var aboutMarkup = []sitemap.Code{ElementOrder, NewsRepeated, sitemap.RepeatedElement,
	sitemap.SeveralLocs, sitemap.StrayText, sitemap.TextAsLoc, sitemap.UnknownElement}
