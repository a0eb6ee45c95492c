package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/seed-322c453a/sitemap/discover"
	"github.com/seed-322c453a/sitemap/fetch"
)

const maxDelay = 30 * time.Second // of a Crawl-delay

// find finds the sitemaps of the site in robots.txt, or else at the known paths. If that fails, the
// site keeps the sitemaps that it had.
func (s *site) find(ctx context.Context) {
	now := time.Now()
	found, err := s.sitemaps(ctx)
	if s.err = cmp.Or(s.err, ctx.Err()); s.err != nil {
		return
	}
	if err == nil || len(found) > 0 && len(s.Docs) == 0 {
		if s.relink(found, now); s.err == nil {
			s.Failures, s.Err, s.Find = 0, "", now.Add(findEvery)
		}
		return
	}
	if e, ok := errors.AsType[*discover.NoSitemapError](err); ok && len(e.Tried) > 0 {
		err = fmt.Errorf("%w: %w", err, e.Tried[0].Err) // such as a status of robots.txt
	}
	isOurs := errors.Is(err, errSearch) // it is not the site that fails
	if (s.Failures+1 >= failures || errors.Is(err, discover.ErrSite)) && !s.Failing && !isOurs {
		s.sayOf(Failing, "", s.Asked, err, func() { s.Failing = true })
	}
	most := 2 * time.Hour
	if errors.Is(err, discover.ErrNoSitemap) {
		most = 24 * time.Hour
	}
	if s.err == nil {
		s.Failures, s.Err = s.Failures+1, err.Error()
		s.Find = now.Add(backoff(s.Failures, most, err))
	}
	if n := searched(err); n > 0 {
		s.Find = latest(s.Find, s.affords(n)) // the next search may take as many requests
	}
}

// searchCost is how many requests a search for sitemaps at known paths takes without retries.
func searchCost() int { return len(discover.DefaultKnownPaths()) }

// errSearch postpones such a search.
var errSearch = errors.New("watch: a search for sitemaps takes more requests than PerDay allows now")

// searched returns how many requests a search for sitemaps at known paths takes if the last attempt
// ended with err.
func searched(err error) (n int) {
	var none *discover.NoSitemapError
	switch {
	case errors.Is(err, errSearch):
		return searchCost()
	case !errors.As(err, &none):
		return 0
	}
	for _, try := range none.Tried[1:] { // after robots.txt
		n++
		if e, ok := errors.AsType[*fetch.Error](try.Err); ok {
			n += max(e.Attempts-1, 0) + len(e.Hops)
		}
	}
	return n
}

// sitemaps returns the sitemaps that robots.txt names. If it names none, those that were found
// before stay, except lost ones. If none of them can be read, others are searched for at the known
// paths. Where PerDay does not allow that yet, the site has to wait with all requests.
func (s *site) sitemaps(ctx context.Context) ([]*discover.Sitemap, error) {
	f, err := s.w.Client.Robots(ctx, s.name)
	if f == nil {
		return nil, err
	}
	agent := s.w.Client.Fetch.RobotsToken()
	s.Delay = min(f.CrawlDelay(agent), maxDelay)
	if len(f.Sitemaps) > 0 {
		return s.w.Client.Find(ctx, s.name)
	}
	allowed := slices.DeleteFunc(slices.Clone(s.Docs), func(d *document) bool {
		u, err := url.Parse(d.Loc)
		return d.Seed == nil || err != nil || !f.Allowed(agent, u)
	})
	kept := slices.DeleteFunc(s.seeds(), func(sm *discover.Sitemap) bool {
		return s.byLoc[sm.Loc].isLost()
	})
	switch {
	case slices.ContainsFunc(allowed, func(d *document) bool { return d.Failures == 0 }):
		return kept, nil
	case len(allowed) > 0 && s.affords(searchCost()).After(time.Now()):
		return nil, errSearch
	}
	found, err := s.w.Client.Find(ctx, s.name)
	s.pay(cmp.Or(searched(err), searchCost()))
	return append(found, kept...), err
}
