package watch

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/pagelist"
)

// A reading is the result of one request for a document, compared with its record.
type reading struct {
	at        time.Time
	isFirst   bool                     // the document was never read before
	old       pagelist.List            // its entries before
	pages     map[string]pagelist.Page // and now, by location
	gone      []pagelist.Page          // entries that it does not list any more
	changes   map[string]discover.URL  // pages that may be new or modified
	dates     []time.Time              // the lastmods
	last      time.Time                // the end of the latest of them
	isAhead   bool                     // one of them is in the future
	isChanged bool                     // something appeared, vanished or moved its lastmod
	isNews    bool                     // so it did, other than by a lastmod that proves nothing
	isIndex   bool                     // some entries are sitemaps
	sum       discover.Summary
	err       error // why it was not read, or not to its end
}

// isWhole reports whether every entry of the document was read that may have been there before. In
// a feed, an item that is always dropped must not keep the others.
func (r *reading) isWhole() bool {
	isKept := r.sum.Dropped == 0 || isFeed(r.sum.Format)
	return r.err == nil && !r.sum.NotModified && isKept
}

// fetch requests a document and compares it with its record.
func (s *site) fetch(ctx context.Context, d *document) *reading {
	r := &reading{
		at: time.Now(), old: s.entries(d),
		pages: map[string]pagelist.Page{}, changes: map[string]discover.URL{},
	}
	r.isFirst = d.Read.IsZero()
	given, o := &s.w.Options, s.w.Options
	o.Store, o.Run, o.OnlyChanged = nil, "", false
	o.Since = time.Time{} // it may move on from run to run, and then an old page is not gone
	o.MinTrust, o.SkipExtensions = trust.Untrusted, false
	o.Validators = func(*discover.Sitemap) fetch.Validators { return d.Version }
	o.Follow = func(sm *discover.Sitemap) bool {
		isOld := !o.IgnoreIndexLastMod && given.Excludes(sm.LastMod) && s.byLoc[sm.Loc] == nil
		if !isOld && (given.Follow == nil || given.Follow(sm)) {
			p := pagelist.Page{Loc: sm.Loc, State: pagelist.Sitemap}
			if !o.IgnoreIndexLastMod {
				p.LastMod = sm.LastMod
			}
			r.add(p, d.Proof >= 0)
			r.isIndex = true
		}
		return false
	}
	o.Done = func(sm *discover.Sitemap, sum discover.Summary) {
		if sum.Skipped != "" {
			return // a child, which is not followed
		}
		r.sum, r.err = sum, sum.Err
		if given.Done != nil {
			given.Done(sm, sum)
		}
	}
	isWanted := !r.isFirst || !d.Baseline || s.w.Initial
	for u, err := range s.w.Client.Walk(ctx, []*discover.Sitemap{d.sitemap()}, &o) {
		if err != nil {
			r.err = cmp.Or(r.err, err)
			break
		}
		p := pagelist.Page{Loc: u.Loc, LastMod: u.LastMod}
		if u.Extensions != nil && u.Extensions.News != nil {
			p.State |= pagelist.InWindow
		}
		if u.Trust < s.w.minTrust() {
			p.State |= pagelist.Untrusted
		}
		isNew, isLater := r.add(p, true)
		isShown := p.State&pagelist.Untrusted == 0 && !given.Excludes(u.LastMod)
		if isShown && (isNew && isWanted || isLater) {
			r.changes[u.Loc] = u
		}
	}
	if errors.Is(r.err, sitemap.ErrGzip) { // the entries are doubtful
		r = &reading{
			at: r.at, isFirst: r.isFirst, old: r.old, pages: pageMap{}, sum: r.sum, err: r.err,
		}
	}
	r.end()
	return r
}

// add adds an entry. Proves says whether its lastmod proves a change. It reports whether the entry
// is new, and whether its lastmod is later than before. If the entry is listed twice, the later
// lastmod counts.
func (r *reading) add(p pagelist.Page, proves bool) (isNew, isLater bool) {
	if datetime.IsAhead(p.LastMod, time.Now()) {
		p.LastMod, r.isAhead = sitemap.Time{}, true
	}
	if !p.LastMod.IsZero() {
		r.dates = append(r.dates, p.LastMod.Start())
		r.last = latest(r.last, datetime.EndOf(p.LastMod))
	}
	if twin, ok := r.pages[p.Loc]; ok && !p.LastMod.After(twin.LastMod.Start()) {
		return false, false
	}
	was := r.old.Find(p.Loc)
	if was != nil && was.State&pagelist.Untrusted < p.State&pagelist.Untrusted {
		p = *was // its host may verify the document again
	}
	isNew = was == nil || was.State&pagelist.Untrusted > p.State&pagelist.Untrusted
	isLater = was != nil && p.LastMod.After(was.LastMod.Start())
	r.isChanged = r.isChanged || isNew || isLater || was.State != p.State
	r.isNews = r.isNews || isNew || isLater && proves
	if was != nil && !isLater {
		p.LastMod = was.LastMod
	}
	r.pages[p.Loc] = p
	return isNew, isLater
}

// end completes the entries: a document that was not read to its end keeps its old ones.
func (r *reading) end() {
	for _, p := range r.old {
		if now, ok := r.pages[p.Loc]; ok {
			if r.err != nil { // it may be cut off before its news
				now.State |= p.State & pagelist.InWindow
				r.pages[p.Loc] = now
			}
			continue
		}
		if r.isWhole() {
			r.gone, r.isChanged, r.isNews = append(r.gone, p), true, true
			continue
		}
		r.pages[p.Loc] = p
		r.isIndex = r.isIndex || p.State&pagelist.Sitemap != 0
	}
}
