package watch

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// failures is how often in a row a document or a site must fail to be reported.
const failures = 3

// judge reports documents that are failing, or the whole site. If it is not clear which, it makes
// another document due to find out.
func (s *site) judge() {
	isRead := func(d *document) bool { return d.Failures == 0 && !d.Read.IsZero() }
	if s.Failing && slices.ContainsFunc(s.Docs, isRead) {
		s.sayOf(Recovered, "", s.Asked, nil, func() {
			s.Failing = false
			for _, d := range s.Docs {
				if d.Failures > 0 && !d.Failing { // count again, since it failed with the site
					d.Failures, d.FailedAt = 1, time.Now()
					s.hasten(d)
				}
			}
		})
	}
	for _, d := range s.Docs {
		if d.Failures < failures || d.Failing || s.Failing || !d.Unnamed.IsZero() {
			continue
		}
		wasRead := func(o *document) bool { return o.Read.After(d.FailedAt) }
		mayBeRead := func(o *document) bool { return o.Failures == 0 && !o.isStill() }
		err := cmp.Or(d.err, errors.New(d.Err))
		if slices.ContainsFunc(s.Docs, wasRead) {
			s.sayOf(Failing, d.Loc, d.FailedAt, err, func() { d.Failing = true })
		} else if i := slices.IndexFunc(s.Docs, mayBeRead); i >= 0 {
			s.hasten(s.Docs[i])
		} else {
			s.sayOf(Failing, "", s.Asked, err, func() { s.Failing = true })
		}
	}
}
