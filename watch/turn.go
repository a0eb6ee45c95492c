package watch

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// turn requests the documents of a site that are due, and yields their changes.
func (s *site) turn(ctx context.Context) error {
	s.began = time.Now()
	if s.recall(); s.err != nil {
		return s.err
	}
	s.saved = s.began
	advance := s.advance()
	if !s.Find.After(s.began) {
		s.find(ctx)
	}
	for s.err == nil && s.Failures == 0 {
		s.conclude()
		d := s.next()
		if d == nil || time.Until(s.Paid) > advance {
			break
		}
		if s.isTold || time.Since(s.saved) >= saveEvery { // before it waits
			s.save()
		}
		select {
		case <-ctx.Done():
		case <-time.After(s.Delay):
		}
		s.ask(ctx, d)
	}
	if s.err == nil {
		s.Asked = time.Now()
		s.nextTurn()
	}
	s.save()
	return s.err
}

// conclude yields the events that follow from all documents together.
func (s *site) conclude() {
	if !s.isLinked {
		s.relink(s.seeds(), s.lastAsked())
	}
	s.judge()
	s.settle()
}

// next returns the document to request next: a new one first, then the one with the most expected
// changes. Every second request is for a document that a removal waits for, if there is one. It
// considers documents that were due when the turn began, or became due through a reading since.
func (s *site) next() (best *document) {
	most, last := -1.0, s.lastAsked()
	for _, d := range s.Docs {
		if s.due(d).After(s.began) {
			continue
		}
		expected := d.Rhythm.rate() * s.began.Sub(d.Asked).Hours()
		switch {
		case d.Read.IsZero() && d.Failures == 0, d.wanted && s.Swept.Before(last):
			expected = math.Inf(1)
		case d.isHinted() && d.Failures == 0:
			expected += 1_000
		}
		if expected > most {
			best, most = d, expected
		}
	}
	return best
}

// lastAsked returns when a document was requested last.
func (s *site) lastAsked() (last time.Time) {
	for _, d := range s.Docs {
		last = latest(last, d.Asked)
	}
	return last
}

// ask requests a document and yields its changes.
func (s *site) ask(ctx context.Context, d *document) {
	r := s.fetch(ctx, d)
	s.pay(max(r.sum.Attempts, 1) + len(r.sum.Hops))
	s.err = cmp.Or(s.err, ctx.Err())
	s.tell(d, r)
	s.remark(d, r)
	if s.err != nil {
		return // it is requested again, and yields the events that were not taken
	}
	s.leave(d, r.gone, r.at)
	s.arrive(r.pages)
	d.Asked, d.Format = r.at, cmp.Or(r.sum.Format, d.Format)
	s.learn(d, r)
	if r.isChanged || r.isFirst {
		s.unsaved[s.listKey(d)], d.URLs = r.pages, len(r.pages)
		d.IsIndex, s.isLinked = r.isIndex, false
	}
	if r.isIndex && r.sum.FinalURL != "" {
		d.Scope = r.sum.Scope
	}
	s.plan(d, r)
}

// remark yields the events about the document as a whole.
func (s *site) remark(d *document, r *reading) {
	if r.err == nil && d.Failing {
		s.sayOf(Recovered, d.Loc, d.FailedAt, nil, func() {
			d.Failing, d.Failures = false, 0
		})
	}
	if r.isQuiet(d) {
		s.sayOf(Quiet, d.Loc, d.Changed, nil, func() { d.Usual = 0 })
	}
	if r.isWhole() && len(r.old) >= 100 && 2*len(r.pages) < len(r.old) {
		s.sayOf(Shrunk, d.Loc, d.Read, nil, func() {})
	}
}

// isQuiet reports whether nothing has changed in a document for unusually long.
func (r *reading) isQuiet(d *document) bool {
	if r.err != nil || r.isFirst || r.isNews || d.IsIndex || d.Usual == 0 {
		return false
	}
	usual := time.Duration(float64(24*time.Hour) / d.Usual)
	return r.at.Sub(d.Changed) >= max(10*usual, 7*24*time.Hour)
}

// noteOwn notes whether the lastmod that an index lists for a document is later than all of its
// pages. The index must just have been read, since pages may leave the document meanwhile.
func (r *reading) noteOwn(d *document) {
	switch index := d.index; {
	case r.at.Sub(index.Read) >= time.Minute:
	case !r.last.IsZero() && d.Listed.After(r.last):
		index.Own = min(index.Own+1, proved)
	default:
		index.Own = 0
	}
}

// learn updates the failures of a document, its rhythm, and the proof of the index above it.
func (s *site) learn(d *document, r *reading) {
	if r.err != nil {
		if d.Failures++; d.Failures == 1 {
			d.FailedAt = r.at
		}
		d.err, d.Err, d.Version = r.err, r.err.Error(), fetch.Validators{}
		return
	}
	d.Failures, d.FailedAt, d.Err = 0, time.Time{}, ""
	if !r.sum.NotModified {
		d.Version = r.sum.Validators
		if d.Version.URL == d.Loc {
			d.Version.URL = ""
		}
	}
	if d.Ahead = r.isAhead; d.Ahead {
		d.Version = fetch.Validators{} // the same version is read differently later
	}
	if r.isFirst {
		d.Rhythm = firstRhythm(r.dates, isFeed(d.Format), r.at)
	} else {
		d.Rhythm = d.Rhythm.after(r.at.Sub(d.Read), r.isNews)
	}
	if r.isNews && !r.isFirst {
		d.Changed, d.Usual = r.at, d.Rhythm.usual()
	}
	switch index := d.index; {
	case index == nil || d.Listed.IsZero():
	case r.isFirst: // the index changes whenever the document does
		index.Rhythm.Long.Changes += d.Rhythm.Long.Changes
		index.Next = latest(index.Held, index.Asked.Add(s.interval(index)))
	case d.isHinted() && r.isNews:
		index.Proof = min(index.Proof+1, proved)
		r.noteOwn(d)
	case d.isHinted():
		index.Proof = max(index.Proof-1, -refute)
	case r.isNews:
		d.Early = d.Read
	}
	d.Read, d.Heeded = r.at, d.Listed
}
