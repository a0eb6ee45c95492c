package fetch

import (
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
	// maxBreaks bounds the origins, and the documents, of which that is remembered.
	maxBreaks = 1_000
	// closeTime is within what net/http closes a connection that broke.
	closeTime = 50 * time.Millisecond
)

// breaks counts the connections of HTTP/2 that broke while several attempts were on them. The
// zero value is ready.
type breaks[Key comparable] struct {
	mu sync.Mutex
	at map[Key]broken
}

type broken struct {
	n    int
	last time.Time
}

func (b broken) isOver() bool { return time.Since(b.last) > apartFor }

// note notes that a connection of k broke.
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

// count returns how many connections of k broke of late.
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

// failed is told that the attempt, or its body, failed. It reports whether that was with its
// connection while others used that too.
func (a *inner) failed() bool {
	c := a.conn.Load()
	if c == nil || !a.http2 || a.turn == c.last() || !c.isClosing() {
		return false
	}
	if !c.told.Swap(true) {
		a.c.broken.note(a.target.origin)
	}
	a.c.cutOff.note(a.target.url.String())
	return true
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
