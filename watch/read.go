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

// A reading is the result of one request for a document.
type reading struct {
	at         time.Time
	pages      pagelist.List // as they are known now
	isFirst    bool          // the document was never read before
	merge      *pagelist.Merge
	changes    []change      // pages that may be new or modified
	before     int           // pages that were listed before
	fresh      time.Duration // how long the server calls the document fresh
	header     http.Header
	validators fetch.Validators
	sum        discover.Summary
	dropped    bool  // a problem cost an entry
	err        error // why it was not read, or not to its end
}

// A change is a page that one document shows as new or modified.
type change struct {
	pagelist.Change
	url discover.URL
}

// isWhole reports whether every entry of the document was read.
func (r *reading) isWhole() bool { return r.err == nil && !r.dropped && !r.sum.NotModified }

// fetch requests a document and compares it with its record.
func (s *site) fetch(ctx context.Context, d *document) (*reading, error) {
	old := s.pages(d)
	now := time.Now()
	r := &reading{
		at: now, isFirst: d.Read.IsZero(), before: old.Listed(), merge: pagelist.NewMerge(old, now),
	}
	o, hasDone := s.w.Options, false
	isDue := !d.Ahead.IsZero() && !d.Ahead.After(now)
	wantsNew := !r.isFirst || !d.Known || s.w.Initial
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
			r.merge.Add(pagelist.Page{Loc: sm.Loc, LastMod: sm.LastMod})
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
		r.add(u, s.w.minTrust(), wantsNew)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.end(d.Format == sitemap.SitemapIndex)
	return r, nil
}

// add takes a page of the document.
func (r *reading) add(u discover.URL, least trust.Level, wantsNew bool) {
	p := pagelist.Page{Loc: u.Loc, LastMod: u.LastMod}
	if u.Extensions != nil && u.Extensions.News != nil {
		p.State |= pagelist.InWindow
	}
	if u.Trust < least {
		p.State |= pagelist.Untrusted
	}
	c := r.merge.Add(p)
	if p.State&pagelist.Untrusted == 0 && (c.IsNew && wantsNew || c.IsLater) {
		r.changes = append(r.changes, change{c, u})
	}
}

// end completes the list of pages.
func (r *reading) end(wasIndex bool) {
	var state, gone pagelist.State
	if r.sum.Format == sitemap.RSS || r.sum.Format == sitemap.Atom {
		state = pagelist.InWindow
	}
	if wasIndex && r.sum.Format != sitemap.SitemapIndex {
		gone = pagelist.Reported // it held sitemaps, not pages
	}
	r.pages = r.merge.End(r.isWhole(), time.Now(), state, gone)
	r.fresh = freshness(r.header, r.at)
}

// freshness returns how long a response is fresh by its header (RFC 9111, section 4.2.1).
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
