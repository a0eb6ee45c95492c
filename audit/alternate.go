package audit

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/chars"
)

// The codes of alternates.
const (
	HreflangBadCode      sitemap.Code = "hreflang_bad_code"
	HreflangMissingHref  sitemap.Code = "hreflang_missing_href"
	HreflangNoReturn     sitemap.Code = "hreflang_no_return"
	HreflangNoSelf       sitemap.Code = "hreflang_no_self"
	HreflangRelative     sitemap.Code = "hreflang_relative"
	HreflangRepeatedCode sitemap.Code = "hreflang_repeated_code"
	HreflangTwoXDefaults sitemap.Code = "hreflang_two_x_defaults"
	XDefaultMissing      sitemap.Code = "x_default_missing"
)

var _ = register(
	rule(HreflangBadCode, failure, googleAlternates,
		"an hreflang that is not a language with an optional region, nor x-default",
		"Google ignores the alternate, so the page is not shown for this language.",
		"Write a language of ISO 639-1, with a hyphen before a country of ISO 3166-1: en-GB, not "+
			"en-UK, and de-DE, not de_DE."),
	rule(HreflangMissingHref, failure, googleAlternates, "an alternate without its URL",
		"Search Console reports a missing attribute, and the alternate is ignored.",
		`Add the URL: <xhtml:link rel="alternate" hreflang="de" `+
			`href="https://www.example.com/de/"/>.`),
	rule(HreflangNoReturn, warning, googleAlternates,
		"a page that another names as an alternate, but that does not name it in return",
		"Google ignores alternates that do not name each other.",
		"Give both pages the same set of alternates, each with itself."),
	rule(HreflangNoSelf, warning, googleAlternates,
		"an entry whose alternates do not have the entry itself",
		"Each version of a page has to list itself and all others, or Google may ignore them.",
		"Add an xhtml:link with the entry's own URL and language."),
	rule(HreflangRelative, failure, googleAlternates, "an alternate with a relative URL",
		"Google requires the complete URL, and ignores the alternate.",
		"Write the URL with scheme and host: https://www.example.com/de/, not /de/."),
	rule(HreflangRepeatedCode, warning, googleAlternates,
		"two alternates of an entry for one language and region",
		"Google cannot know which of the URLs to show.",
		"Keep one alternate for each code."),
	rule(HreflangTwoXDefaults, warning, googleAlternates,
		"two alternates of an entry for x-default",
		"Google cannot know which of the URLs to show to users of all other languages.",
		"Keep one alternate for x-default."),
	rule(sitemap.NonstandardRel, info, "RFC 4287, section 4.2.7.2",
		"a link relation in the wrong letter case",
		"It is read. Readers that compare letter by letter miss the link.",
		`Write it in lower case: rel="alternate".`),
	rule(XDefaultMissing, info, googleAlternates,
		"alternates in three or more languages without an x-default",
		"Search engines choose a page themselves for users of all other languages.",
		`Add an alternate with hreflang="x-default": the page that chooses the language, or the `+
			"most general one."),
)

// judgeAlternate judges an element that may be an alternate.
func (x *extensions) judgeAlternate(e *element) {
	rel, hasRel := e.attr("rel")
	code, hasCode := e.attr("hreflang")
	if !hasCode || hasRel && !bytes.EqualFold(rel, []byte("alternate")) {
		return
	}
	href, _ := e.attr("href")
	x.judgeLink(e.offset, string(code), string(href))
	if !hasRel {
		x.findIn(of(sitemap.BadExtension).fixedBy(`Add rel="alternate" to the link.`), e,
			string(code), "the alternate for %s has no rel", quoted(code))
	}
}

// judgeLink judges an alternate.
func (x *extensions) judgeLink(at int64, code, href string) {
	find := func(rule Rule, text, format string, args ...any) {
		x.isNamed = true
		x.findAt(rule, x.placeOf(at), text, format, args...)
	}
	switch {
	case href == "":
		find(of(HreflangMissingHref), code, "the alternate for %s has no href", quoted(code))
	case chars.SchemeOf(href) == "":
		find(of(HreflangRelative), href, "the alternate %s is a relative URL", quoted(href))
	}
	if !x.sound[code] {
		if !isHreflang(code) {
			find(of(HreflangBadCode), code,
				"hreflang %s is not a language with an optional region, nor x-default",
				quoted(code))
		} else if len(x.sound) < maxOnce {
			x.sound[code] = true
		}
	}
	x.links = append(x.links, link{at, code, href})
}

// isHreflang reports whether code is x-default or a language (ISO 639), optionally with a script
// (ISO 15924) and a country (ISO 3166-1).
func isHreflang(code string) bool {
	if strings.EqualFold(code, xDefault) {
		return true
	}
	parts := strings.Split(code, "-")
	_, err := language.ParseBase(parts[0])
	if len(parts) > 1 && len(parts[1]) == len("Latn") && err == nil {
		_, err = language.ParseScript(parts[1])
		parts = parts[1:]
	}
	if len(parts) == 1 || err != nil {
		return err == nil
	}
	region, err := language.ParseRegion(parts[1])
	return err == nil && len(parts) == 2 && len(parts[1]) == 2 && region.IsCountry() &&
		region.Canonicalize() == region
}

const (
	xDefault      = "x-default"
	manyLanguages = 3 // from which on x-default is expected
)

// endLinks judges the alternates of an entry together.
func (x *extensions) endLinks() {
	isCode := func(l link, code string) bool { return l.code == code }
	if !slices.EqualFunc(x.links, x.codes, isCode) {
		x.judgeCodes()
	}
	if x.loc != "" && !x.hasSelf() {
		x.findAt(of(HreflangNoSelf), x.placeOf(x.start), "",
			"none of the entry's alternates is the entry itself")
	}
}

// judgeCodes judges the codes of the alternates of an entry. Most entries of a document have the
// codes of the one before.
func (x *extensions) judgeCodes() {
	x.codes = x.codes[:0]
	codes, languages := map[string]bool{}, map[string]bool{} // in lower case
	for i := range x.links {
		l := &x.links[i]
		code := strings.ToLower(l.code)
		name, _, _ := strings.Cut(code, "-")
		languages[name] = true
		switch {
		case !codes[code]:
			codes[code] = true
			x.codes = append(x.codes, l.code)
		case code == xDefault:
			x.findAt(of(HreflangTwoXDefaults), x.placeOf(l.offset), l.href,
				"a second alternate for x-default")
		default:
			x.findAt(of(HreflangRepeatedCode), x.placeOf(l.offset), l.code,
				"a second alternate for %s", quoted(l.code))
		}
	}
	if n := len(languages); n >= manyLanguages && !codes[xDefault] && x.first(xDefault) {
		x.findAt(of(XDefaultMissing), x.placeOf(x.start), "",
			"alternates in %d languages, none for x-default", n)
	}
}

// hasSelf reports whether the entry is one of its alternates, or may be one of those without a
// complete URL, which have findings already.
func (x *extensions) hasSelf() bool {
	maySelf := func(l link) bool { return l.href == x.loc || chars.SchemeOf(l.href) == "" }
	if slices.ContainsFunc(x.links, maySelf) { // most do, in one spelling
		return true
	}
	normal := normalOf(x.loc)
	return slices.ContainsFunc(x.links, func(l link) bool { return normalOf(l.href) == normal })
}

// returns compares the alternates of one document. If a page names another one, that one should
// name it too.
type returns struct {
	*judge
	pages []alternatePage
	all   bool // pages without alternates count before the first one with some
	names int  // of all pages
}

// An alternatePage is a page that may have alternates.
type alternatePage struct {
	loc    string
	self   uint64 // hash of loc
	pos    sitemap.Position
	column int
	names  []uint64 // hashes of its alternates
	isDone bool     // it has a finding, as it does if an alternate has no complete URL
}

// maxReturns bounds the pages and names that are compared.
const maxReturns = 1 << 20

// add adds a page.
func (r *returns) add(e *sitemap.Entry) {
	if len(r.pages) >= maxReturns || r.names >= maxReturns {
		return
	}
	var alternates []sitemap.Alternate
	if e.Extensions != nil {
		alternates = e.Extensions.Alternates
	}
	r.all = r.all || len(alternates) > 0
	r.names += len(alternates)
	p := alternatePage{
		loc: e.Loc, self: hashOf(e.Loc), pos: e.Pos, column: r.column(e.Pos),
		names: make([]uint64, len(alternates)), isDone: len(r.links) > len(alternates),
	}
	for i, a := range alternates {
		p.names[i] = hashOf(a.Href)
	}
	r.pages = append(r.pages, p)
}

// noReturn reports a page at a place that does not name the page that names it.
func (r *reporter) noReturn(page string, at place) {
	r.report(of(HreflangNoReturn), at, page,
		"%s names this page as an alternate, and this page does not name it", quoted(page))
}

// hashOf returns a hash of the normal form of a location.
func hashOf(loc string) uint64 { return maphash.String(seed, normalOf(loc)) }

// end reports pages that do not name a page that names them, each once.
func (r *returns) end() {
	if r.names == 0 || r.names >= maxReturns {
		return
	}
	byLoc := make(map[uint64]*alternatePage, len(r.pages))
	for i := range r.pages {
		page := &r.pages[i]
		if byLoc[page.self] == nil || len(page.names) > 0 {
			byLoc[page.self] = page
		}
	}
	for i := range r.pages {
		page := &r.pages[i]
		for _, name := range page.names {
			other := byLoc[name]
			if other == nil || other.isDone || name == page.self ||
				slices.Contains(other.names, page.self) {
				continue
			}
			other.isDone = true
			r.noReturn(page.loc, place{
				sitemap: r.name, loc: other.loc, pos: other.pos, column: other.column,
			})
		}
	}
}
