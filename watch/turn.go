package watch

import (
	"context"
	"math"
	"time"

	"github.com/seed-322c453a/sitemap"
)

// turn requests the documents of a site that are due. Deliver passes on the result of each, and
// reports whether the turn may go on.
func (s *site) turn(ctx context.Context, deliver func(*delivery) bool) error {
	s.began = time.Now()
	s.fill(s.began)
	if out := (&delivery{progress: s.key + "f"}); !s.Find.After(time.Now()) {
		if err := s.find(ctx, out); err != nil {
			return err
		}
		s.judgeFailures(time.Now(), out)
		if !s.end(out, deliver) {
			return s.err
		}
	}
	for s.Failures == 0 {
		d := s.due()
		if d == nil || s.Tokens < 1 {
			s.end(new(delivery), deliver)
			break
		}
		out := &delivery{progress: s.key + "q" + hashed(d.Loc)}
		if err := s.ask(ctx, d, out); err != nil {
			return err
		}
		if !s.end(out, deliver) {
			return s.err
		}
		if err := wait(ctx, s.Delay); err != nil {
			return err
		}
	}
	return s.err
}

// end completes the result of one request and delivers it.
func (s *site) end(out *delivery, deliver func(*delivery) bool) bool {
	now := time.Now()
	s.Asked = now
	s.Next = s.nextTurn(now)
	s.Orphans = nil
	for _, d := range s.docs {
		if !d.named {
			s.Orphans = append(s.Orphans, d.Loc)
		}
	}
	out.PutJSON(s.key, s.siteRecord)
	if s.err != nil || !deliver(out) {
		return false
	}
	clear(s.fresh)
	return true
}

// due returns the document to request next: a new one first, then the one with the most changes to
// expect. Documents count that were due when the turn began, or became due through a reading since.
func (s *site) due() (best *document) {
	most := -1.0
	for _, d := range s.docs {
		if !d.named || d.Next.After(s.began) {
			continue
		}
		expected := d.Rhythm.rate() * s.began.Sub(d.Asked).Hours()
		switch {
		case d.Asked.IsZero():
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
func (s *site) ask(ctx context.Context, d *document, out *delivery) error {
	r, err := s.fetch(ctx, d)
	if err != nil {
		return err
	}
	s.Tokens -= float64(max(r.sum.Attempts, 1) + len(r.sum.Hops))
	for _, c := range s.confirm(d, r.changes) {
		kind := Modified
		if c.IsNew {
			kind = Added
		}
		if i, ok := r.pages.Find(c.url.Loc); ok {
			r.pages[i].Removed = c.Removed
		}
		out.events = append(out.events, s.pageEvent(kind, d, c.Removed, c.url))
	}
	s.note(d, r, out)
	s.judgeFailures(time.Now(), out)
	s.settle(time.Now(), out)
	return nil
}

// note updates the record of a document by a reading.
func (s *site) note(d *document, r *reading, out *delivery) {
	elapsed := r.at.Sub(d.Read)
	d.Asked = r.at
	if r.err != nil {
		d.ETag, d.LastModified = "", ""
		if d.fail(r); d.Failures == 1 && d.Proof >= proved {
			s.release(d, out)
		}
	} else {
		if d.Failing {
			d.Failing = false
			out.events = append(out.events, s.notice(Recovered, d, nil))
		}
		d.Failures, d.Err, d.FailedAt = 0, "", time.Time{}
		if !r.sum.NotModified {
			d.Final = r.sum.FinalURL
			d.ETag, d.LastModified = r.validators.ETag, r.validators.LastModified
			d.Ahead = r.merge.Ahead
		}
		s.learn(d, r, elapsed, out)
		d.Checked, d.Read = r.at, r.at
		d.Reads++
		s.compare(d, r, out)
	}
	if r.sum.Format != sitemap.UnknownFormat {
		d.Format = r.sum.Format
	}
	if d.Format == sitemap.SitemapIndex {
		s.relist(d, r, out)
	}
	d.URLs, d.Vanished = r.pages.Listed(), r.pages.Vanished()
	s.plan(d, r)
	if r.merge.Changed || r.isFirst {
		s.savePages(d, r.pages, out)
	} else {
		s.save(d, out)
	}
}

// learn updates the rate of a document, and the proof of the index above it.
func (s *site) learn(d *document, r *reading, elapsed time.Duration, out *delivery) {
	if r.isFirst {
		isWindow := r.sum.Format == sitemap.RSS || r.sum.Format == sitemap.Atom
		d.Rhythm = firstRhythm(r.merge.Dates, isWindow, r.at)
		d.Hinted = false
		if d.index != nil && !d.LastMod.IsZero() { // the index changes whenever d does
			d.index.Rhythm.Long.Changes += d.Rhythm.Long.Changes
			d.index.Next = d.index.Asked.Add(s.interval(d.index))
			s.save(d.index, out)
		}
		return
	}
	d.Rhythm = d.Rhythm.after(elapsed, r.merge.Changed)
	switch index := d.index; {
	case index == nil || d.LastMod.IsZero() || s.w.Options.IgnoreIndexLastMod:
	case d.Hinted && r.merge.Changed:
		index.Proof = min(index.Proof+1, proved)
	case d.Hinted:
		index.Proof = max(index.Proof-1, -refute)
	case r.merge.Changed:
		d.Early = true
	}
	d.Hinted = false
}

// compare reports what a reading says about a document as a whole.
func (s *site) compare(d *document, r *reading, out *delivery) {
	if r.merge.Changed && !r.isFirst {
		d.Changed, d.Usual, d.Quiet = r.at, d.Rhythm.usual(), false
	}
	if !d.Changed.IsZero() && !d.Quiet && d.Format != sitemap.SitemapIndex {
		usual := time.Duration(float64(24*time.Hour) / d.Usual)
		if r.at.Sub(d.Changed) >= max(10*usual, 7*24*time.Hour) {
			d.Quiet = true
			out.events = append(out.events, s.notice(Quiet, d, nil))
		}
	}
	if now := r.pages.Listed(); r.isWhole() && r.before >= 100 && 2*now < r.before {
		out.events = append(out.events, s.notice(Shrunk, d, nil))
	}
}
