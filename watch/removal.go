package watch

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/pagelist"
)

// keepGone is how long pages are remembered after they were listed last. So a page that returns to
// a feed is not new, and one that returns after its removal has another ID.
const keepGone = 30 * 24 * time.Hour

// recall reads the pages that have left a document, or were removed, within keepGone before the
// times that are part of the IDs of events.
func (s *site) recall() {
	list, _ := s.list(s.goneKey())
	s.gone = list.ByLoc()
	asked := s.Asked
	for _, d := range s.Docs {
		asked = earliest(asked, d.Asked)
	}
	maps.DeleteFunc(s.gone, func(_ string, p pagelist.Page) bool {
		removed := time.Unix(int64(p.Removed)*86_400, 0)
		return !isPending(p) && asked.Sub(latest(p.Gone, removed)) > keepGone
	})
}

// setGone remembers a page that has left a document.
func (s *site) setGone(p pagelist.Page) {
	s.gone[p.Loc] = p
	s.unsaved[s.goneKey()] = s.gone
}

// sayPage yields an event about a page. The number of its last removal is part of the ID. It is
// forgotten in time, so the month of before is part of the ID too, a time that is the same after a
// kill. The lastmod is part of it only if the page is modified: after a kill, a page that was added
// may have another one.
func (s *site) sayPage(kind Kind, u discover.URL, from string, before time.Time, note func()) {
	number := strconv.Itoa(s.gone[u.Loc].Removed)
	month := before.UTC().Truncate(keepGone).Format(time.DateOnly)
	lastMod := ""
	if kind == Modified {
		lastMod = u.LastMod.String()
	}
	s.say(Event{Kind: kind, URL: u, Sitemap: from}, note, u.Loc, lastMod, number, month)
}

// notPage is the state of an entry that is no page to report, though a page may have its URL.
const notPage = pagelist.Sitemap | pagelist.Untrusted

// listed returns for each page the entry with the latest lastmod in all documents.
func (s *site) listed(locs []string) map[string]pagelist.Page {
	found := map[string]pagelist.Page{}
	for _, d := range s.Docs {
		if len(locs) == 0 {
			break
		}
		list := s.entries(d)
		for _, loc := range locs {
			if p := list.Find(loc); p != nil && p.State&notPage == 0 {
				keepLater(found, *p)
			}
		}
	}
	return found
}

// keepLater adds a page, or keeps the one with the later lastmod.
func keepLater(pages map[string]pagelist.Page, p pagelist.Page) {
	if was, ok := pages[p.Loc]; !ok || p.LastMod.After(was.LastMod.Start()) {
		pages[p.Loc] = p
	}
}

// tell yields the changes of a reading that no other document of the site has shown before.
func (s *site) tell(d *document, r *reading) {
	locs := slices.Sorted(maps.Keys(r.changes))
	known := s.listed(locs)
	told := r.old.ByLoc()
	for _, loc := range locs {
		if p, ok := s.gone[loc]; ok && p.State&removed != removed {
			keepLater(known, p)
		}
		kind, p := Added, r.pages[loc]
		if was, ok := known[loc]; ok {
			kind = Modified
			if !p.LastMod.After(was.LastMod.Start()) {
				continue
			}
		}
		s.sayPage(kind, r.changes[loc], d.Loc, d.Asked, func() {
			told[loc] = p
			s.unsaved[s.listKey(d)] = told
		})
	}
}

// arrive ends the wait of pages that have turned up in a document. If they leave it, they wait
// again.
func (s *site) arrive(pages pageMap) {
	for loc, p := range s.gone {
		if at, ok := pages[loc]; ok && isPending(p) && at.State&notPage == 0 {
			p.State |= pagelist.Settled
			s.setGone(p)
		}
	}
}

// leave remembers pages that a document no longer lists.
func (s *site) leave(d *document, pages []pagelist.Page, at time.Time) {
	for _, p := range pages {
		before, isBack := s.gone[p.Loc]
		switch {
		case isBack && before.State&pagelist.InWindow == 0: // it has not only been in windows
			p.State &^= pagelist.InWindow
		case isFeed(d.Format):
			p.State |= pagelist.InWindow
		}
		// The Store may have failed after the pages that are gone were stored.
		isSettled := before.State&pagelist.Settled != 0 && before.From == d.Loc &&
			before.Gone.After(latest(d.Read, d.Found))
		if isSettled || p.State&notPage != 0 {
			continue
		}
		if before.LastMod.After(p.LastMod.Start()) {
			p.LastMod = before.LastMod
		}
		p.Gone, p.Removed, p.From = at, before.Removed, d.Loc
		s.setGone(p)
	}
}

// removed is the state of a page that was removed: if it returns, a window may drop it. A page
// that is only settled moved to another document.
const removed = pagelist.Settled | pagelist.InWindow

// isPending reports whether a page has left a document and may have been removed.
func isPending(p pagelist.Page) bool {
	return !p.Gone.IsZero() && p.State&(pagelist.Settled|pagelist.InWindow) == 0
}

// lostAfter is how long a document must fail until removals no longer wait for it.
const lostAfter = 30 * 24 * time.Hour

// isLost reports whether removals do not wait for a document.
func (d *document) isLost() bool {
	return d.Failing && d.Asked.Sub(d.FailedAt) > lostAfter
}

// isKnown reports whether the index above a document says that no page has moved to it. The index
// cannot know that from the lastmods of pages.
func (d *document) isKnown() bool { return d.isStill() && d.index.Own >= proved }

// checked returns when the entries of a document were last known: when it was read, or the index
// that stands for it, or one above that.
func (d *document) checked() time.Time {
	if d.isKnown() {
		return latest(d.Read, d.index.checked())
	}
	return d.Read
}

// check makes a document due or, if the index above it stands for it, the index.
func (s *site) check(d *document) {
	for d.isKnown() {
		d = d.index
	}
	if d.Failures == 0 {
		d.Next, d.wanted = s.began, true
	}
}

// checkOnce is the longest check of all documents in which no page moves twice.
const checkOnce = 10 * time.Minute

// sweep checks the documents one after another, in the order of their locations. A page that moves
// to a later document meanwhile, as in a list of pages with the newest first, is found there. If
// that takes long, sweep checks them once more in the reverse order, which a page that moves to an
// earlier document cannot evade. It makes the next document due. It reports whether all were
// checked. If removing that many pending pages requires it, robots.txt has to have been read too.
func (s *site) sweep(pending int) bool {
	docs := slices.SortedFunc(slices.Values(s.Docs), func(a, b *document) int {
		return cmp.Or(len(a.Loc)-len(b.Loc), cmp.Compare(a.Loc, b.Loc)) // 9 before 10
	})
	for pass := range 2 {
		for _, d := range docs {
			if d.Sweeps > pass || d.isLost() {
				continue
			}
			if d.checked().Before(s.Swept) {
				s.check(d)
				return false
			}
			d.Sweeps, s.Swept = pass+1, d.checked()
		}
		if s.Swept.Sub(s.Begun) <= checkOnce {
			break
		}
		slices.Reverse(docs)
	}
	// Robots.txt may name a new sitemap that has the pages, unless it names a single one that is an
	// index or has kept most of its pages.
	isSingle := len(s.seeds()) == 1 && (s.Docs[0].IsIndex || pending < s.Docs[0].URLs)
	return isSingle || !s.Find.Add(-findEvery).Before(s.Begun)
}

// settle reports the pages that no document of the site lists any more, once all documents were
// checked after they had vanished. Pages that vanish meanwhile wait for the next sweep.
func (s *site) settle() {
	var locs []string
	var last time.Time
	for loc, p := range s.gone {
		if !isPending(p) {
			continue
		}
		last = latest(last, p.Gone)
		if !p.Gone.After(s.Begun) {
			locs = append(locs, loc)
		}
	}
	if len(locs) == 0 {
		if s.Begun, s.Swept = last, last; last.IsZero() {
			return
		}
		for _, d := range s.Docs {
			d.Sweeps = 0
		}
		s.settle()
		return
	}
	slices.Sort(locs)
	if !s.sweep(len(locs)) {
		return
	}
	listed := s.listed(locs)
	if !s.sweep(len(locs)) {
		return // a list is damaged
	}
	for _, loc := range locs {
		p := s.gone[loc]
		p.State |= pagelist.Settled
		if _, ok := listed[loc]; ok {
			s.setGone(p)
			continue
		}
		u := discover.URL{Entry: sitemap.Entry{Loc: loc, LastMod: p.LastMod}}
		s.sayPage(Removed, u, p.From, s.Asked, func() {
			p.Removed = max(p.Removed+1, int(time.Now().Unix()/86_400))
			p.State |= removed
			s.setGone(p)
		})
	}
	if s.err == nil {
		s.settle() // what has vanished since
	}
}
