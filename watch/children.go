package watch

import (
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/internal/pagelist"
)

// relist updates the children of an index: those that are new or gone, and their lastmods.
func (s *site) relist(d *document, r *reading, out *delivery) {
	for i := range r.pages {
		p := &r.pages[i]
		child := s.byLoc[p.Loc]
		switch {
		case p.Gone == 0 && child == nil:
			s.adopt(d, p, d.Known && r.isFirst, out)
		case p.Gone == 0 && !child.named:
			s.revive(child, d, out)
		case p.IsVanished():
			p.State |= pagelist.Reported
			if child != nil && child.index == d {
				s.orphan(child, d, out)
			}
		}
	}
	s.hint(d, r, out)
}

// adopt adds a child of an index, if the limits of a walk allow it. Known means that the site was
// not watched before the child was there.
func (s *site) adopt(d *document, p *pagelist.Page, known bool, out *delivery) {
	o := &s.w.Options
	isOver := func(n, limit, zero int) bool {
		if limit == 0 {
			limit = zero
		}
		return limit > 0 && n >= limit
	}
	if isOver(d.depth(), o.MaxDepth, 10) || isOver(len(s.docs), o.MaxSitemaps, 50_001) {
		return
	}
	child := &document{index: d, named: true}
	child.Loc, child.LastMod, child.Known = p.Loc, p.LastMod, known
	if level, _ := d.scope().Judge(p.Loc); level == trust.Untrusted && s.foreign() >= discover.MaxForeign {
		return
	}
	s.add(child)
	if !known {
		out.events = append(out.events, s.noticeIn(d, SitemapAdded, child))
	}
	s.save(child, out)
}

// foreign returns how many documents no grant of their index covers.
func (s *site) foreign() (n int) {
	for _, d := range s.docs {
		if d.index == nil {
			continue
		}
		if level, _ := d.index.scope().Judge(d.Loc); level == trust.Untrusted {
			n++
		}
	}
	return n
}

// noticeIn returns an event about a document. Its ID depends on the index that listed it, since the
// document itself is forgotten when it goes.
func (s *site) noticeIn(lister *document, kind Kind, d *document) Event {
	e := s.notice(kind, lister, nil)
	e.Sitemap = sitemap.Redact(d.Loc)
	e.ID = identify(e.ID, d.Loc)
	return e
}

// orphan marks a document that lister no longer names, unless another one does. Its pages, and the
// children that it lists, vanish with it.
func (s *site) orphan(d, lister *document, out *delivery) {
	if s.isRenamed(d, lister) {
		return
	}
	out.events = append(out.events, s.noticeIn(lister, SitemapRemoved, d))
	d.named, d.index, d.Next, d.ETag, d.LastModified = false, nil, time.Time{}, "", ""
	pages := s.pages(d)
	now := time.Now().UnixMilli()
	for i := range pages {
		p := &pages[i]
		if p.Gone == 0 {
			p.Gone = now
		}
		if d.Format != sitemap.SitemapIndex {
			continue
		}
		p.State |= pagelist.Reported
		if child := s.byLoc[p.Loc]; child != nil && child.index == d {
			s.orphan(child, d, out)
		}
	}
	d.Vanished = pages.Vanished()
	s.savePages(d, pages, out)
}

// revive takes an orphan back that an index lists again. Its pages are listed until it is read.
func (s *site) revive(d, index *document, out *delivery) {
	d.named, d.index, d.seed, d.Next = true, index, nil, s.began
	pages := s.pages(d)
	for i := range pages {
		if pages[i].IsVanished() {
			pages[i].Gone = 0
		}
	}
	d.Vanished = time.Time{}
	out.events = append(out.events, s.noticeIn(index, SitemapAdded, d))
	s.savePages(d, pages, out)
}

// isRenamed reports whether robots.txt or an index other than lister names a document, and if so
// makes it the child of that one.
func (s *site) isRenamed(d, lister *document) bool {
	for _, seed := range s.Seeds {
		if seed.Loc == d.Loc {
			d.index, d.seed = nil, seed
			return true
		}
	}
	for _, index := range s.docs {
		if index == lister || index == d || index.Format != sitemap.SitemapIndex || !index.named {
			continue
		}
		pages := s.pages(index)
		if i, ok := pages.Find(d.Loc); ok && pages[i].Gone == 0 {
			d.index, d.seed = index, nil
			return true
		}
	}
	return false
}

// hint makes the children due whose lastmod has moved, unless the lastmods of the index have proved
// wrong. It also judges whether lastmods moved when the children changed.
func (s *site) hint(d *document, r *reading, out *delivery) {
	if s.w.Options.IgnoreIndexLastMod {
		d.Proof = 0
		return
	}
	wasProved := d.Proof >= proved
	for _, child := range s.docs {
		if child.index != d {
			continue
		}
		before := child.docRecord
		i, ok := r.pages.Find(child.Loc)
		hasMoved := ok && !r.sum.NotModified && r.pages[i].LastMod != child.LastMod
		if child.Early && r.err == nil {
			child.Early = false
			if hasMoved {
				d.Proof = min(d.Proof+1, proved)
			} else {
				d.Proof -= refute
			}
		}
		if hasMoved {
			child.LastMod, child.Hinted = r.pages[i].LastMod, true
			if d.Proof >= 0 {
				child.Next = s.began
			}
		}
		if child.docRecord != before {
			s.save(child, out)
		}
	}
	if wasProved && d.Proof < 0 {
		s.release(d, out)
	}
}
