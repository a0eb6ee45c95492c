package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/input"
)

// Site audits the sitemaps of a site, which are found as [discover.Client.URLs] finds them. It
// yields the findings in a document when that has been read, and those about the site as a whole at
// the end. The error, if any, is the last element, and that of the walk.
//
//	for f, err := range audit.Site(ctx, &c, "https://example.com/", nil) {
//		if err != nil {
//			return err // what could not be read
//		}
//		fmt.Printf("%s:%d:%d: %s [%s]\n", f.Sitemap, f.Pos.Line, f.Column, f.Message, f.Code)
//	}
//
// Memory does not grow with the number of URLs: what repeats across documents is found by sorting
// them on disk. A nil o is a zero Options. The sequence is a single-use iterator; the Client may
// serve other walks and audits at once.
func Site(
	ctx context.Context,
	c *discover.Client,
	site string,
	o *Options,
) iter.Seq2[Finding, error] {
	return auditWalk(
		ctx,
		c,
		o,
		site,
		func(ctx context.Context, w *discover.Options) iter.Seq2[discover.URL, error] {
			return c.URLs(ctx, site, w)
		},
	)
}

// Sitemaps is [Site] for sitemaps that the caller names, and all that they refer to.
func Sitemaps(
	ctx context.Context, c *discover.Client, from []*discover.Sitemap, o *Options,
) iter.Seq2[Finding, error] {
	name := ""
	if len(from) > 0 {
		name = from[0].Loc
	}
	return auditWalk(
		ctx,
		c,
		o,
		name,
		func(ctx context.Context, w *discover.Options) iter.Seq2[discover.URL, error] {
			return c.Walk(ctx, from, w)
		},
	)
}

// A site is one that is audited.
type site struct {
	ctx    context.Context
	cancel context.CancelFunc
	client *discover.Client
	o      *Options
	named  string // the site or sitemap that the caller named, with its user name and password
	name   string // the same without those
	yield  func(Finding, error) bool
	ended  bool // the caller wants no further findings

	current *discover.Sitemap // that was fetched last
	doc     *fetch.Document
	view    *view // of doc, nil until it is needed

	listed  map[string]place // of sitemaps in indexes, by the form of a request
	seeds   []namedSitemap   // that were read, of which an index may list some
	lastErr error            // is yielded last
	hosts   hosts
	cross   *cross
	sample  *sample
}

// A namedSitemap is a document that no index has led to.
type namedSitemap struct {
	form string
	sum  *discover.Summary
}

// A place is where something is listed.
type place struct {
	sitemap string
	pos     sitemap.Position
	column  int
}

func auditWalk(
	ctx context.Context, c *discover.Client, o *Options, name string,
	walk func(context.Context, *discover.Options) iter.Seq2[discover.URL, error],
) iter.Seq2[Finding, error] {
	if o == nil {
		o = new(Options)
	}
	return func(yield func(Finding, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s := &site{
			ctx:    ctx,
			cancel: cancel,
			client: c,
			o:      o,
			named:  name,
			name:   sitemap.Redact(name),
			yield:  yield,
			listed: map[string]place{},
			cross:  newCross(ctx, o.TempDir),
			sample: newSample(o.Pages),
		}
		s.hosts = newHosts(s)
		defer s.cross.close()
		w := o.Walk
		w.Fetched, w.Report, w.Done = s.fetched, s.report, s.done
		var err error
		for u, walkErr := range walk(ctx, &w) {
			if walkErr != nil {
				err = walkErr
			} else if s.page(&u); s.ended {
				return
			}
		}
		s.closeView()
		s.end(err)
		if err = cmp.Or(err, s.lastErr); err != nil && !s.ended {
			yield(Finding{}, err)
		}
	}
}

// emit completes a finding and yields it.
func (s *site) emit(f Finding) {
	if s.ended {
		return
	}
	f.Sitemap = sitemap.Redact(f.Sitemap)
	if !s.yield(completed(f), nil) {
		s.ended = true
		s.cancel()
	}
}

// at emits a finding at a place.
func (s *site) at(p place, f Finding) {
	f.Sitemap, f.Pos, f.Column = p.sitemap, p.pos, p.column
	s.emit(f)
}

// inDocument emits a finding at a position in the document that is read.
func (s *site) inDocument(sm *discover.Sitemap, f Finding) {
	f.Sitemap = sm.Loc
	if v := s.viewOf(sm); v != nil {
		var pos sitemap.Position
		if pos, f.Column = v.place(f.Pos.Offset); f.Column > 0 {
			f.Pos = pos
		}
		if s.o.Excerpts {
			f.Excerpt = v.excerpt(f.Pos.Offset)
		}
	}
	s.emit(f)
}

// atLoc emits a finding about the entry that starts at its position.
func (s *site) atLoc(sm *discover.Sitemap, f Finding) {
	if v := s.viewOf(sm); v != nil {
		f.Pos.Offset = v.locAt(f.Pos.Offset)
	}
	s.inDocument(sm, f)
}

// viewOf returns a view of the document that is read, or nil if sm is another.
func (s *site) viewOf(sm *discover.Sitemap) *view {
	if sm != s.current || s.doc == nil {
		return nil
	}
	if s.view == nil {
		s.view = newView(input.Open(s.doc.Again(), &sitemap.Options{
			ContentType: s.doc.Header.Get("Content-Type"), Limits: s.o.Walk.Limits,
		}))
	}
	return s.view
}

func (s *site) closeView() {
	if s.view != nil {
		s.view.in.Close()
		s.view = nil
	}
}

// fetched takes a document before it is read.
func (s *site) fetched(sm *discover.Sitemap, doc *fetch.Document) {
	if sm != nil { // else a robots.txt, which may be asked for within a document
		s.closeView()
		s.current, s.doc = sm, doc
	}
	if s.o.Walk.Fetched != nil {
		s.o.Walk.Fetched(sm, doc)
	}
}

// report takes the problems that only a walk can find. The others come of the audit of their
// document.
func (s *site) report(sm *discover.Sitemap, p sitemap.Problem) {
	f := Finding{
		Code:    p.Code,
		Pos:     p.Pos,
		Text:    p.Text,
		Message: p.Message(),
		Dropped: p.Dropped,
	}
	switch {
	case p.Code == sitemap.UntrustedLoc:
		f.Loc = p.Text
		s.hosts.untrusted(sm, p.Text)
		s.atLoc(sm, f)
	case p.Code == sitemap.ForeignChild:
		s.foreignChild(sm, f)
	case p.Code == sitemap.LateGrant, p.Code == sitemap.IndexLastModOld:
		s.at(s.placeOf(sm), f)
	case isRobots(sm.Loc):
		f.Sitemap = sm.Loc
		s.emit(f)
	}
	if s.o.Walk.Report != nil {
		s.o.Walk.Report(sm, p)
	}
}

func isRobots(loc string) bool {
	u, err := url.Parse(loc)
	return err == nil && u.Path == "/robots.txt"
}

// placeOf returns where a sitemap is listed: in an index or a robots.txt, or else its own start.
func (s *site) placeOf(sm *discover.Sitemap) place {
	switch p, ok := s.listed[formOf(sm.Loc)]; {
	case sm.Referrer != nil && ok:
		return p
	case sm.Referrer != nil:
		return place{sitemap: sm.Referrer.Loc}
	case sm.RobotsURL != "":
		return place{sitemap: sm.RobotsURL, pos: sitemap.Position{Line: sm.Line}}
	}
	return place{sitemap: sm.Loc}
}

// page judges a page that a sitemap lists.
func (s *site) page(u *discover.URL) {
	if s.o.Page != nil {
		s.o.Page(u)
	}
	s.missingFile(u)
	p := place{sitemap: u.Sitemap.Loc, pos: u.Pos}
	if v := s.viewOf(u.Sitemap); v != nil {
		if pos, column := v.place(v.locAt(u.Pos.Offset)); column > 0 {
			p.pos, p.column = pos, column
		}
	}
	s.hosts.page(u, p)
	s.sample.add(u, p)
	s.cross.add(u, p)
}

// missingFile reports a page that has no file.
func (s *site) missingFile(u *discover.URL) {
	if s.o.Files == nil || !u.OnSite {
		return
	}
	target, err := u.URL()
	if err != nil {
		return
	}
	if _, ok := FileOf(s.o.Files, target.Path); !ok {
		s.atLoc(u.Sitemap, Finding{Code: "page_missing_file", Pos: u.Pos, Loc: u.Loc, Text: u.Loc,
			Message: fmt.Sprintf("no file for %s", quoted(target.Path))})
	}
}

// end judges the site as a whole.
func (s *site) end(err error) {
	var none *discover.NoSitemapError
	if errors.As(err, &none) {
		tried := make([]string, len(none.Tried))
		for i, t := range none.Tried {
			tried[i] = t.URL
		}
		s.emit(Finding{Code: "no_sitemap", Sitemap: none.Site, Message: "no sitemap found; tried " +
			strings.Join(tried, ", ")})
	}
	if s.ctx.Err() != nil {
		return
	}
	for _, seed := range s.seeds {
		if p, ok := s.listed[seed.form]; ok {
			s.kind(seed.form, seed.sum, p)
		}
	}
	s.hosts.end()
	pages := newPages(s)
	if s.o.Pages > 0 {
		for _, page := range s.sample.drawn() {
			pages.add(page)
		}
	}
	if s.o.Pages < 0 {
		s.cross.each = pages.add
	}
	if crossErr := s.cross.end(s); crossErr != nil {
		s.lastErr = fmt.Errorf("audit: URLs of different sitemaps were not compared: %w", crossErr)
	}
	pages.end()
}
