package watch

import (
	"context"
	"errors"
	"slices"
	"strconv"
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
func (s *site) find(ctx context.Context) (*delivery, error) {
	out := &delivery{site: s, cause: strconv.FormatInt(s.Find.UnixNano(), 10)}
	now := time.Now()
	found, err := s.sitemaps(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.Find = now.Add(findEvery)
	most := 2 * time.Hour
	if errors.Is(err, discover.ErrNoSitemap) {
		most = 24 * time.Hour
	}
	if err == nil || len(found) > 0 && len(s.Seeds) == 0 {
		s.Failures = 0
		s.nameSeeds(found, out)
		s.judge(out)
		return out, nil
	}
	s.Failures++
	s.Find = now.Add(backoff(s.Failures, most, err))
	if (s.Failures >= failures || errors.Is(err, discover.ErrSite)) && !s.Failing {
		s.Failing = true
		out.notice(Failing, "", err)
	}
	return out, nil
}

// sitemaps returns the sitemaps that robots.txt names, or those at the known paths. Sitemaps that
// were found at known paths before stay as long as they can be read.
func (s *site) sitemaps(ctx context.Context) ([]*discover.Sitemap, error) {
	f, err := s.w.Client.Robots(ctx, s.name)
	if f == nil {
		return nil, err
	}
	s.Delay = min(f.CrawlDelay(s.w.robotsToken()), maxDelay)
	if len(f.Sitemaps) == 0 {
		isGood := func(seed *discover.Sitemap) bool {
			d := s.byLoc[seed.Loc]
			return seed.RobotsURL == "" && d != nil && d.Failures == 0
		}
		if slices.ContainsFunc(s.Seeds, isGood) {
			return s.Seeds, nil
		}
		s.Tokens -= float64(len(discover.DefaultKnownPaths()))
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
	isNew := func(seed *discover.Sitemap) bool { return s.byLoc[seed.Loc] == nil }
	if slices.ContainsFunc(found, isNew) {
		found = slices.Clip(found)
		for _, seed := range s.Seeds {
			if d := s.byLoc[seed.Loc]; d != nil && d.seed == seed { // not one that was named twice
				found = append(found, seed)
			}
		}
	}
	s.Seeds = found
	s.relink(len(s.docs) == 0, out)
}
