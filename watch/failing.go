package watch

import (
	"errors"
	"time"

	"github.com/seed-322c453a/sitemap/fetch"
)

// failures is how often in a row a document or a site must fail to be reported.
const failures = 3

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

// fail notes that a document could not be read.
func (d *document) fail(r *reading) {
	if d.Failures++; d.Failures == 1 {
		d.FailedAt = r.at
	}
	d.Err = r.err.Error()
}

// judgeFailures reports documents that are failing. If the whole site may be failing, it makes
// another document due to find out.
func (s *site) judgeFailures(now time.Time, out *delivery) {
	if s.Failing && s.Failures == 0 && s.isAnyRead() {
		s.Failing = false
		out.events = append(out.events, s.notice(Recovered, nil, nil))
		for _, d := range s.docs {
			if d.Failures > 0 { // count again, since it failed with the site
				d.Failures, d.FailedAt, d.Next = 1, now, s.began
				s.save(d, out)
			}
		}
	}
	for _, d := range s.docs {
		if !d.named || d.Failures < failures || d.Failing || s.Failing {
			continue
		}
		isRead, unknown := false, (*document)(nil)
		for _, other := range s.docs {
			isRead = isRead || other.Read.After(d.FailedAt)
			if other.named && other.Failures == 0 {
				unknown = other
			}
		}
		switch err := errors.New(d.Err); {
		case isRead:
			d.Failing = true
			out.events = append(out.events, s.notice(Failing, d, err))
			s.save(d, out)
		case unknown != nil:
			unknown.Next = s.began
			s.save(unknown, out)
		default:
			s.Failing = true
			out.events = append(out.events, s.notice(Failing, nil, err))
		}
	}
}

// isAnyRead reports whether a document of the site can be read.
func (s *site) isAnyRead() bool {
	for _, d := range s.docs {
		if d.named && d.Failures == 0 && !d.Read.IsZero() {
			return true
		}
	}
	return false
}
