package watch

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// failures is how often in a row a document or a site must fail to be reported.
const failures = 3

// fail notes that a document could not be read.
func (d *document) fail(r *reading) {
	if d.Failures++; d.Failures == 1 {
		d.FailedAt = r.at
	}
	d.err, d.Err = r.err, r.err.Error()
	d.Version.ETag, d.Version.LastModified = "", ""
}

// judge reports documents that are failing, or the whole site. If it is not clear which, it makes
// another document due to find out.
func (s *site) judge(out *delivery) {
	isRead := func(d *document) bool { return d.Failures == 0 && !d.Read.IsZero() }
	if s.Failing && slices.ContainsFunc(s.docs, isRead) {
		s.Failing = false
		out.notice(Recovered, "", nil)
		for _, d := range s.docs {
			if d.Failures > 0 { // count again, since it failed with the site
				d.Failures, d.FailedAt, d.Next = 1, time.Now(), s.began
			}
		}
	}
	for _, d := range s.docs {
		if d.Failures < failures || d.Failing || s.Failing {
			continue
		}
		isRead, unknown := false, (*document)(nil)
		for _, other := range s.docs {
			isRead = isRead || other.Read.After(d.FailedAt)
			if other.Failures == 0 && !other.isStill() {
				unknown = other
			}
		}
		switch err := cmp.Or(d.err, errors.New(d.Err)); {
		case isRead:
			d.Failing = true
			out.notice(Failing, d.loc, err)
		case unknown != nil:
			unknown.Next = s.began
		default:
			s.Failing = true
			out.notice(Failing, "", err)
		}
	}
}
