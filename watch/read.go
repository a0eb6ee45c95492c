package watch

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/pagelist"
)

// A reading is what one request for a document brought.
type reading struct {
	at         time.Time
	pages      pagelist.List // as they are known now
	isFirst    bool          // the document was never read before
	changed    bool          // an entry appeared, vanished or moved its lastmod
	changes    []change      // pages that may be new or modified
	dates      []time.Time   // lastmods, of a first reading
	before     int           // pages that were listed before
	ahead      time.Time     // the first lastmod that is in the future
	fresh      time.Duration // for which the server calls the document fresh
	header     http.Header
	validators fetch.Validators
	sum        discover.Summary
	dropped    bool  // a problem cost an entry
	err        error // why it was not read, or not to its end
}

// A change is a page that one document shows as new or modified.
type change struct {
	url     discover.URL
	lastMod sitemap.Time // zero while it is in the future
	isNew   bool
	isLater bool   // the lastmod is later than any that was seen
	removed uint64 // how often the page was removed before
}

// isWhole reports whether every entry of the document was read.
func (r *reading) isWhole() bool { return r.err == nil && !r.dropped && !r.sum.NotModified }

// fetch requests a document and compares it with what is known of it.
func (s *site) fetch(ctx context.Context, d *document) (*reading, error) {
	old := s.pages(d)
	r := &reading{at: time.Now(), isFirst: d.Read.IsZero(), before: old.Listed()}
	var (
		o       = s.w.Options
		m       = &merge{reading: r, old: old, isSeen: make([]bool, len(old))}
		isDue   = !d.Ahead.IsZero() && !d.Ahead.After(r.at)
		hasDone bool
	)
	m.wasIndex = d.Format == sitemap.SitemapIndex
	m.wantsNew = !r.isFirst || !d.Known || s.w.Initial
	o.Store, o.Run, o.OnlyChanged = nil, "", false
	o.MinTrust, o.SkipExtensions = trust.Untrusted, false
	o.Validators = func(*discover.Sitemap) fetch.Validators {
		if isDue {
			return fetch.Validators{}
		}
		return fetch.Validators{URL: d.Final, ETag: d.ETag, LastModified: d.LastModified}
	}
	o.Follow = func(sm *discover.Sitemap) bool {
		if s.w.Options.Follow == nil || s.w.Options.Follow(sm) {
			m.add(pagelist.Page{Loc: sm.Loc, LastMod: sm.LastMod})
		}
		return false
	}
	o.Fetched = func(sm *discover.Sitemap, doc *fetch.Document) {
		if sm != nil {
			r.header, r.validators = doc.Header, doc.Validators
		}
		if f := s.w.Options.Fetched; f != nil {
			f(sm, doc)
		}
	}
	o.Report = func(sm *discover.Sitemap, p sitemap.Problem) {
		r.dropped = r.dropped || p.Dropped
		if f := s.w.Options.Report; f != nil {
			f(sm, p)
		}
	}
	o.Done = func(sm *discover.Sitemap, sum discover.Summary) {
		if hasDone {
			return // a child, which is not followed
		}
		r.sum, r.err, hasDone = sum, sum.Err, true
		if f := s.w.Options.Done; f != nil {
			f(sm, sum)
		}
	}
	for u, err := range s.w.Client.Walk(ctx, []*discover.Sitemap{d.sitemap()}, &o) {
		if err != nil {
			if r.err == nil {
				r.err = err
			}
			break
		}
		m.addURL(u, s.w.minTrust())
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.fresh = freshness(r.header, r.at)
	m.end()
	return r, nil
}

// A merge compares the entries of a document with its pages as they were known.
type merge struct {
	*reading
	old      pagelist.List
	isSeen   []bool // of old
	fresh    pagelist.List
	wantsNew bool // report new pages
	wasIndex bool // old holds sitemaps
}

// addURL takes a page of the document.
func (m *merge) addURL(u discover.URL, least trust.Level) {
	p := pagelist.Page{Loc: u.Loc, LastMod: u.LastMod}
	if u.Extensions != nil && u.Extensions.News != nil {
		p.State |= pagelist.InWindow
	}
	if u.Trust < least {
		p.State |= pagelist.Untrusted
	}
	c := m.add(p)
	c.url = u
	if p.State&pagelist.Untrusted == 0 && (c.isNew && m.wantsNew || c.isLater) {
		m.changes = append(m.changes, c)
	}
}

// add takes an entry and returns what has changed in it.
func (m *merge) add(p pagelist.Page) change {
	if isAhead(p.LastMod, m.at) {
		if at := p.LastMod.Start(); m.ahead.IsZero() || at.Before(m.ahead) {
			m.ahead = at
		}
		p.LastMod = sitemap.Time{}
	}
	if m.isFirst && !p.LastMod.IsZero() {
		m.dates = append(m.dates, p.LastMod.Start())
	}
	i, ok := m.old.Find(p.Loc)
	if !ok {
		m.fresh, m.changed = append(m.fresh, p), true
		return change{lastMod: p.LastMod, isNew: true}
	}
	was := &m.old[i]
	c := change{
		lastMod: p.LastMod, isLater: p.LastMod.After(was.LastMod.Start()), removed: was.Removed,
		isNew: was.State&pagelist.Untrusted != 0 || was.IsRemoved(),
	}
	m.changed = m.changed || c.isLater || was.Gone > 0
	if c.isLater {
		was.LastMod = p.LastMod
	}
	was.Gone, was.State = 0, p.State
	m.isSeen[i] = true
	return c
}

// end notes what a document that was read whole no longer lists, and joins old and new pages.
func (m *merge) end() {
	isFeed := m.sum.Format == sitemap.RSS || m.sum.Format == sitemap.Atom
	now := time.Now().UnixMilli()
	for i := range m.old {
		p := &m.old[i]
		if p.Gone == 0 && !m.isSeen[i] && m.isWhole() {
			p.Gone, m.changed = now, true
			isPage := !m.wasIndex || m.sum.Format == sitemap.SitemapIndex
			if p.State&pagelist.Untrusted != 0 || !isPage {
				p.State |= pagelist.Reported
			}
		}
		if m.isSeen[i] && isFeed {
			p.State |= pagelist.InWindow
		}
	}
	for i := range m.fresh {
		if isFeed {
			m.fresh[i].State |= pagelist.InWindow
		}
	}
	m.pages = append(m.old, m.fresh...).Sort()
}

// isAhead reports whether t is after now, in whatever zone it is meant.
func isAhead(t sitemap.Time, now time.Time) bool {
	if t.ZoneAssumed() || t.Precision() <= sitemap.Day {
		now = now.Add(14 * time.Hour)
	}
	return t.After(now)
}

// freshness returns for how long a response is fresh by its header (RFC 9111, section 4.2.1).
func freshness(h http.Header, now time.Time) time.Duration {
	for field := range strings.SplitSeq(h.Get("Cache-Control"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		if n, err := strconv.Atoi(value); strings.EqualFold(name, "max-age") && err == nil {
			return time.Duration(min(max(n, 0), 86_400)) * time.Second
		}
	}
	if at, err := http.ParseTime(h.Get("Expires")); err == nil {
		return min(at.Sub(now), 24*time.Hour)
	}
	return 0
}
