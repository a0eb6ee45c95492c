package watch

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

const (
	findEvery = 24*time.Hour + time.Minute // a Client keeps a robots.txt for a day
	maxDelay  = 30 * time.Second           // of a Crawl-delay
)

// find finds the sitemaps of the site in robots.txt, or else at the known paths. If that fails, the
// site keeps those that it had.
func (s *site) find(ctx context.Context, out *delivery) error {
	now := time.Now()
	found, err := s.sitemaps(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.Find = now.Add(findEvery)
	most := 2 * time.Hour
	var none *discover.NoSitemapError
	if errors.As(err, &none) {
		s.Tokens -= float64(len(none.Tried))
		most = 24 * time.Hour
	}
	if err != nil && (len(found) == 0 || len(s.Seeds) > 0) {
		s.Failures++
		s.Find = now.Add(backoff(s.Failures, most, err))
		if s.Failures >= failures && !s.Failing {
			s.Failing = true
			out.events = append(out.events, s.notice(Failing, nil, err))
		}
		return nil
	}
	s.Failures = 0
	s.nameSeeds(found, out)
	return nil
}

// sitemaps returns the sitemaps that robots.txt names, or those at the known paths. Sitemaps that
// were found at known paths before stay as long as they can be read.
func (s *site) sitemaps(ctx context.Context) ([]*discover.Sitemap, error) {
	f, err := s.w.Client.Robots(ctx, s.name)
	if f == nil {
		return nil, err
	}
	s.Delay = min(f.CrawlDelay(s.w.robotsToken()), maxDelay)
	isGood := func(seed *discover.Sitemap) bool {
		return seed.RobotsURL == "" && s.byLoc[seed.Loc] != nil && s.byLoc[seed.Loc].Failures == 0
	}
	if len(f.Sitemaps) == 0 && slices.ContainsFunc(s.Seeds, isGood) {
		return s.Seeds, nil
	}
	return s.w.Client.Find(ctx, s.name)
}

func (w *Watcher) robotsToken() string {
	if w.Client.Fetch != nil {
		return w.Client.Fetch.RobotsToken()
	}
	return new(fetch.Client).RobotsToken()
}

// nameSeeds replaces the seeds with those that robots.txt or the known paths name now. If some are
// new, it keeps the old ones until the next time: pages and sitemaps may have moved.
func (s *site) nameSeeds(found []*discover.Sitemap, out *delivery) {
	isFirst := len(s.Seeds) == 0 && len(s.docs) == 0
	before, hasNew := s.Seeds, false
	s.Seeds = nil
	for _, seed := range found {
		isTwice := slices.ContainsFunc(s.Seeds, func(o *discover.Sitemap) bool { return o.Loc == seed.Loc })
		if isTwice {
			continue
		}
		s.Seeds = append(s.Seeds, seed)
		d := s.byLoc[seed.Loc]
		switch {
		case d == nil:
			d = &document{seed: seed, named: true}
			d.Loc, d.Known, hasNew = seed.Loc, isFirst, true
			s.add(d)
			if !isFirst {
				out.events = append(out.events, s.noticeIn(nil, SitemapAdded, d))
			}
			s.save(d, out)
		case d.index == nil:
			d.seed, d.named = seed, true
		}
	}
	for _, old := range before {
		isNamed := slices.ContainsFunc(s.Seeds, func(o *discover.Sitemap) bool { return o.Loc == old.Loc })
		d := s.byLoc[old.Loc]
		switch {
		case isNamed || d == nil || d.index != nil || !d.named:
		case hasNew:
			s.Seeds = append(s.Seeds, old)
		default:
			s.orphan(d, nil, out)
		}
	}
}
