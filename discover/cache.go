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
	mu   sync.Mutex
	byAt map[string]*list.Element // of *cached
	used list.List                // most recently used first
	size int
	// asked are those that are being asked for, with what is closed when that is over.
	asked map[string]chan struct{}
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

// ask says that a robots.txt is about to be asked for, and returns what is called when that is
// over; or, if it is being asked for already, what is closed then.
func (c *robotsCache) ask(at string) (over func(), underWay <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if asked := c.asked[at]; asked != nil {
		return nil, asked
	}
	if c.asked == nil {
		c.asked = map[string]chan struct{}{}
	}
	asked := make(chan struct{})
	c.asked[at] = asked
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asked, at)
		close(asked)
	}, nil
}

func (c *robotsCache) drop(e *list.Element) {
	entry := c.used.Remove(e).(*cached)
	delete(c.byAt, entry.at)
	c.size -= entry.size
}
