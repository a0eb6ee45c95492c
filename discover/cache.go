package discover

import (
	"container/list"
	"sync"
	"time"
)

const (
	robotsAge  = 24 * time.Hour // RFC 9309, section 2.4
	robotsRoom = 16 << 20
)

// A robotsCache keeps robots.txt files for a day, the least recently used going
// first when they hold too much memory. The zero cache is ready.
type robotsCache struct {
	mu    sync.Mutex
	byAt  map[string]*list.Element // of *cached
	used  list.List                // most recently used first
	size  int
	asked map[string]*asking // those that are being asked for
}

// An asking is one robots.txt that is being asked for.
type asking struct {
	over   chan struct{} // closed when what follows is set
	robots *Robots
	err    error
	counts bool // for others too; else what came of it is about who asked
}

type cached struct {
	at     string // what it was asked for under, with credentials
	robots *Robots
	from   time.Time
	size   int
}

func (c *robotsCache) get(at string) *Robots {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byAt[at]
	if !ok {
		return nil
	}
	entry := e.Value.(*cached)
	if time.Since(entry.from) > robotsAge {
		c.drop(e)
		return nil
	}
	c.used.MoveToFront(e)
	return entry.robots
}

func (c *robotsCache) put(at string, robots *Robots) {
	entry := &cached{at, robots, time.Now(), robots.size() + len(at)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.byAt[at]; ok {
		c.drop(old)
	}
	if c.byAt == nil {
		c.byAt = map[string]*list.Element{}
	}
	c.byAt[at] = c.used.PushFront(entry)
	for c.size += entry.size; c.size > robotsRoom && c.used.Len() > 1; {
		c.drop(c.used.Back())
	}
}

// ask returns the asking for a robots.txt, and whether that is the caller's, who then asks and
// calls end.
func (c *robotsCache) ask(at string) (a *asking, isOurs bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.asked[at]; a != nil {
		return a, false
	}
	if c.asked == nil {
		c.asked = map[string]*asking{}
	}
	a = &asking{over: make(chan struct{})}
	c.asked[at] = a
	return a, true
}

// end tells who waits for it that a has ended.
func (c *robotsCache) end(at string, a *asking) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.asked, at)
	close(a.over)
}

func (c *robotsCache) drop(e *list.Element) {
	entry := c.used.Remove(e).(*cached)
	delete(c.byAt, entry.at)
	c.size -= entry.size
}
