// Package pagetable keeps a small state for each of many pages in a key-value store, in 16 bytes a
// page and bounded memory.
//
// The table is a trie of buckets. A bucket holds the pages whose hash starts with its nibbles, in
// order; one that grows too large is split into sixteen. A walk changes pages all over the table,
// so changes go into a log first, in segments, and from there into the buckets when there are many.
package pagetable

import (
	"maps"
	"slices"
	"strconv"
	"sync"
)

// A Store is where a [Table] is kept. It returns nil for what it does not have.
type Store interface {
	Get(key string) []byte
	Put(key string, value []byte)
	Sync()
	Err() error // the first error of all calls
}

const (
	maxBucket   = 200   // pages
	maxSegment  = 4_096 // pages
	maxSegments = 256   // in the log
)

// Tests need less.
var (
	maxLog    = 1 << 17 // pages
	syncEvery = 4 << 20 // bytes that are put between two syncs of a merge
)

// A place is a name in a store.
type place struct {
	store any
	name  string
}

// A Table is the pages of one site. Keys start with its name. It is safe for concurrent use.
type Table struct {
	place
	users int // that have it open

	mu       sync.Mutex
	log      map[uint64]State // nil until it is read
	segments int              // of the log
	split    map[prefix]bool  // buckets that are known to be split
}

// lock locks the table and returns the function that unlocks it. If the Store has failed by then,
// its content may be outdated: the next user reads it again.
func (t *Table) lock(s Store) (unlock func()) {
	t.mu.Lock()
	return func() {
		if s.Err() != nil {
			t.log, t.segments, t.split = nil, 0, map[prefix]bool{}
		}
		t.mu.Unlock()
	}
}

// Hash returns the hash by which the table knows a location: FNV-1a, of 64 bits.
func Hash(loc string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(loc) {
		h = (h ^ uint64(loc[i])) * 1099511628211
	}
	return h
}

// Get returns the state of a page by the hash of its location.
func (t *Table) Get(s Store, page uint64) (State, bool) {
	defer t.lock(s)()
	t.readLog(s)
	if state, ok := t.log[page]; ok {
		return state, true
	}
	_, value := t.bucket(s, page)
	return find(value, page)
}

// Put adds the states of pages to the log. It does not sync.
func (t *Table) Put(s Store, pages map[uint64]State) {
	if len(pages) == 0 {
		return
	}
	defer t.lock(s)()
	t.readLog(s)
	for segment := range slices.Chunk(sorted(pages), maxSegment) {
		s.Put(t.segmentKey(t.segments), encode(segment))
		t.segments++
	}
	maps.Copy(t.log, pages)
}

// Merge moves the log into the buckets if it has become large. Values that were put before become
// durable first. A merge that is interrupted does no harm: the log stays, and is merged again.
func (t *Table) Merge(s Store) {
	defer t.lock(s)()
	if len(t.log) < maxLog && t.segments < maxSegments {
		return
	}
	s.Sync()
	put, entries := 0, sorted(t.log)
	t.log = map[uint64]State{}
	for len(entries) > 0 {
		p, value := t.bucket(s, entries[0].page)
		n := 1
		for n < len(entries) && p.starts(entries[n].page) {
			n++
		}
		put += t.putBucket(s, p, join(decode(value), entries[:n]))
		entries = entries[n:]
		if put >= syncEvery {
			s.Sync()
			put = 0
		}
	}
	s.Sync()
	for ; t.segments > 0; t.segments-- { // the last one first: what remains is a log
		s.Put(t.segmentKey(t.segments-1), nil)
	}
}

func (t *Table) segmentKey(i int) string { return t.name + "l" + strconv.Itoa(i) }

// readLog reads the log, once.
func (t *Table) readLog(s Store) {
	if t.log != nil {
		return
	}
	t.log = map[uint64]State{}
	for {
		value := s.Get(t.segmentKey(t.segments))
		if len(value) == 0 {
			return
		}
		for _, e := range decode(value) {
			t.log[e.page] = e.state
		}
		t.segments++
	}
}

// bucketKey returns the key of a bucket.
func (t *Table) bucketKey(p prefix) string {
	return t.name + "b" + strconv.FormatUint(uint64(p), 16)
}

// isSplit is the value of a bucket that was split.
const isSplit = "split"

// bucket returns the value of the bucket that a page belongs to, and its prefix.
func (t *Table) bucket(s Store, page uint64) (p prefix, value []byte) {
	for n := range 16 {
		if p = prefixOf(page, n); t.split[p] {
			continue
		}
		if value = s.Get(t.bucketKey(p)); string(value) != isSplit {
			return p, value
		}
		t.split[p] = true
	}
	return p, nil
}

// putBucket stores a bucket, or splits it, and returns the bytes that were put.
func (t *Table) putBucket(s Store, p prefix, bucket []entry) (put int) {
	if len(bucket) <= maxBucket || p.size() == 15 {
		value := encode(bucket)
		s.Put(t.bucketKey(p), value)
		return len(value)
	}
	for nibble := range prefix(16) {
		child, n := p<<4|nibble, 0
		for n < len(bucket) && child.starts(bucket[n].page) {
			n++
		}
		put += t.putBucket(s, child, bucket[:n])
		bucket = bucket[n:]
	}
	s.Put(t.bucketKey(p), []byte(isSplit)) // its children are stored
	return put
}
