package fetch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// shares is how many shared connections of an origin may break before its requests go on
	// connections of their own: who breaks them then breaks his own.
	shares = 2
	// apartFor is for how long they do, and how close together these are.
	apartFor = time.Minute
	// spares is how many tries that failed with a connection that others used do not count.
	spares = 1
	// vain is how many documents of an origin are asked for in vain on a connection of their own,
	// after they were answered with an error over others, before others of it are not.
	vain = 3
	// maxBreaks bounds the origins, and the documents, of which that is remembered.
	maxBreaks = 1_000
	// closeTime is within what net/http closes a connection that broke.
	closeTime = 50 * time.Millisecond
)

// breaks counts what came to grief with a connection, or on one, by what it belongs to. The zero
// value is ready.
type breaks[Key comparable] struct {
	mu sync.Mutex
	at map[Key]broken
}

type broken struct {
	n    int
	last time.Time
}

func (b broken) isOver() bool { return time.Since(b.last) > apartFor }

// note notes one more of k.
func (b *breaks[Key]) note(k Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.at[k]
	if of.isOver() {
		of.n = 0
	}
	if b.at == nil {
		b.at = map[Key]broken{}
	}
	b.at[k] = broken{of.n + 1, time.Now()}
	for other := range b.at {
		if len(b.at) <= maxBreaks {
			break
		}
		if other != k {
			delete(b.at, other)
		}
	}
}

// forget forgets k.
func (b *breaks[Key]) forget(k Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.at, k)
}

// count returns how many there were of k of late.
func (b *breaks[Key]) count(k Key) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if of := b.at[k]; !of.isOver() {
		return of.n
	}
	return 0
}

// isApart reports whether requests for t go on connections of their own.
func (c *Client) isApart(t target) bool {
	return c.lone != nil && (c.broken.count(t.origin) >= shares || c.cutOff.count(t.url.String()) > 0)
}

// unanswered is told that the attempt failed with err, under ctx, before there was a response. It
// reports whether that is not to count: others used its connection, or it went on one of its own,
// for which the server, or a proxy, may have no room.
func (a *inner) unanswered(ctx context.Context, err error) bool {
	connected := a.conn.Load() != nil
	switch {
	case a.ctx.Err() != nil:
		return false
	case a.alone:
		a.c.inVain.note(a.target.origin)
		a.suspect = nil
	case a.apart && (!connected || !a.http2 || !isLate(ctx, err)):
		a.c.cutOff.forget(a.target.url.String())
		if !connected {
			a.c.broken.forget(a.target.origin)
		}
	default:
		return a.failed(ctx, err)
	}
	a.noRoom = !connected
	return a.alone || !connected
}

// failed is told that the attempt, or its body, failed with err, under ctx, over its connection. It
// reports whether others used that.
func (a *inner) failed(ctx context.Context, err error) bool {
	policy := (*cause)(nil)
	c := a.conn.Load()
	switch {
	case c == nil, a.ctx.Err() != nil:
		return false
	case isLate(ctx, err):
		a.waitedInVain(c)
		return false
	case ctx.Err() != nil, errors.As(err, &policy):
		return false
	case c.isRetired():
		return true // by us
	}
	a.c.cutOff.note(a.target.url.String())
	if !a.shares(c) || !c.isClosing() {
		return false
	}
	if !c.told.Swap(true) {
		a.c.broken.note(a.target.origin)
	}
	return true
}

// waitedInVain is told that the attempt, or its body, took too long. With HTTP/1 its connection is
// closed then.
func (a *inner) waitedInVain(c *conn) {
	if !a.http2 {
		return
	}
	a.c.cutOff.note(a.target.url.String())
	if c.retire(); a.shares(c) {
		a.c.broken.note(a.target.origin)
	}
}

// shares reports whether others used the attempt's connection while it did.
func (a *inner) shares(c *conn) bool { return a.http2 && a.turn != c.last() }

// isLate reports whether an attempt under ctx failed since it was waited for too long: by our clock,
// or by that of net/http for the header.
func isLate(ctx context.Context, err error) bool {
	var n net.Error
	return errors.Is(context.Cause(ctx), ErrTimeout) || ctx.Err() == nil && errors.As(err, &n) && n.Timeout()
}

// goesAlone reports whether the attempt that begins is the last one of a request that has a suspect,
// and goes on a connection of its own.
func (x *exchange) goesAlone() bool {
	return x.c.lone != nil && x.suspect != nil && x.spared == 0 && x.retries+x.tries > x.most() && x.c.inVain.count(x.target.origin) < vain
}

// answered is told how the attempt was answered.
func (a *inner) answered(status int, after time.Duration) {
	o := a.target.origin
	switch {
	case !a.alone:
		if retriable(status) && !isBusy(status) && after == 0 {
			a.suspect = a.conn.Load()
		}
	case retriable(status):
		a.c.inVain.note(o)
	case status/100 == 2, status == http.StatusNotModified:
		a.c.inVain.forget(o)
		a.suspect.retire()
	}
}

// isClosing reports whether the connection is closed, or will be at once.
func (c *conn) isClosing() bool {
	late := time.NewTimer(closeTime)
	defer late.Stop()
	select {
	case <-c.closed:
		return true
	case <-late.C:
		return false
	}
}
