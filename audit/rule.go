package audit

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seed-322c453a/sitemap"
)

// A Rule is one kind of defect that an audit finds.
type Rule struct {
	Code     sitemap.Code     `json:"code"`
	Severity sitemap.Severity `json:"severity"`
	// Summary is the defect, as part of a sentence: "a lastmod that is not a W3C date".
	Summary string `json:"summary"`
	Why     string `json:"why"`    // the consequence
	Fix     string `json:"fix"`    // how to fix it
	Source  string `json:"source"` // a section of the protocol, an RFC, an engine's documentation
	habit   bool   // see ofHabit
}

// rule returns a rule. Its texts are the defect, the consequence, and how to fix it.
func rule(code sitemap.Code, severity sitemap.Severity, source, summary, why, fix string) Rule {
	return Rule{code, severity, summary, why, fix, source, false}
}

// ofHabit returns the rule for a defect that a generator makes in each entry. In a document, only
// its first findings are reported, and the number of the others.
func (r Rule) ofHabit() Rule {
	r.habit = true
	return r
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
	byCode := func(a, b Rule) int { return cmp.Compare(a.Code, b.Code) }
	return slices.SortedFunc(maps.Values(rules), byCode)
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

// Sources of several rules, each with the title of the page or the number of the section.
const (
	protocolXML      = `sitemaps.org, "Sitemaps XML format"`
	protocolTags     = `sitemaps.org, "XML tag definitions"`
	protocolEscaping = `sitemaps.org, "Entity escaping"`
	protocolIndex    = `sitemaps.org, "Using Sitemap index files"`
	protocolText     = `sitemaps.org, "Other Sitemap formats"`
	protocolLocation = `sitemaps.org, "Sitemap file location"`
	protocolCross    = `sitemaps.org, "Sitemaps & Cross Submits"`
	protocolSubmit   = `sitemaps.org, "Informing search engine crawlers"`
	protocolFAQ      = `sitemaps.org, "Frequently asked questions"`
	protocolSchema   = "sitemaps.org, the schemas sitemap.xsd and siteindex.xsd"

	xmlProlog = "XML 1.0, section 2.8"
	rfcGzip   = "RFC 1952, section 2.2"
	rfcURI    = "RFC 3986, section 3"
	w3cDates  = protocolTags + `; W3C, "Date and Time Formats"`

	google           = "Google Search Central, "
	googleBuild      = google + `"Build and submit a sitemap"`
	googleIndex      = google + `"Manage your sitemaps with a sitemap index file"`
	googleRecords    = googleImages + `; "News sitemaps"; "Video sitemaps and alternatives"`
	googleNews       = google + `"News sitemaps"`
	googleImages     = google + `"Image sitemaps"`
	googleVideos     = google + `"Video sitemaps and alternatives"`
	googleAlternates = google + `"Tell Google about localized versions of your page"`
	googleCanonical  = google +
		`"How to specify a canonical URL with rel="canonical" and other methods"`
	googleStatus = google +
		`"How HTTP status codes, and network and DNS errors affect Google Search"`
	googleRobotsMeta = google + `"Robots meta tag, data-nosnippet, and X-Robots-Tag specifications"`
	searchConsole    = `Search Console Help, "Manage your sitemaps using the Sitemaps report"`
	bingLastMod      = "Bing Webmaster Blog, " +
		`"The Importance of Setting the "lastmod" Tag in Your Sitemap"`
)
