package watch

import (
	"context"
	"math/rand/v2"
	"time"
)

// plan sets when a document is due again.
func (s *site) plan(d *document, r *reading) {
	wait := s.interval(d)
	if d.Reads < 5 {
		wait = max(wait, min(r.fresh, s.w.most()))
	}
	if d.Failures > 0 {
		wait = backoff(d.Failures, max(wait, time.Hour), r.err)
	}
	d.Next = r.at.Add(time.Duration(float64(wait) * (0.9 + 0.2*rand.Float64())))
}

// interval returns the time between two requests for a document.
func (s *site) interval(d *document) time.Duration {
	if d.isVouched() {
		return min(7*24*time.Hour, s.w.most())
	}
	all := 0.0
	for _, other := range s.docs {
		if other.named && !other.isVouched() {
			all += frequency(other.Rhythm.rate(), s.w.perDay())
		}
	}
	f := frequency(d.Rhythm.rate(), s.w.perDay())
	return interval(f, all, s.w.perDay(), s.w.least(), s.w.most())
}

// fill adds the requests that have become possible since the last call. The first day may have as
// many as any other. Later, unused requests do not pile up, so that no day has many more.
func (s *site) fill(now time.Time) {
	perDay := float64(s.w.perDay())
	switch {
	case s.Filled.IsZero():
		s.Tokens, s.Filled = perDay, now.Add(24*time.Hour)
	case now.After(s.Filled):
		s.Tokens = min(s.Tokens+perDay*now.Sub(s.Filled).Hours()/24, max(perDay/10, 1))
		s.Filled = now
	}
}

// nextTurn returns when the site is due again, and notes its rate.
func (s *site) nextTurn(now time.Time) time.Time {
	next := time.Time{}
	s.Rate = 0
	for _, d := range s.docs {
		if !d.named {
			continue
		}
		s.Rate += d.Rhythm.rate()
		if next.IsZero() || d.Next.Before(next) {
			next = d.Next
		}
	}
	wait := max(1-s.Tokens, 0) / float64(s.w.perDay()) * 24 * float64(time.Hour)
	if can := s.Filled.Add(time.Duration(wait) + time.Second); wait > 0 && next.Before(can) {
		next = can
	}
	if next.Before(now.Add(s.Delay)) {
		next = now.Add(s.Delay)
	}
	if len(s.docs) == 0 || s.Failures > 0 || s.Find.Before(next) {
		next = s.Find
	}
	return next
}

// release gives the children of an index their own intervals again, because the lastmods of the
// index have proved wrong.
func (s *site) release(index *document, out *delivery) {
	for _, child := range s.docs {
		if next := s.began.Add(s.interval(child)); child.index == index && next.Before(child.Next) {
			child.Next = next
			s.save(child, out)
		}
	}
}

// wait waits for a Crawl-delay.
func wait(ctx context.Context, d time.Duration) error {
	if d > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(d):
		}
	}
	return ctx.Err()
}
