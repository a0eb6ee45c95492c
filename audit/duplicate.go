package audit

import (
	"hash/maphash"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// SamePageVariants is the code of URLs that are probably one page.
const SamePageVariants sitemap.Code = "same_page_variants"

var _ = register(
	rule(sitemap.DuplicateLoc, warning, `Yandex Webmaster, "Sitemap errors reference"`,
		"a URL that is listed twice in a document, or a sitemap twice in a robots.txt",
		"The repetition is ignored. It wastes room, and its other values may contradict.",
		"Keep one entry for each URL, the one with the latest lastmod.").ofHabit(),
	rule(SamePageVariants, warning, protocolFAQ, "URLs of one page that are written differently",
		"They differ in http or https, www, a default port, a fragment, escapes or the letter "+
			"case of the host only. Search engines crawl the page several times, and choose one "+
			"of the URLs. If only a trailing slash or letter case differs, it is an info.",
		"List the canonical URL alone, for example https://www.example.com/page."),
)

// maxRemembered is how many locations of a document are compared.
const maxRemembered = 1 << 20

// duplicates compares the locations of a document.
type duplicates struct {
	*judge
	seen *occurrences
	full bool
}

// add compares the location of an entry with those before it. Letter case and a slash at the end of
// the path do not count.
func (d *duplicates) add(e *sitemap.Entry, o *origin, rest string, has class) {
	if o == nil {
		return
	}
	if d.seen.n >= maxRemembered {
		d.full = true
		return
	}
	sum := maphash.String(seed, rest)
	now := occurrence{
		exact: uint32((sum ^ o.exact) >> 32), norm: uint32(sum >> 32), line: uint32(e.Pos.Line),
	}
	if !strings.HasPrefix(rest, "/") || has&(isPercent|isHash|isOdd|isHidden) != 0 {
		rest = location.Normalize(location.Origin{}, rest)[len("://"):]
		has = classOf(rest)
		sum = maphash.String(seed, rest)
		now.norm = uint32(sum >> 32)
	}
	path := rest
	if has&isQuery != 0 {
		path, _, _ = strings.Cut(rest, "?")
	}
	if has&isUpper != 0 || strings.HasSuffix(path, "/") {
		query := rest[len(path):]
		sum = maphash.String(seed, strings.ToLower(strings.TrimSuffix(path, "/"))+query)
	}
	before, isNew := d.seen.add(sum^o.key, now)
	if !isNew {
		d.repeated(e, before, now)
	}
}

// repeated reports a location that equals an earlier one, or nearly so.
func (d *duplicates) repeated(e *sitemap.Entry, before, now occurrence) {
	rule, format := of(sitemap.DuplicateLoc), "%s is listed before, on line %d"
	switch {
	case before.exact == now.exact && e.Kind == sitemap.Sitemap:
		rule = of(SitemapListedTwice)
	case before.exact == now.exact:
	case before.norm == now.norm:
		rule, format = of(SamePageVariants), "%s is another spelling of the URL on line %d"
	default:
		rule = of(SamePageVariants).with(info)
		format = "%s differs from the URL on line %d only in a trailing slash or the case of " +
			"letters"
	}
	d.findLoc(rule, e, format, quoted(e.Loc), before.line)
}

// end reports if not all locations were compared.
func (d *duplicates) end(start place) {
	d.seen.release()
	if d.full {
		d.findAt(of(sitemap.DuplicateLoc), start, "",
			"repetitions were looked for among the first %d URLs only", maxRemembered)
	}
}
