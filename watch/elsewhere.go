package watch

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/pagelist"
)

// elsewhere calls use with the pages of each document of the site other than d.
func (s *site) elsewhere(d *document, use func(pagelist.List)) {
	for _, other := range s.docs {
		if other == d || other.Read.IsZero() || other.Format == sitemap.SitemapIndex {
			continue
		}
		use(s.pages(other))
	}
}

// confirm returns the changes that no other document of the site has shown before.
func (s *site) confirm(d *document, changes []change) []change {
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.url.Loc, b.url.Loc), b.LastMod.Start().Compare(a.LastMod.Start()))
	})
	changes = slices.CompactFunc(changes, func(a, b change) bool { return a.url.Loc == b.url.Loc })
	if len(changes) == 0 {
		return nil
	}
	s.elsewhere(d, func(pages pagelist.List) {
		for i := range changes {
			c := &changes[i]
			at, ok := pages.Find(c.url.Loc)
			if !ok || pages[at].State&pagelist.Untrusted != 0 {
				continue
			}
			if p := &pages[at]; p.IsRemoved() {
				c.Removed = max(c.Removed, p.Removed)
			} else {
				c.IsNew, c.IsLater = false, c.LastMod.After(p.LastMod.Start()) && (c.IsNew || c.IsLater)
			}
		}
	})
	return slices.DeleteFunc(changes, func(c change) bool { return !c.IsNew && !c.IsLater })
}

// settle reports the vanished pages that no document of the site lists. It waits until every
// document that they may have moved to was read, and makes those documents due.
func (s *site) settle(now time.Time, out *delivery) {
	for _, d := range s.docs {
		if d.Vanished.IsZero() {
			continue
		}
		if known := s.knownUntil(d, now, out); !known.Before(d.Vanished) {
			s.report(d, known, out)
		}
	}
	s.docs = slices.DeleteFunc(s.docs, func(d *document) bool {
		isOver := !d.named && d.Vanished.IsZero()
		if isOver {
			delete(s.byLoc, d.Loc)
			out.Put(s.docKey(d.Loc), nil)
			out.Put(s.pagesKey(d.Loc), nil)
		}
		return isOver
	})
}

// lostAfter is how long a document must fail until pages no longer wait for it.
const lostAfter = 14 * 24 * time.Hour

// knownUntil returns the time until which the pages of all documents other than d are known. It
// makes documents due whose pages are not known, as far as PerDay allows. A document that has
// failed for long does not count.
func (s *site) knownUntil(d *document, now time.Time, out *delivery) time.Time {
	known := now.Add(time.Hour) // if there is no other document
	for _, other := range s.docs {
		isLost := other.Failing && now.Sub(other.FailedAt) > lostAfter
		checked := other.checked()
		if other == d || !other.named || isLost || !checked.Before(known) {
			continue
		}
		known = checked
		isLate := checked.Before(d.Vanished) && other.Failures == 0 && other.Next.After(s.began)
		if isLate && s.Tokens >= 1 {
			other.Next = s.began
			s.save(other, out)
		}
	}
	return known
}

// report adds the events about pages of d that vanished until known.
func (s *site) report(d *document, known time.Time, out *delivery) {
	pages := s.pages(d)
	missing, isListed := []*pagelist.Page{}, map[*pagelist.Page]bool{}
	for i := range pages {
		if p := &pages[i]; p.IsVanished() && p.Gone <= known.UnixMilli() {
			p.State |= pagelist.Reported
			missing = append(missing, p)
		}
	}
	s.elsewhere(d, func(others pagelist.List) {
		for _, p := range missing {
			i, ok := others.Find(p.Loc)
			switch {
			case !ok:
			case others[i].Gone == 0, others[i].State&pagelist.InWindow != 0:
				isListed[p] = true
			case others[i].IsRemoved() && others[i].Removed > p.Removed: // reported for that document
				isListed[p], p.Removed = true, others[i].Removed
			}
		}
	})
	for _, p := range missing {
		if !isListed[p] {
			out.events = append(out.events, s.pageEvent(Removed, d, p.Removed, discover.URL{
				Entry: sitemap.Entry{Loc: p.Loc, LastMod: p.LastMod},
			}))
			p.Removed++
		}
	}
	d.Vanished = pages.Vanished()
	s.savePages(d, pages, out)
}
