package lists

import (
	"hash/fnv"
	"io"
	"sync"
	"sync/atomic"

	"github.com/seed-322c453a/sitemap"
)

// A Selector chooses the URLs that are printed: those that match, each once, up to a number. It
// remembers URLs by hashes of 64 bits. Among four million URLs, the chance that two have the same
// hash is one in two million.
type Selector struct {
	matches   func(loc string) bool // nil: all
	max       int64                 // 0: any number
	normalize bool                  // take equivalent URLs for one

	mu    sync.Mutex
	seen  map[uint64]bool        // nil: each URL as often as it is listed
	room  int                    // of seen
	known func(hash uint64) bool // reports URLs that the run printed before it was stopped
	full  func()                 // called when seen is full
	taken atomic.Int64
	again int64 // left out because they were listed before
}

// take reports whether loc is printed, and its hash if that is remembered.
func (s *Selector) take(loc string) (hash uint64, ok bool) {
	if s.matches != nil && !s.matches(loc) {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done() {
		return 0, false
	}
	if s.seen != nil {
		if s.normalize {
			loc = sitemap.Entry{Loc: loc}.Normalized()
		}
		if hash = hashOf(loc); s.seen[hash] || s.known != nil && s.known(hash) {
			s.again++
			return 0, false
		}
		s.remember(hash)
	}
	s.taken.Add(1)
	return hash, true
}

func hashOf(loc string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, loc)
	return h.Sum64()
}

// remember adds a hash, unless there are too many.
func (s *Selector) remember(hash uint64) {
	if len(s.seen) < s.room {
		s.seen[hash] = true
	} else if s.full != nil {
		s.full()
		s.full = nil
	}
}

// forget takes back n URLs that were not printed, with the hashes that are remembered.
func (s *Selector) forget(n int64, hashes []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken.Add(-n)
	for _, hash := range hashes {
		delete(s.seen, hash)
	}
}

// done reports whether the number is reached.
func (s *Selector) done() bool { return s.max > 0 && s.Count() >= s.max }

// Count returns how many URLs were taken.
func (s *Selector) Count() int64 { return s.taken.Load() }
