package pagetable

import "sync"

var tables = struct {
	sync.Mutex
	open map[place]*Table
}{open: map[place]*Table{}}

// Open returns the table of a name in a store, which must be comparable. All users of a table share
// it. Nothing is read before it is used.
func Open(store any, name string) *Table {
	at := place{store, name}
	tables.Lock()
	defer tables.Unlock()
	t := tables.open[at]
	if t == nil {
		t = &Table{place: at, split: map[prefix]bool{}}
		tables.open[at] = t
	}
	t.users++
	return t
}

// Close ends one use that Open began. Closing a nil Table does nothing.
func (t *Table) Close() {
	if t == nil {
		return
	}
	tables.Lock()
	defer tables.Unlock()
	if t.users--; t.users == 0 {
		delete(tables.open, t.place)
	}
}
