package watch

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/pagelist"
)

// load reads a site from the Store, with its documents.
func (w *Watcher) load(name, key string) (*site, error) {
	s := &site{w: w, name: sitemap.Redact(name), key: key}
	s.get(key, &s.siteRecord)
	s.get(s.budgetKey(), &s.budget)
	for _, d := range s.link() {
		d.Baseline = true // its record was lost
	}
	s.resume()
	return s, s.err
}

// resume applies the marks of an interrupted turn.
func (s *site) resume() {
	for marks := []mark(nil); s.get(s.partKey(s.parts), &marks); marks = nil {
		s.parts++
		for _, m := range marks {
			if m.ID != "" {
				s.Said = append(s.Said, m.ID)
			} else {
				s.remember(m.Page)
			}
		}
	}
}

// turn requests the documents of a site that are due. Deliver passes on the result of each, and
// reports whether the turn may go on.
func (s *site) turn(ctx context.Context, deliver func(*delivery) bool) error {
	s.began = time.Now()
	if !s.Find.After(s.began) {
		if out, err := s.find(ctx); err != nil || !s.end(out, deliver) {
			return cmp.Or(err, s.err)
		}
	}
	for s.Failures == 0 {
		d := s.next()
		if d == nil {
			s.Said = nil
		}
		if d == nil || !s.mayAsk() {
			s.end(&delivery{site: s}, deliver)
			break
		}
		if out, err := s.ask(ctx, d); err != nil || !s.end(out, deliver) {
			return cmp.Or(err, s.err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.Delay):
		}
	}
	return s.err
}

// end completes the result of one request and delivers it.
func (s *site) end(out *delivery, deliver func(*delivery) bool) bool {
	s.Asked = time.Now()
	s.Next = s.nextTurn(s.Asked)
	if s.goneChanged { // before the entries: if the Store fails, no page is missing from both
		s.goneChanged = false
		out.Put(s.goneKey(), s.encodeGone(s.Asked))
	}
	out.PutJSON(s.key, s.siteRecord)
	for _, d := range s.docs {
		if d.fresh != nil {
			out.Put(s.pagesKey(d.loc), d.fresh.Encode())
			d.fresh = nil
		}
		if d.docRecord != d.stored {
			d.stored = d.docRecord
			out.PutJSON(s.docKey(d.loc), d.docRecord)
		}
	}
	return s.err == nil && deliver(out)
}

// next returns the document to request next: a new one first, then the one with the most changes to
// expect. Documents count that were due when the turn began, or became due through a reading since.
func (s *site) next() (best *document) {
	most := -1.0
	for _, d := range s.docs {
		if s.due(d).After(s.began) {
			continue
		}
		expected := d.Rhythm.rate() * s.began.Sub(d.Asked).Hours()
		switch {
		case d.Read.IsZero() && d.Failures == 0:
			expected = math.Inf(1)
		case d.Hinted:
			expected += 1_000
		}
		if expected > most {
			best, most = d, expected
		}
	}
	return best
}

// ask requests a document and turns the result into events.
func (s *site) ask(ctx context.Context, d *document) (*delivery, error) {
	out := &delivery{site: s, cause: d.loc + strconv.FormatInt(d.Asked.UnixNano(), 10)}
	r, err := s.fetch(ctx, d)
	if err != nil {
		return nil, err
	}
	s.Tokens -= float64(max(r.sum.Attempts, 1) + len(r.sum.Hops))
	s.confirm(d, r, out)
	s.heed(d, r)
	d.Asked = r.at
	if d.Format = r.sum.Format; r.err != nil {
		d.fail(r)
	} else {
		s.succeed(d, r, out)
	}
	if r.isChanged || r.isFirst {
		d.fresh = pagelist.Of(r.pages)
		d.URLs, d.IsIndex = len(d.fresh), r.isIndex
		s.leave(d, r.gone, r.at)
		s.relink(d.Baseline && r.isFirst, out)
	}
	s.plan(d, r)
	s.judge(out)
	s.settle(out)
	return out, nil
}

// succeed notes that a document could be read.
func (s *site) succeed(d *document, r *reading, out *delivery) {
	if d.Failing {
		out.notice(Recovered, d.loc, nil)
	}
	d.Failing, d.Failures, d.FailedAt, d.Err = false, 0, time.Time{}, ""
	if !r.sum.NotModified {
		d.Version, d.Ahead = r.version, r.ahead
		d.Version.URL = r.sum.FinalURL
	}
	if r.isFirst {
		s.learnFirst(d, r)
	} else {
		d.learn(r)
	}
	d.Read = r.at
	switch {
	case r.isFirst:
	case r.isChanged:
		d.Changed, d.Usual = r.at, d.Rhythm.usual()
	case d.Usual > 0 && !d.IsIndex:
		usual := time.Duration(float64(24*time.Hour) / d.Usual)
		if r.at.Sub(d.Changed) >= max(10*usual, 7*24*time.Hour) {
			d.Usual = 0
			out.notice(Quiet, d.loc, nil)
		}
	}
	if r.isWhole() && len(r.old) >= 100 && 2*len(r.pages) < len(r.old) {
		out.notice(Shrunk, d.loc, nil)
	}
}

// learnFirst estimates the rhythm of a document by its dates. Its index changes whenever it does.
func (s *site) learnFirst(d *document, r *reading) {
	isWindow := d.Format == sitemap.RSS || d.Format == sitemap.Atom
	d.Rhythm = firstRhythm(r.dates, isWindow, r.at)
	if index := d.index; index != nil && !d.listed.IsZero() {
		index.Rhythm.Long.Changes += d.Rhythm.Long.Changes
		index.Next = index.Asked.Add(s.interval(index))
	}
}

// learn updates the rate of a document, and the proof of the index above it.
func (d *document) learn(r *reading) {
	d.Rhythm = d.Rhythm.after(r.at.Sub(d.Read), r.isChanged)
	switch index := d.index; {
	case index == nil || d.listed.IsZero():
	case d.Hinted && r.isChanged:
		index.Proof = min(index.Proof+1, proved)
	case d.Hinted:
		index.Proof = max(index.Proof-1, -refute)
	case r.isChanged:
		d.Early = true
	}
	d.Hinted = false
}
