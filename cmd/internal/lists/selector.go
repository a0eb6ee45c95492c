package lists

import (
	"hash/fnv"
	"io"
	"sync"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/cmd/internal/cli"
)

// A Selector chooses the URLs that are printed: those that match, each once, up to a number.
type Selector struct {
	matches func(loc string) bool // nil: all
	seen    *urlSet               // nil: each as often as it is listed
	max     int64                 // 0: any number

	normalize bool // take equivalent URLs for one

	mu    sync.Mutex
	taken int64
	again int64 // left out because they were listed before
}

// take reports whether loc is printed.
func (s *Selector) take(loc string) bool {
	if s.matches != nil && !s.matches(loc) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.max > 0 && s.taken >= s.max {
		return false
	}
	if s.normalize {
		loc = sitemap.Entry{Loc: loc}.Normalized()
	}
	if s.seen != nil && !s.seen.add(loc) {
		s.again++
		return false
	}
	s.taken++
	return true
}

// done reports whether the number is reached.
func (s *Selector) done() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.max > 0 && s.taken >= s.max
}

// Count returns how many URLs were taken.
func (s *Selector) Count() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// A urlSet remembers URLs by hashes of 64 bits. The chance that it takes two of four million URLs
// for one is one in two million.
type urlSet struct {
	hashes map[uint64]bool
	full   func()            // called once, when the set is full
	known  func(uint64) bool // reports URLs of an earlier part of the run; may be nil
	fresh  func(hash uint64) // called with each new URL, unless nil
}

// add reports whether loc is new, as far as the set knows. A full set adds nothing.
func (u *urlSet) add(loc string) bool {
	h := fnv.New64a()
	io.WriteString(h, loc)
	hash := h.Sum64()
	if u.hashes[hash] || u.known != nil && u.known(hash) {
		return false
	}
	if u.fresh != nil {
		u.fresh(hash)
	}
	if len(u.hashes) < cli.MaxUnique {
		u.hashes[hash] = true
	} else if u.full != nil {
		u.full()
		u.full = nil
	}
	return true
}
