package discover

import (
	"slices"
	"sync"
	"time"

	"github.com/seed-322c453a/sitemap/discover/robots"
	"github.com/seed-322c453a/sitemap/discover/trust"
	"github.com/seed-322c453a/sitemap/fetch"
)

const (
	robotsAge  = 24 * time.Hour // RFC 9309, section 2.4
	robotsRoom = 16 << 20       // bytes that the files of the cache may take
)

// A robotsFile is a robots.txt and how it was reached.
type robotsFile struct {
	*robots.File
	url   string      // as requested
	scope trust.Scope // the hosts that it speaks for
	none  error       // why it names no sitemap, if it names none
	cut   *cutRobots  // if it broke off after it had named sitemaps
}

// A cutRobots says how a robots.txt broke off.
type cutRobots struct {
	doc *fetch.Document
	err error
}

// seeds returns the sitemaps that the file names.
func (f *robotsFile) seeds() []*Sitemap {
	seeds := make([]*Sitemap, 0, len(f.Sitemaps))
	for _, r := range f.Sitemaps {
		seeds = append(seeds, &Sitemap{
			Loc: r.Loc, RobotsURL: f.url, Line: r.Line, Grants: slices.Clone(f.scope),
		})
	}
	return seeds
}

// A robotsCache keeps robots.txt files for a day, in bounded memory. The zero cache is ready.
type robotsCache struct {
	mu    sync.Mutex
	files map[string]cachedRobots // by location
	size  int64
}

type cachedRobots struct {
	*robotsFile
	size int64 // estimate of the memory it holds
	at   time.Time
}

func (c *robotsCache) get(loc string) *robotsFile {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.files[loc]
	if !ok || time.Since(f.at) > robotsAge {
		return nil
	}
	return f.robotsFile
}

// put stores a file and removes others, in no order, until all have room.
func (c *robotsCache) put(loc string, file *robotsFile) {
	size := file.Size()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files == nil {
		c.files = map[string]cachedRobots{}
	}
	c.size += size - c.files[loc].size
	c.files[loc] = cachedRobots{file, size, time.Now()}
	for other, f := range c.files {
		if c.size <= robotsRoom {
			break
		}
		if other != loc {
			c.size -= f.size
			delete(c.files, other)
		}
	}
}
