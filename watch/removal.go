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
		if other != d && other.URLs > 0 {
			use(s.pages(other))
		}
	}
}

// confirm reports the changes of a reading that no other document of the site has shown before.
func (s *site) confirm(d *document, r *reading, out *delivery) {
	slices.SortStableFunc(r.changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.url.Loc, b.url.Loc),
			b.lastMod.Start().Compare(a.lastMod.Start()))
	})
	changes := slices.CompactFunc(r.changes,
		func(a, b change) bool { return a.url.Loc == b.url.Loc })
	if len(changes) == 0 {
		return
	}
	gone := s.departed()
	for i := range changes {
		c := &changes[i]
		if p := gone[c.url.Loc]; p.State&pagelist.Settled == 0 {
			c.compare(p)
		}
	}
	s.elsewhere(d, func(pages pagelist.List) {
		for i := range changes {
			c := &changes[i]
			if p := pages.Find(c.url.Loc); p != nil && p.State&pagelist.Untrusted == 0 {
				c.compare(*p)
			}
		}
	})
	for _, c := range changes {
		kind := Modified
		switch {
		case c.isNew:
			kind = Added
		case !c.isLater:
			continue
		}
		out.page(kind, c.url, s.departing(d, r.pages[c.url.Loc], r.at), d.Asked)
	}
}

// compare compares the page with an entry elsewhere.
func (c *change) compare(p pagelist.Page) {
	if p.Loc != "" {
		c.isNew, c.isLater = false, c.lastMod.After(p.LastMod.Start()) && (c.isNew || c.isLater)
	}
}

// keepGone is how long pages are remembered after they were listed last. So a page that returns to
// a feed is not new, and one that returns after its removal has another ID.
const keepGone = 30 * 24 * time.Hour

// departed returns the pages that have left a document, by location.
func (s *site) departed() map[string]pagelist.Page {
	if s.gone == nil {
		s.gone = map[string]pagelist.Page{}
		list, _ := s.list(s.goneKey())
		for _, p := range list {
			s.gone[p.Loc] = p
		}
	}
	return s.gone
}

// departing returns a page as it is remembered once a document no longer lists it.
func (s *site) departing(d *document, p pagelist.Page, at time.Time) pagelist.Page {
	p.Gone, p.Removed, p.From = at.Truncate(time.Millisecond), s.departed()[p.Loc].Removed, d.loc
	return p
}

// leave remembers pages that a document no longer lists, unless an interrupted turn has settled
// them.
func (s *site) leave(d *document, pages []pagelist.Page, at time.Time) {
	for _, p := range pages {
		before := s.departed()[p.Loc]
		isSettled := before.State&pagelist.Settled != 0 && before.From == d.loc &&
			before.Gone.After(d.stored.Read)
		if !isSettled && p.State&(pagelist.Sitemap|pagelist.Untrusted) == 0 {
			s.remember(s.departing(d, p, at))
		}
	}
}

// remember adds a page that is no longer listed, unless it has vanished from another document and
// only leaves a window here.
func (s *site) remember(p pagelist.Page) {
	before := s.departed()[p.Loc]
	if p.State&pagelist.InWindow != 0 && isPending(before) {
		return
	}
	if before.LastMod.After(p.LastMod.Start()) {
		p.LastMod = before.LastMod
	}
	s.gone[p.Loc] = p
	s.goneChanged = true
	if isPending(p) {
		s.vanish(p.Gone)
	}
}

// lostAfter is how long a document must fail until removals no longer wait for it. They always wait
// for an index, which may list a document that has the pages.
const lostAfter = 30 * 24 * time.Hour

// settle reports the vanished pages that no document of the site lists. It waits until every
// document that they may have moved to was read, and makes those documents due, as far as PerDay
// allows.
func (s *site) settle(out *delivery) {
	if s.Vanished.IsZero() {
		return
	}
	now := time.Now()
	known := now
	for _, d := range s.docs {
		checked := d.checked()
		isLost := d.Failing && !d.IsIndex && now.Sub(d.FailedAt) > lostAfter
		if isLost || !checked.Before(known) {
			continue
		}
		known = checked
		if checked.Before(s.Vanished) && d.Failures == 0 && !d.isStill() && s.mayAsk() {
			d.Next = s.began
		}
	}
	if !known.Before(s.Vanished) {
		s.report(known, out)
	}
}

// report adds the events about pages that vanished until known.
func (s *site) report(known time.Time, out *delivery) {
	missing, isListed := map[string]pagelist.Page{}, map[string]bool{}
	s.Vanished = time.Time{}
	for loc, p := range s.departed() {
		if isPending(p) && p.Gone.After(known) {
			s.vanish(p.Gone)
		} else if isPending(p) {
			missing[loc] = p
		}
	}
	s.elsewhere(nil, func(pages pagelist.List) {
		for loc := range missing {
			p := pages.Find(loc)
			isListed[loc] = isListed[loc] || p != nil && p.State&pagelist.Untrusted == 0
		}
	})
	for _, p := range pagelist.Of(missing) {
		if isListed[p.Loc] {
			p.From = ""
		} else {
			u := discover.URL{Entry: sitemap.Entry{Loc: p.Loc, LastMod: p.LastMod}}
			out.page(Removed, u, p, p.Gone)
			p.Removed++
		}
		p.State |= pagelist.Settled
		s.gone[p.Loc] = p
	}
	s.goneChanged = true
}

// vanish notes when a page vanished that may have been removed.
func (s *site) vanish(at time.Time) {
	if s.Vanished.IsZero() || at.Before(s.Vanished) {
		s.Vanished = at
	}
}

// isPending reports whether a page is gone that may have been removed.
func isPending(p pagelist.Page) bool {
	return !p.Gone.IsZero() && p.State&(pagelist.Settled|pagelist.InWindow) == 0
}

// encodeGone encodes the pages that are gone for the Store, without those that are forgotten.
func (s *site) encodeGone(now time.Time) []byte {
	for loc, p := range s.gone {
		if !isPending(p) && now.Sub(p.Gone) > keepGone {
			delete(s.gone, loc)
		}
	}
	return pagelist.Of(s.gone).Encode()
}
