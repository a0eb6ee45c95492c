package watch

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// The proof of an index's lastmods: how often they must have been right before they stand for its
// children, and how much a child costs that changed without them.
const (
	proved = 3
	refute = 20
)

// isVouched reports whether the lastmods of the index above a document say when it changes.
func (d *document) isVouched() bool {
	i := d.index
	return i != nil && i.Proof >= proved && i.Failures == 0 && !d.listed.IsZero()
}

// isStill reports whether the index above a document says that it has not changed.
func (d *document) isStill() bool {
	return d.isVouched() && !d.Hinted && !d.Read.IsZero() && d.Failures == 0
}

// checked returns the time until which the pages of a document are known: when it was read, or
// when the index that stands for it was.
func (d *document) checked() time.Time {
	if d.isStill() && d.index.Read.After(d.Read) {
		return d.index.Read
	}
	return d.Read
}

// due returns when a document is due: rarely while its index stands for it.
func (s *site) due(d *document) time.Time {
	if rare := d.Asked.Add(min(7*24*time.Hour, s.w.most())); d.isStill() && d.Next.Before(rare) {
		return rare
	}
	return d.Next
}

// plan sets when a document is due again.
func (s *site) plan(d *document, r *reading) {
	wait := time.Duration(float64(s.interval(d)) * (0.9 + 0.2*rand.Float64()))
	if r.isFirst {
		wait = max(wait, r.fresh, min(r.sum.Refresh, 24*time.Hour))
	}
	wait = max(min(wait, s.w.most()), s.w.least())
	if d.Failures > 0 {
		most := min(max(wait, time.Hour), s.w.most())
		wait = max(backoff(d.Failures, most, r.err), s.w.least())
	}
	d.Next = r.at.Add(wait)
}

// interval returns the time between two requests for a document by its rhythm.
func (s *site) interval(d *document) time.Duration {
	f := frequency(d.Rhythm.rate(), s.w.perDay())
	all := f
	for _, other := range s.docs {
		if other != d && !other.isVouched() {
			all += frequency(other.Rhythm.rate(), s.w.perDay())
		}
	}
	return interval(f, all, s.w.perDay(), s.w.least(), s.w.most())
}

// backoff returns the wait before the next request after the n-th failure in a row. It is at most
// most, unless the server asks for more.
func backoff(n int, most time.Duration, err error) time.Duration {
	wait := min(10*time.Minute<<min(n-1, 10), most, 24*time.Hour)
	var fe *fetch.Error
	if errors.As(err, &fe) {
		wait = max(wait, min(fe.RetryAfter, 7*24*time.Hour))
	}
	return wait
}

// budget returns how many requests a site may have in a day, and how many of them at once. With the
// retries of the last one, any 24 hours have at most a tenth more than PerDay.
func (w *Watcher) budget() (perDay, atOnce float64) {
	all := 1.1*float64(w.perDay()) - 2
	atOnce = max(all/11, 1)
	return max(all-atOnce, 1), atOnce
}

// mayAsk reports whether PerDay allows a request now. In the first hour, a site may have the
// requests of a day, and pays them back later.
func (s *site) mayAsk() bool {
	perDay, atOnce := s.w.budget()
	switch now := time.Now(); {
	case s.Filled.IsZero():
		s.Tokens, s.Loan, s.Filled = s.Tokens+perDay+atOnce, perDay, now.Add(time.Hour)
	case now.After(s.Filled):
		s.Tokens = min(s.Tokens-s.Loan+perDay*now.Sub(s.Filled).Hours()/24, atOnce)
		s.Loan, s.Filled = 0, now
	}
	return s.Tokens >= 1
}

// nextTurn returns when the site is due again, and notes its rate.
func (s *site) nextTurn(now time.Time) time.Time {
	s.Rate = 0
	next, possible := s.Find, now
	if s.Tokens < 1 && !s.Filled.IsZero() {
		perDay, _ := s.w.budget()
		days := (1 - s.Tokens + s.Loan) / perDay
		possible = s.Filled.Add(time.Duration(days*24*float64(time.Hour)) + time.Second)
	}
	for _, d := range s.docs {
		s.Rate += d.Rhythm.rate()
		if due := latest(s.due(d), possible); s.Failures == 0 && due.Before(next) {
			next = due
		}
	}
	return latest(next, now.Add(s.Delay))
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
