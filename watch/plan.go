package watch

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/datetime"
)

const findEvery = 24*time.Hour + time.Minute // a Client keeps a robots.txt for a day

// The proof of an index's lastmods: how often they must be right before the index stands for its
// children, and how much proof is lost when a child changes without a new lastmod.
const (
	proved = 3
	refute = 20
)

// isHinted reports whether the index above a document lists a lastmod for it that is later than at
// its last reading.
func (d *document) isHinted() bool { return d.Listed.After(d.Heeded.Start()) }

// isVouched reports whether the lastmods of the index above a document say when it changes.
func (d *document) isVouched() bool {
	i := d.index
	return i != nil && !i.Ahead && i.Proof >= proved && i.Failures == 0 && !d.Listed.IsZero() &&
		d.Unnamed.IsZero()
}

// isStill reports whether the document has not changed by the index above it. A lastmod that is
// only a date does not exclude further changes on that day.
func (d *document) isStill() bool {
	return d.isVouched() && !d.isHinted() && d.Failures == 0 && datetime.IsOver(d.Listed, d.Read)
}

// due returns when a document is due: rarely while its index stands for it.
func (s *site) due(d *document) time.Time {
	if d.isStill() && !d.wanted {
		return latest(d.Next, d.Asked.Add(min(7*24*time.Hour, s.w.most())))
	}
	return d.Next
}

// plan sets when a document is due again.
func (s *site) plan(d *document, r *reading) {
	least := s.w.least()
	if r.isFirst && r.err == nil {
		fresh := max(r.sum.Fresh, r.sum.Refresh)
		least = max(least, min(fresh, 24*time.Hour, s.w.most()))
	}
	wait := time.Duration(float64(s.interval(d)) * (0.9 + 0.2*rand.Float64()))
	wait = max(min(wait, s.w.most()), least)
	if d.Failures > 0 {
		most := min(max(wait, time.Hour), s.w.most())
		least = max(least, retryAfter(r.err))
		wait = max(backoff(d.Failures, most, r.err), least)
	}
	d.Next, d.Held, d.wanted = r.at.Add(wait), r.at.Add(least), false
}

// interval returns the time between two requests for a document by its rhythm. For a given number
// of requests, the sum of all delays is least if the frequencies are in proportion to the square
// roots of the rates: with rates λ and frequencies f, the sum of the delays is the sum of λ/2f.
func (s *site) interval(d *document) time.Duration {
	perDay := float64(s.w.perDay())
	frequency := func(d *document) float64 { return math.Sqrt(d.Rhythm.rate() * perDay) }
	all := frequency(d)
	for _, other := range s.Docs {
		if other != d && !other.isVouched() {
			all += frequency(other)
		}
	}
	f := frequency(d) * min(1, perDay/all)
	return min(max(time.Duration(float64(24*time.Hour)/f), s.w.least()), s.w.most())
}

// backoff returns the wait before the next request after the n-th failure in a row. It is at most
// most, unless the server asks for more.
func backoff(n int, most time.Duration, err error) time.Duration {
	return max(min(10*time.Minute<<min(n-1, 10), most, 24*time.Hour), retryAfter(err))
}

// retryAfter returns the wait that the server asks for, up to a week.
func retryAfter(err error) time.Duration {
	if fe, ok := errors.AsType[*fetch.Error](err); ok {
		return min(fe.RetryAfter, 7*24*time.Hour)
	}
	return 0
}

// hasten makes a document due as soon as it may be requested.
func (s *site) hasten(d *document) { d.Next = latest(s.began, d.Held) }

// advance returns how far in advance requests may be sent in a turn that begins now. Each request
// uses up a part of a day. The first turn has a whole day, so that a site is known soon. A turn of
// Once has the time since the last one, for programs that run once a day. Other turns have so little
// that any 24 hours have at most a tenth more than PerDay, with the retries of the last request.
func (s *site) advance() time.Duration {
	step, advance := s.w.budget()
	switch {
	case s.Paid.IsZero():
		return 24 * time.Hour
	case s.once:
		return max(advance, min(s.began.Sub(s.Asked), 24*time.Hour)-step)
	}
	return advance
}

// affords returns when PerDay allows n requests at once.
func (s *site) affords(n int) time.Time {
	step, advance := s.w.budget()
	return s.Paid.Add(time.Duration(n-1)*step - advance)
}

// pay counts requests.
func (s *site) pay(requests int) {
	step, _ := s.w.budget()
	s.Paid = latest(s.Paid, time.Now()).Add(time.Duration(requests) * step)
}

// budget returns the time that a request uses up, and how far in advance it may be sent.
func (w *Watcher) budget() (step, advance time.Duration) {
	all := 1.1*float64(w.perDay()) - 2
	atOnce := max(all/11, 1)
	step = time.Duration(float64(24*time.Hour) / max(all-atOnce, 1))
	return step, time.Duration((atOnce - 1) * float64(step))
}

// nextTurn sets when the site is due again, and its rate.
func (s *site) nextTurn() {
	s.Rate, s.Next = 0, s.Find
	for _, d := range s.Docs {
		s.Rate += d.Rhythm.rate()
		due := s.due(d)
		if !s.once { // else each run has a turn, so that Asked says when the last run was
			due = latest(due, s.affords(1))
		}
		if s.Failures == 0 && due.Before(s.Next) {
			s.Next = due
		}
	}
}
