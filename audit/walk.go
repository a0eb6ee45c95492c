package audit

import (
	"context"
	"io"
	"net/http"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/document"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A siteAuditor audits the sitemaps of one site while a walk reads them.
type siteAuditor struct {
	siteJudge
	current      *discover.Sitemap // that was fetched last
	doc          *fetch.Document
	verdicts     []verdict // of the walk, on the entries of doc
	isChallenged bool      // a response was a page that asks for proof of a human

	origins *origins
	loose   untrustedHosts
	files   *fileRules
	cross   *cross
	sample  *sample
}

// A verdict is the walk's judgement of the entry at an offset. Verdicts come in document order.
type verdict struct {
	offset int64
	onSite bool // a page of the site
	isOdd  bool // a page that the document may not list, or a sitemap on another host
}

func newSiteAuditor(ctx context.Context, c *discover.Client, r *reporter,
	named []string) *siteAuditor {
	name := ""
	if len(named) > 0 {
		name = named[0]
	}
	s := &siteAuditor{origins: newOrigins(), loose: untrustedHosts{}}
	s.sample = &sample{size: min(r.o.Pages, maxSample), seed: r.o.Seed}
	origin, _, _ := location.ParseOrigin(name)
	s.siteJudge = siteJudge{
		reporter: r, ctx: ctx, client: c,
		named: slices.Clone(named), name: sitemap.Redact(name), origin: origin,
		files: map[location.Origin]*robots.File{}, listed: map[uint64]place{},
	}
	s.files = &fileRules{siteJudge: &s.siteJudge, listed: map[string]bool{}}
	s.cross = &cross{siteJudge: &s.siteJudge, origins: s.origins}
	return s
}

// fetched prepares for a document before it is read.
func (s *siteAuditor) fetched(sm *discover.Sitemap, doc *fetch.Document) {
	if sm != nil { // else a robots.txt, which may be asked for within a document
		s.current, s.doc, s.verdicts = sm, doc, s.verdicts[:0]
	} else {
		s.isChallenged = s.isChallenged || isChallenge(doc)
	}
	if s.o.Walk.Fetched != nil {
		s.o.Walk.Fetched(sm, doc)
	}
}

// page adds a page that the walk yields.
func (s *siteAuditor) page(u *discover.URL) {
	if s.o.Page != nil {
		s.o.Page(u)
	}
	s.verdict(u.Sitemap, verdict{offset: u.Pos.Offset, onSite: u.OnSite})
}

// problem adds the problems that only a walk can find. The audit of the document finds the others.
func (s *siteAuditor) problem(sm *discover.Sitemap, p sitemap.Problem) {
	_, path := location.Split(sm.Loc)
	switch {
	case p.Code == sitemap.UntrustedLoc, p.Code == sitemap.ForeignChild:
		s.verdict(sm, verdict{offset: p.Pos.Offset, isOdd: true})
	case p.Code == sitemap.LateGrant, p.Code == sitemap.IndexLastModOld:
		s.report(of(p.Code), s.placeOf(sm), p.Text, "%s", p.Message())
	case p.Code == sitemap.DuplicateLoc && path != "/robots.txt":
		s.redirectsAgain(s.placeOf(sm), sm, p.Text)
	case p.Code == sitemap.RobotsHTML && s.isChallenged:
	case path == "/robots.txt":
		s.robotsProblem(sm.Loc, p)
	}
	if s.o.Walk.Report != nil {
		s.o.Walk.Report(sm, p)
	}
}

// done ends a document.
func (s *siteAuditor) done(sm *discover.Sitemap, sum discover.Summary) {
	if sum.Skipped == "" && !s.stopped {
		doc := s.doc
		if sm != s.current {
			doc = nil
		}
		if doc != nil {
			s.document(sm, doc, &sum)
		}
		here := s.placeOf(sm)
		if sm.Referrer != nil {
			here.loc = sm.Loc
		}
		s.howFetched(sm, &sum, here)
		s.inRobots(sm, &sum, here)
		if sm.Referrer == nil {
			s.addSeed(sm.Loc, sum.Format, sum.Err)
		} else {
			s.kind(sm.Loc, sum.Format, sum.Err, here)
			s.lastModMoved(sm, doc, here)
		}
	}
	s.doc, s.isPart = nil, s.isPart || sum.Skipped != ""
	if s.o.Walk.Done != nil && !s.stopped {
		s.o.Walk.Done(sm, sum)
	}
}

// verdict keeps a verdict on an entry of the document that is read.
func (s *siteAuditor) verdict(sm *discover.Sitemap, v verdict) {
	if sm == s.current && s.doc != nil {
		s.verdicts = append(s.verdicts, v)
	}
}

// document audits the document that was fetched last.
func (s *siteAuditor) document(sm *discover.Sitemap, doc *fetch.Document, sum *discover.Summary) {
	date, _ := http.ParseTime(doc.Header.Get("Date"))
	src := Source{
		Name: sitemap.Redact(sm.Loc), Base: doc.URL, Date: date,
		ContentType: doc.Header.Get("Content-Type"), Encoding: doc.Header.Get("Content-Encoding"),
		Open: func() (io.ReadCloser, error) { return doc.Again(), nil },
	}
	d := newAuditor(src, s.reporter)
	d.alone, d.limits, d.origins = false, s.o.Walk.Limits, s.origins
	above := newOutside(sum)
	// Of a sitemap on another host than its index, that is the finding, not where its pages are.
	foreign, root := hostOf(sm.Loc), hostOf(rootOf(sm).Loc)
	left := s.verdicts
	d.listed = func(e *sitemap.Entry, o *origin) {
		for len(left) > 0 && left[0].offset < e.Pos.Offset {
			left = left[1:]
		}
		isJudged := len(left) > 0 && left[0].offset == e.Pos.Offset
		at := func() place { return d.field(e, document.Loc) }
		switch {
		case e.Kind == sitemap.Sitemap:
			s.child(e, at(), isJudged && left[0].isOdd)
		case !isJudged || o == nil:
		case left[0].isOdd && above.isOn(o):
			above.add(e, o, at)
			if foreign == root { // the site without a slash, for one
				s.files.add(e, at)
			}
		case left[0].isOdd:
			s.loose.add(sm, o, at)
		default:
			if !isFeed(d.format) {
				above.add(e, o, at)
			}
			if o.Host != foreign || foreign == root {
				o.add(at)
				o.first.excerpt = Excerpt{}
			}
			if left[0].onSite {
				s.files.add(e, at)
			}
			s.disallowed(e, o, at)
			s.sample.add(sm, e, at)
			s.cross.add(sm, d.format, e, at)
			o.isRead = true
		}
	}
	d.run() // its error is in the Summary of the walk
	above.end(&s.siteJudge, sm, sum.FinalURL)
}

// hostOf returns the host of a location.
func hostOf(loc string) string {
	origin, _, _ := location.ParseOrigin(loc)
	return origin.Host
}
