package discover

import "github.com/seed-322c453a/sitemap/fetch"

// fill fetches the next documents ahead.
func (w *walk) fill(waiting bool) {
	w.restartBroken()
	w.peekArrivals()
	if !waiting && w.ahead.busy() {
		return
	}
	w.ahead.settle()
	for w.fetches+len(w.ahead.started) < w.o.maxSitemaps() {
		l, spare := w.look(waiting)
		if l == nil {
			return
		}
		c, index := l.child(), l.index()
		if w.ahead.isFull(authority(c.loc)) {
			l.delay()
			continue
		}
		if w.decide(c, index); !w.isWanted(c, index) {
			continue
		}
		if !w.start(c, index, false) && !(spare && w.ahead.hasSpareRoom(index) && w.start(c, index, true)) {
			l.undo()
			return
		}
		if l.hint != nil {
			l.hint.fetched[c.loc] = c.key
		}
	}
}

// look returns the next child to be fetched ahead, nil if there is no room for more, and whether
// it may have one of the places that are kept for children of the index whose turn it is, and of
// those that will be walked next.
func (w *walk) look(waiting bool) (l *look, spare bool) {
	inner, inside := w.frontier.looksInside()
	spare = inside && w.ahead.children[inner] < w.c.concurrency()
	room := w.ahead.room(waiting, false)
	l = w.frontier.upcoming(w.ahead.isFull, w.ahead.room(waiting, spare))
	switch {
	case l == nil:
		return nil, false
	case l.hint != nil:
		spare = w.ahead.hinted < 2*w.c.concurrency()
	default:
		spare = spare && l.fr.index == inner
	}
	if room <= 0 && !spare {
		l.undo()
		return nil, false
	}
	return l, spare
}

// isWanted reports whether a child that was decided on is to be fetched ahead, by what is known
// so far.
func (w *walk) isWanted(c *child, index *record) bool {
	switch {
	case c.skip != NotSkipped, w.ahead.started[c.key] != nil, w.graph.begun(c.key, c.loc) != nil:
		return false
	case index != nil && index.depth >= w.o.maxDepth():
		return false
	case c.foreign && w.foreign+w.ahead.foreign >= MaxForeign:
		return false // those that come before may turn out to be more
	}
	return true
}

// start begins to fetch a child, if there is memory for it or it must be.
func (w *walk) start(c *child, index *record, must bool) bool {
	if !w.ahead.take(index, must) {
		return false
	}
	w.ahead.start(c, index, w.request(c), 0, w.heedDelay(c))
	return true
}

func (w *walk) request(c *child) fetch.Request {
	return fetch.Request{
		URL:        withUser(c.loc, w.users[c.key]),
		Validators: w.state.validators(c),
		Waited:     c.waited,
		Origins:    w.origins,
		MaxBytes:   w.o.Limits.Bytes,
		ReadAhead:  readAhead,
	}
}
