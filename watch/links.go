package watch

import (
	"time"
)

// relink updates the documents to those that the seeds and the indexes name now. New documents
// belong to the baseline if they existed at the first reading of the site. The pages of documents
// that nothing names any more are gone.
func (s *site) relink(baseline bool, out *delivery) {
	before := s.docs
	for _, d := range s.link() {
		if d.Baseline = baseline; !baseline {
			out.notice(SitemapAdded, d.loc, nil)
		}
	}
	for _, d := range before {
		if s.byLoc[d.loc] != nil {
			continue
		}
		out.notice(SitemapRemoved, d.loc, nil)
		s.leave(d, s.pages(d), time.Now())
		out.Put(s.docKey(d.loc), nil)
		out.Put(s.pagesKey(d.loc), nil)
	}
}

// heed makes the children of an index due whose lastmod has moved, unless the lastmods of the index
// have proved wrong. It also judges whether lastmods moved when the children changed. An index that
// breaks off says nothing about that.
func (s *site) heed(d *document, r *reading) {
	for _, child := range s.docs {
		if child.index != d {
			continue
		}
		hasMoved := r.moved[child.loc]
		switch {
		case child.Early && hasMoved:
			d.Proof = min(d.Proof+1, proved)
		case child.Early && r.err == nil:
			d.Proof -= refute
		}
		child.Early = child.Early && !hasMoved && r.err != nil
		if hasMoved {
			if child.Hinted = true; d.Proof >= 0 {
				child.Next = s.began
			}
		}
	}
}
