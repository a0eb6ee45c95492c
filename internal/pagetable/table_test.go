package pagetable

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A mapStore is a Store whose durable is what a crash leaves.
type mapStore struct {
	m       map[string][]byte
	durable map[string][]byte // before the crash; nil if there was none
	pending int               // bytes since the last Sync
	most    int
	syncs   int
	fails   bool
	crash   int // after which Sync nothing more becomes durable; 0 for none
}

func newMapStore() *mapStore {
	return &mapStore{m: map[string][]byte{}}
}

func (s *mapStore) Get(key string) []byte {
	if s.fails {
		return nil
	}
	return s.m[key]
}

func (s *mapStore) Put(key string, value []byte) {
	if s.fails {
		return
	}
	s.m[key] = slices.Clone(value)
	s.pending += len(value)
	s.most = max(s.most, s.pending)
}

func (s *mapStore) Err() error {
	if s.fails {
		return errors.New("it fails")
	}
	return nil
}

func (s *mapStore) Sync() {
	s.pending = 0
	if s.syncs++; s.crash == 0 || s.syncs < s.crash {
		s.durable = nil
	} else if s.durable == nil {
		s.durable = maps.Clone(s.m)
	}
}

// restarted returns what a process finds after a crash.
func (s *mapStore) restarted() *mapStore {
	if s.durable == nil {
		return &mapStore{m: maps.Clone(s.m)}
	}
	return &mapStore{m: maps.Clone(s.durable)}
}

// open returns a table that nobody else has open, as in a process of its own.
func open(name string) *Table {
	t := Open(new(int), name)
	t.Close()
	return t
}

// shrink makes the log and the steps of merges smaller, for one test.
func shrink(t *testing.T) {
	log, step := maxLog, syncEvery
	maxLog, syncEvery = log/8, step/8
	t.Cleanup(func() { maxLog, syncEvery = log, step })
}

// pages returns n random pages, of a thousand of which some share most of their hash.
func pages(r *rand.Rand, n int) map[uint64]State {
	m := map[uint64]State{}
	for range n {
		page := r.Uint64()
		if r.IntN(1_000) == 0 {
			page = 0xabcdef<<40 | page&0xff
		}
		m[page] = State{r.Uint32(), r.Uint32()}
	}
	return m
}

func check(t *testing.T, what string, table *Table, s Store, want map[uint64]State) {
	t.Helper()
	for page, state := range want {
		if page%32 > 0 { // some suffice
			continue
		}
		if got, ok := table.Get(s, page); !ok || got != state {
			t.Fatalf("%s: page %x is %v, %t, want %v", what, page, got, ok, state)
		}
		if _, ok := want[page+1]; !ok {
			if got, ok := table.Get(s, page+1); ok {
				t.Fatalf("%s: page %x is %v, want none", what, page+1, got)
			}
		}
	}
}

// TestTable: values that were put are returned, by this Table and by one that is opened later, and
// a page in the table takes little room.
func TestTable(t *testing.T) {
	shrink(t)
	r := rand.New(rand.NewPCG(1, 2))
	s, table, want := newMapStore(), open("a/"), map[uint64]State{}
	for i := range 6 {
		new := pages(r, 6_000)
		for page := range want { // some pages change
			if r.IntN(50) == 0 {
				new[page] = State{1, uint32(i)}
			}
		}
		table.Put(s, new)
		table.Merge(s)
		maps.Copy(want, new)
	}
	check(t, "in one process", table, s, want)
	s.Sync()
	check(t, "in another", open("a/"), s.restarted(), want)
	size := 0
	for key, value := range s.m {
		size += len(key) + len(value)
	}
	if each := float64(size) / float64(len(want)); each > 24 {
		t.Errorf("%.1f bytes a page", each)
	}
	if _, ok := open("b/").Get(s, slices.Collect(maps.Keys(want))[0]); ok {
		t.Error("a page is in the table of another name")
	}
}

// TestTable_Crash: whenever a merge is interrupted, nothing that was durable before is lost.
func TestTable_Crash(t *testing.T) {
	shrink(t)
	syncEvery /= 4
	r := rand.New(rand.NewPCG(3, 4))
	s, table, want := newMapStore(), open("a/"), map[uint64]State{}
	for len(want) < 2*maxLog-5_000 { // the first half is merged, so the next merge has many steps
		new := pages(r, 3_750)
		table.Put(s, new)
		table.Merge(s)
		maps.Copy(want, new)
	}
	s.Sync()
	whole, new := s.restarted(), pages(rand.New(rand.NewPCG(5, 6)), 7_500)
	all := maps.Clone(want)
	maps.Copy(all, new)
	for _, crash := range []int{1, 2, 3, 4, 6} {
		s, table := whole.restarted(), open("a/")
		table.Put(s, new)
		s.Sync()
		s.syncs, s.crash = 0, crash
		table.Merge(s)
		after, again := s.restarted(), open("a/")
		check(t, "after a crash", again, after, all)
		again.Merge(after)
		check(t, "after another merge", again, after, all)
	}
}

// TestTable_Bounds: between two syncs little is put, and the log does not grow.
func TestTable_Bounds(t *testing.T) {
	shrink(t)
	r := rand.New(rand.NewPCG(7, 8))
	s, table := newMapStore(), open("a/")
	for range 700 {
		table.Put(s, pages(r, 3))
		s.Sync()
		table.Merge(s)
		if len(table.log) > maxLog || table.segments > maxSegments {
			t.Fatalf("%d pages in %d segments of the log", len(table.log), table.segments)
		}
	}
	for range 4 {
		table.Put(s, pages(r, 12_500))
		s.Sync()
		table.Merge(s)
	}
	if s.most > syncEvery+64<<10 {
		t.Errorf("%d bytes were put between two syncs", s.most)
	}
}

// TestTable_FailedStore: a user whose Store fails leaves others what is stored.
func TestTable_FailedStore(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	s, table, want := newMapStore(), open("a/"), map[uint64]State{}
	for range maxSegments - 1 {
		new := pages(r, 30)
		table.Put(s, new)
		maps.Copy(want, new)
	}
	failing := &mapStore{m: s.m, fails: true}
	table.Put(failing, pages(r, 3))
	table.Merge(failing)
	table.Get(failing, 1)
	check(t, "after another has failed", table, s, want)
	new := pages(r, 30)
	table.Put(s, new)
	table.Merge(s)
	maps.Copy(want, new)
	check(t, "in another process", open("a/"), s.restarted(), want)
}

// TestTable_Damage: damaged values count as absent.
func TestTable_Damage(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	s, table := newMapStore(), open("a/")
	table.Put(s, pages(r, maxLog+10))
	table.Merge(s)
	table.Put(s, pages(r, 100))
	for range 4 {
		damaged := &mapStore{m: maps.Clone(s.m)}
		for key, value := range damaged.m {
			if r.IntN(20) == 0 {
				value = slices.Clone(value[:r.IntN(len(value)+1)])
				for range min(len(value), 3) {
					value[r.IntN(len(value))] ^= byte(r.Uint32())
				}
				damaged.m[key] = value
			}
		}
		again := open("a/")
		for range 20 {
			again.Get(damaged, r.Uint64())
		}
		again.Put(damaged, pages(r, 10))
		again.Merge(damaged)
	}
}

func BenchmarkTable_Get(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	s, table := newMapStore(), open("a/")
	all := pages(r, 1_000_000)
	table.Put(s, all)
	table.Merge(s)
	keys := slices.Collect(maps.Keys(all))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		table.Get(s, keys[i%len(keys)])
	}
}
