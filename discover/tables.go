package discover

import (
	"sync"

	"github.com/seed-322c453a/sitemap/internal/pagetable"
)

// An openTable is the pages of a site in a Store. All walks under way share it.
type openTable struct {
	*pagetable.Table
	at    place
	walks int
}

// A place is a site in a Store.
type place struct {
	store Store
	site  string
}

var openTables = struct {
	sync.Mutex
	m map[place]*openTable
}{m: map[place]*openTable{}}

// openPages opens the pages of a site in a Store.
func openPages(at place) *openTable {
	openTables.Lock()
	defer openTables.Unlock()
	t := openTables.m[at]
	if t == nil {
		t = &openTable{Table: pagetable.New(at.site + "/u"), at: at}
		openTables.m[at] = t
	}
	t.walks++
	return t
}

// close ends the use by one walk. A nil table is closed.
func (t *openTable) close() {
	if t == nil {
		return
	}
	openTables.Lock()
	defer openTables.Unlock()
	if t.walks--; t.walks == 0 {
		delete(openTables.m, t.at)
	}
}
