package discover

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/siteurl"
)

// URLs yields the pages of a site: it finds the site's sitemaps as [Client.Find] does and walks
// them. The known paths and the home page are tried also if nothing that robots.txt names can be
// read, or with [Options.KnownPathsToo]. A nil *Options is a zero Options.
//
// URLs does nothing before it is ranged over, and leaves nothing running when the caller breaks
// off. It yields at most one error, as the last element: see the package's documentation.
//
// The site is that of the host of site, even if site is the URL of a sitemap. To read one sitemap
// alone, use [Client.Walk] with []*Sitemap{{Loc: url}}.
func (c *Client) URLs(ctx context.Context, site string, o *Options) iter.Seq2[URL, error] {
	return func(yield func(URL, error) bool) {
		f, st, err := c.siteRobots(ctx, site, o)
		if err != nil {
			yield(URL{}, err)
			return
		}
		of := newSeed(st)
		w, err := c.newWalk(ctx, o, yield, "site "+st.Host(), []*seed{of})
		if err != nil {
			yield(URL{}, err)
			return
		}
		defer w.close()
		w.reportRobots(f, of)
		w.push(f.seeds(), func(*Sitemap) *seed { return of })
		if !w.run() {
			return
		}
		var tried []Attempt
		if w.sound == 0 || w.o.KnownPathsToo {
			tried = w.tryKnown(st, f, of)
			if tried == nil {
				return
			}
		}
		if w.sound == 0 && len(f.Sitemaps) == 0 {
			yield(URL{}, &NoSitemapError{Site: st.URL.String(), Tried: tried})
			return
		}
		w.end()
	}
}

// Walk yields the pages of sitemaps and of everything that they refer to, in document order, depth
// first. A nil *Options is a zero Options. Walk does nothing before it is ranged over, and leaves
// nothing running when the caller breaks off. It yields at most one error, as the last element: a
// [*WalkError] or ctx's error.
//
// A sitemap with neither Grants, Referrer, RobotsURL nor HomeURL counts as named by the caller, who
// vouches for its host ([trust.FromCaller]). The grants of seeds that name the same document are
// merged. Credentials and [fetch.Client.Header] go to the hosts of the sites that the seeds were
// found for: those of RobotsURL or HomeURL, or else their own. Walk does not change the sitemaps.
func (c *Client) Walk(ctx context.Context, from []*Sitemap, o *Options) iter.Seq2[URL, error] {
	return func(yield func(URL, error) bool) {
		var (
			locs  []string
			sites []*seed
			of    = map[*Sitemap]*seed{}
		)
		for _, s := range from {
			if s == nil {
				continue
			}
			locs = append(locs, seedLoc(s))
			of[s] = &seed{}
			if st, err := seedSite(s); err == nil {
				st.URL.Path, st.URL.RawPath = "", ""
				of[s] = newSeed(st)
				sites = append(sites, of[s])
			}
		}
		w, err := c.newWalk(ctx, o, yield, strings.Join(locs, "\n"), sites)
		if err != nil {
			yield(URL{}, err)
			return
		}
		defer w.close()
		w.push(from, func(s *Sitemap) *seed { return of[s] })
		if w.run() {
			w.end()
		}
	}
}

// push puts the seeds into the queue, each document once, with the claims of all that name it.
func (w *walk) push(from []*Sitemap, of func(*Sitemap) *seed) {
	var nodes []*node
	for _, s := range from {
		if s == nil {
			continue
		}
		site, c := of(s), claim{s.source(), s.Grants}
		if loc := seedLoc(s); loc != s.Loc {
			clean := *s
			clean.Loc = loc
			s = &clean
		}
		k := keyOf(s.Loc)
		at := w.seeds[k]
		if at == nil {
			at = &seed{site: site.site, origin: site.origin}
			w.seeds[k] = at
			nodes = append(nodes, newSeedNode(s, at))
		}
		at.claims = append(at.claims, c)
		at.referrers = append(at.referrers, s)
	}
	w.queue.push(nodes)
}

// run visits the documents of the queue. It reports false if the walk must end at once.
func (w *walk) run() bool {
	for n := w.queue.pop(); n != nil; n = w.queue.pop() {
		if _, alive := w.visit(n, false); !alive {
			return false
		}
	}
	return true
}

// tryKnown visits the known paths of the site, and all that they lead to. Unless KnownPathsToo is
// set, it stops after the first that holds a sitemap. It returns the attempts, or nil if the walk
// must end at once.
func (w *walk) tryKnown(st siteurl.Site, f *robotsFile, of *seed) []Attempt {
	tried, again := []Attempt{{f.url, f.none}}, []Attempt(nil)
	for sm := range w.c.candidates(w.ctx, st, f, w.o, &tried) {
		n := newSeedNode(sm, of)
		if w.seen[n.key] != nil {
			continue
		}
		missed, alive := w.visit(n, true)
		switch {
		case !alive, missed == nil && !w.run():
			return nil
		case missed != nil:
			w.read-- // no document was there
			tried = append(tried, Attempt{sm.Loc, missed})
			again = append(again, Attempt{sm.Loc, missed})
			continue
		}
		if !w.o.KnownPathsToo {
			break
		}
	}
	if !w.alive() {
		return nil
	}
	if w.sound > 0 {
		w.failMissed(again, of)
	}
	return tried
}

// failMissed reports the locations in missed that may hold a sitemap another time.
func (w *walk) failMissed(missed []Attempt, of *seed) {
	for _, a := range missed {
		var fe *fetch.Error
		if errors.As(a.Err, &fe) && fe.Temporary() {
			n := &node{sm: &Sitemap{Loc: a.URL}, seed: of}
			w.finish(w.newDocument(n, answer{err: a.Err}, ""))
		}
	}
}

// reportRobots reports the problems of a robots.txt, and how it broke off.
func (w *walk) reportRobots(f *robotsFile, of *seed) {
	sm := &Sitemap{Loc: f.url}
	for _, p := range f.Problems {
		w.o.report(sm, p)
	}
	if f.cut.err != nil {
		n := &node{sm: sm, key: keyOf(f.url), seed: of}
		d := w.newDocument(n, f.cut, f.cut.doc.URL.String())
		d.sum.Entries = int64(len(f.Sitemaps))
		w.finish(d)
		w.sound = 0
	}
}
