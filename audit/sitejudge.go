package audit

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// A siteJudge holds what the rules of a site share.
type siteJudge struct {
	*reporter
	ctx     context.Context
	client  *discover.Client
	named   []string        // URLs that the caller named, with their user names and passwords
	name    string          // the first as it was named, without those
	origin  location.Origin // of name, zero if that is not a URL
	lastErr error           // yielded last
	isPart  bool            // not all pages that sitemaps list were read

	files       map[location.Origin]*robots.File // nil if it could not be read
	robotsErr   error                            // of that of origin, until it is reported
	robotsBytes int64                            // that these take in memory
	listed      map[uint64]place                 // of sitemaps in indexes, by hashes of locations
	seeds       []func()                         // judge the documents that no index has led to
}

const (
	maxListed      = 1 << 20  // places that are remembered
	maxRobotsBytes = 64 << 20 // bytes of robots.txt files, after which no more are asked for
)

// storeFailed keeps the first error of the Store, and reports whether there is one.
func (s *siteJudge) storeFailed(err error) bool {
	s.lastErr = cmp.Or(s.lastErr, err)
	return s.lastErr != nil
}

// placeOf returns where a sitemap is listed: in an index or a robots.txt, or else its own start.
func (s *siteJudge) placeOf(sm *discover.Sitemap) place {
	switch p, ok := s.listed[hashOf(sm.Loc)]; {
	case sm.Referrer != nil && ok:
		return p.of(sm.Loc)
	case sm.Referrer != nil:
		return place{sitemap: sm.Referrer.Loc}
	case sm.RobotsURL != "":
		return place{sitemap: sm.RobotsURL, pos: sitemap.Position{Line: sm.Line},
			column: min(sm.Line, 1)}
	}
	return place{sitemap: sm.Loc}
}

// robots returns the robots.txt that speaks for a URL, or nil if it is not known.
func (s *siteJudge) robots(loc string) *robots.File {
	origin, _, err := location.ParseOrigin(loc)
	if err != nil {
		return nil
	}
	file, ok := s.files[origin]
	if !ok && len(s.files) < maxOrigins && s.robotsBytes < maxRobotsBytes {
		if origin == s.origin {
			file, err = s.client.Robots(s.ctx, s.named[0]) // with its user name and password
		} else {
			file, err = s.client.Robots(s.ctx, origin.String(), s.named...)
		}
		if err != nil {
			if file = nil; origin == s.origin {
				s.robotsErr = err
			}
		} else {
			s.robotsBytes += file.Size()
		}
		s.files[origin] = file
	}
	return file
}

// names reports whether records name one of locs.
func names(records []robots.Record, locs ...string) bool {
	return slices.ContainsFunc(records, func(r robots.Record) bool {
		return slices.ContainsFunc(locs, func(loc string) bool { return sameURL(r.Loc, loc) })
	})
}
