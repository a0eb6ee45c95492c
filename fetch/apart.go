package fetch

import (
	"sync"
	"time"
)

const (
	// shares is how many shared connections of an origin may break before its requests go on
	// connections of their own, fewer if they are tried less often: who breaks them then breaks
	// his own.
	shares = 2
	// apartFor is for how long they do, and how close together these are.
	apartFor = time.Minute
	// maxBreaking bounds the origins of which that is remembered.
	maxBreaking = 1_000
	// closeTime is within what net/http closes a connection that broke.
	closeTime = 50 * time.Millisecond
)

// A breaking is the origins of which connections of HTTP/2 broke while several attempts were on
// them. The zero value is ready.
type breaking struct {
	mu sync.Mutex
	at map[origin]broken
}

type broken struct {
	n    int
	last time.Time
}

func (b broken) isOver() bool { return time.Since(b.last) > apartFor }

// note notes that a connection of o broke.
func (b *breaking) note(o origin) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.at[o]
	if of.isOver() {
		of.n = 0
	}
	if b.at == nil {
		b.at = map[origin]broken{}
	}
	b.at[o] = broken{of.n + 1, time.Now()}
	for other := range b.at {
		if len(b.at) <= maxBreaking {
			break
		}
		if other != o {
			delete(b.at, other)
		}
	}
}

// isApart reports whether requests to o, which are tried again so often, go on connections of their
// own.
func (b *breaking) isApart(o origin, retries int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.at[o]
	return of.n >= min(shares, max(retries, 1)) && !of.isOver()
}

// failed is told that the attempt, or its body, failed. Where that was for its connection, and
// others used that too, the Client is told.
func (a *inner) failed() {
	c := a.conn.Load()
	if c == nil || a.turn == c.last() {
		return
	}
	o := a.target.origin
	// A body that is too short ends as with its connection, which net/http closes then.
	time.AfterFunc(closeTime, func() {
		if c.closed.Load() && !c.told.Swap(true) {
			a.c.breaking.note(o)
		}
	})
}
