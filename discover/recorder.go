package discover

import (
	"crypto/sha256"
	"hash"
	"strconv"
	"time"

	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/pagetable"
)

// A recorder collects what the Store keeps of one document while it is read. Nothing is stored
// before the document has ended. A nil recorder collects nothing.
type recorder struct {
	m      *memory
	site   string
	digest hash.Hash // of the entries
	buf    []byte
	pages  map[uint64]pagetable.State // by the hash of their location
}

// modifiedRun marks the run in which a page was modified rather than new.
const modifiedRun = 1 << 31

func newRecorder(m *memory, site string) *recorder {
	if m == nil {
		return nil
	}
	return &recorder{m: m, site: site, digest: sha256.New(), pages: map[uint64]pagetable.State{}}
}

// add takes an entry. For a page that is yielded, it returns its change, which stays the same when
// a run is resumed. Extensions are left out of the digest, since Options.SkipExtensions may change
// between runs.
func (r *recorder) add(e *sitemap.Entry, isYielded bool) Change {
	if r == nil {
		return ""
	}
	b := append(r.buf[:0], e.Loc...)
	b = append(e.LastMod.AppendTo(append(b, '\n')), '\n', byte(e.ChangeFreq), byte(e.Kind))
	r.buf = append(strconv.AppendFloat(b, e.Priority.Or(-1), 'g', -1, 64), '\n')
	r.digest.Write(r.buf)
	if !isYielded {
		return ""
	}
	page, at := pagetable.Hash(e.Loc), r.m.stamp(e.LastMod)
	old, known := r.pages[page]
	if !known {
		old, known = r.m.table(r.site).Get(r.m, page)
	}
	change, next := New, pagetable.State{LastMod: max(at, old.LastMod), Run: r.m.number}
	switch {
	case !known, old.Run == r.m.number:
	case old.Run == r.m.number|modifiedRun, at > old.LastMod:
		change, next.Run = Modified, r.m.number|modifiedRun
	default:
		return Unchanged
	}
	r.pages[page] = next
	return change
}

// end stores the pages and the record of a document that has ended. It syncs the Store now and
// then.
func (r *recorder) end(old, rec *record) {
	m, table := r.m, r.m.table(r.site)
	table.Put(m, r.pages)
	m.judgeLastMod(r.site, old, rec)
	r.pages = nil // they are in the table
	key, last := keyIn(r.site, 'd', rec.URL), record{}
	rec.Run, rec.Earlier = m.number, nil
	if m.o.Run != "" && m.load(key, &last) { // another walk may have ended it since the plan
		rec.Earlier = last.before(m.number)
	}
	m.save(key, rec)
	table.Merge(m)
	if time.Since(m.synced) >= syncEvery {
		m.Sync()
	}
}

const syncEvery = 200 * time.Millisecond
