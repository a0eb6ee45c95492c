package discover

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"slices"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/fetch"
	"github.com/seed-322c453a/sitemap/internal/location"
)

// URLs yields the URLs of a site: Walk over what Find returns, with what
// Options.KnownPaths says. It does nothing before it is ranged over, and leaves
// nothing behind when it is left. At most one error comes, as the last element;
// see the package's documentation. A nil *Options is a zero Options. The site is that of
// site's host, also where site is the URL of a sitemap: that alone is read by Walk, over
// []*Sitemap{{Loc: url}}.
func (c *Client) URLs(ctx context.Context, site string, o *Options) iter.Seq2[URL, error] {
	if o == nil {
		o = &Options{}
	}
	return func(yield func(URL, error) bool) {
		c.init()
		f, err := o.State.recall(site, c.hasSecrets())
		recalled := f != nil
		if err == nil && !recalled {
			f, err = c.find(ctx, site, o)
		}
		if err != nil {
			f.report(o)
			if ctx.Err() == nil {
				o.State.gaveUp(site)
			}
			yield(URL{}, err)
			return
		}
		w := newWalk(ctx, c, o, yield)
		defer w.close()
		w.sites = []string{f.site.host()}
		w.origins = []string{f.site.root()}
		w.missed = f.missed
		if f.probe != nil {
			w.ahead.put(f.seeds[0].Loc, f.probe)
		}
		f.report(o)
		if !w.state.begin(site, f) {
			w.endAgain()
			return
		}
		w.robotsCut(f)
		if o, err := location.OriginOf(f.site.url); f.cut != nil && !recalled && err == nil {
			w.delays.notAgain(o)
		}
		w.run(f.seeds)
	}
}

// report reports the problems of the robots.txt, if there is one.
func (f *found) report(o *Options) {
	if f == nil || f.robots == nil || o.Report == nil {
		return
	}
	at := &Sitemap{Loc: f.robots.URL}
	for _, p := range f.robots.Problems {
		o.Report(at, p)
	}
}

// robotsCut tells of a robots.txt that broke off, as of a document.
func (w *walk) robotsCut(f *found) {
	if f.cut == nil {
		return
	}
	c := &child{sm: &Sitemap{Loc: f.robots.URL}, plans: &plans{key: keyOf(f.robots.URL)}}
	w.failures.add(&DocumentError{c.sm, f.cut})
	a := f.robots.answer
	sum := Summary{Err: f.cut, FinalURL: a.URL, Status: a.Status, Attempts: a.Attempts, Hops: a.Hops, Received: a.Received}
	sum.Entries = int64(len(f.seeds))
	sum.Queued = len(f.seeds)
	w.done(c, sum)
}

// Walk yields the URLs of sitemaps and of all that they refer to, in document
// order, depth first. It does nothing before it is ranged over, and leaves nothing
// behind when it is left. At most one error comes, as the last element: a
// *WalkError or ctx's error. A nil *Options is a zero Options.
//
// A sitemap with neither Scope nor Referrer nor RobotsURL is taken for named by
// the caller, who vouches for its host (CallerGrant). The grants of sitemaps that
// name the same document are merged before the walk. The sitemaps are not changed; nil
// ones are passed over.
func (c *Client) Walk(ctx context.Context, from []*Sitemap, o *Options) iter.Seq2[URL, error] {
	if o == nil {
		o = &Options{}
	}
	return func(yield func(URL, error) bool) {
		c.init()
		w := newWalk(ctx, c, o, yield)
		defer w.close()
		from := slices.DeleteFunc(slices.Clone(from), func(s *Sitemap) bool { return s == nil })
		for _, s := range from {
			named := s.RobotsURL
			if named == "" {
				named = s.Loc
			}
			if st, err := parseSite(named); err == nil {
				w.sites = append(w.sites, st.host())
				w.origins = append(w.origins, named)
			}
		}
		slices.Sort(w.sites)
		w.sites = slices.Compact(w.sites)
		if !w.state.begin("", &found{seeds: from}) {
			w.endAgain()
			return
		}
		w.run(from)
	}
}

// A walk is one run of Walk or URLs.
type walk struct {
	c       *Client
	o       *Options
	ctx     context.Context
	cancel  context.CancelFunc
	parent  context.Context // the caller's
	yield   func(URL, error) bool
	sites   []string  // hosts that OnSite and verification mean
	origins []string  // URLs that the caller named
	missed  []Attempt // known paths, see found

	seeds    map[key][]*Sitemap
	vouched  map[key][]Grant       // by those of seeds
	users    map[key]*url.Userinfo // of seeds that came with credentials, which their Loc is rid of
	frontier frontier
	graph    graph
	ahead    *prefetcher
	verifier verifier
	delays   delays
	failures failures
	broken   map[string]int // by host, see maxBroken
	state    *run
	hint     *hint // what the document that is walked was seen to list before
	fetches  int
	foreign  int
}

func newWalk(ctx context.Context, c *Client, o *Options, yield func(URL, error) bool) *walk {
	inner, cancel := context.WithCancel(ctx)
	w := &walk{
		c: c, o: o, ctx: inner, cancel: cancel, parent: ctx, yield: yield,
		seeds:    map[key][]*Sitemap{},
		vouched:  map[key][]Grant{},
		users:    map[key]*url.Userinfo{},
		broken:   map[string]int{},
		delays:   delays{origins: map[location.Origin]*delayed{}},
		frontier: frontier{max: frontierRoom(o.maxSitemaps())},
		ahead:    newPrefetcher(inner, c),
		state:    o.State.newRun(),
	}
	w.ahead.arrived = w.heedRedirect
	w.frontier.letGo = w.letGo
	w.graph = graph{byKey: map[key]*record{}, report: w.report}
	return w
}

// close ends whatever the walk still does, also when the caller's loop panics.
func (w *walk) close() {
	w.cancel()
	w.ahead.close()
}

// run walks to the end, or until the caller breaks.
func (w *walk) run(from []*Sitemap) {
	w.push(from)
	for {
		if err := w.parent.Err(); err != nil {
			w.yield(URL{}, err)
			return
		}
		c, index, ok := w.frontier.pop(w.graph.end)
		if !ok {
			break
		}
		if !w.visit(c, index) {
			return
		}
	}
	w.tellMissed()
	w.failures.limit("memory", w.frontier.max, w.frontier.lost)
	w.state.finish(w.failures.limits)
	w.tellFailures()
}

// endAgain ends a walk that had come to its end before others of its plan were interrupted.
func (w *walk) endAgain() {
	w.retell()
	if err := w.parent.Err(); err != nil {
		w.yield(URL{}, err)
		return
	}
	w.tellFailures()
}

func (w *walk) tellFailures() {
	if err := w.failures.result(); err != nil {
		w.yield(URL{}, err)
	}
}

// push makes the seeds the first frame, each spelling of a document once, with the grants of
// all that name it.
func (w *walk) push(from []*Sitemap) {
	root, listed := &frame{}, map[[2]key]bool{}
	for _, s := range from {
		s := *s
		loc, user := splitUser(s.Loc)
		s.Loc = loc
		if s.RobotsURL == "" && s.Referrer == nil && len(s.Scope.Grants) == 0 {
			if g, ok := CallerGrant(s.Loc); ok {
				s.Scope = Scope{[]Grant{g}}
			}
		}
		k := keyOf(s.Loc)
		if user != nil && len(w.seeds[k]) == 0 {
			w.users[k] = user
		}
		if spelled := [2]key{k, spellingOf(s.Loc)}; !listed[spelled] {
			listed[spelled] = true
			w.frontier.list(root, child{loc: s.Loc, lastMod: s.LastMod, sm: &s})
		}
		w.seeds[k] = append(w.seeds[k], &s)
		w.vouched[k] = append(w.vouched[k], s.Scope.Grants...)
	}
	for k, grants := range w.vouched {
		w.vouched[k] = Scope{}.With(grants...).Grants
	}
	w.frontier.push(root)
}

func (w *walk) report(s *Sitemap, p sitemap.Problem) {
	if w.o.Report != nil {
		p.Text = redactText(p.Text)
		w.o.Report(s, p)
	}
}

// decide makes the Sitemap of a child and says whether it is to be fetched.
func (w *walk) decide(c *child, index *record) {
	if c.plans != nil {
		return
	}
	c.plans = &plans{key: keyOf(c.loc)}
	if c.sm == nil {
		c.sm = &Sitemap{Loc: c.loc, LastMod: c.lastMod, Referrer: index.sm, Scope: index.scope}
	}
	switch {
	case index == nil:
	case w.o.LeavesOut(c.lastMod):
		c.skip = BySince
	case w.o.Follow != nil && !w.o.Follow(c.sm):
		c.skip = ByFollow
	}
	c.scope = w.withSeeds(c.sm.Scope, c.key)
	if c.skip == NotSkipped {
		c.skip = w.state.skip(c)
	}
}

// letGo drops what was fetched ahead for a child that is not walked after all.
func (w *walk) letGo(index *record, c *child) {
	if c.plans == nil {
		return
	}
	if f := w.ahead.started[c.key]; f != nil && f.index == index {
		w.ahead.drop(c.key)
	}
}

// redecide gives a child the grants that it has by now, under which it may not be left out, and
// decides again whether it is for its host's lastmods, of which one may have been wrong.
func (w *walk) redecide(c *child) {
	more := len(c.scope.missing(c.sm.Scope)) > 0
	if more {
		c.scope = c.sm.Scope
	}
	if c.skip == ByState || more && c.skip == NotSkipped {
		c.skip = w.state.skip(c)
	}
}

// withSeeds returns scope with the grants of the seeds that name a document.
func (w *walk) withSeeds(scope Scope, k key) Scope { return scope.With(w.vouched[k]...) }

// visit walks one document. It reports false if the walk must end.
func (w *walk) visit(c child, index *record) bool {
	w.decide(&c, index)
	// What was fetched ahead goes with it, unless it is left out here and was for another index.
	leftOut := false
	defer func() {
		if f := w.ahead.started[c.key]; f != nil && (!leftOut || f.index == index) {
			w.ahead.drop(c.key)
		}
	}()
	w.hint = w.frontier.takeHint(index, c.key)
	defer w.dropHint()
	if index != nil {
		c.sm.Scope = index.scope
	}
	c.sm.Scope = w.withSeeds(c.sm.Scope, c.key)
	w.redecide(&c)
	if r := w.graph.begun(c.key, c.loc); r != nil {
		w.state.relisted(r, c.lastMod)
		w.graph.meet(index, c.sm.Scope.With(w.verified(index)...), r)
		return true
	}
	switch c.skip {
	case BySince, ByFollow:
		leftOut = true
		w.done(&c, Summary{Skipped: c.skip})
		return true
	}
	if what, limit := w.limited(&c, index); what != "" {
		leftOut = true
		w.failures.limit(what, limit, 1)
		return true
	}
	if c.listed {
		w.verifier.recall(w.state.entry(c.loc).Asked)
	}
	r := w.graph.begin(c.key, c.sm, index)
	w.reverify(&c, r)
	if c.skip != NotSkipped {
		return w.recall(&c, r)
	}
	w.fetches++
	return w.fetchAndRead(&c, r)
}

// limited returns the limit that bars a child, or "", and counts one of another host.
func (w *walk) limited(c *child, index *record) (what string, limit int) {
	switch {
	case index != nil && index.depth >= w.o.maxDepth():
		return "depth", w.o.maxDepth()
	case w.fetches >= w.o.maxSitemaps():
		return "sitemaps", w.o.maxSitemaps()
	case c.foreign:
		if w.foreign == MaxForeign {
			return "foreign", MaxForeign
		}
		w.foreign++
	}
	return "", 0
}

// whoAnswered returns the URL whose answer an error tells of, "" if there was none.
func whoAnswered(err error) string {
	var fe *fetch.Error
	answered := errors.Is(err, fetch.ErrStatus) || errors.Is(err, fetch.ErrRedirect) || errors.Is(err, fetch.ErrEncoding)
	if !answered || !errors.As(err, &fe) {
		return ""
	}
	return fe.URL
}

// done tells that a document has ended.
func (w *walk) done(c *child, sum Summary) {
	sm := c.sm
	sum.URL = sitemap.Redact(sm.Loc)
	sum.Queued += w.frontier.left()
	if sum.FinalURL == "" && sum.Skipped == NotSkipped {
		sum.FinalURL = whoAnswered(sum.Err)
	}
	sum.Referrers = []*Sitemap{sm}
	for _, s := range w.seeds[c.key] {
		if s != sm {
			other := *s // whose own turn may come
			sum.Referrers = append(sum.Referrers, &other)
		}
	}
	if w.o.Done != nil {
		w.o.Done(sm, sum)
	}
}
