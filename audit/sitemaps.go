package audit

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

// done takes a document that has ended.
func (s *site) done(sm *discover.Sitemap, sum discover.Summary) {
	if sum.Skipped == "" && !s.ended {
		if sm == s.current && s.doc != nil {
			s.document(sm)
		}
		s.sitemap(sm, &sum)
	}
	s.closeView()
	s.doc = nil
	if s.o.Walk.Done != nil && !s.ended {
		s.o.Walk.Done(sm, sum)
	}
}

// document audits the document that was fetched last.
func (s *site) document(sm *discover.Sitemap) {
	doc := s.doc
	o := *s.o
	o.Limits = s.o.Walk.Limits
	date, _ := http.ParseTime(doc.Header.Get("Date"))
	src := Source{
		Name: sitemap.Redact(
			sm.Loc,
		), Base: doc.URL, ContentType: doc.Header.Get("Content-Type"), Date: date,
		Open: func() (io.ReadCloser, error) { return doc.Again(), nil },
	}
	d := newDocument(src, &o, func(f Finding) bool { s.emit(f); return !s.ended })
	d.child = func(e *sitemap.Entry) { s.child(d, sm, e) }
	d.run() // its error is in the Summary of the walk
}

// maxListed bounds the places that are remembered.
const maxListed = 1 << 20

// child takes an entry of an index.
func (s *site) child(d *document, index *discover.Sitemap, e *sitemap.Entry) {
	p := place{sitemap: index.Loc}
	p.pos, p.column = d.view.place(d.structure.fieldOffset(e.Pos.Offset, "loc"))
	switch before, ok := s.listed[formOf(e.Loc)]; {
	case !ok && len(s.listed) < maxListed:
		s.listed[formOf(e.Loc)] = p
	case ok && before.sitemap != p.sitemap: // a repetition in one index is found there
		s.at(p, Finding{Code: "sitemap_listed_twice", Loc: e.Loc, Text: e.Loc, Message: fmt.Sprintf(
			"%s is listed in %s as well", quoted(e.Loc), sitemap.Redact(before.sitemap))})
	}
}

// sitemap judges a document by what the walk knows of it.
func (s *site) sitemap(sm *discover.Sitemap, sum *discover.Summary) {
	here := s.placeOf(sm)
	find := func(code sitemap.Code, text, message string, args ...any) {
		f := Finding{Code: code, Text: text, Message: fmt.Sprintf(message, args...)}
		if sm.Referrer != nil {
			f.Loc = sitemap.Redact(sm.Loc)
		}
		s.at(here, f)
	}
	name := quoted(sitemap.Redact(sm.Loc))
	var fe *fetch.Error
	if errors.As(sum.Err, &fe) {
		switch {
		case errors.Is(fe, fetch.ErrTimeout), errors.Is(fe, fetch.ErrHostDown):
			find("sitemap_timeout", "", "%s does not answer in time", name)
		case errors.Is(fe, fetch.ErrStatus):
			find(
				"sitemap_status",
				fmt.Sprint(fe.Status),
				"%s is answered with status %d",
				name,
				fe.Status,
			)
		default:
			find("sitemap_unreachable", "", "%s cannot be fetched: %v", name, fe.Err)
		}
	}
	if len(sum.Hops) > 0 && sum.FinalURL != "" {
		find("sitemap_redirects", sum.FinalURL, "%s redirects to %s", name, quoted(sum.FinalURL))
	}
	robots := s.hosts.robots(sm.Loc)
	if u, err := url.Parse(sm.Loc); robots != nil && err == nil && !robots.Allowed(s.o.agent(), u) {
		find("sitemap_disallowed", s.o.agent(), "robots.txt disallows %s for %s", name, s.o.agent())
	}
	isRead := sum.Format != 0 && sum.Err == nil
	if sm.Referrer == nil && sm.RobotsURL == "" && isRead && robots != nil &&
		!names(robots.Sitemaps, sm.Loc) {
		find("not_in_robots", "", "robots.txt does not name %s", name)
	}
	if sm.Referrer == nil {
		if len(s.seeds) < maxListed && (isRead || sum.Err != nil) {
			s.seeds = append(
				s.seeds,
				namedSitemap{
					formOf(sm.Loc),
					&discover.Summary{Summary: sitemap.Summary{Format: sum.Format}, Err: sum.Err},
				},
			)
		}
		return
	}
	s.kind(sm.Loc, sum, here)
	s.lastModMoved(sm, find)
}

// kind reports a document that is no sitemap where an index lists it.
func (s *site) kind(loc string, sum *discover.Summary, at place) {
	loc = sitemap.Redact(loc)
	f := Finding{Loc: loc}
	switch {
	case sum.Format == sitemap.SitemapIndex:
		f.Code, f.Message = "nested_index", quoted(loc)+" is an index in an index"
	case sum.Format == sitemap.RSS || sum.Format == sitemap.Atom:
		f.Code, f.Text, f.Message = "child_is_feed", sum.Format.String(), quoted(
			loc,
		)+" is a feed, not a sitemap"
	case errors.Is(sum.Err, sitemap.ErrHTML):
		f.Code, f.Message = "child_is_page", quoted(loc)+" is a page, not a sitemap"
	default:
		return
	}
	s.at(at, f)
}

// foreignChild reports a sitemap on another host than its index. It is an error if that host does
// not vouch for it.
func (s *site) foreignChild(index *discover.Sitemap, f Finding) {
	robots := s.hosts.robots(f.Text)
	if robots != nil && !names(robots.Sitemaps, index.Loc) && !names(robots.Sitemaps, f.Text) {
		f.Code = "child_on_other_site"
		f.Message = fmt.Sprintf(
			"%s is on another host, whose robots.txt names neither it nor the index",
			quoted(f.Text),
		)
	}
	s.inDocument(index, f)
}
