package watch

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/internal/datetime"
	"github.com/seed-322c453a/sitemap/internal/pagelist"
)

// maxLocs bounds the locations of the documents of a site, in bytes.
const maxLocs = 32 << 20

// relink updates the documents to those that the seeds and the indexes name at a time. New documents
// belong to the baseline if they existed at the first reading of the site. Those that are no longer
// named are dropped, unless a document that was not read since may name them. Their pages are gone,
// so limits exclude only new documents.
func (s *site) relink(seeds []*discover.Sitemap, at time.Time) {
	isFirst, isNamed := len(s.Docs) == 0, map[string]bool{}
	var docs []*document // each index before its children
	size := 0            // bytes of the locations of all documents
	for _, d := range s.Docs {
		size += len(d.Loc)
	}
	name := func(loc string, by link) {
		d := s.byLoc[loc]
		switch {
		case isNamed[loc] || s.err != nil:
			return
		case d != nil:
			d.link = by
		case len(s.Docs) >= limit(s.w.Options.MaxSitemaps, 50_001), size+len(loc) > maxLocs,
			by.depth > limit(s.w.Options.MaxDepth, 10):
			return
		default:
			size += len(loc)
			d = &document{Loc: loc, link: by, Found: s.began, Asked: s.began, Next: s.began}
			// An index that has not changed since its first reading had all its children then.
			d.Baseline = isFirst || d.index != nil && d.index.Baseline && d.index.Changed.IsZero()
			add := func() { s.Docs, s.byLoc[loc] = append(s.Docs, d), d }
			if d.Baseline {
				add()
			} else {
				s.sayOf(SitemapAdded, loc, s.Asked, nil, add)
			}
		}
		isNamed[loc] = true
		docs = append(docs, d)
		if by.index != nil {
			s.heed(d)
		}
	}
	for _, seed := range seeds {
		name(seed.Loc, link{Seed: seed})
	}
	for i := 0; i < len(docs); i++ {
		index := docs[i]
		if !index.IsIndex {
			continue
		}
		by := link{Index: index.Loc, index: index, depth: index.depth + 1}
		for _, p := range s.entries(index) {
			if p.State&pagelist.Sitemap != 0 {
				by.Listed = p.LastMod
				name(p.Loc, by)
			}
		}
	}
	var unnamed []*document
	var last time.Time
	for _, d := range s.Docs {
		if !isNamed[d.Loc] {
			if d.Unnamed.IsZero() {
				d.Unnamed = at
			}
			unnamed, last = append(unnamed, d), latest(last, d.Unnamed)
		}
	}
	isLinked, known := true, s.indexesRead(docs, last)
	for _, d := range unnamed {
		if d.Unnamed.After(known) { // a document may name it
			docs, isLinked = append(docs, d), false
			continue
		}
		pages := s.entries(d)
		s.sayOf(SitemapRemoved, d.Loc, d.Found, nil, func() {
			s.Swept = time.Now() // a page may have moved from it to what is not swept yet
			s.leave(d, pages, s.Swept)
			s.Docs = slices.DeleteFunc(s.Docs, func(o *document) bool { return o == d })
			s.unsaved[s.listKey(d)] = nil
			delete(s.byLoc, d.Loc)
			isLinked = false // there may be room now
		})
	}
	if s.err == nil {
		s.Docs, s.isLinked = docs, isLinked
	}
}

// indexesRead makes the indexes due that were last read before a time. It returns that time, or the
// earliest at which one of them was read: zero if a document that was never read may be an index.
// Indexes that are failing do not count.
func (s *site) indexesRead(docs []*document, at time.Time) time.Time {
	all := at
	for _, d := range docs {
		switch {
		case d.Read.IsZero():
			if d.IsIndex || !d.Failing {
				all = time.Time{}
			}
		case d.IsIndex && !d.Failing && d.checked().Before(at):
			if d.checked().Before(all) {
				all = d.checked()
			}
			s.check(d)
		}
	}
	return all
}

// limit resolves a limit of a walk as the walk does.
func limit(n, byDefault int) int {
	if n < 0 {
		return math.MaxInt
	}
	return cmp.Or(n, byDefault)
}

// heed makes a child of an index due if its lastmod there has moved, unless the lastmods of the
// index have proved wrong. It also judges whether the lastmod has moved when the child changed.
func (s *site) heed(d *document) {
	index := d.index
	switch {
	case d.Early.IsZero():
	case d.isHinted():
		index.Proof, d.Early = min(index.Proof+1, proved), time.Time{}
		if !d.Listed.After(d.Changed) {
			d.Heeded = d.Listed // by the reading that was early
		}
	case index.Read.After(d.Changed) && datetime.IsOver(d.Listed, d.Early):
		index.Proof, d.Early = index.Proof-refute, time.Time{}
	}
	if d.isHinted() && d.Failures == 0 && index.Proof >= 0 {
		s.hasten(d)
	}
}
