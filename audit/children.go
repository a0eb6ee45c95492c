package audit

import (
	"errors"

	"github.com/seed-322c453a/sitemap"
)

// child adds an entry of an index.
func (s *siteJudge) child(e *sitemap.Entry, p place, isForeign bool) {
	hash := hashOf(e.Loc)
	switch before, ok := s.listed[hash]; {
	case !ok && len(s.listed) < maxListed:
		s.listed[hash] = p.of("") // locations may be long
	case ok && before.sitemap != p.sitemap: // repetitions in one index are found elsewhere
		s.report(of(SitemapListedTwice), p, e.Loc, "%s is listed in %s as well", quoted(e.Loc),
			sitemap.Redact(before.sitemap))
	}
	if isForeign {
		s.foreignChild(e.Loc, p)
	}
}

// foreignChild reports a sitemap on another host than its index, unless that host vouches for the
// index. It is an error if that host does not vouch for the sitemap either.
func (s *siteJudge) foreignChild(loc string, p place) {
	switch file := s.robots(loc); {
	case file != nil && names(file.Sitemaps, p.sitemap):
	case file != nil && !names(file.Sitemaps, loc):
		s.report(of(ChildOnOtherSite), p, loc,
			"%s is on another host, whose robots.txt names neither it nor the index",
			quoted(loc))
	default:
		s.report(of(sitemap.ForeignChild), p, loc, "%s is on another host than the index",
			quoted(loc))
	}
}

// kind reports a child of an index that is not a sitemap.
func (s *siteJudge) kind(loc string, format sitemap.Format, err error, at place) {
	at = at.of(loc)
	switch name := quoted(loc); {
	case format == sitemap.SitemapIndex && sameURL(at.sitemap, loc):
		rule := of(SitemapListedTwice).fixedBy("Remove this entry of the index.")
		s.report(rule, at, loc, "the index %s lists itself", name)
	case format == sitemap.SitemapIndex:
		s.report(of(NestedIndex), at, "", "%s is an index in an index", name)
	case isFeed(format):
		s.report(of(ChildIsFeed), at, format.String(), "%s is a feed, not a sitemap", name)
	case errors.Is(err, sitemap.ErrHTML):
		s.report(of(ChildIsPage), at, "", "%s is a page, not a sitemap", name)
	}
}

// addSeed adds a document that no index has led to. At the end it is judged as a child of the index
// that lists it too, if one does.
func (s *siteJudge) addSeed(loc string, format sitemap.Format, err error) {
	if len(s.seeds) < maxListed && (format != 0 || err != nil) {
		s.seeds = append(s.seeds, func() {
			if p, ok := s.listed[hashOf(loc)]; ok {
				s.kind(loc, format, err, p)
			}
		})
	}
}
