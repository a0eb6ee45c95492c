// Package robotscache keeps robots.txt files for a day, in memory bounded by what they hold.
package robotscache

import (
	"sync"
	"time"
)

const (
	maxAge = 24 * time.Hour // RFC 9309, section 2.4
	room   = 16 << 20       // bytes that all files may take
)

// A Cache holds files by location. The zero Cache is empty and ready. It is safe for concurrent
// use.
type Cache[F interface{ Size() int64 }] struct {
	mu    sync.Mutex
	files map[string]cached[F]
	size  int64
}

type cached[F any] struct {
	file F
	size int64
	at   time.Time
}

// Get returns the file at loc, the zero F if there is none that is younger than a day.
func (c *Cache[F]) Get(loc string) (file F) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f, ok := c.files[loc]; ok && time.Since(f.at) <= maxAge {
		file = f.file
	}
	return file
}

// Put stores the file at loc and removes others, in no order, until all have room.
func (c *Cache[F]) Put(loc string, file F) {
	size := file.Size()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files == nil {
		c.files = map[string]cached[F]{}
	}
	c.size += size - c.files[loc].size
	c.files[loc] = cached[F]{file, size, time.Now()}
	for other, f := range c.files {
		if c.size <= room {
			break
		}
		if other != loc {
			c.size -= f.size
			delete(c.files, other)
		}
	}
}
